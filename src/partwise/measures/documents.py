"""Document measures: anything ir_measures knows, computed by ir_measures on the ranked documents."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from partwise.errors import PartwiseError, shown
from partwise.measures.base import Measure
from partwise.model import Bools, Floats
from partwise.parameters import Call, format_value
from partwise.tables import Key
from partwise.tables.documents import Documents, DocumentsTable


def known_names() -> list[str]:
    """The names of the measures of ir_measures, without ours that it may have been given."""
    import ir_measures

    return sorted(name for name, kind in ir_measures.measures.registry.items() if not hasattr(kind, "of_partwise"))


class _DocumentMeasure(Measure):
    """A measure of ir_measures.

    A document's rank is that of its first part; its relevance is its grade in TREC qrels, else 1 if it has highlighted
    text or a relevant element.
    """

    paper = "ir_measures"

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner

    @property
    def name(self) -> str:
        return str(self.inner)

    @property
    def meaning(self) -> str:
        return _meaning(self.inner)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _DocumentMeasure) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __matmul__(self, at: Any) -> _DocumentMeasure:
        others = {key: value for key, value in self.inner.params.items() if key != self.inner.AT_PARAM}
        return from_call(Call(self.inner.NAME, others, at)) or self

    def __call__(self, **values: Any) -> _DocumentMeasure:
        return from_call(Call(self.inner.NAME, {**self.inner.params, **values})) or self

    def needs(self) -> Sequence[Key]:
        return [Documents()]

    def score(self, documents: DocumentsTable) -> Floats:
        import ir_measures

        try:
            evaluator = ir_measures.evaluator([self.inner], documents.qrels)
            values = {metric.query_id: metric.value for metric in evaluator.iter_calc(documents.ranking)}
        except Exception as error:
            told = str(error).split("\n")[0]
            raise PartwiseError(
                f"{self.name} cannot be computed on this run ({type(error).__name__}: {told})", "leave it out"
            ) from None
        queries = range(len(documents.batch.queries))
        return np.array([values.get(str(query), self.inner.DEFAULT) for query in queries], np.float64)

    def scored(self, documents: DocumentsTable) -> Bools:
        level = self.inner.params.get("rel", 1)
        counted: Bools = documents.batch.judgements.documents_of_grade(level)[documents.batch.queries] > 0
        return counted

    def aggregate(self, values: Sequence[float]) -> float:
        if type(self.inner.aggregator()).__name__ == "MeanAgg":
            return super().aggregate(values)
        aggregator = self.inner.aggregator()
        for value in values:
            aggregator.add(value)
        return float(aggregator.result())


def listed() -> list[tuple[str, str, str, str]]:
    """Name, parameters, meaning and source of every measure of ir_measures that can be computed here."""
    import ir_measures

    pipeline: Any = ir_measures.DefaultPipeline
    computed = {
        measure.NAME
        for provider in pipeline.providers
        if provider.is_available()
        for measure in provider.SUPPORTED_MEASURES
        if not hasattr(measure, "of_partwise")
    }
    rows = []
    for name in sorted(computed):
        kind = ir_measures.measures.registry[name]
        at = kind.AT_PARAM if kind.AT_PARAM in kind.SUPPORTED_PARAMS else None
        inside = ", ".join(param for param in kind.SUPPORTED_PARAMS if param != at)
        cutoff = "" if at is None else f"[@{at}]"
        rows.append((name, (f"({inside})" if inside else "") + cutoff, _meaning(kind), "ir_measures"))
    return rows


def _meaning(kind: Any) -> str:
    """The first sentence that ir_measures says of a measure."""
    return _plain(kind.__doc__).split("\n\n")[0].split(". ")[0]


_DBLP = "https://dblp.org/rec/"


def _plain(docstring: str | None) -> str:
    """What ir_measures says of a measure, a line per paragraph: papers as their addresses, no markup."""
    told = []
    for block in re.split(r"\n\s*\n", inspect.cleandoc(docstring or "")):
        directive = re.match(r"\.\. (\S+)::\s*(\S*)", block)
        fields = dict(re.findall(r"^\s+:(\w+):\s*(.+?)\s*$", block, re.M))
        if directive and directive[1] == "cite.dblp":
            told.append(f"Paper: {_DBLP}{directive[2]}")
        elif directive and directive[1] == "cite":
            told.append(f"Paper: {' '.join(fields[name] for name in ('citation', 'link') if name in fields)}")
        elif not directive:
            told.append(re.sub(r"(?::[\w:.]+:)?(`+)(.+?)\1", r"\2", " ".join(block.split())))
    return "\n\n".join(told)


def _parameters(kind: Any) -> list[str]:
    """A line per parameter, as ours have them."""
    words = {int: "a whole number", float: "a number", bool: "True or False", str: "a word", dict: "a mapping"}
    lines = []
    for name, param in kind.SUPPORTED_PARAMS.items():
        told = words.get(param.dtype, param.dtype.__name__)
        default = ", required" if param.required else ""
        if isinstance(param.default, (bool, int, float, str)):
            default = f", default {format_value(param.default)}"
        at = "@" if name == kind.AT_PARAM else ""
        lines.append(f"  {at}{name}: {told}{default}. {param.desc}".rstrip(". "))
    return lines


def page(name: str) -> str:
    """The documentation of a measure of ir_measures, and how documents are ranked for it."""
    import textwrap

    import ir_measures

    kind = ir_measures.measures.registry[name]
    parameters = _parameters(kind)
    own = inspect.cleandoc(_DocumentMeasure.__doc__ or "")
    told = "\n\n".join(
        textwrap.fill(part, 120, break_on_hyphens=False) for part in _plain(type(kind).__doc__).split("\n\n")
    )
    return "\n".join([name, "", told, "", *(["Parameters:", *parameters, ""] if parameters else []), own])


def from_call(call: Call) -> _DocumentMeasure | None:
    """The measure of ir_measures that a name says; None if it knows none of that name."""
    import ir_measures

    if call.name not in ir_measures.measures.registry:
        return None
    kind = ir_measures.measures.registry[call.name]
    arguments = dict(call.arguments)
    if call.at is not None:
        at = getattr(kind, "AT_PARAM", None)
        if at is None:
            raise PartwiseError(f"{call.name} takes no cutoff", f"write {call.name} without @")
        if at in arguments:
            raise PartwiseError(f"{call.name} gives its {at} twice", "write it in brackets or behind the @")
        arguments[at] = call.at
    supported = list(kind.SUPPORTED_PARAMS)
    for key, value in arguments.items():
        if key not in supported:
            raise PartwiseError(
                f"{call.name} has no parameter {shown(key)}", f"it takes {', '.join(supported) or 'none'}"
            )
        wanted = kind.SUPPORTED_PARAMS[key].dtype
        if wanted is float and isinstance(value, int) and not isinstance(value, bool):
            arguments[key] = value = float(value)
        if wanted is int and isinstance(value, float) and value.is_integer():
            arguments[key] = value = int(value)
        if key in ("cutoff", "rel") and not (isinstance(value, int) and value >= 1):
            raise PartwiseError(
                f"{call.name}: {key} is {shown(format_value(value))}", "it must be a whole number from 1"
            )
    return from_object(kind(**arguments))


def from_object(inner: Any) -> _DocumentMeasure:
    """A measure of ir_measures, once it is known that it can be computed."""
    import ir_measures

    pipeline: Any = ir_measures.DefaultPipeline
    try:
        inner = ir_measures.parse_measure(str(inner)) if isinstance(inner, type) else inner
        inner.validate_params()
        missing = None
    except AssertionError as error:
        missing = str(error).split("<")[0].rstrip("= ")
    if missing is not None:
        at = getattr(type(inner), "AT_PARAM", None)
        remedy = f"write {inner.NAME}@10" if at == "cutoff" and missing.endswith("cutoff") else "see its documentation"
        raise PartwiseError(f"{inner.NAME}: {missing}", remedy)
    if not pipeline.supports(inner):
        raise PartwiseError(
            f"{inner} cannot be computed with the packages installed", "install what ir_measures needs for it"
        )
    return _DocumentMeasure(inner)
