"""From raw columns to the input of tables: one assessor's judgements, and batches of a run in rank order."""

from partwise.resolving.batch import ROWS_PER_BATCH, Batch, DocNames, batches, empty_batch
from partwise.resolving.judgements import Judgements, judge, of_one_assessor, refuse_query_all
from partwise.resolving.locating import NOT_A_NODE, SEVERAL, located_assessments, located_run

__all__ = [
    "NOT_A_NODE",
    "ROWS_PER_BATCH",
    "SEVERAL",
    "Batch",
    "DocNames",
    "Judgements",
    "batches",
    "empty_batch",
    "judge",
    "located_assessments",
    "located_run",
    "of_one_assessor",
    "refuse_query_all",
]
