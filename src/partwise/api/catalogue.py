"""The measures with their documentation, and the demo collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from partwise.errors import PartwiseError, shown
from partwise.later import demo_data, document_measures
from partwise.measures import by_name, families, unknown
from partwise.messages import measures as messages
from partwise.parameters import parse_name
from partwise.types import MeasureRow

if TYPE_CHECKING:
    from partwise.demo_data import Demo


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
    """The documentation of a measure of partwise or ir_measures, by name (parameters are ignored),
    or by its name in trec_eval.
    """
    if not isinstance(name, str):
        raise PartwiseError(messages.NOT_A_MEASURE(value=shown(name)))
    if by_name(name) is None and (measures := document_measures.from_trec_name(name)):
        name = measures[0].inner.NAME
    name = parse_name(name).name
    if (kind := by_name(name)) is not None:
        return kind.page()
    if name not in document_measures.known_names():
        raise unknown(name)
    return document_measures.page(name)
