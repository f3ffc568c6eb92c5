"""Scores and findings as text or bytes, written to standard output or a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence

from partwise import score_files
from partwise.errors import PartwiseError, one_line, visible
from partwise.files import encoded
from partwise.later import api, outputs
from partwise.messages import commands
from partwise.score_files import Number, delimited, flat, number_format
from partwise.scores import ALL, Scores, Slices

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from partwise.api import StudyFindings

ROW_FORMATS = ("table", "tsv", "csv", "jsonl")
PLACES = score_files.DECIMALS


def chosen_format(requested: str | None, path: str | None, formats: Sequence[str], safe_csv: bool = False) -> str:
    """The requested format, else that of the file's suffix, else a table on a terminal and TSV in a pipe.

    With `safe_csv` it must be CSV or TSV.
    """
    if requested == "parquet" and to_terminal(path):
        raise PartwiseError(commands.NO_PARQUET_ON_TERMINAL())
    if requested is not None:
        format = requested
    elif path is None:
        format = "table" if to_terminal(None) else "tsv"
    else:
        format = score_files.format_of_suffix(path, formats)
    score_files.check_safe(safe_csv, format)
    return format


def write(content: str | bytes, path: str | None, format: str) -> None:
    """Write to a file, completely or not at all, or to standard output.

    Names of files that are not UTF-8 become escapes in formats for programs. On a terminal, characters that act on it
    become escapes; a table has its own, and shows names without any.
    """
    if isinstance(content, str):
        data = encoded(content) if format == "table" else content.encode("utf-8", "backslashreplace")
    else:
        data = content
    if format != "table" and to_terminal(path):
        lines = data.decode("utf-8", "surrogateescape").split("\n")
        data = encoded("\n".join(map(_json_visible if format == "jsonl" else _tabs_kept, lines)))
    if path is not None:
        outputs.write_bytes(path, data)
        return
    if sys.stdout is None:
        raise PartwiseError(commands.OUTPUT_CLOSED())
    sys.stdout.flush()
    left = memoryview(data)
    while left:  # a write to a broken pipe may be short instead of failing
        left = left[sys.stdout.buffer.write(left) :]
    sys.stdout.buffer.flush()


def _tabs_kept(line: str) -> str:
    return "\t".join(map(visible, line.split("\t")))


def _json_visible(line: str) -> str:
    """A line of JSON on a terminal, with the escapes of JSON."""
    return "".join(c if visible(c) == c else f"\\u{ord(c):04x}" for c in line)


def rendered(
    scores: Scores | Slices,
    format: str,
    per_query: bool,
    places: int | None,
    on_terminal: bool,
    record: dict[str, Any] | None = None,
    safe_csv: bool = False,
) -> bytes:
    """Scores in any format; `record` is the provenance that goes inside."""
    if format == "table":
        return encoded(table(scores, per_query, PLACES if places is None else places, on_terminal))
    if format == "latex":
        return encoded(latex(scores, per_query, PLACES if places is None else places))
    return score_files.rendered(scores, format, per_query, places, record, safe_csv)


# ---- tables for people --------------------------------------------------------------------------------------


def _grid(
    scores: Scores, per_query: bool, places: int, like: Scores | None = None
) -> tuple[list[str], list[list[str]]]:
    """Header and rows: measures across, unless there are many of them and few runs.

    With `like`, the runs and measures are those of these scores.
    """
    runs, measures = (like or scores).run_ids, (like or scores).measures
    means: dict[str, dict[str, float]] = {run_id: {} for run_id in runs} | scores.mean()

    def number(value: float | None) -> str:
        return "" if value is None else f"{value:.{places}f}"

    if per_query:
        by_run = scores.per_query()
        rows = []
        for run_id in runs:
            values = by_run.get(run_id, {})
            for query in dict.fromkeys(query for measure in measures for query in values.get(measure, ())):
                rows.append([run_id, query, *(number(values.get(measure, {}).get(query)) for measure in measures)])
            rows.append([run_id, ALL, *(number(means[run_id].get(measure)) for measure in measures)])
        return ["run", "query", *measures], rows
    if len(measures) > 6 and len(runs) <= 6:
        return ["measure", *runs], [[m, *(number(means[run].get(m)) for run in runs)] for m in measures]
    return ["run", *measures], [[run, *(number(means[run].get(m)) for m in measures)] for run in runs]


def _grid_of_slices(slices: Slices, per_query: bool, places: int) -> tuple[list[str], list[list[str]], int]:
    """Header, rows and the number of labels: the rows of each slice after its name and number of queries."""
    header, rows = _grid(slices.total, per_query, places)
    rows = [[ALL, str(slices.total.usual_count()), *row] for row in rows]
    of_slices = []
    for name, scores in slices.items():
        count = str(scores.usual_count())
        of_slices += [[name, count, *row] for row in _grid(scores, per_query, places, slices.total)[1]]
    return ["slice", "queries", *header], of_slices + rows, 3 + per_query


def table(scores: Scores | Slices, per_query: bool, places: int, on_terminal: bool) -> str:
    """A table for people, with the number of queries scored below it."""
    total = scores.total if isinstance(scores, Slices) else scores
    if isinstance(scores, Slices):
        header, rows, labels = _grid_of_slices(scores, per_query, places)
    else:
        header, rows = _grid(scores, per_query, places)
        labels = 2 if per_query else 1
    if "documents" in total.kinds.values():
        header, rows, labels = _with_marks("scores", total.kinds, header, rows, labels)
    if total.official:
        header, rows, labels = _with_marks("official name", total.official, header, rows, labels)
    head = [f"{name}: {cell}" for name, cell in total.common_cells.items()]
    footer = [*scores.summary(), *total.unjudged_text()]
    above, below = ("".join(one_line(line) + "\n" for line in lines) for lines in (head, footer))
    return above + drawn(header, rows, labels, on_terminal) + below


def _with_marks(
    title: str, marks: Mapping[str, str], header: list[str], rows: list[list[str]], labels: int
) -> tuple[list[str], list[list[str]], int]:
    """The table with a mark of each measure, below its name in the header or in a column after it."""
    if "measure" in header[:labels]:
        after = header.index("measure") + 1
        rows = [[*row[:after], marks.get(row[after - 1], ""), *row[after:]] for row in rows]
        return [*header[:after], title, *header[after:]], rows, labels + 1
    marked = [f"{name}\n{marks.get(name.partition(chr(10))[0], '')}" for name in header[labels:]]
    return [*header[:labels], *marked], rows, labels


def drawn(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    labels: int,
    on_terminal: bool,
    texts: Collection[str] = (),
) -> str:
    """A table whose first columns are labels; the others are numbers, except those named in `texts`.

    Only on a terminal it has colours and is wrapped. Names are shown without characters that act on a terminal.
    """
    import io

    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for i, name in enumerate(header):
        shown = "\n".join(map(visible, name.split("\n")))  # what a measure scores is below its name
        grid.add_column(Text(shown), justify="left" if i < labels or name in texts else "right", overflow="fold")
    for row in rows:
        grid.add_row(*(Text(visible(cell)) for cell in row))
    text = io.StringIO()
    console = Console(file=text, width=None if on_terminal else 10_000, force_terminal=on_terminal, highlight=False)
    console.print(grid)
    return "".join(line.rstrip() + "\n" for line in text.getvalue().rstrip("\n").split("\n"))


def _cells(rows: Sequence[Mapping[str, Any]], number: Callable[[float], str]) -> list[list[str]]:
    """Rows of named cells as texts; an undefined cell is empty."""

    def text(cell: Any) -> str:
        if isinstance(cell, str) or cell is None:
            return cell or ""
        return Number(number(cell) if isinstance(cell, float) else cell)

    return [[text(cell) for cell in row.values()] for row in rows]


def rows(
    cells: Sequence[Mapping[str, Any]],
    labels: int,
    format: str,
    places: int | None,
    on_terminal: bool,
    safe_csv: bool = False,
) -> str:
    """Rows of named cells, all with the same names: as a table, TSV, CSV or JSON Lines."""
    if format not in ROW_FORMATS:
        raise PartwiseError(commands.UNSUPPORTED_FORMAT(format=format, formats=", ".join(ROW_FORMATS)))
    if format == "jsonl":
        import json

        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in cells)
    number = number_format(PLACES if places is None and format == "table" else places)
    header = list(cells[0]) if cells else []
    texts = _cells(cells, number)
    if format == "table":
        return drawn(header, texts, labels, on_terminal)
    return delimited(header, texts, format, safe_csv)


def parquet_rows(cells: Sequence[Mapping[str, Any]]) -> bytes:
    """Rows of named cells, all with the same names, as the bytes of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {name: [row[name] for row in cells] for name in (cells[0] if cells else ())}
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    return bytes(sink.getvalue().to_pybytes())


def trec_rows(cells: Sequence[Mapping[str, Any]], places: int | None) -> str:
    """The numbers of rows of named cells as trec_eval writes them: name, query (the first cell), value."""
    number = number_format(PLACES if places is None else places)
    lines = []
    for row in cells:
        query = flat(str(next(iter(row.values()))))
        for name, cell in row.items():
            if isinstance(cell, (int, float)):
                lines.append(f"{name:<22}\t{query}\t{number(cell) if isinstance(cell, float) else cell}\n")
    return "".join(lines)


def to_terminal(path: str | None) -> bool:
    """Whether output goes to a terminal."""
    return path is None and sys.stdout is not None and sys.stdout.isatty()


_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"$<$", ">": r"$>$",
}  # fmt: skip


def latex(scores: Scores | Slices, per_query: bool, places: int) -> str:
    """A tabular for the booktabs package."""
    labels = 2 if per_query else 1
    if isinstance(scores, Slices):
        header, rows, labels = _grid_of_slices(scores, per_query, places)
    else:
        header, rows = _grid(scores, per_query, places)
    head = "".join(f"% {name}: {one_line(cell)}\n" for name, cell in scores.common_cells.items())
    return head + tabular(list(map(escaped, header)), [list(map(escaped, row)) for row in rows], labels)


def escaped(cell: str) -> str:
    """A text with the special characters of LaTeX escaped."""
    return "".join(_LATEX.get(c, c) for c in cell)


def tabular(header: Sequence[str], rows: Sequence[Sequence[str]], labels: int) -> str:
    """A tabular of cells that are already LaTeX; the first columns are labels, the others numbers."""

    def line(cells: Sequence[str]) -> str:
        return " & ".join(cells) + r" \\"

    return "\n".join(
        [
            rf"\begin{{tabular}}{{{'l' * labels}{'r' * (len(header) - labels)}}}",
            r"\toprule",
            line(header),
            r"\midrule",
            *(line(row) for row in rows),
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


# ---- findings of comparisons and studies ---------------------------------------------------------------------


def findings(results: StudyFindings, format: str, places: int | None, on_terminal: bool, safe_csv: bool = False) -> str:
    """One or several tables with a heading each for people, all rows for machines."""
    if format == "latex":
        return _latex_findings(results, PLACES if places is None else places)
    if format != "table":
        return rows(results.rows(), results.labels, format, places, on_terminal, safe_csv)
    parts = []
    for title, cells in results.tables():
        body = ""
        if cells:
            grid = _cells(cells, number_format(PLACES if places is None else places))
            texts = [name for name in cells[0] if all(isinstance(row[name], str) for row in cells)]
            body = drawn(list(cells[0]), grid, 0, on_terminal, texts)
        heading = "".join(visible(line) + "\n" for line in title.split("\n")) if title else ""
        parts.append(heading + body)
    return "\n".join(parts)


def _labels(cells: Sequence[dict[str, Any]]) -> int:
    """How many of the first columns hold texts."""
    texts = [all(isinstance(row[name], str) for row in cells) for name in cells[0]]
    return texts.index(False) if False in texts else len(texts)


def _latex_findings(results: StudyFindings, places: int) -> str:
    number = number_format(places)
    if isinstance(results, api.Comparison):
        measures = [compared.matrix.measure for compared in results.measures]
        header = ["", "run", *map(escaped, measures)]
        cells = []
        for row in results.systems():
            of_run = [escaped(row[""]), escaped(row["run"])]
            for measure in measures:
                value = number(row[measure]) if row[measure] != "" else ""
                beats = row[f"{measure} beats"]
                of_run.append(f"{value}$^{{{beats.replace(' ', ',')}}}$" if beats else value)
            cells.append(of_run)
        return tabular(header, cells, 2)
    texts = []
    for _, of_table in results.tables():
        if of_table:
            grid = [list(map(escaped, row)) for row in _cells(of_table, number)]
            texts.append(tabular(list(map(escaped, of_table[0])), grid, _labels(of_table)))
    return "\n".join(texts)
