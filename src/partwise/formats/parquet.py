"""Parquet: named columns in a file of Arrow's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from partwise.formats.problems import Reader, no_column
from partwise.formats.tables import Table, table_from_arrow
from partwise.formats.tabular import Row, Tabular

_MAGIC = b"PAR1"


class Parquet(Tabular):
    """Columns of their own types, of which only those that are wanted are read."""

    name = "parquet"
    title = "Parquet"
    suffixes = (".parquet",)
    content = "binary"

    def sniff(self, data: bytes, name: str) -> bool:
        return data.startswith(_MAGIC)

    def table(self, data: bytes, wanted: Sequence[str], reader: Reader) -> Table:
        return table_from_parquet(data, wanted, reader)

    def column_names(self, data: bytes, reader: Reader) -> list[str]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            return list(pq.ParquetFile(pa.BufferReader(data)).schema_arrow.names)
        except (pa.ArrowException, OSError):
            return []

    def rows_written(self, rows: list[Row], names: Sequence[str]) -> bytes:
        import pyarrow as pa
        import pyarrow.parquet as pq

        sink = pa.BufferOutputStream()
        pq.write_table(pa.table({name: [row.get(name) for row in rows] for name in names}), sink)
        return bytes(sink.getvalue().to_pybytes())


_LARGE_PARQUET = 1 << 25
"""Bytes of a file whose row groups are read side by side; smaller files are read side by side themselves."""


def _columns_of(data: bytes, names: Sequence[str], texts: Sequence[str], groups: int) -> Any:
    """These columns of a Parquet file alone, texts as the codes that the file has for them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def read(some: Sequence[int]) -> Any:
        file = pq.ParquetFile(pa.BufferReader(data), read_dictionary=list(texts))
        return file.read_row_groups(list(some), columns=list(names), use_threads=False)

    threads = min(groups, pa.cpu_count()) if len(data) >= _LARGE_PARQUET else 1
    if threads <= 1:
        return read(range(groups))
    from concurrent.futures import ThreadPoolExecutor

    shares = [range(i * groups // threads, (i + 1) * groups // threads) for i in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        return pa.concat_tables(pool.map(read, shares))


def table_from_parquet(data: bytes, wanted: Sequence[str], reader: Reader) -> Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        there = [name for name in file.schema_arrow.names if name in wanted]
        twice = [name for name in there if there.count(name) > 1]
        if twice:
            raise reader.source.error(f"has two columns {twice[0]!r}", "give every column its own name")
        kinds = {name: file.schema_arrow.field(name).type for name in there}
        texts = [name for name, kind in kinds.items() if pa.types.is_string(kind) or pa.types.is_large_string(kind)]
        table = _columns_of(data, there, texts, file.num_row_groups)
    except (pa.ArrowException, OSError) as error:
        first = str(error).split("\n")[0]
        raise reader.source.error(f"is damaged or cut short as Parquet ({first})", "write it again") from None
    if not there:
        raise no_column(reader.source, "query_id", file.schema_arrow.names, "runs and assessments")
    return table_from_arrow(table, wanted, reader)


PARQUET = Parquet()
