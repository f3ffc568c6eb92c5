"""The catalogue of messages: a short code, what is wrong, and what would help. Wording changes here and nowhere else.

A module per area, a constant per message; the code is its letter and a number, and never means anything else. A message
is filled with values when it is reported: ``PartwiseError(reading.NO_COLUMN(name="start"), file=path)``, or as a note,
``scores.WITHOUT_RESULTS.note(count=3)``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Text(tuple[str, str, str]):
    """A message with its values: code, problem and remedy (empty if there is none)."""

    __slots__ = ()

    def __new__(cls, code: str, problem: str, remedy: str = "") -> Text:
        return super().__new__(cls, (code, problem, remedy))

    def __getnewargs__(self) -> tuple[str, str, str]:
        return self[0], self[1], self[2]

    @property
    def code(self) -> str:
        return self[0]

    @property
    def problem(self) -> str:
        return self[1]

    @property
    def remedy(self) -> str:
        return self[2]


class Note(str):
    """A note as users read it, with its code."""

    code: str

    @classmethod
    def of(cls, code: str, text: str) -> Note:
        note = cls(text)
        note.code = code
        return note


class Message:
    """One message; ``{name}`` in its problem or remedy is a value that is filled in when it is reported."""

    __slots__ = ("code", "problem", "remedy")

    def __init__(self, code: str, problem: str, remedy: str = "") -> None:
        self.code, self.problem, self.remedy = code, problem, remedy

    def __call__(self, **values: object) -> Text:
        return Text(self.code, self.problem.format(**values), self.remedy.format(**values))

    def note(self, **values: object) -> Note:
        """The message as a note, in one piece."""
        text = self(**values)
        return Note.of(text.code, f"{text.problem}; {text.remedy}" if text.remedy else text.problem)


class Counted(Message):
    """A message about a number of things, `count`, with its problem for one of them and for several."""

    __slots__ = ("several",)

    def __init__(self, code: str, one: str, several: str, remedy: str = "") -> None:
        super().__init__(code, one, remedy)
        self.several = several

    def __call__(self, **values: object) -> Text:
        problem = self.problem if values["count"] == 1 else self.several
        return Text(self.code, problem.format(**values), self.remedy.format(**values))


def catalogue() -> Iterator[tuple[str, str, Message]]:
    """Every message of every area: the area, the name of the constant, the message."""
    from importlib import import_module
    from pkgutil import iter_modules

    for module in iter_modules(__path__):
        area = import_module(f"{__name__}.{module.name}")
        for name, value in vars(area).items():
            if isinstance(value, Message):
                yield module.name, name, value
