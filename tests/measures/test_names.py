"""Names of measures: parsing, and the canonical form, which must not change."""

from __future__ import annotations

import inspect
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import partwise as pw
from partwise import api, measures
from partwise.engines import spark
from partwise.measures import all_names, families, measures_from, parse
from partwise.presets import TASKS
from partwise.report import charts

CANONICAL = {
    "iP@0.01": "iP@0.01",
    "iP@.10": "iP@0.1",
    "iP@0.00": "iP@0",
    "iP@1.0": "iP@1",
    "iP(alpha=1)@0.5": "iP@0.5",
    "iP(alpha=0.0)@0.5": "iP(alpha=0)@0.5",
    "iP( alpha = .5 , trel = 'elements' )@0.5": "iP(alpha=0.5,trel=elements)@0.5",
    "iP(recall=0.01)": "iP@0.01",
    "iP(trel=elements,alpha=0)@1": "iP(alpha=0,trel=elements)@1",
    "iP[0.01]": "iP@0.01",
    "iP(alpha=0)[0.10]": "iP(alpha=0)@0.1",
    "nxCG[10]": "nxCG@10",
    "map": "AP",
    "ndcg": "nDCG",
    "ndcg_cut_10": "nDCG@10",
    "ndcg_cut.10": "nDCG@10",
    "P_10": "P@10",
    "recip_rank": "RR",
    "recall_100": "R@100",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "success_5": "Success@5",
    "map_cut_10": "AP@10",
    "num_ret": "NumRet",
    "set_P": "SetP",
    "set_F_0.5": "SetF(beta=0.5)",
    "iprec_at_recall_0.10": "IPrec@0.1",
    "MAiP": "iAP",
    "iMAP": "iAP",
    "iAP(points=11)": "iAP(points=11)",
    "iAP(points=101)": "iAP",
    "TextP": "TextP",
    "TextP@10": "TextP@10",
    "TextF(beta=2,alpha=0)@5": "TextF(beta=2,alpha=0)@5",
    "TextF(alpha=0,beta=1)@5": "TextF(alpha=0)@5",
    "TextR(budget=2000)": "TextR(budget=2000)",
    "TextIoU@5": "TextIoU@5",
    "TextAP": "TextAP",
    "MAgP": "AgP",
    "AgP(score=F)": "AgP",
    "AgP(score=F(beta=1))": "AgP",
    "AgP(score=F(beta=0.25))": "AgP(score=F(beta=0.25))",
    "AgP(score=BEP)": "AgP(score=BEP)",
    "AgP(score=BEPn(n=500))": "AgP(score=BEPn(n=500))",
    "AgP(score='BEPn(n=500)')": "AgP(score=BEPn(n=500))",
    "gP(score=T2I(tolerance=300))@10": "gP(score=T2I)@10",
    "gR@50": "gR@50",
    "Overlap@10": "Overlap@10",
    "Redundancy": "Redundancy",
    "nxCG(quant=sog)@10": "nxCG(quant=sog)@10",
    "nxCG@10": "nxCG@10",
    "MAnxCG": "MAnxCG",
    "MAnxCG@1500": "MAnxCG",
    "MAep(alpha=1,quant='gen',ideal=all)": "MAep(quant=gen,ideal=all)",
    "ep@.1": "ep@0.1",
    "Precall(variant=simple)@0.5": "Precall(variant=simple)@0.5",
    "inexAP(points=100)": "inexAP",
    "ngR(overlap=False)@10": "ngR(overlap=False)@10",
    "T2I(tolerance=300)@0.5": "T2I@0.5",
    "T2I(one=False)@0.5": "T2I(one=False)@0.5",
    "NavR@10": "NavR@10",
    "NavR(nav=hierarchy,ideals=elements)@10": "NavR(ideals=elements,nav=hierarchy)@10",
    "EPRUM(nav=distance(A=0.20))@0.5": "EPRUM(nav=distance(A=0.2))@0.5",
    "EPRUM(nav='distance(A=0.1)')@.5": "EPRUM(nav=distance)@0.5",
    "PRUM(ideals=bep)@1.0": "PRUM(ideals=bep)@1",
    "AEPRUM(quant=sog)": "AEPRUM(quant=sog)",
    "EPRUMrank@5": "EPRUMrank@5",
    "SR(nav=summary(by=path),related=document)@5": "SR(nav=summary)@5",
    "SRP(nav=summary(by=tag,weights='w.csv'),related=kin)": "SRP(nav=summary(by=tag,weights='w.csv'),related=kin)",
    "SRPL(base=retrieved)@0.5": "SRPL(base=retrieved)@0.5",
    "ESRP(match=exact,nav=depth(normalise=True),alpha=0.0)@9": "ESRP(nav=depth(normalise=True),match=exact)@9",
    "ESRR(nav=routes(file='r.jsonl',by=tag,abandon=False))": "ESRR(nav=routes(file='r.jsonl',by=tag))",
    'ESRHits(nav=table(file="it\'s.csv"))@3': 'ESRHits(nav=table(file="it\'s.csv"))@3',
    "ESRBase(nav=users)": "ESRBase(nav=users)",
    "NSRCG(l=1,m=2,rel=length)@3": "NSRCG(m=2,rel=length)@3",
    "SRiR(base=expected)@2": "SRiR(base=expected)@2",
    "SRPRUM(recall=0.50)": "SRPRUM(recall=0.5)",
    "iSRiP2(depth=1000)@0.10": "iSRiP2@0.1",
    "MASRiP(parts=passages)": "MASRiP(parts=passages)",
    "nDCG@10": "nDCG@10",
    "NDCG@10": "nDCG@10",
    "P(rel=2)@5": "P(rel=2)@5",
    "nDCG(dcg=exp-log2)@10": "nDCG(dcg='exp-log2')@10",
    "MAP": "AP",
}


@pytest.mark.parametrize(("name", "canonical"), CANONICAL.items())
def test_canonical_names(name: str, canonical: str) -> None:
    measure = pw.measure(name)
    assert measure.name == canonical
    assert pw.measure(canonical) == measure
    assert hash(pw.measure(canonical)) == hash(measure)
    assert pickle.loads(pickle.dumps(measure)) == measure


def test_names_of_all_measures_do_not_change() -> None:
    assert list(all_names()) == [
        "TextP", "TextR", "TextF", "TextIoU", "iP", "iAP", "MAiP", "iMAP", "TextAP", "PartHit", "PartRR",
        "PartP", "PartR", "PartAP", "PartnDCG", "NuggetR", "AllFound", "AspectAP", "Abstain", "CharAP", "TextU",
        "TextRBP", "Read", "TextJudged", "gP", "gR", "AgP", "MAgP",
        "xCG", "nxCG", "MAnxCG", "xGR", "ep", "iMAep", "MAep", "xQ", "xR", "Precall", "inexAP", "ngP", "ngR",
        "T2I", "T2IAP", "NavR", "PRUM", "EPRUM", "AEPRUM", "EPRUMrank", "SR", "SRP", "SRPL", "ESRP", "ESRR", "SRiP",
        "SRiR", "SRiP2", "SRiR2", "NSRCG", "NSRCG2", "SRPRUM", "iSRiP", "iSRiP2", "MASRiP", "MASRiP2", "MAESRP",
        "ESRHits", "ESRNear", "ESRMisses", "ESRBase", "ESRShrinkage", "Overlap", "Redundancy",
    ]  # fmt: skip


def test_public_names_do_not_change() -> None:
    assert dir(pw) == sorted(
        [
            *(measure.__name__ for family in families().values() for measure in family),
            "Assessments",
            "BEP",
            "BEPn",
            "Collection",
            "Comparison",
            "Demo",
            "Diagnosis",
            "Document",
            "Evaluator",
            "F",
            "Finding",
            "Format",
            "Findings",
            "Gate",
            "IdealRun",
            "LineFormat",
            "Links",
            "Located",
            "LocatedRows",
            "Locations",
            "Measure",
            "Navigation",
            "NavigationGraph",
            "Param",
            "PartwiseError",
            "Places",
            "Question",
            "Run",
            "Scores",
            "Slices",
            "check",
            "check_rules",
            "compare",
            "convert",
            "demo",
            "diagnose",
            "evaluate",
            "explain",
            "gate",
            "ideal",
            "learn_navigation",
            "list_measures",
            "locate",
            "locate_rows",
            "measure",
            "measure_page",
            "read_assessments",
            "read_navigation",
            "read_runs",
            "read_scores",
            "reading",
            "register_format",
            "register_measure",
            "register_navigation",
            "register_quantisation",
            "register_tokenizer",
            "spans",
            "study",
            "tree",
            "write_assessments",
            "write_index",
            "write_report",
            "write_run",
            "write_scores",
            "write_scores_report",
        ]
    )  # fmt: skip
    assert all(getattr(pw, name) is not None for name in dir(pw))
    with pytest.raises(AttributeError, match="module 'partwise' has no attribute 'nothing'"):
        _ = pw.nothing


def test_arguments_have_the_same_order_in_all_functions() -> None:
    functions = [getattr(api, name) for name in api.__all__ if inspect.isroutine(getattr(api, name))]
    functions += [spark.evaluate, spark.notes, charts.write_picture]
    with_both = []
    for function in functions:
        order = list(inspect.signature(function).parameters)
        if {"qrels", "runs"} <= set(order):
            with_both.append(function.__name__)
            assert order[:2] == ["qrels", "runs"], function
        if function.__name__.startswith("write_"):
            assert "path" in order[1:3], function
    assert with_both == ["check", "compare", "evaluate", "write_report", "evaluate", "notes"]


def test_measures_of_tasks_do_not_change() -> None:
    assert {task: [measure.name for measure in measures_from(names)] for task, names in TASKS.items()} == {
        "focused": ["iP@0", "iP@0.01", "iP@0.05", "iP@0.1", "iAP"],
        "thorough": [
            "iP(alpha=0,trel=elements)@0",
            "iP(alpha=0,trel=elements)@0.01",
            "iP(alpha=0,trel=elements)@0.05",
            "iP(alpha=0,trel=elements)@0.1",
            "iAP(alpha=0,trel=elements)",
        ],
        "relevant-in-context": ["gP@5", "gP@10", "gP@25", "gP@50", "gR@5", "gR@10", "gR@25", "gR@50", "AgP"],
        "best-in-context": [
            *(f"gP(score=BEP)@{k}" for k in (5, 10, 25, 50)),
            *(f"gR@{k}" for k in (5, 10, 25, 50)),
            "AgP(score=BEP)",
        ],
        "relevant-in-context-2009": [
            *(f"gP(score=F(beta=0.25))@{k}" for k in (5, 10, 25, 50)),
            *(f"gR@{k}" for k in (5, 10, 25, 50)),
            "AgP(score=F(beta=0.25))",
        ],
        "best-in-context-2009": [
            *(f"gP(score=BEPn(n=500))@{k}" for k in (5, 10, 25, 50)),
            *(f"gR@{k}" for k in (5, 10, 25, 50)),
            "AgP(score=BEPn(n=500))",
        ],
        "rag": [
            *(
                f"{name}@{k}"
                for name in ["PartHit", "PartR", "PartnDCG", "AllFound", "TextP", "TextR", "TextIoU", "Redundancy"]
                for k in (1, 5, 10)
            ),
            "TextR(budget=4000)",
        ],
        "moments": [
            "PartHit(match=iou(0.5))@1",
            "PartHit(match=iou(0.7))@1",
            "PartAP(interpolated=True,match=iou(0.5))@10",
            "PartAP(interpolated=True,match=iou(0.75))@10",
            "PartAP(interpolated=True,match=iou(0.5,0.95))@10",
        ],
        "genomics-2007": ["AP", "AspectAP", "CharAP"],
    }


def test_measures_as_objects() -> None:
    assert (pw.iP @ 0.01).name == "iP@0.01"
    assert (pw.iP(alpha=0) @ 0.01).name == "iP(alpha=0)@0.01"
    assert pw.iP(alpha=0)(alpha=1) @ 0.5 == pw.iP @ 0.5
    assert pw.AgP(score=pw.F(beta=0.25)).name == "AgP(score=F(beta=0.25))"
    assert pw.AgP(score="BEPn(n=500)") == pw.AgP(score=pw.BEPn(n=500))
    assert pw.AgP(score=pw.F) == pw.AgP()
    assert pw.TextP @ 5 == pw.measure("TextP@5")
    assert pw.TextP @ 5 != pw.TextP @ 6
    assert pw.TextP @ 5 != pw.TextR @ 5
    assert repr(pw.TextP @ 5) == "TextP@5"


def test_measures_without_cutoff_can_be_pickled_and_completed() -> None:
    assert pickle.loads(pickle.dumps(pw.iP(alpha=0))) @ 0.5 == pw.iP(alpha=0) @ 0.5


def test_document_measures_take_cutoffs_and_parameters() -> None:
    assert (pw.measure("P@5") @ 10).name == "P@10"
    assert (pw.measure("P@5")(rel=2)).name == "P(rel=2)@5"
    assert pw.measure("P@5.0").name == "P@5"
    assert pw.measure("SetF(beta=2)").name == "SetF(beta=2.0)"


def test_a_repeated_name_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    parse_several = measures.parse_several
    monkeypatch.setattr(measures, "parse_several", lambda name: parsed.append(name) or parse_several(name))
    assert [measure.name for measure in measures.measures_from("P@5," * 1000 + "TextR@5")] == ["P@5", "TextR@5"]
    assert parsed == ["P@5", "TextR@5"]
    assert measures._own_names() is measures._own_names()  # built once, not for every name of ir_measures


def test_several_names_in_one_string_keep_their_order_without_duplicates() -> None:
    requested = measures_from(["iAP, iP@0.01", pw.TextF(beta=2) @ 3, "MAiP  AgP(score=F(beta=0.25), ) gR", pw.gR])
    names = [measure.name for measure in requested]
    assert names == ["iAP", "iP@0.01", "TextF(beta=2)@3", "AgP(score=F(beta=0.25))", "gR"]


def test_names_of_trec_eval_that_stand_for_several_measures() -> None:
    cutoffs = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
    for family, name in {"P": "P", "ndcg_cut": "nDCG", "recall": "R", "map_cut": "AP"}.items():
        assert [measure.name for measure in measures_from(family)] == [f"{name}@{k}" for k in cutoffs]
    official = [measure.name for measure in measures_from("official AP")]
    assert {"AP", "P@5", "P@1000", "Rprec", "Bpref", "RR", "IPrec@0.0", "IPrec@1.0", "NumRet", "NumRel"} < set(official)
    assert len(official) == len(set(official))
    with pytest.raises(pw.PartwiseError) as caught:
        pw.measure("P")
    assert str(caught.value) == "'P' stands for 9 measures; name one of them, such as P@5"


def test_a_set_without_some_of_its_measures_has_a_note() -> None:
    scores = pw.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["AP", "official"])
    assert list(scores.notes) == ["official is computed without gm_map, which ir_measures does not have"]
    assert scores.mean()["run"]["P@5"] == 0.2


@pytest.mark.parametrize(
    ("name", "line"),
    {
        "gm_map": "'gm_map' is a measure of trec_eval that ir_measures does not compute; leave it out",
        "P_0": "P: cutoff is '0'; it must be a whole number from 1",
        "P_10foo": "unknown measure 'P_10foo'; list all with partwise measures",
        "recall_100_2": "unknown measure 'recall_100_2'; did you mean Recall, Precall or StRecall?",
        "ndcg_cutt": "unknown measure 'ndcg_cutt'; did you mean ndcg_cut, nDCG or α_nDCG?",
        "iP[0.01": "'iP[0.01' is not a valid measure name; write Name(parameter=value)@cutoff",
        "iP[2]": "iP: recall is '2'; it must be a number from 0 to 1",
    }.items(),
)
def test_what_looks_like_a_name_of_trec_eval_is_not_guessed(name: str, line: str) -> None:
    with pytest.raises(pw.PartwiseError) as caught:
        measures_from(name)
    assert str(caught.value) == line


def test_pages_by_names_of_trec_eval() -> None:
    assert pw.measure_page("ndcg_cut_10") == pw.measure_page("ndcg_cut") == pw.measure_page("nDCG")


@given(st.text(max_size=20) | st.text("iP(alph=0.1)@,' ", max_size=25))
def test_any_text_is_a_measure_or_one_line_of_error(text: str) -> None:
    line = ""
    try:
        measures = measures_from(text)
    except pw.PartwiseError as error:
        line = str(error)
        measures = []
    assert bool(line) != bool(measures)
    assert "\n" not in line
    assert all(pw.measure(measure.name) == measure for measure in measures)


def test_every_measure_is_documented() -> None:
    for family in families().values():
        for measure in family:
            assert measure.summary().endswith(".")
            assert len(measure.summary()) < 120
            assert measure.paper
            assert measure.better in ("higher", "lower", "neither")
            assert all(param.help for param in measure.params.values())
            assert measure.signature() in measure.page()


@pytest.mark.parametrize(
    ("familiar", "ours"),
    [
        ("ndcg@10", "nDCG@10"),
        ("map@100", "AP@100"),
        ("map(rel=2)", "AP(rel=2)"),
        ("recall@5", "R@5"),
        ("precision@5", "P@5"),
        ("mrr@10", "RR@10"),
        ("hit_rate@5", "Success@5"),
        ("success@1", "Success@1"),
    ],
)
def test_names_of_other_tools_with_arguments(familiar: str, ours: str) -> None:
    assert parse(familiar).name == ours
