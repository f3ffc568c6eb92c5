"""Scores in every unit: what is counted is the unit, in whatever unit the files are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import partwise as pw
from oracles import counting as slow
from partwise.adapters import strings
from partwise.counting import counting_of
from partwise.study.curve_points import curve_measures
from partwise.tokens import tokenizer
from support.paths import real_data

TEXTS = {
    "d": "aé 日本bc\r\nüz, \U0001f468\u200d\U0001f469 x\rlast\u0301 line",
    "e": "plain text\nof three\nlines\n",
}
OWN = tokenizer(slow.own_tokens)
UNITS = sorted(slow.PIECES)
MEASURES = "TextP TextR TextIoU Redundancy PartHit(match=any) PartR(match=any) Read"


def spans_of(doc: str) -> st.SearchStrategy[tuple[str, int, int]]:
    edge = st.integers(0, len(TEXTS[doc]))
    return st.tuples(edge, edge).map(lambda pair: (doc, min(pair), max(pair)))


parts = st.sampled_from(sorted(TEXTS)).flatmap(spans_of)


def written(rows: list[Any], unit: str) -> list[dict[str, Any]]:
    """Spans of characters as rows that declare their unit."""
    table = []
    for rank, (doc, start, end) in enumerate(rows, 1):
        edges = counting_of(TEXTS[doc], unit, OWN).from_chars(np.array([start]), np.array([end]))
        first, last = (int(edge[0]) for edge in edges)
        table.append({"query_id": "q", "doc_id": doc, "rank": rank, "start": first, "end": last, "unit": unit})
    return table


def gold_of(rows: list[Any], unit: str) -> list[dict[str, Any]]:
    return [{name: cell for name, cell in row.items() if name != "rank"} for row in written(rows, unit)]


def sets_of(rows: list[Any], unit: str, is_gold: bool = False) -> list[set[tuple[str, int]]]:
    change = slow.passage_from_chars if is_gold else slow.from_chars
    return [{(doc, one) for one in change(TEXTS[doc], unit, set(range(a, b)))} for doc, a, b in rows]


worlds = st.tuples(st.lists(parts, min_size=1, max_size=4, unique=True), st.lists(parts, min_size=1, max_size=5))


@given(worlds, st.sampled_from(UNITS), st.sampled_from(["chars", "bytes", "utf16"]))
def test_files_in_one_unit_counted_in_another(world: Any, unit: str, declared: str) -> None:
    """Brute force over sets of units equals the scores, from whatever unit the files were converted."""
    gold, run = world
    relevant = [passage for passage in sets_of(gold, unit, is_gold=True) if passage]
    assume(relevant)
    scores = pw.evaluate(
        gold_of(gold, declared),
        written(run, declared),
        MEASURES,
        collection=TEXTS,
        unit=unit,
        tokenizer=OWN if unit == "tokens" else None,
    )
    expected = slow.measured(relevant, sets_of(run, unit))
    means = scores.mean()["run"]
    assert {name: means[name] for name in expected} == pytest.approx(expected)
    assert means["Read"] == sum(map(len, sets_of(run, unit)))
    assert scores.unit == ("tokens(own_tokens)" if unit == "tokens" else unit)


@given(worlds)
def test_a_run_is_found_alike_in_chars_bytes_and_utf16(world: Any) -> None:
    """The same parts are found; how much of the text that is depends on the unit, and equals brute force."""
    gold, run = world
    assume(any(start < end for _, start, end in gold))
    found = []
    for unit in ("chars", "bytes", "utf16"):
        means = pw.evaluate(gold_of(gold, unit), written(run, unit), MEASURES).mean()["run"]
        relevant = [passage for passage in sets_of(gold, unit) if passage]
        assert means["TextR"] == pytest.approx(slow.measured(relevant, sets_of(run, unit))["TextR"])
        found.append((means["PartHit(match=any)"], means["PartR(match=any)"]))
    assert found[0] == found[1] == found[2]


@given(worlds, st.sampled_from(["bytes", "utf16"]))
def test_a_collection_changes_no_number(world: Any, unit: str) -> None:
    gold, run = world
    assume(any(start < end for _, start, end in gold))
    names = MEASURES + " TextIoU(budget=7) iP@0.1 iAP TextAP Overlap AgP CharAP"
    one, other = (
        pw.evaluate(gold_of(gold, unit), written(run, unit), names, **known).mean()["run"]
        for known in ({}, {"collection": TEXTS})
    )
    assert one == other


def test_lines_count_from_one_and_include_the_last() -> None:
    gold = [{"query_id": "q", "doc_id": "a.py", "start_line": 3, "end_line": 5}]
    run = [{"query_id": "q", "doc_id": "a.py", "line_start": 1, "line_end": 3, "rank": 1}]
    scores = pw.evaluate(gold, run, "TextR TextP Read")
    assert scores.mean()["run"] == pytest.approx({"TextR": 1 / 3, "TextP": 1 / 3, "Read": 3})
    assert (scores.unit, scores.notes) == ("lines", ())
    from_zero = pw.evaluate({"q": [("a.py", 2, 5)]}, {"q": [("a.py", 0, 3)]}, "TextR TextP Read", unit="lines")
    assert from_zero.mean() == scores.mean()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"start_line": 0, "end_line": 2},
            "the start_line is '0'; it must be the number of a line",
        ),
        ({"start_line": 4, "end_line": 3}, "the end 3 is before the start 4; it must be at least the start"),
        ({"start_line": 4}, "has start_line but no end_line; give both or neither"),
        (
            {"start_line": 4, "end_line": 5, "unit": "bytes"},
            "declares that its offsets are in bytes, but has start_line, end_line",
        ),
    ],
)
def test_bad_lines(row: dict[str, Any], message: str) -> None:
    with pytest.raises(pw.PartwiseError) as caught:
        pw.evaluate({"q": [("d", 0, 1)]}, [{"query_id": "q", "doc_id": "d", "end_line": None, **row}], "TextR")
    assert message in str(caught.value)


def test_lines_and_characters_in_one_table() -> None:
    """Those of the unit that is counted are read, and a note names the others."""
    both = [{"query_id": "q", "doc_id": "e", "start": 11, "end": 19, "start_line": 2, "end_line": 3}]
    in_chars = pw.evaluate(both, {"q": [("e", 11, 20)]}, "TextP")
    assert in_chars.mean()["run"]["TextP"] == pytest.approx(8 / 9)
    [note] = in_chars.notes
    assert note == (
        "qrels: has lines and other offsets; start, end is read, start_line, end_line is not; "
        "--unit lines reads lines, another unit the others"
    )
    in_lines = pw.evaluate(both, {"q": [("e", 1, 2)]}, "TextR", unit="lines")
    assert in_lines.mean()["run"]["TextR"] == 0.5


def test_units_that_differ_need_the_texts() -> None:
    gold = [{"query_id": "q", "doc_id": "e", "start": 11, "end": 19}]
    run = [{"query_id": "q", "doc_id": "e", "start_line": 2, "end_line": 2}]
    with pytest.raises(pw.PartwiseError) as caught:
        pw.evaluate(gold, run, "TextP")
    assert str(caught.value) == (
        "run: offsets are in lines, but characters are counted; give --collection, whose texts convert them, or both "
        "files in one unit"
    )
    assert pw.evaluate(gold, run, "TextP", collection=TEXTS).mean()["run"]["TextP"] == pytest.approx(8 / 9)
    with pytest.raises(pw.PartwiseError) as caught:
        pw.evaluate(run, {"q": [("e", 0, 3)]}, "TextP", unit="bytes")
    assert str(caught.value).startswith("qrels: offsets are in lines, not in bytes; give --collection")
    with pytest.raises(pw.PartwiseError) as caught:
        pw.evaluate(gold, [{**run[0], "doc_id": "unknown"}], "TextP", collection=TEXTS)
    assert str(caught.value) == (
        "run, row 1: document unknown is not in collection, so its offsets in lines cannot be converted to "
        "characters; give a collection that has it"
    )


def test_tokens_need_a_tokenizer() -> None:
    with pytest.raises(pw.PartwiseError) as caught:
        pw.evaluate({"q": [("e", 0, 3)]}, {"q": [("e", 0, 3)]}, "TextP", unit="tokens", collection=TEXTS)
    assert str(caught.value) == (
        "no tokenizer is given that divides the documents into tokens; give one, such as --tokenizer words"
    )
    with pytest.raises(pw.PartwiseError) as caught:
        pw.evaluate({"q": [("e", 0, 3)]}, {"q": [("e", 0, 3)]}, "TextP", tokenizer="words", collection=TEXTS)
    assert str(caught.value) == "a tokenizer is given, but nothing is counted in tokens; add --unit tokens"
    with pytest.raises(pw.PartwiseError) as caught:
        pw.evaluate({"q": [("e", 0, 3)]}, {"q": [("e", 0, 3)]}, "TextP", unit="tokens", tokenizer="words")
    assert "give --collection" in str(caught.value)


def test_offsets_that_are_tokens_need_no_text() -> None:
    scores = pw.evaluate({"q": [("e", 0, 4)]}, {"q": [("e", 0, 3)]}, "TextR", unit="tokens")
    assert (scores.mean()["run"]["TextR"], scores.unit) == (0.75, "tokens")


def test_passages_without_tokens_are_counted_in_a_note() -> None:
    """A passage inside a word takes that word; white space between words has none."""
    inside = pw.evaluate(
        {"q": [("e", 1, 3), ("e", 5, 6)]}, {"q": [("e", 0, 5)]}, "TextR", unit="tokens", tokenizer="words",
        collection=TEXTS,
    )  # fmt: skip
    assert inside.mean()["run"]["TextR"] == 1.0
    assert list(inside.notes) == ["qrels: 1 highlighted passage has no tokens and is ignored"]


def test_elements_of_a_collection_are_counted_in_the_unit() -> None:
    xml = {"d": "<a><b>one two</b><c>three four five</c></a>"}
    grades = {"exhaustivity": 1, "specificity": 1, "scale": "unit"}
    gold = [{"query_id": "q", "doc_id": "d", "path": "/a[1]/c[1]", **grades}]
    run = {"q": [{"doc_id": "d", "path": "/a[1]"}]}
    highlighted = {"q": [("d", 7, 22)]}
    tokens = pw.evaluate(highlighted, run, "TextP", collection=xml, unit="tokens", tokenizer="words").mean()["run"]
    assert tokens == {"TextP": pytest.approx(2 / 4)}  # twothree is one word of the text
    assert pw.evaluate(gold, run, "nxCG@1", collection=xml, unit="tokens", tokenizer="words").unit == "tokens(words)"


# ---- agents ---------------------------------------------------------------------------------------------------

STEPS = [
    {"query_id": "q", "step": 1, "doc_id": "a.py", "start_line": 1, "end_line": 4},
    {"query_id": "q", "step": 2, "doc_id": "a.py", "start_line": 8, "end_line": 9},
    {"query_id": "q", "step": 2, "doc_id": "a.py", "start_line": 3, "end_line": 5},
    {"query_id": "q", "step": 2, "doc_id": "b.py", "start_line": 1, "end_line": 2},
]


def test_all_that_an_agent_reads_of_a_document_at_a_step_is_one_result(tmp_path: Path) -> None:
    gold = [{"query_id": "q", "doc_id": "a.py", "start_line": 3, "end_line": 8}]
    path = tmp_path / "agent.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in STEPS))
    for run in (path, STEPS):
        scores = pw.evaluate(gold, run, "TextR@1 TextR@2 TextP@2 Redundancy PartHit(match=seen(1))@2 Read")
        assert next(iter(scores.mean().values())) == pytest.approx(
            {
                "TextR@1": 2 / 6,
                "TextR@2": 4 / 6,
                "TextP@2": 4 / 9,
                "Redundancy": 2 / 11,
                "PartHit(match=seen(1))@2": 0.0,
                "Read": 11,
            }
        )
        assert scores.notes == ()


def test_ranks_take_precedence_over_steps() -> None:
    run = [{**row, "rank": rank} for rank, row in enumerate(STEPS, 1)]
    scores = pw.evaluate([{"query_id": "q", "doc_id": "a.py", "start_line": 3, "end_line": 8}], run, "Read@3")
    assert scores.mean()["run"]["Read@3"] == 9
    assert list(scores.notes) == ["run: has ranks and steps; step is not read; leave one of them out"]


# ---- files ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "tsv", "parquet"])
@pytest.mark.parametrize("unit", [unit for unit in UNITS if unit != "chars"])
def test_files_declare_their_unit(tmp_path: Path, suffix: str, unit: str) -> None:
    rows = [("d", 0, 5), ("e", 3, 20)]
    contents: list[tuple[str, Any, Any]] = [
        ("run", "run", written(rows, "chars")),
        ("qrels", "assessments", gold_of(rows, "chars")),
    ]
    for name, kind, content in contents:
        target = tmp_path / f"{name}.{suffix}"
        pw.convert(content, target, kind=kind, collection=TEXTS, to_unit=unit, tokenizer=OWN)
        back = tmp_path / f"back.{suffix}"
        pw.convert(target, back, kind=kind, collection=TEXTS, to_unit="chars", tokenizer=OWN)
        read = pw.read_runs(target)[0] if kind == "run" else pw.read_assessments(target)
        assert read.unit == unit
        again = (pw.read_runs(back)[0] if kind == "run" else pw.read_assessments(back)).unit
        assert again == "chars"
    scores = pw.evaluate(tmp_path / f"qrels.{suffix}", tmp_path / f"run.{suffix}", "TextR TextP")
    assert scores.mean()["run"] == {"TextR": 1.0, "TextP": 1.0}


@pytest.mark.parametrize("format", ["tsv", "csv", "jsonl", "parquet"])
def test_scores_keep_their_unit(tmp_path: Path, format: str) -> None:
    scores = pw.evaluate(
        {"q": [("e", 0, 10)]}, {"q": [("e", 0, 5)]}, "TextR", collection=TEXTS, unit="tokens", tokenizer="words"
    )
    path = tmp_path / f"scores.{format}"
    pw.write_scores(scores, path)
    assert pw.read_scores(path).unit == "tokens(words)"
    other = tmp_path / f"other.{format}"
    pw.write_scores(pw.evaluate({"q": [("e", 0, 10)]}, {"q": [("e", 0, 5)]}, "TextR"), other)
    with pytest.raises(pw.PartwiseError, match="unit"):
        pw.read_scores({"one": path, "two": other})
    assert pw.read_scores({"one": path, "two": other}, mix=True).unit == "tokens(words), chars"


def test_scores_in_characters_have_no_column_for_the_unit() -> None:
    scores = pw.evaluate({"q": [("e", 0, 10)]}, {"q": [("e", 0, 5)]}, "TextR")
    assert list(scores.columns()) == ["run_id", "measure", "query_id", "value"]


# ---- real data ------------------------------------------------------------------------------------------------


def test_evidence_in_bytes_is_one_number_with_and_without_texts() -> None:
    """Spans of the real articles in bytes, with random parts of them as results."""
    folder = real_data("evidence-inference") / "txt_files"
    chosen = sorted(folder.iterdir())[:20]
    texts = {path.stem: path.read_text(encoding="utf-8") for path in chosen}
    random = np.random.default_rng(5)
    gold, run = {}, {}
    for number, (doc, text) in enumerate(texts.items()):
        edges = np.sort(random.integers(0, len(text), (8, 2)), axis=1)
        gold[f"q{number}"] = [(doc, int(a), int(b)) for a, b in edges[:3]]
        run[f"q{number}"] = [(doc, int(a), int(b)) for a, b in edges[3:]]
    assert any(not text.isascii() for text in texts.values())

    def in_bytes(by_query: dict[str, Any]) -> dict[str, Any]:
        sizes = {doc: np.append(0, np.cumsum([len(c.encode()) for c in text])) for doc, text in texts.items()}
        return {q: [(d, int(sizes[d][a]), int(sizes[d][b])) for d, a, b in rows] for q, rows in by_query.items()}

    alone = pw.evaluate(in_bytes(gold), in_bytes(run), "TextR TextP TextIoU iAP", unit="bytes")
    with_texts = pw.evaluate(in_bytes(gold), in_bytes(run), "TextR TextP TextIoU iAP", unit="bytes", collection=texts)
    as_chars = [
        {"query_id": q, "doc_id": d, "start": a, "end": b, "unit": "chars"}
        for q, rows in gold.items()
        for d, a, b in rows
    ]
    converted = pw.evaluate(as_chars, in_bytes(run), "TextR TextP TextIoU iAP", unit="bytes", collection=texts)
    assert alone.per_query() == with_texts.per_query() == converted.per_query()


def test_moments_in_seconds_need_no_texts() -> None:
    """The length of the best window of every query, from the files themselves."""
    folder = real_data("moments")
    scores = pw.evaluate(folder / "gold.jsonl", folder / "predictions.jsonl", "Read@1")
    assert scores.unit == "seconds"
    expected = {}
    for line in (folder / "predictions.jsonl").read_text().splitlines():
        row = json.loads(line)
        start, end, _ = max(row["pred_relevant_windows"], key=lambda window: window[2])
        expected[str(row["qid"])] = round(end - start, 3)
    [values] = [measures["Read@1"] for measures in scores.per_query().values()]
    assert values == pytest.approx({query: expected[query] for query in values})
    assert len(values) == 1550


# ---- curves and lists -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("unit", "axis", "smallest", "largest"),
    [
        (None, "characters read", 100, 25600),
        ("bytes", "bytes read", 100, 25600),
        ("tokens", "tokens read", 25, 6400),
        ("lines", "lines read", 2, 512),
        ("seconds", "seconds read", 1, 256),
    ],
)
def test_budget_curves_are_in_the_unit(unit: Any, axis: str, smallest: float, largest: float) -> None:
    names = curve_measures("budget", unit or "chars")
    scores = pw.evaluate({"q": [("e", 0, 10)]}, {"q": [("e", 0, 5)]}, names, unit=unit)
    curves = pw.study.curves(scores, kind="budget")
    points = [row["x"] for row in curves.rows()]
    assert (points[0], points[-1]) == (smallest, largest)
    assert points == sorted(set(points))
    assert curves.tables()[0][1][0].keys() == {axis, "run"}


def test_what_tags_contribute_is_in_the_unit() -> None:
    xml = {"d": "<a><b>one two </b><c>three four five</c></a>"}
    evaluator = pw.Evaluator({"q": [("d", 8, 22)]}, "TextP", collection=xml, unit="tokens", tokenizer="words")
    [row] = evaluator.by_tag({"q": [{"doc_id": "d", "path": "/a[1]"}]})
    assert (row["size"], row["highlighted"], row["unit"]) == (5, 3, "tokens(words)")


def test_other_measures_of_the_same_assessments() -> None:
    evaluator = pw.Evaluator({"q": [("e", 0, 10)]}, "TextP", unit="lines")
    assert evaluator.unit == "lines"
    other = evaluator.with_measures("TextR Read")
    assert other.evaluate({"q": [("e", 0, 5)]}).mean()["run"] == {"TextR": 0.5, "Read": 5.0}
    assert [measure.name for measure in evaluator.measures] == ["TextP"]


def test_a_report_names_the_unit(tmp_path: Path) -> None:
    """Sizes, the axis of budgets and the settings are in the unit; offsets in a text are characters of it."""
    path = tmp_path / "report.html"
    pw.write_report({"q": [("e", 0, 10)]}, {"q": [("e", 0, 5)]}, path, "TextR", collection=TEXTS, unit="utf16")
    html = path.read_text(encoding="utf-8")
    assert '"unit":{"word":"UTF-16 units","scale":1}' in html.replace(": ", ":").replace(", ", ",")
    assert "UTF-16 units read" in html
    assert "after reading this many UTF-16 units in rank order" in html
    assert "characters read" not in html


def test_chunks_without_a_place_keep_a_size_in_the_unit() -> None:
    """One is past the end of its document, the other in no document: both are read, neither is relevant."""
    texts = {"d": "One two three four five six.", "e": "Another text."}
    results = {"q": [("d", "One two three"), ("d", "not there"), "nowhere to be found"]}
    run = strings.run(results, texts)
    scores = pw.evaluate(
        {"q": [("d", 0, 13)]}, run, "TextR TextP Read", collection=texts, unit="tokens", tokenizer="words"
    )
    # 7 tokens in 28 characters: 9 characters past the end are 3; 3 + 3 tokens in 22 characters: 19 are 6
    assert scores.mean()["run"] == pytest.approx({"TextR": 1.0, "TextP": 3 / 12, "Read": 12})
    assert "run: the size of 1 chunk without a document is estimated in tokens" in scores.notes
