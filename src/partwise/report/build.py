"""From scores and runs to a report: what is said, what is drawn, and what fits into the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from partwise._version import __version__
from partwise.collection import Collection
from partwise.model import Scores
from partwise.report.content import Texts, TopicPage, text_content, wanted_texts
from partwise.report.page import MEGABYTE, bundle, packed, rendered

LEVELS = [i / 20 for i in range(21)]
GAINS = [i / 20 for i in range(1, 21)]
BUDGETS = [250, 500, 1000, 2000, 4000, 8000, 16000, 32000, 64000, 128000]
RANKS = [1, 2, 3, 5, 10, 15, 20, 30, 50, 75, 100]
SIGNIFICANT_DIGITS = 6


@dataclass(frozen=True)
class Curve:
    """A family of measures along one axis."""

    title: str
    told: str
    x_title: str
    y_title: str
    x: Sequence[float]
    measures: Sequence[str]
    logarithmic: bool = False


TEXT_CURVES = (
    Curve(
        "Precision by recall",
        "The best precision at a share of the relevant text or beyond (iP), mean over topics.",
        "recall (share of the relevant text)",
        "interpolated precision",
        LEVELS,
        [f"iP@{level:g}" for level in LEVELS],
    ),
    Curve(
        "Found by reading",
        "The share of the relevant text found in so many characters, read in rank order (TextR with a budget).",
        "characters read",
        "recall",
        BUDGETS,
        [f"TextR(budget={budget})" for budget in BUDGETS],
        logarithmic=True,
    ),
)
ELEMENT_CURVES = (
    Curve(
        "Effort by gain",
        "How deep an ideal list goes for a share of all gain, relative to this one (effort-precision by gain-recall).",
        "gain-recall",
        "effort-precision",
        GAINS,
        [f"ep@{gain:g}" for gain in GAINS],
    ),
    Curve(
        "Gain by rank",
        "The gain of the first results, relative to that of as many of an ideal list (nxCG).",
        "rank",
        "nxCG",
        RANKS,
        [f"nxCG@{rank}" for rank in RANKS],
        logarithmic=True,
    ),
)


@dataclass(frozen=True)
class DrawnCurve:
    """A curve with its values: one per run and place on the axis."""

    curve: Curve
    values: Sequence[Sequence[float]]

    def content(self) -> dict[str, Any]:
        curve = self.curve
        return {
            "title": curve.title,
            "told": curve.told,
            "xTitle": curve.x_title,
            "yTitle": curve.y_title,
            "x": curve.x,
            "y": [[rounded(value) for value in of_run] for of_run in self.values],
            "log": curve.logarithmic,
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
    topics: Sequence[str]
    titles: Mapping[str, tuple[str, str]]
    curves: Sequence[DrawnCurve] = ()
    pages: Sequence[TopicPage] = ()
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
    room = int(max_mb * MEGABYTE) - len(library) - len(rendered(contents.title, __version__, _data(contents), [], ""))
    blobs, notes = _fitting(contents.pages, texts, room)
    contents.notes += notes
    return rendered(contents.title, __version__, _data(contents), blobs, library)


def _fitting(pages: Sequence[TopicPage], texts: Texts, room: int) -> tuple[list[tuple[str, str]], list[str]]:
    """Topics and then texts, as long as there is room; and what had to be left out."""
    blobs: list[tuple[str, str]] = []
    shown: list[tuple[int, TopicPage]] = []
    for number, topic in enumerate(pages):
        size = len(packed(topic.content(texts))) + 200
        if size > room:
            continue
        room -= size
        shown.append((number, topic))
    wanted = wanted_texts(topic for _, topic in shown)
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
    blobs += [(f"topic-{number}", packed(topic.content(texts))) for number, topic in shown]
    notes = []
    if len(shown) < len(pages):
        notes.append(
            f"The lists of {len(pages) - len(shown)} of {len(pages)} topics are left out of this page (--max-mb)."
        )
    texts_there = [doc for doc in wanted if texts.document(doc) is not None]
    if len(texts.numbers) < len(texts_there):
        missing = len(texts_there) - len(texts.numbers)
        notes.append(f"The texts of {missing} of {len(texts_there)} documents are left out of this page (--max-mb).")
    return blobs, notes


def _data(contents: Contents) -> dict[str, Any]:
    scores = contents.scores
    values = scores.per_topic()
    means = scores.mean()
    runs = scores.run_ids
    return {
        "runs": runs,
        "letters": list(contents.run_letters),
        "topics": [_topic(topic, contents.titles) for topic in contents.topics],
        "firstTopic": 0,
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
            [[rounded(values[run].get(facts.name, {}).get(topic)) for topic in contents.topics] for run in runs]
            for facts in contents.measures
        ],
        "curves": [curve.content() for curve in contents.curves],
        "about": {
            "sentence": contents.sentence,
            "settings": list(contents.settings),
            "intervals": contents.intervals,
            "letters": contents.letters,
            "notes": contents.notes,
        },
    }


def _topic(topic: str, titles: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    title, description = titles.get(topic, ("", ""))
    return {"id": topic, "title": title, "description": description}


def drawn(
    curves: Sequence[Curve], evaluate: Callable[[list[str]], Scores], named: Callable[[str], str]
) -> list[DrawnCurve]:
    """The curves with their values; `named` gives the canonical name of a measure."""
    scores = evaluate([measure for curve in curves for measure in curve.measures])
    means = scores.mean()
    return [
        DrawnCurve(curve, [[means[run][named(measure)] for measure in curve.measures] for run in scores.run_ids])
        for curve in curves
    ]
