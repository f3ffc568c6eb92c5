"""The measures, by family, and the names that say them."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from partwise import plugins
from partwise.errors import PartwiseError, shown
from partwise.later import document_measures
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


_REGISTERED: dict[str, type[Measure]] = {}

M = TypeVar("M", bound=type[Measure])


def register_measure(kind: M) -> M:
    """Make a measure of one's own known by the name of its class: to ``-m Name``, in strings, and on Spark.

    It is a subclass of `Measure` with a docstring, whose first line says what it means. The class is returned, so that
    this can decorate it.

    >>> import partwise as pw
    >>> from partwise.tables.text import Text
    >>> @pw.register_measure
    ... class Shown(pw.Measure):
    ...     "Whether any relevant text is shown."
    ...     cutoff = pw.Param(int, at=True, default=None, low=1)
    ...     def needs(self):
    ...         return [Text()]
    ...     def score(self, text):
    ...         return (text.recall(self.cutoff) > 0).astype(float)
    >>> pw.evaluate({"q": [("d", 0, 9)]}, {"q": [("e", 0, 9), ("d", 5, 20)]}, "Shown@1 Shown@5").mean()
    {'run': {'Shown@1': 0.0, 'Shown@5': 1.0}}
    """
    if not isinstance(kind, type) or not issubclass(kind, Measure):
        raise PartwiseError(f"{shown(kind)} is not a class of measures", "give a subclass of partwise.Measure")
    missing = [name for name in ("needs", "score") if getattr(kind, name) is getattr(Measure, name)]
    if missing:
        raise PartwiseError(f"{kind.__name__} has no {missing[0]}()", "write it: see help(partwise.Measure)")
    if not kind.summary():
        raise PartwiseError(f"{kind.__name__} has no docstring", "say in its first line what it means")
    for name in (kind.__name__, *kind.aliases):
        if name in _own_names() or name in document_measures.known_names():
            raise PartwiseError(f"there is a measure {name!r} already", "choose another name")
    for name in (kind.__name__, *kind.aliases):
        _REGISTERED[name] = kind
    return kind


def registered_measures() -> dict[str, type[Measure]]:
    """The user's own measures, for processes that do not have them."""
    return dict(_REGISTERED)


def by_name(name: str) -> type[Measure] | None:
    """The measure of this name or alias: ours, or one that a user registered."""
    if name in _MODULE:
        return _loaded(name)
    return _REGISTERED.get(name) or _own_names().get(name)


def _from_package(name: str) -> type[Measure] | None:
    """A measure that an installed package brings."""
    found = plugins.find(plugins.MEASURES, name)
    return None if found is None else register_measure(found)


def all_names() -> dict[str, type[Measure]]:
    """Every measure by each of its names: ours, then those that were registered."""
    return {**_own_names(), **_REGISTERED}


def _own_names() -> dict[str, type[Measure]]:
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
    found = document_measures.from_call(call)
    if found is None:
        kind = _from_package(call.name)
        if kind is None:
            raise unknown(call.name)
        return kind.called(call)
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

    known = [*document_measures.known_names(), *all_names(), *plugins.names(plugins.MEASURES)]
    names = {one.lower(): one for one in known}
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
        return [document_measures.from_object(value)]
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
