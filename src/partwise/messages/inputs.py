"""Messages about how assessments, runs, lengths and collections fit together (letter I)."""

from __future__ import annotations

from partwise.messages import Message

# ---- assessments (resolving/judgements.py) ----
QUERY_CALLED_ALL = Message("I01", "has a query {query_id}, the name under which means are reported", "rename the query")
LENGTHS_DIFFER = Message(
    "I02", "document {doc_id} has the length {length} in the lengths, but {judged} in the assessments", "give one value"
)
NO_ASSESSOR = Message("I03", "has no assessor {assessor}", "it has {assessors}")
NO_NAMED_ASSESSOR = Message("I04", "has no assessor {assessor}", "its assessors have no names")

# ---- parts and their documents (resolving/locating.py, batch.py) ----
NOT_IN_COLLECTION = Message(
    "I05", "document {doc_id} is not in the collection {collection}", "add it there, or give start and end"
)
PATH_WITHOUT_COLLECTION = Message(
    "I06",
    "the part is given as the path {path}, which needs the documents",
    "give the collection (--collection), or the start and end of the part",
)
LENGTH_UNKNOWN = Message(
    "I07",
    "the length of document {doc_id} is unknown, and results that are whole documents need it",
    "give it in the assessments or as lengths (--lengths FILE)",
)
NO_COMMON_QUERY = Message(
    "I08",
    "has no query in common with {assessments}",
    "its first query is {first}, that of the assessments is {judged}",
)

# ---- the order of results (order.py) ----
TREC_WITHOUT_SCORES = Message("I09", "has no scores", "give every result a score, which a TREC run needs")
NO_RANK_TO_ORDER_BY = Message("I10", "has no rank", "give every result a rank, which --order rank needs")
NO_SCORE_TO_ORDER_BY = Message("I11", "has no score", "give every result a score, which --order score needs")
NO_RANK = Message("I12", "has no rank", "give every result of a query a rank, or every one a score")
NO_SCORE = Message("I13", "has no score", "give every result of a query a rank, or every one a score")
SOME_WITHOUT_RANK = Message(
    "I14",
    "has no rank, but other results of query {query_id} have one",
    "give every result of a query a rank, or every one a score",
)
SOME_WITHOUT_SCORE = Message(
    "I15",
    "has no score, but other results of query {query_id} have one",
    "give every result of a query a rank, or every one a score",
)

# ---- quantisations (relevance/quantise.py) ----
QUANTISATION_EXISTS = Message("I16", "a quantisation named {name} already exists", "choose another name")
QUANTISATION_NOT_ON_SCALE = Message(
    "I17", "quant is {name}, which is not defined on the scale {scale}", "use one of {defined}"
)
QUANTISATION_NOT_ON_HIGHLIGHTS = Message(
    "I18", "quant is {name}, which is not defined for highlighted passages", "use one of {defined}"
)
QUANTISATION_OUT_OF_RANGE = Message(
    "I19", "the quantisation {name} returns a value outside [0, 1]", "return gains in [0, 1]"
)

# ---- data sets of ir_datasets (formats/irds.py) ----
NO_IR_DATASETS = Message("I20", "needs ir_datasets, which is not installed", "run pip install 'partwise[irds]'")
UNKNOWN_DATASET = Message("I21", "ir_datasets has no data set with this id", "ir_datasets list shows those that it has")
DATASET_UNREADABLE = Message(
    "I23", "ir_datasets cannot read this data set ({reason})", "download it where the internet can be reached"
)
DATASET_WITHOUT = Message("I22", "this data set has no {what}", "give the id of one that has")

# ---- units (resolving/units.py) ----
SECONDS_OF_TEXT = Message(
    "I70",
    "offsets are in {unit}, but {other} are counted",
    "seconds cannot be converted; if these are seconds too, give --unit seconds",
)
CANNOT_CONVERT = Message(
    "I71",
    "document {doc_id} is not in {collection}, so its offsets in {unit} cannot be converted to {other}",
    "give a collection that has it",
)
