"""INEX XML: submissions (2002 to 2008) and assessments (2002 to 2006), read in one pass, without a tree of the file.

Submissions have the root ``inex-submission`` and results with ``path`` (several make a tree), ``passage`` or ``fol``;
assessments have the root ``assessments``. The parser opens no other file: a document type may name one, which is never
looked for, and entities that a file declares itself are refused.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from partwise.errors import PartwiseError, shown
from partwise.formats.judgements import RawJudgements, assembled
from partwise.formats.problems import Reader, number_remedy
from partwise.model import LARGEST_OFFSET, NO_GRADE, NONE, TO_END, Assessments, Coded, Floats, Ints, Paths, Run

SUBMISSION, ASSESSMENTS = "inex-submission", "assessments"
TOPIC_COPY = "inex_topic"
"""Stands in assessments for people to read, and may hold anything."""
FOUR_POINT, INEX_2005 = "four-point", "inex2005"

COVERAGE = {"N": 0.0, "L": 1.0, "S": 2.0, "E": 3.0}
"""The specificity that stands for a coverage of 2002: none, too large, too small, exact."""

ITEM = "element"
"""What is skipped when lenient."""

Attributes = Mapping[str, str]
_BLOCK = 1 << 20
_PATH = "a path that begins with /"
_WHOLE = re.compile("[0-9]{1,18}")
_WHOLE_DOCUMENT = ((0, TO_END),)
_TAG = re.compile(rb"""<(?:[^"'<>]|"[^"<]*"|'[^'<]*')*>""")
_FOREIGN = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);|#)[^;]*;")


# ---- one pass -----------------------------------------------------------------------------------------------


class _Listener:
    """Hears elements start and end; `depth` is how many are open, `text` what was read since the last tag."""

    root: str
    wanted: str
    """What a user should have given."""

    def __init__(self, reader: Reader, before: int = 0) -> None:
        self.reader = reader
        self.before = before
        """Lines of other files before the first of this one."""
        self.depth = 0
        self.text: list[str] = []
        self.items = 0
        self.item = (before, 0)
        """What is skipped as a whole if something is wrong with it: its line, and its number."""

    def begin_item(self, line: int) -> None:
        self.items += 1
        self.item = self.before + line, self.items

    def problem(self, line: int, problem: str, remedy: str) -> None:
        self.reader.problem(self.before + line, problem, remedy, self.item)

    def error(self, problem: str, remedy: str, line: int) -> PartwiseError:
        return self.reader.source.error(problem, remedy, self.before + line)

    def start(self, name: str, attributes: Attributes, line: int) -> None:
        if self.depth == 0:
            if name != self.root:
                raise self.error(f"has the root element {shown(name)}", self.wanted, line)
            self.begin(attributes, line)
        else:
            self.open(name, attributes, line)
        self.depth += 1
        self.text = []

    def end(self, name: str, line: int) -> None:
        self.depth -= 1
        self.close(name, "".join(self.text).strip(), line)
        self.text = []

    def hear(self, text: str) -> None:
        self.text.append(text)

    def begin(self, attributes: Attributes, line: int) -> None:
        """The root."""
        raise NotImplementedError

    def open(self, name: str, attributes: Attributes, line: int) -> None:
        """An element below the root."""
        raise NotImplementedError

    def close(self, name: str, text: str, line: int) -> None:
        """The end of an element, and its text if it has no elements in it."""

    def natural(self, text: str | None, noun: str, line: int) -> int | None:
        """A whole number from 0; None, and a problem, if it is none."""
        if text is None:
            self.problem(line, f"has no {noun}", "it must be a whole number from 0")
            return None
        if _WHOLE.fullmatch(text.strip()) and int(text) <= LARGEST_OFFSET:
            return int(text)
        self.problem(line, f"the {noun} is {shown(text)}", number_remedy(text.strip()))
        return None

    def edges(self, attributes: Attributes, line: int) -> tuple[str, str] | None:
        """Where a passage starts and ends; None, and a problem, if one of the two is missing."""
        start, end = (self.path(attributes.get(edge), f"{edge} of the passage", line) for edge in ("start", "end"))
        return None if start is None or end is None else (start, end)

    def path(self, text: str | None, noun: str, line: int) -> str | None:
        """A path or pointer; None, and a problem, if it is none."""
        path = (text or "").strip()
        if path.startswith("/") and len(path.split()) == 1:
            return path
        told = f"the {noun} is {shown(path)}" if path else f"has no {noun}"
        self.problem(line, told, f"it must be {_PATH}")
        return None


def _hear(data: bytes, listener: _Listener) -> None:
    """Read the file; what is not well formed is an error, also when lenient, for nobody knows how it goes on."""
    from xml.parsers import expat

    parser = expat.ParserCreate()
    parser.buffer_text = True

    def declared(name: str, is_parameter: bool, *_: Any) -> None:
        if not is_parameter:
            raise listener.error(
                f"declares the entity {shown(name)}, a file's own entities are not expanded",
                "write its text in its place",
                parser.CurrentLineNumber,
            )

    def start(name: str, given: dict[str, str]) -> None:
        listener.start(name, given, parser.CurrentLineNumber)

    def start_if_known(name: str, given: dict[str, str]) -> None:
        """In attributes the parser leaves out entities of a DTD that is not read, and does not say so."""
        tag = _TAG.match(data, parser.CurrentByteIndex)
        foreign = None if tag is None else _FOREIGN.search(tag[0])
        if foreign is not None:
            raise listener.error(
                f"the entity {foreign[0].decode('utf-8', 'backslashreplace')} is not known in an attribute",
                "write the character itself or its number",
                parser.CurrentLineNumber,
            )
        start(name, given)

    parser.StartElementHandler = start_if_known if _FOREIGN.search(data) else start
    parser.EndElementHandler = lambda name: listener.end(name, parser.CurrentLineNumber)
    parser.CharacterDataHandler = listener.hear
    parser.SkippedEntityHandler = lambda name, _: listener.hear(f"&{name};")  # of a DTD that is not read
    parser.EntityDeclHandler = declared
    try:
        for at in range(0, len(data), _BLOCK):
            parser.Parse(data[at : at + _BLOCK], False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        told = expat.ErrorString(error.code)
        raise listener.error(f"is not well-formed XML ({told})", "mend it there", error.lineno) from None
    except (LookupError, ValueError) as error:
        if isinstance(error, PartwiseError):
            raise
        raise listener.error(f"is in an encoding that is not known ({error})", "save it as UTF-8", 1) from None


class _FoundRoot(Exception):
    """Ends the reading at the root."""


class _RootOnly(_Listener):
    found = ""

    def start(self, name: str, attributes: Attributes, line: int) -> None:
        self.found = name
        raise _FoundRoot


def root_of(data: bytes, reader: Reader) -> str:
    """The name of the root element."""
    listener = _RootOnly(reader)
    with contextlib.suppress(_FoundRoot):
        _hear(data, listener)
    return listener.found


# ---- submissions --------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Result:
    """What stands in one ``result``."""

    line: int
    is_bad: bool = False
    texts: dict[str, tuple[str, int]] = field(default_factory=dict)
    paths: list[tuple[str, str | None]] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)


_FIELDS = ("file", "path", "rank", "rsv")


class _Submission(_Listener):
    root = SUBMISSION
    wanted = f"a run has the root {SUBMISSION}"

    def __init__(self, reader: Reader) -> None:
        super().__init__(reader)
        self.tag = ""
        self.topic: str | None = None
        self.result: _Result | None = None
        self.field: str | None = None
        """The field of the result that is open."""
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
            self.fails(line, f"the {self.field} has an element {shown(name)} in it", "write its text alone")
        elif self.result is not None and name in _FIELDS:
            self.field = name
        elif name == "topic" and self.depth == 1:
            self.begin_item(line)
            self.topic = attributes.get("topic-id", "").strip() or None
            if self.topic is None:
                self.problem(line, "the topic has no topic-id", "give every topic its topic-id")
        elif name == "result":
            self.begin_item(line)
            self.result = _Result(line)
            if self.depth != 2:
                self.fails(line, "a result stands outside of a topic", "put it into <topic topic-id=...>")
        elif name == "passage" and self.result is not None:
            edges = self.edges(attributes, line)
            self.result.is_bad |= edges is None
            self.result.paths.append(edges or ("", None))
        elif name == "fol" and self.result is not None:
            offset, length = (self.natural(attributes.get(noun), noun, line) for noun in ("offset", "length"))
            end = (offset or 0) + (length or 0)
            self.result.is_bad |= offset is None or length is None
            self.result.spans.append((offset or 0, end))
            if end > LARGEST_OFFSET:
                self.fails(line, f"the end of the part is '{end}'", f"it must be at most {LARGEST_OFFSET}")

    def fails(self, line: int, problem: str, remedy: str) -> None:
        """Something is wrong with the result that is open."""
        self.problem(line, problem, remedy)
        if self.result is not None:
            self.result.is_bad = True

    def close(self, name: str, text: str, line: int) -> None:
        if name == "topic" and self.depth == 1:
            self.topic = None
        if self.result is None or self.field not in (None, name):
            return
        self.field = None
        if name == "path":
            path = self.path(text, "path", line)
            self.result.is_bad |= path is None
            self.result.paths.append((path or "", None))
        elif name in _FIELDS:
            if name in self.result.texts:
                self.fails(line, f"the result has a second {name}", "give every result one")
            self.result.texts[name] = text, line
        elif name == "result":
            self.take(self.result)
            self.result = None

    def take(self, result: _Result) -> None:
        if self.topic is None:
            self.fails(result.line, "the result has no topic", "give every topic its topic-id")
            return
        doc = result.texts.get("file", ("", 0))[0]
        if not doc and not result.is_bad:
            self.fails(result.line, "the result has no file", "give every result its file")
        rank, score = NONE, np.nan
        if "rank" in result.texts:
            found = self.natural(result.texts["rank"][0], "rank", result.texts["rank"][1])
            result.is_bad |= found is None
            rank = NONE if found is None else found
        if "rsv" in result.texts:
            text, line = result.texts["rsv"]
            number = _number(text)
            if number is None:
                self.fails(line, f"the rsv is {shown(text)}", "it must be a number")
            score = np.nan if number is None else number
        if result.paths and result.spans:
            self.fails(result.line, "the result has both paths and a fol", "give a part in one way")
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
        last = [pair[1] for pair in pairs]
        return Run(
            run_id="",
            query=Coded.of(self.query),
            doc=Coded.of(self.doc),
            rank=None if (rank == NONE).all() else rank,
            score=None if np.isnan(score).all() else score,
            span_offsets=_offsets(self.spans),
            start=flat[:, 0].copy(),
            end=flat[:, 1].copy(),
            paths=Paths(_offsets(self.paths), [pair[0] for pair in pairs], last if any(last) else None)
            if pairs
            else None,
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
    """The run of a submission, and the run-id that each row has from it."""
    reader.noun = ITEM
    listener = _Submission(reader)
    _hear(data, listener)
    reader.settle()
    run = listener.run()
    return run, Coded(np.zeros(len(run), np.int64), [listener.tag])


# ---- assessments --------------------------------------------------------------------------------------------


class _Pool(_Listener):
    """The judgements of one file: those of one topic by one assessor."""

    root = ASSESSMENTS
    wanted = f"assessments have the root {ASSESSMENTS}"

    def __init__(self, reader: Reader, before: int) -> None:
        super().__init__(reader, before)
        self.topic, self.pool = "", ""
        self.in_file, self.in_topic = False, False
        self.file: str | None = None
        self.has_children = False
        self.file_line = 0
        self.doc: list[str] = []
        self.lines: list[int] = []
        self.bep: dict[int, str] = {}
        self.passages: list[tuple[int, str, str]] = []
        self.elements: list[tuple[int, str, float, float]] = []
        self.scale: tuple[str, int] | None = None

    def begin(self, attributes: Attributes, line: int) -> None:
        self.topic, self.pool = _topic(attributes), attributes.get("pool", "").strip()
        if not self.topic:
            raise self.error("has no topic", f"write <{ASSESSMENTS} topic=...>", line)

    def open(self, name: str, attributes: Attributes, line: int) -> None:
        self.begin_item(line)
        if self.depth == 1:
            self.in_file, self.in_topic = name == "file", name == TOPIC_COPY
            if self.in_file:
                self.begin_file(attributes, line)
        elif self.in_topic:
            return
        elif name == "file":
            self.problem(line, "the file stands inside of another element", f"put it right into <{ASSESSMENTS}>")
        elif self.in_file and name in _JUDGED and self.depth == 2:
            self.has_children = True
            if self.file is not None:
                _JUDGED[name](self, attributes, line)
        if name in _JUDGED and not (self.in_file and self.depth == 2):
            self.has_children = True
            self.problem(line, f"the {name} stands outside of a file", "put it right into <file file=...>")

    def begin_file(self, attributes: Attributes, line: int) -> None:
        self.file = (attributes.get("file") or attributes.get("name") or "").strip() or None
        self.has_children, self.file_line = False, line
        if self.file is None:
            self.problem(line, "the file has no name", "write <file file=...> or <file name=...>")

    def close(self, name: str, text: str, line: int) -> None:
        if self.depth == 1:
            if self.file is not None and not self.has_children:
                self.row(self.file_line)
            self.file, self.in_file, self.in_topic = None, False, False

    def row(self, line: int) -> int:
        self.doc.append(self.file or "")
        self.lines.append(self.before + line)
        return len(self.doc) - 1

    def entry_point(self, attributes: Attributes, line: int) -> None:
        path = self.path(attributes.get("path"), "path of the best entry point", line)
        if path is not None:
            self.bep[self.row(line)] = path

    def passage(self, attributes: Attributes, line: int) -> None:
        edges = self.edges(attributes, line)
        if edges is not None:
            self.passages.append((self.row(line), *edges))

    def on_four_points(self, attributes: Attributes, line: int) -> None:
        """2003 and 2004: two grades from 0 to 3; 2002: one that holds both, as ``3E``."""
        if "relevance" in attributes:
            grades = self.of_2002(attributes["relevance"].strip(), line)
        else:
            grades = [
                self.grade(attributes, names, ("0", "1", "2", "3"), line)
                for names in (("exhaustiveness", "exhaustivity"), ("specificity",))
            ]
        self.graded(attributes, grades, FOUR_POINT, line)

    def of_2002(self, text: str, line: int) -> list[float | None]:
        if re.fullmatch("0N|[123][LSE]", text):
            return [float(text[0]), COVERAGE[text[1]]]
        self.problem(line, f"the relevance is {shown(text)}", "it must be 0N, or 1, 2 or 3 followed by L, S or E")
        return [None, None]

    def of_2005(self, attributes: Attributes, line: int) -> None:
        """2005 and 2006: exhaustivity, and how many of an element's characters are highlighted."""
        exhaustivity = self.grade(attributes, ("exhaustivity", "exhaustiveness"), ("2", "1", "?"), line)
        highlighted, size = (self.natural(attributes.get(noun), noun, line) for noun in ("rsize", "size"))
        specificity = None
        if highlighted is not None and size is not None:
            if highlighted > size:
                self.problem(line, f"the rsize {highlighted} is more than the size {size}", "it must be a part of it")
            else:
                specificity = highlighted / size if size else 0.0
        self.graded(attributes, [exhaustivity, specificity], INEX_2005, line)

    def grade(self, attributes: Attributes, names: tuple[str, ...], values: tuple[str, ...], line: int) -> float | None:
        given = next((attributes[name].strip() for name in names if name in attributes), None)
        if given is None:
            self.problem(line, f"has no {names[0]}", f"it must be one of {', '.join(values)}")
        elif given not in values:
            self.problem(line, f"the {names[0]} is {shown(given)}", f"it must be one of {', '.join(values)}")
        else:
            return 0.0 if given == "?" else float(given)
        return None

    def graded(self, attributes: Attributes, grades: list[float | None], scale: str, line: int) -> None:
        path = self.path(attributes.get("path"), "path", line)
        if self.scale is None:
            self.scale = scale, self.before + line
        elif self.scale[0] != scale:
            self.problem(
                line, f"grades on the scale {scale}, earlier ones on {self.scale[0]}", "assessments have one scale"
            )
            return
        if path is not None and grades[0] is not None and grades[1] is not None:
            self.elements.append((self.row(line), path, grades[0], grades[1]))


_JUDGED: dict[str, Callable[[_Pool, Attributes, int], None]] = {
    "path": _Pool.on_four_points,
    "element": _Pool.of_2005,
    "passage": _Pool.passage,
    "best-entry-point": _Pool.entry_point,
}


def _topic(attributes: Attributes) -> str:
    """The attribute ``topic``, or else the last that is an id; of several ids in it the last."""
    ids = [name for name in attributes if name.lower().endswith("id") and name != "pool-id"]
    named = [name for name in ("topic", "topic-id", "topic_id") if name in attributes] or ids[-1:]
    words = _ids(attributes[named[0]]) if named else []
    return words[-1] if words else ""


def _ids(text: str) -> list[str]:
    return text.replace(",", " ").split()


def is_one_id(topic: str) -> bool:
    """Whether a topic is read back as it is."""
    return _ids(topic) == [topic]


def read_pool(data: bytes, reader: Reader, before: int) -> _Pool:
    """What one file judges; its lines are numbered behind `before` others."""
    reader.noun = ITEM
    pool = _Pool(reader, before)
    _hear(data, pool)
    return pool


def assessments_of(pools: Sequence[_Pool], stems: Sequence[str], reader: Reader, unit: str) -> Assessments:
    """The assessments of one file or several. Pools are assessors; where several files judge a topic without saying
    for which pool, each is an assessor with the file's name."""
    unnamed = [pool.topic for pool in pools if not pool.pool]
    names = [
        pool.pool or (stem if unnamed.count(pool.topic) > 1 else "") for pool, stem in zip(pools, stems, strict=True)
    ]
    scale = _one_scale(pools, reader)
    first = np.cumsum([0, *(len(pool.doc) for pool in pools)]).tolist()
    count = first[-1]
    raw = RawJudgements(
        Coded.of(pool.topic for pool in pools for _ in pool.doc),
        Coded.of(doc for pool in pools for doc in pool.doc),
        Coded.of(name for pool, name in zip(pools, names, strict=True) for _ in pool.doc),
        np.array([line for pool in pools for line in pool.lines], np.int64),
        length=np.full(count, NONE),
        bep=np.full(count, NONE),
        grade=np.full(count, NO_GRADE),
    )
    raw.repeats_documents = True
    placed = list(zip(first, pools, strict=False))
    beps = {at + row: path for at, pool in placed for row, path in pool.bep.items()}
    if beps:
        raw.bep_path = Coded.of(beps.get(row, "") for row in range(count))
    passages = [(at + row, start, end) for at, pool in placed for row, start, end in pool.passages]
    raw.passage_row = np.array([row for row, _, _ in passages], np.int64)
    raw.first, raw.last = [start for _, start, _ in passages], [end for _, _, end in passages]
    elements = [(at + row, *rest) for at, pool in placed for row, *rest in pool.elements]
    raw.element_row = np.array([row for row, *_ in elements], np.int64)
    raw.path = [path for _, path, _, _ in elements]
    raw.exhaustivity = np.array([grade for _, _, grade, _ in elements], np.float64)
    raw.specificity = np.array([grade for _, _, _, grade in elements], np.float64)
    return assembled(raw, reader, scale, unit)


def _one_scale(pools: Sequence[_Pool], reader: Reader) -> str | None:
    scales = [pool.scale for pool in pools if pool.scale is not None]
    for scale, line in scales:
        if scale != scales[0][0]:
            raise reader.source.error(
                f"grades on the scale {scale}, {reader.source.place(scales[0][1])} on {scales[0][0]}",
                "assessments have one scale",
                line,
            )
    return scales[0][0] if scales else None


# ---- writing ------------------------------------------------------------------------------------------------


def _attributes(**values: Any) -> str:
    from xml.sax.saxutils import quoteattr

    return "".join(f" {name.replace('_', '-')}={quoteattr(str(value))}" for name, value in values.items())


def _element(name: str, text: Any) -> str:
    from xml.sax.saxutils import escape

    return f"<{name}>{escape(str(text))}</{name}>"


def unwritable(names: Iterable[str]) -> str | None:
    """The first name that would not be read back as it is: blanks around it, or characters that XML has not."""
    for name in names:
        if name != name.strip() or not name or not name.isprintable():
            return name
    return None


def submission(run: Run, rank: Sequence[int | None]) -> str:
    """A run as a submission, topic by topic."""
    rows_of: dict[str, list[int]] = {}
    for row, query in enumerate(run.query.values()):
        rows_of.setdefault(query, []).append(row)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<{SUBMISSION}{_attributes(run_id=run.run_id)}>"]
    for query, rows in rows_of.items():
        lines.append(f"  <topic{_attributes(topic_id=query)}>")
        for row in rows:
            fields = [_element("file", run.doc[row]), *_part(run, row)]
            if rank[row] is not None:
                fields.append(_element("rank", rank[row]))
            if run.score is not None and not np.isnan(run.score[row]):
                fields.append(_element("rsv", repr(float(run.score[row]))))
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
        *(_element("path", path) if last is None else f"<passage{_attributes(start=path, end=last)}/>"
          for path, last in paths),
        *(f"<fol{_attributes(offset=start, length=end - start)}/>" for start, end in spans),
    ]  # fmt: skip


def pools_of(assessments: Assessments) -> list[tuple[str, str, str]]:
    """Topic, assessor and file content of every pool, in the order in which they were judged."""
    documents, children = assessments.documents, _children(assessments)
    columns = documents.query.tolist(), documents.assessor.tolist(), documents.doc.tolist()
    order = sorted(range(len(documents.lines)), key=lambda row: int(documents.lines[row]))
    files: dict[tuple[int, int], list[int]] = {}
    for row in order:
        files.setdefault((columns[0][row], columns[1][row]), []).append(row)
    found = []
    for (query, assessor), rows in files.items():
        topic, pool = assessments.queries[query], assessments.assessors[assessor]
        given = {"pool": pool, "topic": topic} if pool else {"topic": topic}
        lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<{ASSESSMENTS}{_attributes(**given)}>"]
        attribute = "file" if assessments.scale == FOUR_POINT else "name"
        for row in rows:
            name = _attributes(**{attribute: assessments.docs[columns[2][row]]})
            inside = children.get((query, assessor, columns[2][row]), [])
            if documents.bep_path is not None and documents.bep_path[row]:
                inside = [f"<best-entry-point{_attributes(path=documents.bep_path[row])}/>", *inside]
            lines += [f"  <file{name}>", *(f"    {child}" for child in inside), "  </file>"]
        found.append((topic, pool, "\n".join([*lines, f"</{ASSESSMENTS}>", ""])))
    return found


def _children(assessments: Assessments) -> dict[tuple[int, int, int], list[str]]:
    """What stands in the file of each query, assessor and document: passages, then elements."""
    found: dict[tuple[int, int, int], list[str]] = {}
    passages, elements = assessments.passages, assessments.elements

    def owners(table: Any) -> Iterable[tuple[int, int, int]]:
        return zip(table.query.tolist(), table.assessor.tolist(), table.doc.tolist(), strict=True)

    for owner, first, last in zip(owners(passages), passages.first, passages.last, strict=True):
        found.setdefault(owner, []).append(f"<passage{_attributes(start=first, end=last)}/>")
    grades = zip(elements.path, elements.exhaustivity.tolist(), elements.specificity.tolist(), strict=True)
    for owner, (path, exhaustivity, specificity) in zip(owners(elements), grades, strict=True):
        if assessments.scale == FOUR_POINT:
            told = _attributes(path=path, exhaustiveness=int(exhaustivity), specificity=int(specificity))
            found.setdefault(owner, []).append(f"<path{told}/>")
        else:
            share = _share(specificity)
            told = _attributes(
                path=path,
                exhaustivity=int(exhaustivity) or "?",
                size=share.denominator,
                rsize=share.numerator,
            )
            found.setdefault(owner, []).append(f"<element{told}/>")
    return found


def _share(specificity: float) -> Fraction:
    """The fraction of least terms that is this number as a double."""
    for digits in (3, 6, 9, 12):
        share = Fraction(specificity).limit_denominator(10**digits)
        if share.numerator / share.denominator == specificity:
            return share
    return Fraction(specificity)


def unfit(assessments: Assessments) -> str | None:
    """What keeps assessments from being written as INEX XML."""
    documents, elements = assessments.documents, assessments.elements
    if len(assessments.spans.lines) or (documents.bep != NONE).any():
        return "INEX XML holds passages and best entry points as paths, not as offsets"
    if (documents.grade != NO_GRADE).any() or (documents.length != NONE).any():
        return "INEX XML holds no document grades and no document lengths"
    if len(assessments.trees.lines):
        return "INEX XML holds no judged trees"
    if len(elements.lines):
        if assessments.scale not in (FOUR_POINT, INEX_2005):
            return f"INEX XML holds grades on the scales {FOUR_POINT} and {INEX_2005} only"
        if assessments.scale == FOUR_POINT and (len(assessments.passages.lines) or any(documents.bep_path or ())):
            return "INEX XML of four-point grades holds no passages and best entry points"
        four = assessments.scale == FOUR_POINT
        exhaustivity, specificity = elements.exhaustivity, elements.specificity
        fine = np.isin(exhaustivity, (0, 1, 2, 3) if four else (0, 1, 2)).all()
        fine &= np.isin(specificity, (0, 1, 2, 3)).all() if four else _is_share(specificity)
        if not fine:
            return f"INEX XML holds grades that are on their scale, {assessments.scale}"
    return None


def _is_share(values: Floats) -> bool:
    shares = (_share(value) for value in values.tolist() if 0 <= value <= 1)
    return sum(share.denominator <= LARGEST_OFFSET for share in shares) == len(values)
