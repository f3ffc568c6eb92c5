"""Diagnoses: their errors, notes and headings."""

from __future__ import annotations

from partwise.messages import Counted, Message

# parameters
NO_LIMIT = Message("L01", "neither k nor a budget is given", "give one of them: -k 5, or --budget 4000")
TWO_LIMITS = Message("L02", "k and a budget are given", "give one of them")
SEVERAL_RUNS = Message("L03", "{count} runs are given", "give exactly one run to diagnose")

# chunks
SEVERAL_SPANS = Message("L10", "the chunk has {count} spans", "give one span per chunk")
NOT_A_CHUNK = Message(
    "L11",
    "the result {part} of document {doc_id} is none of the chunks in {chunks}",
    "give all chunks that can be retrieved, or leave out the chunks",
)

# notes
WITHOUT_CHUNKS = Message(
    "L20", "without all chunks, the loss cannot be split into chunking and ranking", "give them with --chunks FILE"
)
UNPLACED = Counted(
    "L21",
    "{count} result has an unknown place and shows nothing: the loss to ranking is an upper bound",
    "{count} results have an unknown place and show nothing: the loss to ranking is an upper bound",
)

# headings
MEANS = Counted(
    "L30",
    "{measure} of {run}, {count} query",
    "{measure} of {run}, {count} queries; {confidence:.0%} intervals by {method}",
)
LOSSES = Counted(
    "L31",
    "{count} of {total} gold passages is not shown whole. A passage has one of these kinds, and may be cut as well:",
    "{count} of {total} gold passages are not shown whole. Each has one of these kinds, and may be cut as well:",
)
WORST = Message("L32", "The {shown} worst of {count} queries; all of them with -f tsv")
QUERIES = Message("L33", "Queries, the worst first")
IN_UNIT = Message("L34", "text is counted in {unit}")
BY_SLICE = Message("L35", "{measure} of {run} by {by}; the intervals and the queries of each slice with -f tsv")
