"""Offsets in bytes: what is counted is bytes, with a collection and without, from files and from indexes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import partwise as pw
from oracles.structure_worlds import QUANTS, World, worlds
from partwise.collection import Collection
from partwise.report.content import Texts

TEXTS = {"d": "aé日𝄞bc\nüz", "e": "plain"}
"""Characters of one to four bytes."""

Spans = dict[str, list[tuple[int, int]]]
TEXT_MEASURES = "TextP@1 TextP TextR TextF TextIoU TextIoU(budget=7) iP@0.1 iAP TextAP Overlap Redundancy gP gR AgP"


def size(doc: str) -> int:
    return len(TEXTS[doc].encode())


def spans_in(doc: str) -> st.SearchStrategy[tuple[int, int]]:
    edge = st.integers(0, size(doc))
    return st.tuples(edge, edge).map(lambda pair: (min(pair), max(pair)))


parts = st.sampled_from(sorted(TEXTS)).flatmap(lambda doc: spans_in(doc).map(lambda span: (doc, *span)))


def text_measures_by_sets(gold: Sequence[Any], run: Sequence[Any]) -> dict[str, float]:
    """By sets of (document, byte)."""
    relevant = {(doc, byte) for doc, start, end in gold for byte in range(start, end)}
    returned = {(doc, byte) for doc, start, end in run for byte in range(start, end)}
    read = sum(end - start for _, start, end in run)
    return {
        "TextP": len(returned & relevant) / read if read else 0.0,
        "TextR": len(returned & relevant) / len(relevant),
        "TextIoU": len(returned & relevant) / len(returned | relevant),
        "Redundancy": 1 - len(returned) / read if read else 0.0,
    }


@given(st.lists(parts, min_size=1, max_size=4, unique=True), st.lists(parts, min_size=1, max_size=5))
def test_a_collection_changes_no_text_measure(gold: list[Any], run: list[Any]) -> None:
    assume(any(start < end for _, start, end in gold))
    lengths = {doc: size(doc) for doc in TEXTS}
    outcomes = [
        pw.evaluate({"q": gold}, {"q": run}, TEXT_MEASURES, unit="bytes", **known).mean()["run"]
        for known in ({}, {"lengths": lengths}, {"collection": TEXTS}, {"collection": TEXTS, "lengths": lengths})
    ]
    assert all(outcome == outcomes[0] for outcome in outcomes)
    by_sets = text_measures_by_sets(gold, run)
    assert {name: outcomes[0][name] for name in by_sets} == pytest.approx(by_sets)


def expanded(xml: str) -> str:
    """The same document with every character of several bytes replaced by as many letters."""
    return "".join(character if character.isascii() else "w" * len(character.encode()) for character in xml)


NAMES = (
    "TextP@2 TextR iP@0.1 Redundancy nxCG(quant={quant})@3 MAep(quant={quant}) xCG(quant={quant}) ngP@3 ngR@3 "
    "NavR(ideals=elements,quant={quant})@3 NavR(ideals=elements,quant={quant},nav=distance)@3 ESRR@3 SRiP@3 "
    "ESRHits(parts=elements,rel=length)@3 SRP@3 T2I(tolerance=2)@0.5"
)


@given(worlds(["highlights", "both"]), st.data())
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_bytes_of_a_text_are_characters_of_the_expanded_text(world: World, data: st.DataObject) -> None:
    """For every measure, of spans and of elements: paths are resolved to bytes, sizes and distances count bytes."""
    assume(
        any(
            judged.spans and any(a < b for a, b in judged.spans)
            for docs in world.judged.values()
            for judged in docs.values()
        )
    )
    names = NAMES.format(quant=data.draw(st.sampled_from(QUANTS[world.scale][-2:])))
    qrels, run = world.grades(), world.run()
    in_bytes = pw.evaluate(qrels, run, names, collection=world.xml, unit="bytes")
    letters = {doc: expanded(xml) for doc, xml in world.xml.items()}
    in_letters = pw.evaluate(qrels, run, names, collection=letters)
    assert in_bytes.per_query() == in_letters.per_query()


def test_a_stored_index_gives_the_same_values(tmp_path: Path) -> None:
    documents = {"d": "<a><b>é日𝄞</b><c>xyz</c></a>", "e": "<a><b>ü</b></a>"}
    qrels = [{"query_id": "q", "doc_id": "d", "start": 2, "end": 10}]
    run = {"q": [{"doc_id": "d", "path": "/a[1]/b[1]"}, {"doc_id": "e"}, ("d", 0, 2), ("d", 9, 12)]}
    pw.write_index(documents, tmp_path / "docs.parquet")
    for name, xml in documents.items():
        (tmp_path / f"{name}.xml").write_text(xml, encoding="utf-8")
    names = "TextP TextR nxCG@2 AgP"
    expected = pw.evaluate(qrels, run, names, collection={doc: expanded(xml) for doc, xml in documents.items()})
    for collection in (documents, tmp_path / "docs.parquet", tmp_path):
        assert pw.evaluate(qrels, run, names, collection=collection, unit="bytes").mean() == expected.mean()
    assert expected.mean()["run"]["TextP"] == 8 / (9 + 2 + 2 + 3)


def test_an_index_without_texts_cannot_be_converted(tmp_path: Path) -> None:
    pw.write_index({"d": "<a>é</a>"}, tmp_path / "docs.parquet", texts=False)
    with pytest.raises(pw.PartwiseError) as caught:
        pw.evaluate({"q": [("d", 0, 2)]}, {"q": ["d"]}, "TextP", collection=tmp_path / "docs.parquet", unit="bytes")
    problem = "the text of document d is not stored, and offsets in bytes need it; index the collection with texts"
    assert str(caught.value) == problem


def test_offsets_inside_a_character_are_counted_in_notes() -> None:
    """The é is at bytes 1 and 2, the 日 at 3 to 5."""
    remedy = "is this the unit of the offsets, and the text in which they were counted?"
    gold, run = [("d", 0, 2), ("d", 3, 5)], [("d", 0, 2), ("d", 1, 3), ("d", 4, 5), ("u", 2, 2), ("d", 0, 99)]
    known: Mapping[str, Any] = {"unit": "bytes", "collection": TEXTS}
    scores = pw.evaluate({"q": gold}, {"q": run}, "TextP", **known)
    assert f"qrels: 2 highlighted passages start or end inside a character; {remedy}" in scores.notes
    assert f"run: 2 parts start or end inside a character; {remedy}" in scores.notes
    assert not pw.evaluate({"q": gold}, {"q": run}, "TextP", unit="bytes").notes
    one = pw.evaluate({"q": [("d", 1, 3)]}, {"q": [("d", 2, 3)]}, "TextP", **known)
    assert list(one.notes) == [f"run: 1 part starts or ends inside a character; {remedy}"]


def test_a_report_shows_parts_at_characters() -> None:
    texts = Texts(Collection.open(TEXTS).in_unit("bytes"))
    assert texts.positions("d", [0, 1, 3, 6, 10]) == [0, 1, 2, 3, 4]
    assert texts.positions("e", [0, 5]) == [0, 5]
    assert texts.positions("unknown", [3, 4]) == [3, 4]


def test_a_collection_in_bytes() -> None:
    chars = Collection.open({"d": "<a>é<b>日x</b></a>", "e": "<a>x</a>"})
    in_bytes = chars.in_unit("bytes")
    assert in_bytes.in_unit("bytes") is in_bytes
    assert chars.in_unit("chars") is chars
    document = in_bytes["d"]
    assert (document.start.tolist(), document.end.tolist(), document.length) == ([0, 2], [6, 6], 6)
    assert document.span("/a[1]/b[1]/text()[1].1", "/a[1]/b[1]") == (5, 6)
    assert document.characters == chars["d"]
    assert repr(document) == "Document('d', 2 nodes, 6 bytes)"
    assert in_bytes["e"] == chars["e"]
    assert in_bytes.in_unit("chars")["d"] == chars["d"]
