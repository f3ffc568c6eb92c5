"""Parquet: named columns of typed values, read and written with Arrow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from partwise.errors import PartwiseError
from partwise.files import refuse_large_parquet
from partwise.formats import names
from partwise.formats.columns import present
from partwise.formats.problems import Reader, no_column, refuse_repeated
from partwise.formats.tables import Table, table_from_arrow
from partwise.formats.tabular import Blocks, Row, Tabular
from partwise.messages import reading
from partwise.model import Irregular
from partwise.settings import current

_MAGIC = b"PAR1"


class Parquet(Tabular):
    """Typed columns, of which only those that are needed are read."""

    name = "parquet"
    title = "Parquet"
    suffixes = (".parquet",)
    content = "binary"
    has_blocks = True

    def sniff(self, data: bytes, name: str) -> bool:
        return data.startswith(_MAGIC)

    def table(self, data: bytes, columns: Sequence[str], reader: Reader) -> Table:
        return table_from_parquet(data, columns, reader)

    def blocks(self, path: str, texts: Blocks) -> Iterator[Callable[[Reader], Table]]:
        import pyarrow.parquet as pq

        file = pq.ParquetFile(path, pre_buffer=False)
        existing = list(file.schema_arrow.names)
        needed = names.needed(existing, names.RUN_COLUMNS)
        query = present(needed, "query_id")
        try:
            refuse_large_parquet(file.metadata, len(needed), range(file.num_row_groups), path, current())
        except PartwiseError:
            raise Irregular from None
        if not query or len(set(needed)) < len(needed):
            raise Irregular
        texts_of = _texts(file.schema_arrow, needed)
        file = pq.ParquetFile(path, read_dictionary=texts_of, page_checksum_verification=True, pre_buffer=False)
        rows = 0
        for table in _whole_queries(file.iter_batches(_BATCH, columns=needed, use_threads=False), query[0]):
            yield partial(_block, table, needed, existing, rows)
            rows += table.num_rows

    def column_names(self, data: bytes, reader: Reader) -> list[str]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            return list(pq.ParquetFile(pa.BufferReader(data)).schema_arrow.names)
        except Exception:  # whatever Arrow raises for damaged metadata; reported when the rows are read
            return []

    def rows_written(self, rows: list[Row], names: Sequence[str]) -> bytes:
        import pyarrow as pa
        import pyarrow.parquet as pq

        sink = pa.BufferOutputStream()
        pq.write_table(
            pa.table({name: [row.get(name) for row in rows] for name in names}), sink, write_page_checksum=True
        )
        return bytes(sink.getvalue().to_pybytes())


_BATCH = 1 << 15
"""Rows that are read at a time."""


def _whole_queries(batches: Iterable[Any], query: str) -> Iterator[Any]:
    """Arrow tables that end where a query ends, from batches of rows."""
    import pyarrow as pa

    rest: Any = None
    for batch in batches:
        table = pa.Table.from_batches([batch])
        change = _last_change(batch.column(query))
        if rest is not None and change == 0 and batch.num_rows and _differ(rest, table, query):
            yield rest
            rest = table
            continue
        if change:
            before = table.slice(0, change)
            yield before if rest is None else pa.concat_tables([rest, before])
            rest = table.slice(change)
        else:
            rest = table if rest is None else pa.concat_tables([rest, table])
    if rest is not None:
        yield rest


def _differ(one: Any, other: Any, query: str) -> bool:
    return bool(one.column(query)[-1].as_py() != other.column(query)[0].as_py())


def _last_change(column: Any) -> int:
    """The last row of a column whose value is not that of the row before; 0 if there is none."""
    import pyarrow as pa

    if column.null_count:
        raise Irregular
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    codes = np.from_dlpack(coded.indices)
    changes = np.flatnonzero(codes[1:] != codes[:-1])
    return int(changes[-1]) + 1 if len(changes) else 0


def _block(table: Any, needed: Sequence[str], existing: Sequence[str], rows: int, reader: Reader) -> Table:
    """The columns of some queries, which follow this number of rows."""
    columns = table_from_arrow(table, needed, reader, existing)
    columns.lines = columns.lines + rows
    return columns


def _texts(schema: Any, needed: Sequence[str]) -> list[str]:
    """Those of these columns that are texts of which there are few, unlike documents."""
    import pyarrow as pa

    many = names.names_of("doc_id")
    kinds = {name: schema.field(name).type for name in needed if name not in many}
    return [name for name, kind in kinds.items() if pa.types.is_string(kind) or pa.types.is_large_string(kind)]


_LARGE_PARQUET = 1 << 25
"""Bytes of a file whose row groups are read in parallel; several smaller files are read in parallel instead."""


def _columns_of(data: bytes, names: Sequence[str], texts: Sequence[str], groups: int) -> Any:
    """These columns of a Parquet file, with `texts` dictionary-encoded as in the file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def read(row_groups: Sequence[int]) -> Any:
        file = pq.ParquetFile(pa.BufferReader(data), read_dictionary=list(texts), page_checksum_verification=True)
        return file.read_row_groups(list(row_groups), columns=list(names), use_threads=False)

    threads = min(groups, pa.cpu_count()) if len(data) >= _LARGE_PARQUET else 1
    if threads <= 1:
        return read(range(groups))
    from concurrent.futures import ThreadPoolExecutor

    shares = [range(i * groups // threads, (i + 1) * groups // threads) for i in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        return pa.concat_tables(pool.map(read, shares))


def table_from_parquet(data: bytes, columns: Sequence[str], reader: Reader) -> Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        needed = names.needed(file.schema_arrow.names, columns)
        refuse_repeated(needed, reader)
        texts = _texts(file.schema_arrow, needed)
        groups = range(file.num_row_groups)
        refuse_large_parquet(file.metadata, len(needed), groups, reader.source.name, current())
        table = _columns_of(data, needed, texts, file.num_row_groups)
    except (PartwiseError, MemoryError):
        raise
    except Exception as error:  # Arrow raises many types for damaged metadata
        reason = str(error).split("\n")[0] or type(error).__name__
        raise reader.source.error(reading.BAD_PARQUET(reason=reason)) from None
    if not needed:
        raise no_column(reader.source, "query_id", file.schema_arrow.names, "runs and assessments")
    return table_from_arrow(table, needed, reader, file.schema_arrow.names)


PARQUET = Parquet()
