"""Findings: rules that are broken, how often, and the first examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from partwise.checks.rules import ERROR, INFO, RULES, WARNING
from partwise.formats.problems import RepeatedPassages, SkippedLines
from partwise.messages import Text, checks
from partwise.model import NONE, Ints, Source
from partwise.types import SEVERITIES, FindingRow, Severity

COLUMNS = ("severity", "rule", "count", "file", "run_id", "example")
EXAMPLES = 3


@dataclass(frozen=True)
class Finding:
    """A rule that is broken in one file: its severity, how often, and the first examples.

    `severity` is ``error``, ``warning`` or ``info``.
    """

    severity: Severity
    rule: str
    count: int
    file: str
    run_id: str
    examples: tuple[str, ...]

    def row(self) -> FindingRow:
        """The finding as a row, with its first example."""
        return {
            "severity": self.severity,
            "rule": self.rule,
            "count": self.count,
            "file": self.file,
            "run_id": self.run_id,
            "example": self.examples[0],
        }

    def full_row(self) -> dict[str, Any]:
        """The row with all examples."""
        return {**dict(zip(COLUMNS, self._start(), strict=False)), "examples": list(self.examples)}

    def _start(self) -> tuple[Any, ...]:
        return self.severity, self.rule, self.count, self.file, self.run_id


class Findings(list[Finding]):
    """The findings of a check: assessments first, then run by run, errors before warnings."""

    columns: ClassVar[tuple[str, ...]] = COLUMNS

    @property
    def fine(self) -> bool:
        """Whether there are no errors or warnings."""
        return all(finding.severity == INFO for finding in self)

    def rows(self) -> list[FindingRow]:
        """``severity, rule, count, file, run_id, example`` of each finding, with its first example."""
        return [finding.row() for finding in self]

    def summary(self) -> str:
        """The number of errors and warnings, counted as rules that are broken."""
        if self.fine:
            return checks.NOTHING_SUSPICIOUS.note()
        counts = Counter(finding.severity for finding in self)
        return f"{checks.ERRORS.note(count=counts[ERROR])}, {checks.WARNINGS.note(count=counts[WARNING])}"


class Notebook:
    """Collects findings about one source."""

    def __init__(self, source: Source, task: str | None, run_id: str = "") -> None:
        self.source, self.task, self.run_id = source, task, run_id
        self.counts: Counter[str] = Counter()
        self.examples: dict[str, list[tuple[int, str]]] = {}

    def add(self, rule: str, lines: Ints, message: Callable[[int], Text]) -> None:
        """Add a finding at each of these lines (NONE: the whole file); `message` returns the text of the i-th."""
        if not len(lines) or RULES[rule].severity(self.task) is None:
            return
        self.counts[rule] += len(lines)
        examples = self.examples.setdefault(rule, [])
        for i in np.argsort(lines, kind="stable")[:EXAMPLES].tolist():
            line = int(lines[i])
            examples.append((line, str(self.source.error(message(i), line=None if line == NONE else line))))

    def add_messages(self, rule: str, messages: Sequence[tuple[int, Text]]) -> None:
        """Add findings that are lines with their messages."""
        self.add(rule, np.array([line for line, _ in messages], np.int64), lambda i: messages[i][1])

    def add_notes(self, notes: Sequence[str]) -> None:
        for note in notes:
            if isinstance(note, (SkippedLines, RepeatedPassages)):
                rule = "bad-line" if isinstance(note, SkippedLines) else "repeated-passage"
                self.counts[rule] += len(note.errors)
                examples = [(error.line or 0, str(error)) for error in note.errors[:EXAMPLES]]
                self.examples.setdefault(rule, []).extend(examples)
            else:
                self.counts["note"] += 1
                self.examples.setdefault("note", []).append((0, note))

    def findings(self) -> list[Finding]:
        findings = []
        for name, rule in RULES.items():
            severity = rule.severity(self.task)
            if self.counts[name] and severity is not None:
                examples = tuple(text for _, text in sorted(self.examples[name], key=lambda item: item[0])[:EXAMPLES])
                findings.append(Finding(severity, name, self.counts[name], self.source.name, self.run_id, examples))
        return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))
