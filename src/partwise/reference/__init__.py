"""What the pages of measures and of the values of their parameters say beyond docstrings; read when a page is shown.

The texts are TOML files, one per family of measures and one per kind of value: formula, meaning, worked example,
behaviour, similar measures. ``[family]`` and ``[behaviour]`` are what the entries of a file have in common.
"""

from __future__ import annotations

import textwrap
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from partwise.records import record

KINDS = {
    "scores": "document score",
    "quantisations": "quantisation",
    "models": "navigation model",
    "matches": "match function",
    "decays": "decay",
    "tokenizers": "tokenizer",
}
"""The kinds of values that have pages, by the file of their texts."""
OUTCOMES = {
    "lower": "the value falls, or stays",
    "higher": "the value rises, or stays",
    "same": "the value is the same",
    "order": "their order matters",
    "zero": "the query scores 0",
    "one": "the query scores 1",
    "all": "the query scores more than 0",
    "left out": "the query is left out",
}
"""What may happen to a value: the first of the two texts of an entry of ``behaviour``; the second says why."""
SITUATIONS = {
    "overlap": "a result that overlaps an earlier one is inserted",
    "duplicate": "a result is returned twice",
    "tie": "results have equal scores",
    "empty": "nothing is returned for a query",
    "short": "the list ends early, before the cutoff if there is one",
}
"""The situations that ``behaviour`` describes, in the order of the pages."""


@record()
class Entry:
    """The texts of one page."""

    name: str
    kind: str
    """``measure``, or one of the kinds of values."""
    title: str
    """What all entries of the file are."""
    parameter: str
    """The parameter of which it is a value; empty for measures."""
    meaning: str
    formula: str
    """LaTeX; empty if there is nothing to typeset."""
    text: str
    """The formula as readable text, where no docstring has it."""
    symbols: str
    needs: str
    range: str
    example: str
    """The name of the worked example; empty if there is none."""
    show: str
    """The measure that the worked example evaluates."""
    working: str
    """How its value is calculated, as an expression of Python."""
    because: str
    behaviour: Mapping[str, tuple[str, str]]
    """What happens with overlap, duplicates, ties, empty and short lists: an outcome, and why."""
    similar: tuple[tuple[str, str], ...]
    """Similar measures or values, and when to prefer them."""
    papers: tuple[str, ...]
    file: tuple[str, str] | None
    """A file that the worked example needs: its name and content."""
    sample: str
    """A text that the page of a tokenizer splits."""

    def lines(self) -> list[str]:
        """The entry as plain text."""
        lines = [f"Meaning: {self.meaning}", f"Range: {self.range}", f"Needs: {self.needs}"]
        if self.behaviour:
            lines.append("What happens if")
            for key, (outcome, reason) in self.behaviour.items():
                lines.append(f"  {SITUATIONS[key]}: {OUTCOMES[outcome]}; {reason}")
        if self.show:
            about = examples()[self.example]["about"].strip()
            lines += [f"Example: {about}", f"  {self.because}", f"  {self.show} = {self.working}"]
        lines.append("Similar:")
        lines += [f"  {name}, {when}" for name, when in self.similar]
        return [wrapped(line) for line in lines]


def wrapped(line: str) -> str:
    """A long line as several, the following ones indented."""
    indent = " " * (4 if line.startswith("  ") else 2)
    return "\n".join(textwrap.wrap(line, 110, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False))


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(files(__name__).joinpath(f"{name}.toml").read_text(encoding="utf-8"))


@cache
def entries(file: str) -> dict[str, Entry]:
    """The entries of a file, by name."""
    table = _table(file)
    family, common = table.pop("family"), table.pop("behaviour", {})
    kind = KINDS.get(file, "measure")
    return {name: _entry(name, kind, {**family, **own}, common) for name, own in table.items()}


def _entry(name: str, kind: str, own: Mapping[str, Any], common: Mapping[str, Any]) -> Entry:
    behaviour = {key: own.get(key, common.get(key)) for key in SITUATIONS}
    return Entry(
        name=name,
        kind=kind,
        title=own.get("title", ""),
        parameter=own.get("parameter", ""),
        meaning=own["meaning"],
        formula=own["formula"],
        text=own.get("text", ""),
        symbols=own["symbols"],
        needs=own["needs"],
        range=own["range"],
        example=own.get("example", ""),
        show=own.get("show", ""),
        working=own.get("working", ""),
        because=own["because"],
        behaviour={key: (value[0], value[1]) for key, value in behaviour.items() if value is not None},
        similar=tuple((other, when) for other, when in own["similar"]),
        papers=tuple(own.get("papers", [own["paper"]] if "paper" in own else [])),
        file=tuple(own["file"]) if "file" in own else None,
        sample=own.get("sample", ""),
    )


def of_measure(kind: type) -> Entry | None:
    """The entry of a measure; None for measures of others."""
    package, _, module = kind.__module__.rpartition(".")
    return entries(module).get(kind.__name__) if package == "partwise.measures" else None


def of_value(name: str) -> list[Entry]:
    """The entries of the values with this name; one of several kinds may have it."""
    return [found for file in KINDS if (found := entries(file).get(name)) is not None]


@cache
def examples() -> dict[str, Any]:
    """The worked examples, by name."""
    return _table("examples")


@cache
def papers() -> dict[str, dict[str, str]]:
    """References, by what `paper` of a measure says."""
    return _table("papers")


def cited(paper: str) -> str:
    """The reference in one line, with its DOI or address."""
    entry = papers().get(paper)
    if entry is None:
        return paper
    link = f"https://doi.org/{entry['doi']}" if "doi" in entry else entry.get("url", "")
    return f"{entry['reference']} {link}".rstrip()
