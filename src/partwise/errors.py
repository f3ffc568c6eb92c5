"""The one error type of partwise: what is wrong, what would be right, and where."""

from __future__ import annotations


class PartwiseError(ValueError):
    """Bad input or bad usage, told in one line: ``file:line: what is wrong, what would be right``."""

    def __init__(self, problem: str, remedy: str = "", *, file: str | None = None, line: int | None = None) -> None:
        super().__init__(problem, remedy, file, line)
        self.problem = problem
        self.remedy = remedy
        self.file = file
        self.line = line

    def __str__(self) -> str:
        where = ""
        if self.file is not None:
            where = f"{self.file}: " if self.line is None else f"{self.file}:{self.line}: "
        told = f"{self.problem}, {self.remedy}" if self.remedy else self.problem
        return " ".join(f"{where}{told}".split("\n"))

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.problem, self.remedy, self.file, self.line)


def _rebuild(problem: str, remedy: str, file: str | None, line: int | None) -> PartwiseError:
    return PartwiseError(problem, remedy, file=file, line=line)


def shown(value: object, limit: int = 60) -> str:
    """A value as it is quoted in an error line: on one line and of bounded length."""
    text = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
    text = text if len(text) <= limit else text[: limit - 1] + "…"
    return repr(text)
