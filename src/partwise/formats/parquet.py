"""Parquet: named columns of typed values, read and written with Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from partwise.errors import PartwiseError
from partwise.files import refuse_large_parquet
from partwise.formats import names
from partwise.formats.problems import Reader, no_column, refuse_repeated
from partwise.formats.tables import Table, table_from_arrow
from partwise.formats.tabular import Row, Tabular
from partwise.messages import reading
from partwise.settings import current

_MAGIC = b"PAR1"


class Parquet(Tabular):
    """Typed columns, of which only those that are needed are read."""

    name = "parquet"
    title = "Parquet"
    suffixes = (".parquet",)
    content = "binary"

    def sniff(self, data: bytes, name: str) -> bool:
        return data.startswith(_MAGIC)

    def table(self, data: bytes, columns: Sequence[str], reader: Reader) -> Table:
        return table_from_parquet(data, columns, reader)

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


_LARGE_PARQUET = 1 << 25
"""Bytes of a file whose row groups are read in parallel; several smaller files are read in parallel instead."""


def _columns_of(data: bytes, names: Sequence[str], texts: Sequence[str], groups: int) -> Any:
    """These columns of a Parquet file, with texts dictionary-encoded as in the file."""
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
        kinds = {name: file.schema_arrow.field(name).type for name in needed}
        texts = [name for name, kind in kinds.items() if pa.types.is_string(kind) or pa.types.is_large_string(kind)]
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
