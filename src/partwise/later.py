"""Our own modules that are loaded when something in them is first used: the only list of them.

``from partwise.later import api`` loads nothing; ``api.evaluate`` does. So a command that needs no report never loads
one, and modules that need each other can be written without imports inside functions. Modules that are always needed,
or cheap, are imported as usual.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from partwise import api as api
    from partwise import checks as checks
    from partwise import collection as collection
    from partwise import conversion as conversion
    from partwise import counting as counting
    from partwise import demo_data as demo_data
    from partwise import diagnosis as diagnosis
    from partwise import explanation as explanation
    from partwise import kernels as kernels
    from partwise import listing as listing
    from partwise import location as location
    from partwise import measures as measures
    from partwise import navigation as navigation
    from partwise import outputs as outputs
    from partwise import reference as reference
    from partwise import selection as selection
    from partwise import study as study
    from partwise import tokens as tokens
    from partwise.adapters import placing as placing
    from partwise.api import catalogue as catalogue
    from partwise.api import diagnosing as diagnosing
    from partwise.api import files as reading_and_writing  # noqa: F401
    from partwise.api import gates as gating  # noqa: F401
    from partwise.api import parts as showing_parts  # noqa: F401
    from partwise.api import reports as reporting  # noqa: F401
    from partwise.api import scoring as scoring
    from partwise.display import markdown as markdown
    from partwise.display import of_findings as sheets_of_findings  # noqa: F401
    from partwise.display import of_inputs as sheets_of_inputs  # noqa: F401
    from partwise.display import of_scores as sheets_of_scores  # noqa: F401
    from partwise.display import render as display  # noqa: F401
    from partwise.display import sheets as sheets
    from partwise.display import terminal as terminal
    from partwise.engines import spark_files as spark_files
    from partwise.formats import assessments as assessment_tables  # noqa: F401
    from partwise.formats import chunks as chunks
    from partwise.formats import columns as named_columns  # noqa: F401
    from partwise.formats import lines as line_formats  # noqa: F401
    from partwise.formats import objects as objects
    from partwise.formats import placing_notes as placing_notes
    from partwise.formats import pools as pools
    from partwise.formats import queries as queries
    from partwise.formats import runs as run_tables  # noqa: F401
    from partwise.formats import scores as saved_scores  # noqa: F401
    from partwise.formats import several as several
    from partwise.formats import submissions as submissions
    from partwise.formats import tables as cell_tables  # noqa: F401
    from partwise.formats import xml_events as xml_events
    from partwise.measures import documents as document_measures  # noqa: F401
    from partwise.measures import esr as esr
    from partwise.measures import reading as reading
    from partwise.relevance import quantise as quantise
    from partwise.report import build as report_page  # noqa: F401
    from partwise.report import charts as charts
    from partwise.report import compose as report_contents  # noqa: F401
    from partwise.report import libraries as report_libraries  # noqa: F401
    from partwise.report import plots as plots
    from partwise.resolving import gold as gold
    from partwise.resolving import slicing as slicing
    from partwise.resolving import trees as judged_trees  # noqa: F401
    from partwise.study import comparison as comparison
    from partwise.study import curve_points as curve_points
    from partwise.study import gate as gates  # noqa: F401
    from partwise.study import gate_rules as gate_rules
    from partwise.tables import documents as document_tables  # noqa: F401
    from partwise.tables import grades as grades
    from partwise.tables import links as links
    from partwise.tables import parts as parts
    from partwise.tables import targets as targets

MODULES = {
    "api": "api",
    "assessment_tables": "formats.assessments",
    "catalogue": "api.catalogue",
    "cell_tables": "formats.tables",
    "charts": "report.charts",
    "checks": "checks",
    "chunks": "formats.chunks",
    "collection": "collection",
    "comparison": "study.comparison",
    "conversion": "conversion",
    "counting": "counting",
    "curve_points": "study.curve_points",
    "demo_data": "demo_data",
    "diagnosing": "api.diagnosing",
    "diagnosis": "diagnosis",
    "display": "display.render",
    "document_measures": "measures.documents",
    "document_tables": "tables.documents",
    "esr": "measures.esr",
    "explanation": "explanation",
    "grades": "tables.grades",
    "gate_rules": "study.gate_rules",
    "gates": "study.gate",
    "gating": "api.gates",
    "gold": "resolving.gold",
    "judged_trees": "resolving.trees",
    "kernels": "kernels",
    "line_formats": "formats.lines",
    "links": "tables.links",
    "listing": "listing",
    "location": "location",
    "markdown": "display.markdown",
    "measures": "measures",
    "named_columns": "formats.columns",
    "navigation": "navigation",
    "objects": "formats.objects",
    "outputs": "outputs",
    "parts": "tables.parts",
    "placing": "adapters.placing",
    "placing_notes": "formats.placing_notes",
    "plots": "report.plots",
    "pools": "formats.pools",
    "quantise": "relevance.quantise",
    "queries": "formats.queries",
    "reading": "measures.reading",
    "reading_and_writing": "api.files",
    "reference": "reference",
    "report_contents": "report.compose",
    "report_libraries": "report.libraries",
    "report_page": "report.build",
    "reporting": "api.reports",
    "run_tables": "formats.runs",
    "saved_scores": "formats.scores",
    "scoring": "api.scoring",
    "selection": "selection",
    "several": "formats.several",
    "sheets": "display.sheets",
    "sheets_of_findings": "display.of_findings",
    "sheets_of_inputs": "display.of_inputs",
    "sheets_of_scores": "display.of_scores",
    "showing_parts": "api.parts",
    "slicing": "resolving.slicing",
    "spark_files": "engines.spark_files",
    "study": "study",
    "submissions": "formats.submissions",
    "targets": "tables.targets",
    "terminal": "display.terminal",
    "tokens": "tokens",
    "xml_events": "formats.xml_events",
}
"""What can be imported from here, and the module of partwise that it is."""

NAMES = {
    "BEP": "document_tables",
    "BEPn": "document_tables",
    "Collection": "collection",
    "Comparison": "comparison",
    "Demo": "demo_data",
    "Diagnosis": "diagnosis",
    "Document": "collection",
    "F": "document_tables",
    "Finding": "checks",
    "Findings": "checks",
    "Gate": "gates",
    "IdealRun": "showing_parts",
    "LineFormat": "line_formats",
    "Links": "navigation",
    "Located": "location",
    "LocatedRows": "placing",
    "Locations": "location",
    "Navigation": "navigation",
    "NavigationGraph": "navigation",
    "Places": "navigation",
    "Question": "navigation",
    "check": "scoring",
    "check_picture": "charts",
    "check_rules": "scoring",
    "checked_gate": "gating",
    "compare": "scoring",
    "convert": "reading_and_writing",
    "curve_measures": "curve_points",
    "demo": "catalogue",
    "diagnose": "diagnosing",
    "evaluate": "scoring",
    "explain": "showing_parts",
    "format_names": "reading_and_writing",
    "gate": "gating",
    "has_query_column": "reading_and_writing",
    "holds_scores": "reading_and_writing",
    "ideal": "showing_parts",
    "learn_navigation": "reading_and_writing",
    "list_measures": "catalogue",
    "locate": "showing_parts",
    "locate_rows": "showing_parts",
    "measure_page": "catalogue",
    "on_spark": "scoring",
    "read_assessments": "reading_and_writing",
    "read_navigation": "reading_and_writing",
    "read_runs": "reading_and_writing",
    "read_scores": "reading_and_writing",
    "register_navigation": "navigation",
    "register_quantisation": "quantise",
    "register_tokenizer": "tokens",
    "rules_from": "gating",
    "scores_to_gate": "gating",
    "spans": "showing_parts",
    "tree": "showing_parts",
    "with_names": "gating",
    "write_assessments": "reading_and_writing",
    "write_index": "collection",
    "write_picture": "charts",
    "write_report": "reporting",
    "write_run": "reading_and_writing",
    "write_scores": "reading_and_writing",
    "write_scores_report": "reporting",
}
"""Names of `partwise.api` that are loaded when they are first used, and where they are."""


if not TYPE_CHECKING:

    class _Later:
        """A placeholder for a module, which loads it when one of its names is used."""

        def __init__(self, module: str) -> None:
            self._module = module

        def __getattr__(self, name: str) -> Any:
            return getattr(import_module(self._module), name)

        def __repr__(self) -> str:
            return f"<{self._module}, loaded when it is used>"

    def __getattr__(name: str) -> Any:
        if name not in MODULES:
            raise AttributeError(f"module 'partwise.later' has no attribute {name!r}")
        later = globals()[name] = _Later(f"partwise.{MODULES[name]}")
        return later
