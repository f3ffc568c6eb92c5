"""Scores by slice."""

from __future__ import annotations

from partwise.messages import Counted, Message

NO_QUERIES = Message(
    "B01", "there is no column {name} to slice by, because no queries are given", "give their file (--queries FILE)"
)
KNOWN_COLUMNS = Message("B02", "the queries have no column {name}", "they have {columns}")
NEAREST = Message("B03", "the queries have no column {name}", "did you mean {nearest!r}?")
NOT_OF_GOLD = Message("B04", "the gold cannot be sliced by {name}", "slice it by one of {columns}")
AMBIGUOUS = Message("B05", "{name} is a column of the queries and of the gold", "write query:{name} or gold:{name}")
NO_VALUES = Message("B06", "no query that is scored has a value for {by}", "do the files use the same query ids?")
CALLED_ALL = Message(
    "B07", "a slice by {by} would be called all, like the scores of all queries", "give this value another name"
)
BAD_BINS = Message("B08", "bins is {value}", "it must be a whole number from 1")
BAD_PATTERN = Message("B09", "the pattern {pattern} is not a regular expression ({reason})", "write doc:PATTERN")
NOT_SLICED = Message(
    "B10", "scores alone cannot be sliced by {by}", "evaluate with by={by}, or slice by a column of the queries"
)
BY_TAG = Message(
    "B11",
    "results of several tags share a query, so there are no slices by tag",
    "use Evaluator.by_tag (partwise evaluate --by tag)",
)
TWO_VALUES = Message("B12", "query {query} has two values for {column}: {value} and {other}", "give each query one row")
NO_TREC = Message("B13", "slices cannot be written as trec", "write parquet, tsv or another format")
SLICED_SCORES = Message(
    "B14", "these are scores by slice (column slice)", "save scores without --by; slice those that are read"
)
QUERIES_WITHOUT_BY = Message("B15", "--queries needs --by", "choose one of their columns with --by COLUMN")
BINS_WITHOUT_BY = Message("B16", "--bins needs --by", "choose a column with --by COLUMN")
BINS_OF_GOLD = Message("B17", "the gold is not put into bins", "leave out bins, or slice by a column of the queries")
NOT_BY = Message("B18", "by is of type {type}", "give the name of a column{mapping}")

WITHOUT_VALUE = Counted(
    "B21",
    "1 query has no value for {by} and is in no slice: {names}",
    "{count} queries have no value for {by} and are in no slice: {names}",
)
IN_SEVERAL = Counted(
    "B22",
    "1 query has several values for {by} and counts in each of these slices",
    "{count} queries have several values for {by} and count in each of these slices",
)
GOLD_WITHOUT = Counted(
    "B23",
    "1 gold row has no {by} and is in no slice",
    "{count} gold rows have no {by} and are in no slice",
)
