"""The names of columns in tables of runs, assessments and queries, and their aliases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from partwise.units import UNITS


@dataclass(frozen=True)
class Column:
    """A named column of a table."""

    name: str
    meaning: str
    also: tuple[str, ...] = ()
    """Names that other tools use for it. If a table has several of its names, the first is read."""

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.also)


COLUMNS = {
    column.name: column
    for column in (
        Column("query_id", "the query", ("qid", "query-id", "topic", "topic_id", "question_id")),
        Column(
            "doc_id",
            "the document",
            (
                "docno", "docid", "doc-id", "corpus-id", "corpus_id", "document_id", "pid", "source", "file",
                "file_path", "vid",
            ),
        ),
        Column("run_id", "the run"),
        Column("rank", "the rank of a result, from 1"),
        Column("step", "the step at which an agent read a part, as its rank; parts of a document are one result"),
        Column("score", "the score of a result"),
        Column(
            "start", "the first character of a part", ("start_index", "start_char_idx", "start_char", "begin")
        ),
        Column("end", "the character after the last of a part", ("end_index", "end_char_idx", "end_char")),
        Column("start_line", "the first line of a part, from 1", ("line_start",)),
        Column("end_line", "the last line of a part", ("line_end",)),
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
        Column("grade", "the grade of a passage, or of a document", ("relevance", "label", "rel")),
        Column("nugget", "the fact that a passage states; passages of one nugget are alternatives"),
        Column("set", "a set of nuggets that is complete without the others"),
        Column("unit", "what offsets count, in every row: " + ", ".join(UNITS)),
        Column("assessor", "the assessor who judged"),
        Column("text", "the text of a part", ("page_content", "content", "contents", "passage", "segment")),
        Column("located", "how the text of a chunk was located"),
        Column("_placing", "notes about the chunks of a run, in its first row"),
        Column("title", "what a query asks for, in a few words", ("text", "query", "question")),
        Column("description", "what a query asks for, in a sentence", ("narrative",)),
    )
}  # fmt: skip

RUN_COLUMNS = (
    "query_id", "doc_id", "rank", "step", "score", "run_id", "start", "end", "start_line", "end_line", "offset",
    "length", "spans", "path", "paths",
    "unit", "located", "_placing",
)  # fmt: skip
"""Columns of runs, in the order of writing."""

ASSESSMENT_COLUMNS = (
    "query_id", "doc_id", "start", "end", "start_line", "end_line", "spans", "path", "paths", "exhaustivity",
    "specificity", "bep", "length",
    "grade", "nugget", "set", "assessor", "scale", "start_path", "end_path", "bep_path", "unit", "located", "_placing",
)  # fmt: skip
"""Columns of assessments, in the order of writing."""

BEIR_GRADE = "score"
"""The name of the grade in BEIR's qrels. Other assessments have no scores, so it is a grade in all of them."""

PART_COLUMNS = ("start", "end", "start_line", "end_line", "offset", "length", "spans", "path", "paths")
"""Columns of runs that give the part of its document that a result is."""

PLACE_COLUMNS = ("start", "end", "start_line", "end_line", "offset", "spans", "path", "paths", "start_path", "end_path")
"""Columns that give a place in a document."""

LINE_COLUMNS = ("start_line", "end_line")
OFFSET_COLUMNS = ("start", "end", "offset", "spans")
"""Columns of offsets that may count anything."""

TITLES = COLUMNS["title"].names
DESCRIPTIONS = COLUMNS["description"].names
QUERY_COLUMNS = ("query_id", *TITLES, *DESCRIPTIONS)

ROW = "row"
"""The number of a row, for tables without an order, such as those of Spark."""

EXTRAS = frozenset(
    (
        *COLUMNS["text"].names, *TITLES, *DESCRIPTIONS,
        ROW,
        "iteration", "subtopic_id",  # TREC qrels, ir_measures, ir_datasets
        "id", "metadata", "type",  # LangChain
        "id_", "node_id", "embedding", "relationships", "class_name", "mimetype", "metadata_template",
        "metadata_seperator", "metadata_separator", "text_template", "excluded_embed_metadata_keys",
        "excluded_llm_metadata_keys",  # LlamaIndex
        "references",  # Chroma
        "duration", "relevant_clip_ids", "saliency_scores", "pred_saliency_scores",  # QVHighlights
    )
)  # fmt: skip
"""Columns that tables of known tools have besides ours; they are not read, and that is not worth a note."""

IDS = tuple(name for column in ("query_id", "doc_id", "run_id", "assessor") for name in COLUMNS[column].names)
"""Columns of texts that may look like numbers."""

_PLACE_WORDS = {
    "start", "begin", "end", "stop", "offset", "offsets", "span", "spans", "char", "chars", "line", "lines", "token",
    "tokens", "page", "window", "windows",
}  # fmt: skip


def looks_like_a_place(name: str) -> bool:
    """Whether a word of a column's name (``start_pos``, ``endChar``) suggests a place in a document."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return not _PLACE_WORDS.isdisjoint(re.split(r"[\W_]+", words))


def names_of(column: str, in_assessments: bool = False) -> tuple[str, ...]:
    """The names under which a column is read, ours first."""
    names = COLUMNS[column].names if column in COLUMNS else (column,)
    return (*names, BEIR_GRADE) if in_assessments and column == "grade" else names


def gives_a_place(names: Iterable[str]) -> bool:
    """Whether one of these columns gives a place in a document, under any of its names."""
    return not {name for column in PLACE_COLUMNS for name in names_of(column)}.isdisjoint(names)


def needed(existing: Sequence[str], columns: Sequence[str]) -> list[str]:
    """The existing columns that `columns` are read from, and those that look like places if none of these is one."""
    readable = {name for column in columns for name in names_of(column, "grade" in columns)}
    known = [name for name in existing if name in readable]
    if gives_a_place(known):
        return known
    return [name for name in existing if name in known or looks_like_a_place(name) or name == "metadata"]
