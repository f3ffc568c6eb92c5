"""What readers accept: how far data may expand, and whether links are followed. Set in one place, used by all readers.

Every command has these settings as options, made from the fields of `Reading`; Python sets them with ``with
pw.reading(max_unpacked="8GiB"):``. They apply to the whole process, because files are read in several threads.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import field, fields

from partwise.errors import PartwiseError, shown
from partwise.messages import commands
from partwise.records import record

_UNITS = {"": 1, "b": 1} | {
    f"{letter}{end}": base**power for power, letter in enumerate("kmgt", 1) for end, base in (("b", 1000), ("ib", 1024))
}
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,15})?)\s*([A-Za-z]*)", re.ASCII)
LARGEST_SIZE = 2**50


def cores() -> int:
    """The number of threads that can run at a time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@record(kw_only=True)
class Reading:
    """The settings of all readers."""

    max_unpacked: int = field(
        default=4 * 2**30,
        metadata={
            "help": "refuse compressed files, archives and streams that expand to more (default: 4GiB)",
            "metavar": "SIZE",
        },
    )
    follow_links: bool = field(
        default=False,
        metadata={"help": "follow links that lead to folders, or out of the folder of documents or assessments"},
    )

    @property
    def limit(self) -> str:
        """The largest size as messages show it."""
        return size_text(self.max_unpacked, " ")

    @property
    def larger(self) -> str:
        """Twice the largest size, in the form of the option."""
        return size_text(2 * self.max_unpacked)


FIELDS = {setting.name: setting for setting in fields(Reading)}
_active = [Reading()]


def current() -> Reading:
    """The settings that apply now."""
    return _active[-1]


@contextlib.contextmanager
def reading(*, max_unpacked: int | str | None = None, follow_links: bool | None = None) -> Iterator[None]:
    """Change what readers accept, inside a ``with`` block; settings that are left out stay as they are.

    - `max_unpacked`: how many bytes a compressed file, an archive or a stream may expand to: a number, or a text such
      as ``"8GiB"`` (default: 4 GiB).
    - `follow_links`: follow links that lead to folders, or out of the folder of documents or assessments.

    The settings apply to all threads. A collection keeps those with which it was opened.
    """
    before = current()
    settings = Reading(
        max_unpacked=before.max_unpacked if max_unpacked is None else size(max_unpacked),
        follow_links=before.follow_links if follow_links is None else bool(follow_links),
    )
    _active.append(settings)
    try:
        yield
    finally:
        del _active[max(place for place, other in enumerate(_active) if other is settings)]


def size(value: int | str) -> int:
    """A number of bytes, given as such or as a text: ``8GiB``, ``500MB``, ``1000``."""
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    match = _SIZE.fullmatch(text.strip()) if isinstance(text, str) else None
    unit = None if match is None else _UNITS.get(match[2].lower())
    number = 0 if match is None or unit is None else int(float(match[1]) * unit)
    if not 1 <= number <= LARGEST_SIZE:
        raise PartwiseError(commands.NOT_BYTES(value=shown(value)))
    return number


def size_text(number: int, blank: str = "") -> str:
    """A number of bytes in the largest binary unit of which it is a multiple: ``4GiB``."""
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        factor = _UNITS[unit.lower()]
        if number >= factor and number % factor == 0:
            return f"{number // factor}{blank}{unit}"
    return f"{number}{blank}{'bytes' if blank else 'B'}"
