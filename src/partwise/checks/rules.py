"""The table of rules, with their severity in each task."""

from __future__ import annotations

from dataclasses import dataclass

from partwise.resolving.faults import FAULTS, MOST_RESULTS
from partwise.types import CHECKED_TASKS, SEVERITIES, Severity

ERROR, WARNING, INFO = SEVERITIES


@dataclass(frozen=True)
class Rule:
    """A rule with its severity without a task and in each task (None: not checked).

    `about` is what it checks: ``run``, ``qrels`` or ``both``.
    """

    name: str
    about: str
    meaning: str
    severities: tuple[Severity | None, ...]

    def severity(self, task: str | None) -> Severity | None:
        """The severity in a task; one of a later year has the same rules, and one without rules counts as none."""
        names: tuple[str | None, ...] = (None, *CHECKED_TASKS)
        checked = None if task is None else task.removesuffix("-2009")
        return self.severities[names.index(checked) if checked in names else 0]


def _rule(name: str, about: str, severities: str, meaning: str) -> Rule:
    words = severities.split()
    words *= 1 + len(CHECKED_TASKS) if len(words) == 1 else 1
    by_word: dict[str, Severity] = {severity: severity for severity in SEVERITIES}
    return Rule(name, about, meaning, tuple(None if word == "-" else by_word[word] for word in words))


# severities: without a task, focused, thorough, relevant-in-context, best-in-context, rag
RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        _rule("bad-line", "both", "error", "a line that cannot be read; the other lines are checked without it"),
        _rule("note", "both", "info", "a note from reading the file"),
        _rule("no-order", "run", "error", "a result without rank or score in a query where others have one"),
        _rule("unknown-document", "run", "error", "a result in a document that is not in the collection"),
        _rule("unknown-path", "run", "error", "a result whose path does not exist in its document"),
        _rule(
            "past-end",
            "run",
            "warning error error error error error",
            "a part that extends past the end of its document",
        ),
        _rule(
            "not-placed",
            "run",
            "warning",
            "a chunk whose place is not known, which counts as irrelevant",
        ),
        _rule("text-elsewhere", "run", "error", "a result whose text is not at its offsets in the collection"),
        _rule("overlap", "run", "warning error - error - warning", "a result that shares text with an earlier one"),
        _rule(
            "repeat", "run", "warning error error error error warning", "a part that was already returned for the query"
        ),
        _rule("empty-part", "run", "warning error error error - error", "an empty part"),
        _rule("interleaved", "run", "info - - error - -", "a document whose results are not at adjacent ranks"),
        _rule("several-per-document", "run", "- - - - error -", "a second result in the same document"),
        _rule("too-many", "run", "info error error error error -", f"a query with more than {MOST_RESULTS} results"),
        _rule("unjudged-query", "run", "warning", "a query without judgements, which is not scored"),
        _rule("missing-query", "run", "warning", "a judged query without results, which scores 0"),
        _rule("rank-gap", "run", "warning", "a gap in the ranks, or a first rank above 1"),
        _rule("repeated-rank", "run", "warning", "a rank that occurs twice in a query"),
        _rule("rank-against-score", "run", "warning", "a score that is higher than that of the previous rank"),
        _rule("tie", "run", "warning", "a score equal to that of the previous result, if scores give the order"),
        _rule("unjudged-document", "run", "info", "a result in a document that is not judged for its query"),
        _rule("unlocated", "both", "info", "a path that is not checked because there is no collection"),
        _rule("unreadable-document", "both", "error", "a document of the collection that cannot be read"),
        _rule("judged-unknown-document", "qrels", "error", "a judged document that is not in the collection"),
        _rule("judged-unknown-path", "qrels", "error", "a judged path that does not exist in its document"),
        _rule("length-differs", "qrels", "error", "a document length that differs from the lengths or the collection"),
        _rule("passage-elsewhere", "qrels", "error", "a passage whose text is not at its offsets in the collection"),
        _rule(
            "passage-past-end",
            "qrels",
            "warning error error error error error",
            "a passage that extends past the end of its document",
        ),
        _rule("passage-overlap", "qrels", "warning", "a passage that shares text with an earlier one of its document"),
        _rule("repeated-passage", "qrels", "warning", "a row that judges a passage exactly as an earlier row does"),
        _rule("empty-passage", "qrels", "warning", "an empty passage, which is ignored"),
        _rule(
            "relevant-chars", "qrels", "warning", "a size of the relevant text that differs from that of the passages"
        ),
        _rule("no-highlights", "qrels", "info error error error error error", "assessments without any passage"),
        _rule("nothing-relevant", "qrels", "warning", "a query with nothing relevant, which is not scored"),
        _rule(
            "grade-without-highlight", "qrels", "warning", "a relevant document without a passage, if others have some"
        ),
        _rule("grade-against-highlight", "qrels", "warning", "a passage in a document with a non-relevant grade"),
        _rule("no-scale", "qrels", "error", "graded elements without the name of their scale"),
        _rule("off-scale", "qrels", "error", "grades that are not on the scale"),
        _rule("no-bep", "qrels", "- - - - error -", "a relevant document without a best entry point"),
        _rule("constant-bep", "qrels", "warning info info info error info", "best entry points that are all the same"),
        _rule("bep-outside", "qrels", "warning info info info error info", "a best entry point outside its document"),
        _rule("single-alternative", "qrels", "info", "a nugget with one passage, if other nuggets have several"),
        _rule("incomplete-set", "qrels", "warning", "a set with nuggets without relevant text, counted without them"),
        _rule("several-assessors", "qrels", "info", "a query with several assessors; the first one is used"),
    )
}
"""The rules by name. Names never change."""


def errors_while_scoring(task: str | None) -> dict[str, str]:
    """The meanings of the rules that are errors in a task and that an evaluation applies too, by name."""
    return {name: RULES[name].meaning for name in FAULTS if RULES[name].severity(task) == ERROR}


def rule_rows() -> list[dict[str, str]]:
    """The table of rules: name, what it checks, severity without a task and in each task, meaning."""
    return [
        {
            "rule": rule.name,
            "about": rule.about,
            **{task or "no task": rule.severity(task) or "-" for task in (None, *CHECKED_TASKS)},
            "meaning": rule.meaning,
        }
        for rule in RULES.values()
    ]
