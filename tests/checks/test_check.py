"""``partwise check``: every rule by its smallest example, real data counted by hand, and random runs against loops."""

from __future__ import annotations

import csv
import itertools
import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import partwise as pw
from oracles.worlds import World, worlds
from partwise.checks import RULES
from partwise.cli import main
from partwise.presets import TASKS
from partwise.types import CHECKED_TASKS
from support.paths import ROOT

QRELS = "t1 Q0 d1 5 100 10 10:5\n"
RUN = "t1 Q0 d1 1 0.9 x 10 5\n"
XML = "<article><p>One</p><p>Two</p></article>"
DOCS = {"d1.xml": XML}


@dataclass
class Case:
    """Files, and the examples that a rule finds in them; findings of other rules are ignored."""

    examples: list[str]
    qrels: str = QRELS
    run: str = RUN
    docs: dict[str, str] = field(default_factory=dict)
    lengths: str = ""
    count: int | None = None
    qrels_name: str = "q.txt"
    run_name: str = "a.run"


def columns(*rows: str) -> str:
    return "".join(row + "\n" for row in rows)


CASES: dict[str, Case] = {
    "bad-line": Case(
        [
            "a.run:2: the offset is 'x'; it must be a whole number from 0",
            "a.run:3: has 3 columns; expected query Q0 document rank score run offset length",
        ],
        run=RUN + "t1 Q0 d1 2 0.8 x x 5\nt1 Q0 d1\n",
    ),
    "note": Case(["a.run: 2 run tags, treated as one run"], run=RUN + "t1 Q0 d2 2 0.8 y 10 5\n"),
    "no-order": Case(
        ["a.csv:3: has no rank, but other results of query t1 have one",
            "a.csv:4: has no score, but other results of query t1 have one",
       ],
        run=columns("query_id,doc_id,rank,score", "t1,d1,1,5", "t1,d2,,4", "t1,d3,3,"),
        run_name="a.csv",
    ),
    "unknown-document": Case(["a.run:2: document d9 is not in the collection docs"],
                             run=RUN + "t1 Q0 d9 2 0.8 x 0 5\n", docs=DOCS),
    "unknown-path": Case(
        ["a.run:2: document d1 has no /article[1]/p[3]"],
        run="t1 Q0 d1 1 0.9 x /article[1]/p[1]\nt1 Q0 d1 2 0.8 x /article[1]/p[3]\n",
        docs=DOCS,
    ),
    "past-end": Case(["a.run:1: the part 90 to 101 of document d1 extends past the end of the document at 100"],
                     run="t1 Q0 d1 1 0.9 x 90 11\nt1 Q0 d1 2 0.8 x 20 80\n"),
    "not-placed": Case(
        ["a.csv:3: the chunk of 7 characters (query t1, rank 2, document d1) is not placed: it is not in the "
         "documents"],
        run=columns("query_id,doc_id,rank,start,end,located", "t1,d1,1,10,15,exact", "t1,d1,2,100,107,missing"),
        run_name="a.csv",
    ),
    "text-elsewhere": Case(
        ["a.csv:3: the text 'Two' is not at 0 to 3 of document d1, where 'One' is; its only place there is 3 to 6"],
        run=columns("query_id,doc_id,rank,start,end,text", "t1,d1,1,3,6,Two", "t1,d1,2,0,3,Two"),
        run_name="a.csv",
        docs=DOCS,
    ),
    "overlap": Case(
        [
            "a.run:2: the part 10 to 20 of document d1 shares text with the result in line 1, for query t1",
            "a.run:4: the part 19 to 31 of document d1 shares text with the result in line 2, for query t1",
        ],
        run="t1 Q0 d1 1 4 x 5 6\nt1 Q0 d1 2 3 x 10 10\nt1 Q0 d1 3 2 x 30 5\nt1 Q0 d1 4 1 x 19 12\n",
    ),
    "repeat": Case(
        ["a.run:3: the part 10 to 15 of document d1 was already returned in line 1, for query t1"],
        run=RUN + "t1 Q0 d2 2 0.8 x 10 5\nt1 Q0 d1 3 0.7 x 10 5\n",
    ),
    "empty-part": Case(["a.run:2: the part 7 to 7 of document d1 is empty"],
                       run=RUN + "t1 Q0 d1 2 0.8 x 7 0\n"),
    "interleaved": Case(
        ["a.run:1: document d1 of query t1 is returned again in line 3, after other documents"],
        run="t1 Q0 d1 1 3 x 0 5\nt1 Q0 d2 2 2 x 0 5\nt1 Q0 d1 3 1 x 5 5\n",
    ),
    "several-per-document": Case(
        ["a.run:2: query t1 already has a result in document d1"], run=RUN + "t1 Q0 d1 2 0.8 x 20 5\n"
    ),
    "too-many": Case(
        ["a.run:1: query t1 has 1501 results, but INEX accepts 1500"],
        run=columns(*(f"t1 Q0 d{i} {i + 1} {-i} x 0 5" for i in range(1501)), "t2 Q0 d1 1 1 x 0 5"),
    ),
    "unjudged-query": Case(["a.run:2: query t2 is not judged"], run=RUN + "t2 Q0 d1 1 0.8 x 0 5\n"),
    "missing-query": Case(["a.run: has no results for query t2"], qrels=QRELS + "t2 Q0 d1 5 100 10 10:5\n"),
    "rank-gap": Case(
        ["a.run:2: rank 3 of query t1 follows rank 1", "a.run:3: the first rank of query t2 is 2"],
        run="t1 Q0 d1 1 4 x 0 5\nt1 Q0 d2 3 3 x 0 5\nt2 Q0 d1 2 2 x 0 5\nt3 Q0 d1 0 9 x 0 5\nt3 Q0 d2 1 8 x 0 5\n",
    ),
    "repeated-rank": Case(
        ["a.run:2: has the same rank as line 1, 1, for query t1"], run=RUN + "t1 Q0 d2 1 0.8 x 0 5\n"
    ),
    "rank-against-score": Case(
        ["a.run:3: rank 3 of query t1 has the score 0.7, but rank 2 has 0.6"],
        run=RUN + "t1 Q0 d2 2 0.6 x 0 5\nt1 Q0 d3 3 0.7 x 0 5\n",
    ),
    "tie": Case(
        ["a.run:1: has the same score as line 2, 0.5, for query t1"], run="t1 Q0 d1 1 0.5 x\nt1 Q0 d2 2 0.5 x\n"
    ),
    "unjudged-document": Case(
        ["a.run:2: document d7 is not judged for query t1, like 50% of the results in judged queries"],
        run=RUN + "t1 Q0 d7 2 0.8 x 0 5\nt9 Q0 d7 1 0.8 x 0 5\n",
    ),
    "unlocated": Case(
        ["a.run:1: the part /article[1] of document d1 is not checked without a collection"],
        run="t1 Q0 d1 1 0.9 x /article[1]\n",
    ),
    "unreadable-document": Case(
        [
            "docs/d2.xml:1: is not well-formed XML (Opening and ending tag mismatch: p line 1 and article); "
            "fix the markup"
        ],
        run="t1 Q0 d2 1 0.9 x 0 5\n",
        docs={"d2.xml": "<article><p></article>"},
    ),
    "judged-unknown-document": Case(
        ["q.txt:2: document d9 is not in the collection docs"],
        qrels="t1 Q0 d1 2 6 0 0:2\nt1 Q0 d9 2 6 0 0:2\n",
        docs=DOCS,
    ),
    "judged-unknown-path": Case(
        ["q.csv:3: document d1 has no /article[1]/p[9]"],
        qrels=columns(
            "query_id,doc_id,path,exhaustivity,specificity,scale",
            "t1,d1,/article[1],1,1,unit",
            "t1,d1,/article[1]/p[9],1,1,unit",
        ),
        qrels_name="q.csv",
        docs=DOCS,
    ),
    "length-differs": Case(
        [
            "q.txt:1: document d1 has the length 100 here, but 90 in the lengths",
            "q.txt:1: document d1 has the length 100 here, but 6 in the collection",
        ],
        lengths="d1 90\n",
        docs=DOCS,
    ),
    "passage-elsewhere": Case(
        ["q.csv:2: the text 'Two' is not at 0 to 3 of document d1, where 'One' is; its only place there is 3 to 6"],
        qrels=columns("query_id,doc_id,start,end,text", "t1,d1,0,3,Two", "t1,d1,3,6,Two"),
        qrels_name="q.csv",
        docs=DOCS,
    ),
    "passage-past-end": Case(
        ["q.txt:1: the passage 98 to 103 of document d1 extends past the end of the document at 100"],
        qrels="t1 Q0 d1 10 100 10 98:5 10:5\n",
    ),
    "passage-overlap": Case(
        ["q.txt:1: the passage 12 to 20 of document d1 shares text with an earlier passage"],
        qrels="t1 Q0 d1 10 100 10 10:5 12:8 20:1\n",
    ),
    "repeated-passage": Case(
        ["q.csv:3: judges a passage of document d1 for query t1 exactly as line 2 does"],
        qrels=columns("query_id,doc_id,start,end,nugget", "t1,d1,0,5,a", "t1,d1,0,5,a", "t1,d1,0,5,b"),
        qrels_name="q.csv",
    ),
    "empty-passage": Case(
        ["q.txt:1: the passage 30 to 30 of document d1 is empty"], qrels="t1 Q0 d1 5 100 10 10:5 30:0\n"
    ),
    "relevant-chars": Case(
        ["q.txt:1: declares 7 relevant characters in document d1, but its passages have 10"],
        qrels="t1 Q0 d1 7 100 10 10:5 12:8\nt1 Q0 d2 13 100 10 10:5 12:8\nt1 Q0 d3 10 100 10 10:5 12:8\n",
    ),
    "no-highlights": Case(
        ["q.txt: has no highlighted text, so text measures cannot be computed"], qrels="t1 0 d1 1\n"
    ),
    "nothing-relevant": Case(["q.txt:2: query t2 has nothing relevant"], qrels=QRELS + "t2 Q0 d1 0 100 -1\n"),
    "grade-without-highlight": Case(
        ["q.csv:3: document d2 has the grade 2 for query t1, but no passage"],
        qrels=columns("query_id,doc_id,start,end,grade", "t1,d1,0,5,1", "t1,d2,,,2", "t1,d3,,,0"),
        qrels_name="q.csv",
    ),
    "grade-against-highlight": Case(
        ["q.csv:3: document d2 has the grade 0 for query t1, but also a passage"],
        qrels=columns("query_id,doc_id,start,end,grade", "t1,d1,0,5,1", "t1,d2,0,5,0"),
        qrels_name="q.csv",
    ),
    "no-scale": Case(
        ["q.csv: has graded elements, but does not name their scale"],
        qrels=columns("query_id,doc_id,path,exhaustivity,specificity", "t1,d1,/article[1],1,1"),
        qrels_name="q.csv",
    ),
    "off-scale": Case(
        ["q.csv:3: the grades (4, 1) are not on the scale four-point"],
        qrels=columns(
            "query_id,doc_id,path,exhaustivity,specificity,scale",
            "t1,d1,/article[1],1,1,four-point",
            "t1,d1,/article[1]/p[1],4,1,four-point",
        ),
        qrels_name="q.csv",
    ),
    "no-bep": Case(
        ["q.txt:2: document d2 is relevant to query t1, but has no best entry point"],
        qrels=QRELS + "t1 Q0 d2 5 100 -1 10:5\nt1 Q0 d3 0 100 -1\n",
    ),
    "constant-bep": Case(
        [f"q.txt:{line}: the best entry point is 7, as in all other documents" for line in (1, 2, 3)],
        qrels=columns(*(f"t1 Q0 d{i} 5 100 7 10:5" for i in range(10))),
        count=10,
    ),
    "bep-outside": Case(
        ["q.txt:2: the best entry point is 100, but document d2 has 100 characters"],
        qrels="t1 Q0 d1 5 100 99 10:5\nt1 Q0 d2 5 100 100 10:5\n",
    ),
    "single-alternative": Case(
        ["q.csv:4: nugget b of query t1 has one passage, but 1 of 3 nuggets have several",
         "q.csv:6: nugget a of query t2 has one passage, but 1 of 3 nuggets have several"],
        qrels=columns(
            "query_id,doc_id,start,end,nugget",
            "t1,d1,0,5,a", "t1,d1,5,9,a", "t1,d1,20,30,b", "t1,d1,40,50,", "t2,d1,0,5,a",
        ),
        qrels_name="q.csv",
    ),
    "incomplete-set": Case(
        [
            "q.csv:3: set x of query t1 is counted without nugget b, which has no relevant text in it",
            "q.csv:5: set y of query t1 has no relevant text, and is not counted",
            "q.csv:7: set z of query t1 is counted without 2 of its nuggets, which have no relevant text in it, "
            "the first: the passage 70 to 80 of document d1",
        ],
        qrels=columns(
            "query_id,doc_id,start,end,grade,nugget,set",
            "t1,d1,0,5,1,a,x", "t1,d1,10,20,0,b,x", "t1,d1,30,40,2,b,", "t1,d1,50,60,0,c,y",
            "t1,d1,60,70,1,,z", "t1,d1,70,80,0,,z", "t1,d1,80,90,0,d,z",
            "t2,d1,10,20,0,b,x", "t2,d1,30,40,1,b,x",
        ),
        qrels_name="q.csv",
    ),
    "several-assessors": Case(
        ["q.csv:2: query t1 has 2 assessors"],
        qrels=columns("query_id,doc_id,start,end,assessor", "t1,d1,0,5,ann", "t1,d1,0,9,bob", "t2,d1,0,5,ann"),
        qrels_name="q.csv",
    ),
}  # fmt: skip


def written(case: Case, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    Path(case.qrels_name).write_text(case.qrels)
    Path(case.run_name).write_text(case.run)
    if case.lengths:
        Path("lengths.txt").write_text(case.lengths)
    for name, text in case.docs.items():
        Path("docs").mkdir(exist_ok=True)
        Path("docs", name).write_text(text)


def checked(case: Case, folder: Path, monkeypatch: pytest.MonkeyPatch, task: Any = None) -> pw.Findings:
    written(case, folder, monkeypatch)
    return pw.check(
        case.qrels_name,
        [case.run_name],
        task=task,
        lengths="lengths.txt" if case.lengths else None,
        collection="docs" if case.docs else None,
    )


def test_every_rule_has_its_smallest_example() -> None:
    assert list(CASES) == list(RULES)


@pytest.mark.parametrize("name", CASES)
def test_smallest_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES[name]
    task = None if RULES[name].severity(None) else "best-in-context"
    findings = [finding for finding in checked(case, tmp_path, monkeypatch, task) if finding.rule == name]
    assert [list(finding.examples) for finding in findings] == [case.examples]
    assert findings[0].count == (case.count or len(case.examples))
    assert findings[0].severity == RULES[name].severity(task)
    assert RULES[name].about == "both" or (findings[0].run_id == "") == (RULES[name].about == "qrels")


@pytest.mark.parametrize("name", CASES)
def test_severities_by_task(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for task in (None, *CHECKED_TASKS):
        findings = [
            finding.severity for finding in checked(CASES[name], tmp_path, monkeypatch, task) if finding.rule == name
        ]
        expected = RULES[name].severity(task)
        assert findings == ([] if expected is None else [expected])


ERRORS = [(name, task) for name in CASES for task in (None, *CHECKED_TASKS) if RULES[name].severity(task) == "error"]


@pytest.mark.parametrize(("name", "task"), ERRORS)
def test_an_evaluation_says_what_is_an_error(
    name: str, task: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = CASES[name]
    written(case, tmp_path, monkeypatch)
    try:
        notes = pw.evaluate(
            case.qrels_name,
            case.run_name,
            None if task else "TextR@5",
            task=task,
            lengths="lengths.txt" if case.lengths else None,
            collection="docs" if case.docs else None,
        ).notes
    except pw.PartwiseError as error:
        notes = [str(error)]
    assert notes


def test_equal_entry_points_are_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(CASES["constant-bep"], tmp_path, monkeypatch)
    measures = "gP(score=BEP)@5 iAP AgP(score=BEPn(n=500))"
    [note] = pw.evaluate("q.txt", "a.run", measures).notes
    assert note == (
        "q.txt: all 10 best entry points are 7, as if nobody had judged them: gP(score=BEP)@5, AgP(score=BEPn(n=500)); "
        "use a file with judged entry points, or other measures"
    )
    assert pw.evaluate("q.txt", "a.run", "iAP gP@5").notes == ()  # these do not use them
    Path("q.txt").write_text(Path("q.txt").read_text().replace(" 7 ", " 8 ", 1))
    assert pw.evaluate("q.txt", "a.run", measures).notes == ()


def test_entry_points_outside_their_documents_are_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(CASES["bep-outside"], tmp_path, monkeypatch)
    [note] = pw.evaluate("q.txt", "a.run", "gP(score=BEP)@5 iAP").notes
    assert note == (
        "q.txt: 1 best entry point is outside its document (gP(score=BEP)@5); is this the unit of the offsets?"
    )
    assert pw.evaluate("q.txt", "a.run", "iAP").notes == ()


@pytest.mark.parametrize(
    ("task", "same"),
    [
        ("best-in-context-2009", "best-in-context"),
        ("relevant-in-context-2009", "relevant-in-context"),
        ("moments", None),
    ],
)
def test_rules_of_other_tasks(task: str, same: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("constant-bep", "interleaved", "several-per-document"):
        assert checked(CASES[name], tmp_path, monkeypatch, task) == checked(CASES[name], tmp_path, monkeypatch, same)
        assert RULES[name].severity(task) == RULES[name].severity(same)


def test_a_result_lacks_only_what_others_have() -> None:
    rows = [{"query_id": "t1", "doc_id": "d1", "rank": 1}, {"query_id": "t1", "doc_id": "d2"}]
    [finding] = [finding for finding in pw.check({"t1": [("d1", 10, 15)]}, rows) if finding.rule == "no-order"]
    assert finding.examples == ("run, row 2: has no rank, but other results of query t1 have one",)


POINTED = """<assessments topic="t1">
<file name="d1"><best-entry-point path="/article[1]/p[2]"/>
<passage start="/article[1]/p[1]" end="/article[1]/p[1]"/>
<passage start="/article[1]/p[1]/text()[1].1" end="/article[1]/p[2]/text()[1].2"/></file>
</assessments>"""
ELEMENTS = "t1 Q0 d1 1 0.9 x /article[1]/p[1]\nt1 Q0 d1 2 0.8 x /article[1]/p[2]\n"


def found_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qrels: str, docs: dict[str, str], task: str | None = None
) -> list[tuple[str, int, str]]:
    case = Case([], qrels=qrels, qrels_name="q.xml", run=ELEMENTS, docs=docs)
    return [
        (finding.rule, finding.count, finding.examples[0]) for finding in checked(case, tmp_path, monkeypatch, task)
    ]


def test_passages_given_as_paths_are_located(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found_in(tmp_path, monkeypatch, POINTED, DOCS, "best-in-context") == [
        ("passage-overlap", 1, "q.xml:4: the passage 1 to 5 of document d1 shares text with an earlier passage"),
        ("several-per-document", 1, "a.run:2: query t1 already has a result in document d1"),
    ]


def test_passages_that_do_not_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = POINTED.replace('"/article[1]/p[2]"', '"/article[1]/p[9]"').replace("text()[1].2", "text()[1].4")
    findings = found_in(tmp_path, monkeypatch, wrong, DOCS)
    assert findings == [("judged-unknown-path", 2, "q.xml:2: document d1 has no /article[1]/p[9]")]


def test_passages_given_as_paths_without_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They highlight text, so text measures can be computed, and there are entry points."""
    findings = found_in(tmp_path, monkeypatch, POINTED, {}, "best-in-context")
    assert [(rule, count) for rule, count, _ in findings] == [
        ("unlocated", 3), ("several-per-document", 1), ("unlocated", 2)
    ]  # fmt: skip
    assert (
        findings[0][2]
        == "q.xml:2: the best entry point /article[1]/p[2] of document d1 is not checked without a collection"
    )


def test_an_unjudged_query_may_have_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case([], run=RUN + "all Q0 d1 1 0.9 x 10 5\n")
    assert [(finding.rule, finding.examples) for finding in checked(case, tmp_path, monkeypatch, None)] == [
        ("unjudged-query", ("a.run:2: query all is not judged",)),
    ]
    with pytest.raises(pw.PartwiseError, match="has a query 'all', the name under which means are reported"):
        checked(Case([], qrels=QRELS.replace("t1", "all")), tmp_path, monkeypatch, None)


def test_severities_do_not_change() -> None:
    grid = {name: " ".join(severity or "-" for severity in rule.severities) for name, rule in RULES.items()}
    always = {
        "error": "bad-line no-order unknown-document unknown-path unreadable-document judged-unknown-document "
        "judged-unknown-path length-differs no-scale off-scale text-elsewhere passage-elsewhere",
        "warning": "not-placed unjudged-query missing-query rank-gap repeated-rank rank-against-score tie "
        "passage-overlap repeated-passage empty-passage relevant-chars nothing-relevant grade-without-highlight "
        "grade-against-highlight incomplete-set",
        "info": "note unjudged-document unlocated single-alternative several-assessors",
    }
    expected = {name: " ".join([severity] * 6) for severity, names in always.items() for name in names.split()}
    assert grid == expected | {
        "past-end": "warning error error error error error",
        "overlap": "warning error - error - warning",
        "repeat": "warning error error error error warning",
        "empty-part": "warning error error error - error",
        "interleaved": "info - - error - -",
        "several-per-document": "- - - - error -",
        "too-many": "info error error error error -",
        "passage-past-end": "warning error error error error error",
        "no-highlights": "info error error error error error",
        "no-bep": "- - - - error -",
        "constant-bep": "warning info info info error info",
        "bep-outside": "warning info info info error info",
    }
    assert tuple(task for task in TASKS if task in CHECKED_TASKS) == CHECKED_TASKS


# ---- what is not suspicious ----------------------------------------------------------------------------------------


def rules(qrels: Any, run: Any, **options: Any) -> dict[str, int]:
    return {finding.rule: finding.count for finding in pw.check(qrels, run, **options)}


def test_nothing_suspicious() -> None:
    qrels = {"t1": [("d1", 10, 20), ("d1", 20, 30)]}
    findings = pw.check(qrels, {"t1": [("d1", 0, 10), ("d1", 10, 20), ("d1", 5, 5)][:2]}, task="relevant-in-context")
    assert findings == []
    assert findings.fine
    assert findings.rows() == []
    assert findings.summary() == "nothing suspicious"


def test_a_passage_may_state_several_nuggets() -> None:
    """Rows with equal spans are one passage; only other spans share text with it."""
    passage = {"query_id": "t1", "doc_id": "d1", "start": 0, "end": 5}
    spans = {"query_id": "t1", "doc_id": "d1", "spans": [[20, 25], [30, 35]]}
    rows = [passage | {"nugget": "a"}, passage | {"nugget": "b"}, spans, spans | {"nugget": "a"}]
    assert rules(rows, {"t1": [("d1", 0, 5)]}) == {"single-alternative": 1}
    assert rules([*rows, passage | {"end": 6}], {"t1": [("d1", 0, 5)]})["passage-overlap"] == 1
    again = [{"query_id": "t1", "doc_id": "d1", "spans": [[20, 25], [40, 45]]}]
    assert rules([*rows, *again], {"t1": [("d1", 0, 5)]})["passage-overlap"] == 1


def test_sets_and_alternatives_as_an_evaluation_reads_them() -> None:
    """A nugget without relevant text leaves its set; one whose characters are not known here is not reported."""
    row = {"query_id": "t1", "doc_id": "d1", "start": 0, "end": 5, "nugget": "a", "set": "x"}
    gold = [row, row | {"start": 10, "end": 20, "nugget": "b", "grade": 0}, row | {"start": 30, "end": 40, "set": ""}]
    run = {"t1": [("d1", 0, 5)]}
    assert pw.evaluate(gold, run, "AllFound").mean()["run"]["AllFound"] == 1
    assert rules(gold, run)["incomplete-set"] == 1
    tree = [{"query_id": "t1", "doc_id": "d1", "paths": ["/a[1]"], "nugget": "c", "set": "x"}]
    assert "incomplete-set" not in rules([row, *tree], run)
    assert "single-alternative" not in rules([row, *gold[2:], *tree], run)
    bob = [row | {"assessor": "bob", "grade": 0, "nugget": "b"}]
    assert "incomplete-set" not in rules([row | {"assessor": "ann"}, *bob], run)


def test_entry_points_are_legal_in_best_in_context(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text(QRELS)
    (tmp_path / "a.run").write_text("t1 Q0 d1 1 0.9 x 10\nt1 Q0 d2 2 0.8 x 10\n")
    findings = pw.check(tmp_path / "q.txt", [tmp_path / "a.run"], task="best-in-context")
    assert [finding.rule for finding in findings] == ["unjudged-document"]
    assert findings.fine


def test_abutting_parts_and_those_of_other_queries_share_nothing() -> None:
    run = {"t1": [("d1", 0, 10), ("d1", 10, 20), ("d2", 0, 10)], "t2": [("d1", 0, 10)]}
    assert "overlap" not in rules({"t1": [("d1", 0, 5)], "t2": [("d1", 0, 5)]}, run)


def test_a_whole_document_shares_text_with_its_parts() -> None:
    run = {"t1": [("d1", 3, 9), "d1", "d1", "d2"]}
    findings = pw.check({"t1": [("d1", 0, 5)]}, run)
    examples = {finding.rule: finding.examples[0] for finding in findings}
    assert examples["overlap"] == (
        "run, row 2: the whole document d1 shares text with the result in row 1, for query t1"
    )
    assert examples["repeat"] == "run, row 3: the whole document d1 was already returned in row 2, for query t1"


def test_six_columns_are_ordered_by_score_and_their_ranks_ignored(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("t1 Q0 d1 0 0.9 x\nt1 Q0 d2 0 0.8 x\nt1 Q0 d3 0 0.7 x\n")
    assert set(rules({"t1": {"d1": 1}}, tmp_path / "a.run")) == {"unjudged-document", "no-highlights"}
    (tmp_path / "a.run").write_text("t1 Q0 d1 1 0.7 x\nt1 Q0 d2 2 0.8 x\n")
    assert rules({"t1": {"d1": 1}}, tmp_path / "a.run")["rank-against-score"] == 1


def test_repeated_paths_without_a_collection() -> None:
    run = {"t1": [{"doc_id": "d1", "path": path} for path in ("/a[1]", "/a[1]/b[1]", "/a[1]")]}
    findings = pw.check({"t1": [("d1", 0, 5)]}, run)
    assert {finding.rule: finding.count for finding in findings} == {"repeat": 1, "unlocated": 3}
    assert findings[0].examples == (
        "run, row 3: the part /a[1] of document d1 was already returned in row 1, for query t1",
    )


def test_elements_share_text_and_are_the_same_only_as_elements() -> None:
    docs = {"d1": "<a><b><c>One</c></b><b>Two</b></a>"}
    paths = ("/a[1]/b[1]", "/a[1]/b[1]/c[1]", "/a[1]/b[2]", "/a/b")
    run = {"t1": [{"doc_id": "d1", "path": path} for path in paths]}
    findings = {finding.rule: finding for finding in pw.check({"t1": [("d1", 0, 3)]}, run, collection=docs)}
    assert (findings["overlap"].count, findings["repeat"].count) == (1, 1)
    assert "/a[1]/b[1]/c[1]" in findings["overlap"].examples[0]
    assert findings["repeat"].examples[0].endswith("in row 1, for query t1")


def test_a_document_that_cannot_be_read_is_not_checked() -> None:
    """It is one finding about the collection; its results are not checked where documents are opened for paths."""
    docs = {"d1": "<a><b>One</b></a>", "d2": "<a>"}
    parts = [{"doc_id": "d1", "path": "/a[1]"}, {"doc_id": "d2", "path": "/a[1]"}, {"doc_id": "d2"}]
    findings = pw.check({"t1": [("d1", 0, 3), ("d2", 0, 3)]}, {"t1": parts}, collection=docs)
    assert [(finding.rule, finding.count) for finding in findings] == [("note", 1), ("unreadable-document", 1)]
    assert "1 of 3 results gives no place" in findings[0].examples[0]


def test_bytes_are_compared_with_bytes() -> None:
    docs = {"d1": "<a>ÄÖÜ</a>"}
    qrels = {"t1": [("d1", 0, 6)]}
    assert rules(qrels, {"t1": [("d1", 0, 6)]}, collection=docs, unit="bytes") == {}
    assert rules(qrels, {"t1": [("d1", 0, 7)]}, collection=docs, unit="bytes") == {"past-end": 1}
    assert rules(qrels, {"t1": [("d1", 0, 4)]}, collection=docs) == {"past-end": 1, "passage-past-end": 1}


def test_the_largest_offsets() -> None:
    far = 2**40
    assert rules({"t1": [("d1", 0, 5)]}, {"t1": [("d1", far - 5, far), "d1"]}) == {"overlap": 1, "note": 1}
    offsets = [{"query_id": "t1", "doc_id": "d1", "offset": far - 5, "length": 5}]
    assert rules({"t1": [("d1", 0, 5)]}, offsets) == {}


def test_assessments_alone() -> None:
    assert rules({"t1": [("d1", 0, 5), ("d1", 3, 9)]}, []) == {"passage-overlap": 1}


def test_several_runs_in_one_file(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text(
        "query_id,doc_id,rank,start,end,run_id\nt1,d1,1,0,5,a\nt1,d1,1,0,5,b\nt1,d1,2,0,5,b\n"
    )
    findings = pw.check({"t1": [("d1", 0, 5)]}, tmp_path / "runs.csv")
    assert [(finding.rule, finding.run_id, finding.count) for finding in findings] == [("repeat", "b", 1)]


def test_all_bad_lines_are_counted_once_per_file(tmp_path: Path) -> None:
    bad = "".join(f"t1 Q0 d1 {line} x x 0 5\n" for line in range(50))
    for name in ("a.run", "b.run"):
        (tmp_path / name).write_text(RUN + bad)
    (tmp_path / "q.txt").write_text(QRELS + QRELS + "t2 Q0 d1 5 100 10 105\n")
    findings = pw.check(tmp_path / "q.txt", [tmp_path / "a.run", tmp_path / "b.run"])
    counts = [
        (finding.file, finding.count, len(finding.examples)) for finding in findings if finding.rule == "bad-line"
    ]
    assert counts == [(str(tmp_path / name), count, shown) for name, count, shown in
                      (("q.txt", 2, 2), ("a.run", 50, 3), ("b.run", 50, 3))]  # fmt: skip


# ---- real data ----------------------------------------------------------------------------------------------


Spans = tuple[tuple[int, int], ...]


def loops(results: dict[str, list[tuple[str, Spans]]], lengths: dict[str, int]) -> Counter[str]:
    """Counts over ranked lists of (document, spans), by loops over pairs and sets of characters."""
    findings: Counter[str] = Counter()
    for parts in results.values():
        for i, (doc, spans) in enumerate(parts):
            earlier = [other for name, other in parts[:i] if name == doc]
            same = any(merged(other) == merged(spans) for other in earlier)
            shares = any(max(a, c) < min(b, d) for other in earlier for a, b in other for c, d in spans)
            findings["repeat"] += same
            findings["overlap"] += shares and not same
            findings["empty-part"] += all(start == end for start, end in spans)
            findings["past-end"] += any(end > lengths.get(doc, end) for _, end in merged(spans))
            findings["several-per-document"] += bool(earlier)
        order = [doc for doc, _ in parts]
        for doc in set(order):
            places = [place for place, name in enumerate(order) if name == doc]
            findings["interleaved"] += places[-1] - places[0] >= len(places)
    return +findings


def merged(spans: Spans) -> list[tuple[int, int]]:
    """Stretches of characters; an empty part is its first position."""
    characters = sorted({place for start, end in spans for place in range(start, end)})
    if not characters:
        return [(spans[0][0], spans[0][0])]
    stretches: list[list[int]] = []
    for place in characters:
        if stretches and stretches[-1][1] == place:
            stretches[-1][1] = place + 1
        else:
            stretches.append([place, place + 1])
    return [(start, end) for start, end in stretches]


RUN_RULES = ("repeat", "overlap", "empty-part", "past-end", "interleaved", "several-per-document")


@pytest.mark.parametrize("name", ["focused", "passages"])
def test_inex_runs(name: str, inex: Path) -> None:
    lengths, judged = {}, set()
    for line in (inex / "qrels.txt").read_text().splitlines():
        query, _, doc, _, length, *_ = line.split()
        lengths[doc] = int(length)
        judged.add((query, doc))
    ranked: dict[str, list[tuple[int, str, set[tuple[int, int]]]]] = defaultdict(list)
    for line in (inex / f"{name}.run").read_text().splitlines():
        query, _, doc, rank, _, _, offset, size = line.split()
        ranked[query].append((int(rank), doc, {(int(offset), int(offset) + int(size))}))
    results = {query: [part[1:] for part in sorted(parts, key=lambda part: part[0])] for query, parts in ranked.items()}
    pairs: Counter[str] = Counter()
    for query, parts in results.items():
        for i, (doc, [(start, end)]) in enumerate(parts):
            earlier = [span for other, [span] in parts[:i] if other == doc]
            pairs["repeat"] += (start, end) in earlier
            pairs["overlap"] += (start, end) not in earlier and any(max(a, start) < min(b, end) for a, b in earlier)
            pairs["empty-part"] += start == end
            pairs["past-end"] += end > lengths.get(doc, end)
            pairs["several-per-document"] += bool(earlier)
            pairs["unjudged-document"] += (query, doc) not in judged
        order = [doc for doc, _ in parts]
        stretches = Counter(doc for doc, before in zip(order, [None, *order], strict=False) if doc != before)
        pairs["interleaved"] += sum(count > 1 for count in stretches.values())
        ranks = [part[0] for part in sorted(ranked[query], key=lambda part: part[0])]
        pairs["rank-gap"] += sum(b - a > 1 for a, b in zip([0, *ranks], ranks, strict=False))
        pairs["repeated-rank"] += len(ranks) - len(set(ranks))
    pairs["missing-query"] = len({query for query, _ in judged} - set(results))
    expected = +pairs
    findings: Counter[str] = Counter()
    for task in (None, "best-in-context"):
        for finding in pw.check(inex / "qrels.txt", inex / f"{name}.run", task=task):
            if finding.run_id:
                findings[finding.rule] = finding.count
    assert findings == expected


def test_inex_documents(inex: Path) -> None:
    """Six columns: ties are equal scores in single precision, ranks against scores are rises from rank to rank."""
    queries: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for line in (inex / "documents.run").read_text().splitlines():
        query, _, _, rank, score, _ = line.split()
        queries[query].append((int(rank), float(score)))
    ties = sum(len(rows) - len({np.float32(score) for _, score in rows}) for rows in queries.values())
    rises = sum(b[1] > a[1] for rows in map(sorted, queries.values()) for a, b in itertools.pairwise(rows))
    findings = rules(inex / "qrels.txt", inex / "documents.run")
    assert (findings["tie"], findings.get("rank-against-score", 0)) == (ties, rises)
    assert ties == 77


def test_inex_assessments(inex: Path) -> None:
    lines = [line.split() for line in (inex / "qrels.txt").read_text().splitlines()]
    empty = sum(span.endswith(":0") for line in lines for span in line[6:])
    outside = sum(int(line[5]) >= int(line[4]) for line in lines)
    wrong = sum(int(line[3]) != sum(int(span.split(":")[1]) for span in line[6:]) for line in lines)
    past = sum(sum(map(int, span.split(":"))) > int(line[4]) for line in lines for span in line[6:])
    overlap = 0
    for line in lines:
        seen: list[tuple[int, int]] = []
        for span in line[6:]:
            start, size = map(int, span.split(":"))
            overlap += any(max(start, a) < min(start + size, b) for a, b in seen)
            seen.append((start, start + size))
    assert len({line[5] for line in lines}) == 1
    expected = Counter(
        {"empty-passage": empty, "bep-outside": outside, "relevant-chars": wrong, "passage-past-end": past}
        | {"passage-overlap": overlap, "constant-bep": len(lines)}
    )
    assert Counter(rules(inex / "qrels.txt", [])) == +expected
    assert (empty, len(lines)) == (2, 10329)


def test_evidence_has_several_assessors(evidence: Path) -> None:
    """Several annotators per prompt are counted, and not an error."""
    with open(evidence / "v2_annotations.csv") as file:
        rows = [
            {"query_id": row["PromptID"], "doc_id": row["PMCID"], "assessor": row["UserID"],
             "start": int(row["Evidence Start"]), "end": int(row["Evidence End"])}
            for row in csv.DictReader(file)
            if int(row["Evidence Start"]) >= 0
        ]  # fmt: skip
    unique = [dict(key) for key in dict.fromkeys(tuple(row.items()) for row in rows)]
    assessors = defaultdict(set)
    for row in unique:
        assessors[row["query_id"]].add(row["assessor"])
    findings = rules(unique, [])
    assert findings["several-assessors"] == sum(len(names) > 1 for names in assessors.values()) > 0


# ---- random runs --------------------------------------------------------------------------------------------


@given(worlds())
def test_counts_equal_those_of_loops(world: World) -> None:
    run = world.run()
    qrels = world.qrels()
    lengths = {row["doc_id"]: row["length"] for row in qrels}
    results = {query: [(part.doc, part.spans) for part in world.ranked(query)] for query in world.results}
    expected = loops(results, lengths)
    findings = {**rules(qrels, run), **rules(qrels, run, task="best-in-context")}
    assert {name: findings[name] for name in RUN_RULES if name in findings} == dict(expected)
    ties = sum(
        len(scores) - len(set(scores)) for query, scores in (world.scores or {}).items() if world.results.get(query)
    )
    assert findings.get("tie", 0) == ties


# ---- the command --------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    Path("q.txt").write_text(QRELS + "t2 Q0 d2 5 100 20 20:5\n")
    Path("a.run").write_text("t1 Q0 d1 1 3 x 10 5\nt1 Q0 d1 2 2 x 12 5\nt1 Q0 d1 3 1 x 14 5\nt2 Q0 d2 1 1 x 0 9\n")
    Path("b.run").write_text("t1 Q0 d1 1 3 x 10 5\nt2 Q0 d2 1 1 x 0 9\n")
    return ["q.txt", "a.run", "b.run"]


def test_table(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *files, "--task", "focused", "-f", "table"]) == 1
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out == (
        "severity   rule      count   examples\n" + "─" * 122 + "\n"
        "error      overlap   2       a.run:2: the part 12 to 17 of document d1 shares text with the result in line 1, "
        "for query t1\n"
        "                             a.run:3: the part 14 to 19 of document d1 shares text with the result in line 1, "
        "for query t1\n"
        "1 error, 0 warnings\n"
    )


def test_tsv(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *files]) == 1
    captured = capsys.readouterr()
    assert captured.err == "0 errors, 1 warning\n"
    assert captured.out == (
        "severity\trule\tcount\tfile\trun_id\texample\n"
        "warning\toverlap\t2\ta.run\ta\ta.run:2: the part 12 to 17 of document d1 shares text with the result in "
        "line 1, for query t1\n"
    )


def test_jsonl(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *files, "-f", "jsonl"]) == 1
    [row] = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {name: value for name, value in row.items() if name != "examples"} == {
        "severity": "warning", "rule": "overlap", "count": 2, "file": "a.run", "run_id": "a",
    }  # fmt: skip
    assert len(row["examples"]) == 2


@pytest.mark.parametrize(
    ("format", "out", "err"),
    [
        ("table", "nothing suspicious\n", ""),
        ("tsv", "severity\trule\tcount\tfile\trun_id\texample\n", "nothing suspicious\n"),
        ("jsonl", "", "nothing suspicious\n"),
    ],
)
def test_nothing_suspicious_ends_with_zero(
    format: str, out: str, err: str, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "q.txt", "b.run", "-f", format]) == 0
    assert capsys.readouterr() == (out, err)


def test_info_is_shown_and_ends_with_zero(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("b.run").write_text("t1 Q0 d1 1 3 x 10 5\nt2 Q0 d9 1 1 x 0 9\n")
    assert main(["check", "q.txt", "b.run", "-f", "table"]) == 0
    out = capsys.readouterr().out
    assert "info       unjudged-document   1" in out
    assert out.endswith("\nnothing suspicious\n")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["q.txt", "none.run"], "none.run: no such file; give the path of a file that exists"),
        ([], "partwise check: no assessments are given; see partwise check --help"),
        (
            ["q.txt", "b.run", "--task", "focussed"],
            "partwise check: argument --task: 'focussed' is not one of focused, thorough, relevant-in-context, "
            "best-in-context, relevant-in-context-2009, best-in-context-2009, rag, moments, genomics-2007; "
            "see partwise check --help",
        ),
        (
            ["q.txt", "b.run", "--collection", "none"],
            "none: no such file or folder; give a path that exists",
        ),
    ],
)
def test_unreadable_input_ends_with_two(
    arguments: list[str], line: str, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", *arguments]) == 2
    assert capsys.readouterr() == ("", line + "\n")


def test_a_file_to_write(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *files, "-o", "findings.jsonl"]) == 1
    assert json.loads(Path("findings.jsonl").read_text())["rule"] == "overlap"
    assert capsys.readouterr().out == ""


def test_rules_as_a_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--rules", "-f", "tsv"]) == 0
    header, *lines = capsys.readouterr().out.splitlines()
    assert header.split("\t") == ["rule", "about", "no task", *CHECKED_TASKS, "meaning"]
    assert [line.split("\t")[0] for line in lines] == list(RULES)


def test_a_wrong_task_in_python() -> None:
    with pytest.raises(pw.PartwiseError, match=r"^task is 'x'; it must be one of focused, thorough"):
        pw.check({"t1": [("d1", 0, 5)]}, {"t1": []}, task="x")


# ---- the documentation --------------------------------------------------------------------------------------

PAGE = (ROOT / "docs" / "check.md").read_text()


def test_the_table_of_the_documentation() -> None:
    lines = [line for line in PAGE.splitlines() if line.startswith("|")]
    header, _, *rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines]
    assert [dict(zip(header, row, strict=True)) for row in rows] == pw.check_rules()


# ---- quoted texts -----------------------------------------------------------------------------------------------


def test_quoted_texts_must_be_at_their_offsets(tmp_path: Path) -> None:
    """In assessments and runs, of every format with named columns; texts without offsets are not checked."""
    collection = {"d": "One two three.", "e": "Four five."}
    gold = [
        {"query_id": "q1", "doc_id": "d", "start": 4, "end": 7, "text": "two"},
        {"query_id": "q1", "doc_id": "d", "start": 9, "end": 14, "text": "three."},
        {"query_id": "q1", "doc_id": "e", "start": 5, "end": 40, "text": "five"},
    ]
    lines = [
        "2: the text 'three.' is not at 9 to 14 of document d, where 'hree.' is; its only place there is 8 to 14",
        "3: the text 'five' is not at 5 to 40 of document e, which ends at 10; its only place there is 5 to 9",
    ]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in gold))
    by_rule = {one.rule: one for one in pw.check(tmp_path / "gold.jsonl", collection=collection)}
    assert by_rule["passage-elsewhere"].severity == "error"
    assert by_rule["passage-elsewhere"].examples == tuple(f"{tmp_path}/gold.jsonl:{line}" for line in lines)
    assert by_rule["passage-past-end"].count == 1
    [finding] = [one for one in pw.check(gold, collection=collection) if one.rule == "passage-elsewhere"]
    assert finding.examples == tuple(f"qrels, row {line}" for line in lines)
    assert not [one for one in pw.check(gold) if one.rule == "passage-elsewhere"]

    with open(tmp_path / "runs.csv", "w", newline="") as file:
        rows = [(run, rank, *list(row.values())) for run in "ab" for rank, row in enumerate(gold, 1)]
        csv.writer(file).writerows([("run_id", "rank", *gold[0]), *rows])
    findings = pw.check({"q1": [("d", 4, 7)]}, tmp_path / "runs.csv", collection=collection)
    found = {one.run_id: one for one in findings if one.rule == "text-elsewhere"}
    for run_id, first in (("a", 3), ("b", 6)):
        assert found[run_id].count == 2
        assert [example.split(": ")[0] for example in found[run_id].examples] == [
            f"{tmp_path}/runs.csv:{first}", f"{tmp_path}/runs.csv:{first + 1}"
        ]  # fmt: skip
        assert found[run_id].examples[0].endswith(lines[0][3:])


def test_the_reason_why_texts_are_not_at_their_offsets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "d.txt").write_bytes(b"One.\r\nTwo.\r\n")
    (tmp_path / "gold.jsonl").write_text('{"query_id": "q1", "doc_id": "d", "start": 5, "end": 9, "text": "Two."}\n')
    assert main(["check", str(tmp_path / "gold.jsonl"), "--collection", str(tmp_path / "docs"), "-f", "tsv"]) == 1
    [_, row] = capsys.readouterr().out.splitlines()
    assert row.split("\t")[1] == "passage-elsewhere"
    assert row.endswith(
        "gold.jsonl:1: the text 'Two.' is not at 5 to 9 of document d, where '\\nTwo' is; offsets were counted with "
        "one character for each line end, but the documents have \\r\\n: the text is at its offsets if \\r\\n counts "
        "as one; save the documents with \\n, or count offsets in the files as they are (open(..., newline=''))"
    )


def test_relevant_trees_of_a_query_without_results(tmp_path: Path) -> None:
    trees = [{"query_id": query, "doc_id": "d1", "paths": ["/article[1]/p[1]"]} for query in ("t1", "t2")]
    for query in ("t1", "t2"):
        run = [{"query_id": query, "doc_id": "d1", "rank": 1, "path": "/article[1]/p[1]"}]
        assert not [finding for finding in pw.check(trees, run) if finding.severity == "error"]
