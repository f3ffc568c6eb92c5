"""From scores and runs to a report: what is said, what is drawn, and what fits into the page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from partwise._version import __version__
from partwise.collection import Collection
from partwise.errors import PartwiseError
from partwise.model import Scores
from partwise.report.content import QueryPage, Texts, text_content, wanted_texts
from partwise.report.page import MEGABYTE, bundle, packed, rendered
from partwise.study.curve_points import Curves

SIGNIFICANT_DIGITS = 6
FOR_NOTES = 500
"""Bytes kept for what is said of parts that are left out."""
TEXT_CURVES = ("recall-precision", "budget")
ELEMENT_CURVES = ("effort-precision", "normalised-gain")
CURVES = {
    "recall-precision": (
        "Precision by recall",
        "The best precision at a share of the relevant text or beyond (iP), mean over queries.",
    ),
    "budget": (
        "Found by reading",
        "The share of the relevant text found in so many characters, read in rank order (TextR with a budget).",
    ),
    "effort-precision": (
        "Effort by gain",
        "How deep an ideal list goes for a share of all gain, relative to this one (effort-precision by gain-recall).",
    ),
    "normalised-gain": (
        "Gain by rank",
        "The gain of the first results, relative to that of as many of an ideal list (nxCG).",
    ),
}


@dataclass(frozen=True)
class DrawnCurve:
    """A curve of every run."""

    kind: str
    points: Curves

    def content(self, runs: Sequence[str]) -> dict[str, Any]:
        title, told = CURVES[self.kind]
        kind = self.points.kind
        y: dict[str, list[float | None]] = {run: [] for run in runs}
        for row in self.points.rows():
            y[row["run_id"]].append(rounded(row["y"]))
        return {
            "title": title,
            "told": told,
            "xTitle": kind.x,
            "yTitle": kind.y,
            "x": list(kind.at),
            "y": [y[run] or [None] * len(kind.at) for run in runs],
            "log": kind.logarithmic,
        }


@dataclass(frozen=True)
class MeasureFacts:
    """A measure on the leaderboard, and where they are known the intervals of the means and what beats what."""

    name: str
    meaning: str
    better: str
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    letters: Sequence[str] | None = None


@dataclass
class Contents:
    """All that goes into a report."""

    title: str
    sentence: str
    settings: Sequence[tuple[str, str]]
    scores: Scores
    measures: Sequence[MeasureFacts]
    queries: Sequence[str]
    titles: Mapping[str, tuple[str, str]]
    curves: list[DrawnCurve] = field(default_factory=list)
    pages: Sequence[QueryPage] = ()
    collection: Collection | None = None
    run_letters: Sequence[str] = ()
    intervals: str = ""
    letters: str = ""
    notes: list[str] = field(default_factory=list)


def rounded(value: float | None) -> float | None:
    """A value with as many digits as a page can use; what is no number is not there."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}")


def page(contents: Contents, max_mb: float) -> str:
    """The report as one HTML file of at most so many megabytes; what did not fit is told in it."""
    library = bundle() if contents.curves else ""
    texts = Texts(contents.collection)
    bare = rendered(contents.title, __version__, _data(contents), [], library)
    room = int(max_mb * MEGABYTE) - len(bare.encode()) - FOR_NOTES
    if room < 0:
        least = (len(bare.encode()) + FOR_NOTES) / MEGABYTE
        raise PartwiseError(
            f"the report takes {least:.2f} MB without any list or document", f"let it be larger than {max_mb:g} MB"
        )
    blobs, notes = _fitting(contents.pages, texts, room)
    contents.notes += notes
    return rendered(contents.title, __version__, _data(contents), blobs, library)


def _fitting(pages: Sequence[QueryPage], texts: Texts, room: int) -> tuple[list[tuple[str, str]], list[str]]:
    """Queries and then texts, as long as there is room; and what had to be left out."""
    blobs: list[tuple[str, str]] = []
    shown: list[tuple[int, QueryPage]] = []
    for number, query in enumerate(pages):
        size = len(packed(query.content(texts))) + 200
        if size > room:
            continue
        room -= size
        shown.append((number, query))
    wanted = wanted_texts(query for _, query in shown)
    for doc in wanted:
        document = texts.document(doc)
        if document is None or document.text is None:
            continue
        content = packed(text_content(document))
        if len(content) + 200 > room:
            continue
        room -= len(content) + 200
        number = texts.numbers.setdefault(doc, len(texts.numbers))
        blobs.append((f"document-{number}", content))
    blobs += [(f"query-{number}", packed(query.content(texts))) for number, query in shown]
    notes = []
    if len(shown) < len(pages):
        notes.append(
            f"The lists of {len(pages) - len(shown)} of {len(pages)} queries are left out of this page (--max-mb)."
        )
    texts_there = [doc for doc in wanted if texts.document(doc) is not None]
    if len(texts.numbers) < len(texts_there):
        missing = len(texts_there) - len(texts.numbers)
        notes.append(f"The texts of {missing} of {len(texts_there)} documents are left out of this page (--max-mb).")
    return blobs, notes


def _data(contents: Contents) -> dict[str, Any]:
    scores = contents.scores
    values = scores.per_query()
    means = scores.mean()
    runs = scores.run_ids
    return {
        "runs": runs,
        "letters": list(contents.run_letters),
        "queries": [_query(query, contents.titles) for query in contents.queries],
        "firstQuery": 0,
        "explorer": bool(contents.pages),
        "measures": [
            {
                "name": facts.name,
                "meaning": facts.meaning,
                "better": facts.better,
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
