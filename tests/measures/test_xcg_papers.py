"""The worked example of Kazai and Lalmas on XCG: Tables I and II, and the figures of sections 5.1 to 6.1.2."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction as Fr
from pathlib import Path
from typing import Any

import pytest

import partwise as pw
from oracles import structure_brute as slow
from support.xcg import (
    BDY,
    COLLECTION,
    COUNTS,
    DOC,
    GRADES,
    LEAVES,
    QUERY,
    RUNS,
    grade_rows,
    in_doc,
    inserted,
    preceded,
)

# Table II, as printed; the mean average nxCG of reverse_ideal, printed as 1, is 0.9997.
CUTOFFS = (1, 2, 3, 4, 5, 10, 25, 50, 100, 1500)
NXCG = {
    "ideal": "1 1 1 1 1 1 1 1 1 1",
    "frb": "1 1 1 1 1 1 1 1 1 1",
    "reverse_ideal": "0.5 1 1 1 1 1 1 1 1 1",
    "rel_leaves": "0.9 0.66 0.66 1 1 1 1 1 1 1",
}
EP = {
    "ideal": "1 1 1 1 1 1 1 1 1 1",
    "frb": "1 1 1 1 1 1 1 1 1 1",
    "reverse_ideal": "0.5 0.5 0.5 0.43 0.5 0.56 1 1 1 1",
    "rel_leaves": "0.9 0.9 0.9 0.9 0.9 0.9 0.46 0.47 0.49 0.5",
}
OVERALL = {
    "ideal": "1 1 1 1 1",
    "frb": "1 1 1 1 1",
    "reverse_ideal": "0.6991 0.75 0.875 1 0.9997",
    "rel_leaves": "0.732 0.633 0.8751 0.857 0.9995",
}
OVERALL_NAMES = ("iMAep", "MAep", "xQ", "xR", "MAnxCG")


@dataclass
class Inputs:
    """Grades, collection and runs, as Python objects or as files."""

    grades: Any
    collection: Any
    handed: Callable[[str, str, list[dict[str, Any]]], Any]

    def scores(self, runs: dict[str, list[dict[str, Any]]], measures: list[str], query: str = QUERY) -> dict[str, Any]:
        """``{run: {requested measure: value of the query}}``."""
        inputs = {name: self.handed(name, query, parts) for name, parts in runs.items()}
        scores = pw.evaluate(self.grades, inputs, measures, collection=self.collection)
        assert set(scores.per_query()) == set(runs)
        computed: dict[str, dict[str, float]] = {}
        for run, of_run in scores.per_query().items():
            computed[run] = {}
            for measure in measures:
                name = pw.measure(measure).name
                assert set(of_run[name]) == {query}
                assert scores.mean()[run][name] == of_run[name][query]
                computed[run][measure] = of_run[name][query]
        return computed

    def score(self, parts: list[dict[str, Any]], measures: list[str], query: str = QUERY) -> dict[str, float]:
        return self.scores({"run": parts}, measures, query)["run"]


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def inputs_as(kind: str, folder: Path, grades: list[dict[str, Any]], collection: dict[str, str]) -> Inputs:
    if kind == "objects":
        return Inputs(grades, collection, lambda name, query, parts: {query: parts})
    articles = folder / "articles"
    for doc, xml in collection.items():
        file = articles / f"{doc}.xml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'<?xml version="1.0" encoding="utf-8"?>\n{xml}\n', encoding="utf-8")

    def handed(name: str, query: str, parts: list[dict[str, Any]]) -> Path:
        ranked = [{"query_id": query, **part, "rank": rank} for rank, part in enumerate(parts, 1)]
        return written(folder / f"{name}.jsonl", ranked)

    return Inputs(written(folder / "grades.jsonl", grades), articles, handed)


@pytest.fixture(params=["objects", "files"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def inputs(kind: str, tmp_path: Path) -> Inputs:
    return inputs_as(kind, tmp_path, grade_rows(), COLLECTION)


def prints_as(value: float, printed: str) -> bool:
    """Whether a value is printed as this text: rounded, or truncated (0.66 is two thirds)."""
    digits = len(printed.partition(".")[2])
    cut = int(value * 10**digits + 1e-9) / 10**digits
    return float(printed) in (round(value + 1e-12, digits), cut) and (printed != "1" or abs(value - 1) < 1e-12)


def table_two(of_run: Callable[[str], dict[str, float]]) -> list[tuple[str, str, float, str]]:
    """Run, measure, value and printed value of every cell."""
    cells = []
    for run in RUNS:
        computed = of_run(run)
        printed = {f"nxCG(quant=sog)@{k}": text for k, text in zip(CUTOFFS, NXCG[run].split(), strict=True)}
        printed |= {f"ep(quant=sog)@{i / 10:g}": text for i, text in enumerate(EP[run].split(), 1)}
        printed |= {f"{name}(quant=sog)": text for name, text in zip(OVERALL_NAMES, OVERALL[run].split(), strict=True)}
        cells += [(run, name, computed[name], text) for name, text in printed.items()]
    return cells


TABLE_TWO_MEASURES = (
    [f"nxCG(quant=sog)@{k}" for k in CUTOFFS]
    + [f"ep(quant=sog)@{i / 10:g}" for i in range(1, 11)]
    + [f"{name}(quant=sog)" for name in OVERALL_NAMES]
)


def test_table_two(inputs: Inputs) -> None:
    computed = inputs.scores({run: in_doc(paths) for run, paths in RUNS.items()}, TABLE_TWO_MEASURES)
    cells = table_two(computed.__getitem__)
    assert len(cells) == 4 * 25
    for run, name, value, printed in cells:
        assert prints_as(value, printed), (run, name, value, printed)


def test_table_two_exactly(inputs: Inputs) -> None:
    """The same figures beyond the printed digits."""
    computed = inputs.scores({run: in_doc(paths) for run, paths in RUNS.items()}, TABLE_TWO_MEASURES)
    leaves, reverse = computed["rel_leaves"], computed["reverse_ideal"]
    assert leaves["nxCG(quant=sog)@2"] == pytest.approx(2 / 3)
    assert leaves["ep(quant=sog)@0.7"] == pytest.approx(1.7 / 3.7)
    assert leaves["ep(quant=sog)@1"] == pytest.approx(0.5)
    assert leaves["MAep(quant=sog)"] == pytest.approx((0.9 + 1 / 2 + 2 / 4) / 3)
    assert leaves["xQ(quant=sog)"] == pytest.approx((1.9 / 2 + 3 / 3.5 + 4.5 / 5.5) / 3)
    assert leaves["xR(quant=sog)"] == pytest.approx(3 / 3.5)
    assert leaves["MAnxCG(quant=sog)"] == pytest.approx((0.9 + 4 / 3 + 1497) / 1500)
    assert reverse["ep(quant=sog)@0.4"] == pytest.approx(0.6 / 1.4)
    assert reverse["ep(quant=sog)@0.6"] == pytest.approx(0.9 / 1.6)
    assert reverse["xQ(quant=sog)"] == pytest.approx((1.5 / 2 + 3.5 / 3.5) / 2)
    assert reverse["MAnxCG(quant=sog)"] == pytest.approx((0.5 + 1499) / 1500)


def slow_query(parts: list[dict[str, Any]]) -> slow.Query:
    return slow.Query(
        trees={doc: slow.Tree(xml) for doc, xml in COLLECTION.items()},
        scale="four-point",
        grades={DOC: {path: (Fr(e), Fr(s)) for path, (e, s) in GRADES.items()}},
        results=[slow.Result(part["doc_id"], part["path"]) for part in parts],
    )


def test_the_slow_measures_reproduce_table_two() -> None:
    """The slow measures that random trees are compared with agree with the paper."""

    def of_run(run: str) -> dict[str, float]:
        gains = slow.gains(slow_query(in_doc(RUNS[run])), "sog")
        computed = {f"nxCG(quant=sog)@{k}": slow.nx_cg(gains, k) for k in CUTOFFS}
        computed |= {f"ep(quant=sog)@{i / 10:g}": slow.ep(gains, Fr(i, 10)) for i in range(1, 11)}
        overall = (slow.i_ma_ep, slow.ma_ep, slow.x_q, slow.x_r, slow.ma_nx_cg)
        computed |= {f"{name}(quant=sog)": of(gains) for name, of in zip(OVERALL_NAMES, overall, strict=True)}
        return {name: float(value) for name, value in computed.items()}

    for run, name, value, printed in table_two(of_run):
        assert prints_as(value, printed), (run, name, value, printed)
    expected = {"sog": [f"{BDY}/sec[6]", f"{BDY}/sec[4]"], "strict": [f"{BDY}/sec[6]"], "gen": [BDY]}
    for quant, paths in expected.items():
        assert [path for _, path in slow.ideal_elements(slow_query([]), quant)] == paths
    near = slow.gains(slow_query(in_doc([f"{BDY}/sec[6]/p[1]", f"{BDY}/sec[6]", f"{BDY}/sec[6]/p[2]"])), "sog")
    assert slow.x_cg(near, 3) == 1


@pytest.mark.parametrize(
    ("quant", "ideal"),
    [
        ("sog", {f"{BDY}/sec[6]": 1.0, f"{BDY}/sec[4]": 0.5}),
        ("strict", {f"{BDY}/sec[6]": 1.0}),
        ("gen", {BDY: 0.75}),
    ],
)
def test_ideal_sets(inputs: Inputs, quant: str, ideal: dict[str, float]) -> None:
    base = pw.ideal(inputs.grades, collection=inputs.collection, quant=quant)
    rows = [(row["query_id"], row["doc_id"], row["path"], row["value"]) for row in base.rows()]
    assert rows == [(QUERY, DOC, path, pytest.approx(value)) for path, value in ideal.items()]
    names = [f"{name}(quant={quant})" for name in ("nxCG", "MAep", "xQ", "xR", "iMAep", "xGR")]
    [of_run] = pw.evaluate(inputs.grades, base, names, collection=inputs.collection).per_query().values()
    assert {name: of_run[name][QUERY] for name in names} == pytest.approx(dict.fromkeys(names, 1.0))


def test_default_quantisation_is_printed(inputs: Inputs) -> None:
    scores = pw.evaluate(
        inputs.grades, inputs.handed("run", QUERY, in_doc(LEAVES)), "nxCG@2 MAep", collection=inputs.collection
    )
    assert scores.mean()["run"] == pytest.approx({"nxCG(quant=sog)@2": 2 / 3, "MAep(quant=sog)": 1.9 / 3})


def test_a_near_miss_and_its_ideal_share_one_gain(inputs: Inputs) -> None:
    """Section 5.2.4: a paragraph, its section, another of its paragraphs; xCG is 1, nxCG is 1 / 1.5."""
    parts = in_doc([f"{BDY}/sec[6]/p[1]", f"{BDY}/sec[6]", f"{BDY}/sec[6]/p[2]"])
    names = ["xCG(quant=sog)@1", "xCG(quant=sog)@2", "xCG(quant=sog)@3", "nxCG(quant=sog)@3"]
    assert list(inputs.score(parts, names).values()) == pytest.approx([0.9, 1, 1, 2 / 3])


def test_near_misses_are_capped_by_their_ideal(inputs: Inputs) -> None:
    """Section 6.1.1.1: the leaves gain 0.9, 0.1, 0, then 0.5 of the 0.9 of sec[4]/ip1[2], then nothing."""
    names = [f"xCG(quant=sog)@{k}" for k in range(1, 7)]
    assert list(inputs.score(in_doc(LEAVES), names).values()) == pytest.approx([0.9, 1, 1, 1.5, 1.5, 1.5])


def test_a_section_read_by_its_only_relevant_paragraph_gains_nothing(kind: str, tmp_path: Path) -> None:
    """Section 5.2.3: a relevant paragraph, nine that are not, then the section."""
    xml = "<article><sec>" + "<p>ten letters</p>" * 10 + "</sec></article>"
    grades = [
        {"query_id": "t", "doc_id": "d", "path": path, "exhaustivity": 3, "specificity": s, "scale": "four-point"}
        for path, s in {"/article[1]/sec[1]": 1, "/article[1]/sec[1]/p[1]": 3}.items()
    ]
    inputs = inputs_as(kind, tmp_path, grades, {"d": xml})
    paths = in_doc(["/article[1]/sec[1]/p[1]", "/article[1]/sec[1]"], "d")
    assert inputs.score(paths, ["xCG(quant=sog)@1", "xCG(quant=sog)@2"], "t") == pytest.approx(
        {"xCG(quant=sog)@1": 1, "xCG(quant=sog)@2": 1}
    )
    # of the overlap alone, each relevant element its own ideal: half of 0.05 (the paragraph once more) and half of 0.25
    names = ["xCG(quant=sog,ideal=all)@2", "xCG(quant=sog,ideal=all,alpha=0)@2", "xCG(quant=sog,ideal=all,alpha=0.5)@2"]
    assert list(inputs.score(paths, names, "t").values()) == pytest.approx([1, 1.25, 1.15])


def test_toy_vectors(kind: str, tmp_path: Path) -> None:
    """Section 5.1, in thirds: gains 3 1 0 0 1 3 2 2 0 0, ideal gains 3 3 3 3 2 2 2 1 1."""
    ideal = [3, 3, 3, 3, 2, 2, 2, 1, 1]
    xml = "<article>" + "".join(f"<sec>section {i}</sec>" for i in range(1, 14)) + "</article>"
    grades = [
        {
            "query_id": "q",
            "doc_id": "toy",
            "path": f"/article[1]/sec[{i}]",
            "exhaustivity": 1,
            "specificity": third / 3,
            "scale": "unit",
        }
        for i, third in enumerate(ideal, 1)
    ]
    inputs = inputs_as(kind, tmp_path, grades, {"toy": xml})
    returned = [1, 8, 10, 11, 9, 2, 5, 6, 12, 13]
    parts = in_doc([f"/article[1]/sec[{i}]" for i in returned], "toy")
    names = [f"{name}(quant=spe)@{k}" for name in ("xCG", "nxCG") for k in range(1, 11)]
    computed = inputs.score(parts, [*names, "MAnxCG(quant=spe)@6"], "q")
    cumulated = [computed[f"xCG(quant=spe)@{k}"] * 3 for k in range(1, 11)]
    assert cumulated == pytest.approx([3, 4, 4, 4, 5, 8, 10, 12, 12, 12])
    printed = ["1", "0.67", "0.44", "0.33", "0.36", "0.5", "0.56", "0.63", "0.6", "0.6"]
    for k, text in enumerate(printed, 1):
        assert prints_as(computed[f"nxCG(quant=spe)@{k}"], text), k
    over_ideal = [computed[f"nxCG(quant=spe)@{k}"] for k in range(1, 11)]
    assert over_ideal == pytest.approx(
        [c / i for c, i in zip(cumulated, (3, 6, 9, 12, 14, 16, 18, 19, 20, 20), strict=True)]
    )
    assert prints_as(computed["MAnxCG(quant=spe)@6"], "0.55")
    resolved = pw.evaluate(inputs.grades, inputs.handed("run", "q", parts), "xGR", collection=inputs.collection).mean()
    assert resolved["run"] == pytest.approx({"xGR(quant=spe)": 12 / 20})


def test_inserting_irrelevant_results(inputs: Inputs) -> None:
    """Section 6.1.2, Figure 6a: R stays at 0.5714 and ep@0.1 at 1, the others fall."""
    names = [f"{name}(quant=sog)" for name in ("xR", "xQ", "MAep", "iMAep", "MAnxCG")]
    names += ["ep(quant=sog)@0.1", "ep(quant=sog)@1", "nxCG(quant=sog)@1", "nxCG(quant=sog)@2"]
    runs = {f"insert{count}": inserted(count) for count in COUNTS}
    computed = inputs.scores(runs, names)
    for count in COUNTS:
        scores = computed[f"insert{count}"]
        assert prints_as(scores["xR(quant=sog)"], "0.5714")
        assert scores["xR(quant=sog)"] == pytest.approx(2 / 3.5)
        assert scores["ep(quant=sog)@0.1"] == pytest.approx(1)
        assert scores["ep(quant=sog)@1"] == pytest.approx(2 / (count + 2))
        assert scores["MAep(quant=sog)"] == pytest.approx((1 + 2 / (count + 2)) / 2)
        assert scores["nxCG(quant=sog)@1"] == pytest.approx(1)
        assert scores["nxCG(quant=sog)@2"] == pytest.approx(2 / 3)
    for name in ("xQ", "MAep", "iMAep", "MAnxCG"):
        values = [computed[f"insert{count}"][f"{name}(quant=sog)"] for count in COUNTS]
        assert values == sorted(values, reverse=True)
        assert values[0] < 1


def test_steps_of_nxcg(inputs: Inputs) -> None:
    """Section 6.1.2: nxCG[3] falls to two thirds at two inserted results, nxCG[5] at four; preceded, to 0."""
    names = ["nxCG(quant=sog)@3", "nxCG(quant=sog)@5"]
    runs = {f"insert{count}": inserted(count) for count in range(1, 6)}
    runs |= {f"precede{count}": preceded(count) for count in range(1, 6)}
    computed = inputs.scores(runs, names)
    at_three = [computed[f"insert{count}"][names[0]] for count in range(1, 6)]
    at_five = [computed[f"insert{count}"][names[1]] for count in range(1, 6)]
    assert at_three == pytest.approx([1, 2 / 3, 2 / 3, 2 / 3, 2 / 3])
    assert at_five == pytest.approx([1, 1, 1, 2 / 3, 2 / 3])
    assert [computed[f"precede{count}"][names[0]] for count in range(1, 6)] == pytest.approx([1, 2 / 3, 0, 0, 0])


def test_drops(inputs: Inputs) -> None:
    """Section 6.1.2: one irrelevant result before rank 1 against one between ranks 1 and 2."""
    names = [f"{name}(quant=sog)" for name in ("xQ", "MAep", "iMAep")]
    computed = inputs.scores({"insert": inserted(1), "precede": preceded(1)}, names)
    drops = [100 * (1 - computed["precede"][name] / computed["insert"][name]) for name in names]
    assert [round(drop, 1) for drop in drops] == [24.1, 30.0, 47.1]
