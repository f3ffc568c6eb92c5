"""Assessments as INEX XML (2002 to 2006): a file for each topic and pool, that is, for each topic and assessor."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from partwise.errors import shown
from partwise.formats.judgements import RawJudgements, assembled
from partwise.formats.problems import Reader
from partwise.formats.xml_events import ITEM, Attributes, Listener, attribute_text, parse
from partwise.messages import Text, writing, xml
from partwise.model import LARGEST_OFFSET, NO_GRADE, NONE, Assessments, Coded, Floats

ASSESSMENTS = "assessments"
TOPIC_COPY = "inex_topic"
"""A copy of the topic for human readers, which may contain anything."""
FOUR_POINT, INEX_2005 = "four-point", "inex2005"

COVERAGE = {"N": 0.0, "L": 1.0, "S": 2.0, "E": 3.0}
"""The specificity of each coverage of 2002: none, too large, too small, exact."""


class _Pool(Listener):
    """The judgements of one file: those of one topic by one assessor."""

    root = ASSESSMENTS
    wrong_root = xml.NOT_ASSESSMENTS

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
            raise self.error(xml.NO_TOPIC(), line)

    def open(self, name: str, attributes: Attributes, line: int) -> None:
        self.begin_item(line)
        if self.depth == 1:
            self.in_file, self.in_topic = name == "file", name == TOPIC_COPY
            if self.in_file:
                self.begin_file(attributes, line)
        elif self.in_topic:
            return
        elif name == "file":
            self.problem(line, xml.NESTED_FILE())
        elif self.in_file and name in _JUDGED and self.depth == 2:
            self.has_children = True
            if self.file is not None:
                _JUDGED[name](self, attributes, line)
        if name in _JUDGED and not (self.in_file and self.depth == 2):
            self.has_children = True
            self.problem(line, xml.JUDGEMENT_OUTSIDE_FILE(name=name))

    def begin_file(self, attributes: Attributes, line: int) -> None:
        self.file = (attributes.get("file") or attributes.get("name") or "").strip() or None
        self.has_children, self.file_line = False, line
        if self.file is None:
            self.problem(line, xml.FILE_WITHOUT_NAME())

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
        path = self.path(attributes.get("path"), "path", "best entry point", line)
        if path is not None:
            self.bep[self.row(line)] = path

    def passage(self, attributes: Attributes, line: int) -> None:
        edges = self.edges(attributes, line)
        if edges is not None:
            self.passages.append((self.row(line), *edges))

    def on_four_points(self, attributes: Attributes, line: int) -> None:
        """2003 and 2004: two grades from 0 to 3; 2002: one code for both, such as ``3E``."""
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
        self.problem(line, xml.NOT_A_RELEVANCE(value=shown(text)))
        return [None, None]

    def of_2005(self, attributes: Attributes, line: int) -> None:
        """2005 and 2006: exhaustivity, and the number of highlighted characters of an element."""
        exhaustivity = self.grade(attributes, ("exhaustivity", "exhaustiveness"), ("2", "1", "?"), line)
        highlighted, size = (self.natural(attributes.get(name), name, line) for name in ("rsize", "size"))
        specificity = None
        if highlighted is not None and size is not None:
            if highlighted > size:
                self.problem(line, xml.RSIZE_TOO_LARGE(rsize=highlighted, size=size))
            else:
                specificity = highlighted / size if size else 0.0
        self.graded(attributes, [exhaustivity, specificity], INEX_2005, line)

    def grade(self, attributes: Attributes, names: tuple[str, ...], values: tuple[str, ...], line: int) -> float | None:
        grade = next((attributes[name].strip() for name in names if name in attributes), None)
        if grade is None:
            self.problem(line, xml.NO_GRADE(name=names[0], values=", ".join(values)))
        elif grade not in values:
            self.problem(line, xml.NOT_A_GRADE(name=names[0], value=shown(grade), values=", ".join(values)))
        else:
            return 0.0 if grade == "?" else float(grade)
        return None

    def graded(self, attributes: Attributes, grades: list[float | None], scale: str, line: int) -> None:
        path = self.path(attributes.get("path"), "path", "element", line)
        if self.scale is None:
            self.scale = scale, self.before + line
        elif self.scale[0] != scale:
            self.problem(line, xml.SECOND_SCALE(scale=scale, earlier=self.scale[0]))
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
    """The last id in the attribute ``topic``, or else in the last attribute that is an id."""
    ids = [name for name in attributes if name.lower().endswith("id") and name != "pool-id"]
    named = [name for name in ("topic", "topic-id", "topic_id") if name in attributes] or ids[-1:]
    words = _ids(attributes[named[0]]) if named else []
    return words[-1] if words else ""


def _ids(text: str) -> list[str]:
    return text.replace(",", " ").split()


def is_one_id(topic: str) -> bool:
    """Whether a topic is read back unchanged."""
    return _ids(topic) == [topic]


def read_pool(data: bytes, reader: Reader, before: int) -> _Pool:
    """The judgements of one file, with lines numbered from ``before + 1``."""
    reader.noun = ITEM
    pool = _Pool(reader, before)
    parse(data, pool)
    return pool


def assessments_of(pools: Sequence[_Pool], stems: Sequence[str], reader: Reader, unit: str) -> Assessments:
    """The assessments of one file or several. Pools are assessors; if several files without a pool judge a topic, the
    name of each file is an assessor."""
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
            place = reader.source.place(scales[0][1])
            message = xml.SECOND_SCALE_IN_FILES(scale=scale, place=place, earlier=scales[0][0])
            raise reader.source.error(message, line=line)
    return scales[0][0] if scales else None


def pools_of(assessments: Assessments) -> list[tuple[str, str, str]]:
    """Topic, assessor and file content of every pool, in the order of their first judgements."""
    documents, children = assessments.documents, _children(assessments)
    columns = documents.query.tolist(), documents.assessor.tolist(), documents.doc.tolist()
    order = sorted(range(len(documents.lines)), key=lambda row: int(documents.lines[row]))
    rows_of_pool: dict[tuple[int, int], list[int]] = {}
    for row in order:
        rows_of_pool.setdefault((columns[0][row], columns[1][row]), []).append(row)
    pools = []
    for (query, assessor), rows in rows_of_pool.items():
        topic, pool = assessments.queries[query], assessments.assessors[assessor]
        attributes = {"pool": pool, "topic": topic} if pool else {"topic": topic}
        lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<{ASSESSMENTS}{attribute_text(**attributes)}>"]
        attribute = "file" if assessments.scale == FOUR_POINT else "name"
        for row in rows:
            name = attribute_text(**{attribute: assessments.docs[columns[2][row]]})
            inside = children.get((query, assessor, columns[2][row]), [])
            if documents.bep_path is not None and documents.bep_path[row]:
                inside = [f"<best-entry-point{attribute_text(path=documents.bep_path[row])}/>", *inside]
            lines += [f"  <file{name}>", *(f"    {child}" for child in inside), "  </file>"]
        pools.append((topic, pool, "\n".join([*lines, f"</{ASSESSMENTS}>", ""])))
    return pools


def _children(assessments: Assessments) -> dict[tuple[int, int, int], list[str]]:
    """The XML of the passages and elements of each query, assessor and document."""
    children: dict[tuple[int, int, int], list[str]] = {}
    passages, elements = assessments.passages, assessments.elements

    def owners(table: Any) -> Iterable[tuple[int, int, int]]:
        return zip(table.query.tolist(), table.assessor.tolist(), table.doc.tolist(), strict=True)

    for owner, first, last in zip(owners(passages), passages.first, passages.last, strict=True):
        children.setdefault(owner, []).append(f"<passage{attribute_text(start=first, end=last)}/>")
    grades = zip(elements.path, elements.exhaustivity.tolist(), elements.specificity.tolist(), strict=True)
    for owner, (path, exhaustivity, specificity) in zip(owners(elements), grades, strict=True):
        if assessments.scale == FOUR_POINT:
            attributes = attribute_text(path=path, exhaustiveness=int(exhaustivity), specificity=int(specificity))
            children.setdefault(owner, []).append(f"<path{attributes}/>")
        else:
            share = _share(specificity)
            attributes = attribute_text(
                path=path,
                exhaustivity=int(exhaustivity) or "?",
                size=share.denominator,
                rsize=share.numerator,
            )
            children.setdefault(owner, []).append(f"<element{attributes}/>")
    return children


def _share(specificity: float) -> Fraction:
    """A fraction that equals this number as a double, with a small denominator if there is one."""
    for digits in (3, 6, 9, 12):
        share = Fraction(specificity).limit_denominator(10**digits)
        if share.numerator / share.denominator == specificity:
            return share
    return Fraction(specificity)


def scale_problem(assessments: Assessments) -> Text | None:
    """The error if the grades of elements cannot be written as INEX XML; None if they can."""
    documents, elements = assessments.documents, assessments.elements
    if not len(elements.lines):
        return None
    if assessments.scale not in (FOUR_POINT, INEX_2005):
        return writing.XML_SCALES(scales=f"{FOUR_POINT} and {INEX_2005}")
    four = assessments.scale == FOUR_POINT
    if four and (len(assessments.passages.lines) or any(documents.bep_path or ())):
        return writing.XML_FOUR_POINT()
    exhaustivity, specificity = elements.exhaustivity, elements.specificity
    on_scale = np.isin(exhaustivity, (0, 1, 2, 3) if four else (0, 1, 2)).all()
    on_scale &= np.isin(specificity, (0, 1, 2, 3)).all() if four else _is_share(specificity)
    return None if on_scale else writing.XML_OFF_SCALE(scale=assessments.scale)


def _is_share(values: Floats) -> bool:
    shares = (_share(value) for value in values.tolist() if 0 <= value <= 1)
    return sum(share.denominator <= LARGEST_OFFSET for share in shares) == len(values)


def zipped(pools: list[tuple[str, str, str]]) -> bytes:
    """A zip archive with a file per pool, numbered to keep their order; the same pools give the same bytes."""
    import io
    import zipfile
    from urllib.parse import quote

    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (topic, pool, content) in enumerate(pools, 1):
            name = f"{number:06d}-topic-{quote(topic, '')}" + (f"-pool-{quote(pool, '')}" if pool else "")
            archive.writestr(zipfile.ZipInfo(f"{name}.xml", (1980, 1, 1, 0, 0, 0)), content.encode())
    return data.getvalue()
