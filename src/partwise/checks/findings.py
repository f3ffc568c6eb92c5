"""What was found: how often, and the first examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from partwise.checks.rules import ERROR, INFO, ODD, RULES, SEVERITIES
from partwise.formats.problems import SkippedLines
from partwise.model import NONE, Ints, Source

COLUMNS = ("severity", "rule", "count", "file", "run_id", "example")
EXAMPLES = 3


@dataclass(frozen=True)
class Finding:
    """Something wrong (`error`), odd (`odd`) or worth knowing (`info`): how often, and the first examples."""

    severity: str
    rule: str
    count: int
    file: str
    run_id: str
    examples: tuple[str, ...]

    def row(self) -> dict[str, Any]:
        return dict(zip(COLUMNS, (*self._start(), self.examples[0]), strict=True))

    def full_row(self) -> dict[str, Any]:
        """The same with all examples."""
        return {**dict(zip(COLUMNS, self._start(), strict=False)), "examples": list(self.examples)}

    def _start(self) -> tuple[Any, ...]:
        return self.severity, self.rule, self.count, self.file, self.run_id


class Findings(list[Finding]):
    """What a check found: assessments first, then run by run, the severe before the odd."""

    columns: ClassVar[tuple[str, ...]] = COLUMNS

    @property
    def fine(self) -> bool:
        """Whether nothing is wrong or odd; what is only worth knowing does not count."""
        return all(finding.severity == INFO for finding in self)

    def rows(self) -> list[dict[str, Any]]:
        """``severity, rule, count, file, run_id, example`` of each, with the first example."""
        return [finding.row() for finding in self]

    def summary(self) -> str:
        if self.fine:
            return "nothing odd"
        counts = Counter(finding.severity for finding in self)
        errors = f"{counts[ERROR]} {'rule' if counts[ERROR] == 1 else 'rules'} broken"
        return f"{errors}, {counts[ODD]} odd"


class Notebook:
    """Collects findings about one source."""

    def __init__(self, source: Source, task: str | None, run_id: str = "") -> None:
        self.source, self.task, self.run_id = source, task, run_id
        self.counts: Counter[str] = Counter()
        self.examples: dict[str, list[tuple[int, str]]] = {}

    def add(self, rule: str, lines: Ints, told: Callable[[int], str]) -> None:
        """A finding at each of these lines (NONE: of the file as a whole); `told` says the i-th in words."""
        if not len(lines) or RULES[rule].severity(self.task) is None:
            return
        self.counts[rule] += len(lines)
        known = self.examples.setdefault(rule, [])
        for i in np.argsort(lines, kind="stable")[:EXAMPLES].tolist():
            line = int(lines[i])
            known.append((line, str(self.source.error(told(i), line=None if line == NONE else line))))

    def add_told(self, rule: str, told: Sequence[tuple[int, str]]) -> None:
        """Findings that are lines and their words."""
        self.add(rule, np.array([line for line, _ in told], np.int64), lambda i: told[i][1])

    def add_notes(self, notes: Sequence[str]) -> None:
        for note in notes:
            if isinstance(note, SkippedLines):
                self.counts["bad-line"] += len(note.errors)
                found = [(error.line or 0, str(error)) for error in note.errors[:EXAMPLES]]
                self.examples.setdefault("bad-line", []).extend(found)
            else:
                self.counts["note"] += 1
                self.examples.setdefault("note", []).append((0, note))

    def findings(self) -> list[Finding]:
        found = []
        for name, rule in RULES.items():
            severity = rule.severity(self.task)
            if self.counts[name] and severity is not None:
                examples = tuple(text for _, text in sorted(self.examples[name], key=lambda item: item[0])[:EXAMPLES])
                found.append(Finding(severity, name, self.counts[name], self.source.name, self.run_id, examples))
        return sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))
