"""Valid inputs: small files of every format, about the same few documents and queries.

A file of rows starts as a `Grid`, so that mutations may change cells, rows and columns before it becomes bytes.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from attacks.parquet import parquet_bytes

_INSIDE = {
    "a": "<title>Bees</title><sec><p>alpha beta gamma</p><p>delta</p></sec><sec><p>epsilon</p></sec>",
    "b": "<title>Hives é</title><sec><p>wax and honey 😀</p></sec><sec><sec><p>deep text</p></sec></sec>",
    "s/c": "<sec><p>one two three four five six</p></sec>",
}
DOCUMENTS = {doc: f"<article>{inside}</article>" for doc, inside in _INSIDE.items()}
"""Elements of a, b and s/c; their texts have 32, 33 and 28 characters."""
PATHS = (
    "/article[1]", "/article[1]/title[1]", "/article[1]/sec[1]", "/article[1]/sec[1]/p[1]", "/article[1]/sec[1]/p[2]",
    "/article[1]/sec[2]",
)  # fmt: skip
QUERIES = ("q1", "q2", "7")
LENGTH = 28
"""All documents are at least this long."""


@dataclass
class Grid:
    """Rows of cells with named columns, and the function that makes them a file."""

    names: list[str]
    rows: list[list[Any]]
    encode: Callable[[Grid], bytes]
    suffix: str
    types: dict[int, str] = field(default_factory=dict)
    """Unusual types of columns of Parquet."""

    def column(self, name: str) -> list[Any]:
        at = self.names.index(name)
        return [row[at] for row in self.rows]

    def bytes(self) -> bytes:
        return self.encode(self)


# ---- rows ---------------------------------------------------------------------------------------------------

RUN_KINDS = ("documents", "spans", "offsets", "several", "elements", "trees", "ranges", "entry points")
QRELS_KINDS = ("nuggets", "several", "grades", "passages", "elements", "trees", "paths", "assessors", "beps")


def span(rng: Random) -> tuple[int, int]:
    start = rng.randrange(LENGTH - 1)
    return start, rng.randrange(start + 1, LENGTH)


def path_of(rng: Random, doc: str) -> str:
    return PATHS[0] if doc == "s/c" else rng.choice([path for path in PATHS if doc == "a" or "p[2]" not in path])


def some_queries(rng: Random, least: int) -> list[str]:
    """At least so many queries, and sometimes only one if all need not be there."""
    return rng.sample(QUERIES, least if least == len(QUERIES) else rng.choice((1, least, 3, 3)))


def run_rows(rng: Random, kind: str, least: int = 2) -> tuple[list[str], list[list[Any]]]:
    """Results in order of rank, of at least so many queries; those of one query differ."""
    names = ["query_id", "doc_id", "rank", "score", "run_id"]
    names += {
        "documents": [], "spans": ["start", "end"], "offsets": ["offset", "length"], "several": ["spans"],
        "elements": ["path"], "trees": ["paths"], "ranges": ["start_path", "end_path"], "entry points": ["offset"],
    }[kind]  # fmt: skip
    rows = []
    for query in some_queries(rng, least):
        for rank in range(1, rng.randint(1, 3) + 1):
            doc = list(DOCUMENTS)[rank % len(DOCUMENTS)]
            start, end = span(rng)
            path = path_of(rng, doc)
            part: dict[str, list[Any]] = {
                "documents": [],
                "spans": [start, end],
                "offsets": [start, end - start],
                "several": [[[0, start + 1], [start + 1, end + 1]]],
                "elements": [path],
                "trees": [[path]],
                "ranges": [path, path],
                "entry points": [start],
            }
            rows.append([query, doc, rank, 10.5 - rank, "tag", *part[kind]])
    return names, rows


def qrels_rows(rng: Random, kind: str, least: int = 2) -> tuple[list[str], list[list[Any]]]:
    names = ["query_id", "doc_id"] + {
        "grades": ["grade"], "passages": ["start", "end"], "elements": ["path", "exhaustivity", "specificity", "scale"],
        "trees": ["paths"], "paths": ["start_path", "end_path"], "assessors": ["start", "end", "assessor"],
        "beps": ["bep", "length", "start", "end"], "nuggets": ["start", "end", "grade", "nugget", "set"],
        "several": ["spans"],
    }[kind]  # fmt: skip
    rows: list[list[Any]] = []
    for query in some_queries(rng, least):
        for doc in rng.sample(list(DOCUMENTS), rng.randint(1, len(DOCUMENTS))):
            start, end = span(rng)
            path = path_of(rng, doc)
            part: dict[str, list[Any]] = {
                "grades": [rng.randrange(3)],
                "passages": [start, end],
                "elements": [path, rng.randrange(1, 4), rng.randrange(1, 4), "four-point"],
                "trees": [[path]],
                "paths": [path, path],
                "assessors": [start, end, "ann"],
                "beps": [start, LENGTH if doc == "s/c" else 100, start, end],
                "nuggets": [start, end, rng.randrange(3), rng.choice(("n1", "n2", None)), rng.choice(("s", None))],
                "several": [[[start, end], list(span(rng))]],
            }
            rows.append([query, doc, *part[kind]])
            if kind == "assessors":
                rows.append([query, doc, *span(rng), "ben"])
    if kind == "nuggets":
        rows.append(["unanswerable", "", *[None] * (len(names) - 2)])
    return names, rows


# ---- encoders -----------------------------------------------------------------------------------------------


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def plain(cell: Any) -> str:
    """A cell of CSV, TSV or blank-separated columns."""
    if isinstance(cell, list):
        return " ".join("-".join(map(str, one)) if isinstance(one, list) else str(one) for one in cell)
    return "" if cell is None else str(cell)


def as_blanks(grid: Grid) -> bytes:
    return encoded("".join(" ".join(map(plain, row)) + "\n" for row in grid.rows))


def as_csv(grid: Grid, separator: str = ",") -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerows([grid.names, *([plain(cell) for cell in row] for row in grid.rows)])
    return encoded(text.getvalue())


def as_tsv(grid: Grid) -> bytes:
    return encoded("".join("\t".join(map(plain, row)) + "\n" for row in [grid.names, *grid.rows]))


def as_jsonl(grid: Grid) -> bytes:
    """Columns with equal names stay repeated, which dicts would not allow."""
    lines = []
    for row in grid.rows:
        cells = (f"{json.dumps(name)}: {json.dumps(cell)}" for name, cell in zip(grid.names, row, strict=False))
        lines.append("{" + ", ".join(cells) + "}\n")
    return encoded("".join(lines))


def as_parquet(grid: Grid) -> bytes:
    return parquet_bytes(grid.names, grid.rows, grid.types)


def _cells(grid: Grid, row: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(grid.names, row, strict=False))


def _grouped(grid: Grid) -> dict[str, list[dict[str, Any]]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in grid.rows:
        cells = _cells(grid, row)
        groups.setdefault(plain(cells.get("query_id")), []).append(cells)
    return groups


def as_submission(grid: Grid) -> bytes:
    """A run in INEX XML."""
    lines = ['<inex-submission participant-id="12" run-id="tag" task="CO" query="automatic">']
    for query, results in _grouped(grid).items():
        lines.append(f"<topic topic-id={quoteattr(query)}>")
        for cells in results:
            fields = [f"<file>{escape(plain(cells.get('doc_id')))}</file>"]
            paths = cells.get("paths", [cells["path"]] if "path" in cells else [])
            fields += [
                f"<path>{escape(plain(path))}</path>" for path in (paths if isinstance(paths, list) else [paths])
            ]
            if "start_path" in cells:
                start, end = plain(cells["start_path"]), plain(cells.get("end_path"))
                fields.append(f"<passage start={quoteattr(start)} end={quoteattr(end)}/>")
            if "offset" in cells:
                offset, length = plain(cells["offset"]), plain(cells.get("length", 0))
                fields.append(f"<fol offset={quoteattr(offset)} length={quoteattr(length)}/>")
            fields += [
                f"<rank>{escape(plain(cells.get('rank')))}</rank>",
                f"<rsv>{escape(plain(cells.get('score')))}</rsv>",
            ]
            lines.append(f"<result>{''.join(fields)}</result>")
        lines.append("</topic>")
    return encoded("\n".join([*lines, "</inex-submission>\n"]))


def _pool(grid: Grid, line_of: Callable[[dict[str, Any]], str], attribute: str, rest: str = "") -> bytes:
    """Assessments of the first query in INEX XML."""
    query, rows = next(iter(_grouped(grid).items()), ("1", []))
    lines = [f"<assessments topic={quoteattr(query)}{rest}>"]
    for doc in dict.fromkeys(plain(cells.get("doc_id")) for cells in rows):
        judged = [line_of(cells) for cells in rows if plain(cells.get("doc_id")) == doc]
        lines += [f"<file {attribute}={quoteattr(doc)}>", *judged, "</file>"]
    return encoded("\n".join([*lines, "</assessments>\n"]))


def as_pool_2002(grid: Grid) -> bytes:
    return _pool(grid, lambda cells: f'<path path={quoteattr(plain(cells.get("path")))} relevance="3E"/>', "file")


def as_pool_2004(grid: Grid) -> bytes:
    def line(cells: dict[str, Any]) -> str:
        grades = [quoteattr(plain(cells.get(name))) for name in ("path", "exhaustivity", "specificity")]
        return "<path path={} exhaustiveness={} specificity={}/>".format(*grades)

    return _pool(grid, line, "file")


def as_pool_2006(grid: Grid) -> bytes:
    def line(cells: dict[str, Any]) -> str:
        start, end = quoteattr(plain(cells.get("start_path"))), quoteattr(plain(cells.get("end_path")))
        element = f'<element path={start} exhaustivity="2" size="30" rsize="9"/>'
        return f'<best-entry-point path={start}/><passage start={start} end={end} size="9"/>{element}'

    return _pool(grid, line, "name", ' pool="3" version="2"')


def _blank_run(kind: str) -> Callable[[Random], Grid]:
    def make(rng: Random) -> Grid:
        names, rows = run_rows(rng, kind)
        return Grid(["query_id", "Q0", *names[1:]], [[row[0], "Q0", *row[1:]] for row in rows], as_blanks, ".run")

    return make


def _trec_qrels(rng: Random) -> Grid:
    names, rows = qrels_rows(rng, "grades")
    return Grid(["query_id", "Q0", *names[1:]], [[row[0], "0", *row[1:]] for row in rows], as_blanks, ".qrels")


def _fol(rng: Random) -> Grid:
    rows: list[list[Any]] = []
    for query in rng.sample(QUERIES, rng.randint(1, 3)):
        for doc in rng.sample(list(DOCUMENTS), rng.randint(1, 3)):
            start, end = span(rng)
            passages = [f"{start}:{end - start}"] if rng.random() < 0.8 else []
            rows.append([query, "Q0", doc, (end - start) * len(passages), LENGTH, start if passages else -1, *passages])
    return Grid(["query_id", "Q0", "doc_id", "relevant", "length", "bep", "passage"], rows, as_blanks, ".txt")


def _window(rng: Random, size: int) -> list[float]:
    """A moment in seconds, with a score if there are three numbers."""
    start, end = span(rng)
    return [start / 2, end / 2, rng.random()][:size]


def _predictions(rng: Random) -> Grid:
    rows = [[query, rng.choice(list(DOCUMENTS)), [_window(rng, 3)]] for query in some_queries(rng, 1)]
    return Grid(["qid", "vid", "pred_relevant_windows"], rows, as_jsonl, ".jsonl")


def _moments(rng: Random) -> Grid:
    rows = [[query, rng.choice(list(DOCUMENTS)), 150, [_window(rng, 2)]] for query in some_queries(rng, 1)]
    return Grid(["qid", "vid", "duration", "relevant_windows"], rows, as_jsonl, ".jsonl")


def _genomics_run(rng: Random) -> Grid:
    rows: list[list[Any]] = []
    for query in some_queries(rng, 1):
        for rank, doc in enumerate(rng.sample(list(DOCUMENTS), rng.randint(1, len(DOCUMENTS))), 1):
            start, end = span(rng)
            rows.append([query, doc, rank, start, end - start, 1000 - rank, "tag"])
    return Grid(["topic", "document", "rank", "offset", "length", "score", "tag"], rows, as_blanks, ".run")


def _genomics_gold(rng: Random) -> Grid:
    rows: list[list[Any]] = []
    for query in some_queries(rng, 1):
        start, end = span(rng)
        rows.append([query, rng.choice(list(DOCUMENTS)), start, end - start, rng.choice(("TNF", "TNF|CAF\u00c9"))])
    return Grid(["topic", "document", "offset", "length", "aspects"], rows, _as_tabs, ".tsv")


def _as_tabs(grid: Grid) -> bytes:
    """Latin-1 columns without names."""
    text = "".join("\t".join(map(plain, row)) + "\n" for row in grid.rows)
    return text.encode("latin-1", "replace")


def _named(encode: Callable[[Grid], bytes], suffix: str, kinds: Sequence[str], rows_of: Any) -> Any:
    def maker(kind: str) -> Callable[[Random], Grid]:
        return lambda rng: Grid(*rows_of(rng, kind), encode, suffix)

    return {kind: maker(kind) for kind in kinds}


NAMED_RUNS = ("documents", "spans", "offsets", "several", "elements", "trees")
TABULAR = {"csv": as_csv, "tsv": as_tsv, "jsonl": as_jsonl, "parquet": as_parquet}
TREC_RUN = {"documents": _blank_run("documents")}
INEX_RUN = {kind: _blank_run(kind) for kind in ("offsets", "entry points", "elements", "ranges")}

RUNS: dict[str, dict[str, Callable[[Random], Grid]]] = {
    "trec": TREC_RUN,
    "inex": INEX_RUN,
    "text": {**TREC_RUN, **INEX_RUN},
    "moments": {"windows": _predictions},
    "genomics-2007": {"offsets": _genomics_run},
    "xml": _named(as_submission, ".xml", ("documents", "offsets", "elements", "trees", "ranges"), run_rows),
    **{name: _named(encode, f".{name}", NAMED_RUNS, run_rows) for name, encode in TABULAR.items()},
}
"""For every format of the registry and every kind of part that it holds: a function that makes a run."""

QRELS: dict[str, dict[str, Callable[[Random], Grid]]] = {
    "trec": {"grades": _trec_qrels},
    "inex": {"beps": _fol},
    "text": {"grades": _trec_qrels, "beps": _fol},
    "moments": {"windows": _moments},
    "genomics-2007": {"nuggets": _genomics_gold},
    "xml": {
        "elements": lambda rng: Grid(*qrels_rows(rng, "elements"), rng.choice((as_pool_2002, as_pool_2004)), ".xml"),
        "paths": lambda rng: Grid(*qrels_rows(rng, "paths"), as_pool_2006, ".xml"),
    },
    **{name: _named(encode, f".{name}", QRELS_KINDS, qrels_rows) for name, encode in TABULAR.items()},
}
"""The same for assessments."""


# ---- other files --------------------------------------------------------------------------------------------


def table(rng: Random, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> Grid:
    """Rows in one of the formats of named columns."""
    name = rng.choice(list(TABULAR))
    return Grid(list(names), [list(row) for row in rows], TABULAR[name], f".{name}")


def lengths(rng: Random) -> Grid:
    return table(rng, ("doc_id", "length"), [(doc, 40) for doc in DOCUMENTS])


def queries(rng: Random) -> Grid:
    return table(rng, ("query_id", "title", "description"), [(query, f"about {query}", "") for query in QUERIES])


def sliced_queries(rng: Random) -> Grid:
    rows = [(query, "wiki" if number % 2 else "law", number) for number, query in enumerate(QUERIES)]
    return table(rng, ("query_id", "corpus", "hops"), rows)


def routes(rng: Random) -> Grid:
    rows = [(doc, [rng.choice(PATHS) for _ in range(rng.randint(1, 4))]) for doc in DOCUMENTS]
    return Grid(["doc_id", "route"], [list(row) for row in rows], as_jsonl, ".jsonl")


def probabilities(rng: Random) -> Grid:
    return table(rng, ("from", "to", "probability"), [(PATHS[0], path, 0.5) for path in PATHS[1:4]])


def graph(rng: Random) -> bytes:
    by = rng.choice((None, "tag", "path"))
    steps = [{"from": "/article[1]/sec[1]", "to": "/article[1]", "weight": 2}]
    return encoded(
        json.dumps({"format": "partwise navigation", "version": 1, "by": by, "abandon": False, "steps": steps})
    )


CHUNKS = (
    ("a", "alpha beta"),
    ("a", "delta"),
    ("b", "honey"),
    ("s/c", "two three"),
    ("a", "epsilon"),
    ("b", "deep  text"),
)


def chunks(rng: Random) -> Grid:
    rows = [(rng.choice(QUERIES), doc, rank, 1.0 / rank, text) for rank, (doc, text) in enumerate(CHUNKS, 1)]
    return table(rng, ("query_id", "doc_id", "rank", "score", "text"), rng.sample(rows, rng.randint(1, len(rows))))


def scores(rng: Random, runs: Sequence[str] = ("r1", "r2", "r3")) -> Grid:
    rows = [
        (run, measure, query, round(rng.random(), 4))
        for run in runs
        for measure in ("iAP", "P@5")
        for query in (*QUERIES, "q3", "q4")
    ]
    if rng.random() < 0.15:
        rows = [row[1:] for row in rows if row[0] == runs[0]]
        return Grid(["measure", "query_id", "value"], [list(row) for row in rows], as_blanks, ".txt")
    return table(rng, ("run_id", "measure", "query_id", "value"), rows)


def documents_jsonl(rng: Random) -> Grid:
    field_name = rng.choice(("xml", "text", "markdown", "html"))
    return Grid(["doc_id", field_name], [list(item) for item in DOCUMENTS.items()], as_jsonl, ".jsonl")
