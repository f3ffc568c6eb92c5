"""The table of rules: what is looked for, and how severe it is in each task."""

from __future__ import annotations

from dataclasses import dataclass

from partwise.presets import CHECKED

ERROR, ODD, INFO = "error", "odd", "info"
SEVERITIES = (ERROR, ODD, INFO)
MOST_RESULTS = 1500
"""What INEX accepted for one query."""


@dataclass(frozen=True)
class Rule:
    """One thing that is looked for, and how severe it is: without a task, and in each task (None: not looked for)."""

    name: str
    about: str
    meaning: str
    severities: tuple[str | None, ...]

    def severity(self, task: str | None) -> str | None:
        return self.severities[0 if task is None else 1 + CHECKED.index(task)]


def _rule(name: str, about: str, severities: str, meaning: str) -> Rule:
    words = severities.split()
    words *= 1 + len(CHECKED) if len(words) == 1 else 1
    return Rule(name, about, meaning, tuple(None if word == "-" else word for word in words))


# severities: without a task, focused, thorough, relevant-in-context, best-in-context, rag
RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        _rule("bad-line", "both", "error", "a line that cannot be read; the rest is checked without it"),
        _rule("note", "both", "info", "what reading the file had to say beside that"),
        _rule("no-order", "run", "error", "a result without rank and score in a query that has some"),
        _rule("unknown-document", "run", "error", "a result in a document that the collection lacks"),
        _rule("unknown-path", "run", "error", "a result whose path names nothing in its document"),
        _rule("past-end", "run", "odd error error error error error", "a part that reaches past its document's end"),
        _rule("overlap", "run", "odd error - error - odd", "a result that shares text with an earlier one"),
        _rule("repeat", "run", "odd error error error error odd", "a part that the query has returned before"),
        _rule("empty-part", "run", "odd error error error - error", "a part without characters"),
        _rule("interleaved", "run", "info - - error - -", "a document whose results do not stand together"),
        _rule("several-per-document", "run", "- - - - error -", "a second result in a document"),
        _rule("too-many", "run", "info error error error error -", f"a query of more than {MOST_RESULTS} results"),
        _rule("unjudged-query", "run", "odd", "a query without judgements, which is not scored"),
        _rule("missing-query", "run", "odd", "a judged query without results, which scores 0"),
        _rule("rank-gap", "run", "odd", "a rank that does not follow the one before, or a first one above 1"),
        _rule("repeated-rank", "run", "odd", "a rank that the query has used before"),
        _rule("rank-against-score", "run", "odd", "a score above that of the rank before"),
        _rule("tie", "run", "odd", "a score that the result before has too, where scores give the order"),
        _rule("unjudged-document", "run", "info", "a result in a document that nobody judged for its query"),
        _rule("unlocated", "both", "info", "a path and no collection: its text, and overlap, are not looked at"),
        _rule("unreadable-document", "both", "error", "a document of the collection that cannot be read"),
        _rule("judged-unknown-document", "qrels", "error", "a judged document that the collection lacks"),
        _rule("judged-unknown-path", "qrels", "error", "a judged path that names nothing in its document"),
        _rule("length-differs", "qrels", "error", "a document length that the lengths or the collection contradict"),
        _rule("passage-past-end", "qrels", "odd error error error error error", "a passage that reaches past the end"),
        _rule("passage-overlap", "qrels", "odd", "a passage that shares text with an earlier one of its document"),
        _rule("empty-passage", "qrels", "odd", "a passage without characters, which is dropped"),
        _rule("relevant-chars", "qrels", "odd", "a number of relevant characters that its passages do not have"),
        _rule("no-highlights", "qrels", "info error error error error error", "assessments without any passage"),
        _rule("nothing-relevant", "qrels", "odd", "a query with nothing relevant, which is not scored"),
        _rule("grade-without-highlight", "qrels", "odd", "a relevant document without passage, where others have some"),
        _rule("grade-against-highlight", "qrels", "odd", "a passage in a document whose grade says not relevant"),
        _rule("no-scale", "qrels", "error", "graded elements that do not say on which scale"),
        _rule("off-scale", "qrels", "error", "grades that the scale does not have"),
        _rule("no-bep", "qrels", "- - - - error -", "a relevant document without a best entry point"),
        _rule("constant-bep", "qrels", "odd info info info error info", "best entry points that are all the same"),
        _rule("bep-outside", "qrels", "odd info info info error info", "a best entry point outside its document"),
        _rule("several-assessors", "qrels", "info", "a query judged more than once; the first assessor is used"),
    )
}
"""Every rule by name. The names are promises."""


def rule_rows() -> list[dict[str, str]]:
    """The table of rules: name, what it is about, severity without a task and in each, meaning."""
    return [
        {
            "rule": rule.name,
            "about": rule.about,
            **{task or "no task": rule.severity(task) or "-" for task in (None, *CHECKED)},
            "meaning": rule.meaning,
        }
        for rule in RULES.values()
    ]
