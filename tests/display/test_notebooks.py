"""What notebooks show of results and inputs, and what can be done with them there."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from html.parser import HTMLParser
from typing import Any

import pytest

import partwise as pw
from partwise.report import charts
from partwise.study.findings import Findings
from support.scores import DOUBLE, double_runs, one_measure, scores_of

GOLD = {"q1": [("d", 40, 60)], "q2": [("d", 120, 140)]}
RUN = {"q1": [("d", 0, 50), ("d", 50, 100)], "q2": [("d", 50, 100), ("d", 100, 150)]}
BY_SLICE = "diagnosis by slice"
"""It iterates over slices, as a mapping."""
CHUNKS = {"d": [(0, 50), (50, 100), (100, 150)]}
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>&\"'"


class Page(HTMLParser):
    """The tags, attributes and texts of a page, and the number of rows of its tables."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.rows = 0
        self.texts: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.rows += tag == "tr"
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def scores(runs: int = 3) -> pw.Scores:
    names = ("iAP", "Redundancy@5")
    values = {f"r{r}": {m: {f"q{q}": (r + q * 3) % 7 / 7 for q in range(6)} for m in names} for r in range(runs)}
    return scores_of(values)


def diagnosis_slices() -> Any:
    about = [{"query_id": "q1", "corpus": "wiki"}, {"query_id": "q2", "corpus": "law"}]
    return pw.diagnose(GOLD, RUN, CHUNKS, k=1, queries=about, by="corpus").slices


def results() -> dict[str, Any]:
    """Every kind of result and input."""
    many, evaluator = scores(), pw.Evaluator(DOUBLE, "TextR TextP")
    return {
        "scores": many,
        "slices": many.by({f"q{q}": "odd" if q % 2 else "even" for q in range(6)}),
        "comparison": pw.compare(many, trials=20),
        "baseline": pw.compare(many, baseline="r1", trials=20),
        "agreement": pw.study.agreement(many),
        "error rate": pw.study.error_rate(many, trials=5),
        "queries": pw.study.queries(many, trials=5),
        "power": pw.study.power(many, trials=20),
        "assessors": pw.study.assessors(evaluator, double_runs()),
        "perturbation": pw.study.perturb(evaluator, double_runs()),
        "curves": pw.study.curves(GOLD, RUN, kind="budget"),
        "gate": pw.gate(many["r0"], many["r1"], max_drop={"iAP": 0.1}),
        "diagnosis": pw.diagnose(GOLD, RUN, CHUNKS, k=1),
        BY_SLICE: diagnosis_slices(),
        "selected": pw.compare(many, trials=20).filter(measure="iAP"),
        "assessments": pw.Evaluator(GOLD, "TextR").evaluation.judgements.assessments,
        "run": next(iter(pw.Evaluator(GOLD, "TextR").read(RUN))),
    }


RESULTS = results()


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_is_shown(name: str) -> None:
    result = RESULTS[name]
    text = result._repr_html_()
    page = Page(text)
    assert "table" in page.tags
    assert not {"script", "img", "link", "iframe"} & set(page.tags)
    assert page.attributes <= {"class"}
    assert "://" not in text  # nothing is loaded
    assert text.isascii()
    assert "\n" not in repr(result)
    assert len(repr(result)) < 120
    assert repr(result) in page.texts
    assert len(result) > 0
    assert bool(result) is True


@pytest.mark.parametrize("name", [name for name in RESULTS if isinstance(RESULTS[name], Findings) and name != BY_SLICE])
def test_findings_are_rows(name: str) -> None:
    findings = RESULTS[name]
    assert list(findings) == findings.rows()
    assert len(findings) == len(findings.rows())
    assert findings[0] == findings.rows()[0]
    assert findings[:2] == findings.rows()[:2]
    assert len(findings.pivot()) > 0


def test_at_most_twenty_rows_are_shown() -> None:
    page = Page(scores(33)._repr_html_())
    assert page.rows == 21
    assert "… 13 more rows" in page.texts
    assert Page(scores(20)._repr_html_()).rows == 21
    assert not any("more row" in text for text in Page(scores(20)._repr_html_()).texts)
    run = next(iter(pw.Evaluator(GOLD, "TextR").read({"q1": [("d", i, i + 5) for i in range(30)]})))
    assert repr(run) == "Run 'run': 30 results, 1 query, 1 document"
    assert Page(run._repr_html_()).rows == 21
    assert "… 10 more rows" in Page(run._repr_html_()).texts
    qrels = pw.Evaluator({"q1": [(f"d{i}", 0, 9) for i in range(30)]}, "TextR").evaluation.judgements.assessments
    assert repr(qrels) == "Assessments: 1 query, 30 judged documents, 30 passages"
    assert "… 10 more judged documents" in Page(qrels._repr_html_()).texts
    pairs = Page(pw.compare(scores(12), trials=20)._repr_html_()).texts
    assert "132 pairs, in rows() and to_pandas()." in pairs


def test_the_unit_is_shown() -> None:
    evaluator = pw.Evaluator([{"query_id": "q", "doc_id": "d", "start": 0, "end": 5}], "TextR", unit="seconds")
    assert repr(evaluator.evaluation.judgements.assessments).endswith(", in seconds")
    shown = evaluator.evaluate({"q": [("d", 0, 5)]})
    assert repr(shown) == "Scores of 1 run, 1 measure, 1 query, in seconds"
    assert "Text is counted in seconds." in shown._repr_html_()


def test_hostile_names_are_texts() -> None:
    for result in (
        one_measure(**{HOSTILE: [0.1, 0.2], "b": [0.3, 0.4]}),
        pw.compare(one_measure(**{HOSTILE: [0.1, 0.2], "b": [0.3, 0.4]}), baseline=HOSTILE),
        pw.diagnose({HOSTILE: [("d", 0, 9)]}, {HOSTILE: [("d", 0, 5)]}, k=1),
        pw.Evaluator({HOSTILE: [(HOSTILE, 0, 9)]}, "TextR").evaluation.judgements.assessments,
        next(iter(pw.Evaluator(GOLD, "TextR").read({HOSTILE: {"q1": [(HOSTILE, 0, 9)]}}))),
    ):
        page = Page(result._repr_html_())
        assert not {"script", "img"} & set(page.tags)
        assert page.attributes <= {"class"}
        assert any(HOSTILE in text for text in page.texts)


def test_scores_are_looked_up() -> None:
    many = scores()
    assert many["r1"].run_ids == ["r1"]
    assert many["r1"].measures == many.measures
    assert many["r1", "iAP"] == many.mean()["r1"]["iAP"]
    assert many["r1", "iAP", "q2"] == many.per_query()["r1"]["iAP"]["q2"]
    assert many["r1", pw.Redundancy @ 5] == many.mean()["r1"]["Redundancy@5"]
    assert "r1" in many
    assert ("r1", "iAP") in many
    assert "r9" not in many
    assert len(many) == 3 * 2 * 6
    assert [row.query_id for row in many][:3] == ["q0", "q1", "q2"]
    assert many._ipython_key_completions_() == ["r0", "r1", "r2"]


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("r9", "there is no run 'r9'; choose among r0, r1, r2"),
        (("r1", "iAPP"), "there is no measure 'iAPP'; choose among iAP, Redundancy@5"),
        (("r1", "iAP", "x"), "there is no query 'x'; choose among q0, q1, q2, q3, q4 and 1 more"),
        (7, "'7' is not a run, a run and a measure, or a run, a measure and a query"),
    ],
)
def test_what_scores_do_not_have(key: Any, line: str) -> None:
    with pytest.raises(pw.PartwiseError) as caught:
        scores()[key]
    assert str(caught.value) == line


def test_scores_are_filtered_and_sorted() -> None:
    many = scores()
    some = many.filter(run_id=["r2", "r0"], measure="iAP", query_id=lambda query: query in ("q1", "q4"))
    assert (some.run_ids, some.measures, some.judged) == (["r0", "r2"], ["iAP"], 2)
    values = many.per_query()["r2"]["iAP"]
    assert some["r2", "iAP"] == (values["q1"] + values["q4"]) / 2
    best = many.sort("iAP").mean()
    assert [of["iAP"] for of in best.values()] == sorted((of["iAP"] for of in best.values()), reverse=True)
    least = many.sort("Redundancy@5").mean()  # the lower, the better
    assert [of["Redundancy@5"] for of in least.values()] == sorted(of["Redundancy@5"] for of in least.values())
    assert many.sort("iAP").by({"q1": "a"}).filter(run_id="r1")["a"].run_ids == ["r1"]


def test_notes_of_other_runs_are_left_out() -> None:
    both = pw.evaluate(GOLD, {"a": RUN, "b": {"q1": [("d", 0, 5)]}}, "TextR")
    assert [note.partition(":")[0] for note in both.notes] == ["b"]
    assert list(both["a"].notes) == []
    assert list(both["b"].notes) == list(both.notes)


def test_pivots() -> None:
    many = scores()
    frame = many.pivot()
    assert (frame.index.tolist(), frame.columns.tolist()) == (["r0", "r1", "r2"], ["iAP", "Redundancy@5"])
    assert frame.loc["r1", "iAP"] == many["r1", "iAP"]
    frame = many.filter(measure="iAP").pivot("query_id", "run_id")
    assert frame.loc["q3", "r2"] == many["r2", "iAP", "q3"]
    assert many.pivot(["run_id", "query_id"], "measure").shape == (18, 2)
    with pytest.raises(pw.PartwiseError) as caught:
        many.pivot("query_id", "run_id")
    assert str(caught.value) == (
        "there are several values of value for query_id q0, run_id r0; "
        "add another column to the index, or filter the rows"
    )
    assert pw.compare(many, trials=20).pivot().loc["r1", "iAP"] == many["r1", "iAP"]
    assert pw.study.agreement(many).pivot().loc["iAP", "Redundancy@5"] == pw.study.agreement(many)[0]["tau"]
    slices = many.by({f"q{q}": "odd" if q % 2 else "even" for q in range(6)})
    assert slices.pivot().loc[("odd", "r1"), "iAP"] == slices["odd"]["r1", "iAP"]
    assert pw.diagnose(GOLD, RUN, CHUNKS, k=1).pivot().loc["all", "best"] == 0.75


def test_diagnoses_by_slice() -> None:
    """They are a mapping, and their rows are chosen and drawn like others."""
    slices = diagnosis_slices()
    assert list(slices) == ["law", "wiki"]
    assert {row["slice"] for row in slices.filter(query_id="all")} == {"law", "wiki", "all"}
    assert slices.pivot().loc[("law", "all"), "best"] == 1.0
    assert ">law<" in charts.picture(slices.plot(), ".svg").decode()


def test_findings_are_selected() -> None:
    comparison = pw.compare(scores(), trials=20)
    of_run = comparison["r2"]
    assert {row["run_id"] for row in of_run} == {"r2"}
    assert [row["baseline"] for row in comparison["r2", "iAP"]] == ["r0", "r1"]
    assert repr(of_run) == "Comparison, 4 rows selected"
    small = comparison.filter(p=lambda p: p is not None and p < 0.5, measure=["iAP"])
    assert all(row["p"] < 0.5 for row in small)
    assert comparison.filter(measure="iAP").to_pandas()["measure"].unique().tolist() == ["iAP"]
    for wanted, line in (
        (
            {"measures": "iAP"},
            "there is no column 'measures'; choose among measure, run_id, letter, topics, mean and ",
        ),
        ({"measure": "x"}, "there is no measure 'x'; choose among iAP, Redundancy@5"),
    ):
        with pytest.raises(pw.PartwiseError) as caught:
            comparison.filter(**wanted)
        assert str(caught.value).startswith(line)


MEASURES = "TextR@5 TextP iAP PartR@2 gP@2 AgP P@2 nDCG"


def test_subsets_of_assessments_and_runs() -> None:
    """The scores of some queries of the assessments are those queries' scores, whatever is measured."""
    demo = pw.demo()
    qrels = pw.read_assessments(demo.qrels)
    [run] = pw.read_runs(list(demo.runs.values())[1])
    queries = list(qrels.queries)[2:7:2]
    whole = pw.evaluate(qrels, run, MEASURES, collection=demo.collection)
    part = pw.evaluate(qrels.filter(query_id=queries), run, MEASURES, collection=demo.collection)
    assert part.mean() == whole.filter(query_id=queries).mean()
    assert part.per_query() == whole.filter(query_id=queries).per_query()
    of_run = pw.evaluate(qrels, run.filter(query_id=queries), MEASURES, collection=demo.collection, average_over="run")
    assert of_run.per_query() == part.per_query()
    assert qrels.filter(query_id=lambda query: query == queries[0]).queries == queries[:1]
    for thing in (qrels, run):
        with pytest.raises(pw.PartwiseError, match="there is no query 'x'; choose among"):
            thing.filter(query_id="x")


def test_completion_offers_functions_and_classes() -> None:
    code = (
        "import partwise as pw, types\n"
        "for module in (pw, pw.study):\n"
        "    for name in dir(module):\n"
        "        value = getattr(module, name)\n"
        "        assert callable(value) or name == 'study', name\n"
        "        assert not name.startswith('_'), name\n"
        "print(dir(pw.study))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert (
        done.stdout == "['agreement', 'assessors', 'compare', 'curves', 'error_rate', 'perturb', 'power', 'queries']\n"
    )


def is_ours(member: Any) -> bool:
    is_method = inspect.isfunction(member) or inspect.ismethod(member)
    return is_method and str(member.__module__).startswith("partwise")


def documented() -> dict[str, Any]:
    """Every public function, and every public method of a public class that we define."""
    functions: dict[str, Any] = {}
    for module in (pw, pw.study):
        for name in dir(module):
            value = getattr(module, name)
            if inspect.isclass(value) and issubclass(value, pw.Measure) and value is not pw.Measure:
                continue  # the page of a measure has its parameters
            if inspect.isclass(value):
                for key, member in inspect.getmembers(value, is_ours):
                    if not key.startswith("_"):
                        functions[f"{name}.{key}"] = member
            elif inspect.isfunction(value):
                functions[name if module is pw else f"study.{name}"] = value
    return functions


DOCUMENTED = documented()


def test_what_is_documented() -> None:
    assert {"evaluate", "compare", "Scores.filter", "Comparison.to_latex", "study.agreement", "Run.take"} <= set(
        DOCUMENTED
    )
    assert len(DOCUMENTED) > 100


@pytest.mark.parametrize("name", sorted(DOCUMENTED))
def test_help_mentions_every_parameter(name: str) -> None:
    function = DOCUMENTED[name]
    text = inspect.getdoc(function) or ""
    assert text, name
    parameters = [one for one in inspect.signature(function).parameters if one not in ("self", "cls")]
    missing = [one for one in parameters if not re.search(rf"\b{re.escape(one)}\b", text)]
    assert missing == [], name
