"""TREC Genomics 2007: passages with aspects, and runs of passages, in columns without names."""

from __future__ import annotations

import numpy as np

from partwise.formats.base import Format
from partwise.formats.judgements import RawJudgements, assembled
from partwise.formats.problems import Reader, bad_number
from partwise.formats.text import first_line
from partwise.messages import reading
from partwise.model import LARGEST_OFFSET, NO_GRADE, NONE, Assessments, Coded, Ints, Run
from partwise.types import Kind

_GOLD = "topic, document, offset, length and aspects, separated by tabs"
_RUN = "topic, document, rank, offset, length, score and tag"


class Genomics(Format):
    """``topic document offset length aspect|aspect ...``; runs: ``topic document rank offset length score tag``."""

    name = "genomics-2007"
    title = "TREC Genomics 2007"
    is_common = False
    content = "markup"  # Latin-1

    def sniff(self, data: bytes, name: str) -> bool:
        return self._kind(data) is not None

    def _kind(self, data: bytes) -> Kind | None:
        line = first_line(data)[1]
        cells, tokens = line.split(b"\t"), line.split()
        if len(cells) == 5 and all(cell.strip().isdigit() for cell in cells[2:4]) and not _is_number(cells[4]):
            return "assessments"
        is_run = len(tokens) == 7 and all(map(_is_number, tokens[2:6])) and tokens[1] not in (b"Q0", b"q0", b"0")
        is_run = is_run and not _is_number(tokens[6]) and not tokens[6].startswith(b"/")
        return "run" if is_run else None

    def what_is(self, data: bytes, reader: Reader) -> Kind | None:
        return self._kind(data)

    def read_assessments(self, data: bytes, reader: Reader, unit: str) -> Assessments:
        """A passage per line; each of its aspects is a nugget."""
        rows: list[tuple[int, str, str, int, int, str | None]] = []
        for number, line in _lines(data):
            cells = [cell.strip() for cell in line.split("\t")]
            if len(cells) != 5 or not cells[0] or not cells[1]:
                reader.problem(number, reading.NOT_A_ROW(format=self.title, reason=f"{_GOLD} are expected"))
                continue
            place = _numbers(cells[2:4], ("offset", "length"), number, reader)
            if place is None:
                continue
            aspects: list[str | None] = list(
                dict.fromkeys(filter(None, (aspect.strip() for aspect in cells[4].split("|"))))
            )
            for aspect in aspects or [None]:
                rows.append((number, cells[0], cells[1], place[0], place[0] + place[1], aspect))
        count = len(rows)
        unknown = np.full(count, NONE)
        raw = RawJudgements(
            Coded.of(row[1] for row in rows),
            Coded.of(row[2] for row in rows),
            Coded(np.zeros(count, np.int64), [""]),
            _column(row[0] for row in rows),
            length=unknown,
            bep=unknown,
            grade=np.full(count, NO_GRADE),
        )
        raw.repeats_documents = True
        raw.span_row, raw.start, raw.end = (
            np.arange(count),
            _column(row[3] for row in rows),
            _column(row[4] for row in rows),
        )
        names = list(dict.fromkeys(row[5] for row in rows if row[5] is not None))
        codes = {name: code for code, name in enumerate(names)}
        raw.nuggets = names
        raw.nugget = _column(NONE if row[5] is None else codes[row[5]] for row in rows)
        return assembled(raw, reader, None, unit)

    def read_runs(self, data: bytes, reader: Reader, name: str, by_tag: bool) -> list[Run]:
        """Results by rank; those of the same rank by document, offset and length."""
        rows: list[tuple[str, int, str, int, int, float, int]] = []
        tags: dict[str, None] = {}
        for number, line in _lines(data):
            tokens = line.split()
            if len(tokens) != 7:
                reader.problem(number, reading.NOT_A_ROW(format=self.title, reason=f"{_RUN} are expected"))
                continue
            place = _numbers(tokens[2:5], ("rank", "offset", "length"), number, reader)
            if not _is_number(tokens[5].encode()):
                reader.problem(number, reading.BAD_VALUE(name="score", value=repr(tokens[5]), expected="a number"))
            if place is None or not _is_number(tokens[5].encode()):
                continue
            rows.append((tokens[0], place[0], tokens[1], place[1], place[2], float(tokens[5]), number))
            tags[tokens[6]] = None
        reader.settle()
        order = sorted(range(len(rows)), key=lambda row: rows[row][1:5])
        ordered = [rows[row] for row in order]
        start = _column(row[3] for row in ordered)
        run = Run(
            run_id=next(iter(tags)) if by_tag and len(tags) == 1 else name,
            query=Coded.of(row[0] for row in ordered),
            doc=Coded.of(row[2] for row in ordered),
            rank=_column(row[1] for row in ordered),
            score=np.array([row[5] for row in ordered]),
            span_offsets=np.arange(len(rows) + 1),
            start=start,
            end=start + _column(row[4] for row in ordered),
            source=reader.source,
            lines=_column(row[6] for row in ordered),
            single=True,
            bounded=True,
        )
        return [run]


def _lines(data: bytes) -> list[tuple[int, str]]:
    """The lines that are not empty, numbered."""
    lines = enumerate(data.decode("latin-1").split("\n"), 1)
    return [(number, line.rstrip("\r")) for number, line in lines if line.strip()]


def _is_number(token: bytes) -> bool:
    digits = token.strip().removeprefix(b"-").replace(b".", b"", 1)
    return digits.isdigit()


def _numbers(tokens: list[str], names: tuple[str, ...], line: int, reader: Reader) -> list[int] | None:
    """Whole numbers; one that is not is a problem."""
    for token, name in zip(tokens, names, strict=True):
        if not (token.isascii() and token.isdigit() and len(token) <= 18 and int(token) <= LARGEST_OFFSET):
            reader.problem(line, bad_number(name, token))
            return None
    return [int(token) for token in tokens]


def _column(values: object) -> Ints:
    return np.fromiter(values, np.int64)  # type: ignore[call-overload, no-any-return]


GENOMICS = Genomics()
