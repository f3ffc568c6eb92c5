"""The contents of a report, and the page with those that fit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from partwise._version import __version__
from partwise.diagnosis import Diagnosis
from partwise.errors import PartwiseError
from partwise.messages import report
from partwise.report.content import Texts, text_content
from partwise.report.facts import Facts, SlicedBy, about_diagnoses, diagnosis_means, packed_losses, packed_passages
from partwise.report.libraries import bundle
from partwise.report.lists import Lists
from partwise.report.packing import as_json, packed, packed_text
from partwise.report.page import MEGABYTE, Template, in_script
from partwise.report.pages import Pages
from partwise.units import base, scale_of, words

FOR_NOTES = 500
"""Bytes reserved for notes on what is left out."""
FOR_TAG = 200
"""Bytes reserved for the script element around a packed query or document."""
TEXT_CURVES = ("recall-precision", "budget")
ELEMENT_CURVES = ("effort-precision", "normalised-gain")


@dataclass
class Contents:
    """Everything that goes into a report."""

    title: str
    sentence: str
    settings: Sequence[tuple[str, str]]
    facts: Facts
    queries: Sequence[str]
    titles: Mapping[str, tuple[str, str]]
    sliced: list[SlicedBy] = field(default_factory=list)
    diagnosed: str = ""
    """What is read of the runs that are diagnosed."""
    lists: Lists | None = None
    without_elements: list[str] = field(default_factory=list)
    """Runs of chunks, in which hardly any result is an element."""
    match: str = ""
    """When a result finds a gold passage."""
    run_letters: Sequence[str] = ()
    confidence: float = 0.95
    """The level of the intervals."""
    letters: str = ""
    notes: list[str] = field(default_factory=list)


def page(contents: Contents, max_mb: float) -> bytes:
    """The report as one HTML file of at most `max_mb` megabytes; its notes list what did not fit."""
    library = bundle() if contents.facts.curves else b""
    pages = None if contents.lists is None else Pages(contents.lists)
    texts = Texts(None) if contents.lists is None else contents.lists.texts
    fixed = _fixed(contents, texts)
    data = _data(contents, pages, texts)
    template = Template(contents.title, __version__, library)
    text = in_script(data)
    minimum = len(template.filled(text, fixed)) + FOR_NOTES
    free = int(max_mb * MEGABYTE) - minimum
    if free < 0:
        raise PartwiseError(report.REPORT_TOO_LARGE(size=minimum / MEGABYTE, limit=max_mb))
    blobs, notes = ([], []) if pages is None else _fitting(pages, texts, free)
    if notes:
        contents.notes += notes
        data["about"]["notes"] = contents.notes
        text = in_script(data)
    return template.filled(text, [*fixed, *blobs])


def _fixed(contents: Contents, texts: Texts) -> list[tuple[str, bytes]]:
    """The parts of the page that it always has, each packed for itself: pairs of runs, diagnoses and slices."""
    facts, runs, queries = contents.facts, contents.facts.scores.run_ids, contents.queries
    numbers = {query: number for number, query in enumerate(queries)}
    blobs = {"values": packed_text(facts.values(runs, queries))}
    if len(runs) > 1:
        blobs["pairs"] = packed_text(facts.pairs(runs))

    def add_losses(end: str, of_runs: Sequence[Diagnosis | None]) -> None:
        for run, diagnosis in enumerate(of_runs):
            if diagnosis is not None:
                passages = f"passages{end}"
                if passages not in blobs:
                    blobs[passages] = packed_passages(diagnosis.judgements, numbers, texts)
                blobs[f"losses-{run}{end}"] = packed_losses(diagnosis, queries, passages)

    add_losses("", facts.diagnoses)
    for i, sliced in enumerate(contents.sliced):
        for j, one in enumerate(sliced.slices):
            of_slice = one.facts
            if one.has_own_gold:
                add_losses(f"-{i}-{j}", of_slice.diagnoses)
            content = {
                "measures": of_slice.measured(runs),
                "curves": [None if curve is None else curve.heights(runs) for curve in of_slice.curves],
                "diagnoses": [diagnosis_means(diagnosis, numbers, texts) for diagnosis in of_slice.diagnoses],
            }
            values = of_slice.values(runs, queries) if one.has_own_gold else "null"
            text = f'{as_json(content)[:-1]},"pairs":{of_slice.pairs(runs)},"values":{values}}}'
            blobs[f"slice-{i}-{j}"] = packed_text(text)
    return list(blobs.items())


def _fitting(pages: Pages, texts: Texts, free: int) -> tuple[list[tuple[str, bytes]], list[str]]:
    """The queries and then the texts that fit into this many bytes, and notes on those that do not."""
    shown, names = _queries_that_fit(pages, free)
    blobs = [("names", names)] if shown else []
    free -= sum(len(content) + FOR_TAG for _, content in [*blobs, *shown.items()])
    docs = [] if texts.collection is None else pages.by_importance(shown)
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
    for query in shown:
        if texts.numbers and not texts.numbers.keys().isdisjoint(pages.docs(query)):  # these have numbers now
            shown[query] = pages.packed(query)
        blobs.append((f"query-{query}", shown[query]))
    notes: list[str] = []
    if len(shown) < len(pages):
        notes.append(report.LISTS_LEFT_OUT.note(count=len(pages) - len(shown), total=len(pages)))
    available = sum(texts.document(doc) is not None for doc in docs)
    if len(texts.numbers) < available:
        notes.append(report.TEXTS_LEFT_OUT.note(count=available - len(texts.numbers), total=available))
    return blobs, notes


def _queries_that_fit(pages: Pages, free: int) -> tuple[dict[int, bytes], bytes]:
    """The queries that fit into this many bytes with the names of their documents, and these names.

    A name is in the page once, and counts for the first query that needs it. Names are compressed together, so that
    what each of them takes is its share.
    """
    names, sizes = pages.packed_names(range(len(pages))), pages.name_sizes
    per_byte = len(names) / max(1, int(sizes.sum()))
    is_named = np.zeros(len(sizes), np.bool_)
    shown: dict[int, bytes] = {}
    left = free - FOR_TAG
    for query in range(len(pages)):
        content, named = pages.packed(query), pages.named(query)
        size = len(content) + FOR_TAG + math.ceil(per_byte * int(sizes[named[~is_named[named]]].sum()))
        if size <= left:
            left -= size
            is_named[named] = True
            shown[query] = content
    if len(shown) < len(pages):
        names = pages.packed_names(shown)
    while shown and FOR_TAG + len(names) + sum(len(content) + FOR_TAG for content in shown.values()) > free:
        shown.popitem()  # some names compress less well than all of them
        names = pages.packed_names(shown)
    return shown, names


def _data(contents: Contents, pages: Pages | None, texts: Texts) -> dict[str, Any]:
    facts = contents.facts
    scores, runs = facts.scores, facts.scores.run_ids
    numbers = {query: number for number, query in enumerate(contents.queries)}
    return {
        "runs": runs,
        "unit": {"word": words(base(scores.unit)), "scale": scale_of(base(scores.unit))},
        "letters": list(contents.run_letters),
        "queries": [_query(query, contents.titles) for query in contents.queries],
        "firstQuery": 0,
        "explorer": bool(pages),
        "lists": None if pages is None else pages.layout(),
        "match": contents.match,
        "measures": [
            {
                "name": of_measure.name,
                "meaning": of_measure.meaning,
                "better": of_measure.better,
                "kind": scores.kinds.get(of_measure.name, "") if "documents" in scores.kinds.values() else "",
                **content,
            }
            for of_measure, content in zip(facts.measures, facts.measured(runs), strict=True)
        ],
        "curves": [curve.content(runs) for curve in facts.curves if curve is not None],
        "diagnosis": about_diagnoses(facts.diagnoses, contents.diagnosed),
        "diagnoses": [diagnosis_means(diagnosis, numbers, texts) for diagnosis in facts.diagnoses],
        "sliced": [
            {
                "by": sliced.by,
                "slices": [
                    {
                        "name": one.name,
                        "queries": [numbers[query] for query in one.facts.queries if query in numbers],
                        "ownGold": one.has_own_gold,
                    }
                    for one in sliced.slices
                ],
            }
            for sliced in contents.sliced
        ],
        "about": {
            "sentence": contents.sentence,
            "settings": list(contents.settings),
            "confidence": contents.confidence,
            "letters": contents.letters,
            "notes": contents.notes,
        },
    }


def _query(query: str, titles: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    title, description = titles.get(query, ("", ""))
    return {"id": query, "title": title, "description": description}
