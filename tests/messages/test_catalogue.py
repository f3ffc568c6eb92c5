"""The catalogue of messages: codes, and what the code fills in."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

import partwise
from partwise import messages
from partwise.errors import PartwiseError
from partwise.messages import Counted, Message, Note, Text

PACKAGE = Path(partwise.__file__).parent
AREAS = {(area, name): message for area, name, message in messages.catalogue()}
TAKES_A_MESSAGE = {"PartwiseError": 0, "PathError": 0, "error": 0, "problem": 1, "fails": 1}
"""Which argument of a call is a message."""


def fields(message: Message) -> set[str]:
    texts = [message.problem, message.remedy]
    if isinstance(message, Counted):
        texts.append(message.several)
    return {name for text in texts for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_codes_are_short_and_unique_and_of_their_area() -> None:
    assert len(AREAS) > 250
    codes = [message.code for message in AREAS.values()]
    assert len(set(codes)) == len(codes)
    letters: dict[str, set[str]] = {}
    for (area, name), message in AREAS.items():
        assert re.fullmatch(r"[A-Z][0-9]{2,3}", message.code), name
        assert re.fullmatch(r"[A-Z][A-Z0-9_]+", name)
        letters.setdefault(message.code[0], set()).add(area)
    assert all(len(areas) == 1 for areas in letters.values()), letters


def test_messages_are_sentences_on_one_line() -> None:
    for (area, name), message in AREAS.items():
        for text in (message.problem, message.remedy, getattr(message, "several", "")):
            assert all(line == " ".join(line.split()) for line in text.split("\n")), (area, name)
            assert "\n" not in text or area == "studies", (area, name)  # headings of tables may have several lines
            assert not text.endswith((";", ",")), (area, name)
            is_sentence = text[:1].isupper() or area == "studies"
            assert is_sentence or text.endswith("...") or not text.endswith("."), (area, name)


def uses() -> Iterator[tuple[Path, ast.Call, str, str, bool]]:
    """Calls that fill a message: the file, the call, area and name, and whether it is made a note."""
    areas = {area for area, _ in AREAS}
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text())
        aliases: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module == "partwise.messages":
                aliases |= {alias.asname or alias.name: alias.name for alias in node.names if alias.name in areas}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            called, is_note = node.func, False
            if isinstance(called, ast.Attribute) and called.attr == "note":
                called, is_note = called.value, True
            if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id in aliases:
                yield path, node, aliases[called.value.id], called.attr, is_note


def test_every_call_fills_all_fields_of_its_message() -> None:
    calls = list(uses())
    assert len(calls) > 250
    for path, call, area, name, _ in calls:
        where = f"{path}:{call.lineno}: {name}"
        assert (area, name) in AREAS, where
        if any(keyword.arg is None for keyword in call.keywords):
            continue  # a mapping of values, which the tests of that message cover
        given = {keyword.arg for keyword in call.keywords}
        assert fields(AREAS[area, name]) <= given, where
        assert given <= fields(AREAS[area, name]) | {"count"}, where
        assert not call.args, where


def test_every_message_is_used() -> None:
    source = {path: path.read_text() for path in PACKAGE.rglob("*.py") if path.parent.name != "messages"}
    unused = [
        (area, name)
        for area, name in AREAS
        if not any(re.search(rf"\b{area}\b", text) and re.search(rf"\b{name}\b", text) for text in source.values())
    ]
    assert unused == []


def test_no_error_is_worded_outside_the_catalogue() -> None:
    worded = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            at = TAKES_A_MESSAGE.get(name)
            if at is not None and len(node.args) > at:
                first = node.args[at]
                if isinstance(first, ast.JoinedStr) or (
                    isinstance(first, ast.Constant) and isinstance(first.value, str)
                ):
                    worded.append(f"{path.relative_to(PACKAGE)}:{node.lineno}")
    assert worded == []


def test_an_error_has_its_code_and_survives_pickling() -> None:
    error = PartwiseError(Text("R01", "unknown column 'strat'", "did you mean 'start'?"), file="q.csv", line=3)
    for one in (error, pickle.loads(pickle.dumps(error))):
        assert str(one) == "q.csv:3: unknown column 'strat'; did you mean 'start'?"
        assert (one.code, one.problem, one.remedy) == ("R01", "unknown column 'strat'", "did you mean 'start'?")
    own = PartwiseError("is not mine", "give another")
    assert (own.code, str(own)) == ("", "is not mine; give another")


def test_a_note_is_a_text_with_a_code() -> None:
    note = Counted("S01", "{count} query is empty", "{count} queries are empty", "see {file}").note(count=2, file="a")
    assert note == "2 queries are empty; see a"
    again = pickle.loads(pickle.dumps(note))
    assert isinstance(again, Note)
    assert (again, again.code) == (note, "S01")


@pytest.mark.parametrize("count", [0, 1, 2])
def test_counted_messages(count: int) -> None:
    text = Counted("S01", "{count} query", "{count} queries")(count=count)
    assert text.problem == f"{count} {'query' if count == 1 else 'queries'}"


def test_values_may_hold_braces() -> None:
    assert Message("R01", "the cell is {cell}")(cell="{x}").problem == "the cell is {x}"
