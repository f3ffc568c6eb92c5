"""The example lines of the findings of `check`."""

from __future__ import annotations

from partwise.messages import Counted, Message

# parts of documents, as other messages name them
WHOLE_DOCUMENT = Message("K01", "the whole document {doc}")
PART = Message("K02", "the part {part} of document {doc}")
PASSAGE = Message("K03", "the passage {start} to {end} of document {doc}")
ENTRY_POINT = Message("K04", "the best entry point {path} of document {doc}")
NUGGET = Message("K09", "nugget {nugget}")

# runs and assessments
NOT_LOCATED = Message("K05", "{part} is not checked without a collection")
NOT_IN_COLLECTION = Message("K06", "document {doc} is not in the collection {collection}")
NO_CHARACTERS = Message("K07", "{part} is empty")
PAST_END = Message("K08", "{part} extends past the end of the document at {length}")

# runs
QUERY_NOT_JUDGED = Message("K10", "query {query} is not judged")
NO_RESULTS = Message("K11", "has no results for query {query}")
TOO_MANY_RESULTS = Message("K12", "query {query} has {count} results, but INEX accepts {most}")
SCORE_RISES = Message("K13", "rank {rank} of query {query} has the score {score:g}, but rank {before} has {lower:g}")
DOCUMENT_NOT_JUDGED = Message(
    "K14", "document {doc} is not judged for query {query}, like {share:.0%} of the results in judged queries"
)
NO_RANK = Message("K15", "has no rank, but other results of query {query} have one")
NO_SCORE = Message("K16", "has no score, but other results of query {query} have one")
NO_RANK_OR_SCORE = Message("K17", "has neither rank nor score, but other results of query {query} have them")
RETURNED_BEFORE = Message("K18", "{part} was already returned in {earlier}, for query {query}")
SHARES_TEXT = Message("K19", "{part} shares text with the result in {earlier}, for query {query}")
DOCUMENT_RETURNS = Message("K20", "document {doc} of query {query} is returned again in {later}, after other documents")
SECOND_IN_DOCUMENT = Message("K21", "query {query} already has a result in document {doc}")
SAME_SCORE = Message("K22", "has the same score as {earlier}, {score:g}, for query {query}")
SAME_RANK = Message("K23", "has the same rank as {earlier}, {rank}, for query {query}")
RANK_GAP = Message("K24", "rank {rank} of query {query} follows rank {before}")
FIRST_RANK = Message("K25", "the first rank of query {query} is {rank}")

CHUNK_AMBIGUOUS = Message("K26", "the chunk of {size} {unit} ({place}) is not placed: it occurs in several places")
CHUNK_MISSING = Message("K27", "the chunk of {size} {unit} ({place}) is not placed: it is not in the documents")

# assessments
PASSAGES_OVERLAP = Message("K30", "{passage} shares text with an earlier passage")
RELEVANT_CHARACTERS = Message(
    "K31", "declares {declared} relevant {unit} in document {doc}, but its passages have {count}"
)
NO_HIGHLIGHTS = Message("K32", "has no highlighted text, so text measures cannot be computed")
RELEVANT_WITHOUT_PASSAGE = Message("K33", "document {doc} has the grade {grade} for query {query}, but no passage")
PASSAGE_IN_NON_RELEVANT = Message("K34", "document {doc} has the grade {grade} for query {query}, but also a passage")
NO_SCALE = Message("K35", "has graded elements, but does not name their scale")
NOT_ON_SCALE = Message("K36", "the grades ({exhaustivity:g}, {specificity:g}) are not on the scale {scale}")
SAME_ENTRY_POINT = Message("K37", "the best entry point is {bep}, as in all other documents")
ENTRY_POINT_OUTSIDE = Message("K38", "the best entry point is {bep}, but document {doc} has {length} {unit}")
NO_ENTRY_POINT = Message("K39", "document {doc} is relevant to query {query}, but has no best entry point")
NOTHING_RELEVANT = Message("K40", "query {query} has nothing relevant")
SEVERAL_ASSESSORS = Message("K41", "query {query} has {count} assessors")
LENGTH_IN_LENGTHS = Message("K42", "document {doc} has the length {length} here, but {other} in the lengths")
LENGTH_IN_COLLECTION = Message("K43", "document {doc} has the length {length} here, but {other} in the collection")
ONE_ALTERNATIVE = Message(
    "K44", "nugget {nugget} of query {query} has one passage, but {several} of {total} nuggets have several"
)
SET_WITHOUT = Counted(
    "K45",
    "set {set} of query {query} is counted without {part}, which has no relevant text in it",
    "set {set} of query {query} is counted without {count} of its nuggets, which have no relevant text in it, "
    "the first: {part}",
)
EMPTY_SET = Message("K46", "set {set} of query {query} has no relevant text, and is not counted")

# summary
NOTHING_SUSPICIOUS = Message("K50", "nothing suspicious")
ERRORS = Counted("K51", "{count} error", "{count} errors")
WARNINGS = Counted("K52", "{count} warning", "{count} warnings")
