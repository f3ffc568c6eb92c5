"""A gate: may a change be merged? Rules on the means of measures, checked for scores of a baseline and of a change.

A *floor* is the worst mean that is accepted. A *maximal drop* is how much worse than the baseline a mean may be. *No
loss* fails if the one-sided randomisation test shows a loss at a level; as a pass is no proof, it comes with the
smallest loss that as many queries would show. Where lower values are better, worse means higher.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from partwise.errors import PartwiseError, shown, visible
from partwise.measures import better_of, parse
from partwise.messages import gate as messages
from partwise.model import ALL, Block, Floats, Scores
from partwise.records import record
from partwise.showing import markdown_text
from partwise.study import statistics
from partwise.study.detection import smallest_detectable
from partwise.study.findings import Findings, Row, check_whole
from partwise.study.gate_rules import EVERY, Rule
from partwise.study.matrix import EQUAL
from partwise.study.significance import fewest_queries, one_sided_test

Result = Literal["pass", "fail", "undecided"]


@record()
class Check:
    """A rule applied to a run, over all queries or in one slice; what is not known or does not apply is None."""

    rule: Rule
    of_slice: str
    run_id: str
    result: Result
    reason: str
    baseline: float | None
    value: float
    drop: float | None
    """How much worse the change is, negative if it is better."""
    limit: float
    queries: int
    p: float | None = None
    detectable: float | None = None

    @property
    def name(self) -> str:
        """The rule, with the slice to which it is applied if it is for every slice."""
        rule = self.rule
        return rule.name if rule.of_slice != EVERY else rule.name.replace(f"{EVERY}: ", f"{self.of_slice}: ", 1)


@record(repr=False)
class Gate(Findings):
    """The result of `gate`: a check for each rule (and slice, and run); `passed` says whether none failed."""

    labels: ClassVar[int] = 6
    checks: Sequence[Check]
    notes: Sequence[str]

    def __repr__(self) -> str:
        return f"{super().__repr__()}: {self.summary}"

    @property
    def passed(self) -> bool:
        return not self.failed

    @property
    def failed(self) -> list[Check]:
        """The checks that failed."""
        return [check for check in self.checks if check.result == "fail"]

    @property
    def summary(self) -> str:
        """Whether the change may be merged, in a line."""
        count = {result: sum(check.result == result for check in self.checks) for result in ("pass", "undecided")}
        values = {"passed": count["pass"], "total": len(self.checks), "undecided": count["undecided"]}
        if self.failed:
            return messages.DO_NOT_MERGE.note(failed=len(self.failed), total=len(self.checks))
        return (messages.MERGE_UNDECIDED if count["undecided"] else messages.MERGE).note(**values)

    def rows(self) -> list[Row]:
        """A row per check: the rule, the result and why, and the numbers."""
        return [
            {
                "rule": check.rule.kind,
                "measure": check.rule.measure,
                "slice": check.of_slice,
                "run_id": check.run_id,
                "result": check.result,
                "reason": check.reason,
                "baseline": check.baseline,
                "value": check.value,
                "drop": check.drop,
                "limit": check.limit,
                "queries": check.queries,
                "p": check.p,
                "detectable": check.detectable,
            }
            for check in self.checks
        ]

    def tables(self) -> list[tuple[str, list[Row]]]:
        several = len({check.run_id for check in self.checks}) > 1
        rows: list[Row] = []
        for check in self.checks:
            run = {"run": check.run_id} if several else {}
            rows.append(
                {"result": check.result, "rule": check.name, **run, "queries": check.queries, "why": check.reason}
            )
        return [(self.summary, rows)]

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON: ``passed``, ``summary``, ``rules`` (the rows) and ``notes``."""
        return {"passed": self.passed, "summary": self.summary, "rules": self.rows(), "notes": list(self.notes)}

    def junit(self) -> str:
        """JUnit XML with a test case per check; one that cannot be decided is skipped."""
        from xml.etree import ElementTree

        counts = {
            "tests": len(self.checks),
            "failures": len(self.failed),
            "errors": 0,
            "skipped": sum(check.result == "undecided" for check in self.checks),
        }
        attributes = {name: str(count) for name, count in counts.items()}
        root = ElementTree.Element("testsuites", attributes)
        suite = ElementTree.SubElement(root, "testsuite", {"name": "partwise gate", **attributes, "time": "0"})
        for check in self.checks:
            about = {
                "classname": f"partwise.gate.{check.rule.kind}",
                "name": visible(self.check_name(check)),
                "time": "0",
            }
            case = ElementTree.SubElement(suite, "testcase", about)
            if check.result != "pass":
                tag = "failure" if check.result == "fail" else "skipped"
                problem = ElementTree.SubElement(case, tag, {"message": visible(check.reason), "type": check.rule.kind})
                problem.text = visible(f"{check.name}: {check.reason}")
            else:
                ElementTree.SubElement(case, "system-out").text = visible(check.reason)
        ElementTree.indent(root)
        return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n"

    def check_name(self, check: Check) -> str:
        """The name of a `check`: its rule, and its run if there are several."""
        several = len({check.run_id for check in self.checks}) > 1
        return f"{check.name} ({check.run_id})" if several else check.name

    def markdown(self) -> str:
        """A table for people, as GitHub shows it in the summary of a job."""
        lines = [
            f"### partwise gate: {markdown_text(self.summary)}",
            "",
            "| | rule | queries | why |",
            "|---|---|--:|---|",
        ]
        marks = {"pass": "✅ pass", "fail": "❌ fail", "undecided": "⚠️ undecided"}
        for check in self.checks:
            cells = (
                marks[check.result],
                f"`{_code(self.check_name(check))}`",
                str(check.queries),
                markdown_text(check.reason),
            )
            lines.append(f"| {' | '.join(cells)} |")
        lines += [f"\n- note: {markdown_text(note)}" for note in self.notes]
        return "\n".join(lines) + "\n"


def _code(text: str) -> str:
    return visible(text).replace("`", "'").replace("|", "\\|")


def gate(
    baseline: Scores | None,
    change: Scores,
    rules: Sequence[Rule],
    *,
    by: str | Mapping[str, Any] | None = None,
    bins: int | None = None,
    seed: int = 0,
) -> Gate:
    """Check the rules. `by` and `bins` choose the slices of rules about slices, as in `Scores.by`."""
    check_whole("seed", seed, 0)
    of_slices: list[Mapping[str, Scores]] = [{}, {}]
    notes: list[str] = []
    if by is not None and all(rule.of_slice is None for rule in rules):
        raise PartwiseError(messages.UNUSED_SLICES())
    if by is not None:
        sliced = [None if scores is None else scores.by(by, bins=bins) for scores in (baseline, change)]
        of_slices = [{} if one is None else one for one in sliced]
        notes += [] if sliced[1] is None else sliced[1].notes
    checks: list[Check] = []
    for rule in rules:
        if rule.compares and baseline is None:
            raise PartwiseError(messages.NO_BASELINE(rule=rule.name))
        groups: list[tuple[str, Scores | None, Scores]] = [(ALL, baseline, change)]
        if rule.of_slice is not None:
            if by is None:
                raise PartwiseError(messages.NO_SLICES(rule=rule.name))
            names = list(of_slices[1]) if rule.of_slice == EVERY else [rule.of_slice]
            for name in names:
                if name not in of_slices[1] or (baseline is not None and name not in of_slices[0]):
                    raise PartwiseError(
                        messages.NO_SLICE(rule=rule.name, name=shown(name), names=", ".join(of_slices[1]))
                    )
            groups = [(name, of_slices[0].get(name), of_slices[1][name]) for name in names]
        for name, before, after in groups:
            for run_id, first, second in _blocks(rule, before, after):
                checks.append(_checked(rule, name, run_id, first, second, seed))
    return Gate(checks, tuple(notes))


def _blocks(rule: Rule, before: Scores | None, after: Scores) -> list[tuple[str, Block | None, Block]]:
    """The values of the rule's measure, by run: of the baseline, if there is one, and of the change."""
    blocks = {block.run_id: block for block in after.blocks if block.measure == _measure(rule, after)}
    if before is None:
        return [(run_id, None, block) for run_id, block in blocks.items()]
    others = {block.run_id: block for block in before.blocks if block.measure == _measure(rule, before)}
    if len(blocks) == 1 and len(others) == 1:
        [(run_id, block)], [other] = blocks.items(), others.values()
        return [(run_id, other, block)]
    for run_id in (*blocks, *others):
        if run_id not in blocks or run_id not in others:
            raise PartwiseError(messages.OTHER_RUNS(run=shown(run_id)))
    return [(run_id, others[run_id], block) for run_id, block in blocks.items()]


def _measure(rule: Rule, scores: Scores) -> str:
    """The name under which scores have the measure of a rule."""
    if rule.measure in scores.measures:
        return rule.measure
    name = parse(rule.measure).name
    if name not in scores.measures:
        raise PartwiseError(messages.NO_MEASURE(rule=rule.name, measures=", ".join(scores.measures)))
    return name


def _check_limit(rule: Rule, scores: Iterable[float]) -> None:
    """Raise an error if no scores from 0 to 1 could break the rule, or keep it: perhaps 2% was written as 2."""
    if any(score < -EQUAL or score > 1 + EQUAL for score in scores):
        return
    if rule.kind == "floor" and not 0 <= rule.limit <= 1:
        raise PartwiseError(messages.OUTSIDE(rule=rule.name, measure=rule.measure))
    if rule.kind == "max-drop" and not rule.is_relative and rule.limit >= 1:
        raise PartwiseError(messages.NEVER_FAILS(rule=rule.name, measure=rule.measure, percent=rule.limit))


def _checked(rule: Rule, of_slice: str, run_id: str, before: Block | None, after: Block, seed: int) -> Check:
    values = _values(rule, after)
    mean = after.aggregated(list(values.values()))
    is_lower = better_of(after.measure) == "lower"
    _check_limit(rule, values.values() if before is None else (*values.values(), *_values(rule, before).values()))
    if before is None:
        result, reason = _floor(rule.limit, mean, is_lower)
        return Check(rule, of_slice, run_id, result, reason, None, mean, None, rule.limit, len(values))
    others = _values(rule, before)
    if values.keys() != others.keys():
        [query, *_] = sorted(values.keys() ^ others.keys())
        counts = {"before": len(others), "after": len(values)}
        raise PartwiseError(messages.OTHER_QUERIES(rule=rule.name, **counts, query=shown(query)))
    mean_before = before.aggregated(list(others.values()))
    drop = _without_rounding(mean - mean_before if is_lower else mean_before - mean)
    common: dict[str, Any] = {"baseline": mean_before, "value": mean, "drop": drop, "queries": len(values)}
    if rule.kind == "floor":
        result, reason = _floor(rule.limit, mean, is_lower)
        return Check(rule, of_slice, run_id, result, reason, **common, limit=rule.limit)
    if rule.kind == "max-drop":
        limit = rule.limit * abs(mean_before) if rule.is_relative else rule.limit
        result = "fail" if drop > limit + EQUAL else "pass"
        reason = _change(drop, mean_before, mean)
        if drop > 0:
            message = messages.TOO_MUCH_WORSE if result == "fail" else messages.WORSE
            reason = message.note(change=drop, before=mean_before, after=mean, limit=limit)
        return Check(rule, of_slice, run_id, result, reason, **common, limit=limit)
    queries = sorted(values)  # so that their order in a file does not change the random numbers
    first, second = (np.array([of[query] for query in queries]) for of in (others, values))
    pair = np.stack([second, first] if is_lower else [first, second])
    loss = statistics.differences(pair, np.array([0]), np.array([1]))[0]
    result, reason, p, detectable = _no_loss(loss, rule.limit, _change(drop, mean_before, mean), seed)
    return Check(rule, of_slice, run_id, result, reason, **common, limit=rule.limit, p=p, detectable=detectable)


def _values(rule: Rule, block: Block) -> dict[str, float]:
    values = dict(block.by_query())
    for query, value in values.items():
        if not math.isfinite(value):
            raise PartwiseError(messages.NO_VALUE(rule=rule.name, query=shown(query)))
    if not values:
        raise PartwiseError(messages.NOTHING_SCORED(rule=rule.name))
    return values


def _without_rounding(difference: float) -> float:
    return 0.0 if abs(difference) <= EQUAL else difference


def _floor(limit: float, mean: float, is_lower: bool) -> tuple[Result, str]:
    if is_lower:
        fails = mean > limit + EQUAL
        return ("fail" if fails else "pass"), (messages.TOO_HIGH if fails else messages.LOW_ENOUGH).note(
            after=mean, limit=limit
        )
    fails = mean < limit - EQUAL
    return ("fail" if fails else "pass"), (messages.TOO_LOW if fails else messages.HIGH_ENOUGH).note(
        after=mean, limit=limit
    )


def _change(drop: float, before: float, after: float) -> str:
    if drop == 0:
        return messages.SAME.note(after=after)
    message = messages.LOSS if drop > 0 else messages.BETTER
    return message.note(change=abs(drop), before=before, after=after)


def _no_loss(loss: Floats, level: float, change: str, seed: int) -> tuple[Result, str, float | None, float | None]:
    """The result of the test, the reason, the p-value and the smallest loss that would be found."""
    count, needed = len(loss), fewest_queries(level)
    if count < needed:
        reason = f"{change}; {messages.TOO_FEW.note(count=count, level=level, needed=needed)}"
        return "undecided", reason, None, None
    p = float(one_sided_test(loss[None, :], level, seed)[0])
    detectable = smallest_detectable(loss, level, seed)
    size = None if detectable is None else detectable.size
    if p <= level:
        return "fail", messages.SIGNIFICANT.note(change=change, p=p, level=level), p, size
    about: str = messages.NO_SPREAD.note()
    if detectable is not None:
        about = messages.DETECTABLE.note(queries=count, size=size, power=detectable.power)
    return "pass", messages.NOT_SIGNIFICANT.note(change=change, p=p, level=level, detectable=about), p, size
