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
    from partwise import conversion as conversion
    from partwise import demo_data as demo_data
    from partwise import diagnosis as diagnosis
    from partwise import explanation as explanation
    from partwise import kernels as kernels
    from partwise import listing as listing
    from partwise import location as location
    from partwise import measures as measures
    from partwise import navigation as navigation
    from partwise import reference as reference
    from partwise import selection as selection
    from partwise import study as study
    from partwise import tokens as tokens
    from partwise.adapters import placing as placing
    from partwise.display import markdown as markdown
    from partwise.display import of_findings as sheets_of_findings  # noqa: F401
    from partwise.display import of_inputs as sheets_of_inputs  # noqa: F401
    from partwise.display import of_scores as sheets_of_scores  # noqa: F401
    from partwise.display import render as display  # noqa: F401
    from partwise.display import sheets as sheets
    from partwise.display import terminal as terminal
    from partwise.engines import spark_files as spark_files
    from partwise.formats import scores as saved_scores  # noqa: F401
    from partwise.measures import documents as document_measures  # noqa: F401
    from partwise.measures import esr as esr
    from partwise.measures import reading as reading
    from partwise.relevance import quantise as quantise
    from partwise.report import build as report_page  # noqa: F401
    from partwise.report import charts as charts
    from partwise.report import compose as report_contents  # noqa: F401
    from partwise.report import page as report_files  # noqa: F401
    from partwise.resolving import gold as gold
    from partwise.study import comparison as comparison
    from partwise.study import curve_points as curve_points
    from partwise.study import gate as gates  # noqa: F401
    from partwise.study import gate_rules as gate_rules
    from partwise.tables import gain as gain
    from partwise.tables import links as links
    from partwise.tables import parts as parts
    from partwise.tables import targets as targets

MODULES = {
    "api": "api",
    "charts": "report.charts",
    "checks": "checks",
    "comparison": "study.comparison",
    "conversion": "conversion",
    "curve_points": "study.curve_points",
    "demo_data": "demo_data",
    "diagnosis": "diagnosis",
    "display": "display.render",
    "document_measures": "measures.documents",
    "esr": "measures.esr",
    "explanation": "explanation",
    "gain": "tables.gain",
    "gate_rules": "study.gate_rules",
    "gates": "study.gate",
    "gold": "resolving.gold",
    "kernels": "kernels",
    "links": "tables.links",
    "listing": "listing",
    "location": "location",
    "markdown": "display.markdown",
    "measures": "measures",
    "navigation": "navigation",
    "parts": "tables.parts",
    "placing": "adapters.placing",
    "quantise": "relevance.quantise",
    "reading": "measures.reading",
    "reference": "reference",
    "report_contents": "report.compose",
    "report_files": "report.page",
    "report_page": "report.build",
    "saved_scores": "formats.scores",
    "selection": "selection",
    "sheets": "display.sheets",
    "sheets_of_findings": "display.of_findings",
    "sheets_of_inputs": "display.of_inputs",
    "sheets_of_scores": "display.of_scores",
    "spark_files": "engines.spark_files",
    "study": "study",
    "targets": "tables.targets",
    "terminal": "display.terminal",
    "tokens": "tokens",
}
"""What can be imported from here, and the module of partwise that it is."""

NAMES = {
    "Comparison": "comparison",
    "Demo": "demo_data",
    "Diagnosis": "diagnosis",
    "Finding": "checks",
    "Findings": "checks",
    "Gate": "gates",
    "Located": "location",
    "LocatedRows": "placing",
    "Locations": "location",
    "check_picture": "charts",
    "curve_measures": "curve_points",
    "register_tokenizer": "tokens",
    "write_picture": "charts",
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
