"""Headers that were put before chunks: recognised, offered as a remedy, and removed on request.

A prefix is a text in which ``{doc_id}`` is the id of the document, ``{any}`` any characters of a line, and a blank any
white space: ``[Document: {any}]``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from partwise.errors import PartwiseError, shown
from partwise.location.finding import DEFAULT, Finder, Locations, Matching, TextToFind
from partwise.messages import Note, documents
from partwise.placement import ELLIPSIS, FUZZY, MISSING

DOC_ID, ANY = "{doc_id}", "{any}"
_SPECIAL = re.compile(r"(\{doc_id\}|\{any\}|\s+)")
_MOST_ANY = 2
"""Each `ANY` of a prefix multiplies the time that a text may take."""
_LONGEST = 300
_FEWEST = 3
_NEARLY_ALL = 0.9
_ENDS = "\n])}:|>"
"""Characters at which headers end."""


# ---- removing a prefix ------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _pattern(prefix: str, doc_id: str | None) -> re.Pattern[str]:
    parts = []
    for part in _SPECIAL.split(prefix.strip()):
        if part == ANY or (part == DOC_ID and doc_id is None):
            parts.append(rf"[^\n]{{1,{_LONGEST}}}?")
        elif part == DOC_ID:
            parts.append(re.escape(str(doc_id)))
        else:
            parts.append(r"\s+" if part.isspace() else re.escape(part))
    if prefix.strip().endswith(ANY):
        parts.append(r"(?=\n|$)")
    return re.compile(r"\s*" + "".join(parts))


def checked(prefixes: str | Iterable[str] | None) -> tuple[str, ...]:
    """Prefixes as a tuple; an error if one is not a text or is blank."""
    several = (prefixes,) if isinstance(prefixes, str) else tuple(prefixes or ())
    for prefix in several:
        if not isinstance(prefix, str) or not prefix.strip():
            raise PartwiseError(documents.BAD_PREFIX(value=shown(prefix)))
        if prefix.count(ANY) > _MOST_ANY:
            raise PartwiseError(documents.TOO_MANY_ANY(value=shown(prefix), most=_MOST_ANY))
    return several


def stripped(text: str, doc_id: str | None, prefixes: Sequence[str]) -> str:
    """The text without the first of the prefixes that it begins with, and without white space after it.

    >>> stripped("[Document: a.md] Leave is granted.", "a", ["[Document: {doc_id}.md]"])
    'Leave is granted.'
    """
    for prefix in prefixes:
        match = _pattern(prefix, doc_id).match(text)
        if match is not None:
            return text[match.end() :].lstrip()
    return text


# ---- recognising prefixes ---------------------------------------------------------------------------------------


@dataclass
class _Offer:
    """A prefix, and how many texts begin with it, are found without it, and there are, in which documents."""

    prefix: str
    count: int = 0
    found: int = 0
    total: int = 0
    documents: tuple[str | None, ...] = ()

    def add(self, other: _Offer) -> None:
        self.count, self.found, self.total = (
            self.count + other.count,
            self.found + other.found,
            self.total + other.total,
        )
        self.documents += other.documents

    def note(self) -> Note:
        values = {"total": self.total, "found": self.found, "prefix": shown(self.prefix)}
        if len(self.documents) == 1 and self.documents[0] is not None:
            return documents.PREFIX_IN_DOCUMENT.note(count=self.count, doc_id=self.documents[0], **values)
        return documents.PREFIX.note(count=self.count, **values)


def offers(
    texts_to_find: Sequence[TextToFind], locations: Locations, texts: Mapping[str, str], strict: Matching = DEFAULT
) -> list[Note]:
    """Notes about prefixes without which texts are found that are not found, or only by similarity."""
    if strict.match == FUZZY:
        strict = Matching(ELLIPSIS)
    everything: dict[str | None, dict[str, bool]] = {}
    for (doc_id, text), located in zip(texts_to_find, locations, strict=True):
        everything.setdefault(doc_id, {})[text] = located.reading in (None, FUZZY) and bool(text.strip())
    failed = {
        doc_id: [text for text, is_failed in of_doc.items() if is_failed] for doc_id, of_doc in everything.items()
    }
    total = sum(map(len, everything.values()))
    common = _prefixes([(doc_id, text) for doc_id, of_doc in failed.items() for text in of_doc], total)
    overall = {prefix: _Offer(prefix) for prefix in common}
    by_doc: dict[str, _Offer] = {}
    for doc_id, of_doc in failed.items():
        own = _prefixes([(doc_id, text) for text in of_doc], len(everything[doc_id]))
        if not own and not common:
            continue
        names = list(texts) if doc_id is None else [doc_id]
        finder = Finder(names, [texts[name] for name in names], strict)
        tried = [_tried(prefix, doc_id, of_doc, finder) for prefix in dict.fromkeys((*common, *own))]
        for offer in tried:
            offer.total = len(everything[doc_id])
            if offer.prefix in overall:
                overall[offer.prefix].add(offer)
        best = max((offer for offer in tried if offer.prefix in own), key=lambda offer: offer.found, default=None)
        if best is not None and 2 * best.found >= len(of_doc):
            by_doc.setdefault(best.prefix, _Offer(best.prefix)).add(best)
    best = max(overall.values(), key=lambda offer: offer.found, default=None)
    if best is not None and 2 * best.found >= sum(map(len, failed.values())):
        return [best.note()]
    return [offer.note() for offer in by_doc.values()]


def _tried(prefix: str, doc_id: str | None, failed: Sequence[str], finder: Finder) -> _Offer:
    rests = [rest for text in failed if (rest := stripped(text, doc_id, (prefix,))) != text]
    found = sum(finder.find(rest).how != MISSING for rest in rests)
    return _Offer(prefix, len(rests), found, documents=(doc_id,))


def _prefixes(failed: Sequence[tuple[str | None, str]], total: int) -> list[str]:
    """The prefixes that nearly all of `total` texts may have in common, given those that are not found."""
    enough = math.ceil(_NEARLY_ALL * total)
    if len(failed) < max(_FEWEST, enough):
        return []
    heads = sorted(_head(doc_id, text) for doc_id, text in failed)
    shared = max((_shared(a, b) for a, b in zip(heads, heads[enough - 1 :], strict=False)), key=len)
    cut = max(shared.rfind(end) for end in _ENDS) + 1
    candidates = [shared[:cut]]
    for end in _ENDS:  # a header with a part of its own, such as the number of a page
        if sum(end in head[len(shared) :] for head in heads) >= enough:
            candidates.append(f"{shared.rstrip()}{ANY}{end}")
    named = (" ".join(candidate.split()) for candidate in candidates)
    return [prefix for prefix in dict.fromkeys(named) if sum(c.isalnum() for c in prefix.replace(ANY, "")) >= _FEWEST]


def _head(doc_id: str | None, text: str) -> str:
    """The start of a text, with the id of its document replaced, and white space reduced to a blank or line end."""
    head = text.lstrip()[:_LONGEST]
    if doc_id is not None and len(doc_id) >= _FEWEST:
        head = head.replace(doc_id, DOC_ID)
    return re.sub(r"\s+", lambda match: "\n" if "\n" in match.group() else " ", head)


def _shared(a: str, b: str) -> str:
    size = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return a[:size]
