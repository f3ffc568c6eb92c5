"""The names of columns in tables of runs, assessments and queries, and their aliases."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """A named column of a table."""

    name: str
    meaning: str
    also: tuple[str, ...] = ()
    """Aliases; if a table has several of its names, the first is read."""

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.also)


COLUMNS = {
    column.name: column
    for column in (
        Column("query_id", "the query"),
        Column("doc_id", "the document"),
        Column("run_id", "the run"),
        Column("rank", "the rank of a result, from 1"),
        Column("score", "the score of a result"),
        Column("start", "the first character of a part"),
        Column("end", "the character after the last of a part"),
        Column("offset", "the first character of a part, in runs"),
        Column("length", "the number of characters of a part, in runs; of a document, in assessments"),
        Column("spans", "several parts as characters"),
        Column("path", "an element"),
        Column("paths", "a tree"),
        Column("start_path", "the element or pointer at which a passage starts"),
        Column("end_path", "the element or pointer at which a passage ends"),
        Column("exhaustivity", "the first grade of an element or tree"),
        Column("specificity", "the second grade of an element or tree"),
        Column("scale", "the scale of these grades"),
        Column("bep", "the best entry point of a document"),
        Column("bep_path", "the best entry point as a path"),
        Column("grade", "the grade of a document"),
        Column("assessor", "the assessor who judged"),
        Column("located", "how the text of a chunk was located"),
        Column("_placing", "notes about the chunks of a run, in its first row"),
        Column("title", "what a query asks for, in a few words", ("text", "query", "question")),
        Column("description", "what a query asks for, in a sentence", ("narrative",)),
    )
}

RUN_COLUMNS = (
    "query_id", "doc_id", "rank", "score", "run_id", "start", "end", "offset", "length", "spans", "path", "paths",
    "located", "_placing",
)  # fmt: skip
"""Columns of runs, in the order of writing."""

PART_COLUMNS = ("start", "end", "offset", "length", "spans", "path", "paths")
"""Columns of runs that give the part of its document that a result is."""

PLACE_COLUMNS = ("start", "end", "offset", "spans", "path", "paths", "start_path", "end_path")
"""Columns that give a place in a document."""
_PLACE_WORDS = {
    "start", "begin", "end", "stop", "offset", "span", "char", "chars", "line", "lines", "token", "tokens", "page",
}  # fmt: skip


def looks_like_a_place(name: str) -> bool:
    """Whether a word of a column's name (``start_index``, ``endChar``) suggests a place in a document."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return not _PLACE_WORDS.isdisjoint(re.split(r"[\W_]+", words))


def needed(existing: Sequence[str], columns: Sequence[str]) -> list[str]:
    """The existing columns that are in `columns`, and those that look like places if none of these is one."""
    known = [name for name in existing if name in columns]
    if not set(known).isdisjoint(PLACE_COLUMNS):
        return known
    return known + [name for name in existing if name not in columns and looks_like_a_place(name)]


ASSESSMENT_COLUMNS = (
    "query_id", "doc_id", "start", "end", "path", "paths", "exhaustivity", "specificity", "bep", "length", "grade",
    "assessor", "scale", "start_path", "end_path", "bep_path", "located", "_placing",
)  # fmt: skip
"""Columns of assessments, in the order of writing."""

IDS = ("query_id", "doc_id", "run_id", "assessor")
"""Columns of texts that may look like numbers."""

TITLES = COLUMNS["title"].names
DESCRIPTIONS = COLUMNS["description"].names
QUERY_COLUMNS = ("query_id", *TITLES, *DESCRIPTIONS)
