"""The one error type of partwise: what is wrong, what would help, and where."""

from __future__ import annotations

import re

from partwise.messages import Text, brief

_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # control characters
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # of the direction of writing
    "\u2028\u2029\ufeff\ufff9-\ufffb"  # line ends, and marks that are not shown
    "\ufffe\uffff\ud800-\udfff]"  # not characters, so neither XML nor UTF-8 holds them
)


class PartwiseError(ValueError):
    """Bad input or bad usage, reported on one line: ``file:line: problem; remedy``.

    Our own errors are messages of the catalogue and have its `code`; yours may be texts.
    """

    def __init__(
        self, problem: str | Text, remedy: str = "", *, file: str | None = None, line: int | None = None
    ) -> None:
        super().__init__(problem, remedy, file, line)
        self.text = problem if isinstance(problem, Text) else Text("", problem, remedy)
        self.code, self.problem, self.remedy = self.text
        self.file = file
        self.line = line

    def __str__(self) -> str:
        place = ""
        if self.file is not None:
            place = f"{self.file}: " if self.line is None else f"{self.file}:{self.line}: "
        message = f"{self.problem}; {self.remedy}" if self.remedy else self.problem
        return one_line(f"{place}{message}")

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.text, self.file, self.line)


class CannotScore(PartwiseError):
    """A run cannot be scored by a measure, although the files are in order; other runs and measures may be scored."""

    @classmethod
    def because(cls, error: PartwiseError) -> CannotScore:
        """The same problem, remedy and place."""
        return cls(error.text, file=error.file, line=error.line)


class PathError(PartwiseError):
    """A path or pointer that does not exist in its document."""


def _rebuild(kind: type[PartwiseError], text: Text, file: str | None, line: int | None) -> PartwiseError:
    return kind(text, file=file, line=line)


def visible(text: str) -> str:
    """The same text for people: characters that act on a terminal or are not shown become escapes."""
    return _HIDDEN.sub(lambda match: repr(match[0])[1:-1], text)


def one_line(text: str) -> str:
    """A message as it is printed: on one line, with line ends as blanks, visible and of bounded length."""
    return brief(visible(" ".join(text.split("\n"))))  # escapes are longer than what they stand for


def shown(value: object, limit: int = 60) -> str:
    """A value as it is quoted in an error line: on one line and of bounded length."""
    try:
        text = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
    except ValueError:
        text = "a number of thousands of digits"
    except RecursionError:
        text = "a value of thousands of levels"
    text = text if len(text) <= limit else text[: limit - 1] + "…"
    return repr(text)
