"""Where documents come from: a folder, an archive, JSON Lines, or a mapping."""

from __future__ import annotations

import contextlib
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from partwise.collection import code, html, markdown, plain, xml
from partwise.collection.document import Document
from partwise.collection.forest import Forest
from partwise.collection.members import MemberList, Place
from partwise.collection.plain import LARGEST
from partwise.errors import PartwiseError, shown
from partwise.files import (
    COMPRESSIONS,
    Below,
    is_stream,
    is_unicode,
    read_bytes,
    refuse_special,
)
from partwise.messages import Note, Text, documents, files, reading
from partwise.model import Bools, Ints
from partwise.settings import current

if TYPE_CHECKING:
    from partwise.tokens import Tokenizer

FORMATS: dict[str, Callable[..., Document]] = {
    ".xml": xml.parse,
    ".nxml": xml.parse,
    ".md": markdown.parse,
    ".markdown": markdown.parse,
    ".html": html.parse,
    ".htm": html.parse,
    ".txt": plain.parse,
    **dict.fromkeys(code.PYTHON, code.parse_python),
    **dict.fromkeys(code.OTHERS, code.parse),
}
FIELDS = {"text": plain.parse, "xml": xml.parse, "markdown": markdown.parse, "html": html.parse}


class Source(ABC):
    """Documents by id, each read on access."""

    name: str
    """The name for error messages."""
    notes: tuple[Note, ...] = ()
    """What was left out."""

    def notes_on_reading(self) -> list[Note]:
        """What is to be said about the documents that were read so far."""
        return []

    @abstractmethod
    def doc_ids(self) -> list[str]:
        """All ids, in the order in which reading is cheapest."""

    @abstractmethod
    def __contains__(self, doc_id: object) -> bool: ...

    @abstractmethod
    def reader(self, doc_id: str) -> Callable[[], Document]:
        """Read the source of a document; the function that is returned parses it, in any thread."""

    def count(self) -> int:
        """The number of documents."""
        return len(self.doc_ids())

    def readers(self) -> Iterator[Callable[[], Document]]:
        """The readers of all documents, in the order of `doc_ids`."""
        return map(self.reader, self.doc_ids())

    def label_counts(self) -> dict[str, int] | None:
        """The number of nodes with each label path, None if it is not stored."""
        return None

    def read(self, doc_id: str) -> Document:
        """The document of an id that the source contains."""
        return self.reader(doc_id)()

    def check(self) -> None:
        """Raise an error if it cannot be read or has no documents."""
        self.doc_ids()

    def has(self, doc_ids: Sequence[str]) -> Bools:
        """Whether it contains each of these documents."""
        return np.fromiter((doc_id in self for doc_id in doc_ids), np.bool_, len(doc_ids))

    def forest(self, doc_ids: Sequence[str]) -> Forest | None:
        """The trees of documents that the source contains, None if documents are read one by one."""
        return None

    def lengths(self, doc_ids: Sequence[str]) -> Ints | None:
        """The lengths of documents that the source contains, None if documents must be read for that."""
        return None


class InUnit(Source):
    """The documents of another source, with offsets in a unit other than characters."""

    def __init__(self, source: Source, unit: str, tokenizer: Tokenizer | None = None) -> None:
        self.source = source
        self.unit = unit
        self.tokenizer = tokenizer
        self.name = source.name

    def doc_ids(self) -> list[str]:
        return self.source.doc_ids()

    def __contains__(self, doc_id: object) -> bool:
        return doc_id in self.source

    def reader(self, doc_id: str) -> Callable[[], Document]:
        return self._in_unit(self.source.reader(doc_id))

    def _in_unit(self, read: Callable[[], Document]) -> Callable[[], Document]:
        return lambda: read().in_unit(self.unit, self.tokenizer)

    def count(self) -> int:
        return self.source.count()

    def readers(self) -> Iterator[Callable[[], Document]]:
        return map(self._in_unit, self.source.readers())

    @property
    def notes(self) -> tuple[Note, ...]:  # type: ignore[override]
        return self.source.notes

    def notes_on_reading(self) -> list[Note]:
        return self.source.notes_on_reading()

    def label_counts(self) -> dict[str, int] | None:
        return self.source.label_counts()

    def check(self) -> None:
        self.source.check()

    def has(self, doc_ids: Sequence[str]) -> Bools:
        return self.source.has(doc_ids)

    def forest(self, doc_ids: Sequence[str]) -> Forest | None:
        return self.source.forest(doc_ids) if self.unit == "chars" else None

    def lengths(self, doc_ids: Sequence[str]) -> Ints | None:
        return self.source.lengths(doc_ids) if self.unit == "chars" else None


def split_suffix(name: str) -> tuple[str, str]:
    """A path without its suffix, and the suffix in lower case."""
    stem, suffix = os.path.splitext(name)
    return stem, suffix.lower()


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or "/." in name


def _unreadable(error: Exception, name: str) -> PartwiseError:
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return PartwiseError(files.CANNOT_READ(reason=reason), file=name)


class Members(Source):
    """Documents that are files: the id is the path without its suffix, of source code the path."""

    def __init__(self, path: str) -> None:
        self.name = path
        self.path = os.path.abspath(path)
        self.settings = current()
        self._members: MemberList | None = None
        self._unparsed: set[str] = set()

    def __getstate__(self) -> dict[str, Any]:
        kept = {"name": self.name, "path": self.path, "settings": self.settings}
        return {**kept, "_members": None, "_unparsed": set()}

    def notes_on_reading(self) -> list[Note]:
        if not self._unparsed:
            return []
        first = min(self._unparsed)
        return [documents.PYTHON_NOT_PARSED.note(count=len(self._unparsed), first=shown(first)).on(self.name)]

    @property
    def members(self) -> MemberList:
        """The members that are documents; hidden files and those with other suffixes are ignored."""
        if self._members is None:
            members = MemberList()
            for member, place in self._paths():
                path = member.removeprefix("./")
                stem, suffix = split_suffix(path)
                if suffix not in FORMATS:
                    continue
                self._refuse_unsafe(member)
                if not _is_hidden(stem):
                    doc_id = path if suffix in code.SUFFIXES else stem
                    before = "./" if len(path) < len(member) else ""
                    members.add(before, doc_id, path[len(doc_id) :], place)
            repeated = members.repeated()
            if repeated is not None:
                (doc_id, first), (_, second) = map(members.member, repeated)
                text = documents.SAME_ID_TWICE(doc_id=shown(doc_id), first=first, second=second)
                raise PartwiseError(text, file=self.name)
            if not len(members):
                suffixes = ", ".join(suffix for suffix in FORMATS if suffix not in code.SUFFIXES)
                raise PartwiseError(documents.NO_DOCUMENTS(suffixes=suffixes, code=code.SUFFIXES[0]), file=self.name)
            self._members = members
        return self._members

    def check(self) -> None:
        _ = self.members

    def count(self) -> int:
        return len(self.members)

    def doc_ids(self) -> list[str]:
        return self.members.doc_ids()

    def has(self, doc_ids: Sequence[str]) -> Bools:
        there: Bools = self.members.find(doc_ids) >= 0
        return there

    def __contains__(self, doc_id: object) -> bool:
        return isinstance(doc_id, str) and bool(self.has([doc_id])[0])

    def reader(self, doc_id: str) -> Callable[[], Document]:
        number = int(self.members.find([doc_id])[0])
        if number < 0:
            raise KeyError(doc_id)
        return self._reader(number)

    def readers(self) -> Iterator[Callable[[], Document]]:
        return map(self._reader, range(self.count()))

    def _reader(self, number: int) -> Callable[[], Document]:
        doc_id, member = self.members.member(number)
        name = os.path.join(self.name, member)
        suffix = split_suffix(member)[1]
        parse = FORMATS[suffix]
        if suffix in code.PYTHON:
            parse = partial(parse, unparsed=self._unparsed)
        return partial(parse, doc_id, self._bytes(number, member, name), name)

    def _refuse_unsafe(self, member: str) -> None:
        """Raise an error if this path is not inside the folder or archive."""

    @abstractmethod
    def _paths(self) -> Iterator[tuple[str, Place | None]]:
        """The paths of all files, with slashes as separators, and their places."""

    @abstractmethod
    def _bytes(self, number: int, member: str, name: str) -> bytes: ...


class Folder(Members):
    """The files of a folder and its subfolders, sorted."""

    def _paths(self) -> Iterator[tuple[str, Place | None]]:
        below = Below(self.path, self.settings.follow_links)
        self.notes = tuple(below.notes(self.name))
        return ((path, None) for path in below.files)

    def _bytes(self, number: int, member: str, name: str) -> bytes:
        path = os.path.join(self.path, member)
        refuse_special(path, name)
        try:
            with open(path, "rb", buffering=0) as file:
                size = os.fstat(file.fileno()).st_size
                return file.readall() if size <= LARGEST else file.read(LARGEST + 1)
        except OSError as error:
            raise _unreadable(error, name) from None


class JsonLines(Source):
    """A JSON object per document: ``doc_id`` and one of ``text``, ``xml``, ``markdown``, ``html``."""

    def __init__(self, path: str) -> None:
        self.name = path
        self.path = os.path.abspath(path)
        self.settings = current()
        self._places: dict[str, tuple[int, int, int]] | None = None  # line, offset, size
        self._data: bytes | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "path": self.path, "settings": self.settings, "_places": None, "_data": None}

    @contextlib.contextmanager
    def _file(self) -> Iterator[IO[bytes]]:
        """The file of lines; a compressed one is decompressed to memory, and a stream is read to memory."""
        if self.path.lower().endswith(COMPRESSIONS) or is_stream(self.path):
            import io

            if self._data is None:
                try:
                    self._data = read_bytes(self.path, self.settings)
                except PartwiseError as error:
                    raise PartwiseError(error.text, file=self.name) from None
            yield io.BytesIO(self._data)
            return
        try:
            file = open(self.path, "rb")  # noqa: SIM115
        except OSError as error:
            raise _unreadable(error, self.name) from None
        with file:
            yield file

    @property
    def places(self) -> dict[str, tuple[int, int, int]]:
        if self._places is None:
            places: dict[str, tuple[int, int, int]] = {}
            with self._file() as file:
                at = 0
                for number, line in enumerate(file, 1):
                    if line.strip():
                        doc_id = self._row(line, number)[0]
                        if doc_id in places:
                            first = places[doc_id][0]
                            raise self._error(documents.REPEATED_DOC_ID(doc_id=shown(doc_id), line=first), number)
                        places[doc_id] = number, at, len(line)
                    at += len(line)
            if not places:
                raise PartwiseError(documents.NO_LINES(), file=self.name)
            self._places = places
        return self._places

    def _error(self, text: Text, line: int) -> PartwiseError:
        return PartwiseError(text, file=self.name, line=line)

    def _row(self, line: bytes, number: int) -> tuple[str, str, str]:
        """The id of a document, the field with its content, and the content."""
        import json

        try:
            row = json.loads(line.decode())
        except UnicodeDecodeError:
            raise self._error(reading.NOT_UTF8(), number) from None
        except (ValueError, RecursionError) as error:
            reason = getattr(error, "msg", None) or str(error)
            raise self._error(reading.NOT_JSON(reason=reason), number) from None
        if not isinstance(row, dict):
            raise self._error(reading.NOT_AN_OBJECT(value=shown(row)), number)
        doc_id = row.get("doc_id")
        if isinstance(doc_id, int) and not isinstance(doc_id, bool):
            doc_id = str(doc_id)
        if doc_id is None:
            raise self._error(documents.NO_DOC_ID(), number)
        if not isinstance(doc_id, str):
            raise self._error(documents.BAD_DOC_ID(doc_id=shown(doc_id)), number)
        if not is_unicode(doc_id):
            raise self._error(documents.ID_NOT_UNICODE(doc_id=shown(doc_id)), number)
        present = [field for field in FIELDS if row.get(field) is not None]
        if not present:
            raise self._error(documents.NO_CONTENT(fields=", ".join(FIELDS)), number)
        if len(present) > 1:
            first, second = present[:2]
            raise self._error(documents.TWO_CONTENTS(first=first, second=second, fields=", ".join(FIELDS)), number)
        [field] = present
        content = row[field]
        if not isinstance(content, str):
            raise self._error(documents.CONTENT_NOT_TEXT(field=field, value=shown(content)), number)
        return doc_id, field, content

    def doc_ids(self) -> list[str]:
        return list(self.places)

    def __contains__(self, doc_id: object) -> bool:
        return doc_id in self.places

    def reader(self, doc_id: str) -> Callable[[], Document]:
        number, at, size = self.places[doc_id]
        with self._file() as file:
            file.seek(at)
            _, field, content = self._row(file.read(size), number)
        return lambda: self._parsed(doc_id, field, content, number)

    def _parsed(self, doc_id: str, field: str, content: str, number: int) -> Document:
        try:
            return FIELDS[field](doc_id, content, self.name)
        except PartwiseError as error:
            inside = documents.IN_FIELD if error.line is None else documents.IN_LINE_OF_FIELD
            text = inside(field=field, line=error.line, problem=error.problem, remedy=error.remedy)
            raise self._error(text, number) from None


class Objects(Source):
    """Documents in memory: a mapping of ids to texts, XML or `Document` objects."""

    name = "collection"

    def __init__(self, contents: Mapping[str, Any]) -> None:
        for doc_id, content in contents.items():
            if not isinstance(doc_id, str):
                raise PartwiseError(documents.ID_NOT_TEXT(doc_id=shown(doc_id)))
            if not isinstance(content, (str, Document)):
                raise PartwiseError(documents.WRONG_CONTENT_TYPE(doc_id=doc_id, type=type(content).__name__))
        if not contents:
            raise PartwiseError(documents.EMPTY_MAPPING())
        self.contents = dict(contents)

    def doc_ids(self) -> list[str]:
        return list(self.contents)

    def __contains__(self, doc_id: object) -> bool:
        return doc_id in self.contents

    def reader(self, doc_id: str) -> Callable[[], Document]:
        content = self.contents[doc_id]
        if isinstance(content, Document):
            return lambda: content
        parse = xml.parse if content.lstrip().startswith("<") else plain.parse
        return partial(parse, doc_id, content, f"document {doc_id}")
