"""The measures, by family and by name."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from partwise import plugins
from partwise.errors import PartwiseError, shown
from partwise.later import document_measures
from partwise.measures.base import Measure as Measure
from partwise.measures.base import Step as Step
from partwise.measures.base import plans_of as plans_of
from partwise.measures.base import steps_of as steps_of
from partwise.messages import measures as messages
from partwise.parameters import parse_name, split_names
from partwise.presets import TASKS
from partwise.types import MeasureKind

if TYPE_CHECKING:
    from partwise.measures.context import *  # noqa: F403
    from partwise.measures.esr import *  # noqa: F403
    from partwise.measures.inex_eval import *  # noqa: F403
    from partwise.measures.navigation import *  # noqa: F403
    from partwise.measures.overlap import *  # noqa: F403
    from partwise.measures.parts import *  # noqa: F403
    from partwise.measures.reading import *  # noqa: F403
    from partwise.measures.sr import *  # noqa: F403
    from partwise.measures.text import *  # noqa: F403
    from partwise.measures.tolerance import *  # noqa: F403
    from partwise.measures.xcg import *  # noqa: F403

FAMILIES = {
    "text": ("text", "TextP TextR TextF TextIoU iP iAP TextAP"),
    "parts found": ("parts", "PartHit PartRR PartP PartR PartAP PartnDCG NuggetR AllFound AspectAP Abstain"),
    "reading": ("reading", "CharAP TextU TextRBP Read TextJudged"),
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
"""All measures: the module of each family and the names of its classes. A module is imported when it is needed."""

_MODULE = {name: module for module, names in FAMILIES.values() for name in names.split()}


def families() -> dict[str, list[type[Measure]]]:
    """All measures, by family."""
    return {family: [_loaded(name) for name in names.split()] for family, (_, names) in FAMILIES.items()}


def _loaded(name: str) -> type[Measure]:
    kind: type[Measure] = getattr(import_module(f"partwise.measures.{_MODULE[name]}"), name)
    return kind


_REGISTERED: dict[str, type[Measure]] = {}

M = TypeVar("M", bound=type[Measure])


def register_measure(kind: M) -> M:
    """Register a measure under the name of its class, for ``-m Name``, for names in strings, and on Spark.

    It is a subclass of `Measure` with a docstring, whose first line describes it. The class is returned, so this works
    as a decorator.

    - `kind`: the class of the measure.

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
        raise PartwiseError(messages.NOT_A_MEASURE_CLASS(value=shown(kind)))
    missing = [name for name in ("needs", "score") if getattr(kind, name) is getattr(Measure, name)]
    if missing:
        raise PartwiseError(messages.NO_METHOD(name=kind.__name__, method=missing[0]))
    if not kind.summary():
        raise PartwiseError(messages.NO_DOCSTRING(name=kind.__name__))
    for name in (kind.__name__, *kind.aliases):
        if name in _own_names() or name in document_measures.known_names():
            raise PartwiseError(messages.MEASURE_EXISTS(name=shown(name)))
    for name in (kind.__name__, *kind.aliases):
        _REGISTERED[name] = kind
    return kind


def registered_measures() -> dict[str, type[Measure]]:
    """The registered measures by name, to be registered again in other processes."""
    return dict(_REGISTERED)


def by_name(name: str) -> type[Measure] | None:
    """The built-in or registered measure with this name or alias."""
    if name in _MODULE:
        return _loaded(name)
    return _REGISTERED.get(name) or _own_names().get(name)


def _from_package(name: str) -> type[Measure] | None:
    """The measure that an installed package provides under this name."""
    kind = plugins.find(plugins.MEASURES, name)
    return None if kind is None else register_measure(kind)


def all_names() -> dict[str, type[Measure]]:
    """Every measure by name and alias: built-in measures, then registered ones."""
    return {**_own_names(), **_REGISTERED}


@cache
def _own_names() -> dict[str, type[Measure]]:
    kinds = [kind for family in families().values() for kind in family]
    return {name: kind for kind in kinds for name in (kind.__name__, *kind.aliases)}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in _MODULE:
            return _loaded(name)
        raise AttributeError(f"module 'partwise.measures' has no attribute {name!r}")


def parse(text: str) -> Measure:
    """The measure with this name: one of partwise, else of ir_measures, else of an installed package.

    - `text`: the name, such as ``iP@0.01``.
    """
    measures = parse_several(text)
    if len(measures) > 1:
        values = {"name": shown(text), "count": len(measures), "first": measures[0].name}
        raise PartwiseError(messages.SEVERAL_MEASURES(**values))
    return measures[0]


def parse_several(text: str) -> list[Measure]:
    """The measures with this name; one of trec_eval may stand for several: ``P``, ``official``."""
    name = text.strip()
    if re.fullmatch(r"[\w.]+", name) and by_name(name) is None:
        measures = document_measures.from_trec_name(name)
        if measures:
            return list(measures)
    return [unfinished(text).completed()]


def notes_on_names(values: Sequence[Any]) -> list[str]:
    """Notes on the names among these measures that stand for fewer measures here than in trec_eval."""
    texts = [value for value in values if isinstance(value, str)]
    notes: list[str] = []
    for name in dict.fromkeys(name for text in texts for name in split_names(text)):
        if re.fullmatch(r"\w+", name) and by_name(name) is None and (missing := document_measures.left_out(name)):
            notes.append(messages.LEFT_OUT_OF_SET.note(name=name, names=", ".join(missing)))
    return notes


def unfinished(text: str) -> Measure:
    """The measure with this name, which may still lack its cutoff: ``iP(alpha=0)``."""
    call = parse_name(text)
    if (kind := by_name(call.name)) is not None:
        return kind.called(call)
    measure = document_measures.from_call(call) or document_measures.from_familiar_call(call)
    if measure is None:
        kind = _from_package(call.name)
        if kind is None:
            raise unknown(call.name)
        return kind.called(call)
    return measure


def better_of(name: str) -> str:
    """Whether ``higher`` or ``lower`` is better; higher for unknown names, as in scores of other tools."""
    try:
        return unfinished(name).better
    except PartwiseError:
        return "higher"


def kinds_of(names: Iterable[str]) -> dict[str, MeasureKind]:
    """What each of these measures scores, without names that are not known here, as in scores of other tools."""
    kinds: dict[str, MeasureKind] = {}
    for name in names:
        with contextlib.suppress(PartwiseError):
            kinds[name] = unfinished(name).kind
    return kinds


def unknown(name: str) -> PartwiseError:
    """The error for an unknown name, with the closest names."""
    import difflib

    if name in document_measures.trec_names():
        return PartwiseError(messages.TREC_EVAL_ONLY(name=shown(name)))
    of_trec_eval = [name for name in document_measures.trec_names() if document_measures.from_trec_name(name)]
    names = [*of_trec_eval, *document_measures.known_names(), *all_names()]
    names += plugins.names(plugins.MEASURES)
    by_lower_case = {name.lower(): name for name in names}
    matches = difflib.get_close_matches(name.lower(), by_lower_case, n=3, cutoff=0.5)
    if not matches:
        return PartwiseError(messages.UNKNOWN_MEASURE(name=shown(name)))
    *others, last = [by_lower_case[match] for match in matches]
    suggestions = f"{', '.join(others)} or {last}" if others else last
    return PartwiseError(messages.MISSPELT_MEASURE(name=shown(name), names=suggestions))


def measure_from(value: Any) -> list[Measure]:
    """Measures from an object, a class, or a string with one or more names."""
    if isinstance(value, Measure):
        return [value.completed()]
    if isinstance(value, type) and issubclass(value, Measure):
        return [value().completed()]
    if isinstance(value, str):
        names = split_names(value)
        if not names:
            raise PartwiseError(messages.EMPTY_NAME())
        return [measure for name in dict.fromkeys(names) for measure in parse_several(name)]
    if isinstance(getattr(value, "of_partwise", None), Measure):  # ours, wrapped for ir_measures
        return [value.of_partwise.completed()]
    if hasattr(value, "aggregator") and hasattr(value, "NAME"):
        return [document_measures.from_object(value)]
    raise PartwiseError(messages.NOT_A_MEASURE(value=shown(value)))


def as_list(values: Any) -> list[Any]:
    """One or several requested measures as a list."""
    is_one = isinstance(values, (str, Measure, type)) or not isinstance(values, Iterable)
    try:
        return [values] if is_one else list(values)
    except TypeError:  # an array without dimensions
        return [values]


def measures_from(values: Any) -> list[Measure]:
    """The requested measures in order, without duplicates."""
    measures = [measure for value in as_list(values) for measure in measure_from(value)]
    if not measures:
        raise PartwiseError(messages.NO_MEASURES())
    return list(dict.fromkeys(measures))


def requested(measures: Any, task: str | None) -> list[Measure] | None:
    """The measures of a task, then those named in addition; None if neither is given."""
    if task is None:
        return None if measures is None else measures_from(measures)
    preset = measures_from(TASKS[task])
    return preset if measures is None else list(dict.fromkeys([*preset, *measures_from(measures)]))
