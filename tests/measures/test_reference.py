"""What the pages of measures say beyond docstrings is complete, and true: examples and behaviour are run."""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any

import pytest

import partwise as pw
from partwise import reference
from partwise.api.catalogue import value_classes
from partwise.cli import main
from partwise.measures import all_names, families
from partwise.measures.base import OURS, Measure
from partwise.reference import OUTCOMES, SITUATIONS, Entry
from partwise.relevance.quantise import FOUR_POINT, fitting
from support.paths import ROOT

sys.path.insert(0, str(ROOT / "docs"))
import measure_pages
import worked

MEASURES = [kind for kinds in families().values() for kind in kinds]
VALUES = [entry for file in reference.KINDS for entry in reference.entries(file).values()]


def name_of(value: Any) -> str:
    return value.__name__ if isinstance(value, type) else f"{value.kind} {value.name}"


def entry_of(kind: type[Measure]) -> Entry:
    entry = reference.of_measure(kind)
    assert entry is not None, f"{kind.__name__} has no entry in src/partwise/reference"
    return entry


def missing(entry: Entry) -> list[str]:
    """What the entry of a measure lacks."""
    texts = ("meaning", "formula", "needs", "range", "example", "show", "working", "because", "similar")
    return [name for name in texts if not getattr(entry, name)] + [
        key for key in SITUATIONS if key not in entry.behaviour
    ]


@pytest.mark.parametrize("kind", MEASURES, ids=name_of)
def test_entries_of_measures_are_complete(kind: type[Measure]) -> None:
    entry = entry_of(kind)
    assert missing(entry) == []
    assert re.match(rf"{kind.__name__}\b", entry.show)
    assert all(outcome in OUTCOMES for outcome, _ in entry.behaviour.values())
    assert all(name in all_names() for name, _ in entry.similar)
    assert entry.name not in dict(entry.similar)
    assert kind.paper == OURS or kind.paper in reference.papers()
    paragraphs = inspect.cleandoc(kind.__doc__ or "").split("\n\n")
    assert [measure_pages.is_formula(kind.__name__, paragraph) for paragraph in paragraphs].count(True) == 1


def test_what_is_missing_is_detected() -> None:
    changed = {name: getattr(entry_of(pw.TextP), name) for name in Entry.__annotations__}
    assert missing(Entry(**{**changed, "formula": "", "behaviour": {"tie": ("order", "why")}})) == [
        "formula", "overlap", "duplicate", "empty", "short"
    ]  # fmt: skip


def test_files_have_entries_of_their_own_measures_only() -> None:
    for module in {kind.__module__.rpartition(".")[2] for kind in MEASURES}:
        own = {kind.__name__ for kind in MEASURES if kind.__module__.endswith(f".{module}")}
        assert set(reference.entries(module)) == own


@pytest.mark.parametrize("entry", [entry_of(kind) for kind in MEASURES] + VALUES, ids=name_of)
def test_worked_examples(entry: Entry) -> None:
    if not entry.show:
        assert entry.kind in ("quantisation", "tokenizer")
        return
    assert worked.shown(entry) == pytest.approx(worked.calculated(entry.working), abs=1e-9)


@pytest.mark.parametrize(
    "entry", [entry_of(kind) for kind in MEASURES] + [entry for entry in VALUES if entry.behaviour], ids=name_of
)
def test_behaviour(entry: Entry) -> None:
    """Overlap, duplicates, ties, empty and short lists do what the page says."""
    assert {key: outcome for key, (outcome, _) in entry.behaviour.items()} == worked.behaviour(entry)


@pytest.mark.parametrize("entry", VALUES, ids=name_of)
def test_entries_of_values_are_complete(entry: Entry) -> None:
    assert all((entry.meaning, entry.needs, entry.range, entry.because, entry.similar, entry.parameter, entry.papers))
    assert entry.formula or entry.kind == "tokenizer"
    documented = value_classes().get(entry.kind, {}).get(entry.name)
    assert entry.text or documented is not None
    others = {other.name for other in VALUES if other.kind == entry.kind}
    assert {name for name, _ in entry.similar} <= others
    assert all(paper == OURS or paper in reference.papers() for paper in entry.papers)


def test_all_values_have_entries() -> None:
    by_kind: dict[str, set[str]] = {}
    for entry in VALUES:
        by_kind.setdefault(entry.kind, set()).add(entry.name)
    assert by_kind.pop("quantisation") == set(fitting(FOUR_POINT))
    assert "words" in by_kind.pop("tokenizer")
    own = {kind: {name for name, c in named.items() if c.__module__.startswith("partwise.")}
           for kind, named in value_classes().items()}  # fmt: skip
    assert by_kind == own


@pytest.mark.parametrize(
    ("name", "start", "line"),
    [
        (
            "BEPn",
            "BEPn, a document score: a value of score\n\n",
            "AgP(score=BEPn(n=500)) = (500 - abs(50 - 100)) / 500",
        ),
        ("BEPn(n=500)", "BEPn, a document score: ", "  n: a whole number from 1, default 1000. "),
        (
            "sog",
            "sog, a quantisation: a value of quant\n\nsog(e, s) = 1 for (3,3); 0.9 for (2,3); ",
            "Paper: Gabriella Kazai",
        ),
        ("coverage", "coverage, a navigation model: a value of nav\n\n", "P(x | r) = |r and x| / |x|"),
        ("seen", "seen, a match function: a value of match\n\n", "PartRR(match=seen(1)) = 1 / 2"),
        ("half", "half, a decay: a value of decay\n\n", "D(p) = 2^(-p / h)"),
        ("words", "words, a tokenizer: a value of tokenizer\n\n", "tiktoken"),
        ("T2I", "T2I(tolerance=300, one=True)@recall\n\n", "\n\nT2I, a document score: a value of score\n\n"),
    ],
)
def test_pages_of_values(name: str, start: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", name]) == 0
    page = capsys.readouterr().out
    assert page.startswith(start)
    assert line in page
    assert page == pw.measure_page(name) + "\n"


def test_names_of_values_are_not_names_of_measures_elsewhere() -> None:
    from partwise.measures import documents

    for entry in VALUES:
        assert entry.name not in documents.known_names()
        assert not documents.from_trec_name(entry.name)


def test_lines_of_pages_are_wrapped() -> None:
    for kind in MEASURES:
        text = kind.page().partition("\nParameters:")[0]
        assert max(map(len, text.splitlines())) <= 125, kind
