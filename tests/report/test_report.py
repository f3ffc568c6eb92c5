"""The report: its page shows the evaluated data, and nothing in the data can become markup."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given

import partwise as pw
from oracles.worlds import worlds
from partwise.adapters import strings
from partwise.api import Evaluator
from partwise.cli import main
from partwise.listing import results
from partwise.report.content import text_content
from partwise.report.page import in_script
from partwise.tables import Tables
from support.reports import HOSTILE, HOSTILE_TEXT, MEASURES, NUGGETS, blobs_of, data_of, hostile_page, report

DEMO = pw.demo()


@pytest.fixture(scope="module")
def page() -> str:
    return report(
        DEMO.qrels, DEMO.runs, MEASURES, collection=DEMO.collection, queries=DEMO.folder / "topics.jsonl", title="Bees"
    )


@pytest.fixture(scope="module")
def scores() -> pw.Scores:
    return pw.evaluate(DEMO.qrels, DEMO.runs, MEASURES, collection=DEMO.collection)


def test_the_leaderboard_has_the_scores(page: str, scores: pw.Scores) -> None:
    data = data_of(page)
    assert data["runs"] == scores.run_ids
    assert [measure["name"] for measure in data["measures"]] == scores.measures
    for measure in data["measures"]:
        for run, mean, low, high in zip(data["runs"], measure["mean"], measure["low"], measure["high"], strict=True):
            assert mean == pytest.approx(scores.mean()[run][measure["name"]], rel=1e-5)
            assert low <= mean <= high
    queries = [query["id"] for query in data["queries"]]
    for measure, of_measure in zip(scores.measures, blobs_of(page)["values"], strict=True):
        for run, of_run in zip(data["runs"], of_measure, strict=True):
            values = scores.per_query()[run][measure]
            assert of_run == [pytest.approx(values[query], rel=1e-5) for query in queries]


def test_significance_is_that_of_compare(page: str, scores: pw.Scores) -> None:
    data = data_of(page)
    rows = {(row["measure"], row["run_id"]): row["beats"] for row in pw.compare(scores).rows()}
    letters = {(m["name"], run): m["letters"][i] for m in data["measures"] for i, run in enumerate(data["runs"])}
    assert letters == rows
    assert any(letters.values())


def test_titles_and_sentence(page: str) -> None:
    data = data_of(page)
    assert data["queries"][0] == {
        "id": "no-swarms",
        "title": "keeping a colony from swarming",
        "description": "What can a beekeeper do in spring to prevent a colony from swarming?",
    }
    assert data["about"]["sentence"] == (
        f"6 runs with 1,252 results, judged by {DEMO.qrels} on 11 queries: 11 of 11 queries scored."
    )
    assert "<title>Bees</title>" in page


def test_curves_are_the_means_of_their_measures(page: str) -> None:
    curves = {curve["title"]: curve for curve in data_of(page)["curves"]}
    assert list(curves) == ["Precision by recall", "Recall by text read", "Effort by gain", "Gain by rank"]
    expected = pw.evaluate(
        DEMO.qrels, DEMO.runs, "iP@0.5 TextR(budget=6400) ep@0.5 nxCG@10", collection=DEMO.collection
    )
    for (title, x), name in zip(
        {"Precision by recall": 0.5, "Recall by text read": 6400, "Effort by gain": 0.5, "Gain by rank": 10}.items(),
        expected.measures,
        strict=True,
    ):
        at = curves[title]["x"].index(x)
        of_elements = title in ("Effort by gain", "Gain by rank")
        assert [y[at] for y in curves[title]["y"]] == [
            None if of_elements and run in CHUNKED else pytest.approx(expected.mean()[run][name], rel=1e-5)
            for run in expected.run_ids
        ]
    line = "chunks, overlapping return chunks, not elements: they have no curves of gain and effort, which count"
    assert f"{line} elements only" in data_of(page)["about"]["notes"]


CHUNKED = ("chunks", "overlapping")
"""Runs of the demo whose results are not elements, so that they have no curves of gain."""


def test_parameters_are_explained() -> None:
    page = report(DEMO.qrels, [DEMO.runs["chunks"]], "TextR@1 TextR(budget=4000) TextF(beta=2)@5")
    one, budget, weighted = (measure["meaning"] for measure in data_of(page)["measures"])
    assert one == "Text recall: the share of the highlighted text that is returned. The first result counts."
    assert budget == (
        "Text recall: the share of the highlighted text that is returned. budget=4000: read this many characters, or "
        "of what is counted, instead of a number of results."
    )
    assert weighted.endswith("beta=2: weight of recall over precision. The first 5 results count.")


def test_every_query_and_document_is_in_the_page_once(page: str) -> None:
    blobs = blobs_of(page)
    data = data_of(page)
    texts = [blob["text"] for name, blob in blobs.items() if name.startswith("document-")]
    assert len(texts) == len(set(texts)) == len(DEMO.collection)
    for number, query in enumerate(data["queries"]):
        content = blobs[f"query-{number}"]
        for run, ranked in zip(data["runs"], content["lists"], strict=True):
            assert [row[0] for row in ranked["rows"]] == list(range(1, ranked["total"] + 1)), (query, run)
        for doc in content["docs"]:
            assert blobs[f"document-{doc['text']}"]["text"] == DEMO.collection[doc["id"]].text


def test_rows_count_characters(page: str) -> None:
    """Every row of the demo, compared with sets of characters; the relevant ones are read from the assessments."""
    judged = [json.loads(line) for line in DEMO.qrels.read_text().splitlines()]
    first_assessor: dict[str, str] = {}
    passages: dict[tuple[str, str], list[list[int]]] = {}
    for row in judged:
        assessor = first_assessor.setdefault(row["query_id"], row["assessor"])
        if "start" in row and row["assessor"] == assessor:
            passages.setdefault((row["query_id"], row["doc_id"]), []).append([row["start"], row["end"]])
    assert {row["assessor"] for row in judged} == {"ada", "ben"}
    blobs = blobs_of(page)
    rows = 0
    for number, query in enumerate(data_of(page)["queries"]):
        content = blobs[f"query-{number}"]
        of_doc = [sorted(passages.get((query["id"], doc["id"]), [])) for doc in content["docs"]]
        assert [doc["passages"] for doc in content["docs"]] == of_doc, query
        for ranked in content["lists"]:
            seen: dict[int, set[int]] = {}
            for _, doc, spans, size, highlighted, new, gained, *_ in ranked["rows"]:
                here = {i for start, end in zip(spans[::2], spans[1::2], strict=True) for i in range(start, end)}
                relevant = {i for start, end in of_doc[doc] for i in range(start, end)}
                before = seen.setdefault(doc, set())
                assert (size, highlighted) == (len(here), len(here & relevant))
                assert (new, gained) == (len(here - before), len((here - before) & relevant))
                before |= here
                rows += 1
    assert rows == 1252  # the number of results in test_titles_and_sentence


@given(worlds())
def test_lists_of_random_worlds_count_characters(world: Any) -> None:
    assume(any(world.results.get(query) for query in world.judged))
    evaluator = Evaluator(world.qrels(), "Overlap")
    [run] = evaluator.read(world.run())
    for batch in evaluator.evaluation.batches(run):
        listed = results(evaluator.evaluation, Tables(batch))
        seen: dict[tuple[int, int], set[int]] = {}
        for i in range(len(listed)):
            spans = slice(int(listed.span_offsets[i]), int(listed.span_offsets[i + 1]))
            here = {
                c
                for s, e in zip(listed.start[spans].tolist(), listed.end[spans].tolist(), strict=True)
                for c in range(s, e)
            }
            before = seen.setdefault((int(batch.query_of_row[i]), int(batch.doc[i])), set())
            assert int(listed.size[i]) == len(here)
            assert int(listed.new[i]) == len(here - before)
            before |= here


# ---- passages and nuggets -------------------------------------------------------------------------------------


def test_passages_and_nuggets_are_those_of_explain() -> None:
    """By the match of the first measure that has one, over the whole list."""
    run = DEMO.folder / "runs" / "chunks.run"
    for measures, match in (("TextP@10", "cover(0.5)"), ("TextP@10 PartR(match=seen(0.8))@3", "seen(0.8)")):
        page = report(NUGGETS, [run], measures)
        assert data_of(page)["match"].startswith(f"{match}: the result")
        content = blobs_of(page)["query-0"]
        places = [[content["docs"][doc]["id"], spans] for doc, spans in content["gold"]]
        assert places == [[row["doc_id"], [row["start"], row["end"]]] for row in NUGGETS]
        assert content["nuggets"] == [
            ["why it sets", [0, 1]],
            ["how to melt it", [2]],
            ["how to cream it", [3]],
            ["", [4]],
        ]
        [shown] = content["shown"]
        explained = pw.explain(NUGGETS, run, query_id="set-honey", measure=f"PartR(match={match})")
        by_part = {row["part"]: row for row in explained}
        for (_, (start, end)), (rank, share, from_rank) in zip(places, shown, strict=True):
            row = by_part[f"{start}-{end}"]
            assert (rank or "", from_rank or "") == (row["rank"], row["from_rank"])
            assert 0 <= row["share"] - share < 1e-4


def test_documents_that_nobody_judged() -> None:
    qrels = [{"query_id": "q", "doc_id": "a", "start": 0, "end": 5}, {"query_id": "q", "doc_id": "b", "grade": 0}]
    content = blobs_of(report(qrels, {"q": [("a", 0, 5), ("b", 0, 5), ("c", 0, 5)]}, "TextP"))["query-0"]
    assert {doc["id"]: doc["judged"] for doc in content["docs"]} == {"a": True, "b": True, "c": False}


def test_without_passages_none_are_marked() -> None:
    page = report({"q": {"a": 1}}, {"q": ["a", "b"]}, "P@1")
    assert data_of(page)["match"] == ""
    assert "gold" not in blobs_of(page)["query-0"]


def test_a_run_without_results_for_a_query_finds_nothing() -> None:
    qrels = {"q": [("a", 0, 5)], "r": [("a", 0, 5)]}
    page = report(qrels, {"x": {"q": [("a", 0, 5)]}, "y": {"q": [("a", 0, 2)], "r": [("b", 0, 5)]}}, "TextP")
    blobs = blobs_of(page)
    assert blobs["query-0"]["shown"] == [[[1, 1.0, 1]], [[None, 0.4, 1]]]
    assert blobs["query-1"]["shown"] == [[[None, 0.0, None]], [[None, 0.0, None]]]


def test_the_same_input_is_the_same_page(page: str) -> None:
    again = report(
        DEMO.qrels, DEMO.runs, MEASURES, collection=DEMO.collection, queries=DEMO.folder / "topics.jsonl", title="Bees"
    )
    assert again == page


def test_nothing_in_the_data_is_markup() -> None:
    html = hostile_page()
    assert HOSTILE not in html
    assert "<img src=x" not in html
    assert data_of(html)["queries"] == [{"id": HOSTILE, "title": HOSTILE, "description": ""}]
    assert blobs_of(html)["document-0"]["text"] == HOSTILE_TEXT


def test_json_in_a_script_cannot_end_it() -> None:
    text = in_script({"a": HOSTILE}).decode()
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == {"a": HOSTILE}


def test_size_is_bounded_and_omissions_are_noted(page: str) -> None:
    whole = len(page.encode()) / 1e6
    for limit in (whole * 0.99, whole - 0.04, whole - 0.06):
        html = report(DEMO.qrels, DEMO.runs, MEASURES, collection=DEMO.collection, max_mb=limit)
        assert len(html.encode()) <= limit * 1e6
        notes = " ".join(data_of(html)["about"]["notes"])
        blobs = blobs_of(html)
        texts = sum(name.startswith("document-") for name in blobs)
        lists = sum(name.startswith("query-") for name in blobs)
        left_out = re.search(r"The texts of (\d+) of (\d+) documents are left out", notes)
        assert left_out
        assert int(left_out[1]) + texts == int(left_out[2])
        assert int(left_out[2]) == 14 if lists == 11 else int(left_out[2]) <= 14
        assert (lists < 11) == (f"The lists of {11 - lists} of 11 queries are left out" in notes)
        needed = {doc["id"] for name, of in blobs.items() if name.startswith("query-") for doc in of["docs"]}
        assert sorted(filter(None, blobs["names"])) == sorted(needed)


def test_no_names_without_lists() -> None:
    low, high = 100_000, 3_000_000
    while high - low > 50:  # the smallest report
        limit = (low + high) // 2
        try:
            html = report(DEMO.qrels, DEMO.runs, "iAP", max_mb=limit / 1e6)
            high = limit
        except pw.PartwiseError:
            low = limit
    assert len(html.encode()) <= high
    assert not any(name.startswith(("query-", "names")) for name in blobs_of(html))


def test_a_size_limit_that_is_too_small() -> None:
    line = r"takes \d\.\d\d MB without any list or document, and 0\.1 MB are allowed; raise max_mb \(--max-mb\)$"
    with pytest.raises(pw.PartwiseError, match=line):
        report(DEMO.qrels, DEMO.runs, "iAP", max_mb=0.1, collection=DEMO.collection)


def test_blocks_of_mixed_content() -> None:
    xml = "<a><title>One</title><p>Two <em>three</em> four</p><sec><p>five</p></sec></a>"
    content = text_content(pw.Collection.open({"d": xml})["d"])
    assert content["text"] == "OneTwo three fourfive"
    assert content["blocks"] == [(0, "heading"), (3, "block"), (17, "block")]
    assert not content["asWritten"]


def test_cells_of_a_row_continue_its_line() -> None:
    rows = "<row><cell>a</cell> <cell><p>b</p><p>c</p></cell></row><tr><th>d</th><td>e</td></tr>"
    xml = f"<a><table>{rows}</table><p>f</p></a>"
    content = text_content(pw.Collection.open({"d": xml})["d"])
    assert content["text"] == "a bcdef"
    assert content["blocks"] == [
        (0, "block"), (2, "cell"), (3, "block"), (4, "block"), (5, "cell"), (6, "block"),
    ]  # fmt: skip


def test_documents_whose_length_is_not_known(tmp_path: Path) -> None:
    qrels = tmp_path / "q.txt"
    qrels.write_text("t Q0 d 5 100 0 0:5\n")
    run = tmp_path / "a.run"
    run.write_text("t Q0 d 1 2.0 a\nt Q0 elsewhere 2 1.0 a\n")
    html = report(str(qrels), [str(run)], "nDCG@10")
    content = blobs_of(html)["query-0"]
    assert [row[3] for row in content["lists"][0]["rows"]] == [100, 0]
    assert any(note.startswith("a: no recall-precision curve: ") for note in data_of(html)["about"]["notes"])


def test_a_report_of_saved_scores(tmp_path: Path, scores: pw.Scores, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    runs = [str(path) for path in DEMO.runs.values()]
    arguments = ["evaluate", str(DEMO.qrels), *runs, "--collection", str(DEMO.folder / "articles"), "-m", MEASURES]
    assert main([*arguments, "-q", "-o", "scores.parquet"]) == 0
    assert main(["report", "scores.parquet", "-o", "saved.html"]) == 0
    data = data_of(Path("saved.html").read_text())
    assert not data["explorer"]
    assert data["curves"] == []
    for measure in data["measures"]:
        assert dict(zip(data["runs"], measure["mean"], strict=True)) == {
            run: pytest.approx(means[measure["name"]], rel=1e-5) for run, means in scores.mean().items()
        }
        assert measure["meaning"]


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r.html"
    arguments = [str(DEMO.qrels), str(DEMO.runs["chunks"]), "--queries", str(DEMO.folder / "topics.jsonl"), "-m", "iAP"]
    assert main(["report", *arguments, "-o", str(out)]) == 0
    size = len(out.read_bytes()) / 1e6
    assert capsys.readouterr().err.endswith(f"{out}: {size:.1f} MB, open it in a browser\n")
    assert data_of(out.read_text())["runs"] == ["chunks"]


def test_the_order_of_arguments_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    with pytest.raises(pw.PartwiseError, match=r"^path is of type dict; give qrels, runs and the path of the report$"):
        pw.write_report(path, DEMO.qrels, dict(DEMO.runs))  # type: ignore[arg-type]
    line = "scores is of type PosixPath; give scores and the path of the report"
    with pytest.raises(pw.PartwiseError, match=f"^{line}$"):
        pw.write_scores_report(path, pw.evaluate(DEMO.qrels, DEMO.runs, "P@1"))  # type: ignore[arg-type]
    assert not path.exists()


def test_measures_with_a_learned_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("routes.jsonl").write_text('{"route": ["section", "p", "section", "article"]}\n')
    assert main(["navigation", "learn", "routes.jsonl", "--by", "tag", "-o", "users.json"]) == 0
    arguments = [str(DEMO.qrels), str(DEMO.runs["sections"]), "--collection", str(DEMO.folder / "articles")]
    assert main(["report", *arguments, "-m", "ESRR(nav=users)@10", "--navigation", "users.json"]) == 0
    [measure] = data_of(Path("report.html").read_text())["measures"]
    assert measure["name"] == "ESRR(parts=elements,nav=users,rel=binary)@10"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--max-mb", "0"], "partwise report: argument --max-mb: '0' is not a number of megabytes above 0, up to 2000; "
         "see partwise report --help"),
        (["--queries", "no.jsonl"], "no.jsonl: no such file; give the path of a file that exists"),
    ],
)  # fmt: skip
def test_errors(arguments: list[str], line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r.html"
    assert main(["report", str(DEMO.qrels), str(DEMO.runs["chunks"]), "-o", str(out), *arguments]) == 2
    assert capsys.readouterr().err == line + "\n"
    assert not out.exists()


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ('<topics><topic id="7"><title>olive <b>oil</b></title></topic></topics>', "a.xml"),
        ("<parameters><query><number>7</number><text>#combine( olive oil )</text></query></parameters>", "b.xml"),
        ('{"query_id": "7", "text": "olive oil"}\n', "c.jsonl"),
        ("query_id,question\n7,olive  oil\n", "d.csv"),
        ("query_id\ttitle\n7\tolive oil\n", "e.tsv"),
    ],
)
def test_titles_are_read_from(content: str, name: str, tmp_path: Path) -> None:
    from partwise.formats import titles_from

    path = tmp_path / name
    path.write_text(content)
    assert titles_from(path)["7"] == ("olive oil", "")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("<a><b></a>", "{}:1: is not well-formed XML (mismatched tag); fix the markup"),
        ("<a>text</a>", "{}: has no queries; give elements that have an id and a title"),
        (
            '<!DOCTYPE a [<!ENTITY e "x">]><a/>',
            "{}:1: declares entities, which are not supported; write their text where they are used",
        ),
        (
            "7 olive oil\n",
            "{}: has no named columns; give queries with query_id and title as JSON Lines, CSV, TSV or XML",
        ),
        (
            '{"query_id": "7", "words": "x"}\n',
            "{}: has no column 'title' (it has 'query_id', 'words'); queries need it",
        ),
    ],
)
def test_titles_that_cannot_be_read(content: str, line: str, tmp_path: Path) -> None:
    from partwise.formats import titles_from

    path = tmp_path / "queries"
    path.write_text(content)
    with pytest.raises(pw.PartwiseError) as error:
        titles_from(path)
    assert str(error.value) == line.format(path)


def test_inex_stays_small(inex: Path) -> None:
    runs = [inex / f"{name}.run" for name in ("focused", "passages", "documents")]
    html = report(inex / "qrels.txt", runs, "nDCG@10 AP", unit="bytes", queries=inex / "topics.xml")
    assert len(html.encode()) < 10e6
    data = data_of(html)
    assert len(data["queries"]) == 120
    assert data["queries"][0]["title"] == "nobel prize"
    lists = [
        rows["rows"] for name, blob in blobs_of(html).items() if name.startswith("query") for rows in blob["lists"]
    ]
    assert sum(map(len, lists)) > 10_000
    curves = {curve["title"]: curve["y"] for curve in data["curves"]}
    assert [y[0] is not None for y in curves["Precision by recall"]] == [True, True, False]
    assert np.isfinite([mean for measure in data["measures"] for mean in measure["mean"]]).all()


def test_chunks_without_a_place_are_shown_as_not_placed(tmp_path: Path) -> None:
    """They keep rank and size; they are neither parts past the end of the document nor drawn in it."""
    texts = {"d": "One two. One two. Three."}
    run = strings.run({"q": ["Three.", "One two.", ("d", "nothing")]}, texts, run_id="chunks")
    path = tmp_path / "chunks.jsonl"
    pw.write_run(run, path)
    qrels = [{"query_id": "q", "doc_id": "d", "start": 18, "end": 24}]
    for one in (run, str(path)):
        html = report(qrels, [one], "TextP TextR", collection=texts)
        [content] = [blob for name, blob in blobs_of(html).items() if name.startswith("query")]
        assert [(row[0], row[2], row[3], row[10]) for row in content["lists"][0]["rows"]] == [
            (1, [18, 24], 6, None),
            (2, [], 8, "not placed: the chunk occurs in several places"),
            (3, [], 7, "not placed: the chunk is not in the documents"),
        ]
        notes = data_of(html)["about"]["notes"]
        assert notes[:2] == [
            "chunks: 1 of 3 chunks occurs in several places (first: query q, rank 2, document d); counted as "
            "irrelevant text",
            "chunks: 1 of 3 chunks is not in the documents (first: query q, rank 3, document d); counted as irrelevant "
            "text",
        ]
        assert not [note for note in notes if "past the end" in note]
