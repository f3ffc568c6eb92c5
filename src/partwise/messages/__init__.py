"""The catalogue of messages: a short code, what is wrong, and what would help. Wording changes here and nowhere else.

A module per area, a constant per message; the code is its letter and a number, and never means anything else. A message
is filled with values when it is reported: ``PartwiseError(reading.NO_COLUMN(name="start"), file=path)``, or as a note,
``scores.WITHOUT_RESULTS.note(count=3)``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


ABOUT = "{source}: "
"""The beginning of messages about a file."""
SUMMED = ("count", "results", "total")
"""Values that are added up where several notes are grouped."""
LONGEST_WORD = 500
"""Words of a message that are longer, such as ids of a megabyte, are shortened."""
LONGEST_TEXT = 5 * LONGEST_WORD
"""So are texts of many words."""


def brief(text: str) -> str:
    """A text of bounded length: what is cut out of the middle of long words, and of a long text, becomes ``…``."""
    if len(text) <= LONGEST_WORD:
        return text
    if len(text) > LONGEST_TEXT:
        text = _cut(text, LONGEST_TEXT)
    return " ".join(_cut(word, LONGEST_WORD) if len(word) > LONGEST_WORD else word for word in text.split(" "))


def _cut(text: str, length: int) -> str:
    half = length // 2
    return f"{text[: length - half]}…{text[-half:]}"


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
    """A note as users read it, with its code, what it is about (a run or a file), and the message and its values."""

    code: str
    about: str = ""
    message: Message | None = None
    values: dict[str, object]

    @classmethod
    def of(cls, code: str, text: str) -> Note:
        note = cls(text)
        note.code, note.values = code, {}
        return note

    def on(self, name: str) -> Note:
        """The same note about this run or file, whose name precedes it."""
        note = Note.of(self.code, f"{brief(name)}: {self}")
        note.about, note.message, note.values = name, self.message, self.values
        return note


class Message:
    """One message; ``{name}`` in its problem or remedy is a value that is filled in when it is reported."""

    __slots__ = ("code", "problem", "remedy")

    def __init__(self, code: str, problem: str, remedy: str = "") -> None:
        self.code, self.problem, self.remedy = code, problem, remedy

    def __call__(self, **values: object) -> Text:
        return self._filled(self.problem, values)

    def _filled(self, problem: str, values: dict[str, object]) -> Text:
        short = {name: brief(value) if isinstance(value, str) else value for name, value in values.items()}
        return Text(self.code, problem.format(**short), self.remedy.format(**short))

    def note(self, **values: object) -> Note:
        """The message as a note, in one piece."""
        text = self(**values)
        note = Note.of(text.code, f"{text.problem}; {text.remedy}" if text.remedy else text.problem)
        note.message, note.values = self, values
        if self.problem.startswith(ABOUT):
            note.about = str(values["source"])
        return note


class Counted(Message):
    """A message about a number of things, `count`, with its problem for one of them and for several."""

    __slots__ = ("several",)

    def __init__(self, code: str, one: str, several: str, remedy: str = "") -> None:
        super().__init__(code, one, remedy)
        self.several = several

    def __call__(self, **values: object) -> Text:
        return self._filled(self.problem if values["count"] == 1 else self.several, values)


def grouped(notes: Iterable[str]) -> list[str]:
    """The notes, those that say the same about several runs or files in one; each with its own count."""
    groups: dict[object, list[Note]] = {}
    for number, note in enumerate(notes):
        key: object = number
        if isinstance(note, Note) and note.about and note.message is not None:
            others = (name for name in note.values if name not in (*SUMMED, "source"))
            key = note.code, tuple((name, _same(note.values[name])) for name in others)
        groups.setdefault(key, []).append(note)  # type: ignore[arg-type]
    return [_together(group) if len(group) > 1 else group[0] for group in groups.values()]


def _same(value: object) -> str:
    """What a value of notes that are grouped must have in common: of an error, which names a line, its message."""
    return str(getattr(getattr(value, "text", value), "code", value))


def _together(notes: Sequence[Note]) -> str:
    """One note for several of the same message."""
    message, values = notes[0].message, dict(notes[0].values)
    for name in SUMMED:
        if name in values:
            values[name] = sum(int(str(note.values[name])) for note in notes)
    counted = [f"{note.about} ({note.values['count']})" if "count" in values else note.about for note in notes]
    names = ", ".join(dict.fromkeys(counted))
    if message is None or message.problem.startswith(ABOUT):
        return notes[0] if message is None else message.note(**{**values, "source": names})
    return message.note(**values).on(names)


def catalogue() -> Iterator[tuple[str, str, Message]]:
    """Every message of every area: the area, the name of the constant, the message."""
    from importlib import import_module
    from pkgutil import iter_modules

    for module in iter_modules(__path__):
        area = import_module(f"{__name__}.{module.name}")
        for name, value in vars(area).items():
            if isinstance(value, Message):
                yield module.name, name, value
