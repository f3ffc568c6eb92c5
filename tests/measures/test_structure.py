"""Elements in files, in Python and on the command line: paths, trees, ideals, tags."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import partwise as pw
from partwise.cli import main

XML = "<article><bdy><sec><p>aaaa</p><p>bbbb</p></sec><sec>cc</sec></bdy></article>"
OTHER = "<article><p>xxxxx</p>yyyyy</article>"
SEC, P1, P2 = "/article[1]/bdy[1]/sec[1]", "/article[1]/bdy[1]/sec[1]/p[1]", "/article[1]/bdy[1]/sec[1]/p[2]"


def grade(path: str, e: float, s: float, doc: str = "d", query: str = "t", scale: str = "four-point") -> dict[str, Any]:
    return {"query_id": query, "doc_id": doc, "path": path, "exhaustivity": e, "specificity": s, "scale": scale}


GRADES = [grade(SEC, 3, 3), grade(P1, 2, 3), grade("/article[1]", 3, 1)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "articles").mkdir()
    (tmp_path / "articles" / "d.xml").write_text(XML)
    (tmp_path / "articles" / "e.xml").write_text(OTHER)
    (tmp_path / "grades.jsonl").write_text("".join(json.dumps(row) + "\n" for row in GRADES))
    rows = [{"query_id": "t", "doc_id": "d", "path": path, "rank": rank} for rank, path in enumerate((P1, SEC), 1)]
    (tmp_path / "elements.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "marks.jsonl").write_text('{"query_id": "t", "doc_id": "d", "start": 2, "end": 6}\n')
    return tmp_path


def value(measure: str, *paths: str, qrels: Any = GRADES) -> float:
    rows = [{"doc_id": "d", "path": path} for path in paths]
    [mean] = pw.evaluate(qrels, {"t": rows}, measure, collection={"d": XML, "e": OTHER}).mean()["run"].values()
    return mean


# ---- text of elements -----------------------------------------------------------------------------------------


def test_elements_and_spans_are_the_same_text() -> None:
    qrels = {"t": [("d", 2, 6)]}
    names = ["TextP", "TextR", "iAP", "AgP", "TextIoU", "Redundancy", "AgP(score=T2I)"]
    spans = {"t": [("d", 0, 4), ("d", 0, 8), ("d", 8, 10)]}
    elements = {"t": [{"doc_id": "d", "path": path} for path in (P1, SEC, "/article[1]/bdy[1]/sec[2]")]}
    mixed = {"t": [{"doc_id": "d", "start": 0, "end": 4}, *elements["t"][1:]]}
    values = pw.evaluate(qrels, {"a": spans, "b": elements, "c": mixed}, names, collection={"d": XML}).per_query()
    assert values["a"] == values["b"] == values["c"]
    # 4, 8 and 2 characters are read, of which 2, 4 and 0 are relevant; the first 4 are read twice.
    assert values["a"] == {
        name: {"t": pytest.approx(value)}
        for name, value in {
            "TextP": 4 / 14,
            "TextR": 1,
            "iAP": (51 * 2 / 4 + 50 * 4 / 12) / 101,  # up to recall 0.5 after the first result, then after the second
            "AgP": 2 * 0.4 * 1 / (0.4 + 1),  # the document: precision 4 / 10, recall 1
            "TextIoU": 4 / 10,
            "Redundancy": 4 / 14,
            "AgP(score=T2I)": 4 / 10,  # all is read before 300 irrelevant characters
        }.items()
    }


def test_ranges_trees_and_pointers() -> None:
    qrels = {"t": [("d", 2, 6)]}
    for part in (
        {"path": f"{P1} {P2}"},
        {"paths": [P2, P1]},
        {"path": f"{P1}/text()[1].0 {P2}/text()[1].4"},
        {"path": SEC},
    ):
        scores = pw.evaluate(qrels, {"t": [{"doc_id": "d", **part}]}, "TextP TextR", collection={"d": XML})
        assert scores.mean()["run"] == {"TextP": 0.5, "TextR": 1.0}, part


def test_a_whole_document_has_its_length_in_the_collection() -> None:
    assert pw.evaluate({"t": [("d", 2, 6)]}, {"t": ["d", "e"]}, "TextP", collection={"d": XML, "e": OTHER}).mean() == {
        "run": {"TextP": 0.2}
    }


def test_bytes_are_counted_with_a_collection() -> None:
    collection = {"d": "<a><b>é日𝄞</b><c>xyz</c></a>"}  # 2, 3 and 4 bytes, then 1 each
    qrels = {"t": [("d", 0, 9)]}
    run = {"t": [{"doc_id": "d", "path": "/a[1]/b[1]"}, {"doc_id": "d", "start": 9, "end": 10}]}
    scores = pw.evaluate(qrels, run, "TextP@1 TextP", collection=collection, unit="bytes")
    assert scores.mean()["run"] == {"TextP@1": 1.0, "TextP": 0.9}


def test_best_entry_points_and_lengths_in_bytes() -> None:
    """The text has 6 characters in 12 bytes; the best entry point is the last character, 2 from the returned one."""
    collection = {"d": "<a><b>é日𝄞</b><c>xyz</c></a>"}
    qrels = [{"query_id": "t", "doc_id": "d", "start": 9, "end": 12, "bep": 11, "length": 12}]
    run = {"t": [("d", 9, 9)]}
    names = ["gP(score=BEP(A=0.5))@1", "gP(score=BEPn(n=4))@1"]
    means = pw.evaluate(qrels, run, names, collection=collection, unit="bytes").mean()["run"]
    assert means == pytest.approx({names[0]: 6 / (6 + 2), names[1]: 0.5})
    whole = pw.evaluate(qrels, {"t": ["d"]}, "TextP", collection=collection, unit="bytes").mean()["run"]
    assert whole == {"TextP": 3 / 12}


def test_only_needed_documents_are_opened(tmp_path: Path) -> None:
    for name, xml in (("d", XML), ("e", OTHER), ("broken", "<a>")):
        (tmp_path / f"{name}.xml").write_text(xml)
    qrels = {"t": [("d", 2, 6), ("broken", 0, 1)]}
    run = {"t": [{"doc_id": "d", "path": SEC}]}
    scores = pw.evaluate(qrels, run, "TextP", collection=tmp_path)
    assert scores.mean() == {"run": {"TextP": 0.5}}
    [note] = scores.notes
    assert note.startswith("qrels: 1 document with relevant text cannot be read from the collection: ")
    assert "is not well-formed XML" in note
    with pytest.raises(pw.PartwiseError, match="is not well-formed XML"):
        pw.evaluate(qrels, run, "AgP(score=T2I)", collection=tmp_path)


def test_thorough_counts_text_once_per_element() -> None:
    """4 highlighted characters lie in article, body and section, 2 of them in each paragraph: 16 in all."""
    qrels = {"t": [("d", 2, 6)]}
    assert value("TextR(alpha=0,trel=elements)", SEC, P1, qrels=qrels) == (4 + 2) / 16
    scores = pw.evaluate(qrels, {"t": [{"doc_id": "d", "path": SEC}]}, task="thorough", collection={"d": XML})
    assert scores.mean()["run"]["iP(alpha=0,trel=elements)@0"] == 0.5


# ---- graded elements --------------------------------------------------------------------------------------------


def test_names_include_the_quantisation() -> None:
    run = {"t": [{"doc_id": "d", "path": SEC}]}
    four = pw.evaluate(GRADES, run, ["nxCG@1", "MAep(quant=gen)", "nxCG(quant=sog)@1"], collection={"d": XML})
    assert four.measures == ["nxCG(quant=sog)@1", "MAep(quant=gen)"]
    marks = pw.evaluate({"t": [("d", 0, 8)]}, run, "nxCG@1", collection={"d": XML})
    assert marks.mean() == {"run": {"nxCG(quant=spe)@1": 1.0}}


def test_registered_quantisations() -> None:
    pw.register_quantisation("half", lambda e, s: np.where(s == 1, 0.5, 0.0))
    assert value("xCG(quant=half)", SEC) == 0.5
    with pytest.raises(pw.PartwiseError, match="a quantisation named 'sog' already exists"):
        pw.register_quantisation("sog", lambda e, s: e)
    pw.register_quantisation("toomuch", lambda e, s: e + s)
    with pytest.raises(pw.PartwiseError, match="returns a value outside"):
        value("xCG(quant=toomuch)", SEC)


def test_a_span_of_exactly_one_element_counts_as_that_element() -> None:
    collection = {"d": XML}
    for part, expected in ((("d", 0, 8), 1.0), (("d", 0, 7), 0.0), (("d", 0, 4), 0.9)):
        scores = pw.evaluate(GRADES, {"t": [part]}, "xCG(quant=sog)", collection=collection)
        assert scores.mean()["run"]["xCG(quant=sog)"] == pytest.approx(expected)
    seen = {"t": [("d", 0, 7), {"doc_id": "d", "path": P1}]}
    assert pw.evaluate(GRADES, seen, "xCG(quant=sog)", collection=collection).mean()["run"]["xCG(quant=sog)"] == 0


def test_tolerance_by_hand() -> None:
    qrels = [{"query_id": "t", "doc_id": "d", "start": s, "end": s + 5, "length": 100} for s in (10, 20, 60)]

    def mean(measure: str, *starts: int) -> float:
        parts = {"t": [("d", start, start + 1) for start in starts]}
        return next(iter(pw.evaluate(qrels, parts, measure).mean()["run"].values()))

    assert mean("T2I(tolerance=11)@0.3", 0) == 1
    assert mean("T2I(tolerance=10)@0.3", 0) == 0
    assert mean("T2I(tolerance=11)@0.5", 0, 0) == 1  # the second time the second passage
    assert mean("T2I(tolerance=11)@0.5", 99, 0, 0) == 2 / 3
    assert mean("T2I(tolerance=11,one=False)@0.5", 0) == 1
    assert mean("T2IAP(tolerance=11)", 0, 0, 0) == pytest.approx((1 + 1 + 0) / 3)
    assert mean("T2I@1", 12, 22, 61) == 1


@pytest.mark.parametrize(
    ("qrels", "run", "measures", "line"),
    [
        (GRADES, {"t": [{"doc_id": "d", "path": "/article[1]/bdy[1]/sec[9]"}]}, "xCG",
         "run, row 1: document d has no /article[1]/bdy[1]/sec[9]; the path exists only up to /article[1]/bdy[1]"),
        ([grade("/article[1]/x[1]", 1, 1)], {"t": [{"doc_id": "d", "path": SEC}]}, "xCG",
         "qrels, row 1: document d has no /article[1]/x[1]; the path exists only up to /article[1]"),
        (GRADES, {"t": [{"doc_id": "d", "paths": [P1, P2]}]}, "xCG",
         "run, row 1: the part is a tree of several elements; this measure takes single elements"),
        (GRADES, {"t": [{"doc_id": "d", "path": SEC}]}, "xCG(quant=nothing)",
         "quant is 'nothing', which is not defined on the scale four-point; "
         "use one of strict, gen, sog, exhspe, strictn, spe, genlifted"),
        ([grade(SEC, 1, 1, scale="unit")], {"t": [{"doc_id": "d", "path": SEC}]}, "xCG(quant=sog)",
         "quant is 'sog', which is not defined on the scale unit; use one of exhspe, strictn, spe, genlifted"),
        ([{**grade(SEC, 1, 1), "scale": None}], {"t": [{"doc_id": "d", "path": SEC}]}, "xCG",
         "qrels: elements are graded, but their scale is not given; add scale: four-point, inex2005 or unit"),
        ([grade(SEC, 4, 1)], {"t": [{"doc_id": "d", "path": SEC}]}, "xCG",
         "qrels, row 1: the grades (4, 1) are not on the scale four-point; "
         "four-point is 0 to 3, inex2005 is e 0 to 2 and s 0 to 1, unit is 0 to 1"),
        ({"t": {"d": 1}}, {"t": [{"doc_id": "d", "path": SEC}]}, "xCG",
         "qrels: xCG(quant=spe) needs highlighted passages, but there are only document grades; "
         "give the start and end of relevant text, or use document measures such as nDCG@10"),
        ([grade(SEC, 1, 1, doc="gone")], {"t": [{"doc_id": "d", "path": SEC}]}, "xCG",
         "qrels, row 1: document gone is judged, but not in the collection; add it to the collection"),
    ],
)  # fmt: skip
def test_errors(qrels: Any, run: Any, measures: str, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from partwise.relevance import quantise

    monkeypatch.setattr(quantise, "_REGISTERED", {})
    with pytest.raises(pw.PartwiseError) as error:
        pw.evaluate(qrels, run, measures, collection={"d": XML})
    assert str(error.value) == line


def test_results_in_documents_missing_from_the_collection(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    Path("gone.jsonl").write_text('{"query_id": "t", "doc_id": "gone", "path": "/a[1]"}\n')
    assert main(["evaluate", "marks.jsonl", "gone.jsonl", "--collection", "articles", "-m", "iAP"]) == 2
    assert capsys.readouterr().err == (
        "gone.jsonl:1: document gone is not in the collection articles; add it there, or give start and end\n"
    )


def test_the_error_for_a_broken_document_names_its_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    Path("articles/cut.xml").write_text("<a><p>hel")
    Path("a.run").write_text("t Q0 cut 1 1 x /a[1]\n")
    assert main(["evaluate", "marks.jsonl", "a.run", "--collection", "articles", "-m", "iAP", "-o", "out.tsv"]) == 2
    assert capsys.readouterr().err == (
        "articles/cut.xml:1: is not well-formed XML (Premature end of data in tag p line 1); fix the markup\n"
    )
    assert not Path("out.tsv").exists()


def test_graded_measures_need_the_collection() -> None:
    with pytest.raises(pw.PartwiseError) as error:
        pw.evaluate(GRADES, {"t": [{"doc_id": "d", "path": SEC}]}, "MAep")
    assert str(error.value) == "MAep(quant=sog) needs the elements of the documents; give the collection (--collection)"


# ---- the command line -------------------------------------------------------------------------------------------


def test_evaluate(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(folder)
    command = ["evaluate", "grades.jsonl", "elements.jsonl", "-m", "nxCG(quant=sog)@10 MAep"]
    assert main([*command, "--collection", "articles"]) == 0
    expected = capsys.readouterr().out
    assert expected.splitlines()[1:] == [
        "elements\tnxCG(quant=sog)@10\tall\t0.9",
        "elements\tMAep(quant=sog)\tall\t0.9",
    ]
    assert main(["index", "articles", "-o", "articles.parquet"]) == 0
    capsys.readouterr()
    assert main([*command, "--collection", "articles.parquet"]) == 0
    assert capsys.readouterr().out == expected


def test_by_tag(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Two of four highlighted characters come from the paragraph, the other two from the section around it."""
    monkeypatch.chdir(folder)
    command = ["evaluate", "marks.jsonl", "elements.jsonl", "--collection", "articles", "--by", "tag"]
    assert main([*command, "-m", "TextR TextP"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "run_id\ttag\tresults\tsize\thighlighted\tTextR\tTextP",
        "elements\tp\t1\t4\t2\t0.0\t0.0",
        f"elements\tsec\t1\t8\t2\t0.5\t{4 / 12 - 2 / 12}",
    ]
    assert main([*command, "-f", "table", "-m", "TextR"]) == 0
    assert "highlighted" in capsys.readouterr().out
    assert main([*command, "-f", "markdown", "-m", "TextR"]) == 0
    assert capsys.readouterr().out.splitlines()[2] == "| elements | p | 1 | 4 | 2 | 0.0000 |"
    assert main([*command, "-f", "parquet"]) == 2
    formats = "table, tsv, csv, jsonl, latex, markdown, html"
    assert capsys.readouterr().err == f"these rows cannot be written as parquet; use one of {formats}\n"


def test_ideal(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(folder)
    assert main(["ideal", "grades.jsonl", "--collection", "articles"]) == 0
    assert capsys.readouterr().out == f"query_id\tdoc_id\tpath\tvalue\nt\td\t{SEC}\t1.0\n"
    assert main(["ideal", "grades.jsonl", "--collection", "articles", "-o", "ideal.run"]) == 0
    assert Path("ideal.run").read_text() == f"t Q0 d 1 1.0 ideal {SEC}\n"
    measures = "nxCG@1 nxCG@10 ep@0.1 ep@1 MAep"
    assert main(["evaluate", "grades.jsonl", "ideal.run", "--collection", "articles", "-m", measures]) == 0
    assert {line.split("\t")[3] for line in capsys.readouterr().out.splitlines()[1:]} == {"1.0"}


def test_tree(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(folder)
    assert main(["tree", "articles", "d"]) == 0
    assert capsys.readouterr().out.splitlines()[:3] == ["path\tsize", "/article[1]\t10", "/article[1]/bdy[1]\t10"]
    options = ["--query-id", "t", "--qrels", "grades.jsonl", "--run", "elements.jsonl"]
    assert main(["tree", "articles", "d", *options]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "path\tsize\te\ts\tvalue\tideal\trank",
        "/article[1]\t10\t1.0\t0.3333333333333333\t0.25\t\t",
        "/article[1]/bdy[1]\t10\t0.0\t0.0\t0.0\t\t",
        f"{SEC}\t8\t1.0\t1.0\t1.0\tideal\t2",
        f"{P1}\t4\t0.6666666666666666\t1.0\t0.9\t\t1",
        f"{P2}\t4\t0.0\t0.0\t0.0\t\t",
        "/article[1]/bdy[1]/sec[2]\t2\t0.0\t0.0\t0.0\t\t",
    ]
    Path("spans.run").write_text("t Q0 e 1 3 x 0 1\nt Q0 d 2 2 x 0 4\nt Q0 d 3 1 x 0 3\n")
    ranks = {row["path"]: row["rank"] for row in pw.tree("articles", "d", query_id="t", run="spans.run")}
    assert {path: rank for path, rank in ranks.items() if rank} == {P1: 2}
    assert main(["tree", "articles", "d", *options, "-f", "table"]) == 0
    assert "      p[1]" in capsys.readouterr().out
    assert main(["tree", "articles", "d", "--qrels", "grades.jsonl"]) == 2
    assert capsys.readouterr().err == ("no query is given; choose one with query_id (--query-id)\n")
    assert main(["tree", "articles", "zzz"]) == 2
    assert capsys.readouterr().err == "articles: has no document 'zzz'; its first document is 'd'\n"
    assert main(["tree", "articles", "d", "--query-id", "u", "--qrels", "grades.jsonl"]) == 2
    assert capsys.readouterr().err == "grades.jsonl: has no judgements for query 'u'; its first query is 't'\n"


def test_the_tree_of_one_assessor(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    rows = [{**grade(P1, 3, 3), "assessor": "ann"}, {**grade(P2, 3, 3), "assessor": "bob"}]
    Path("two.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def ideal(*options: str) -> list[str]:
        assert main(["tree", "articles", "d", "--query-id", "t", "--qrels", "two.jsonl", *options]) == 0
        return [line.split("\t")[0] for line in capsys.readouterr().out.splitlines() if line.endswith("ideal")][1:]

    assert ideal() == ideal("--assessor", "ann") == [P1]
    assert ideal("--assessor", "bob") == [P2]
    assert main(["tree", "articles", "d", "--query-id", "t", "--qrels", "two.jsonl", "--assessor", "cy"]) == 2
    assert capsys.readouterr().err == "two.jsonl: has no assessor 'cy'; it has ann, bob\n"
    rows = pw.tree("articles", "d", query_id="t", qrels="two.jsonl", assessor="bob")
    assert [row["path"] for row in rows if row["ideal"]] == [P2]


# ---- real articles ----------------------------------------------------------------------------------------------


def test_evidence_in_elements(evidence: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All evidence is in the articles' XML; document measures rate the three runs equally, text measures do not."""
    import sys

    from support.paths import ROOT

    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    monkeypatch.delitem(sys.modules, "evidence_elements", raising=False)
    import evidence_elements

    collection = pw.Collection.open(evidence / "xml_files")
    assert len(collection.doc_ids()) == 60
    rows = evidence_elements.evidence(evidence, collection)
    texts = {doc: collection[doc].text for doc in collection.doc_ids()}
    assert len({row["query_id"] for row in rows}) == 289
    plain = {path.stem: path.read_text(encoding="utf-8") for path in (evidence / "txt_files").glob("*.txt")}
    annotated = set()
    with open(evidence / "v2_annotations.csv", newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            doc, start, end = f"PMC{line['PMCID']}", int(line["Evidence Start"]), int(line["Evidence End"])
            if 0 <= start < end:
                annotated.add((line["PromptID"], doc, line["UserID"], "".join(plain[doc][start:end].split())))
    assert annotated == {
        (
            row["query_id"],
            row["doc_id"],
            row["assessor"],
            "".join(texts[row["doc_id"]][row["start"] : row["end"]].split()),
        )
        for row in rows
    }
    scores = evidence_elements.main(evidence)
    means = scores.mean()
    assert scores.summary() == ["289 of 289 queries scored"]
    for measure in ("nxCG(quant=spe)@10", "MAep(quant=spe)", "iAP", "AgP", "TextP@10"):
        assert means["articles"][measure] < means["sections"][measure] < means["paragraphs"][measure]
    assert all(run["nDCG@10"] > 0.99 for run in means.values())


@pytest.mark.parametrize("nodes", [1, 300])
def test_processing_documents_together_changes_nothing(nodes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    demo = pw.demo()

    def scored() -> Any:
        measures = "MAnxCG xCG@5 MAep inexAP ngP@10 SRP@10"
        scores = pw.evaluate(demo.qrels, demo.runs, measures, collection=demo.collection)
        return [(block.run_id, block.measure, block.values.tobytes()) for block in scores.blocks], scores.notes

    together = scored()
    monkeypatch.setattr("partwise.tables.grades.NODES_AT_ONCE", nodes)
    assert scored() == together


def test_the_nodes_of_a_tree_in_another_order_are_the_same_part() -> None:
    """Also if they have no text: then the first of them in the document is the place of the tree."""
    qrels = [{"query_id": "q", "doc_id": "d", "paths": ["/a[1]"], "scale": "unit"}]
    tree = ["/a[1]/a[1]", "/a[1]/a[2]"]
    measure = "ESRHits(nav=distance(A=0.1),match=exact,alpha=0)"
    values = []
    for again in (tree, tree[::-1]):
        run = {"q": [{"doc_id": "d", "paths": paths} for paths in (tree, again, ["/a[1]"])]}
        scores = pw.evaluate(qrels, run, measure, collection={"d": "<a><a></a>x<a></a>x</a>"})
        assert scores.notes == ("run: 1 result repeats an earlier part",)
        values += list(scores.mean()["run"].values())
    assert values == [pytest.approx(5 / 12)] * 2


def test_ideal_elements_of_equal_value_are_in_the_order_of_documents() -> None:
    """0.3 * 0.3 and 0.1 * 0.9 are equal, but not as floating-point numbers."""
    rows = [
        {"query_id": "q", "doc_id": doc, "path": "/a[1]", "exhaustivity": e, "specificity": s, "scale": "unit"}
        for doc, e, s in (("d1", 0.3, 0.3), ("d2", 0.1, 0.9), ("d3", 0.3, 0.3))
    ]
    assert len({row["exhaustivity"] * row["specificity"] for row in rows}) == 2
    ideal = pw.ideal(rows, collection={f"d{i}": "<a>text</a>" for i in (1, 2, 3)}, quant="exhspe")
    assert [row["doc_id"] for row in ideal.rows()] == ["d1", "d2", "d3"]
