"""The measures, by family, and the names that say them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from partwise.errors import PartwiseError, shown
from partwise.measures.base import Measure
from partwise.measures.context import AgP, gP, gR
from partwise.measures.esr import (
    ESRP,
    ESRR,
    MAESRP,
    NSRCG,
    NSRCG2,
    SRPRUM,
    ESRBase,
    ESRHits,
    ESRMisses,
    ESRNear,
    ESRShrinkage,
    MASRiP,
    MASRiP2,
    SRiP,
    SRiP2,
    SRiR,
    SRiR2,
    iSRiP,
    iSRiP2,
)
from partwise.measures.inex_eval import Precall, inexAP, ngP, ngR
from partwise.measures.navigation import AEPRUM, EPRUM, PRUM, EPRUMrank, NavR
from partwise.measures.overlap import Overlap, Redundancy
from partwise.measures.sr import SR, SRP, SRPL
from partwise.measures.text import TextAP, TextF, TextIoU, TextP, TextR, iAP, iP
from partwise.measures.tolerance import T2I, T2IAP
from partwise.measures.xcg import MAep, MAnxCG, ep, iMAep, nxCG, xCG, xGR, xQ, xR
from partwise.parameters import parse_name, split_names
from partwise.presets import FOR_GRADES as FOR_GRADES
from partwise.presets import FOR_HIGHLIGHTS as FOR_HIGHLIGHTS
from partwise.presets import TASKS

FAMILIES: dict[str, tuple[type[Measure], ...]] = {
    "text": (TextP, TextR, TextF, TextIoU, iP, iAP, TextAP),
    "in context": (gP, gR, AgP),
    "cumulated gain": (xCG, nxCG, MAnxCG, xGR, ep, iMAep, MAep, xQ, xR),
    "graded elements": (Precall, inexAP, ngP, ngR),
    "tolerance": (T2I, T2IAP),
    "navigation": (NavR, PRUM, EPRUM, AEPRUM, EPRUMrank),
    "structural relevance": (SR, SRP, SRPL),
    "extended structural relevance": (
        ESRP,
        ESRR,
        SRiP,
        SRiR,
        SRiP2,
        SRiR2,
        NSRCG,
        NSRCG2,
        SRPRUM,
        iSRiP,
        iSRiP2,
        MASRiP,
        MASRiP2,
        MAESRP,
        ESRHits,
        ESRNear,
        ESRMisses,
        ESRBase,
        ESRShrinkage,
    ),
    "overlap": (Overlap, Redundancy),
}
BY_NAME: dict[str, type[Measure]] = {
    name: measure for family in FAMILIES.values() for measure in family for name in (measure.__name__, *measure.aliases)
}


def parse(text: str) -> Measure:
    """The measure that a name says: ours, or else one of ir_measures."""
    return unfinished(text).completed()


def unfinished(text: str) -> Measure:
    """The measure that a name says, which may still lack its cutoff: ``iP(alpha=0)``."""
    call = parse_name(text)
    if call.name in BY_NAME:
        return BY_NAME[call.name].called(call)
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

    names = {known.lower(): known for known in [*documents.known_names(), *BY_NAME]}
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


__all__ = [
    "AEPRUM",
    "BY_NAME",
    "EPRUM",
    "ESRP",
    "ESRR",
    "FAMILIES",
    "MAESRP",
    "NSRCG",
    "NSRCG2",
    "PRUM",
    "SR",
    "SRP",
    "SRPL",
    "SRPRUM",
    "T2I",
    "T2IAP",
    "TASKS",
    "AgP",
    "EPRUMrank",
    "ESRBase",
    "ESRHits",
    "ESRMisses",
    "ESRNear",
    "ESRShrinkage",
    "MASRiP",
    "MASRiP2",
    "MAep",
    "MAnxCG",
    "Measure",
    "NavR",
    "Overlap",
    "Precall",
    "Redundancy",
    "SRiP",
    "SRiP2",
    "SRiR",
    "SRiR2",
    "TextAP",
    "TextF",
    "TextIoU",
    "TextP",
    "TextR",
    "better_of",
    "ep",
    "gP",
    "gR",
    "iAP",
    "iMAep",
    "iP",
    "iSRiP",
    "iSRiP2",
    "inexAP",
    "measures_from",
    "ngP",
    "ngR",
    "nxCG",
    "parse",
    "unknown",
    "xCG",
    "xGR",
    "xQ",
    "xR",
]
