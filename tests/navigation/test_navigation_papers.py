"""The worked examples of Ali, Consens and Lalmas: ESR Tables 2 to 14, PRUM in Table 9, and SR Examples 2.2 to 3.4."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction as Fr
from pathlib import Path
from typing import Any

import pytest

import partwise as pw
from oracles import nav_brute as slow
from oracles.structure_brute import Tree

QUERY = "q"
DOC = "article"

# Figure 4(a): an article of 100 characters; the texts are invented. e6 is a section inside a section.
XML = f"<a><sec>{'i' * 10}<p>{'a' * 20}</p><p>{'b' * 20}</p><sec>{'c' * 20}</sec></sec><sec>{'d' * 30}</sec></a>"
PATHS = {
    "e1": "/a[1]",
    "e2": "/a[1]/sec[1]",
    "e3": "/a[1]/sec[2]",
    "e4": "/a[1]/sec[1]/p[1]",
    "e5": "/a[1]/sec[1]/p[2]",
    "e6": "/a[1]/sec[1]/sec[1]",
}
ROUTES = ("e3 e1 e2 e4", "e3 e2 e4 e5", "e3 e1 e6")

# Rows are origins, columns are targets.
TABLE_2 = {
    "e1": ("0", "1/2", "0", "0", "0", "1/2"),
    "e2": ("0", "0", "0", "1", "0", "0"),
    "e3": ("2/3", "1/3", "0", "0", "0", "0"),
    "e4": ("0", "0", "0", "0", "1", "0"),
    "e5": ("0", "0", "0", "0", "0", "0"),
    "e6": ("0", "0", "0", "0", "0", "0"),
}
TABLE_3 = {"a": ("0", "1", "0"), "sec": ("0.4", "0.2", "0.4"), "p": ("0", "0", "1")}
TABLE_5 = {
    "e1": ("0", "0.53", "0.16", "0.11", "0.11", "0.11"),
    "e2": ("0.63", "0", "0", "0.133", "0.133", "0.133"),
    "e3": ("1", "0", "0", "0", "0", "0"),
    "e4": ("0.5", "0.5", "0", "0", "0", "0"),
    "e5": ("0.5", "0.5", "0", "0", "0", "0"),
    "e6": ("0.5", "0.5", "0", "0", "0", "0"),
}
# Table 6.
SYSTEMS = {"R1": ("e1", "e3", "e4"), "R2": ("e1", "e2", "e6"), "R3": ("e3", "e1", "e4")}
RELEVANT = {"e3": 30, "e4": 20}


# ---- files ----------------------------------------------------------------------------------------------------


def written(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def collection_in(folder: Path, documents: Mapping[str, str]) -> Path:
    articles = folder / "articles"
    articles.mkdir(exist_ok=True)
    for doc, xml in documents.items():
        (articles / f"{doc}.xml").write_text(xml, encoding="utf-8")
    return articles


def table_rows(table: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """A printed matrix as pairs, without the zeros."""
    return [
        {"from": PATHS[source], "to": path, "probability": float(Fr(p))}
        for source, row in table.items()
        for path, p in zip(PATHS.values(), row, strict=True)
        if Fr(p)
    ]


def slow_table(table: Mapping[str, Sequence[str]]) -> slow.Model:
    pairs: dict[tuple[str | None, str, str], Fr] = {
        (None, PATHS[source], path): Fr(p)
        for source, row in table.items()
        for path, p in zip(PATHS.values(), row, strict=True)
    }
    return slow.table(pairs)


def grades(relevant: Mapping[str, Sequence[str]], doc: str = DOC) -> list[dict[str, Any]]:
    """Elements that are relevant as a whole, by query."""
    return [
        {"query_id": query, "doc_id": doc, "path": path, "exhaustivity": 1, "specificity": 1, "scale": "unit"}
        for query, paths in relevant.items()
        for path in paths
    ]


@dataclass
class Inputs:
    """The folder of the inputs, and whether they are passed as files or as Python objects."""

    folder: Path
    as_files: bool

    def scores(
        self,
        qrels: list[dict[str, Any]],
        runs: Mapping[str, list[dict[str, Any]]],
        names: Sequence[str],
        documents: Mapping[str, str],
    ) -> dict[str, dict[str, dict[str, float]]]:
        """``{run: {requested measure: {query: value}}}``."""
        given_qrels: Any = qrels
        given_runs: Any = dict(runs)
        collection: Any = dict(documents)
        if self.as_files:
            given_qrels = written(self.folder / "qrels.jsonl", qrels)
            given_runs = [written(self.folder / f"{name}.jsonl", rows) for name, rows in runs.items()]
            collection = collection_in(self.folder, documents)
        of_runs = pw.evaluate(given_qrels, given_runs, list(names), collection=collection).per_query()
        assert list(of_runs) == list(runs)
        return {run: dict(zip(names, values.values(), strict=True)) for run, values in of_runs.items()}

    def nav(self, name: str, rows: Sequence[Mapping[str, Any]], **more: str) -> str:
        """A model that reads a file, by name."""
        parameter = "weights" if name == "summary" else "file"
        path = self.folder / f"{name}.jsonl"
        extra = "".join(f",{key}={value}" for key, value in more.items())
        return f"{name}({parameter}='{written(path, rows)}'{extra})"


@pytest.fixture(params=["objects", "files"])
def inputs(request: pytest.FixtureRequest, tmp_path: Path) -> Inputs:
    return Inputs(tmp_path, request.param == "files")


def listed(paths: Sequence[str], queries: Sequence[str] = (QUERY,), doc: str = DOC) -> list[dict[str, Any]]:
    return [
        {"query_id": query, "doc_id": doc, "path": path, "rank": rank}
        for query in queries
        for rank, path in enumerate(paths, 1)
    ]


def prints_as(value: float, printed: str) -> bool:
    """Whether a value is printed as this text: rounded, or truncated (4.56 is 4.567). A whole number is exact."""
    digits = len(printed.partition(".")[2])
    if not digits:
        return abs(value - float(printed)) < 0.005
    cut = int(value * 10**digits + 1e-9) / 10**digits
    return float(printed) in (round(value + 1e-12, digits), cut)


# ---- ESR: navigation -------------------------------------------------------------------------------------------


def reached(inputs: Inputs, nav: str) -> dict[str, list[float]]:
    """P(to | from): a query for every target element, a run for every origin."""
    qrels = grades({element: [path] for element, path in PATHS.items()})
    runs = {element: listed([path], list(PATHS)) for element, path in PATHS.items()}
    name = f"ESRNear(nav={nav})@1"
    computed = inputs.scores(qrels, runs, [name], {DOC: XML})
    return {element: [of_run[name][other] for other in PATHS] for element, of_run in computed.items()}


def route_rows(**more: Any) -> list[dict[str, Any]]:
    return [{**more, "route": [PATHS[element] for element in route.split()]} for route in ROUTES]


def test_table_2(inputs: Inputs) -> None:
    computed = reached(inputs, inputs.nav("routes", route_rows()))
    assert computed == {source: pytest.approx([float(Fr(p)) for p in row]) for source, row in TABLE_2.items()}
    of_document = reached(inputs, inputs.nav("routes", route_rows(doc_id=DOC)))
    assert of_document == computed
    elsewhere = reached(inputs, inputs.nav("routes", route_rows(doc_id="another")))
    assert elsewhere == {source: [0] * 6 for source in PATHS}


def test_table_2_normalised_is_itself(inputs: Inputs) -> None:
    """Every row that leads somewhere sums to one already."""
    computed = reached(inputs, inputs.nav("routes", route_rows(), normalise="True"))
    assert computed == {source: pytest.approx([float(Fr(p)) for p in row]) for source, row in TABLE_2.items()}


def test_abandonment(inputs: Inputs) -> None:
    """Footnote 4: e4, e5 and e6 end a route each; users who stay at e4 do not go to e5."""
    computed = reached(inputs, inputs.nav("routes", route_rows(), abandon="True"))
    expected = {source: [float(Fr(p)) for p in row] for source, row in TABLE_2.items()}
    expected["e4"][4] = 0.5
    assert computed == {source: pytest.approx(row) for source, row in expected.items()}


TAGS = {"e1": "a", "e2": "sec", "e3": "sec", "e4": "p", "e5": "p", "e6": "sec"}


@pytest.mark.parametrize("stops", ["elements", "tags"])
def test_table_3(inputs: Inputs, stops: str) -> None:
    """By tag, two elements have the probability of their tags; an element never leads to itself."""
    rows = route_rows()
    if stops == "tags":
        rows = [{"route": [TAGS[element] for element in route.split()]} for route in ROUTES]
    computed = reached(inputs, inputs.nav("routes", rows, by="tag"))
    for source in PATHS:
        printed = dict(zip(TABLE_3, TABLE_3[TAGS[source]], strict=True))
        expected = [0.0 if source == target else float(printed[TAGS[target]]) for target in PATHS]
        assert computed[source] == pytest.approx(expected)


def test_table_5(inputs: Inputs) -> None:
    computed = reached(inputs, inputs.nav("table", table_rows(TABLE_5)))
    assert computed == {source: pytest.approx([float(p) for p in row]) for source, row in TABLE_5.items()}


def test_note_5(inputs: Inputs) -> None:
    """Table 5 is `hierarchy`, normalised; the sizes of its e1 and e2 are both 100, so a text cannot have them all.

    In one where e3 lies outside the others and e2 is everything else, the rows of e3 to e6 are as printed.
    """
    computed = reached(inputs, "hierarchy(normalise=True)")
    sizes = dict(zip(PATHS, (100, 70, 30, 20, 20, 20), strict=True))
    assert computed["e3"] == pytest.approx([1, 0, 0, 0, 0, 0])
    for source in ("e4", "e5", "e6"):
        assert computed[source] == pytest.approx([7 / 17, 10 / 17, 0, 0, 0, 0])
    from_e1 = [0] + [sizes[e] / 100 for e in ("e2", "e3", "e4", "e5", "e6")]
    assert computed["e1"] == pytest.approx([p / sum(from_e1) for p in from_e1])
    from_e2 = [0.7, 0, 0, 2 / 7, 2 / 7, 2 / 7]
    assert computed["e2"] == pytest.approx([p / sum(from_e2) for p in from_e2])


# ---- ESR: hits, near-misses, misses ------------------------------------------------------------------------------

# Tables 7 and 8 by system and cutoff: hits, near-misses and misses of e3 and e4, and the recall base; then by length.
TABLE_7 = {
    ("R1", 1): ("0 0", "0.16 0.11", "0.84 0.89", "2"),
    ("R2", 1): ("0 0", "0.16 0.11", "0.84 0.89", "2"),
    ("R3", 1): ("1 0", "0 0", "0 1", "2"),
    ("R1", 2): ("0.84 0", "0 0.11", "0 0.89", "1.84"),
    ("R2", 2): ("0 0", "0.16 0.23", "0.84 0.77", "2"),
    ("R3", 2): ("1 0", "0 0.11", "0 0.89", "2"),
    ("R1", 3): ("0.84 0.89", "0 0", "0 0", "1.73"),
    ("R2", 3): ("0 0", "0.16 0.23", "0.84 0.77", "2"),
    ("R3", 3): ("1 0.89", "0 0", "0 0", "1.89"),
}
TABLE_7_BY_LENGTH = {
    ("R1", 1): ("0 0", "4.8 2.2", "25.2 17.8", "50"),
    ("R2", 1): ("0 0", "4.8 2.2", "25.2 17.8", "50"),
    ("R3", 1): ("30 0", "0 0", "0 20", "50"),
    ("R1", 2): ("25.2 0", "0 2.2", "0 17.8", "45.2"),
    ("R2", 2): ("0 0", "4.8 4.56", "25.2 15.4", "50"),
    ("R3", 2): ("30 0", "0 2.2", "0 17.8", "50"),
    ("R1", 3): ("25.2 17.8", "0 0", "0 0", "43"),
    ("R2", 3): ("0 0", "4.8 4.56", "25.2 15.4", "50"),
    ("R3", 3): ("30 17.8", "0 0", "0 0", "47.8"),
}
KINDS = ("ESRHits", "ESRNear", "ESRMisses", "ESRBase")


def system_runs(queries: Sequence[str] = (QUERY,)) -> dict[str, list[dict[str, Any]]]:
    return {name: listed([PATHS[e] for e in elements], queries) for name, elements in SYSTEMS.items()}


@pytest.mark.parametrize(("rel", "printed"), [("binary", TABLE_7), ("length", TABLE_7_BY_LENGTH)])
def test_tables_7_and_8(inputs: Inputs, rel: str, printed: Mapping[tuple[str, int], Sequence[str]]) -> None:
    """Each element in a query of its own, both in one."""
    nav = inputs.nav("table", table_rows(TABLE_5))
    names = [f"{kind}(nav={nav},rel={rel})@{k}" for k in (1, 2, 3) for kind in (*KINDS, "ESRShrinkage")]
    qrels = grades({"e3": [PATHS["e3"]], "e4": [PATHS["e4"]], "both": [PATHS["e3"], PATHS["e4"]]})
    computed = inputs.scores(qrels, system_runs(["e3", "e4", "both"]), names, {DOC: XML})
    worth = {"e3": 30, "e4": 20} if rel == "length" else {"e3": 1, "e4": 1}
    for (run, k), rows in printed.items():
        values = {kind: computed[run][f"{kind}(nav={nav},rel={rel})@{k}"] for kind in (*KINDS, "ESRShrinkage")}
        for kind, row in zip(KINDS, rows[:3], strict=False):
            for element, text in zip(("e3", "e4"), row.split(), strict=True):
                assert prints_as(values[kind][element], text), (run, k, kind, element, values[kind], text)
            assert values[kind]["both"] == pytest.approx(values[kind]["e3"] + values[kind]["e4"])
        assert prints_as(values["ESRBase"]["both"], rows[3]), (run, k, values["ESRBase"], rows[3])
        for query, all_of_it in {**worth, "both": sum(worth.values())}.items():
            assert values["ESRBase"][query] + values["ESRShrinkage"][query] == pytest.approx(all_of_it)


def both() -> list[dict[str, Any]]:
    return grades({QUERY: [PATHS["e3"], PATHS["e4"]]})


@dataclass
class Printed:
    """A table as printed: a measure's name without its model, then the cells of R1, R2 and R3."""

    name: str
    cells: tuple[str, str, str]


# The recalls of Table 12 are over the expected recall base; Table 13 at k=3 is printed as 0.39 and 0.42, but its
# gains are 43 and 47.8 by Table 7, and the text calls the two systems tied.
TABLES_11_TO_14 = [
    Printed("ESRP(rel=binary)@1", ("0", "0", "1")),
    Printed("ESRP(rel=binary)@2", ("0.42", "0", "0.5")),
    Printed("ESRP(rel=binary)@3", ("0.577", "0", "0.63")),
    Printed("ESRR(rel=binary)@1", ("0.135", "0.135", "0.5")),
    Printed("ESRR(rel=binary)@2", ("0.516", "0.194", "0.555")),
    Printed("ESRR(rel=binary)@3", ("1", "0.194", "1")),
    Printed("SRiP(rel=length)@1", ("0", "0", "1")),
    Printed("SRiP(rel=length)@2", ("0.194", "0", "0.231")),
    Printed("SRiP(rel=length)@3", ("0.287", "0", "0.319")),
    Printed("SRiR(rel=length,base=expected)@1", ("0", "0", "0.6")),
    Printed("SRiR(rel=length,base=expected)@2", ("0.558", "0", "0.6")),
    Printed("SRiR(rel=length,base=expected)@3", ("1", "0", "1")),
    Printed("NSRCG(rel=length,m=2)@1", ("0", "0", "1.2")),
    Printed("NSRCG(rel=length,m=2)@2", ("0.56", "0", "0.6")),
    Printed("NSRCG(rel=length,m=2)@3", ("0.667", "0", "0.667")),
    Printed("SRPRUM(rel=binary)", ("0.577", "0.129", "0.63")),
]
# Equation 19; SRPRUM of section 6.5 at the recall that System 3 has at rank 2.
OURS = [
    Printed("SRiR(rel=length)@1", ("0", "0", "0.6")),
    Printed("SRiR(rel=length)@2", ("0.504", "0", "0.6")),
    Printed("SRiR(rel=length)@3", ("0.86", "0", "0.956")),
    Printed("SRPRUM(rel=binary,recall=0.555)", ("0.577", "0.129", "0.555")),
]


def with_nav(name: str, nav: str) -> str:
    return name.replace("(", f"(nav={nav},", 1)


def test_tables_11_to_14(inputs: Inputs) -> None:
    nav = inputs.nav("table", table_rows(TABLE_5))
    cells = [*TABLES_11_TO_14, *OURS]
    computed = inputs.scores(both(), system_runs(), [with_nav(cell.name, nav) for cell in cells], {DOC: XML})
    for cell in cells:
        for run, text in zip(SYSTEMS, cell.cells, strict=True):
            value = computed[run][with_nav(cell.name, nav)][QUERY]
            assert prints_as(value, text), (run, cell.name, value, text)


def test_tables_11_to_14_exactly(inputs: Inputs) -> None:
    """The same figures beyond the printed digits, from Table 5."""
    nav = inputs.nav("table", table_rows(TABLE_5))
    names = ["ESRR@2", "SRiP@3", "SRiR(base=expected)@2", "NSRCG(rel=length,m=2)@2", "NSRCG2(rel=length,m=2)@2"]
    names += ["SRPRUM", "SRiP2@2", "SRiR2@2", "SRiR2(base=expected)@2"]
    full_names = [with_nav(name, nav) if "(" in name else name.replace("@", f"(nav={nav})@") for name in names]
    full_names = [name if "nav=" in name else f"{name}(nav={nav})" for name in full_names]
    computed = inputs.scores(both(), system_runs(), full_names, {DOC: XML})
    values = {
        run: {name: computed[run][full_name][QUERY] for name, full_name in zip(names, full_names, strict=True)}
        for run in SYSTEMS
    }
    r1, r2 = values["R1"], values["R2"]
    near = 1 - (1 - 0.11) * (1 - 0.133)
    assert r1["ESRR@2"] == pytest.approx(0.95 / 1.84)
    assert r2["ESRR@2"] == pytest.approx((0.16 + near) / 2)
    assert r1["SRiP@3"] == pytest.approx(43 / 150)
    assert r1["SRiR(base=expected)@2"] == pytest.approx(25.2 / 45.2)
    assert r1["NSRCG(rel=length,m=2)@2"] == pytest.approx(25.2 / 45.2)
    assert r1["NSRCG2(rel=length,m=2)@2"] == pytest.approx(27.4 / 45.2)
    assert r2["SRPRUM"] == pytest.approx((0.16 + near) / 3)
    assert r1["SRiP2@2"] == pytest.approx(27.4 / 130)
    assert r1["SRiR2@2"] == pytest.approx(27.4 / 50)
    assert r1["SRiR2(base=expected)@2"] == pytest.approx(27.4 / 45.2)


def toy() -> Tree:
    return Tree(XML)


def part(tree: Tree, element: str) -> slow.Part:
    return slow.Part((slow.of_node(DOC, tree.at[PATHS[element]]),))


def test_the_slow_measures_reproduce_the_tables() -> None:
    """The slow measures that random worlds are compared with agree with the paper."""
    tree = toy()
    model = slow_table(TABLE_5)
    for rel, printed in (("binary", TABLE_7), ("length", TABLE_7_BY_LENGTH)):
        worth = [Fr(RELEVANT[e]) if rel == "length" else Fr(1) for e in RELEVANT]
        relevant = slow.Relevant([part(tree, e) for e in RELEVANT], worth)
        for (run, k), (hits, near, misses, base) in printed.items():
            results = [part(tree, e) for e in SYSTEMS[run]]
            sums = slow.expected(relevant, results, model, k=k)
            assert prints_as(float(sums.base), base)
            alone = [
                slow.expected(slow.Relevant([part(tree, e)], [of_part]), results, model, k=k)
                for e, of_part in zip(RELEVANT, worth, strict=True)
            ]
            for kind, row in (("hits", hits), ("near", near), ("misses", misses)):
                values = [getattr(one, kind) for one in alone]
                for value, text in zip(values, row.split(), strict=True):
                    assert prints_as(float(value), text), (rel, run, k, kind, value, text)
                assert getattr(sums, kind) == sum(values)


# ---- PRUM ------------------------------------------------------------------------------------------------------


def test_table_9(inputs: Inputs) -> None:
    """From e1 one user in five goes to e4; all need both ideal elements: 2 / 2.8."""
    nav = inputs.nav("table", [{"from": PATHS["e1"], "to": PATHS["e4"], "probability": 0.2}])
    names = [f"{name}(ideals=elements,quant=spe,nav={nav})@{at}" for name, at in (
        ("PRUM", "1"), ("PRUM", "0.5"), ("EPRUM", "1"), ("EPRUM", "0.5"), ("NavR", "1"), ("NavR", "2"), ("NavR", "3"),
        ("EPRUMrank", "2"), ("EPRUMrank", "3"),
    )]  # fmt: skip
    computed = inputs.scores(both(), {"R3": system_runs()["R3"]}, names, {DOC: XML})["R3"]
    values = [computed[name][QUERY] for name in names]
    assert prints_as(values[0], "0.714")
    assert values == pytest.approx([2 / 2.8, 1, 0.2 * 1 + 0.8 * 2 / 3, 1, 0.5, 0.6, 1, 1, 2 / 3])


def test_prum_of_a_list_that_may_not_reach(inputs: Inputs) -> None:
    """Without e4 itself only the one user in five who went to e4 has both: P(reached) E[CL] / E[C]."""
    nav = inputs.nav("table", [{"from": PATHS["e1"], "to": PATHS["e4"], "probability": 0.2}])
    name = f"PRUM(ideals=elements,quant=spe,nav={nav})@1"
    computed = inputs.scores(both(), {"short": listed([PATHS["e3"], PATHS["e1"], PATHS["e6"]])}, [name], {DOC: XML})
    assert computed["short"][name][QUERY] == pytest.approx(0.2 * 1.2 / (0.2 * 2 + 0.8 * 3))


# ---- SR --------------------------------------------------------------------------------------------------------

LIST_XML = "<r><x>aa</x><x>bb</x><x>cc</x><x>dd</x></r>"
LIST = [f"/r[1]/x[{i}]" for i in range(1, 5)]


def ranked(paths_and_ranks: Sequence[tuple[str, int]], doc: str = DOC) -> list[dict[str, Any]]:
    return [{"query_id": QUERY, "doc_id": doc, "path": path, "rank": rank} for path, rank in paths_and_ranks]


def test_example_2_2(inputs: Inputs) -> None:
    """The last of four elements; four users in five reach it from each of the others."""
    rows = [{"from": a, "to": b, "probability": 0.8} for a in LIST for b in LIST if a != b]
    nav = inputs.nav("table", rows)
    names = [f"SR(nav={nav})", f"SRP(nav={nav})@4"]
    run = {"run": ranked(list(zip(LIST, range(1, 5), strict=True)))}
    computed = inputs.scores(grades({QUERY: LIST[3:]}), run, names, {DOC: LIST_XML})["run"]
    assert [computed[name][QUERY] for name in names] == pytest.approx([0.008, 0.002])
    computed = inputs.scores(grades({QUERY: LIST}), run, names, {DOC: LIST_XML})["run"]
    assert computed[names[0]][QUERY] == pytest.approx(1 + 0.2 + 0.04 + 0.008)


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1)])
def test_example_2_3(inputs: Inputs, order: tuple[int, ...]) -> None:
    """[a | b e]: e is tied with b."""
    a, b, e = LIST[:3]
    nav = inputs.nav("table", [{"from": a, "to": e, "probability": 0.8}, {"from": b, "to": e, "probability": 0.4}])
    tied = [(a, 1), (b, 2), (e, 2)]
    run = {"run": ranked([tied[i] for i in order])}
    name = f"SR(nav={nav})"
    computed = inputs.scores(grades({QUERY: [e]}), run, [name], {DOC: LIST_XML})["run"]
    assert computed[name][QUERY] == pytest.approx(0.16)


# Figure 1: an article with two chapters of which one holds a section, and a note; Table 1 as printed has no w(4, 1).
SUMMARY_XML = "<a><b>aaa<d>bb</d></b><b>cc</b><c>d</c></a>"
LABELS = ("/a", "/a/b", "/a/c", "/a/b/d")
TABLE_1 = ((0, 2, 1, 1), (2, 0, 0, 1), (1, 0, 0, 0), (0, 1, 0, 0))
ONE_OF_EACH = ("/a[1]", "/a[1]/b[1]", "/a[1]/c[1]", "/a[1]/b[1]/d[1]")


def shares(inputs: Inputs, nav: str) -> list[float]:
    """pi of each partition: the isolation of its element after one other of the document."""
    name = f"SR(nav={nav})"
    first = {path: ONE_OF_EACH[1] if path == ONE_OF_EACH[0] else ONE_OF_EACH[0] for path in ONE_OF_EACH}
    isolation = []
    for path in ONE_OF_EACH:
        run = {"run": ranked([(first[path], 1), (path, 2)])}
        isolation.append(inputs.scores(grades({QUERY: [path]}), run, [name], {DOC: SUMMARY_XML})["run"][name][QUERY])
    return isolation


def test_example_3_3(inputs: Inputs) -> None:
    rows = [
        {"from": LABELS[i], "to": LABELS[j], "weight": weight}
        for i, row in enumerate(TABLE_1)
        for j, weight in enumerate(row)
    ]
    computed = shares(inputs, inputs.nav("summary", rows, by="path"))
    assert computed == pytest.approx([4 / 9, 3 / 9, 1 / 9, 1 / 9])
    assert all(prints_as(value, text) for value, text in zip(computed, ("0.44", "0.33", "0.11", "0.11"), strict=True))


def test_example_3_3_counted(inputs: Inputs) -> None:
    """Weights counted in the documents are the same in both directions."""
    for nav in ("summary(by=path)", "summary", "summary(by=tag)"):
        assert shares(inputs, nav) == pytest.approx([3 / 8, 3 / 8, 1 / 8, 1 / 8])


FOREST = {"one": "<a><b>aa</b><c>bb</c></a>", "two": "<a><b>aa</b><c>bb</c></a>"}
MIXED = [
    ("one", "/a[1]", 1),
    ("one", "/a[1]/b[1]", 2),
    ("two", "/a[1]", 2),
    ("two", "/a[1]/b[1]", 2),
    ("two", "/a[1]/c[1]", 3),
    ("one", "/a[1]/c[1]", 4),
]


@pytest.mark.parametrize(("related", "last"), [("document", Fr(1, 16)), ("kin", Fr(1, 16)), ("lineage", Fr(1, 4))])
def test_example_3_4(inputs: Inputs, related: str, last: Fr) -> None:
    """e1 | e11 e2 e21 | e22 | e12: the elements of each document are isolated from each other alone.

    pi is 1/2 for the roots, 1/4 for the others; by lineage the last of a document was reached from its root only.
    """
    expected = [Fr(1), Fr(1, 4), (1 + Fr(1, 2)) / 2, (1 + Fr(1, 4)) / 2, last, last]
    run = {"run": [{"query_id": QUERY, "doc_id": doc, "path": path, "rank": rank} for doc, path, rank in MIXED]}
    name = f"SR(related={related})"
    for (doc, path, _), isolation in zip(MIXED, expected, strict=True):
        computed = inputs.scores(grades({QUERY: [path]}, doc), run, [name], FOREST)["run"]
        assert computed[name][QUERY] == pytest.approx(float(isolation)), (doc, path)
    qrels = [row for doc, path, _ in MIXED for row in grades({QUERY: [path]}, doc)]
    names = [name, f"SRP(related={related})", f"SRP(related={related})@2", f"SRPL(related={related})@1"]
    computed = inputs.scores(qrels, run, names, FOREST)["run"]
    whole = float(sum(expected))
    assert [computed[name][QUERY] for name in names] == pytest.approx([whole, whole / 6, (1 + 1 / 4) / 2, 1])


# ---- trees -----------------------------------------------------------------------------------------------------


def tree_judged(*elements: str) -> list[dict[str, Any]]:
    return [{"query_id": QUERY, "doc_id": DOC, "paths": [PATHS[element] for element in elements]}]


def trees_listed(*trees: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {"query_id": QUERY, "doc_id": DOC, "paths": [PATHS[element] for element in tree], "rank": rank}
        for rank, tree in enumerate(trees, 1)
    ]


def test_equation_4(inputs: Inputs) -> None:
    """Between trees: probabilities from nodes of only one tree to nodes of only the other, over all pairs."""
    nav = inputs.nav("table", table_rows(TABLE_5))
    names = [f"{kind}(nav={nav},match=exact)@{k}" for kind in ("ESRHits", "ESRNear", "ESRMisses") for k in (1, 2, 3)]
    run = {"run": trees_listed(("e1", "e4"), ("e2",), ("e5", "e4"))}
    computed = inputs.scores(tree_judged("e4", "e5"), run, names, {DOC: XML})["run"]
    first = 0.11 / 4  # e1 to e5; e4 is in both
    second = (0.133 + 0.133) / 2
    apart = (1 - first) * (1 - second)
    values = [computed[name][QUERY] for name in names]
    assert values == pytest.approx([0, 0, apart, first, 1 - apart, 0, 1 - first, apart, 0])


def test_a_tree_contains_the_trees_of_its_nodes(inputs: Inputs) -> None:
    names = [f"ESRP(nav=none,match={match})@{k}" for match in ("exact", "contains") for k in (1, 2)]
    run = {"run": trees_listed(("e1", "e4"), ("e1", "e4", "e5"))}
    computed = inputs.scores(tree_judged("e4", "e5"), run, names, {DOC: XML})["run"]
    assert [computed[name][QUERY] for name in names] == [0, 0, 0, 0.5]


def test_trees_by_length(inputs: Inputs) -> None:
    """The size of a tree is that of its text: a section and the paragraphs inside it have 70 characters."""
    names = [f"SRiP(nav=none,match={match})@{k}" for match in ("exact", "contains") for k in (1, 2)]
    run = {"run": trees_listed(("e4",), ("e2", "e4", "e5"))}
    computed = inputs.scores(tree_judged("e2", "e4"), run, names, {DOC: XML})["run"]
    assert [computed[name][QUERY] for name in names] == pytest.approx([0, 0, 0, 70 / 90])
