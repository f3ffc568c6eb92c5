"""Document measures: those of ir_measures, which computes them on the ranked documents."""

from __future__ import annotations

import contextlib
import inspect
import math
import os
import re
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from partwise.errors import CannotScore, PartwiseError, shown
from partwise.measures.base import Measure
from partwise.messages import measures as messages
from partwise.model import Bools, Floats
from partwise.parameters import Call, format_value
from partwise.tables import Key
from partwise.tables.documents import Documents, DocumentsTable


def known_names() -> list[str]:
    """The names of the measures of ir_measures, without those that partwise registers there."""
    import ir_measures

    return sorted(name for name, kind in ir_measures.measures.registry.items() if not hasattr(kind, "of_partwise"))


class _DocumentMeasure(Measure):
    """A measure of ir_measures.

    A document's rank is that of its first part; its relevance is its grade in TREC qrels, else 1 if it has highlighted
    text or a relevant element. The mean is that of ir_measures: a judged query with nothing relevant counts as 0.
    """

    paper = "ir_measures"
    kind = "documents"

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
        values = self._by_query(documents)
        return np.array([values.get(query, 0.0) for query in documents.query_names], np.float64)

    def scored(self, documents: DocumentsTable) -> Bools:
        """The queries that ir_measures scores, nearly all: 0 without results or without a relevant document."""
        values = self._by_query(documents)
        return np.array([query in values for query in documents.query_names], np.bool_)

    def _by_query(self, documents: DocumentsTable) -> dict[str, float]:
        if self.name not in documents.values:
            documents.values[self.name] = self._computed(documents)
        return documents.values[self.name]

    def _computed(self, documents: DocumentsTable) -> dict[str, float]:
        import ir_measures

        printed: list[str] = []
        try:
            with _one_at_a_time, _capturing(self.inner, printed):
                evaluator = ir_measures.evaluator([self.inner], documents.qrels)
                return {metric.query_id: metric.value for metric in evaluator.iter_calc(documents.ranking)}
        except MemoryError:
            raise
        except Exception as error:
            reason = printed[-1] if printed else str(error).split("\n")[0]
            raise CannotScore(messages.FAILED(measure=self.name, error=type(error).__name__, reason=reason)) from None

    def aggregate(self, values: Sequence[float]) -> float:
        if type(self.inner.aggregator()).__name__ == "MeanAgg":
            return super().aggregate(values)
        aggregator = self.inner.aggregator()
        for value in values:
            aggregator.add(value)
        return float(aggregator.result())


_SILENT = ("pytrec_eval", "compat", "judged", "msmarco", "accuracy", "runtime")
"""The providers of ir_measures that compute in this process and print nothing."""
_one_at_a_time = threading.Lock()
"""Measures of ir_measures are computed one after another.

trec_eval keeps the measure it computes in memory of the process. pytrec_eval holds the GIL, but it makes Python objects
meanwhile: if the garbage collector then calls Python code, another thread may go on, and change that memory.
"""


@contextlib.contextmanager
def _capturing(inner: Any, printed: list[str]) -> Iterator[None]:
    """Collect the lines that the programs and C code of a measure print, which would go between those of partwise.

    If the measure fails, the last line is the reason; otherwise they are dropped (a program may warn about the locale).

    Standard output and error belong to the process, so they are redirected for as short as possible, and not at all
    for providers that print nothing.
    """
    import ir_measures

    pipeline: Any = ir_measures.DefaultPipeline
    provider = next((one for one in pipeline.providers if one.is_available() and one.supports(inner)), None)
    if provider is None or provider.NAME in _SILENT:
        yield
        return
    import sys
    import tempfile

    def flush() -> None:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()

    with tempfile.TemporaryFile() as file:
        try:
            flush()
            with contextlib.ExitStack() as redirected:
                for number in (1, 2):
                    _redirect(number, file.fileno(), redirected)
                redirected.callback(flush)
                yield
        finally:
            file.seek(0)
            lines = file.read().decode("utf-8", "backslashreplace").splitlines()
            printed += [line.strip() for line in lines if line.strip()]


def _redirect(number: int, to: int, until: contextlib.ExitStack) -> None:
    """Let an open file of the process, if it is open, be another one until the stack ends."""
    try:
        saved = os.dup(number)
    except OSError:
        return
    until.callback(os.close, saved)
    until.callback(os.dup2, saved, number)
    os.dup2(to, number)


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
    """The first sentence of the documentation of a measure."""
    return _plain(kind.__doc__).split("\n\n")[0].split(". ")[0]


_DBLP = "https://dblp.org/rec/"


def _plain(docstring: str | None) -> str:
    """A docstring of ir_measures without markup, one line per paragraph, with the addresses of papers."""
    paragraphs = []
    for block in re.split(r"\n\s*\n", inspect.cleandoc(docstring or "")):
        directive = re.match(r"\.\. (\S+)::\s*(\S*)", block)
        matches = (re.match(r"[ \t]+:(\w+):(.+)", line) for line in block.split("\n"))
        fields = {match[1]: match[2].strip() for match in matches if match}
        if directive and directive[1] == "cite.dblp":
            paragraphs.append(f"Paper: {_DBLP}{directive[2]}")
        elif directive and directive[1] == "cite":
            paragraphs.append(f"Paper: {' '.join(fields[name] for name in ('citation', 'link') if name in fields)}")
        elif not directive:
            paragraphs.append(re.sub(r"(?:(?<![:\w.]):[\w:.]+:)?(`{1,2})([^`]+)\1", r"\2", " ".join(block.split())))
    return "\n\n".join(paragraphs)


def _parameters(kind: Any) -> list[str]:
    """A line per parameter, in the style of `Measure.page`."""
    words = {int: "a whole number", float: "a number", bool: "True or False", str: "a word", dict: "a mapping"}
    lines = []
    for name, param in kind.SUPPORTED_PARAMS.items():
        kind_of_value = words.get(param.dtype, param.dtype.__name__)
        default = ", required" if param.required else ""
        if isinstance(param.default, (bool, int, float, str)):
            default = f", default {format_value(param.default)}"
        at = "@" if name == kind.AT_PARAM else ""
        lines.append(f"  {at}{name}: {kind_of_value}{default}. {param.desc}".rstrip(". "))
    return lines


def page(name: str) -> str:
    """The documentation page of a measure of ir_measures, and how documents are ranked for it."""
    import textwrap

    import ir_measures

    kind = ir_measures.measures.registry[name]
    parameters = _parameters(kind)
    own = inspect.cleandoc(_DocumentMeasure.__doc__ or "")
    description = "\n\n".join(
        textwrap.fill(part, 120, break_on_hyphens=False) for part in _plain(type(kind).__doc__).split("\n\n")
    )
    return "\n".join(
        [name, "", description, "", *(["Parameters:", *parameters, ""] if parameters else []), own, "Scores: documents"]
    )


# ---- names of trec_eval ---------------------------------------------------------------------------------------

_TREC_NAME = re.compile(r"(?P<base>\w+?)(?:[._]\d+(?:\.\d+)?)?")
_NOT_A_MEASURE = "runid"


def from_trec_name(name: str) -> list[_DocumentMeasure] | None:
    """The measures that trec_eval calls by this name, such as ``map`` or ``ndcg_cut_10``; None if there are none.

    The name of a family (``P``) or of a set (``official``) stands for several measures.
    """
    if name in _trec_sets():
        return [measure for member in _members(name) for measure in _of_trec(member) or ()]
    return _of_trec(name)


def left_out(name: str) -> list[str]:
    """The measures that trec_eval has in the set of this name, but ir_measures does not compute."""
    return [member for member in _members(name) if _of_trec(member) is None] if name in _trec_sets() else []


def trec_names() -> list[str]:
    """The names of measures and sets in trec_eval."""
    import pytrec_eval

    return sorted({*pytrec_eval.supported_measures, *_trec_sets()} - {_NOT_A_MEASURE})


def _trec_sets() -> dict[str, set[str]]:
    import pytrec_eval

    sets: dict[str, set[str]] = pytrec_eval.supported_nicknames
    return sets


def _members(name: str) -> list[str]:
    return sorted(_trec_sets()[name] - {_NOT_A_MEASURE})


def _of_trec(name: str) -> list[_DocumentMeasure] | None:
    import ir_measures

    match = _TREC_NAME.fullmatch(name)
    if match is None or re.search(r"_\d", match["base"]):  # ir_measures ignores what follows a number
        return None
    try:
        measures = ir_measures.parse_trec_measure(name)
    except ValueError:
        return None
    calls = [Call(str(one.NAME), one.params) for one in measures]
    return [measure for call in calls if (measure := from_call(call)) is not None]


def from_familiar_call(call: Call) -> _DocumentMeasure | None:
    """The measure that trec_eval or ranx calls by this name, with arguments: ``ndcg@10``, ``map(rel=2)``."""
    names = {_RANX[call.name]} if call.name in _RANX else {one.inner.NAME for one in _of_trec(call.name) or ()}
    return from_call(Call(names.pop(), call.arguments, call.at)) if len(names) == 1 else None


_RANX = {"precision": "P", "hit_rate": "Success", "mrr": "RR", "r_precision": "Rprec"}
"""Names of measures in ranx that neither trec_eval nor ir_measures has."""

_RANGES = {"recall": (0.0, 1.0, "a number from 0 to 1"), "beta": (0.0, math.inf, "a number from 0")}
"""The parameters of ir_measures that it does not check itself, with what they may be."""


def from_call(call: Call) -> _DocumentMeasure | None:
    """The measure of ir_measures with this name and these arguments; None if the name is unknown."""
    import ir_measures

    if call.name not in ir_measures.measures.registry:
        return None
    kind = ir_measures.measures.registry[call.name]
    arguments = dict(call.arguments)
    if call.at is not None:
        at = getattr(kind, "AT_PARAM", None)
        if at is None:
            raise PartwiseError(messages.NO_CUTOFF(owner=call.name, name=call.name, at=format_value(call.at)))
        if at in arguments:
            raise PartwiseError(messages.REPEATED_CUTOFF(owner=call.name, name=at))
        arguments[at] = call.at
    supported = list(kind.SUPPORTED_PARAMS)
    for key, value in arguments.items():
        if key not in supported:
            accepted = ", ".join(supported) or "none"
            raise PartwiseError(messages.UNKNOWN_PARAMETER(owner=call.name, name=shown(key), parameters=accepted))
        dtype = kind.SUPPORTED_PARAMS[key].dtype
        if dtype is float and isinstance(value, int) and not isinstance(value, bool):
            arguments[key] = value = float(value)
        if dtype is int and isinstance(value, float) and value.is_integer():
            arguments[key] = value = int(value)
        if key in ("cutoff", "rel") and not (isinstance(value, int) and value >= 1):
            text = shown(format_value(value))
            raise PartwiseError(
                messages.INVALID_VALUE(owner=call.name, name=key, value=text, expected="a whole number from 1")
            )
        expected = _RANGES.get(key)
        if expected is not None and isinstance(value, float) and not expected[0] <= value <= expected[1]:
            text = shown(format_value(value))
            raise PartwiseError(messages.INVALID_VALUE(owner=call.name, name=key, value=text, expected=expected[2]))
    return from_object(kind(**arguments))


def from_object(inner: Any) -> _DocumentMeasure:
    """The measure as one of partwise; an error if its parameters are wrong or no installed package computes it."""
    import ir_measures

    pipeline: Any = ir_measures.DefaultPipeline
    try:
        inner = ir_measures.parse_measure(str(inner)) if isinstance(inner, type) else inner
        inner.validate_params()
        reason = None
    except AssertionError as error:
        reason = str(error).split("<")[0].rstrip("= ")
    if reason is not None:
        if getattr(type(inner), "AT_PARAM", None) == "cutoff" and reason.endswith("cutoff"):
            raise PartwiseError(messages.INVALID_CUTOFF(measure=inner.NAME))
        raise PartwiseError(messages.REJECTED(measure=inner.NAME, reason=reason))
    if not pipeline.supports(inner):
        raise PartwiseError(messages.NOT_INSTALLED(measure=inner))
    return _DocumentMeasure(inner)
