"""Chunks that say where they are: what is checked, repaired, refused, and kept with the run."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import partwise as pw
from partwise.adapters import chroma, langchain, llamaindex, strings
from partwise.adapters.placing import CERTAIN, shared_size
from partwise.cli import main
from partwise.placement import OUTCOMES

TEXT = "Leave is granted on request. Ask twice. Ask twice. Unused leave lapses in March."
TEXTS = {"handbook": TEXT, "faq": "Who grants leave?\nYour manager."}
GOLD = [{"query_id": "q1", "doc_id": "handbook", "start": 0, "end": 28}]

DOCUMENT, NODE = "4", "1"
"""The values of LlamaIndex's ``ObjectType.DOCUMENT`` and ``ObjectType.TEXT``."""


def chunk(text: str, start: int | None = None, source: str | None = "handbook", **metadata: Any) -> Any:
    """A LangChain document."""
    more = {"source": source, "start_index": start}
    present = {name: value for name, value in more.items() if value is not None}
    return SimpleNamespace(page_content=text, metadata=present | metadata, id=None)


def related(node_id: str, kind: str) -> Any:
    return SimpleNamespace(node_id=node_id, node_type=SimpleNamespace(value=kind))


def node(
    text: str,
    start: int | None = None,
    end: int | None = None,
    *,
    name: str = "n",
    parent: str | None = None,
    doc: str = "handbook",
    **metadata: Any,
) -> Any:
    """A LlamaIndex node, as version 0.14 makes it: a child names its parent, and its document as its source."""
    return SimpleNamespace(
        text=text,
        node_id=name,
        ref_doc_id=doc,
        start_char_idx=start,
        end_char_idx=end if end is not None or start is None else start + len(text),
        source_node=related(doc, DOCUMENT),
        parent_node=None if parent is None else related(parent, NODE),
        metadata=metadata,
    )


def parts(run: pw.Run) -> list[tuple[str, int, int]]:
    return list(zip(run.doc.values(), run.start.tolist(), run.end.tolist(), strict=True))


def outcomes(run: pw.Run) -> list[str]:
    assert run.placing is not None
    return run.placing.outcomes


def error_of(call: Callable[[], Any]) -> str:
    with pytest.raises(pw.PartwiseError) as error:
        call()
    return str(error.value)


# ---- LlamaIndex: offsets that count from a parent -------------------------------------------------------------

SECOND = TEXT[29:]
"""The parent starts at 29: ``Ask twice. Ask twice. Unused leave lapses in March.``"""
PARENT = node(SECOND, 29, name="p")
CHILD = node("Unused leave", 22, name="c", parent="p")
GRANDCHILD = node("leave", 7, name="g", parent="c")


def test_children_are_placed_through_their_parents() -> None:
    for results, nodes in (({"q1": [CHILD, GRANDCHILD, PARENT]}, []), ({"q1": [CHILD, GRANDCHILD]}, [PARENT])):
        for documents in (None, TEXTS):
            run = llamaindex.run(results, documents, nodes=nodes)
            assert parts(run)[:2] == [("handbook", 51, 63), ("handbook", 58, 63)]
            assert outcomes(run)[:2] == ["parent", "parent"]
            total = len(results["q1"])
            assert list(run.notes) == [
                f"2 of {total} chunks have offsets that count from their parents (first: query q1, rank 1, document "
                "handbook); placed through the parent"
            ]


def test_children_of_unknown_parents_are_placed_by_their_text_or_refused() -> None:
    run = llamaindex.run({"q1": [CHILD]}, TEXTS)
    assert (parts(run), outcomes(run)) == ([("handbook", 51, 63)], ["moved"])
    assert list(run.notes) == [
        "1 of 1 chunks is not at its offsets (first: query q1, rank 1, document handbook); located by text"
    ]
    assert error_of(lambda: llamaindex.run({"q1": [CHILD, GRANDCHILD]})) == (
        "query q1, result 1: the offsets of the chunk 'Unused leave' count from its parent, which is not among the "
        "results or nodes (the first of 2 such chunks); pass documents= to place it by its text, or nodes= with all "
        "nodes"
    )


def test_a_repeated_text_with_relative_offsets_is_not_guessed() -> None:
    """The text happens to be at these offsets of the document too, but they count from an unknown parent."""
    child = node("Ask twice.", 29, name="c", parent="p")
    run = llamaindex.run({"q1": [child]}, TEXTS)
    assert outcomes(run) == ["ambiguous"]
    assert parts(run) == [("handbook", len(TEXT), len(TEXT) + 10)]


def test_a_parent_without_the_text_is_refused() -> None:
    child = node("Unused leave", 3, name="c", parent="p")
    assert error_of(lambda: llamaindex.run({"q1": [PARENT, child]})) == (
        "query q1, result 2: the chunk 'Unused leave' is not at 3 to 15 of its parent; pass documents= to place it by "
        "its text"
    )
    assert parts(llamaindex.run({"q1": [PARENT, child]}, TEXTS))[1] == ("handbook", 51, 63)


def test_parents_in_a_circle_are_refused() -> None:
    first, second = node("leave", 0, name="a", parent="b"), node("leave", 0, name="b", parent="a")
    assert "count from its parent" in error_of(lambda: llamaindex.run({"q1": [first, second]}))


def test_a_first_child_is_where_it_says() -> None:
    parent, child = node(TEXT[:39], 0, name="p"), node("Leave is granted", 0, name="c", parent="p")
    run = llamaindex.run({"q1": [parent, child]})
    assert (outcomes(run), list(run.notes)) == (["given", "given"], [])
    assert outcomes(llamaindex.run({"q1": [parent, child]}, TEXTS)) == ["exact", "exact"]


def test_nodes_made_of_other_nodes() -> None:
    """A second node parser may name the node, not the document, as the source; its offsets count from that node."""
    made = node("Unused leave", 22, name="c")
    made.source_node, made.ref_doc_id = related("p", NODE), "p"
    assert parts(llamaindex.run({"q1": [made]}, nodes=[PARENT])) == [("handbook", 51, 63)]
    assert parts(llamaindex.run({"q1": [made]}, TEXTS)) == [("handbook", 51, 63)]
    assert "count from its parent" in error_of(lambda: llamaindex.run({"q1": [made]}))


def test_automatic_merging_scores_as_the_documents_say() -> None:
    """Children of several parents: the recall without their parents' offsets would be that of other text."""
    size, parents, children = 10, [], []
    text = "".join(f"sentence {number:02d}." for number in range(40))  # 12 characters each
    for first in range(0, len(text), 12 * size):
        inside = text[first : first + 12 * size]
        parents.append(node(inside, first, name=f"p{first}", doc="d"))
        children += [node(inside[at : at + 12], at, name=f"c{first + at}", parent=f"p{first}", doc="d")
                     for at in range(0, len(inside), 12)]  # fmt: skip
    gold = [{"query_id": "q", "doc_id": "d", "start": 240, "end": 480}]
    results = {"q": [*children[20:30], parents[3]]}
    for run in (llamaindex.run(results, {"d": text}), llamaindex.run(results, nodes=parents)):
        assert pw.evaluate(gold, run, "TextR TextP").mean()["run"] == {"TextR": 1.0, "TextP": 1.0}


@st.composite
def trees(draw: st.DrawFn) -> tuple[str, list[Any], list[tuple[Any, int]]]:
    """A document split into parents, children and grandchildren: the document, all nodes, and each with its start."""
    text = draw(st.text("ab", min_size=1, max_size=30))
    level: list[tuple[Any, int]] = [(SimpleNamespace(text=text, node_id=None), 0)]
    starts = []
    for depth in range(3):
        following = []
        for parent, at in level:
            for start in draw(st.lists(st.integers(0, len(parent.text) - 1), max_size=3, unique=True)):
                size = draw(st.integers(1, len(parent.text) - start))
                name = f"{depth}-{len(following)}"
                part = parent.text[start : start + size]
                following.append((node(part, start, name=name, parent=parent.node_id, doc="d"), at + start))
        starts += following
        level = following
    return text, [one for one, _ in starts], starts


@given(trees())
def test_trees_of_nodes(tree: tuple[str, list[Any], list[tuple[Any, int]]]) -> None:
    """Through their parents all are where they are; by their text alone, only where that is certain."""
    text, nodes, starts = tree
    true = [("d", start, start + len(one.text)) for one, start in starts]
    for run in (llamaindex.run({"q": nodes}), llamaindex.run({"q": nodes}, {"d": text})):
        assert parts(run) == true
    for (one, start), place in zip(starts, true, strict=True):
        run = llamaindex.run({"q": [one]}, {"d": text})
        once = sum(text.startswith(one.text, at) for at in range(len(text))) == 1
        if once or one.parent_node is None:
            assert parts(run) == [place]
            assert (outcomes(run) == ["moved"]) == (one.start_char_idx != start)
        else:
            assert outcomes(run) == ["ambiguous"]


# ---- LlamaIndex: windows and other lengths ----------------------------------------------------------------------


def test_windows_of_sentences() -> None:
    window = "Ask twice.  Ask twice.  Unused leave lapses in March."
    sentence = node("Ask twice. ", 40, name="s", window=window, original_text="Ask twice. ")
    assert parts(llamaindex.run({"q1": [sentence]})) == [("handbook", 40, 51)]
    replaced = node(window, 40, 51, window=window, original_text="Ask twice. ")
    assert error_of(lambda: llamaindex.run({"q1": [replaced]})) == (
        "query q1, result 1: the chunk 'Ask twice.  Ask twice.  Unused leave lapses in March.' is a window, but its "
        "offsets are those of its sentence; pass documents= to place it by its text"
    )
    run = llamaindex.run({"q1": [replaced]}, TEXTS)
    assert (parts(run), outcomes(run), list(run.notes)) == ([("handbook", 29, len(TEXT))], ["whitespace"], [])


def test_a_repeated_window_is_where_its_sentence_is() -> None:
    texts = {"d": "One. Two. One. Two. Three."}
    replaced = node("One.  Two.", 15, 20, doc="d", window="One.  Two.", original_text="Two. ")
    run = llamaindex.run({"q1": [replaced]}, texts)
    assert (parts(run), outcomes(run)) == ([("d", 10, 19)], ["whitespace"])


def test_another_length_than_the_offsets() -> None:
    longer = node("A title: Unused leave lapses in March.", 51, 80)
    assert error_of(lambda: llamaindex.run({"q1": [longer]})) == (
        "query q1, result 1: the chunk 'A title: Unused leave lapses in March.' has 38 characters, but its offsets 51 "
        "to 80 span 29; pass documents= to place it by its text"
    )
    run = llamaindex.run({"q1": [longer]}, TEXTS)
    assert (parts(run), outcomes(run)) == ([("handbook", 51, 80)], ["trimmed"])
    assert list(run.notes) == [
        "1 of 1 chunks has text around that of its document (first: query q1, rank 1, document handbook); placed "
        "without it"
    ]


# ---- LangChain --------------------------------------------------------------------------------------------------


def test_a_splitter_that_did_not_find_its_chunk() -> None:
    assert error_of(lambda: langchain.run({"q1": [chunk("Ask", -1)]})) == (
        "query q1, result 1: the start_index of the chunk 'Ask' is -1: the splitter did not find it; pass documents= "
        "to place it by its text"
    )
    assert parts(langchain.run({"q1": [chunk("Unused", -1)]}, TEXTS)) == [("handbook", 51, 57)]


def test_chunks_that_contradict_each_other_are_refused() -> None:
    """Chunks with a header, or split twice: their offsets are not those of the document, which overlaps show."""
    results = {"q1": [chunk("# Leave\nLeave is granted", 0), chunk("granted on request.", 9)]}
    assert error_of(lambda: langchain.run(results)) == (
        "query q1, result 2: the chunk 'granted on request.' and that of query q1, result 1 have different texts at 9 "
        "to 24 of document handbook; pass documents= to place it by its text, or give each page or section its own id "
        "with source="
    )
    fine = {"q1": [chunk("Leave is granted", 0), chunk("granted on request.", 9)], "q2": [chunk("is", 6)]}
    assert parts(langchain.run(fine)) == [("handbook", 0, 16), ("handbook", 9, 28), ("handbook", 6, 8)]


def test_headers_and_other_cases_at_the_right_offset() -> None:
    headed, lower = chunk("# Leave\n\nUnused leave lapses in March.", 51), chunk("leave is granted", 0)
    run = langchain.run({"q1": [headed, lower]}, TEXTS)
    assert parts(run) == [("handbook", 51, 80), ("handbook", 0, 16)]
    assert outcomes(run) == ["trimmed", "casefolded"]
    short = langchain.run({"q1": [chunk("# Leave\n\nAsk twice.", 40)]}, TEXTS)
    assert outcomes(short) == ["missing"]  # ten characters are not enough to be certain


@given(st.text("ab", max_size=40), st.text("abc", max_size=40), st.integers(0, 40), st.integers(0, 50))
def test_shared_size(text: str, document: str, start: int, end: int) -> None:
    there = document[start:end]
    longest = max((n for n in range(len(text) + 1) if document[start:].startswith(text[len(text) - n :])), default=0)
    expected = len(there) if len(there) >= CERTAIN and there in text else longest if longest >= CERTAIN else 0
    assert shared_size(text, document, start, end) == expected


def test_offsets_in_other_units() -> None:
    texts = {"d": "😀 Leave is granted. 😀 Unused leave lapses."}
    run = langchain.run({"q1": [chunk("Unused leave", 24, "d"), chunk("granted", 12, "d")]}, texts)
    assert parts(run) == [("d", 22, 34), ("d", 11, 18)]
    assert list(run.notes) == [
        "2 of 2 chunks are not at their offsets (first: query q1, rank 1, document d); located by text",
        "offsets count UTF-16 units, as in JavaScript and Java: all 2 texts are at their offsets in these; convert "
        "them to characters (code points)",
    ]


# ---- hooks ------------------------------------------------------------------------------------------------------


def test_hooks() -> None:
    cleaned = chunk("unused leave", None, None, original="Unused leave", at=51, to=63.0, file="a/handbook.md")
    for options in (
        {"text": "original", "source": lambda one: Path(one.metadata["file"]).stem},
        {"text": lambda one: one.metadata["original"], "start": "at", "source": lambda one: "handbook"},
        {"text": "original", "start": "at", "end": lambda one: one.metadata["to"], "source": lambda one: "handbook"},
    ):
        assert parts(langchain.run({"q1": [cleaned]}, TEXTS, **options)) == [("handbook", 51, 63)]
        if "start" in options:
            assert parts(langchain.run({"q1": [cleaned]}, **options)) == [("handbook", 51, 63)]
    changed = node("unused leave", 3, 9, original="Unused leave", at=51)
    for options in ({"text": "original"}, {"text": "original", "start": "at"}):
        assert parts(llamaindex.run({"q1": [changed]}, TEXTS, **options)) == [("handbook", 51, 63)]
    assert parts(llamaindex.run({"q1": [changed]}, text="original", start="at")) == [("handbook", 51, 63)]


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"text": lambda one: 3}, "text= returns '3', of type int; it must return a text"),
        ({"text": lambda one: None}, "text= returns 'None', of type NoneType; it must return a text"),
        ({"start": lambda one: "3"}, "start= returns '3', of type str; it must return a whole number from 0, or None"),
        ({"end": lambda one: -1}, "end= returns '-1', of type int; it must return a whole number from 0, or None"),
        ({"source": lambda one: ["a"]},
         "source= returns \"['a']\", of type list; it must return a document id: a text, a whole number, or None"),
        ({"text": "original"},
         "there is no metadata key 'original', which text= names; its keys are 'source', 'start_index'"),
    ],
)  # fmt: skip
def test_hooks_that_return_something_else(options: dict[str, Any], line: str) -> None:
    assert error_of(lambda: langchain.run({"q7": [chunk("Leave", 0)]}, TEXTS, **options)) == (
        f"query q7, result 1: {line}"
    )
    text = {name: hook for name, hook in options.items() if name == "text"}
    if text:
        line = line.replace("'source', 'start_index'", "none")
        assert error_of(lambda: llamaindex.run({"q7": [node("Leave", 0)]}, TEXTS, **text)) == (
            f"query q7, result 1: {line}"
        )


# ---- placing statistics with the run ----------------------------------------------------------------------------


def mixed(**options: str) -> pw.Run:
    results = {"q1": ["Leave is granted", "Ask twice.", ("faq", "nothing")], "q2": ["Your  manager."]}
    return strings.run(results, TEXTS, **options)


MIXED_NOTES = [
    "1 of 4 chunks occurs in several places (first: query q1, rank 2, document handbook); counted as irrelevant text",
    "1 of 4 chunks is not in the documents (first: query q1, rank 3, document faq); counted as irrelevant text",
]


def test_counts() -> None:
    placing = mixed().placing
    assert placing is not None
    assert placing.counts == {"exact": 1, "whitespace": 1, "ambiguous": 1, "missing": 1}
    assert placing.unplaced.tolist() == [False, True, True, False]
    placing = mixed(missing="skip").placing
    assert placing is not None
    assert placing.counts == {"exact": 1, "whitespace": 1, "ambiguous": 1, "missing": 1}


@pytest.mark.parametrize("suffix", ["jsonl", "parquet", "csv", "tsv", "jsonl.gz"])
@pytest.mark.parametrize("options", [{}, {"missing": "skip"}, {"ambiguous": "first"}])
def test_a_file_keeps_how_chunks_were_placed(suffix: str, options: dict[str, str], tmp_path: Path) -> None:
    run, path = mixed(**options), tmp_path / f"run.{suffix}"
    assert pw.write_run(run, path) == []
    [again] = pw.read_runs(path)
    assert (parts(again), outcomes(again), list(again.notes)) == (parts(run), outcomes(run), list(run.notes))
    assert run.placing is not None
    assert again.placing is not None
    assert again.placing.left_out == run.placing.left_out
    assert again.placing.lengths == run.placing.lengths
    scored = pw.evaluate(GOLD, path, "TextP TextR")
    assert [note for note in scored.notes if "chunks" in note] == [f"run: {note}" for note in run.notes]
    assert scored.mean() == pw.evaluate(GOLD, run, "TextP TextR").mean()


def test_the_reason_of_wrong_offsets_is_kept(tmp_path: Path) -> None:
    texts = {"d": "😀 Leave is granted."}
    run = langchain.run({"q1": [chunk("granted", 12, "d")]}, texts)
    assert len(run.notes) == 2
    pw.write_run(run, tmp_path / "run.jsonl")
    assert list(pw.read_runs(tmp_path / "run.jsonl")[0].notes) == list(run.notes)


def test_several_runs_in_a_file(tmp_path: Path) -> None:
    left_out = strings.run({"q1": ["nothing", "Leave"]}, TEXTS, missing="skip", run_id="a")
    placed = strings.run({"q1": ["Leave"]}, TEXTS, run_id="b")
    rows = []
    for run in (left_out, placed):
        pw.write_run(run, tmp_path / "one.jsonl")
        rows += (tmp_path / "one.jsonl").read_text().splitlines()
    (tmp_path / "both.jsonl").write_text("\n".join(rows))
    assert [json.loads(row).get("_placing") for row in rows] == [
        '{"left_out": {"missing": {"count": 1, "first": "query q1, rank 1, document not known"}}, "notes": [], '
        '"lengths": {"handbook": 80}}',
        '{"left_out": {}, "notes": [], "lengths": {"handbook": 80}}',
    ]
    first, second = pw.read_runs(tmp_path / "both.jsonl")
    assert list(first.notes) == [
        "1 of 2 chunks is not in the documents (first: query q1, rank 1, document not known); left out"
    ]
    assert list(second.notes) == []


def test_formats_without_named_columns_lose_it_and_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lost = (
        "run.inex: INEX columns does not record how 2 of 4 chunks were placed; write CSV, TSV, JSON Lines or Parquet "
        "to keep these notes: " + ", ".join(MIXED_NOTES)
    )
    assert pw.write_run(mixed(), tmp_path / "run.inex", "inex") == [f"{tmp_path}/{lost}"]
    fine = strings.run({"q1": ["Leave"]}, TEXTS)
    assert pw.write_run(fine, tmp_path / "fine.inex", "inex") == []
    pw.write_run(mixed(), tmp_path / "run.jsonl")
    assert main(["convert", str(tmp_path / "run.jsonl"), str(tmp_path / "run.inex"), "--to", "inex"]) == 0
    assert capsys.readouterr().err == f"note: {tmp_path}/{lost}\n"


@pytest.mark.parametrize(
    ("cell", "line"),
    [
        ({"how": "here"}, f"the how is 'here'; it must be one of {', '.join(OUTCOMES)}"),
        ({"_placing": "{"}, "the _placing is '{'; it must be as partwise wrote it"),
        ({"_placing": '{"left_out": {"gone": {"count": 1, "first": ""}}, "notes": []}'},
         "the _placing is '{\"left_out\": {\"gone\": {\"count\": 1, \"first\": \"\"}}, \"notes\": …'; it must be as "
         "partwise wrote it"),
    ],
)  # fmt: skip
def test_cells_that_are_not_understood(cell: dict[str, str], line: str, tmp_path: Path) -> None:
    row = {"query_id": "q1", "doc_id": "d", "rank": 1, "start": 0, "end": 3, **cell}
    (tmp_path / "run.jsonl").write_text(json.dumps(row) + "\n")
    assert error_of(lambda: pw.read_runs(tmp_path / "run.jsonl")) == f"{tmp_path}/run.jsonl:1: {line}"


def test_chunks_that_were_not_placed_are_not_parts_past_the_end(tmp_path: Path) -> None:
    pw.write_run(mixed(), tmp_path / "run.jsonl")
    qrels = [{"query_id": "q1", "doc_id": "handbook", "start": 0, "end": 28, "length": len(TEXT)}]
    notes = pw.evaluate(qrels, tmp_path / "run.jsonl", "TextP").notes
    assert not [note for note in notes if "past the end" in note]
    findings = pw.check(qrels, tmp_path / "run.jsonl", collection=TEXTS)
    by_rule = {finding.rule: finding for finding in findings}
    assert "past-end" not in by_rule
    assert "unknown-document" not in by_rule
    assert by_rule["not-placed"].count == 2
    assert by_rule["not-placed"].severity == "warning"
    assert by_rule["not-placed"].examples == (
        f"{tmp_path}/run.jsonl:2: the chunk of 10 characters (query q1, rank 2, document handbook) is not placed: it "
        "occurs in several places",
        f"{tmp_path}/run.jsonl:3: the chunk of 7 characters (query q1, rank 3, document faq) is not placed: it is not "
        "in the documents",
    )
    assert by_rule["note"].examples == tuple(MIXED_NOTES)


# ---- gold -------------------------------------------------------------------------------------------------------


def test_quoted_gold_must_be_at_its_offsets() -> None:
    good = {"query_id": "q1", "doc_id": "handbook", "start": 9, "end": 16, "text": "granted"}
    assert len(pw.spans([good], TEXTS).spans.lines) == 1
    assert len(pw.spans([{**good, "start": "9", "end": "16"}], TEXTS).spans.lines) == 1
    assert error_of(lambda: pw.spans([good, {**good, "start": 8, "end": 15}], TEXTS)) == (
        "spans, row 2: the text 'granted' is not at 8 to 15 of document handbook, where ' grante' is; its only place "
        "there is 9 to 16"
    )
    utf8 = {**good, "doc_id": "d", "start": 3, "end": 10}
    assert len(pw.spans([utf8], {"d": "é granted"}, unit="bytes").spans.lines) == 1
    assert error_of(lambda: pw.spans([utf8], {"d": "é granted"})).endswith(
        "offsets count UTF-8 bytes: the text is at its offsets in these; give --unit bytes (unit='bytes')"
    )


def test_a_corpus_with_other_line_ends(tmp_path: Path) -> None:
    """References counted in text that a loader read with \\n, while the files have \\r\\n."""
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "talk.md").write_bytes(b"One.\r\nTwo.\r\nThree.\r\n")
    references = [
        {"content": "One.", "start_index": 0, "end_index": 4},
        {"content": "Two.\nThree.", "start_index": 5, "end_index": 16},
    ]
    with open(tmp_path / "questions_df.csv", "w", newline="") as file:
        rows = [("question", "references", "corpus_id"), ("What?", json.dumps(references), "talk")]
        csv.writer(file).writerows(rows)
    assert error_of(lambda: chroma.load(tmp_path)) == (
        f"{tmp_path}/questions_df.csv:2: the text 'Two.\\nThree.' is not at 5 to 16 of document talk, where "
        "'\\nTwo.\\r\\nThre' is; offsets were counted with one character for each line end, but the documents have "
        "\\r\\n: all 2 texts are at their offsets if \\r\\n counts as one; save the documents with \\n, or count "
        "offsets in the files as they are (open(..., newline=''))"
    )


# ---- the packages themselves ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def texts(chunking: Path) -> dict[str, str]:
    return {name: text for name, text in chroma.load(chunking).documents.items() if len(text) < 200_000}


@pytest.mark.slow
def test_hierarchical_nodes_of_llamaindex(texts: dict[str, str]) -> None:
    from llama_index.core.node_parser import HierarchicalNodeParser, get_leaf_nodes
    from llama_index.core.schema import Document

    documents = [Document(text=text, doc_id=name) for name, text in texts.items()]
    nodes = HierarchicalNodeParser.from_defaults(chunk_sizes=[512, 256, 128]).get_nodes_from_documents(documents)
    leaves = get_leaf_nodes(nodes)
    assert len(leaves) > 200
    assert any(texts[leaf.ref_doc_id][leaf.start_char_idx : leaf.end_char_idx] != leaf.text for leaf in leaves)
    for run in (llamaindex.run({"q": leaves}, documents), llamaindex.run({"q": leaves}, nodes=nodes)):
        assert [texts[doc][start:end] for doc, start, end in parts(run)] == [leaf.text for leaf in leaves]
    assert set(outcomes(llamaindex.run({"q": leaves}, documents, nodes=nodes))) == {"exact", "parent"}
    assert "count from its parent" in error_of(lambda: llamaindex.run({"q": leaves}))


@pytest.mark.slow
def test_automatic_merging_of_llamaindex(texts: dict[str, str]) -> None:
    from llama_index.core.node_parser import HierarchicalNodeParser, get_leaf_nodes
    from llama_index.core.retrievers import AutoMergingRetriever, BaseRetriever
    from llama_index.core.schema import Document, NodeWithScore
    from llama_index.core.storage import StorageContext

    documents = [Document(text=text, doc_id=name) for name, text in texts.items()]
    nodes = HierarchicalNodeParser.from_defaults(chunk_sizes=[512, 256, 128]).get_nodes_from_documents(documents)
    found = [NodeWithScore(node=leaf, score=1.0) for leaf in get_leaf_nodes(nodes)[40:60]]

    class Some(BaseRetriever):
        def _retrieve(self, query: Any) -> list[NodeWithScore]:
            return found

    storage = StorageContext.from_defaults()
    storage.docstore.add_documents(nodes)
    merged = AutoMergingRetriever(Some(), storage, simple_ratio_thresh=0.4).retrieve("?")
    assert len(merged) < len(found)
    for run in (
        llamaindex.run({"q": merged}, documents),
        llamaindex.run({"q": merged}, nodes=storage.docstore.docs.values()),
    ):
        assert [texts[doc][start:end] for doc, start, end in parts(run)] == [item.node.text for item in merged]


@pytest.mark.slow
def test_windows_of_llamaindex(texts: dict[str, str]) -> None:
    from llama_index.core.node_parser import SentenceWindowNodeParser
    from llama_index.core.postprocessor import MetadataReplacementPostProcessor
    from llama_index.core.schema import Document, NodeWithScore

    documents = [Document(text=text, doc_id=name) for name, text in texts.items()]
    nodes = SentenceWindowNodeParser.from_defaults(window_size=2).get_nodes_from_documents(documents)
    sentences = parts(llamaindex.run({"q": nodes}, documents))
    assert parts(llamaindex.run({"q": nodes})) == sentences
    replace = MetadataReplacementPostProcessor(target_metadata_key="window")
    windows = replace.postprocess_nodes([NodeWithScore(node=one.model_copy(deep=True), score=1.0) for one in nodes])
    run = llamaindex.run({"q": windows}, documents)
    assert set(outcomes(run)) <= {"exact", "whitespace"}
    for (doc, start, end), (of_doc, first, last) in zip(parts(run), sentences, strict=True):
        assert doc == of_doc
        assert texts[doc][first : max(start, first)].strip() == ""
        assert texts[doc][max(end, first) : last].strip() == ""
    assert "is a window" in error_of(lambda: llamaindex.run({"q": windows}))


@pytest.mark.slow
def test_chunks_of_langchain_that_were_changed(texts: dict[str, str]) -> None:
    from langchain_core.documents import Document
    from langchain_text_splitters import CharacterTextSplitter, MarkdownHeaderTextSplitter
    from langchain_text_splitters import RecursiveCharacterTextSplitter as Recursive

    documents = [Document(page_content=text, metadata={"source": name}) for name, text in texts.items()]
    splitter = Recursive(chunk_size=300, chunk_overlap=60, add_start_index=True)
    chunks = splitter.split_documents(documents)
    true = parts(langchain.run({"q": chunks}, documents))
    assert parts(langchain.run({"q": chunks})) == true

    headed = [Document("From a talk:\n" + one.page_content, metadata=one.metadata) for one in chunks]
    long = [number for number, one in enumerate(chunks) if len(one.page_content) >= CERTAIN]
    run = langchain.run({"q": headed}, documents)
    assert [parts(run)[number] for number in long] == [true[number] for number in long]
    assert {outcomes(run)[number] for number in long} == {"trimmed"}
    assert "have different texts at" in error_of(lambda: langchain.run({"q": headed}))
    original = {id(changed): one.page_content for changed, one in zip(headed, chunks, strict=True)}
    assert parts(langchain.run({"q": headed}, documents, text=lambda one: original[id(one)])) == true

    lower = [Document(one.page_content.lower(), metadata=one.metadata) for one in chunks]
    assert parts(langchain.run({"q": lower}, documents)) == true

    markdown = "# Leave\n\nLeave is granted on request.\n\n# Travel\n\nTravel is paid for on request.\n"
    twice = splitter.split_documents(MarkdownHeaderTextSplitter([("#", "title")]).split_text(markdown))
    for one in twice:
        one.metadata["source"] = "guide"
    assert "have different texts at" in error_of(lambda: langchain.run({"q": twice}))
    run = langchain.run({"q": twice}, {"guide": markdown})
    assert [markdown[start:end] for _, start, end in parts(run)] == [one.page_content for one in twice]

    by_pattern = CharacterTextSplitter(r"\s+", is_separator_regex=True, chunk_size=40, chunk_overlap=0,
                                       add_start_index=True).split_documents([Document(markdown)])  # fmt: skip
    assert {one.metadata["start_index"] for one in by_pattern} == {-1}
    assert "the splitter did not find it" in error_of(
        lambda: langchain.run({"q": by_pattern}, source=lambda _: "guide")
    )
