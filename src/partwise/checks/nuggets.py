"""The checks of nuggets, and of sets of nuggets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from partwise.checks.findings import Notebook
from partwise.messages import Text, checks
from partwise.model import NONE, Assessments
from partwise.resolving import Judgements
from partwise.resolving.gold import gold_of, nuggets_of


def check_nuggets(judgements: Judgements, book: Notebook) -> None:
    """Add the findings about the nuggets and sets that an evaluation uses: those of one assessor per query."""
    assessments = judgements.assessments
    if assessments.nuggets:
        _alternatives(judgements, book)
    if assessments.sets:
        _sets(judgements, book)


def _alternatives(judgements: Judgements, book: Notebook) -> None:
    gold, nuggets = gold_of(judgements), nuggets_of(judgements)
    not_located = _not_located(judgements.assessments)
    query = np.repeat(np.arange(len(judgements.queries)), np.diff(nuggets.offsets)).tolist()
    is_known = np.array(
        [
            name != "" and (judgements.queries[of], name) not in not_located
            for of, name in zip(query, nuggets.name, strict=True)
        ],
        np.bool_,
    )
    count = np.bincount(nuggets.nugget, minlength=len(is_known))
    several, total = int((is_known & (count > 1)).sum()), int(is_known.sum())
    if not several:
        return
    links = np.flatnonzero((is_known & (count == 1))[nuggets.nugget])
    single = nuggets.nugget[links]
    book.add(
        "single-alternative",
        gold.lines[nuggets.passage[links]],
        lambda i: checks.ONE_ALTERNATIVE(
            nugget=nuggets.name[single[i]], query=judgements.queries[query[single[i]]], several=several, total=total
        ),
    )


def _not_located(assessments: Assessments) -> set[tuple[str, str]]:
    """The query and name of nuggets with passages whose characters are not known here."""
    return {
        (assessments.queries[query], assessments.nuggets[nugget])
        for table in (assessments.passages, assessments.trees)
        for query, nugget in zip(table.query.tolist(), table.nugget.tolist(), strict=True)
        if nugget != NONE
    }


@dataclass
class _Member:
    """A nugget of a set, or a passage without one: its first line, what to call it, and whether it can be found."""

    line: int
    part: str
    has_text: bool = False


def _sets(judgements: Judgements, book: Notebook) -> None:
    names = judgements.assessments
    sets: dict[tuple[int, int], dict[tuple[int, int, int], _Member]] = {}
    for query, of_set, key, member in _members(judgements):
        known = sets.setdefault((query, of_set), {}).setdefault(key, member)
        known.has_text |= member.has_text
    lines: list[tuple[int, Text]] = []
    for (query, of_set), members in sets.items():
        lacking = [member for member in members.values() if not member.has_text]
        about = {"set": names.sets[of_set], "query": names.queries[query]}
        if not lacking:
            continue
        if len(lacking) == len(members):
            message = checks.EMPTY_SET(**about)
        else:
            message = checks.SET_WITHOUT(**about, part=lacking[0].part, count=len(lacking))
        lines.append((lacking[0].line, message))
    book.add_messages("incomplete-set", lines)


def _members(judgements: Judgements) -> Iterator[tuple[int, int, tuple[int, int, int], _Member]]:
    """The query, set, key and facts of every row with a set; what is not located is taken to have relevant text."""
    assessments = judgements.assessments
    spans = assessments.spans
    has_text = spans.highlighted & (spans.end > spans.start)
    tables: tuple[Any, ...] = spans, assessments.passages, assessments.trees, assessments.elements
    for number, table in enumerate(tables):
        for row in np.flatnonzero(judgements.is_used(table) & (table.set != NONE)).tolist():
            nugget = int(table.nugget[row])
            own = int(spans.passage[row]) if table is spans else row
            key = (NONE, NONE, nugget) if nugget != NONE else (number, own, NONE)
            member = _Member(int(table.lines[row]), "", table is not spans or bool(has_text[row]))
            if nugget != NONE:
                member.part = checks.NUGGET.note(nugget=assessments.nuggets[nugget])
            elif table is spans:
                doc = assessments.docs[int(spans.doc[row])]
                member.part = checks.PASSAGE.note(start=int(spans.start[row]), end=int(spans.end[row]), doc=doc)
            yield int(table.query[row]), int(table.set[row]), key, member
