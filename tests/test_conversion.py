"""Every format gives back what was written, or refuses it with an error line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import partwise as pw
from oracles.worlds import World, worlds
from partwise import formats
from partwise.cli import main
from partwise.formats.assessments import assessment_rows
from partwise.formats.ranks import as_ranked, places
from partwise.formats.runs import run_rows
from support.inex import DOCUMENT, OF_2004, OF_2006, PASSAGE_RUN, pools

FOL_RUN = "t1 Q0 d1 1 0.9 tag 10 5\nt1 Q0 d2 2 0.8 tag 0 7\nt2 Q0 d1 1 0.7 tag 3 0\n"
FOL_QRELS = "t1 Q0 d1 8 100 10 10:5 30:3\nt1 Q0 d2 0 50 -1\nt2 Q0 d1 4 100 3 3:4\n"


def convert(*arguments: Any) -> int:
    return main(["convert", *map(str, arguments)])


def by_query(run: pw.Run) -> dict[str, list[dict[str, Any]]]:
    """The rows of each query in file order, the only order that files grouped by query keep."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in run_rows(run):
        rows.setdefault(row["query_id"], []).append({name: cell for name, cell in row.items() if cell is not None})
    return rows


def in_order(assessments: pw.Assessments) -> list[tuple[tuple[str, Any], ...]]:
    return sorted(tuple(sorted(row.items())) for row in assessment_rows(assessments))


# ---- random runs and assessments through every format -------------------------------------------------------

PATHS = st.sampled_from(["/a[1]", "/a[1]/p[2]", "/a[1]/p[2]/text()[1].3", "/a[1]/sec[10]/p[1]"])
NAMES = st.sampled_from(["d", "co/2001/r7022", "b\u00e9 <&> \"'", "with blank", "7"])
SPAN = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda pair: {"start": min(pair), "end": max(pair)})
RANGE = st.tuples(PATHS, PATHS).map(" ".join)
SINGLE = [st.just({}), SPAN, PATHS.map(lambda path: {"path": path}), RANGE.map(lambda path: {"path": path})]
SEVERAL = [
    st.lists(st.tuples(st.integers(0, 9), st.integers(10, 20)).map(list), min_size=2, max_size=3).map(
        lambda spans: {"spans": spans}
    ),
    st.lists(PATHS, min_size=2, max_size=3).map(lambda paths: {"paths": paths}),
    st.lists(RANGE, min_size=2, max_size=2).map(lambda paths: {"paths": paths}),
]
MIXED = st.one_of(*SINGLE, *SEVERAL)


@st.composite
def runs(draw: st.DrawFn, kinds: list[st.SearchStrategy[Any]], names: st.SearchStrategy[str] = NAMES) -> pw.Run:
    """A run of one of these kinds of parts, with ranks, scores, both or neither."""
    with_rank, with_score = draw(st.booleans()), draw(st.booleans())
    parts = draw(st.sampled_from(kinds))
    rows = []
    for place in range(draw(st.integers(1, 6))):
        row = {"query_id": draw(names), "doc_id": draw(names), **draw(parts)}
        if with_rank:
            row["rank"] = place + 1
        if with_score:
            row["score"] = draw(st.floats(allow_nan=False))
        rows.append(row)
    [run] = formats.objects.runs_from_object(rows, "a run", "chars", False, [])
    return run


@given(run=runs([MIXED, *SINGLE, *SEVERAL]))
def test_random_runs_come_back_or_are_refused(tmp_path_factory: pytest.TempPathFactory, run: pw.Run) -> None:
    folder = tmp_path_factory.mktemp("runs")
    for suffix in ("csv", "tsv.gz", "jsonl", "parquet", "xml", "xml.xz"):
        path = folder / f"a.{suffix}"
        parts = run.paths.of_row if run.paths is not None else lambda _: []
        ranges = [[last for _, last in parts(row)] for row in range(len(run))]
        if suffix in ("csv", "tsv.gz") and any(len(row) > 1 and any(row) for row in ranges):
            with pytest.raises(pw.PartwiseError, match="CSV and TSV hold one range of paths per result"):
                pw.write_run(run, path)
            assert not path.exists()
            continue
        pw.write_run(run, path)
        [again] = formats.read_runs(path, by_tag=True)
        assert again.run_id == "a run"
        assert by_query(again) == by_query(run)


@given(run=runs(SINGLE, st.sampled_from(["d", "co/2001/r7022", "b\u00e9<&>"])))
def test_random_runs_in_text_columns(tmp_path_factory: pytest.TempPathFactory, run: pw.Run) -> None:
    """Text columns add missing ranks and scores, and keep the order and the parts."""
    path = tmp_path_factory.mktemp("runs") / "a.run"
    pw.write_run(formats.replace(run, run_id="tag"), path)
    again = as_ranked(pw.read_runs(path)[0])
    assert by_query(again).keys() == by_query(run).keys()
    for query, rows in by_query(again).items():
        by_place = np.argsort(places(again)[again.query.codes == again.query.names.index(query)], kind="stable")
        expected = by_query(run)[query]
        order = np.argsort(places(run)[run.query.codes == run.query.names.index(query)], kind="stable")
        for at, of in zip(by_place.tolist(), order.tolist(), strict=True):
            for name in ("doc_id", "start", "end", "path"):
                assert rows[at].get(name) == expected[of].get(name)


def grades(scale: str) -> st.SearchStrategy[tuple[float, float]]:
    if scale == "four-point":
        return st.tuples(st.sampled_from([0.0, 1.0, 2.0, 3.0]), st.sampled_from([0.0, 1.0, 2.0, 3.0]))
    size = st.integers(1, 30_000)
    return st.tuples(
        st.sampled_from([0.0, 1.0, 2.0]), size.flatmap(lambda whole: st.integers(0, whole).map(lambda n: n / whole))
    )


@st.composite
def assessed(draw: st.DrawFn) -> pw.Assessments:
    """Assessments like those of INEX: several queries and pools, grades, passages between pointers, entry points."""
    scale = draw(st.sampled_from(["four-point", "inex2005"]))
    rows: list[dict[str, Any]] = []
    for query in draw(st.lists(st.sampled_from(["163", "b<\u00e9>", '"&"']), min_size=1, max_size=3, unique=True)):
        for assessor in draw(st.lists(st.sampled_from(["", "ann", "b 7"]), min_size=1, unique=True)):
            for doc in draw(st.lists(NAMES, min_size=1, max_size=3, unique=True)):
                common = {"query_id": query, "doc_id": doc, "assessor": assessor, "scale": scale}
                if scale == "inex2005" and draw(st.booleans()):
                    common["bep_path"] = draw(PATHS)
                parts: list[dict[str, Any]] = []
                for path in draw(st.lists(PATHS, unique=True)):
                    e, s = draw(grades(scale))
                    parts.append({"path": path, "exhaustivity": e, "specificity": s})
                if scale == "inex2005":
                    between = draw(st.lists(st.tuples(PATHS, PATHS), unique=True, max_size=2))
                    parts += [{"start_path": first, "end_path": last} for first, last in between]
                rows += [{**common, **part} for part in parts] or [common]
    return formats.assessments_from(rows, unit="chars", lenient=False, notes=[])


@given(assessments=assessed())
def test_random_assessments_come_back(tmp_path_factory: pytest.TempPathFactory, assessments: pw.Assessments) -> None:
    folder = tmp_path_factory.mktemp("assessments")
    for suffix in ("csv", "tsv", "jsonl.gz", "parquet", "zip"):
        pw.write_assessments(assessments, folder / f"q.{suffix}")
        again = pw.read_assessments(folder / f"q.{suffix}")
        is_graded = len(assessments.elements.lines) > 0  # INEX XML declares no scale: the grades imply it
        expected = assessments if is_graded or suffix != "zip" else formats.replace(assessments, scale=None)
        assert in_order(again) == in_order(expected)
    documents = assessments.documents
    pairs = set(zip(documents.query.tolist(), documents.assessor.tolist(), strict=True))
    if len(pairs) == 1:
        pw.write_assessments(assessments, folder / "q.xml.bz2")
        assert in_order(pw.read_assessments(folder / "q.xml.bz2")) == in_order(again)
    else:
        with pytest.raises(pw.PartwiseError, match="an INEX XML file holds one topic and assessor, but there are"):
            pw.write_assessments(assessments, folder / "q.xml")
        assert not (folder / "q.xml").exists()


@given(world=worlds())
def test_converted_worlds_score_the_same(tmp_path_factory: pytest.TempPathFactory, world: World) -> None:
    """A run that is converted from format to format keeps its scores to the last bit."""
    folder = tmp_path_factory.mktemp("worlds")
    [run] = formats.objects.runs_from_object(world.run(), "r", "chars", False, [])
    assume(len(run) and len(pw.Evaluator(world.qrels(), "P@1").evaluation.judgements.passage_start))
    expected = pw.evaluate(world.qrels(), {"r": world.run()}, "iAP TextAP AgP Redundancy@3").per_query()["r"]
    pw.write_run(run, folder / "r.jsonl")
    for source, target in (("jsonl", "xml"), ("xml", "parquet"), ("parquet", "csv.gz"), ("csv.gz", "xml.zst")):
        pw.convert(folder / f"r.{source}", folder / f"r.{target}", kind="run")
        scores = pw.evaluate(world.qrels(), folder / f"r.{target}", "iAP TextAP AgP Redundancy@3", run_id="tag")
        assert scores.per_query()["r"] == expected


# ---- nothing is written that is read back as something else ---------------------------------------------------

NASTY = st.text(
    st.sampled_from(
        list("aZ7.,;:#-_/\\'\"<>&[]{}() \t\r\n\0\x01\x0b\x1b\x1c\x7f\x85\xa0é\u2028\u3000\ufeff\U0001f600")
    ),
    min_size=1,
    max_size=4,
) | st.sampled_from(
    ["nan", "None", "null", "query_id", "1e5", "0", "-1", "+5", "007", "1.0", "Q0", "all", "runid", " ", "#"]
)
NUMBERS_OF_RESULTS = st.sampled_from([0, 1, 2, 7, 10**9, 2**31, 2**40])
SCORES = st.sampled_from([0.0, -0.0, 1.0, 0.5, 1e308, -1e308, 5e-324, 16777217.0, 16777216.0, np.inf, -np.inf, 0.1])
NASTY_PATHS = NASTY.map(lambda name: "/" + "".join(name.split())) | PATHS
NASTY_PARTS = [
    st.just({}),
    SPAN,
    st.just({"start": 2**40, "end": 2**40}),
    NASTY_PATHS.map(lambda path: {"path": path}),
    st.tuples(NASTY_PATHS, NASTY_PATHS).map(lambda pair: {"path": " ".join(pair)}),
    st.lists(NASTY_PATHS, min_size=1, max_size=3).map(lambda paths: {"paths": paths}),
    st.lists(st.tuples(st.integers(0, 9), st.integers(9, 20)).map(list), min_size=1, max_size=3).map(
        lambda spans: {"spans": spans}
    ),
]


@st.composite
def nasty_runs(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Rows of one or two runs with names, numbers and parts that some format changes."""
    usual = st.sampled_from(["q", "d", "r"])
    query, doc, tag = (draw(st.sampled_from([NASTY, usual, usual])) for _ in range(3))
    parts = draw(st.sampled_from([*NASTY_PARTS, st.one_of(*NASTY_PARTS)]))
    with_rank, with_score = draw(st.booleans()), draw(st.booleans())
    run_ids = draw(st.lists(tag, min_size=1, max_size=2))
    rows = []
    for _ in range(draw(st.integers(1, 4))):
        row = {"query_id": draw(query), "doc_id": draw(doc), "run_id": draw(st.sampled_from(run_ids)), **draw(parts)}
        row |= {"rank": draw(NUMBERS_OF_RESULTS)} if with_rank else {}
        row |= {"score": draw(SCORES)} if with_score else {}
        rows.append(row)
    return rows


def meaning(run: pw.Run) -> Any:
    """What a run says: per query, the documents and parts in the order of scoring."""
    run = as_ranked(run)
    order = np.lexsort((places(run), run.query.codes)).tolist()
    rows = run_rows(run)
    found: dict[str, list[Any]] = {}
    for row in order:
        part = {name: rows[row][name] for name in ("start", "end", "spans", "path", "paths") if name in rows[row]}
        spans = [list(map(int, pair)) for pair in part.pop("spans", [])]
        if "start" in part:
            spans = [[part.pop("start"), part.pop("end")]]
        paths = part.pop("paths", [])
        if "path" in part:
            paths = [part.pop("path")]
        found.setdefault(rows[row]["query_id"], []).append((rows[row]["doc_id"], spans, paths))
    return run.run_id, found


def converted(source: Path, target: Path, to: str, kind: str) -> bool:
    """Whether the file was converted; if not, nothing was written, and the error is one line that names the file."""
    try:
        pw.convert(source, target, to=to, kind=kind)
    except pw.PartwiseError as error:
        message = str(error)
        assert message.startswith(f"{target}: "), message
        assert "\n" not in message
        assert not target.exists()
        return False
    return True


@given(rows=nasty_runs(), first=st.sampled_from(formats.choices()), second=st.sampled_from(formats.choices()))
def test_runs_are_read_back_as_written(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]], first: str, second: str
) -> None:
    folder = tmp_path_factory.mktemp("pairs")
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    try:
        expected = list(map(meaning, formats.read_runs(folder / "a.jsonl", by_tag=True)))
    except pw.PartwiseError:
        assume(False)
    if converted(folder / "a.jsonl", folder / "b", first, "run"):
        assert list(map(meaning, formats.read_runs(folder / "b", by_tag=True))) == expected
        if converted(folder / "b", folder / "c", second, "run"):
            assert list(map(meaning, formats.read_runs(folder / "c", by_tag=True))) == expected


@st.composite
def nasty_assessments(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Rows of assessments with names, numbers and parts that some format changes."""
    usual = st.sampled_from(["q", "d", "r"])
    query, doc, assessor = (draw(st.sampled_from([NASTY, usual, usual])) for _ in range(3))
    passages = SPAN | st.just({"start": 2**40, "end": 2**40})
    graded = st.tuples(st.sampled_from([0.0, 1.0, 2.0, 3.0, 0.5, 1e308]), st.sampled_from([0.0, 1.0, 0.25, 3.0]))
    elements = st.tuples(NASTY_PATHS, graded).map(
        lambda pair: {"path": pair[0], "exhaustivity": pair[1][0], "specificity": pair[1][1]}
    )
    between = st.tuples(NASTY_PATHS, NASTY_PATHS).map(lambda pair: {"start_path": pair[0], "end_path": pair[1]})
    trees = st.lists(NASTY_PATHS, min_size=1, max_size=3).map(lambda paths: {"paths": paths})
    kinds = [st.just({}), passages, elements, between, trees]
    parts = draw(st.sampled_from([*kinds, st.one_of(*kinds)]))
    common: dict[str, Any] = {}
    if draw(st.booleans()):
        common["length"] = draw(st.sampled_from([0, 9, 100, 2**40]))
    if draw(st.booleans()):
        common["bep"] = draw(st.sampled_from([0, 5, 2**40]))
    elif draw(st.booleans()):
        common["bep_path"] = draw(NASTY_PATHS)
    with_grade, with_assessor = draw(st.booleans()), draw(st.booleans())
    if draw(st.booleans()):
        common["scale"] = draw(st.sampled_from(["four-point", "inex2005", "unit"]))
    rows = []
    for _ in range(draw(st.integers(1, 4))):
        row = {"query_id": draw(query), "doc_id": draw(doc), **common, **draw(parts)}
        row |= {"grade": draw(st.sampled_from([-1, 0, 1, 10**6]))} if with_grade else {}
        row |= {"assessor": draw(assessor)} if with_assessor else {}
        rows.append(row)
    return rows


def judged(assessments: pw.Assessments, dropped: frozenset[str] = frozenset()) -> Any:
    """What assessments say, as sorted rows; without the columns that a format does not hold and says so."""
    rows = [{name: cell for name, cell in row.items() if name not in dropped} for row in assessment_rows(assessments)]
    return sorted(sorted((name, str(cell)) for name, cell in row.items()) for row in rows)


DROPPED = {"trec": frozenset({"length", "bep", "assessor", "scale"}), "inex": frozenset({"assessor", "scale"})}
"""Columns that blank-separated formats leave out, as docs/formats.md says."""


@given(rows=nasty_assessments(), first=st.sampled_from(formats.choices()), second=st.sampled_from(formats.choices()))
def test_assessments_are_read_back_as_written(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]], first: str, second: str
) -> None:
    folder = tmp_path_factory.mktemp("pairs")
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    try:
        expected = pw.read_assessments(folder / "a.jsonl")
    except pw.PartwiseError:
        assume(False)
    dropped = DROPPED.get(first, frozenset())
    if converted(folder / "a.jsonl", folder / "b", first, "assessments"):
        between = pw.read_assessments(folder / "b")
        if first == "xml" and not len(expected.elements.lines):
            expected = formats.replace(expected, scale=None)  # INEX XML declares no scale: the grades imply it
        assert judged(between, dropped) == judged(expected, dropped)
        if converted(folder / "b", folder / "c", second, "assessments"):
            dropped |= DROPPED.get(second, frozenset())
            if second == "xml" and not len(between.elements.lines):
                between = formats.replace(between, scale=None)
            assert judged(pw.read_assessments(folder / "c"), dropped) == judged(between, dropped)


# ---- the command --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "suffix", ["xml", "csv", "tsv", "jsonl", "parquet", "xml.gz", "csv.bz2", "jsonl.zst", "run.xz"]
)
def test_runs_back_and_forth(tmp_path: Path, suffix: str) -> None:
    (tmp_path / "a.run").write_text(FOL_RUN)
    assert convert(tmp_path / "a.run", tmp_path / f"b.{suffix}") == 0
    assert convert(tmp_path / f"b.{suffix}", tmp_path / "c.run") == 0
    assert (tmp_path / "c.run").read_text() == FOL_RUN


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet", "txt.gz"])
def test_assessments_back_and_forth(tmp_path: Path, suffix: str) -> None:
    for name, content in (("q.txt", FOL_QRELS), ("g.txt", "t1 0 d1 2\nt1 0 d2 0\n")):
        (tmp_path / name).write_text(content)
        assert convert(tmp_path / name, tmp_path / f"b.{suffix}") == 0
        assert convert(tmp_path / f"b.{suffix}", tmp_path / "c.txt") == 0
        assert (tmp_path / "c.txt").read_text() == content


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_a_passage_twice_in_fol(tmp_path: Path, suffix: str) -> None:
    """FOL may repeat a passage, which counts once; named columns may not, so it is written once."""
    (tmp_path / "q.txt").write_text("t1 Q0 d1 8 100 10 10:5 10:5 12:6\n")
    assert convert(tmp_path / "q.txt", tmp_path / f"b.{suffix}") == 0
    rows = assessment_rows(pw.read_assessments(tmp_path / f"b.{suffix}"))
    assert [(row["start"], row["end"]) for row in rows] == [(10, 15), (12, 18)]
    run = {"t1": [("d1", 0, 12)]}
    before, after = (
        pw.evaluate(tmp_path / name, run, "TextP@1 TextR@1").per_query() for name in ("q.txt", f"b.{suffix}")
    )
    assert before == after


@pytest.mark.parametrize("content", [OF_2004, OF_2006.format(pool=35, topic=7)], ids=["2004", "2006"])
@pytest.mark.parametrize("suffix", ["csv", "jsonl.gz", "parquet", "zip", "xml.gz"])
def test_xml_assessments_back_and_forth(tmp_path: Path, content: str, suffix: str) -> None:
    (tmp_path / "q.xml").write_text(content)
    assert convert(tmp_path / "q.xml", tmp_path / f"b.{suffix}") == 0
    assert convert(tmp_path / f"b.{suffix}", tmp_path / "c.xml") == 0
    assert in_order(pw.read_assessments(tmp_path / "c.xml")) == in_order(pw.read_assessments(tmp_path / "q.xml"))


def test_a_written_submission(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text(
        "7 Q0 co/1 1 0.5 ours /a[1]/p[1]\n7 Q0 co/1 2 0.25 ours /a[1]/p[2]\n8 Q0 x 1 1 ours /a\n"
    )
    assert convert(tmp_path / "a.run", tmp_path / "a.xml") == 0
    assert (tmp_path / "a.xml").read_text() == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<inex-submission run-id="ours">\n'
        '  <topic topic-id="7">\n'
        "    <result><file>co/1</file><path>/a[1]/p[1]</path><rank>1</rank><rsv>0.5</rsv></result>\n"
        "    <result><file>co/1</file><path>/a[1]/p[2]</path><rank>2</rank><rsv>0.25</rsv></result>\n"
        "  </topic>\n"
        '  <topic topic-id="8">\n'
        "    <result><file>x</file><path>/a</path><rank>1</rank><rsv>1.0</rsv></result>\n"
        "  </topic>\n"
        "</inex-submission>\n"
    )


def test_six_columns_keep_their_order_in_xml(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("t Q0 b 1 1.0 x\nt Q0 a 2 9.0 x\nt Q0 c 3 1.0 x\n")
    assert convert(tmp_path / "a.run", tmp_path / "a.xml") == 0
    [run] = pw.read_runs(tmp_path / "a.xml")
    assert run.rank is not None
    assert list(zip(run.doc.values(), run.rank.tolist(), strict=True)) == [("a", 1), ("c", 2), ("b", 2)]


TREES = dict.fromkeys("abcd", "<a><b>text</b> and more</a>")
GRADED = [
    {"query_id": query, "doc_id": doc, "path": path, "exhaustivity": 3, "specificity": 3, "scale": "four-point"}
    for query in "12"
    for doc, path in (("a", "/a[1]"), ("c", "/a[1]/b[1]"))
]
PLACED = [st.just({}), SPAN, st.sampled_from(["/a[1]", "/a[1]/b[1]"]).map(lambda path: {"path": path})]


@st.composite
def ordered(draw: st.DrawFn) -> list[dict[str, Any]]:
    """A run with queries ordered in different ways: by rank, by score, by both in conflict, or in file order."""
    parts = draw(st.sampled_from(PLACED))
    rows = []
    for query in "12":
        numbers = draw(st.sampled_from([(), ("rank",), ("score",), ("rank", "score")]))
        for _ in range(draw(st.integers(1, 4))):
            row = {"query_id": query, "doc_id": draw(st.sampled_from("abcd")), **draw(parts)}
            rows.append({**row, **{name: draw(st.sampled_from([1, 2, 3])) for name in numbers}})
    return rows


@given(rows=ordered(), spans=st.booleans())
def test_scores_are_the_same_in_every_format(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]], spans: bool
) -> None:
    folder = tmp_path_factory.mktemp("runs")
    evaluator = pw.Evaluator(GRADED, ["P@2", "AP", "Precall@0.5", "inexAP"], collection=TREES)

    def scored(run: Any) -> Any:
        return next(iter(evaluator.evaluate(run).per_query().values()))

    [run] = formats.objects.runs_from_object(rows, "r", "chars", False, [])
    pw.write_run(run, folder / "a.jsonl")
    expected = scored(folder / "a.jsonl")
    assert expected == scored(rows)
    for name in ("b.run", "b.csv", "b.tsv.gz", "b.parquet", "b.xml", "b.jsonl.xz"):
        pw.convert(folder / "a.jsonl", folder / name, kind="run", spans=spans, collection=TREES if spans else None)
        values = scored(folder / name)
        if name == "b.run" and not spans and not any(key in rows[0] for key in ("path", "start")):
            # TREC columns order ties by document: the order is kept, a tie in another order is not.
            assert [values[measure] for measure in ("P@2", "AP")] == [expected[measure] for measure in ("P@2", "AP")]
        else:
            assert values == expected


def test_six_columns_keep_their_ties(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("1 Q0 b 1 1 x\n1 Q0 a 2 1 x\n1 Q0 c 3 1 x\n1 Q0 d 3 9 x\n")
    [expected] = pw.evaluate(GRADED, tmp_path / "a.run", "Precall@0.5 inexAP", collection=TREES).mean().values()
    for name in ("b.jsonl", "b.csv", "b.xml", "b.run"):
        pw.convert(tmp_path / "a.run", tmp_path / name, collection=TREES, spans=name == "b.run")
        assert [expected] == list(
            pw.evaluate(GRADED, tmp_path / name, "Precall@0.5 inexAP", collection=TREES).mean().values()
        )


def test_six_columns_in_spans_go_by_score(tmp_path: Path) -> None:
    """The rank column of six columns is ignored, so it must not order the eight columns written from them."""
    (tmp_path / "a.run").write_text("t Q0 b 1 1.0 x\nt Q0 a 2 9.0 x\n")
    pw.convert(tmp_path / "a.run", tmp_path / "b.run", collection=TREES, spans=True)
    assert (tmp_path / "b.run").read_text() == "t Q0 a 1 9.0 x 0 13\nt Q0 b 2 1.0 x 0 13\n"


def test_a_query_without_an_order_is_refused(tmp_path: Path) -> None:
    rows = [{"query_id": "t", "doc_id": "a", "rank": 1}, {"query_id": "t", "doc_id": "b"}]
    [run] = formats.objects.runs_from_object(rows, "r", "chars", False, [])
    with pytest.raises(pw.PartwiseError) as error:
        pw.write_run(run, tmp_path / "a.run")
    assert str(error.value) == (
        "r, row 2: has no rank, but other results of query t have one; "
        "give every result of a query a rank, or every one a score"
    )
    assert not list(tmp_path.iterdir())


def test_passages_of_the_same_characters_are_written_once(tmp_path: Path) -> None:
    (tmp_path / "q.xml").write_text(
        '<assessments topic="1"><file name="a"><passage start="/a[1]/b[1]" end="/a[1]/b[1]"/>\n'
        '<passage start="/a[1]/b[1]/text()[1].0" end="/a[1]/b[1]/text()[1].4"/></file></assessments>'
    )
    for name in ("q.jsonl", "q.txt"):
        pw.convert(tmp_path / "q.xml", tmp_path / name, spans=True, collection=TREES)
        assessments = pw.read_assessments(tmp_path / name)
        assert (assessments.spans.start.tolist(), assessments.spans.end.tolist()) == ([0], [4])


def test_written_assessments(tmp_path: Path) -> None:
    (tmp_path / "q.xml").write_text(OF_2006.format(pool=35, topic=7))
    assert convert(tmp_path / "q.xml", tmp_path / "c.xml") == 0
    bep = "/article[1]/bdy[1]/p[1]/text()[1].6"
    assert (tmp_path / "c.xml").read_text() == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<assessments pool="35" topic="7">\n'
        '  <file name="d">\n'
        f'    <best-entry-point path="{bep}"/>\n'
        f'    <passage start="{bep}" end="/article[1]/bdy[1]/p[2]/text()[1].5"/>\n'
        '    <element path="/article[1]" exhaustivity="2" size="25" rsize="9"/>\n'
        '    <element path="/article[1]/bdy[1]" exhaustivity="2" size="25" rsize="9"/>\n'
        '    <element path="/article[1]/bdy[1]/p[1]" exhaustivity="2" size="5" rsize="2"/>\n'
        '    <element path="/article[1]/bdy[1]/p[2]" exhaustivity="?" size="3" rsize="1"/>\n'
        "  </file>\n"
        '  <file name="e">\n'
        "  </file>\n"
        "</assessments>\n"
    )


def documents(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    for name in "de":
        (tmp_path / "docs" / f"{name}.xml").write_text(DOCUMENT)
    return tmp_path / "docs"


def test_paths_to_characters(tmp_path: Path) -> None:
    docs = documents(tmp_path)
    (tmp_path / "a.xml").write_text(PASSAGE_RUN)
    assert convert(tmp_path / "a.xml", tmp_path / "a.run", "--spans", "--collection", docs) == 0
    assert (tmp_path / "a.run").read_text() == "7 Q0 d 1 2.0 ours 0 8\n7 Q0 d 2 1.0 ours 10 15\n"
    (tmp_path / "q.xml").write_text(OF_2006.format(pool=35, topic=7))
    assert convert(tmp_path / "q.xml", tmp_path / "q.txt", "--spans", "--collection", docs, "--no-grades") == 0
    assert (tmp_path / "q.txt").read_text() == "7 Q0 d 9 25 6 6:9\n7 Q0 e 0 25 -1\n"
    before = pw.evaluate(tmp_path / "q.xml", tmp_path / "a.xml", "iAP AgP(score=BEP)", collection=docs)
    after = pw.evaluate(tmp_path / "q.txt", tmp_path / "a.run", "iAP AgP(score=BEP)")
    assert after.mean() == before.mean()


def test_bytes_and_whole_documents_to_characters(tmp_path: Path) -> None:
    docs = {"d": "\u00e9\u00e9xx", "e": "xyz"}
    rows = [
        {"query_id": "t", "doc_id": "d", "start": 2, "end": 5}, {"query_id": "t", "doc_id": "e"},
        {"query_id": "t", "doc_id": "d", "path": "/document[1]/p[1]"},
    ]  # fmt: skip
    pw.write_run(formats.objects.runs_from_object(rows, "r", "chars", False, [])[0], tmp_path / "a.jsonl")
    notes = pw.convert(tmp_path / "a.jsonl", tmp_path / "a.csv", collection=docs, spans=True, unit="bytes")
    assert notes == [
        f"{tmp_path / 'a.jsonl'}: has neither rank nor score, so results are in the order of its rows",
        f"{tmp_path / 'a.jsonl'}: 1 of 3 results gives no place and counts as a whole document: line 2",
    ]
    assert (tmp_path / "a.csv").read_text() == ("query_id,doc_id,run_id,start,end\nt,d,r,1,3\nt,e,r,0,3\nt,d,r,0,4\n")
    judged = [{"query_id": "t", "doc_id": "d", "length": 6, "bep": 4, "start": 2, "end": 5}]
    assessments = formats.assessments_from(judged, unit="chars", lenient=False, notes=[])
    pw.write_assessments(assessments, tmp_path / "q.jsonl")
    pw.convert(tmp_path / "q.jsonl", tmp_path / "q.txt", collection=docs, spans=True, unit="bytes")
    assert (tmp_path / "q.txt").read_text() == "t Q0 d 2 4 2 1:2\n"


def test_a_folder_of_pools(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = pools(tmp_path / "q")
    docs = documents(tmp_path)
    for target in ("q.jsonl", "q.zip"):
        assert convert(folder, tmp_path / target) == 0
        assert in_order(pw.read_assessments(tmp_path / target)) == in_order(pw.read_assessments(folder))
    assert list(pw.read_assessments(tmp_path / "q.zip").assessors) == ["2", "3", "1"]
    options = ["--spans", "--collection", docs, "--no-grades"]
    assert convert(folder, tmp_path / "q.txt", *options) == 2
    assert capsys.readouterr().err == (
        f"{tmp_path}/q.txt: text columns hold one assessor per query; "
        "choose one with --assessor NAME, or write .jsonl or .parquet\n"
    )
    assert not (tmp_path / "q.txt").exists()
    assert convert(folder, tmp_path / "q.txt", *options, "--assessor", "1") == 0
    assert (tmp_path / "q.txt").read_text() == (
        "8 Q0 d 9 25 6 6:9\n8 Q0 e 0 25 -1\n7 Q0 d 7 25 6 6:7\n7 Q0 e 0 25 -1\n"
    )


def test_several_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.csv").write_text("query_id,doc_id,run_id,start,end\nt,d,x,1,2\nt,d,y,3,4\n")
    assert convert(tmp_path / "a.csv", tmp_path / "a.parquet") == 0
    assert [run.run_id for run in pw.read_runs(tmp_path / "a.parquet")] == ["x", "y"]
    for name in ("a.run", "a.xml"):
        assert convert(tmp_path / "a.csv", tmp_path / name) == 2
        assert capsys.readouterr().err == (
            f"{tmp_path}/{name}: holds one run, but there are 2 ('x', 'y'); choose one with --run NAME, "
            "or write .jsonl, .csv or .parquet, which hold several\n"
        )
        assert not (tmp_path / name).exists()
    assert convert(tmp_path / "a.csv", tmp_path / "a.run", "--run", "y") == 0
    assert (tmp_path / "a.run").read_text() == "t Q0 d 1 1.0 y 3 1\n"


def test_names_of_runs(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text(FOL_RUN)
    for option, name in (("tag", "tag"), ("stem", "a")):
        assert convert(tmp_path / "a.run", tmp_path / "b.jsonl", "--run-id", option) == 0
        assert pw.read_runs(tmp_path / "b.jsonl")[0].run_id == name


TD = {"query_id": "t", "doc_id": "d"}
TEXT_OF_7 = "/article[1]/bdy[1]/p[1]/text()[1]"
FOUR_POINT = {"query_id": "163", "doc_id": "co/2001/r7022", "scale": "four-point"}

# content: its rows as a run, as assessments or, if it may be either, as both
KINDS: dict[str, dict[str, list[dict[str, Any]]]] = {
    FOL_RUN: {
        "run": [
            {"query_id": "t1", "doc_id": "d1", "rank": 1, "score": 0.9, "run_id": "tag", "start": 10, "end": 15},
            {"query_id": "t1", "doc_id": "d2", "rank": 2, "score": 0.8, "run_id": "tag", "start": 0, "end": 7},
            {"query_id": "t2", "doc_id": "d1", "rank": 1, "score": 0.7, "run_id": "tag", "start": 3, "end": 3},
        ]
    },
    FOL_QRELS: {
        "assessments": [
            {"query_id": "t1", "doc_id": "d1", "start": 10, "end": 15, "bep": 10, "length": 100},
            {"query_id": "t1", "doc_id": "d1", "start": 30, "end": 33, "bep": 10, "length": 100},
            {"query_id": "t1", "doc_id": "d2", "length": 50},
            {"query_id": "t2", "doc_id": "d1", "start": 3, "end": 7, "bep": 3, "length": 100},
        ]
    },
    "t 0 d 1\n": {"assessments": [{**TD, "grade": 1}]},
    "t Q0 d 1 0.5 x\n": {"run": [{**TD, "rank": 1, "score": 0.5, "run_id": "x"}]},
    "t Q0 d 1 5 x\n": {"run": [{**TD, "rank": 1, "score": 5, "run_id": "x"}]},
    "t Q0 d 0 50 -1\n": {
        "run": [{**TD, "rank": 1, "score": 50, "run_id": "-1"}],
        "assessments": [{**TD, "length": 50}],
    },
    "t Q0 d 1 5 2 7\n": {"run": [{**TD, "rank": 1, "score": 5, "run_id": "2", "start": 7, "end": 7}]},
    "t Q0 d 1 5 x /a[1] /b[1]\n": {"run": [{**TD, "rank": 1, "score": 5, "run_id": "x", "path": "/a[1] /b[1]"}]},
    "query_id,doc_id,start,end\nt,d,1,2\n": {
        "run": [{**TD, "run_id": "a", "start": 1, "end": 2}],
        "assessments": [{**TD, "start": 1, "end": 2}],
    },
    "query_id,doc_id,start,end,score\nt,d,1,2,3\n": {"run": [{**TD, "score": 3, "run_id": "a", "start": 1, "end": 2}]},
    "query_id,doc_id,start,end,bep\nt,d,1,2,3\n": {"assessments": [{**TD, "start": 1, "end": 2, "bep": 3}]},
    "query_id,doc_id,path\nt,d,/a\n": {"run": [{**TD, "run_id": "a", "path": "/a"}]},
    "query_id,doc_id,path,exhaustivity,specificity\nt,d,/a,1,1\n": {
        "assessments": [{**TD, "path": "/a", "exhaustivity": 1, "specificity": 1}]
    },
    '{"query_id": "t", "doc_id": "d", "start_path": "/a", "end_path": "/b"}\n': {
        "assessments": [{**TD, "start_path": "/a", "end_path": "/b"}]
    },
    PASSAGE_RUN: {
        "run": [
            {"query_id": "7", "doc_id": "d", "rank": 1, "run_id": "ours", "path": f"{TEXT_OF_7}.0 {TEXT_OF_7}.8"},
            {"query_id": "7", "doc_id": "d", "rank": 2, "run_id": "ours", "path": "/article[1]/bdy[1]/p[2]"},
        ]
    },
    OF_2004: {
        "assessments": [
            {**FOUR_POINT, "path": "/article[1]", "exhaustivity": 3, "specificity": 2},
            {**FOUR_POINT, "path": "/article[1]/bdy[1]", "exhaustivity": 0, "specificity": 0},
            {"query_id": "163", "doc_id": "co/2001/r1", "scale": "four-point"},
        ]
    },
}


PLACE = '{"query_id": "q", "doc_id": "d", "start": 1, "end": 2}'
NOT_LINES = {
    '{\n"query_id": "q",\n"doc_id": "d"\n}\n': ":1: is not JSON (Expecting property name enclosed in double quotes)",
    '\n{"query_id": "q", "doc_id"\n': ":2: is not JSON (Expecting ':' delimiter)",
    f'{PLACE}\n"d"\n': ":2: is not a JSON object but 'd'",
}


@pytest.mark.parametrize("content", NOT_LINES)
def test_lines_that_are_not_json(tmp_path: Path, content: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.json").write_text(content)
    assert convert(tmp_path / "a.json", tmp_path / "b.csv") == 2
    assert capsys.readouterr().err == f"{tmp_path}/a.json{NOT_LINES[content]}; write one JSON object per line\n"
    assert convert(tmp_path / "a.json", tmp_path / "b.csv", "--lenient") == 2
    problem = f"{NOT_LINES[content]}; write one JSON object per line"  # unless a line is left
    if content.startswith(PLACE):
        problem = ": may be a run or assessments; choose one of the two with --as run or --as assessments"
    assert capsys.readouterr().err == f"{tmp_path}/a.json{problem}\n"
    assert not (tmp_path / "b.csv").exists()


def test_a_table_of_something_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.json").write_text('{"q": {"d": 1}}\n')
    assert convert(tmp_path / "a.json", tmp_path / "b.csv") == 2
    line = "a.json: has no column 'query_id' (it has 'q'); runs and assessments need it\n"
    assert capsys.readouterr().err == f"{tmp_path}/{line}"


@pytest.mark.parametrize("content", KINDS)
def test_kinds_of_files(tmp_path: Path, content: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a").write_text(content)
    read = formats.read_either(tmp_path / "a", by_tag=True, unit="chars", lenient=False, notes=[])
    kinds = ["run", "assessments"] if read is None else ["run" if isinstance(read, list) else "assessments"]
    assert kinds == list(KINDS[content])
    if len(kinds) == 2:
        assert convert(tmp_path / "a", tmp_path / "b.jsonl") == 2
        assert capsys.readouterr().err == (
            f"{tmp_path}/a: may be a run or assessments; choose one of the two with --as run or --as assessments\n"
        )
    for kind, rows in KINDS[content].items():
        options = ["--as", kind] if len(kinds) == 2 else []
        assert convert(tmp_path / "a", tmp_path / f"{kind}.jsonl", *options) == 0
        assert [json.loads(line) for line in (tmp_path / f"{kind}.jsonl").read_text().splitlines()] == rows


# name: (input, its content, output, options, the line)
REFUSED: dict[str, tuple[str, str, str, list[str], str]] = {
    "a tree in INEX columns": (
        "a.jsonl", '{"query_id": "t", "doc_id": "d", "paths": ["/a", "/b"]}', "b.run", [],
        "b.run: INEX columns hold one span or one path per result, and no whole documents; "
        "write .jsonl or .parquet, which hold every part",
    ),
    "several ranges in CSV": (
        "a.jsonl", '{"query_id": "t", "doc_id": "d", "paths": ["/a /b", "/c /d"]}', "b.csv", [],
        "b.csv: CSV and TSV hold one range of paths per result; write .jsonl or .parquet, which hold every part",
    ),
    "parts in TREC columns": (
        "a.run", FOL_RUN, "b.txt", ["--to", "trec"],
        "b.txt: TREC columns hold whole documents only; write .jsonl or .parquet, which hold every part",
    ),
    "blanks in columns": (
        "a.jsonl", '{"query_id": "t 1", "doc_id": "d", "rank": 1}', "b.run", [],
        "b.run: a query is named 't 1', but blanks separate the columns of text files; "
        "write .jsonl or .parquet, which hold every part",
    ),
    "control characters in XML": (
        "a.jsonl", '{"query_id": "t", "doc_id": "d\\u0007", "rank": 1}', "b.xml", [],
        "b.xml: the name 'd\\x07' would not be read back from XML unchanged; "
        "write .jsonl or .parquet, which hold every part",
    ),
    "a run in an archive": (
        "a.run", FOL_RUN, "b.zip", [],
        "b.zip: a run must be one file, not an archive; give a name that ends in .xml",
    ),
    "offsets in XML": (
        "q.txt", FOL_QRELS, "b.xml", [],
        "b.xml: INEX XML holds passages and best entry points as paths, not as offsets; "
        "write .jsonl or .parquet, which hold every part",
    ),
    "a document without a grade in qrels": (
        "q.jsonl", '{"query_id": "t", "doc_id": "d", "grade": 0}\n{"query_id": "u", "doc_id": "d", "grade": null}\n',
        "b.txt", [],
        "b.txt: TREC qrels hold one grade of every document, by one assessor, and no parts; "
        "write .jsonl or .parquet, which hold every part",
    ),
    "document grades in XML": (
        "q.txt", "t 0 d 1\n", "b.xml", [],
        "b.xml: INEX XML holds no document grades and no document lengths; "
        "write .jsonl or .parquet, which hold every part",
    ),
    "unit grades in XML": (
        "q.jsonl",
        '{"query_id": "t", "doc_id": "d", "path": "/a", "exhaustivity": 1, "specificity": 1, "scale": "unit"}',
        "b.xml", [],
        "b.xml: INEX XML holds grades on the scales four-point and inex2005 only; "
        "write .jsonl or .parquet, which hold every part",
    ),
    "passages beside four-point grades in XML": (
        "q.jsonl",
        '{"query_id": "t", "doc_id": "d", "path": "/a", "exhaustivity": 1, "specificity": 1, "scale": "four-point", '
        '"bep_path": "/a"}',
        "b.xml", [],
        "b.xml: INEX XML with four-point grades holds no passages or best entry points; "
        "write .jsonl or .parquet, which hold every part",
    ),
    "grades off their scale in XML": (
        "q.jsonl",
        '{"query_id": "t", "doc_id": "d", "path": "/a", "exhaustivity": 3, "specificity": 1, "scale": "inex2005"}',
        "b.xml", [],
        "b.xml: a grade is not on its scale inex2005, which INEX XML requires; "
        "write .jsonl or .parquet, which hold every part",
    ),
    "a query of two words in XML": (
        "q.jsonl", '{"query_id": "t 1", "doc_id": "d", "start_path": "/a", "end_path": "/b"}', "b.xml", [],
        "b.xml: INEX XML would keep only the last word of the query id 't 1'; "
        "write .jsonl or .parquet, which hold every part",
    ),
    "several kinds of parts in INEX columns": (
        "a.jsonl",
        '{"query_id": "t", "doc_id": "d", "path": "/a"}\n{"query_id": "t", "doc_id": "d", "path": "/b /c"}',
        "b.run", [],
        "b.run: INEX columns hold parts of one kind: all spans, all paths or all ranges of paths; "
        "write .jsonl or .parquet, which hold every part",
    ),
    "paths in FOL": (
        "q.xml", OF_2006.format(pool=1, topic=7), "b.txt", ["--no-grades"],
        "b.txt: text columns hold offsets, but passages or best entry points are paths; "
        "locate them in the documents (--spans --collection DOCS), or write .jsonl, .parquet or .xml",
    ),
    "grades in FOL": (
        "q.xml", OF_2004, "b.txt", [],
        "b.txt: FOL assessments hold the passages of one assessor, with every document's length; "
        "write .jsonl or .parquet, which hold every part",
    ),
    "an unknown suffix": (
        "a.run", FOL_RUN, "b.docx", [],
        "b.docx: cannot be written: unknown suffix .docx; "
        "use one of trec, inex, text, xml, csv, tsv, jsonl, parquet",
    ),
    "an unknown format": (
        "a.run", FOL_RUN, "b.txt", ["--to", "docx"],
        "b.txt: cannot be written as docx; use one of trec, inex, text, xml, csv, tsv, jsonl, parquet",
    ),
    "an unknown run": (
        "a.run", FOL_RUN, "b.csv", ["--run", "nobody"],
        "a.run: has no run 'nobody'; it has 'tag'",
    ),
    "an unknown assessor": (
        "q.txt", FOL_QRELS, "b.csv", ["--assessor", "nobody"],
        "q.txt: has no assessor 'nobody'; its assessors have no names",
    ),
    "spans without documents": (
        "a.run", FOL_RUN, "b.csv", ["--spans"],
        "--spans needs the documents; give the collection (--collection)",
    ),
    "an assessor of a run": (
        "a.run", FOL_RUN, "b.csv", ["--assessor", "ann"],
        "--assessor is only for assessments; leave it out",
    ),
    "a run of assessments": (
        "q.txt", FOL_QRELS, "b.csv", ["--run", "a"],
        "--run is only for runs; leave it out",
    ),
    "a bad line": (
        "a.run", FOL_RUN + "t1 Q0 d2 3 0.1 tag x 7\n", "b.csv", [],
        "a.run:4: the offset is 'x'; it must be a whole number from 0",
    ),
    "start without end": (
        "q.csv", "query_id,doc_id,start_path,end_path\nt,d,/a,\n", "b.jsonl", [],
        "q.csv:2: has start_path but no end_path; give both or neither",
    ),
    "a passage in two ways": (
        "q.csv", "query_id,doc_id,start,end,start_path,end_path\nt,d,1,2,/a,/b\n", "b.jsonl", [],
        "q.csv:2: has both start and start_path; give only one of them",
    ),
    "an entry point in two ways": (
        "q.csv", "query_id,doc_id,bep,bep_path\nt,d,1,/a\n", "b.jsonl", [],
        "q.csv:2: has both bep and bep_path; give only one of them",
    ),
    "two entry points": (
        "q.csv", "query_id,doc_id,start,end,bep_path\nt,d,1,2,/a\nt,d,3,4,/b\n", "b.jsonl", [],
        "q.csv:3: gives document d the best entry point /b, but an earlier row gives /a; give one value",
    ),
    "a bad path": (
        "q.csv", "query_id,doc_id,bep_path\nt,d,/a /b\n", "b.jsonl", [],
        "q.csv:2: the bep_path is '/a /b'; it must be a path that begins with /",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    source, content, target, options, line = REFUSED[name]
    Path(source).write_text(content)
    assert convert(source, target, *options) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", line + "\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == [source]


def test_bad_lines_are_skipped_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.run").write_text(FOL_RUN + "t1 Q0 d2 3 0.1 tag x 7\n")
    assert convert(tmp_path / "a.run", tmp_path / "b.run", "--lenient") == 0
    assert capsys.readouterr().err.startswith(f"note: {tmp_path}/a.run: 1 bad line skipped, the first: ")
    assert (tmp_path / "b.run").read_text() == FOL_RUN


def test_to_standard_output(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text(FOL_RUN)
    command = [sys.executable, "-m", "partwise", "convert", str(tmp_path / "a.run"), "/dev/stdout", "--to", "csv"]
    process = subprocess.run(command, capture_output=True, text=True, check=True)
    assert process.stdout == (
        "query_id,doc_id,rank,score,run_id,start,end\nt1,d1,1,0.9,tag,10,15\nt1,d2,2,0.8,tag,0,7\nt2,d1,1,0.7,tag,3,3\n"
    )


def test_reading_and_writing_is_the_same_as_converting(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text(FOL_RUN)
    [run] = pw.read_runs(tmp_path / "a.run")
    pw.write_run(run, tmp_path / "b.jsonl")
    pw.convert(tmp_path / "a.run", tmp_path / "c.jsonl", run_id="stem")
    assert (tmp_path / "b.jsonl").read_text() == (tmp_path / "c.jsonl").read_text()
    with pytest.raises(pw.PartwiseError, match="kind is 'thing'; it must be one of run, assessments"):
        pw.convert(tmp_path / "a.run", tmp_path / "c.jsonl", kind="thing")
