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
        IdealRun,
        evaluate,
        ideal,
        list_measures,
        measure_page,
        read_assessments,
        read_runs,
        register_quantisation,
        write_assessments,
        write_index,
        write_run,
    )
    from partwise.collection import Collection, Document
    from partwise.measures import (
        T2I,
        T2IAP,
        AgP,
        MAep,
        MAnxCG,
        Overlap,
        Precall,
        Redundancy,
        TextAP,
        TextF,
        TextIoU,
        TextP,
        TextR,
        ep,
        gP,
        gR,
        iAP,
        iMAep,
        inexAP,
        iP,
        ngP,
        ngR,
        nxCG,
        xCG,
        xGR,
        xQ,
        xR,
    )
    from partwise.measures import parse as measure
    from partwise.model import Assessments, Run, Scores
    from partwise.tables.documents import BEP, BEPn, F

_HOMES = {
    "partwise.api": (
        "Evaluator",
        "IdealRun",
        "evaluate",
        "ideal",
        "list_measures",
        "measure_page",
        "read_assessments",
        "read_runs",
        "register_quantisation",
        "write_assessments",
        "write_index",
        "write_run",
    ),
    "partwise.measures": (
        "AgP",
        "MAep",
        "MAnxCG",
        "Overlap",
        "Precall",
        "Redundancy",
        "T2I",
        "T2IAP",
        "TextAP",
        "TextF",
        "TextIoU",
        "TextP",
        "TextR",
        "ep",
        "gP",
        "gR",
        "iAP",
        "iMAep",
        "iP",
        "inexAP",
        "ngP",
        "ngR",
        "nxCG",
        "xCG",
        "xGR",
        "xQ",
        "xR",
    ),
    "partwise.collection": ("Collection", "Document"),
    "partwise.model": ("Assessments", "Run", "Scores"),
    "partwise.tables.documents": ("BEP", "BEPn", "F"),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "BEP",
    "T2I",
    "T2IAP",
    "AgP",
    "Assessments",
    "BEPn",
    "Collection",
    "Document",
    "Evaluator",
    "F",
    "IdealRun",
    "MAep",
    "MAnxCG",
    "Overlap",
    "PartwiseError",
    "Precall",
    "Redundancy",
    "Run",
    "Scores",
    "TextAP",
    "TextF",
    "TextIoU",
    "TextP",
    "TextR",
    "__version__",
    "ep",
    "evaluate",
    "gP",
    "gR",
    "iAP",
    "iMAep",
    "iP",
    "ideal",
    "inexAP",
    "list_measures",
    "measure",
    "measure_page",
    "ngP",
    "ngR",
    "nxCG",
    "read_assessments",
    "read_runs",
    "register_quantisation",
    "write_assessments",
    "write_index",
    "write_run",
    "xCG",
    "xGR",
    "xQ",
    "xR",
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
