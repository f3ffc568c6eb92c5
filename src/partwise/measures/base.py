"""The base class of measures: declared parameters, the tables they read, and a formula."""

from __future__ import annotations

import inspect
import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from partwise import later
from partwise.errors import PartwiseError
from partwise.messages import measures as messages
from partwise.model import Bools, Floats
from partwise.parameters import Param, Parameterised, format_value
from partwise.tables import Condensed, Facts, Key, Tables, chosen_values, exact_sum
from partwise.types import MeasureKind

INEX_2007 = "Pehcevski et al. 2007, INEX 2007 Evaluation Measures"
SURVEY = "Pehcevski and Piwowarski 2009, Evaluation Metrics for Structured Text Retrieval"
OURS = "partwise"


class Measure(Parameterised):
    """A measure: one number per query, computed from the tables it needs.

    The first line of the docstring describes it to users; the whole docstring is its documentation page.
    """

    paper: ClassVar[str] = OURS
    better: ClassVar[str] = "higher"
    kind: ClassVar[MeasureKind] = "text"
    """What it scores: documents, the text that results cover, or parts such as elements."""
    counts_absent: ClassVar[bool] = False
    """Whether judged queries without results are scored even where means are over the queries of the run."""
    counts_text: ClassVar[bool] = False
    """Whether its value without a cutoff depends on the text of results and not on how many they are.

    Neighbouring results in documents that are not judged for the query can then be joined to one of their length.
    """
    for_passages: ClassVar[str] = ""
    """The argument with which a measure of elements counts any text; empty if there is none."""

    @abstractmethod
    def needs(self) -> Sequence[Key]:
        """The tables that `score` is called with, in this order."""

    @abstractmethod
    def score(self, *tables: Any) -> Floats:
        """One number per query of the batch.

        - `tables`: the tables that `needs` names.
        """

    def scored(self, *tables: Any) -> Bools:
        """Which queries are scored: those with a relevant part, as the first table defines it.

        - `tables`: the tables that `needs` names.
        """
        scored: Bools = tables[0].scored
        return scored

    def together(self) -> Together | None:
        """How this measure is scored together with others that read the same table; None if it is scored alone."""
        return None

    def resolved(self, facts: Facts) -> Measure:
        """This measure with the defaults that depend on the assessments filled in, so that they are in its name.

        - `facts`: what is known of the assessments.
        """
        return self

    @property
    def _is_ours(self) -> bool:
        """Whether its declarations can be relied on: a user's measure derived from one of ours may score otherwise."""
        return type(self).__module__.startswith("partwise.")

    @property
    def results_used(self) -> int | None:
        """The number of results of a list, from the first, that can change the value; None if all can."""
        if not self._is_ours or self._values.get("judged_only"):  # the results left out are not counted
            return None
        numbers = [self._values[name] for name, param in self.params.items() if param.of_results]
        return min((number for number in numbers if number is not None), default=None)

    @property
    def joins_unjudged(self) -> bool:
        """Whether neighbouring results in documents that are not judged can be joined without changing the value."""
        return self._is_ours and self.counts_text and self.results_used is None and not self._values.get("pack")

    def aggregate(self, values: Sequence[float]) -> float:
        """One number for all queries; by default the mean.

        - `values`: the values of the queries.
        """
        try:
            total = exact_sum(values) if isinstance(values, np.ndarray) else math.fsum(values)
            return total / len(values)
        except OverflowError:  # the sum is too large for a float, but not the mean
            return math.fsum(value / len(values) for value in values)

    def completed(self) -> Measure:
        """This measure; an error if a required parameter has no value."""
        param = self.missing()
        if param is not None:
            raise PartwiseError(
                messages.MISSING_PARAMETER(owner=self.name, name=param.name, example=_example(self, param))
            )
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return later.measures.unfinished, (self.name,)

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring."""
        return inspect.cleandoc(cls.__doc__ or "").split("\n")[0]

    @property
    def meaning(self) -> str:
        """The description of this measure in one line."""
        return self.summary()

    @classmethod
    def signature(cls) -> str:
        """The name with the parameters and their defaults: ``iP(alpha=1)@recall``."""
        inside = ", ".join(
            p.name if p.default is None else f"{p.name}={format_value(p.default)}"
            for p in cls.params.values()
            if not p.at
        )
        at = cls.at_param()
        cutoff = "" if at is None else f"@{at.name}" if at.required else f"[@{at.name}]"
        return f"{cls.__name__}{f'({inside})' if inside else ''}{cutoff}"

    @classmethod
    def page(cls) -> str:
        """The documentation page: signature, docstring, what `partwise.reference` says, parameters, paper."""
        lines = [cls.signature(), "", inspect.cleandoc(cls.__doc__ or ""), ""]
        entry = later.reference.of_measure(cls)
        if entry is not None:
            lines += [*entry.lines(), ""]
        lines += parameter_lines(cls)
        if cls.aliases:
            lines.append(f"Also called: {', '.join(cls.aliases)}")
        lines += [
            f"Scores: {cls.kind}",
            f"Better: {cls.better}",
            later.reference.wrapped(f"Paper: {later.reference.cited(cls.paper)}"),
        ]
        return "\n".join(lines)


def parameter_lines(kind: type[Parameterised]) -> list[str]:
    """The parameters of a measure, or of a value of one, as plain text."""
    lines = ["Parameters:"] if kind.params else []
    for param in kind.params.values():
        name = f"@{param.name}" if param.at else param.name
        lines.append(f"  {name}: {param.expected()}{_default(param)}. {param.help}".rstrip())
    return lines


class Together(NamedTuple):
    """How measures that differ in one value are scored together, which takes less time than one by one.

    `compute` takes the table of this key and the values of the measures, which ascend, and returns a row of scores for
    each, which equal those of `Measure.score`.
    """

    key: Key
    compute: Callable[[Any, Sequence[Any]], Floats]
    value: Any


class Plan(NamedTuple):
    """How a measure is scored again and again: its name, and the tables that it needs."""

    measure: Measure
    name: str
    keys: Sequence[Key]

    def score(self, tables: Tables) -> tuple[Bools, Floats]:
        """Which queries of a batch are scored, and the values of these."""
        needed = [tables.get(key) for key in self.keys]
        scored = self.measure.scored(*needed)
        scores, has_nan = chosen_values(self.measure.score(*needed), scored)
        if has_nan:
            raise RuntimeError(f"{self.name} returned a value that is not a number")
        return scored, scores

    def aggregate(self, values: Floats) -> float:
        """One number for all queries; a measure that has its own way gets a list."""
        is_mean = type(self.measure).aggregate is Measure.aggregate
        return self.measure.aggregate(values if is_mean else values.tolist())  # type: ignore[arg-type]


def plans_of(measures: Sequence[Measure]) -> list[Plan]:
    """How these measures are scored; those that need the same table have the same key for it."""
    shared: dict[Key, Key] = {}
    plans = []
    for measure in measures:
        keys = [shared.setdefault(key, key) for key in measure.needs()]
        plans.append(Plan(measure, measure.name, keys))
    return plans


class Step(NamedTuple):
    """Measures that are scored together, by their numbers, or one alone."""

    numbers: Sequence[int]
    plan: Plan
    """That of the first of them."""
    together: Together | None
    """The same; None if it is alone."""
    values: Sequence[Any]

    @classmethod
    def alone(cls, number: int, plan: Plan) -> Step:
        return cls([number], plan, None, ())

    def score(self, tables: Tables) -> tuple[Bools, Sequence[Floats]]:
        """Which queries of a batch are scored, and the values of these for each of the measures."""
        if self.together is None:
            scored, scores = self.plan.score(tables)
            return scored, [scores]
        table = tables.get(self.together.key)
        rows = self.together.compute(table, self.values)
        return table.scored, list(rows if table.scored.all() else rows[:, table.scored])


def steps_of(plans: Sequence[Plan]) -> list[Step]:
    """The order in which measures are scored, some of them together."""
    groups: dict[Any, list[tuple[Any, int, Together | None]]] = {}
    for number, plan in enumerate(plans):
        together = plan.measure.together() if plan.measure._is_ours else None
        group, value = (number, None) if together is None else (together[:2], together.value)
        groups.setdefault(group, []).append((value, number, together))
    steps = []
    for members in groups.values():
        values, numbers, together_of = zip(*sorted(members), strict=True)
        if len(members) == 1:
            steps.append(Step.alone(numbers[0], plans[numbers[0]]))
        else:
            steps.append(Step(numbers, plans[numbers[0]], together_of[0], values))
    return steps


def _default(param: Param[Any]) -> str:
    if param.required:
        return ", required"
    return "" if param.default is None else f", default {format_value(param.default)}"


def _example(measure: Measure, param: Param[Any]) -> str:
    value = format_value(param.example if param.example is not None else param.low)
    return f"{measure.name}@{value}" if param.at else f"{type(measure).__name__}({param.name}={value})"


def cutoff_param(counted: str = "results") -> Param[Any]:
    """The rank cutoff of most measures."""
    meaning = f"how many {counted} count; without it the whole list"
    return Param(int, at=True, default=None, low=1, help=meaning, of_results=counted == "results")


def budget_param() -> Param[float | None]:
    return Param(
        float,
        default=None,
        above=0,
        help="read this many characters, or of what is counted, instead of a number of results; the last part is cut",
    )


def pack_param() -> Param[bool]:
    return Param(
        bool, default=False, help="with a budget: read whole parts, and stop before the first that does not fit"
    )


def judged_only_param() -> Param[bool]:
    return Param(bool, default=False, help="leave out results in documents that are not judged for the query")


def rel_param() -> Param[int]:
    return Param(int, default=1, low=1, help="passages of a lower grade are not relevant")


def as_asked(measure: Any, *keys: Key) -> Sequence[Key]:
    """The keys of tables, of the results in judged documents alone if the measure has judged_only."""
    return [Condensed(key) for key in keys] if measure.judged_only else keys


def check_budget(measure: Any) -> None:
    """Raise an error if a measure has both a budget and a cutoff, or pack without a budget."""
    owner = type(measure).__name__
    if measure.budget is not None and measure.cutoff is not None:
        raise PartwiseError(messages.BUDGET_AND_CUTOFF(owner=owner))
    if measure.pack and measure.budget is None:
        raise PartwiseError(messages.PACK_WITHOUT_BUDGET(owner=owner))
