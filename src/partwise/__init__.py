"""Evaluate the retrieval of parts of documents: passages, XML elements, RAG chunks.

Names are loaded when they are first used, so that ``import partwise`` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from partwise._version import __version__
from partwise.errors import PartwiseError

if TYPE_CHECKING:
    from partwise.api import (
        Evaluator,
        evaluate,
        list_measures,
        measure_page,
        read_assessments,
        read_runs,
        write_assessments,
        write_run,
    )
    from partwise.measures import AgP, Overlap, Redundancy, TextAP, TextF, TextIoU, TextP, TextR, gP, gR, iAP, iP
    from partwise.measures import parse as measure
    from partwise.model import Assessments, Run, Scores
    from partwise.tables.documents import BEP, BEPn, F

_HOMES = {
    "partwise.api": (
        "Evaluator",
        "evaluate",
        "list_measures",
        "measure_page",
        "read_assessments",
        "read_runs",
        "write_assessments",
        "write_run",
    ),
    "partwise.measures": (
        "AgP", "Overlap", "Redundancy", "TextAP", "TextF", "TextIoU", "TextP", "TextR", "gP", "gR", "iAP", "iP",
    ),
    "partwise.model": ("Assessments", "Run", "Scores"),
    "partwise.tables.documents": ("BEP", "BEPn", "F"),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "BEP",
    "AgP",
    "Assessments",
    "BEPn",
    "Evaluator",
    "F",
    "Overlap",
    "PartwiseError",
    "Redundancy",
    "Run",
    "Scores",
    "TextAP",
    "TextF",
    "TextIoU",
    "TextP",
    "TextR",
    "__version__",
    "evaluate",
    "gP",
    "gR",
    "iAP",
    "iP",
    "list_measures",
    "measure",
    "measure_page",
    "read_assessments",
    "read_runs",
    "write_assessments",
    "write_run",
]


def __getattr__(name: str) -> Any:
    import importlib

    if name == "measure":
        value = importlib.import_module("partwise.measures").parse
    elif name in _HOME_OF:
        value = getattr(importlib.import_module(_HOME_OF[name]), name)
    else:
        raise AttributeError(f"module 'partwise' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
