"""Runs, assessments and scores: flat columns, named as in the files.

Rows keep file order; `partwise.resolving` puts them in rank order.
"""

from __future__ import annotations

from partwise.model.assessments import Assessments as Assessments
from partwise.model.assessments import DocumentJudgements as DocumentJudgements
from partwise.model.assessments import ElementJudgements as ElementJudgements
from partwise.model.assessments import EmptyJudgements as EmptyJudgements
from partwise.model.assessments import PassageJudgements as PassageJudgements
from partwise.model.assessments import SpanJudgements as SpanJudgements
from partwise.model.assessments import TreeJudgements as TreeJudgements
from partwise.model.assessments import is_relevant as is_relevant
from partwise.model.columns import LARGEST_GRADE as LARGEST_GRADE
from partwise.model.columns import LARGEST_OFFSET as LARGEST_OFFSET
from partwise.model.columns import LARGEST_SCORE as LARGEST_SCORE
from partwise.model.columns import NO_GRADE as NO_GRADE
from partwise.model.columns import NONE as NONE
from partwise.model.columns import NOT_LOCATED as NOT_LOCATED
from partwise.model.columns import TO_END as TO_END
from partwise.model.columns import Bools as Bools
from partwise.model.columns import Bytes as Bytes
from partwise.model.columns import Coded as Coded
from partwise.model.columns import Files as Files
from partwise.model.columns import Floats as Floats
from partwise.model.columns import Ints as Ints
from partwise.model.columns import LazyNames as LazyNames
from partwise.model.columns import Paths as Paths
from partwise.model.columns import Source as Source
from partwise.model.columns import TokenColumn as TokenColumn
from partwise.model.columns import Tokenised as Tokenised
from partwise.model.columns import constant as constant
from partwise.model.columns import counting as counting
from partwise.model.columns import empty_ints as empty_ints
from partwise.model.columns import numbered as numbered
from partwise.model.columns import numbers_of as numbers_of
from partwise.model.columns import slices as slices
from partwise.model.columns import taken as taken
from partwise.model.runs import Irregular as Irregular
from partwise.model.runs import Piece as Piece
from partwise.model.runs import Run as Run
from partwise.placement import Placing as Placing
from partwise.scores import ALL as ALL
from partwise.scores import COLUMNS as COLUMNS
from partwise.scores import EQUAL as EQUAL
from partwise.scores import JUDGED_DEPTH as JUDGED_DEPTH
from partwise.scores import Block as Block
from partwise.scores import Scores as Scores
