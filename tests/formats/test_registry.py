"""The list of formats, from which detection, suffixes, choices, errors and documentation are derived."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

import partwise as pw
from partwise import formats
from partwise.cli import main, parser
from partwise.formats import base, registry
from partwise.formats.base import Format, Limit
from partwise.formats.detect import detect
from partwise.formats.names import ASSESSMENT_COLUMNS, BEIR_GRADE, COLUMNS, QUERY_COLUMNS, RUN_COLUMNS
from partwise.formats.problems import Reader
from partwise.formats.registry import OURS
from partwise.formats.runs import runs_from_table
from partwise.formats.tables import table_from_dicts
from partwise.model import Run
from support.paths import ROOT

MARK = b"%results"


class Arrows(Format):
    """A format for tests: lines ``query -> document start end`` after a line that identifies it."""

    name = "arrows"
    title = "arrows"
    suffixes = (".arrows",)
    run_limits = (Limit(frozenset({base.PATHS, base.PATH_RANGES, base.TREES}), "arrows point at characters"),)

    def sniff(self, data: bytes, name: str) -> bool:
        return data.startswith(MARK)

    def read_runs(self, data: bytes, reader: Reader, name: str, by_tag: bool) -> list[Run]:
        rows = []
        for number, line in enumerate(data.decode().splitlines()[1:], 2):
            words = line.split()
            if len(words) != 5:
                reader.problem(number, f"has {len(words)} words", "write query -> document start end")
                continue
            rows.append({"query_id": words[0], "doc_id": words[2], "start": words[3], "end": words[4]})
        return runs_from_table(table_from_dicts(rows, reader), name)

    def write_runs(self, runs: Sequence[Run], path: str) -> bytes:
        [run] = runs
        spans = zip(run.query.values(), run.doc.values(), run.start.tolist(), run.end.tolist(), strict=True)
        return b"".join([MARK, b"\n", *(f"{q} -> {d} {start} {end}\n".encode() for q, d, start, end in spans)])


@pytest.fixture
def arrows() -> Format:
    """Registered for one test: tests leave the registries as they were."""
    assert registry.listed() == OURS
    return pw.register_format(Arrows())


RUN = "t1 -> d1 10 20\nt1 -> d2 0 5\n"
QRELS = {"t1": [("d1", 10, 30)]}


@pytest.mark.usefixtures("arrows")
def test_an_added_format_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(f"%results\n{RUN}")
    inex = tmp_path / "b.run"
    inex.write_text("t1 Q0 d1 1 2 x 10 10\nt1 Q0 d2 2 1 x 0 5\n")
    scores = pw.evaluate(QRELS, [path, inex], "TextP TextR").mean()
    assert scores["a"] == scores["b"]
    assert scores["a"]["TextR"] == 0.5
    path.write_text("%results\nt1 -> d1 10 20\nt1 -> d2\n")
    with pytest.raises(pw.PartwiseError, match=r"a\.txt:3: has 3 words; write query -> document start end"):
        pw.evaluate(QRELS, path, "TextP")


@pytest.mark.usefixtures("arrows")
def test_an_added_format_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inex, target = tmp_path / "b.run", tmp_path / "a.arrows"
    inex.write_text("t1 Q0 d1 1 2 x 10 10\nt1 Q0 d2 2 1 x 0 5\n")
    pw.convert(inex, target)
    assert target.read_text() == f"%results\n{RUN}"
    pw.convert(target, tmp_path / "c.jsonl")
    assert [run.start.tolist() for run in pw.read_runs(tmp_path / "c.jsonl")] == [[10, 0]]
    assert main(["convert", str(inex), str(tmp_path / "named"), "--to", "arrows"]) == 0
    assert (tmp_path / "named").read_text() == target.read_text()
    inex.write_text("t1 Q0 d1 1 2 x /a[1]\n")
    assert main(["convert", str(inex), str(target)]) == 2
    assert capsys.readouterr().err == f"{target}: arrows point at characters; {base.HOLDS_EVERYTHING}\n"
    qrels = tmp_path / "q.txt"
    qrels.write_text("t1 0 d1 1\n")
    assert main(["convert", str(qrels), str(target)]) == 2
    assert capsys.readouterr().err == f"{target}: arrows cannot be written; use another format\n"
    assert main(["evaluate", str(target), str(target), "-m", "TextP"]) == 2
    assert (
        capsys.readouterr().err
        == f"{target}: is arrows, which holds no assessments; give assessments in another format\n"
    )


@pytest.mark.usefixtures("arrows")
def test_an_added_format_is_listed(tmp_path: Path) -> None:
    assert registry.readable().endswith("JSON Lines, Parquet or arrows")
    assert registry.choices()[-1] == "arrows"
    (tmp_path / "e").write_text("")
    with pytest.raises(pw.PartwiseError, match="Parquet or arrows"):
        pw.read_runs(tmp_path / "e")
    with pytest.raises(pw.PartwiseError, match="the format arrows \\(\\.arrows\\) already exists"):
        pw.register_format(Arrows())


def test_a_removed_format_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "a.arrows").write_text(f"%results\n{RUN}")
    with pytest.raises(pw.PartwiseError, match="has 1 column; "):
        pw.read_runs(tmp_path / "a.arrows")
    with pytest.raises(pw.PartwiseError, match="use one of trec, inex, text, xml, csv, tsv, jsonl, parquet"):
        pw.write_assessments(
            formats.assessments_from(QRELS, unit="chars", lenient=False, notes=[]), tmp_path / "x.arrows"
        )


# ---- the list -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "name", "format"),
    [
        (b"PAR1...", "a.csv", "parquet"),
        (b"\n {}", "a.csv", "jsonl"),
        (b'{"x": [1, "query_id", 2]}', "a", "jsonl"),
        (b"<query_id>", "a.csv", "xml"),
        (b"query_id,doc_id", "a.tsv", "csv"),
        (b"query_id\tdoc_id", "a.csv", "tsv"),
        (b"query_id,x\tdoc_id", "a.tsv", "csv"),
        (b"doc_id", "a.run", "text"),
        (b"doc_id", "a.csv.gz", "csv"),
        (b"t Q0 d 1 2 r", "a.csv", "text"),
        (b"t Q0 d 1 2 r", "a.jsonl", "jsonl"),
        (b"t Q0 d 1 2 r", "a.ndjson", "jsonl"),
        (b"t Q0 d 1 2 r", "a.xml", "text"),
        (b"t Q0 d 1 2 r", "a.docx", "text"),
    ],
)
def test_detection(content: bytes, name: str, format: str) -> None:
    assert detect(content, name).name == format


def test_names_and_suffixes_are_unique() -> None:
    names = [format.name for format in OURS]
    suffixes = [suffix for format in OURS for suffix in format.suffixes]
    assert len(set(names)) == len(names)
    assert len(set(suffixes)) == len(suffixes)
    assert all(format.title for format in OURS)


@pytest.mark.parametrize("format", OURS, ids=lambda format: format.name)
def test_limits_and_their_remedies(format: Format) -> None:
    """The formats that the remedy of a limit recommends can hold the content."""
    for limit in (*format.run_limits, *format.assessment_limits):
        assert limit.what <= {*base.IN_RUNS, *base.IN_ASSESSMENTS}
        assert not limit.what & format.holds
        code, _, remedy = limit.text(count=2, names="'a', 'b'")
        assert code
        for suffix in re.findall(r"\.[a-z]+", remedy):
            other = registry.by_suffix(f"x{suffix}")
            assert other is not None
            if remedy == base.HOLDS_EVERYTHING:
                assert other.holds == {*base.IN_RUNS, *base.IN_ASSESSMENTS}
            assert limit.what <= other.holds, (limit, suffix)


def test_a_run_of_whole_documents_beside_one_of_paths(tmp_path: Path) -> None:
    """The limits apply to the run that is written, not to its file."""
    rows = [
        '{"query_id": "t", "doc_id": "d", "run_id": "a", "path": "/x"}',
        '{"query_id": "t", "doc_id": "d", "run_id": "b"}',
    ]
    (tmp_path / "both.jsonl").write_text("\n".join(rows))
    pw.convert(tmp_path / "both.jsonl", tmp_path / "b.run", run="b")
    assert (tmp_path / "b.run").read_text() == "t Q0 d 1 1.0 b\n"


def test_xml_holds_no_scores(tmp_path: Path) -> None:
    (tmp_path / "s.xml").write_text('<?xml version="1.0" encoding="UTF-8"?>\n<a/>\n')
    with pytest.raises(pw.PartwiseError, match=r"s\.xml: has no named columns; scores \(run_id, .*\) need them"):
        pw.read_scores(tmp_path / "s.xml")


def test_the_help_of_convert_names_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=r"^0$"):
        parser(["convert"]).parse_args(["convert", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "output format: trec, inex, xml, csv, tsv, jsonl, parquet (default: by the suffix of OUT)" in text
    assert registry.choices() == ("trec", "inex", "xml", "csv", "tsv", "jsonl", "parquet")


# ---- the documentation --------------------------------------------------------------------------------------

DOCUMENT = (ROOT / "docs" / "formats.md").read_text()


SHOWN = [format for format in OURS if not format.forms and format.holds and format is not registry.TSV]
"""The formats with a column in the table: those that are written; TSV shares that of CSV."""


@pytest.mark.parametrize("things", [base.IN_RUNS, base.IN_ASSESSMENTS], ids=["runs", "assessments"])
def test_what_formats_hold_is_documented(things: Sequence[str]) -> None:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in DOCUMENT.splitlines() if line[:1] == "|"]
    header = next(row for row in rows if row[1:] and "CSV, TSV" in row)
    assert header[1:] == ["CSV, TSV" if format is registry.CSV else format.title for format in SHOWN]
    for thing in things:
        [row] = [row for row in rows if row[0] == thing]
        assert row[1:] == ["✓" if thing in format.holds else "" for format in SHOWN], thing


def test_csv_and_tsv_hold_the_same_content() -> None:
    assert registry.CSV.holds == registry.TSV.holds


def test_suffixes_are_documented() -> None:
    [listed] = re.findall(r"as the suffix of OUT says \(`([^`]+)`", DOCUMENT)
    written = [suffix for format in OURS for suffix in format.suffixes]
    assert set(listed.split()) <= set(written)
    for format in OURS:
        assert not format.suffixes or set(format.suffixes) & set(listed.split())


def test_columns_are_documented() -> None:
    quoted = set(re.findall(r"`([a-z_]+)`", DOCUMENT))
    assert {*RUN_COLUMNS, *ASSESSMENT_COLUMNS} <= quoted
    assert {*RUN_COLUMNS, *ASSESSMENT_COLUMNS} | {"text", "title", "description"} == set(COLUMNS)
    assert set(QUERY_COLUMNS) == {"query_id", *COLUMNS["title"].names, *COLUMNS["description"].names}


def test_aliases_are_documented() -> None:
    """The table of the names that other tools use is that of the code."""
    documented = {}
    for ours, theirs in re.findall(
        r"^\| `([a-z_]+)` \| (`.*`) \|$", DOCUMENT.partition("### Names of other tools")[2], re.M
    ):
        documented[ours] = tuple(re.findall(r"`([a-z_-]+)`", theirs))
    expected = {name: column.also for name, column in COLUMNS.items() if column.also and name != "description"}
    assert documented == {**expected, "grade": (*expected["grade"], BEIR_GRADE)}


def test_the_example_of_contributing(tmp_path: Path) -> None:
    """The format in CONTRIBUTING.md reads and writes, and is short."""
    [example] = re.findall(
        r"## Adding a format\n.*?```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL
    )
    assert sum(bool(line) for line in example.splitlines()) <= 15
    namespace: dict[str, object] = {}
    exec(example, namespace)
    format = namespace["BARS"]
    assert isinstance(format, Format)
    pw.register_format(format)
    (tmp_path / "a.run").write_text("t1 Q0 d1 1 2 b 10 10\nt1 Q0 d2 2 1 b 0 5\n")
    pw.convert(tmp_path / "a.run", tmp_path / f"b{format.suffixes[0]}")
    both = pw.evaluate(QRELS, [tmp_path / "a.run", tmp_path / f"b{format.suffixes[0]}"], "TextP TextR").mean()
    assert both["a"] == both["b"]
    assert both["a"]["TextR"] == 0.5
