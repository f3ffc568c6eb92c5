"""What ``import partwise as pw`` offers."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from partwise import later
from partwise.api.evaluator import Evaluator
from partwise.api.sources import NamedFiles as NamedFiles
from partwise.errors import PartwiseError
from partwise.formats.base import Format
from partwise.formats.registry import register as register_format
from partwise.measures import Measure, register_measure
from partwise.measures import parse as measure
from partwise.model import ALL, Assessments, Run, Scores
from partwise.parameters import Param
from partwise.scores import Slices
from partwise.settings import reading

if TYPE_CHECKING:
    from partwise import study as study
    from partwise.adapters.placing import LocatedRows as LocatedRows
    from partwise.api.catalogue import demo, list_measures, measure_page
    from partwise.api.diagnosing import diagnose
    from partwise.api.files import (
        convert,
        learn_navigation,
        read_assessments,
        read_navigation,
        read_runs,
        read_scores,
        write_assessments,
        write_run,
        write_scores,
    )
    from partwise.api.files import format_names as format_names
    from partwise.api.files import has_query_column as has_query_column
    from partwise.api.files import holds_scores as holds_scores
    from partwise.api.gates import checked_gate as checked_gate
    from partwise.api.gates import gate
    from partwise.api.gates import rules_from as rules_from
    from partwise.api.gates import scores_to_gate as scores_to_gate
    from partwise.api.gates import with_names as with_names
    from partwise.api.parts import IdealRun, explain, ideal, locate, locate_rows, spans, tree
    from partwise.api.reports import write_report, write_scores_report
    from partwise.api.scoring import check, check_rules, compare, evaluate
    from partwise.api.scoring import on_spark as on_spark
    from partwise.checks import Finding as Finding
    from partwise.checks import Findings as Findings
    from partwise.collection import Collection, Document, write_index
    from partwise.demo_data import Demo as Demo
    from partwise.diagnosis import Diagnosis as Diagnosis
    from partwise.formats.lines import LineFormat
    from partwise.location import Located as Located
    from partwise.location import Locations as Locations
    from partwise.navigation import Links, Navigation, NavigationGraph, Places, Question, register_navigation
    from partwise.relevance.quantise import register_quantisation
    from partwise.report import charts as charts
    from partwise.report.charts import check_picture as check_picture
    from partwise.report.charts import write_picture as write_picture
    from partwise.study.comparison import Comparison as Comparison
    from partwise.study.curve_points import curve_measures as curve_measures
    from partwise.study.findings import Findings as _StudyFindings
    from partwise.study.gate import Gate as Gate
    from partwise.tables.documents import BEP, BEPn, F
    from partwise.tokens import register_tokenizer as register_tokenizer

    StudyFindings = _StudyFindings

__all__ = [
    "ALL",
    "BEP",
    "Assessments",
    "BEPn",
    "Collection",
    "Comparison",
    "Demo",
    "Diagnosis",
    "Document",
    "Evaluator",
    "F",
    "Finding",
    "Findings",
    "Format",
    "Gate",
    "IdealRun",
    "LineFormat",
    "Links",
    "Located",
    "LocatedRows",
    "Locations",
    "Measure",
    "Navigation",
    "NavigationGraph",
    "Param",
    "PartwiseError",
    "Places",
    "Question",
    "Run",
    "Scores",
    "Slices",
    "check",
    "check_rules",
    "compare",
    "convert",
    "demo",
    "diagnose",
    "evaluate",
    "explain",
    "gate",
    "ideal",
    "learn_navigation",
    "list_measures",
    "locate",
    "locate_rows",
    "measure",
    "measure_page",
    "read_assessments",
    "read_navigation",
    "read_runs",
    "read_scores",
    "reading",
    "register_format",
    "register_measure",
    "register_navigation",
    "register_quantisation",
    "register_tokenizer",
    "spans",
    "study",
    "tree",
    "write_assessments",
    "write_index",
    "write_report",
    "write_run",
    "write_scores",
    "write_scores_report",
]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in later.NAMES:
            return getattr(getattr(later, later.NAMES[name]), name)
        if name in ("study", "charts"):
            return import_module(f"partwise.{later.MODULES[name]}")
        raise AttributeError(f"module 'partwise.api' has no attribute {name!r}")
