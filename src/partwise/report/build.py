"""The contents of a report, and the page with those that fit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from partwise._version import __version__
from partwise.collection import Collection
from partwise.errors import PartwiseError
from partwise.messages import report
from partwise.model import Scores
from partwise.report.content import QueryPage, Texts, docs_by_importance, text_content
from partwise.report.page import MEGABYTE, bundle, packed, rendered
from partwise.study.curve_points import Curves
from partwise.units import base, scale_of, words

SIGNIFICANT_DIGITS = 6
FOR_NOTES = 500
"""Bytes reserved for notes on what is left out."""
FOR_TAG = 200
"""Bytes reserved for the script element around a packed query or document."""
TEXT_CURVES = ("recall-precision", "budget")
ELEMENT_CURVES = ("effort-precision", "normalised-gain")
CURVES = {
    "recall-precision": (
        "Precision by recall",
        "The highest precision at this recall or beyond (iP), averaged over queries.",
    ),
    "budget": (
        "Recall by text read",
        "The share of the relevant text found after reading this many {unit} in rank order (TextR with a budget).",
    ),
    "effort-precision": (
        "Effort by gain",
        "The ranks that an ideal list needs for a share of all gain, relative to the run's (ep by gain-recall).",
    ),
    "normalised-gain": (
        "Gain by rank",
        "The gain of the first results, relative to the same number of results of an ideal list (nxCG).",
    ),
}


@dataclass(frozen=True)
class DrawnCurve:
    """One kind of curve, with a line per run."""

    kind: str
    points: Curves

    def content(self, runs: Sequence[str]) -> dict[str, Any]:
        title, description = CURVES[self.kind]
        kind = self.points.kind
        y: dict[str, list[float | None]] = {run: [] for run in runs}
        for row in self.points.rows():
            y[row["run_id"]].append(rounded(row["y"]))
        return {
            "title": title,
            "description": description.format(unit=words(self.points.unit)),
            "xTitle": kind.x,
            "yTitle": kind.y,
            "x": list(kind.at),
            "y": [y[run] or [None] * len(kind.at) for run in runs],
            "log": kind.logarithmic,
        }


@dataclass(frozen=True)
class MeasureFacts:
    """A measure on the leaderboard: by run, the interval of its mean and the letters of the runs that it beats."""

    name: str
    meaning: str
    better: str
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    letters: Sequence[str] | None = None


@dataclass
class Contents:
    """Everything that goes into a report."""

    title: str
    sentence: str
    settings: Sequence[tuple[str, str]]
    scores: Scores
    measures: Sequence[MeasureFacts]
    queries: Sequence[str]
    titles: Mapping[str, tuple[str, str]]
    curves: list[DrawnCurve] = field(default_factory=list)
    pages: Sequence[QueryPage] = ()
    match: str = ""
    """When a result finds a gold passage."""
    collection: Collection | None = None
    run_letters: Sequence[str] = ()
    intervals: str = ""
    letters: str = ""
    notes: list[str] = field(default_factory=list)


def rounded(value: float | None) -> float | None:
    """A value with the digits that a page shows; None if it is not a finite number."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}")


def page(contents: Contents, max_mb: float) -> str:
    """The report as one HTML file of at most `max_mb` megabytes; its notes list what did not fit."""
    library = bundle() if contents.curves else ""
    texts = Texts(contents.collection)
    bare = rendered(contents.title, __version__, _data(contents), [], library)
    minimum = len(bare.encode()) + FOR_NOTES
    free = int(max_mb * MEGABYTE) - minimum
    if free < 0:
        raise PartwiseError(report.REPORT_TOO_LARGE(size=minimum / MEGABYTE, limit=max_mb))
    blobs, notes = _fitting(contents.pages, texts, free)
    contents.notes += notes
    return rendered(contents.title, __version__, _data(contents), blobs, library)


def _fitting(pages: Sequence[QueryPage], texts: Texts, free: int) -> tuple[list[tuple[str, str]], list[str]]:
    """The queries and then the texts that fit into this many bytes, and notes on those that do not."""
    blobs: list[tuple[str, str]] = []
    shown: list[tuple[int, QueryPage]] = []
    for number, query in enumerate(pages):
        size = len(packed(query.content(texts))) + FOR_TAG
        if size > free:
            continue
        free -= size
        shown.append((number, query))
    docs = docs_by_importance(query for _, query in shown)
    for doc in docs:
        document = texts.document(doc)
        if document is None or document.text is None:
            continue
        content = packed(text_content(document.characters))
        if len(content) + FOR_TAG > free:
            continue
        free -= len(content) + FOR_TAG
        number = texts.numbers.setdefault(doc, len(texts.numbers))
        blobs.append((f"document-{number}", content))
    blobs += [(f"query-{number}", packed(query.content(texts))) for number, query in shown]
    notes: list[str] = []
    if len(shown) < len(pages):
        notes.append(report.LISTS_LEFT_OUT.note(count=len(pages) - len(shown), total=len(pages)))
    available = sum(texts.document(doc) is not None for doc in docs)
    if len(texts.numbers) < available:
        notes.append(report.TEXTS_LEFT_OUT.note(count=available - len(texts.numbers), total=available))
    return blobs, notes


def _data(contents: Contents) -> dict[str, Any]:
    scores = contents.scores
    values = scores.per_query()
    means = scores.mean()
    runs = scores.run_ids
    return {
        "runs": runs,
        "unit": {"word": words(base(scores.unit)), "scale": scale_of(base(scores.unit))},
        "letters": list(contents.run_letters),
        "queries": [_query(query, contents.titles) for query in contents.queries],
        "firstQuery": 0,
        "explorer": bool(contents.pages),
        "match": contents.match,
        "measures": [
            {
                "name": facts.name,
                "meaning": facts.meaning,
                "better": facts.better,
                "kind": scores.kinds.get(facts.name, "") if "documents" in scores.kinds.values() else "",
                "mean": [rounded(means[run].get(facts.name)) for run in runs],
                "low": None if facts.low is None else [rounded(value) for value in facts.low],
                "high": None if facts.high is None else [rounded(value) for value in facts.high],
                "letters": None if facts.letters is None else list(facts.letters),
            }
            for facts in contents.measures
        ],
        "values": [
            [[rounded(values[run].get(facts.name, {}).get(query)) for query in contents.queries] for run in runs]
            for facts in contents.measures
        ],
        "curves": [curve.content(runs) for curve in contents.curves],
        "about": {
            "sentence": contents.sentence,
            "settings": list(contents.settings),
            "intervals": contents.intervals,
            "letters": contents.letters,
            "notes": contents.notes,
        },
    }


def _query(query: str, titles: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    title, description = titles.get(query, ("", ""))
    return {"id": query, "title": title, "description": description}
