"""Runs as INEX XML: submissions (2002 to 2008), with results that are elements, trees, passages or spans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from partwise.errors import shown
from partwise.formats.problems import Reader
from partwise.formats.xml_events import ITEM, Attributes, Listener, attribute_text, element_text, parse
from partwise.messages import Text, reading, xml
from partwise.model import LARGEST_OFFSET, NONE, TO_END, Coded, Ints, Paths, Run

SUBMISSION = "inex-submission"
_WHOLE_DOCUMENT = ((0, TO_END),)


@dataclass(slots=True)
class _Result:
    """The content of one ``result``."""

    line: int
    is_bad: bool = False
    texts: dict[str, tuple[str, int]] = field(default_factory=dict)
    paths: list[tuple[str, str | None]] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)


_FIELDS = ("file", "path", "rank", "rsv")


class _Submission(Listener):
    root = SUBMISSION
    wrong_root = xml.NOT_A_SUBMISSION

    def __init__(self, reader: Reader) -> None:
        super().__init__(reader)
        self.tag = ""
        self.topic: str | None = None
        self.result: _Result | None = None
        self.field: str | None = None
        """The open field of the result."""
        self.query: list[str] = []
        self.doc: list[str] = []
        self.rank: list[int] = []
        self.score: list[float] = []
        self.paths: list[Sequence[tuple[str, str | None]]] = []
        self.spans: list[Sequence[tuple[int, int]]] = []
        self.lines: list[int] = []

    def begin(self, attributes: Attributes, line: int) -> None:
        self.tag = attributes.get("run-id", "").strip()

    def open(self, name: str, attributes: Attributes, line: int) -> None:
        if self.field is not None:
            self.result_problem(line, xml.ELEMENT_IN_FIELD(field=self.field, name=shown(name)))
        elif self.result is not None and name in _FIELDS:
            self.field = name
        elif name == "topic" and self.depth == 1:
            self.begin_item(line)
            self.topic = attributes.get("topic-id", "").strip() or None
            if self.topic is None:
                self.problem(line, xml.NO_TOPIC_ID())
        elif name == "result":
            self.begin_item(line)
            self.result = _Result(line)
            if self.depth != 2:
                self.result_problem(line, xml.RESULT_OUTSIDE_TOPIC())
        elif name == "passage" and self.result is not None:
            edges = self.edges(attributes, line)
            self.result.is_bad |= edges is None
            self.result.paths.append(edges or ("", None))
        elif name == "fol" and self.result is not None:
            offset, length = (self.natural(attributes.get(name), name, line) for name in ("offset", "length"))
            end = (offset or 0) + (length or 0)
            self.result.is_bad |= offset is None or length is None
            self.result.spans.append((offset or 0, end))
            if end > LARGEST_OFFSET:
                message = reading.TOO_LARGE(name="end of the part", value=shown(end), largest=LARGEST_OFFSET)
                self.result_problem(line, message)

    def result_problem(self, line: int, message: Text) -> None:
        """Report a problem of the open result, which is then skipped."""
        self.problem(line, message)
        if self.result is not None:
            self.result.is_bad = True

    def close(self, name: str, text: str, line: int) -> None:
        if name == "topic" and self.depth == 1:
            self.topic = None
        if self.result is None or self.field not in (None, name):
            return
        self.field = None
        if name == "path":
            path = self.path(text, "path", "result", line)
            self.result.is_bad |= path is None
            self.result.paths.append((path or "", None))
        elif name in _FIELDS:
            if name in self.result.texts:
                self.result_problem(line, xml.SECOND_FIELD(name=name))
            self.result.texts[name] = text, line
        elif name == "result":
            self.add(self.result)
            self.result = None

    def add(self, result: _Result) -> None:
        if self.topic is None:
            self.result_problem(result.line, xml.RESULT_WITHOUT_TOPIC())
            return
        doc = result.texts.get("file", ("", 0))[0]
        if not doc and not result.is_bad:
            self.result_problem(result.line, xml.RESULT_WITHOUT_FILE())
        rank, score = NONE, np.nan
        if "rank" in result.texts:
            text, line = result.texts["rank"]
            whole = self.natural(text, "rank", line)
            result.is_bad |= whole is None
            rank = NONE if whole is None else whole
        if "rsv" in result.texts:
            text, line = result.texts["rsv"]
            number = _number(text)
            if number is None:
                self.result_problem(line, reading.BAD_VALUE(name="rsv", value=shown(text), expected="a number"))
            score = np.nan if number is None else number
        if result.paths and result.spans:
            self.result_problem(result.line, xml.PATHS_AND_FOL())
        if not result.is_bad:
            self.query.append(self.topic)
            self.doc.append(doc)
            self.rank.append(rank)
            self.score.append(score)
            self.paths.append(result.paths or ())
            self.spans.append(result.spans or (() if result.paths else _WHOLE_DOCUMENT))
            self.lines.append(result.line)

    def run(self) -> Run:
        rank, score = np.array(self.rank, np.int64), np.array(self.score, np.float64)
        flat = np.array([span for of_row in self.spans for span in of_row], np.int64).reshape(-1, 2)
        pairs = [pair for of_row in self.paths for pair in of_row]
        return Run(
            run_id="",
            query=Coded.of(self.query),
            doc=Coded.of(self.doc),
            rank=None if (rank == NONE).all() else rank,
            score=None if np.isnan(score).all() else score,
            span_offsets=_offsets(self.spans),
            start=flat[:, 0].copy(),
            end=flat[:, 1].copy(),
            paths=Paths.of_pairs(_offsets(self.paths), pairs) if pairs else None,
            source=self.reader.source,
            lines=np.array(self.lines, np.int64),
        )


def _offsets(rows: Sequence[Sequence[Any]]) -> Ints:
    offsets = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    return offsets


def _number(text: str) -> float | None:
    if "_" in text or not text.isascii():
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return None if np.isnan(value) else value


def read_run(data: bytes, reader: Reader) -> tuple[Run, Coded]:
    """The run of a submission, and the run-id of each row."""
    reader.noun = ITEM
    listener = _Submission(reader)
    parse(data, listener)
    reader.settle()
    run = listener.run()
    return run, Coded(np.zeros(len(run), np.int64), [listener.tag])


def submission(run: Run, rank: Sequence[int | None]) -> str:
    """A run as a submission, topic by topic."""
    rows_of: dict[str, list[int]] = {}
    for row, query in enumerate(run.query.values()):
        rows_of.setdefault(query, []).append(row)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<{SUBMISSION}{attribute_text(run_id=run.run_id)}>"]
    for query, rows in rows_of.items():
        lines.append(f"  <topic{attribute_text(topic_id=query)}>")
        for row in rows:
            fields = [element_text("file", run.doc[row]), *_part(run, row)]
            if rank[row] is not None:
                fields.append(element_text("rank", rank[row]))
            if run.score is not None and not np.isnan(run.score[row]):
                fields.append(element_text("rsv", repr(float(run.score[row]))))
            lines.append(f"    <result>{''.join(fields)}</result>")
        lines.append("  </topic>")
    return "\n".join([*lines, f"</{SUBMISSION}>", ""])


def _part(run: Run, row: int) -> list[str]:
    paths = run.paths.of_row(row) if run.paths is not None else []
    inside = range(int(run.span_offsets[row]), int(run.span_offsets[row + 1]))
    spans = [(int(run.start[i]), int(run.end[i])) for i in inside]
    if spans == [(0, TO_END)]:
        return []
    return [
        *(element_text("path", path) if last is None else f"<passage{attribute_text(start=path, end=last)}/>"
          for path, last in paths),
        *(f"<fol{attribute_text(offset=start, length=end - start)}/>" for start, end in spans),
    ]  # fmt: skip
