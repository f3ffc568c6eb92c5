"""The measures, by family, and the names that say them."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from partwise.errors import PartwiseError, shown
from partwise.measures.base import Measure as Measure
from partwise.parameters import parse_name, split_names
from partwise.presets import TASKS

if TYPE_CHECKING:
    from partwise.measures.context import *  # noqa: F403
    from partwise.measures.esr import *  # noqa: F403
    from partwise.measures.inex_eval import *  # noqa: F403
    from partwise.measures.navigation import *  # noqa: F403
    from partwise.measures.overlap import *  # noqa: F403
    from partwise.measures.sr import *  # noqa: F403
    from partwise.measures.text import *  # noqa: F403
    from partwise.measures.tolerance import *  # noqa: F403
    from partwise.measures.xcg import *  # noqa: F403

FAMILIES = {
    "text": ("text", "TextP TextR TextF TextIoU iP iAP TextAP"),
    "in context": ("context", "gP gR AgP"),
    "cumulated gain": ("xcg", "xCG nxCG MAnxCG xGR ep iMAep MAep xQ xR"),
    "graded elements": ("inex_eval", "Precall inexAP ngP ngR"),
    "tolerance": ("tolerance", "T2I T2IAP"),
    "navigation": ("navigation", "NavR PRUM EPRUM AEPRUM EPRUMrank"),
    "structural relevance": ("sr", "SR SRP SRPL"),
    "extended structural relevance": (
        "esr",
        "ESRP ESRR SRiP SRiR SRiP2 SRiR2 NSRCG NSRCG2 SRPRUM iSRiP iSRiP2 MASRiP MASRiP2 MAESRP "
        "ESRHits ESRNear ESRMisses ESRBase ESRShrinkage",
    ),
    "overlap": ("overlap", "Overlap Redundancy"),
}
"""All measures: the module of each family and the names of its classes. A module is loaded when it is asked for."""

_MODULE = {name: module for module, names in FAMILIES.values() for name in names.split()}


def families() -> dict[str, list[type[Measure]]]:
    """All measures, by family."""
    return {family: [_loaded(name) for name in names.split()] for family, (_, names) in FAMILIES.items()}


def _loaded(name: str) -> type[Measure]:
    found: type[Measure] = getattr(import_module(f"partwise.measures.{_MODULE[name]}"), name)
    return found


def by_name(name: str) -> type[Measure] | None:
    """The measure of this name or alias."""
    if name in _MODULE:
        return _loaded(name)
    return next((kind for kinds in families().values() for kind in kinds if name in kind.aliases), None)


def all_names() -> dict[str, type[Measure]]:
    """Every measure by each of its names."""
    kinds = [kind for family in families().values() for kind in family]
    return {name: kind for kind in kinds for name in (kind.__name__, *kind.aliases)}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in _MODULE:
            return _loaded(name)
        raise AttributeError(f"module 'partwise.measures' has no attribute {name!r}")


def parse(text: str) -> Measure:
    """The measure that a name says: ours, or else one of ir_measures."""
    return unfinished(text).completed()


def unfinished(text: str) -> Measure:
    """The measure that a name says, which may still lack its cutoff: ``iP(alpha=0)``."""
    call = parse_name(text)
    if (kind := by_name(call.name)) is not None:
        return kind.called(call)
    from partwise.measures import documents

    found = documents.from_call(call)
    if found is None:
        raise unknown(call.name)
    return found


def better_of(name: str) -> str:
    """Whether ``higher`` or ``lower`` is better; higher for names that are not ours, as in scores of other tools."""
    try:
        return unfinished(name).better
    except PartwiseError:
        return "higher"


def unknown(name: str) -> PartwiseError:
    """The error for a name that is no measure's, with the nearest names."""
    import difflib

    from partwise.measures import documents

    names = {known.lower(): known for known in [*documents.known_names(), *all_names()]}
    near = difflib.get_close_matches(name.lower(), names, n=3, cutoff=0.5)
    told = ", ".join(names[match] for match in near)
    remedy = f"the nearest are {told}" if near else "'partwise measures' lists them all"
    return PartwiseError(f"there is no measure {shown(name)}", remedy)


def measure_from(value: Any) -> list[Measure]:
    """Measures from an object, a class, or a string that may hold several."""
    if isinstance(value, Measure):
        return [value.completed()]
    if isinstance(value, type) and issubclass(value, Measure):
        return [value().completed()]
    if isinstance(value, str):
        names = split_names(value)
        if not names:
            raise PartwiseError("an empty name is no measure", "write Name(parameter=value)@cutoff")
        return [parse(name) for name in names]
    if isinstance(getattr(value, "of_partwise", None), Measure):  # ours, as ir_measures has it
        return [value.of_partwise.completed()]
    if hasattr(value, "aggregator") and hasattr(value, "NAME"):
        from partwise.measures import documents

        return [documents.from_object(value)]
    raise PartwiseError(f"{shown(value)} is no measure", "give a measure or its name")


def measures_from(values: Any) -> list[Measure]:
    """Measures in the order asked for, each once."""
    several = isinstance(values, Iterable) and not isinstance(values, (str, Measure)) and not isinstance(values, type)
    found = [measure for value in (values if several else [values]) for measure in measure_from(value)]
    if not found:
        raise PartwiseError("no measure is given", "name at least one, or leave them out for a default set")
    return list(dict.fromkeys(found))


def requested(measures: Any, task: str | None) -> list[Measure] | None:
    """The measures of a task and those named beside it; None when neither is given."""
    if task is None:
        return None if measures is None else measures_from(measures)
    preset = measures_from(TASKS[task])
    return preset if measures is None else list(dict.fromkeys([*preset, *measures_from(measures)]))
