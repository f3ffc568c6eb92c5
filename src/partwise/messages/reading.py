"""Reading runs and assessments from files, tables and Python objects."""

from __future__ import annotations

from partwise.messages import Counted, Message, grouped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeVar

    E = TypeVar("E", bound=BaseException)

# any format
SKIPPED = Counted(
    "R01",
    "{source}: {count} bad {item} skipped, the first: {error}",
    "{source}: {count} bad {item}s skipped, the first: {error}",
)
NOT_UTF8 = Message("R02", "is not UTF-8", "save it as UTF-8")
NO_READABLE_LINE = Message("R03", "has no readable line", "give data as {formats}")
NO_COLUMN = Message("R04", "has no column {name} (it has {columns})", "{what} need it")
DIFFERENT_VALUES = Message(
    "R06",
    "the columns {first} and {second} mean the same, but here they have {one} and {two}",
    "remove or rename one of them",
)
SAME_MEANING = Message("R07", "{source}: the column {name} was not read, because {first} means the same and was")
FILLED = Counted(
    "R14",
    "{source}: 1 row has no {first} and was read from {name}, which means the same",
    "{source}: {count} rows have no {first} and were read from {name}, which means the same",
)
UNKNOWN_COLUMNS = Counted(
    "R08",
    "{source}: 1 column is not known and was not read: {names}",
    "{source}: {count} columns are not known and were not read: {names}",
)
BELONGS_TO_RUNS = Counted(
    "R09",
    "{source}: 1 column belongs to runs and was not read from assessments: {names}",
    "{source}: {count} columns belong to runs and were not read from assessments: {names}",
)
BELONGS_TO_ASSESSMENTS = Counted(
    "R13",
    "{source}: 1 column belongs to assessments and was not read from a run: {names}",
    "{source}: {count} columns belong to assessments and were not read from a run: {names}",
)
_NOT_READ = frozenset(note.code for note in (SAME_MEANING, UNKNOWN_COLUMNS, BELONGS_TO_RUNS, BELONGS_TO_ASSESSMENTS))


def explain(error: E, notes: Iterable[str]) -> E:
    """The error with those of the notes that may explain it: columns that were not read. They are printed with it."""
    for note in grouped(notes):
        if getattr(note, "code", "") in _NOT_READ:
            error.add_note(note)
    return error


COLUMN_TWICE = Message("R05", "has two columns {name}", "column names must be unique")

# the value of one column
BAD_VALUE = Message("R10", "the {name} is {value}", "it must be {expected}")
TOO_LARGE = Message("R11", "the {name} is {value}", "it must be at most {largest}")
NO_VALUE = Message("R12", "has no {name}", "give every row its {name}")

# blank-separated columns
COLUMN_COUNT = Counted("R20", "has 1 column", "has {count} columns", "expected {columns}")
RUN_COLUMN_COUNT = Counted(
    "R21", "has 1 column", "has {count} columns", "expected {trec} (TREC), followed by offset length or a path for INEX"
)
ASSESSMENT_COLUMN_COUNT = Counted(
    "R22", "has 1 column", "has {count} columns", "expected {trec} (TREC) or {inex} (INEX)"
)
MORE_TEXT = Counted(
    "R24",
    "{source}: the text after the run tag was not read in 1 line",
    "{source}: the text after the run tag was not read in {count} lines",
)
RUN_TAGS = Message("R23", "{source}: {count} run tags, treated as one run")

# CSV, JSON Lines, Parquet
NOT_CSV = Message("R30", "is not CSV ({reason})", "check its quotes")
NOT_JSON = Message("R31", "is not JSON ({reason})", "write one JSON object per line")
NOT_AN_OBJECT = Message("R32", "is not a JSON object but {value}", "write one JSON object per line")
HALF_CHARACTER = Message(
    "R36", "the column {name} contains half a character (a lone surrogate)", "give whole characters"
)
TOO_DEEP = Message("R37", "is nested more than {limit} levels deep", "write one JSON object per line")
BAD_COLUMN = Message("R34", "the column {name} is damaged ({reason})", "write it again")
BAD_PARQUET = Message("R33", "is damaged or cut short (Parquet: {reason})", "write it again")

# Python objects
UNKNOWN_TYPE = Message("R40", "{name} is of type {type}", "give {accepted}")
UNKNOWN_PART = Message(
    "R41", "query {query} has a part of type {type}", "give a dict, (doc_id, start, end) or a doc_id"
)
DOCUMENT_ONLY = Message(
    "R42", "a document id alone is not a judgement", "give {{doc_id: grade}}, or (doc_id, start, end)"
)
EMPTY_ASSESSMENTS = Message("R43", "the assessments are empty", "give at least one judgement")
IS_A_RUN = Message("R47", "has the columns of a run ({columns})", "give assessments first, then runs")
ROWS_WITHOUT_QUERY = Message(
    "R45", "{name} is {shape} without query_id; it has {columns}", "give every row its query_id"
)
RUN_AS_ASSESSMENTS = Message(
    "R44", "has a column {name}, so it is a run", "give assessments first, then runs; or remove the column"
)

SWAPPED = Message("R48", "{type} is {kind}, but given as {what}", "give assessments first, then runs")
EMPTY_ITERATOR = Message("R49", "{name} is an iterator without items", "give a list, or an iterator that was not used")
FLOAT_GRADES = Message(
    "R59", "{source}: its {count} numbers are read as grades, but some are decimals", "are these the scores of a run?"
)
ORDER_OF_ROWS = Message("R46", "{source}: has neither rank nor score, so results are in the order of its rows")

# parts of documents
TEXTS_ONLY = Message(
    "R50",
    "{source}: has texts but no offsets or paths, so every result counts as its whole document",
    "add offsets with partwise locate",
)
SOME_WHOLE = Counted(
    "R56",
    "{source}: {count} of {total} results gives no place and counts as a whole document: {first}",
    "{source}: {count} of {total} results give no place and count as whole documents, the first: {first}",
)
ALL_EMPTY = Counted(
    "R57",
    "{source}: its only result is empty, because its end is its start",
    "{source}: all {count} results are empty, because their end is their start",
)
OTHER_LENGTHS = Counted(
    "R58",
    "{source}: {count} of {total} rows has a text that is not as long as its part: {first}",
    "{source}: {count} of {total} rows have texts that are not as long as their parts, the first: {first}",
    "are the offsets those of the text, and in the unit of the evaluation?",
)
TWO_KINDS_OF_OFFSETS = Message("R51", "has columns {columns}", "give start and end, or offset and length")
BOTH = Message("R52", "has both {first} and {second}", "give only one of them")
ONLY_ONE = Message("R53", "has {present} but no {absent}", "give both or neither")
END_BEFORE_START = Message("R54", "the end {end} is before the start {start}", "it must be at least the start")

UNKNOWN_PLACE = Message(
    "R55",
    "the column {name} looks like a place in a document, but no column with a known name gives one",
    "rename it to one of {places}, or remove it to score whole documents",
)

# assessments
OFFSET_COLUMN = Message(
    "R60", "has a column 'offset'", "assessments use start and end (length is the length of the document)"
)
ELEMENT_GRADE = Message("R61", "has a path but no {name}", "give every element both grades")
TWO_SCALES = Message("R62", "has the scale {scale}, but earlier rows have {earlier}", "use one scale per file")
NO_LENGTH = Message("R63", "has no length", "give every document its length")
TWO_VALUES = Message(
    "R64", "gives document {doc} the {name} {value}, but an earlier row gives {earlier}", "give one value"
)
NO_JUDGEMENT = Counted(
    "R65",
    "{source}: {count} of {total} rows gives neither a place nor a grade, so it makes nothing relevant: {first}",
    "{source}: {count} of {total} rows give neither place nor grade, so they make nothing relevant, the first: {first}",
    "give the start and end of what is relevant, or a grade",
)
RELEVANT_CHARACTERS = Counted(
    "R67",
    "{source}: {count} line declares {relevant} relevant {unit}, but its passages have {covered}: {first}",
    "{source}: {count} lines declare other numbers of relevant {unit} than their passages have, "
    "the first {relevant} instead of {covered}: {first}",
    "are passages given as offset:length?",
)
EMPTY_PASSAGES = Counted(
    "R66",
    "{source}: {count} passage is empty and was dropped: {first}",
    "{source}: {count} passages are empty and were dropped, the first: {first}",
)

_AGAIN = "of document {doc} for query {query} a second time (first in {place})"
_ONCE = "an assessor may judge it only once"
DOCUMENT_TWICE = Message("R70", "judges document {doc} for query {query} a second time (first in {place})", _ONCE)
SAME_PASSAGES = Counted(
    "R71",
    "{source}: {count} row judges a passage exactly as an earlier row does, and counts once: {first}",
    "{source}: {count} rows judge passages exactly as earlier rows do, and count once, the first: {first}",
)
SAME_PASSAGE = Message("R76", "judges a passage of document {doc} for query {query} exactly as {place} does")
JUDGED_WITHOUT_DOCUMENT = Message(
    "R72",
    "has a {name} and an empty doc_id",
    "an empty doc_id says that a query has nothing relevant, in a row with its query_id alone",
)
NOT_EMPTY = Message(
    "R75",
    "has an empty doc_id, which says that query {query} has nothing relevant, but {place} judges something relevant",
    "remove one of the two rows",
)
ELEMENT_TWICE = Message("R73", "judges {path} " + _AGAIN, _ONCE)
NO_SECONDS = Message(
    "R82", "{format} has whole numbers as offsets, not seconds", "use named columns: CSV, TSV, JSON Lines or Parquet"
)
TWO_UNITS = Message("R85", "has offsets in several units ({units})", "use one unit in a file")
TWO_UNITS_OF_PLACES = Message(
    "R110",
    "{source}: has lines and other offsets; {read} is read, {left} is not",
    "--unit lines reads lines, another unit the others",
)
STEPS_NOT_READ = Message("R112", "{source}: has ranks and steps; step is not read", "leave one of them out")
LINES_DECLARED_AS = Message(
    "R111", "declares that its offsets are in {unit}, but has {columns}", "give start and end, or the unit lines"
)
BAD_WINDOWS = Message(
    "R83", "{name} is {value}", "it must be a list of [start, end{score}] in seconds, with at most three decimals"
)
NO_KEY = Message("R84", "has no {name}", "every line needs {names}")
NOT_A_ROW = Message("R80", "is not a line of {format} ({reason})", "fix the line, or skip it with --lenient")
TREE_TWICE = Message("R74", "judges the tree {paths} " + _AGAIN, _ONCE)
SEVERAL_RUNS_OF_CHUNKS = Message("R87", "has {count} runs, but the chunks of one system are needed", "give one run")
SEVERAL_RUNS_OF_QUERY = Message(
    "R88", "has {count} runs, but the results of one query are scored", "give those of one run"
)
OTHER_QUERY = Message("R89", "has results of query {other}", "give the results of query {query} only")
