"""The measures with their documentation, and the demo collection."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from partwise.errors import PartwiseError, shown
from partwise.later import demo_data, document_measures, parts, reading, reference
from partwise.measures import by_name, families, unknown
from partwise.measures.base import parameter_lines
from partwise.messages import measures as messages
from partwise.navigation import MODELS
from partwise.parameters import Parameterised, parse_name
from partwise.tables.documents import DocumentScore
from partwise.types import MeasureRow

if TYPE_CHECKING:
    from partwise.demo_data import Demo
    from partwise.reference import Entry


def demo() -> Demo:
    """The demo collection that comes with partwise: articles, queries, assessments and runs."""
    return demo_data.Demo()


def list_measures() -> list[MeasureRow]:
    """Name, parameters, meaning and paper of every measure: those of partwise by family, then those of ir_measures."""
    ours = [
        MeasureRow(kind.__name__, kind.signature().removeprefix(kind.__name__), kind.summary(), kind.paper)
        for family in families().values()
        for kind in family
    ]
    return [*ours, *(MeasureRow(*row) for row in document_measures.listed())]


def measure_page(name: str) -> str:
    """The documentation of a measure of partwise or ir_measures, by name (parameters are ignored), or by its name in
    trec_eval; or of a value of their parameters: a document score (``BEPn``), a quantisation (``sog``), a navigation
    model (``coverage``), a match function (``seen``), a decay (``half``) or a tokenizer (``words``).
    """
    if not isinstance(name, str):
        raise PartwiseError(messages.NOT_A_MEASURE(value=shown(name)))
    plain = name.partition("(")[0].partition("@")[0].strip()
    pages = [_value_page(entry) for entry in reference.of_value(plain)]
    if by_name(plain) is None and pages:
        return "\n\n".join(pages)
    if by_name(name) is None and (measures := document_measures.from_trec_name(name)):
        name = measures[0].inner.NAME
    name = parse_name(name).name
    if (kind := by_name(name)) is not None:
        return "\n\n".join([kind.page(), *pages])
    if name not in document_measures.known_names():
        raise unknown(name)
    return document_measures.page(name)


def value_classes() -> dict[str, dict[str, type[Parameterised]]]:
    """The classes of values of parameters that have pages, by kind and name; others are functions or names."""
    return {
        "document score": dict(DocumentScore.family()),
        "navigation model": dict(MODELS),
        "match function": dict(parts.Match.family()),
        "decay": dict(reading.Decay.family()),
    }


def _value_page(entry: Entry) -> str:
    """The documentation of a value of a parameter, as plain text."""
    kind = value_classes().get(entry.kind, {}).get(entry.name)
    lines = [f"{entry.name}, a {entry.kind}: a value of {entry.parameter}", ""]
    lines += [inspect.cleandoc(kind.__doc__ or ""), ""] if kind is not None and not entry.text else [entry.text, ""]
    lines += [*entry.lines(), ""]
    lines += [] if kind is None else parameter_lines(kind)
    return "\n".join([*lines, *(reference.wrapped(f"Paper: {reference.cited(paper)}") for paper in entry.papers)])
