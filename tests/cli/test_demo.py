"""The demo: its files are up to date, its judgements are consistent, and its statements are true."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import partwise as pw
from partwise.cli import demo as command
from partwise.cli import main
from partwise.model import NONE
from partwise.outputs import write_folder
from support.paths import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import make_demo

DEMO = pw.demo()
INLINE = {"em", "term", "name"}
Rows = list[dict[str, Any]]
Means = dict[str, dict[str, float]]


def rows(name: str) -> Rows:
    return [json.loads(line) for line in (DEMO.folder / name).read_text().splitlines()]


def results(name: str) -> dict[str, list[list[str]]]:
    """The lines of a run, by query."""
    lines: dict[str, list[list[str]]] = {}
    for line in DEMO.runs[name].read_text().splitlines():
        lines.setdefault(line.split()[0], []).append(line.split())
    return lines


def spans(name: str) -> dict[str, list[tuple[str, int, int]]]:
    """Document, start and end of every result, by query."""
    by_query: dict[str, list[tuple[str, int, int]]] = {}
    for query, lines in results(name).items():
        for line in lines:
            document = DEMO.collection[line[2]]
            if len(line) == 6:
                start, end = 0, document.length
            elif len(line) == 7:
                start, end = document.span(line[6])
            else:
                start, end = int(line[6]), int(line[6]) + int(line[7])
            by_query.setdefault(query, []).append((line[2], start, end))
    return by_query


QRELS = rows("qrels.jsonl")
JUDGED = [row for row in QRELS if "grade" in row]
PASSAGES = [row for row in QRELS if "start" in row]
ELEMENTS = [row for row in QRELS if "path" in row]


def key(row: dict[str, Any]) -> tuple[str, str, str]:
    return row["query_id"], row["doc_id"], row["assessor"]


def highlighted(of: tuple[str, str, str]) -> set[int]:
    """The characters that an assessor highlighted in a document."""
    return {at for row in PASSAGES if key(row) == of for at in range(row["start"], row["end"])}


# ---- sources ------------------------------------------------------------------------------------------------


def test_the_files_are_what_the_sources_generate() -> None:
    files = make_demo.demo_files()
    assert [name for name, content in files.items() if (DEMO.folder / name).read_bytes() != content] == []
    assert set(files) == {"topics.jsonl", "qrels.jsonl", *(f"runs/{name}.run" for name in DEMO.runs)}
    there = {str(path.relative_to(DEMO.folder)) for path in DEMO.folder.rglob("*") if path.is_file()}
    assert {name for name in there if not name.endswith((".py", ".pyc"))} == set(DEMO.files())


@pytest.mark.parametrize(
    ("quote", "problem"),
    [
        ("bees", "d: 'bees' occurs 2 times; quote text that occurs once"),
        ("wasps", "d: 'wasps' occurs 0 times; quote text that occurs once"),
        ("Old … bees", "d: 'bees' occurs 2 times; quote text that occurs once"),
        ("honey … Old", "d: 'honey … Old' ends before it begins"),
    ],
)
def test_a_quote_must_occur_exactly_once(quote: str, problem: str) -> None:
    document = pw.Collection.open({"d": "<a><p>Old bees.</p> <p>Young bees and honey.</p></a>"})["d"]
    with pytest.raises(SystemExit) as stop:
        make_demo.span_of(quote, document)
    assert str(stop.value) == problem
    assert make_demo.span_of("Young", document) == (10, 15)
    assert make_demo.span_of("Old … Young", document) == (0, 15)


@pytest.mark.parametrize("doc_id", DEMO.collection)
def test_an_article_has_substance_and_structure(doc_id: str) -> None:
    document = DEMO.collection[doc_id]
    assert 700 <= len((document.text or "").split()) <= 1500
    assert not (document.text or "").isascii()
    assert {"article", "title", "abstract", "body", "section", "p"} <= set(document.tag)
    assert {"table", "list"} & set(document.tag)
    assert INLINE & set(document.tag)
    assert int(document.depth.max()) >= 5
    assert document.path[1:3] == ["/article[1]/title[1]", "/article[1]/abstract[1]"]


def test_size_of_the_collection() -> None:
    assert len(DEMO.collection) >= 12
    assert len(DEMO.queries) >= 8
    assert len(DEMO.runs) >= 6
    assert sum((DEMO.folder / name).stat().st_size for name in DEMO.files()) < 500_000
    for query in DEMO.queries.values():
        assert set(query) == {"title", "description", "narrative"}
        assert all(query.values())


# ---- judgements ---------------------------------------------------------------------------------------------


def test_every_assessor_of_a_query_judged_every_article_once() -> None:
    assessors = {(row["query_id"], row["assessor"]) for row in JUDGED}
    assert Counter(map(key, JUDGED)) == Counter((q, doc, a) for q, a in assessors for doc in DEMO.collection)
    assert {query for query, assessor in assessors if assessor == "ada"} == set(DEMO.queries)


def test_every_query_has_several_relevant_articles_and_not_all() -> None:
    for query in DEMO.queries:
        relevant = {row["doc_id"] for row in JUDGED if row["query_id"] == query and row["grade"] > 0}
        assert 2 <= len(relevant) < len(DEMO.collection)


def test_some_answers_are_sections_and_some_are_sentences() -> None:
    sizes = {
        query: [row["end"] - row["start"] for row in PASSAGES if row["query_id"] == query] for query in DEMO.queries
    }
    assert sum(max(of_query) > 1000 for of_query in sizes.values()) >= 4
    assert sum(max(of_query) < 700 for of_query in sizes.values()) >= 2


def test_grades_passages_entries_and_lengths_are_consistent() -> None:
    for row in JUDGED:
        document = DEMO.collection[row["doc_id"]]
        assert row["length"] == document.length
        grades = {e["path"]: e["exhaustivity"] for e in ELEMENTS if key(e) == key(row)}
        assert row["grade"] == grades.get("/article[1]", 0)
        assert (row["grade"] > 0) == ("bep" in row) == bool(highlighted(key(row)))
        assert 0 <= row.get("bep", 0) < document.length


def test_best_entry_points_are_near_highlighted_text() -> None:
    for row in JUDGED:
        if "bep" in row:
            assert min(abs(row["bep"] - at) for at in highlighted(key(row))) < 200


def test_elements_are_graded_by_their_share_of_highlighted_text() -> None:
    for row in JUDGED:
        document, marked = DEMO.collection[row["doc_id"]], highlighted(key(row))
        shares = {}
        for node, path in enumerate(document.path):
            inside = range(int(document.start[node]), int(document.end[node]))
            if marked & set(inside):
                shares[path] = len(marked & set(inside)) / len(inside)
        graded = {e["path"]: e["specificity"] for e in ELEMENTS if key(e) == key(row)}
        assert graded == pytest.approx(shares, abs=1e-6)


def test_containing_elements_are_at_least_as_exhaustive() -> None:
    level = {"?": 0, 1: 1, 2: 2}
    grades = {(*key(row), row["path"]): level[row["exhaustivity"]] for row in ELEMENTS}
    for (*of, path), grade in grades.items():
        above = path.rpartition("/")[0]
        assert not above or grades[(*of, above)] >= grade
    assert set(grades.values()) == {0, 1, 2}


def test_two_assessors_judged_some_queries_and_really_differ() -> None:
    twice = {row["query_id"] for row in JUDGED if row["assessor"] == "ben"}
    assert len(twice) >= 4
    marked: dict[tuple[str, str], int] = {}
    for query in twice:
        ada, ben = (
            {(doc, at) for doc in DEMO.collection for at in highlighted((query, doc, who))} for who in ("ada", "ben")
        )
        assert 0.05 < len(ada & ben) / len(ada | ben) < 0.95
        marked[query, "ada"], marked[query, "ben"] = len(ada), len(ben)
    relevant = {
        who: {key(row)[:2] for row in JUDGED if row["assessor"] == who and row["grade"]} for who in ("ada", "ben")
    }
    assert relevant["ben"] - relevant["ada"]
    assert {pair for pair in relevant["ada"] if pair[0] in twice} - relevant["ben"]


def test_the_reader_reads_everything() -> None:
    read = pw.read_assessments(DEMO.qrels)
    assert list(read.assessors) == ["ada", "ben"]
    assert read.scale == "inex2005"
    assert (len(read.documents.lines), len(read.spans.lines), len(read.elements.lines)) == (
        len(JUDGED),
        len(PASSAGES),
        len(ELEMENTS),
    )
    assert ((read.documents.bep == NONE) == (read.documents.grade == 0)).all()
    assert np.isfinite(read.elements.specificity).all()


# ---- runs ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DEMO.runs)
def test_a_run_answers_every_query_with_a_list_in_order(name: str) -> None:
    by_query = results(name)
    assert list(by_query) == list(DEMO.queries)
    for lines in by_query.values():
        assert 5 <= len(lines) <= 20
        assert [int(line[3]) for line in lines] == list(range(1, len(lines) + 1))
        scores = [float(line[4]) for line in lines]
        assert scores == sorted(scores, reverse=True)
        assert {line[5] for line in lines} == {name}
    [run] = pw.read_runs(DEMO.runs[name])
    assert run.run_id == name


def test_trec_order_is_that_of_the_file() -> None:
    for lines in results("articles").values():
        order = sorted(lines, key=lambda line: line[2], reverse=True)
        assert lines == sorted(order, key=lambda line: -float(line[4]))


@pytest.mark.parametrize("name", DEMO.runs)
def test_only_two_runs_overlap_and_one_repeats(name: str) -> None:
    overlaps = repeats = 0
    for parts in spans(name).values():
        repeats += len(parts) - len(set(parts))
        overlaps += any(
            a[0] == b[0] and max(a[1], b[1]) < min(a[2], b[2]) for i, a in enumerate(parts) for b in parts[:i]
        )
    assert (overlaps > 0) == (name in ("overlapping", "careless"))
    assert (repeats > 0) == (name == "careless")


def test_chunks_are_of_600_characters() -> None:
    for name, step in (("chunks", 600), ("overlapping", 300)):
        for parts in spans(name).values():
            for doc_id, start, end in parts:
                assert start % step == 0
                assert end == min(start + 600, DEMO.collection[doc_id].length)


# ---- the story ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def means() -> Means:
    return pw.evaluate(DEMO.qrels, DEMO.runs, command.MEASURES, collection=DEMO.collection).mean()


@pytest.fixture(scope="module")
def bens() -> Means:
    return pw.evaluate(DEMO.qrels, DEMO.runs, command.MEASURES, collection=DEMO.collection, assessor="ben").mean()


@pytest.fixture(scope="module")
def story(means: Means, bens: Means) -> dict[str, str]:
    return dict(command.story(means, bens, *command.second_opinion(pw.read_assessments(DEMO.qrels))))


def best(means: Means, measure: str) -> str:
    [first] = [run for run in means if means[run][measure] == max(values[measure] for values in means.values())]
    return first


def test_story_about_documents(means: Means, story: dict[str, str]) -> None:
    values = {run: value["nDCG@10"] for run, value in means.items()}
    assert max(values.values()) - min(values.values()) < 0.1
    assert min(values.values()) == values["careless"]
    assert max(values.values()) == values["sections"]
    assert values["articles"] > values["paragraphs"]
    assert story["Documents"] == (
        f"Judged by documents, the runs hardly differ: nDCG@10 is between {values['careless']:.4f} (careless) and "
        f"{values['sections']:.4f} (sections). Articles score higher than paragraphs, and their length costs nothing."
    )


def test_story_about_reading(means: Means, story: dict[str, str]) -> None:
    seen = {run: value["TextR(budget=2000)"] for run, value in means.items()}
    assert best(means, "TextR@10") == "articles"
    assert best(means, "TextP@10") == "paragraphs"
    assert means["paragraphs"]["TextP@10"] > 5 * means["articles"]["TextP@10"]
    assert seen["articles"] == min(seen.values())
    assert seen["sections"] == max(seen.values()) > 3 * seen["articles"]
    assert story["Reading"] == (
        f"Judged by text, they do. Ten articles contain {means['articles']['TextR@10']:.0%} of the relevant text, but "
        f"only {means['articles']['TextP@10']:.1%} of their own text is relevant; for paragraphs, the most precise "
        f"run, it is {means['paragraphs']['TextP@10']:.1%}. After 2,000 characters a reader has seen "
        f"{seen['sections']:.0%} of the relevant text with sections, and {seen['articles']:.0%} with articles."
    )


def test_story_about_overlap(means: Means, story: dict[str, str]) -> None:
    assert best(means, "iAP(alpha=0)") == "careless"
    assert best(means, "iAP") == "sections"
    assert means["overlapping"]["iAP(alpha=0)"] > means["chunks"]["iAP(alpha=0)"]
    assert means["overlapping"]["iAP"] < means["chunks"]["iAP"]
    assert story["Overlap"] == (
        f"{means['overlapping']['Redundancy@10']:.0%} of the text in overlapping, and "
        f"{means['careless']['Redundancy@10']:.0%} in careless, was shown before. If it counts again, careless is the "
        f"best run (iAP(alpha=0) {means['careless']['iAP(alpha=0)']:.4f}). If it counts once, sections is the best "
        f"(iAP {means['sections']['iAP']:.4f}), careless drops to {means['careless']['iAP']:.4f}, and overlapping "
        "drops from above chunks to below."
    )


def test_story_about_elements(means: Means, story: dict[str, str]) -> None:
    by_rank, by_list = ({run: value[name] for run, value in means.items()} for name in (command.NXCG, command.MAEP))
    assert sorted(by_rank, key=by_rank.__getitem__)[-2:] == ["careless", "paragraphs"]
    assert sorted(by_list, key=by_list.__getitem__)[-2:] == ["sections", "paragraphs"]
    assert by_rank["paragraphs"] - by_rank["careless"] > 0.1
    assert by_list["paragraphs"] - by_list["sections"] < 0.005
    assert by_rank["chunks"] == by_rank["overlapping"] == by_list["chunks"] == by_list["overlapping"] == 0
    assert story["Elements"] == (
        f"Against an ideal list of elements, the best run at rank 10 is paragraphs (nxCG {by_rank['paragraphs']:.4f}, "
        f"then careless {by_rank['careless']:.4f}); over the whole list paragraphs and sections are nearly equal (MAep "
        f"{by_list['paragraphs']:.4f} and {by_list['sections']:.4f}). Chunks are not elements and gain nothing."
    )


def test_story_about_assessors(means: Means, bens: Means, story: dict[str, str]) -> None:
    twice = {row["query_id"] for row in JUDGED if row["assessor"] == "ben"}
    marked: Counter[str] = Counter()
    for row in PASSAGES:
        if row["query_id"] in twice:
            marked[row["assessor"]] += row["end"] - row["start"]
    share = marked["ben"] / marked["ada"]
    assert command.second_opinion(pw.read_assessments(DEMO.qrels)) == (len(twice), share)
    values = {run: value[command.MAEP] for run, value in bens.items()}
    assert sorted(values, key=values.__getitem__)[-2:] == ["paragraphs", "sections"]
    assert values["sections"] - values["paragraphs"] > 0.02
    changed = set(command.MEASURES.split()) - {"Redundancy@10"}
    for run in means:
        on_spans = {command.NXCG, command.MAEP} if run in ("chunks", "overlapping") else set()
        assert all(means[run][measure] != bens[run][measure] for measure in changed - on_spans)
    assert best(means, "iAP") == best(bens, "iAP") == "sections"
    assert story["Assessors"] == (
        f"For {len(twice)} queries there is a second assessor, ben, who highlights {share:.0%} as much. With those "
        f"judgements the two runs differ: MAep {values['sections']:.4f} for sections, {values['paragraphs']:.4f} for "
        "paragraphs. Most values change, but the best run by iAP is still sections."
    )


def test_numbers_in_the_readme(means: Means) -> None:
    """The text below the table, which another test runs."""
    assert 18 < 1 / means["articles"]["TextP@10"] < 25
    assert 3.5 < 1 / means["paragraphs"]["TextP@10"] < 4.5
    assert 1 / 3 < 1 - means["careless"]["iAP"] / means["careless"]["iAP(alpha=0)"] < 0.4


def test_introduction_counts_match() -> None:
    assert command.introduction(DEMO).startswith(f"{len(DEMO.collection)} articles")
    assert f"{len(DEMO.queries)} queries" in command.introduction(DEMO)
    assert f"{len(DEMO.runs)} runs" in command.introduction(DEMO)
    readme = (DEMO.folder / "README.md").read_text()
    assert f"{len(DEMO.collection)} articles" in readme
    assert f"{len(DEMO.queries)} queries" in readme
    assert all(f"`{name}`" in readme for name in DEMO.files() if "/" not in name and name != "README.md")
    assert all(f"`runs/{name}.run`" in readme for name in DEMO.runs)


def test_the_recommended_commands_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "my demo"
    assert main(["demo", str(folder)]) == 0
    recommended = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  ")][-5:]
    recommended = [line.strip() for line in recommended]
    assert recommended[0] == f"cd '{folder}'"
    assert tuple(recommended[1:]) == command.COMMANDS
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    pasted = "set -e\n" + "\n".join(recommended) + "\n"
    done = subprocess.run(
        ["sh", "-c", pasted], check=True, env={**os.environ, "PATH": path}, capture_output=True, text=True
    )
    assert done.stdout.count("11 of 11 queries scored") == 2
    assert "/article" not in done.stdout  # the tree is drawn with the names of the elements
    assert done.stdout.count("ideal") > 1


# ---- the folder ---------------------------------------------------------------------------------------------


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def error_of(*arguments: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["demo", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


def test_the_folder_has_all_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["demo"]) == 0
    assert os.listdir(tmp_path) == ["partwise-demo"]
    written = content(tmp_path / "partwise-demo")
    assert b"<title>Bees and gardens</title>" in written.pop("report.html")
    assert written == {n: (DEMO.folder / n).read_bytes() for n in DEMO.files()}
    umask = os.umask(0)
    os.umask(umask)
    assert (tmp_path / "partwise-demo").stat().st_mode & 0o777 == 0o777 & ~umask


def test_an_empty_folder_is_filled_and_what_is_missing_is_added(tmp_path: Path) -> None:
    assert main(["demo", str(tmp_path)]) == 0
    assert set(content(tmp_path)) == {*DEMO.files(), "report.html"}
    (tmp_path / "runs" / "chunks.run").unlink()
    (tmp_path / "scores.tsv").write_text("mine")
    assert main(["demo", str(tmp_path)]) == 0
    assert set(content(tmp_path)) == {*DEMO.files(), "report.html", "scores.tsv"}
    assert (tmp_path / "scores.tsv").read_text() == "mine"


def test_changed_files_are_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "demo"
    pw.demo().write(folder)
    (folder / "runs" / "chunks.run").write_text("mine")
    (folder / "qrels.jsonl").unlink()
    before = content(folder)
    assert error_of(str(folder), capsys=capsys) == (
        f"{folder}/runs/chunks.run: differs from the demo file; move it away, or give the demo a new folder: "
        "partwise demo FOLDER\n"
    )
    assert content(folder) == before


def test_folders_with_other_files_are_not_touched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    remedy = "give the demo a new folder: partwise demo FOLDER\n"
    assert error_of(str(tmp_path), capsys=capsys) == f"{tmp_path}: contains other files; {remedy}"
    file = tmp_path / "thesis.tex"
    assert error_of(str(file), capsys=capsys) == f"{file}: is a file; {remedy}"
    assert error_of(f"{tmp_path}/no/where", capsys=capsys) == (
        f"{tmp_path}/no/where: cannot be written (No such file or directory); give a folder you can write to\n"
    )
    long = str(tmp_path / ("x" * 300))
    assert (
        error_of(long, capsys=capsys) == f"{long}: cannot be read (File name too long); give the demo another folder\n"
    )
    assert content(tmp_path) == {"thesis.tex": b"mine"}


def test_an_impossible_name_is_an_error_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(pw.PartwiseError, match="cannot be written"):
        pw.demo().write("no\0name")


@pytest.mark.parametrize("is_there", [False, True])
def test_nothing_is_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool) -> None:
    folder = tmp_path / "demo"
    if is_there:
        folder.mkdir()
    written: list[int] = []

    def full_disk(handle: int) -> None:
        if len(written) == 3:
            raise OSError(28, "No space left on device")
        written.append(handle)

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(pw.PartwiseError) as caught:
        pw.demo().write(folder)
    assert str(caught.value) == (
        f"{folder}: cannot be written (No space left on device); give a folder you can write to"
    )
    assert len(written) == 3
    assert list(tmp_path.rglob("*")) == ([folder] if is_there else [])


def test_a_folder_is_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_folder(tmp_path / "link", {"a/b.txt": b"one"})
    assert (tmp_path / "real" / "a" / "b.txt").read_bytes() == b"one"
    assert os.listdir(tmp_path / "real") == ["a"]


# ---- from Python --------------------------------------------------------------------------------------------


def test_the_demo_as_an_object(tmp_path: Path) -> None:
    copy = DEMO.write(tmp_path / "copy")
    assert copy.folder == tmp_path / "copy"
    assert copy.queries == DEMO.queries == {row.pop("query_id"): row for row in rows("topics.jsonl")}
    assert list(copy.collection) == list(DEMO.collection)
    assert copy.qrels.read_bytes() == DEMO.qrels.read_bytes()
    assert repr(copy) == f"Demo({str(tmp_path / 'copy')!r})"
    ideal = pw.ideal(copy.qrels, collection=copy.collection)
    scores = pw.evaluate(copy.qrels, {"ideal": ideal}, "nxCG@10 MAep", collection=copy.collection)
    assert set(scores.mean()["ideal"].values()) == {1.0}
