"""Making a case smaller as long as it has the same fault."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from attacks.case import Case

Still = Callable[[Case], bool]
SMALL = 4_000
"""Files up to this size are shortened byte by byte, not only line by line."""


class _OutOfTime(Exception):
    pass


def minimised(case: Case, still: Still, seconds: float) -> Case:
    """The smallest case with the same fault that is found within this time."""
    end = time.monotonic() + seconds
    best = case

    def attempt(smaller: Case) -> bool:
        nonlocal best
        if time.monotonic() > end:
            raise _OutOfTime
        if smaller == best or not still(smaller):
            return False
        best = smaller
        return True

    try:
        while True:
            before = best
            if best.call is not None:
                _call(attempt, lambda: best)
            else:
                _files(attempt, lambda: best)
                if not best.same:
                    _words(attempt, lambda: best)
                _contents(attempt, lambda: best)
            if best == before:
                return best
    except _OutOfTime:
        return best


def _files(attempt: Still, now: Callable[[], Case]) -> None:
    for name in list(now().files):
        attempt(now().with_file(name, None))


def _words(attempt: Still, now: Callable[[], Case]) -> None:
    """Drop options with their values, and then single words."""
    for width in (2, 1):
        at = 1
        while at + width <= len(now().steps[0]):
            words = now().steps[0]
            if not attempt(replace(now(), steps=((*words[:at], *words[at + width :]), *now().steps[1:]))):
                at += 1


def _contents(attempt: Still, now: Callable[[], Case]) -> None:
    for name in list(now().files):
        content = now().files[name]
        if isinstance(content, bytes):
            _shorten(
                content.splitlines(keepends=True),
                lambda parts, name=name: attempt(now().with_file(name, b"".join(parts))),
            )
            content = now().files[name]
            if isinstance(content, bytes) and len(content) <= SMALL:
                pieces = [bytes([byte]) for byte in content]
                _shorten(pieces, lambda parts, name=name: attempt(now().with_file(name, b"".join(parts))))
    stdin = now().stdin
    if stdin is not None:
        _shorten(stdin.splitlines(keepends=True), lambda parts: attempt(replace(now(), stdin=b"".join(parts))))


def _shorten(parts: list[bytes], attempt: Callable[[Sequence[bytes]], bool]) -> None:
    """Leave out as many parts as possible, large pieces first."""
    size = max(1, len(parts) // 2)
    while True:
        at = 0
        while at < len(parts):
            shorter = parts[:at] + parts[at + size :]
            if attempt(shorter):
                parts = shorter
            else:
                at += size
        if size == 1:
            return
        size = max(1, size // 2)


def _call(attempt: Still, now: Callable[[], Case]) -> None:
    """Leave out items of lists and dicts, and options."""
    place = 0
    while True:
        shorter = next(_without(now().call or "", place), None)
        if shorter is None:
            return
        if not attempt(replace(now(), call=shorter)):
            place += 1


def _without(source: str, place: int) -> Iterator[str]:
    """The call without the item at this place, if there are so many."""
    tree = ast.parse(source, mode="eval")
    for node in ast.walk(tree):
        lists: list[list[list[ast.AST]]] = []
        if isinstance(node, (ast.List, ast.Tuple)):
            lists = [[node.elts]]  # type: ignore[list-item]
        elif isinstance(node, ast.Dict):
            lists = [[node.keys, node.values]]  # type: ignore[list-item]
        elif isinstance(node, ast.Call):
            lists = [[node.keywords]]  # type: ignore[list-item]
        for together in lists:
            if place < len(together[0]):
                for items in together:
                    del items[place]
                yield ast.unparse(tree)
                return
            place -= len(together[0])
