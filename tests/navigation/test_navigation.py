"""Navigation: models and their files, models of users, explanations, and the output of the command line."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction as Fr
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import partwise as pw
from partwise.cli import main

XML = f"<a><sec>{'i' * 10}<p>{'a' * 20}</p><p>{'b' * 20}</p><sec>{'c' * 20}</sec></sec><sec>{'d' * 30}</sec></a>"
ARTICLES = {"moby": XML}
E3, E4, E5 = "/a[1]/sec[2]", "/a[1]/sec[1]/p[1]", "/a[1]/sec[1]/p[2]"
GRADE = {"exhaustivity": 1, "specificity": 1, "scale": "unit"}
QRELS = [{"query_id": "q", "doc_id": "moby", "path": path, **GRADE} for path in (E3, E4, E5)]
RUN = {"q": [{"doc_id": "moby", "path": path} for path in ("/a[1]", E3, E4, E3)]}
ROUTES = [
    {"doc_id": "moby", "route": ["/a[1]/sec[2]", "/a[1]", "/a[1]/sec[1]", "/a[1]/sec[1]/p[1]"]},
    {"doc_id": "moby", "route": ["/a[1]/sec[2]", "/a[1]/sec[1]", "/a[1]/sec[1]/p[1]", "/a[1]/sec[1]/p[2]"]},
    {"doc_id": "moby", "route": ["/a[1]/sec[2]", "/a[1]", "/a[1]/sec[1]/sec[1]"]},
]


def value(measure: str, qrels: Any = QRELS, run: Any = RUN, collection: Any = ARTICLES, **options: Any) -> float:
    scores = pw.evaluate(qrels, run, measure, collection=collection, **options)
    return scores.blocks[0].aggregate


def lines_of(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "articles").mkdir()
    (tmp_path / "articles" / "moby.xml").write_text(XML)
    (tmp_path / "qrels.jsonl").write_text(lines_of(QRELS))
    ranked = [{"query_id": "q", "rank": rank, **row} for rank, row in enumerate(RUN["q"], 1)]
    (tmp_path / "run.jsonl").write_text(lines_of(ranked))
    (tmp_path / "routes.jsonl").write_text(lines_of(ROUTES))
    return tmp_path


# ---- the command line -----------------------------------------------------------------------------------------

LEARNED = """\
from   to    weight   probability
─────────────────────────────────
sec    a          2        0.4000
a      sec        2        1.0000
sec    p          2        0.4000
sec    sec        1        0.2000
p      p          1        1.0000
"""
EXPLAINED = """\
doc_id\tpart\tstatus\trank\trel\tseen\tgain\tfrom_rank\tfrom\tprobability\tagain
moby\t/a[1]/sec[2]\thit\t2\t1.0\t1.0\t0.0\t1\t/a[1]\t1.0\t4
moby\t/a[1]/sec[1]/p[1]\thit\t3\t1.0\t0.4\t0.6\t2\t/a[1]/sec[2]\t0.4\t
moby\t/a[1]/sec[1]/p[2]\tnear-miss\t\t1.0\t1.0\t1.0\t3\t/a[1]/sec[1]/p[1]\t1.0\t
"""


def test_learning_showing_and_using_a_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["navigation", "learn", "routes.jsonl", "--by", "tag", "-o", "users.json"]) == 0
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "5 different steps learned\n")
    assert main(["navigation", "show", "users.json", "-f", "table"]) == 0
    assert capsys.readouterr().out == LEARNED
    content = json.loads((folder / "users.json").read_text())
    assert {key: content[key] for key in ("format", "version", "by", "abandon")} == {
        "format": "partwise navigation", "version": 1, "by": "tag", "abandon": False,
    }  # fmt: skip
    assert content["steps"][0] == {"from": "sec", "to": "a", "weight": 2}
    files = ["qrels.jsonl", "run.jsonl", "--collection", "articles"]
    assert main(["evaluate", *files, "-m", "ESRHits(nav=users)@3", "--navigation", "users.json"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "run\tESRHits(parts=elements,nav=users,rel=binary)@3\tall\t0.6"
    assert main(["explain", *files, "--query-id", "q", "--nav", "users", "--navigation", "users.json"]) == 0
    assert capsys.readouterr().out == EXPLAINED


def test_steps_between_elements_keep_their_document(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["navigation", "learn", "routes.jsonl", "--abandon", "-o", "users.json"]) == 0
    assert main(["navigation", "show", "users.json"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "doc_id\tfrom\tto\tweight\tprobability"
    assert shown[1] == "moby\t/a[1]/sec[2]\t/a[1]\t2\t0.6666666666666666"
    assert "moby\t/a[1]/sec[1]/p[1]\t/a[1]/sec[1]/p[1]\t1\t0.5" in shown


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["navigation", "learn", "routes.jsonl", "-o", "users.txt"],
         "users.txt: a navigation model is a JSON file; use a name that ends in .json"),
        (["navigation", "show", "run.jsonl"],
         "run.jsonl: is not a navigation graph; create one with partwise navigation learn"),
        (["explain", "qrels.jsonl", "run.jsonl", "--query-id", "x", "--collection", "articles"],
         "qrels.jsonl: has no judgements for query 'x'; its first query is 'q'"),
        (["explain", "qrels.jsonl", "run.jsonl", "--query-id", "q"],
         "nav=depth leads from element to element; give the collection (--collection)"),
    ],
)  # fmt: skip
def test_errors_of_the_commands(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], line: str
) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err == line + "\n"


# ---- errors ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "line"),
    [
        ("NavR(nav=routes)@3", "routes requires the parameter file; write routes(file='routes.jsonl')"),
        ("NavR(nav=depht(A=1))@3",
         "NavR: nav is 'depht'; it must be one of coverage, depth, distance, hierarchy, none, routes, summary, table"),
        ("NavR(nav=depht)@3",
         "unknown navigation model 'depht'; did you mean depth? --navigation adds models from files"),
        ("NavR(nav=xyz)@3",
         "unknown navigation model 'xyz'; use one of none, coverage, distance, hierarchy, depth, summary, routes, "
         "table, or add one from a file with --navigation"),
        ("NavR(ideals=passages,nav=depth)@3",
         "nav=depth leads from element to element, but ideals is passages; use ideals=elements, or nav=coverage, "
         "distance or none"),
        ("ESRP(parts=passages)@3",
         "qrels: ESRP(parts=passages,nav=coverage,rel=binary)@3 needs highlighted passages, but there are only graded "
         "elements; give the start and end of relevant text, or use document measures such as nDCG@10"),
        ("NavR(ideals=passages,quant=spe)@3",
         "NavR(ideals=passages,quant=spe)@3 has a quant, but its ideals are passages; leave quant out"),
        ("ESRR(nav=table(file='gone.csv'))", "gone.csv: no such file; give the path of a file that exists"),
        ("EPRUM@0", "EPRUM: recall is '0'; it must be a number above 0 and at most 1"),
        ("ESRR(nav=distance(A=0))", "distance: A is '0'; it must be a number above 0"),
    ],
)  # fmt: skip
def test_errors_of_measures(measure: str, line: str) -> None:
    with pytest.raises(pw.PartwiseError) as error:
        value(measure)
    assert str(error.value) == line


BAD_FILES = [
    ("table", "from,to\n/a[1],/a[1]/sec[1]\n",
     "f.csv: has no column 'probability' (it has 'from', 'to'); probabilities need it"),
    ("table", "from,to,probability\n/a[1],/a[1]/sec[1],1.5\n",
     "f.csv:2: the probability is '1.5'; it must be a number from 0 to 1"),
    ("table", "from,to,probability\nsec,/a[1]/sec[1],0.5\n",
     "f.csv:2: the from is 'sec'; it must be a path such as /article[1]/sec[2]"),
    ("table", "from,to,probability\n/a[1],/a[1]/sec[1],\n",
     "f.csv:2: has no probability; give from, to and probability in every row"),
    ("table", "from,to,probability\n/a,/a/sec,0.5\n/a[1],/a[1]/sec[1],0.5\n",
     "f.csv:3: repeats the step from /a[1] to /a[1]/sec[1]; give each step once"),
    ("routes", "doc_id,route\nmoby,/a[1] sec\n",
     "f.csv:2: the route has the stop 'sec'; it must be a path such as /article[1]/sec[2]"),
    ("routes", "route\n\n,\n", "f.csv:3: has 2 columns; expected route"),
    ("summary", "from,to,weight\na,sec,-1\n",
     "f.csv:2: the from is 'a'; it must be a path such as /article/sec"),
    ("summary", "from,to,weight\n/a,/a/sec,-1\n", "f.csv:2: the weight is '-1'; it must be a number from 0"),
]  # fmt: skip


@pytest.mark.parametrize(("model", "content", "line"), BAD_FILES)
def test_errors_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, content: str, line: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f.csv").write_text(content)
    parameter = "weights" if model == "summary" else "file"
    with pytest.raises(pw.PartwiseError) as error:
        value(f"ESRR(nav={model}({parameter}='f.csv'))")
    assert str(error.value) == line


@pytest.mark.parametrize(
    ("model", "line"),
    [
        ({"by": "colour", "steps": []}, "navigation: by is 'colour'; it must be one of tag, path, null"),
        ({"by": "tag", "steps": [{"from": "a"}]},
         "navigation: step 1 is \"{'from': 'a'}\"; it must have from, to and a weight from 0"),
        ({"by": "tag", "steps": [{"from": "a", "to": "p", "weight": 1}] * 2},
         "navigation: step 2 repeats an earlier one; give each step once"),
        ({"steps": "none"}, "navigation: is not a navigation graph; create one with partwise navigation learn"),
        (3, "the navigation model is of type int; give a model, a graph or the path of one"),
    ],
)  # fmt: skip
def test_errors_of_models(model: Any, line: str) -> None:
    with pytest.raises(pw.PartwiseError) as error:
        value("ESRR(nav=users)", navigation={"users": model})
    assert str(error.value) == line


def test_errors_of_names_of_models() -> None:
    for name, line in {
        "depth": "a navigation model named 'depth' already exists; choose another name",
        "my model": "'my model' cannot be the name of a navigation model; use letters, digits, _ and -",
    }.items():
        with pytest.raises(pw.PartwiseError) as error:
            value("ESRR", navigation={name: pw.learn_navigation(ROUTES)})
        assert str(error.value) == line
    with pytest.raises(pw.PartwiseError) as error:
        pw.register_navigation("mine", "depth")  # type: ignore[arg-type]
    assert str(error.value) == "'depth' is not a navigation model; give an instance of a subclass of Navigation"
    with pytest.raises(pw.PartwiseError) as error:
        value("ESRR", navigation=["a/users.json", "b/users.json"])
    assert str(error.value) == "two navigation models are named 'users'; rename one of the files"


# ---- models of users ------------------------------------------------------------------------------------------


class Forward(pw.Navigation):
    """Users read on: they reach all parts that begin after the result."""

    likely: pw.Param[float] = pw.Param(float, default=0.5, low=0, high=1, help="how likely")

    def probabilities(self, question: pw.Question) -> pw.Links:
        origin, target = question.pairs
        on = question.targets.first[target] > question.origins.first[origin]
        return pw.Links(origin, target, np.where(on, self.likely, 0.0))


def test_a_model_of_a_user() -> None:
    pw.register_navigation("forward", Forward(likely=0.25))
    assert value("ESRNear(nav=forward)@1") == pytest.approx(0.75)
    assert value("ESRNear(nav=forward)@1", navigation={"forward": Forward()}) == pytest.approx(1.5)
    assert value("ESRNear(nav=own)@1", navigation={"own": Forward}) == pytest.approx(1.5)
    assert pw.evaluate(QRELS, RUN, pw.ESRNear(nav=Forward(likely=1)) @ 1, collection=ARTICLES).blocks[0].aggregate == 3
    evaluator = pw.Evaluator(QRELS, "NavR(nav=forward)@1 SR(nav=forward)", collection=pw.Collection.open(ARTICLES))
    again = pickle.loads(pickle.dumps(evaluator.evaluation))
    [run] = evaluator.read(RUN)
    blocks = [block.values.tolist() for block in evaluator.evaluation.score(run)[0]]
    assert [block.values.tolist() for block in again.score(run)[0]] == blocks


def test_a_model_must_return_probabilities() -> None:
    class Sure(Forward):
        def probabilities(self, question: pw.Question) -> pw.Links:
            links = super().probabilities(question)
            return links._replace(probability=links.probability * 4)

    with pytest.raises(pw.PartwiseError, match=r"^the navigation model Sure returns a probability outside \[0, 1\]"):
        value("ESRR(nav=sure)", navigation={"sure": Sure()})


class Near(Forward):
    needs_lengths = True


def test_needs_of_a_model_are_checked_before_a_run_is_read() -> None:
    gold = [{"query_id": "q", "doc_id": "d", "start": 10, "end": 20}]
    with pytest.raises(pw.PartwiseError) as error:
        pw.Evaluator(gold, "ESRR(nav=near)", navigation={"near": Near()})
    assert str(error.value) == (
        "qrels, row 1: the length of document d is unknown, and ESRR(parts=passages,nav=near,rel=binary) needs it; "
        "give it in the assessments or as lengths (--lengths FILE)"
    )


def test_evaluators_keep_models_of_the_same_name_apart() -> None:
    one = pw.Evaluator(QRELS, "ESRNear(nav=u)@1", collection=ARTICLES, navigation={"u": Forward(likely=0.25)})
    two = pw.Evaluator(QRELS, "ESRNear(nav=u)@1", collection=ARTICLES, navigation={"u": Forward(likely=1)})
    assert [e.evaluate(RUN).blocks[0].aggregate for e in (one, two, one)] == pytest.approx([0.75, 3, 0.75])


# ---- the structural summary -----------------------------------------------------------------------------------

LABELS = {"/a": 1, "/a/sec": 2, "/a/sec/p": 2, "/a/sec/sec": 1}


def test_the_structural_summary_is_stored_with_the_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    articles = pw.Collection.open(ARTICLES)
    assert articles.label_counts() == LABELS
    pw.write_index(articles, tmp_path / "index.parquet")
    stored = pw.Collection.open(tmp_path / "index.parquet")
    monkeypatch.setattr(stored.source, "read", lambda doc_id: pytest.fail("a document was read"))
    assert stored.label_counts() == LABELS


def test_summary_by_tag_and_by_path() -> None:
    # By path: a-sec 2, sec-p 2, sec-sec 1, both ways: 10 in all; p has 2 of them.
    assert value("ESRNear(nav=summary)@1", run={"q": [{"doc_id": "moby", "path": E5}]}) == pytest.approx(
        (1 - Fr(5, 10)) + (1 - Fr(2, 10))
    )
    # By tag: a-sec 3, sec-p 2 both ways, sec in sec 3 once: 13 in all; sec has 3 + 2 + 3, p has 2.
    assert value("ESRNear(nav=summary(by=tag))@1", run={"q": [{"doc_id": "moby", "path": E5}]}) == pytest.approx(
        float((1 - Fr(8, 13)) + (1 - Fr(2, 13)))
    )


# ---- trees ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "tsv", "parquet"])
def test_judged_trees_are_written_as_they_are_read(tmp_path: Path, suffix: str) -> None:
    rows = [
        {"query_id": "q", "doc_id": "moby", "paths": [E4, E5]},
        {"query_id": "q", "doc_id": "moby", "paths": [E3], "exhaustivity": 2, "specificity": 3, "scale": "four-point"},
        {"query_id": "q", "doc_id": "moby", "path": E3, "exhaustivity": 1, "specificity": 1, "scale": "four-point"},
    ]
    (tmp_path / "q.jsonl").write_text(lines_of(rows))
    first = pw.read_assessments(tmp_path / "q.jsonl")
    pw.write_assessments(first, tmp_path / f"again.{suffix}")
    second = pw.read_assessments(tmp_path / f"again.{suffix}")
    assert list(second.trees.paths) == [(E4, E5), (E3,)]
    assert np.array_equal(second.trees.specificity, [np.nan, 3], equal_nan=True)
    assert list(second.elements.path) == [E3]


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ([{"paths": [E4, E5]}, {"paths": [E5, E4]}],
         "qrels, row 2: judges the tree /a[1]/sec[1]/p[2] /a[1]/sec[1]/p[1] of document moby for query q a second time "
         "(first in row 1); an assessor may judge it only once"),
        ([{"paths": [E4], "exhaustivity": 1}],
         "qrels, row 1: has exhaustivity but no specificity; give both or neither"),
        ([{"paths": [E4], "start": 1, "end": 2}], "qrels, row 1: has both start and paths; give only one of them"),
        ([{"paths": "p"}], "qrels, row 1: the paths is 'p'; it must be a list of paths that begin with /"),
        ([{"paths": [E4], "exhaustivity": 1, "specificity": 1}],
         "qrels: trees are graded, but their scale is not given; add scale: four-point, inex2005 or unit"),
        ([{"paths": [E4], "exhaustivity": 2, "specificity": 1, "scale": "unit"}],
         "qrels, row 1: the grades (2, 1) are not on the scale unit; four-point is 0 to 3, inex2005 is e 0 to 2 and s "
         "0 to 1, unit is 0 to 1"),
        ([{"paths": ["/a[1]/q[1]"]}],
         "qrels, row 1: document moby has no /a[1]/q[1]; the path exists only up to /a[1]"),
    ],
)  # fmt: skip
def test_errors_of_judged_trees(rows: list[dict[str, Any]], line: str) -> None:
    with pytest.raises(pw.PartwiseError) as error:
        value("ESRR", qrels=[{"query_id": "q", "doc_id": "moby", **row} for row in rows])
    assert str(error.value) == line


def test_a_tree_shows_its_elements_whatever_the_model() -> None:
    tree = {"q": [{"doc_id": "moby", "paths": ["/a[1]", E5]}]}
    for nav in ("none", "distance(A=0.01)", "coverage", "depth"):
        assert value(f"NavR(nav={nav})", qrels=QRELS[2:], run=tree) == pytest.approx(1)


def test_trees_of_the_same_text_are_not_the_same() -> None:
    """The note counts equal parts; these two trees have the same text and other elements."""
    run = {"q": [{"doc_id": "moby", "paths": ["/a[1]", path]} for path in (E4, E5)]}
    assert pw.evaluate(QRELS, run, "ESRHits", collection=ARTICLES).notes == ()
    run = {"q": [{"doc_id": "moby", "paths": paths} for paths in ([E4, E5], [E5, E4])]}
    assert pw.evaluate(QRELS, run, "ESRHits", collection=ARTICLES).notes == ("run: 1 result repeats an earlier part",)


# ---- explanations ---------------------------------------------------------------------------------------------


def test_gains_of_an_explanation_are_the_measures() -> None:
    for options in ({"nav": "depth"}, {"nav": "coverage", "match": "contains", "alpha": 0.5, "rel": "length"}):
        for cutoff in (None, 1, 2):
            rows = pw.explain(QRELS, RUN, query_id="q", collection=ARTICLES, cutoff=cutoff, **options)  # type: ignore[arg-type]
            at = "" if cutoff is None else f"@{cutoff}"
            inside = ",".join(f"{name}={option}" for name, option in options.items())
            for measure, status in (("ESRHits", "hit"), ("ESRNear", "near-miss")):
                gain = sum(row["gain"] for row in rows if row["status"] == status)
                assert gain == pytest.approx(value(f"{measure}({inside}){at}"))


def test_an_explanation_of_passages_and_of_an_empty_list() -> None:
    gold = [
        {"query_id": "q", "doc_id": "d", "start": 10, "end": 20},
        {"query_id": "q", "doc_id": "d", "start": 40, "end": 60},
    ]
    run = {"q": [{"doc_id": "d", "start": 0, "end": 30}, {"doc_id": "d", "spans": [[5, 6], [40, 45]]}]}
    first, second = pw.explain(gold, run, query_id="q")
    assert (first["part"], first["status"], first["rank"], first["from"], first["again"]) == ("10-20", "hit", 1, "", "")
    assert (second["part"], second["status"], second["rank"]) == ("40-60", "near-miss", "")
    assert (second["from_rank"], second["from"], second["probability"]) == (2, "5-6 40-45", 0.25)
    assert [row["status"] for row in pw.explain(gold, {"q": []}, query_id="q")] == ["miss", "miss"]


class Asked(pw.Navigation):
    """Users go nowhere; counts how often and about how many documents it is asked."""

    documents: list[int]

    def probabilities(self, question: pw.Question) -> pw.Links:
        self.documents.append(len(question.documents))
        nothing = np.empty(0, np.int64)
        return pw.Links(nothing, nothing, np.empty(0))


@pytest.mark.parametrize(("together", "asked"), [(False, [2, 1]), (True, [3])])
def test_a_model_is_asked_query_by_query_unless_it_takes_them_together(together: bool, asked: list[int]) -> None:
    gold = [
        {"query_id": query, "doc_id": doc, "start": 10, "end": 20}
        for query, doc in (("a", "x"), ("a", "y"), ("b", "x"))
    ]
    run = {query: [{"doc_id": "x", "start": 0, "end": 5}] for query in ("a", "b")}
    model = type("Asked", (Asked,), {"takes_queries_together": together, "documents": []})()
    assert pw.evaluate(gold, run, pw.NavR(nav=model, ideals="passages")).blocks[0].values.tolist() == [0, 0]
    assert model.documents == asked


# ---- runs without elements --------------------------------------------------------------------------------------

HIGHLIGHTED = [{"query_id": "q", "doc_id": "moby", "start": 10, "end": 30}]
CHUNKS = {"q": [("moby", 5, 35), ("moby", 35, 65)]}
NO_ELEMENT = "run: 0 of 2 results in relevant documents are elements, and nothing else counts for "


def notes(measures: str, run: Any = CHUNKS, qrels: Any = HIGHLIGHTED) -> tuple[str, ...]:
    return pw.evaluate(qrels, run, measures, collection=ARTICLES).notes


def test_notes_suggest_measures_for_a_run_without_elements() -> None:
    assert notes("nxCG@10 ep@0.1 nxCG(quant=exhspe)@5 SRP@10 inexAP ngP NavR@10 EPRUM@0.5 ESRR@5 TextP@10") == (
        NO_ELEMENT + "nxCG, ep, SRP, inexAP, ngP; text measures such as iP and TextR count any text",
        NO_ELEMENT + "NavR, EPRUM; write NavR(ideals=passages)",
        NO_ELEMENT + "ESRR; write ESRR(parts=passages)",
    )
    grades_only = [{"query_id": "q", "doc_id": "moby", "path": E3, **GRADE}]
    assert notes("NavR", qrels=grades_only) == (NO_ELEMENT + "NavR; give results as paths",)


ANY_TEXT = "TextP@10 AgP AP NavR(ideals=passages) NavR(nav=coverage) NavR(nav=distance) ESRR(parts=passages) "
ANY_TEXT += "ESRR(match=contains) ESRR(nav=coverage)"


@pytest.mark.parametrize("name", ANY_TEXT.split())
def test_measures_that_count_any_text_need_no_note_on_elements(name: str) -> None:
    assert not any("element" in note for note in notes(name))
    assert value(name, HIGHLIGHTED, CHUNKS) > 0


def test_few_elements_are_noted_and_more_are_not() -> None:
    p, others = ("moby", 10, 30), [("moby", 0, end) for end in range(31, 71)]
    assert notes("NavR", {"q": [p, *others[:20]]}) == (
        "run: 1 of 21 results in relevant documents is an element, and nothing else counts for NavR; "
        "write NavR(ideals=passages)",
    )
    assert notes("NavR", {"q": [p, *others[:19]]}) == ()
    assert notes("NavR", {"q": [{"doc_id": "moby", "path": E4}]}) == ()
    assert notes("NavR", {"q": [("other", 0, 5)]}) == (
        "run: none of its documents is judged for its query; "
        "do the run and the qrels use the same query and document ids?",
        "run: 1 case of the error unknown-document (a result in a document that is not in the collection); "
        "partwise check shows where",
    )
