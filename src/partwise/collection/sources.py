"""Where documents come from: a folder, an archive, JSON Lines, or a mapping."""

from __future__ import annotations

import contextlib
import os
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import IO, Any

from partwise.collection import html, markdown, plain, xml
from partwise.collection.document import Document
from partwise.collection.plain import LARGEST
from partwise.errors import PartwiseError, shown
from partwise.files import COMPRESSIONS, files_below, read_bytes, refuse_special

FORMATS = {
    ".xml": xml.parse,
    ".nxml": xml.parse,
    ".md": markdown.parse,
    ".markdown": markdown.parse,
    ".html": html.parse,
    ".htm": html.parse,
    ".txt": plain.parse,
}
FIELDS = {"text": plain.parse, "xml": xml.parse, "markdown": markdown.parse, "html": html.parse}
LARGEST_ARCHIVE = 64 * 2**30
"""Compressed archives that unpack to more bytes are refused."""


class Source(ABC):
    """Documents by id, each read when it is asked for."""

    name: str
    """What error lines call it."""

    @abstractmethod
    def doc_ids(self) -> list[str]:
        """All ids, in the order in which reading is cheapest."""

    @abstractmethod
    def __contains__(self, doc_id: object) -> bool: ...

    @abstractmethod
    def reader(self, doc_id: str) -> Callable[[], Document]:
        """Fetch what a document that is there is made of; the answer makes it, and may do so in any thread."""

    def label_counts(self) -> dict[str, int] | None:
        """How many nodes of all documents have each label path, where that is stored."""
        return None

    def read(self, doc_id: str) -> Document:
        """The document of an id that is there."""
        return self.reader(doc_id)()


def _split(name: str) -> tuple[str, str]:
    """A path without its suffix, and the suffix in lower case."""
    stem, suffix = os.path.splitext(name)
    return stem, suffix.lower()


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") for part in name.split("/"))


def _unreadable(error: Exception, name: str) -> PartwiseError:
    told = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return PartwiseError(f"cannot be read ({told})", "give a file that can be read", file=name)


def _by_id(found: Iterator[str], name: str) -> dict[str, str]:
    """Member names by document id; hidden files and those of no known suffix are passed over."""
    members: dict[str, str] = {}
    for member in found:
        stem, suffix = _split(member.removeprefix("./"))
        if suffix not in FORMATS or _is_hidden(stem):
            continue
        if stem in members:
            raise PartwiseError(
                f"has two documents {shown(stem)}, {members[stem]} and {member}",
                "give every document its own name",
                file=name,
            )
        members[stem] = member
    if not members:
        raise PartwiseError("has no documents", f"documents end in {', '.join(FORMATS)}", file=name)
    return members


class Members(Source):
    """Documents that are files: an id is a file's path without its suffix."""

    def __init__(self, path: str) -> None:
        self.name = path
        self.path = os.path.abspath(path)
        self._members: dict[str, str] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "path": self.path, "_members": None}

    @property
    def members(self) -> dict[str, str]:
        if self._members is None:
            self._members = _by_id(self._found(), self.name)
        return self._members

    def doc_ids(self) -> list[str]:
        return list(self.members)

    def __contains__(self, doc_id: object) -> bool:
        return doc_id in self.members

    def reader(self, doc_id: str) -> Callable[[], Document]:
        member = self.members[doc_id]
        name = os.path.join(self.name, member)
        return partial(FORMATS[_split(member)[1]], doc_id, self._bytes(member, name), name)

    @abstractmethod
    def _found(self) -> Iterator[str]:
        """The paths of all files, divided by slashes."""

    @abstractmethod
    def _bytes(self, member: str, name: str) -> bytes: ...


def _limited(file: IO[bytes]) -> bytes:
    """All that a file has, or one byte more than a document may have."""
    return file.read(LARGEST + 1)


class Folder(Members):
    """The files of a folder and its folders, sorted."""

    def _found(self) -> Iterator[str]:
        return files_below(self.path)

    def _bytes(self, member: str, name: str) -> bytes:
        path = os.path.join(self.path, member)
        refuse_special(path, name)
        try:
            with open(path, "rb", buffering=0) as file:
                size = os.fstat(file.fileno()).st_size
                return file.readall() if size <= LARGEST else file.read(LARGEST + 1)
        except OSError as error:
            raise _unreadable(error, name) from None


def _inside(member: str, name: str) -> str:
    """The same name, if it stays inside the archive."""
    if member.startswith("/") or ".." in member.split("/") or "\\" in member or "\x00" in member:
        raise PartwiseError(
            f"has a member {shown(member)}", "members must have plain paths inside the archive", file=name
        )
    return member


class _Archive(Members):
    """An open archive, opened anew in every process; members are read, nothing is ever unpacked to its path."""

    _opened: tuple[int, Any] | None = None

    def _handle(self) -> Any:
        if self._opened is None or self._opened[0] != os.getpid():
            try:
                self._opened = os.getpid(), self._open()
            except PartwiseError:
                raise
            except Exception as error:
                raise self._damaged(error) from None
        return self._opened[1]

    def _damaged(self, error: Exception, name: str | None = None) -> PartwiseError:
        told = " ".join(str(error).split()) or type(error).__name__
        return PartwiseError(f"is damaged or no archive ({told})", "pack it again", file=name or self.name)

    @abstractmethod
    def _open(self) -> Any: ...


class Zip(_Archive):
    """The files of a zip archive."""

    def _open(self) -> Any:
        import zipfile

        return zipfile.ZipFile(self.path)

    def _found(self) -> Iterator[str]:
        for info in self._handle().infolist():
            if not info.is_dir() and _split(info.filename)[1] in FORMATS:
                yield _inside(info.filename, self.name)

    def _bytes(self, member: str, name: str) -> bytes:
        archive = self._handle()
        try:
            with archive.open(member) as file:
                return _limited(file)
        except Exception as error:
            raise self._damaged(error, name) from None


class Tar(_Archive):
    """The files of a tar archive; a compressed one is decompressed once, to a file that has no name."""

    def _open(self) -> Any:
        import tarfile

        file: IO[bytes] = open(self.path, "rb")  # noqa: SIM115
        try:
            if file.read(2) == b"\x1f\x8b":
                file = _decompressed(file, self.name)
            file.seek(0)
            archive = tarfile.open(fileobj=file, mode="r:")  # noqa: SIM115
            weakref.finalize(self, file.close)
            return archive, {info.name: info for info in archive.getmembers() if info.isreg()}
        except BaseException:
            file.close()
            raise

    def _found(self) -> Iterator[str]:
        for info in self._handle()[0].getmembers():
            if info.isreg() and _split(info.name)[1] in FORMATS:
                yield _inside(info.name, self.name)

    def _bytes(self, member: str, name: str) -> bytes:
        archive, infos = self._handle()
        try:
            with archive.extractfile(infos[member]) as file:
                return _limited(file)
        except Exception as error:
            raise self._damaged(error, name) from None


def _decompressed(file: IO[bytes], name: str) -> IO[bytes]:
    import gzip
    import tempfile

    file.seek(0)
    unpacked = tempfile.TemporaryFile()  # noqa: SIM115
    try:
        with file, gzip.open(file) as stream:
            size = 0
            while block := stream.read(1 << 20):
                size += unpacked.write(block)
                if size > LARGEST_ARCHIVE:
                    raise PartwiseError("unpacks to too much", "unpack it and give the folder", file=name)
    except BaseException:
        unpacked.close()
        raise
    return unpacked


class JsonLines(Source):
    """A JSON object per document: ``doc_id`` and one of ``text``, ``xml``, ``markdown``, ``html``."""

    def __init__(self, path: str) -> None:
        self.name = path
        self.path = os.path.abspath(path)
        self._places: dict[str, tuple[int, int, int]] | None = None  # line, first byte, size
        self._data: bytes | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "path": self.path, "_places": None, "_data": None}

    @contextlib.contextmanager
    def _file(self) -> Iterator[IO[bytes]]:
        """The lines; those of a compressed file stay in memory."""
        if self.path.lower().endswith(COMPRESSIONS):
            import io

            if self._data is None:
                try:
                    self._data = read_bytes(self.path)
                except PartwiseError as error:
                    raise PartwiseError(error.problem, error.remedy, file=self.name) from None
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
            found: dict[str, tuple[int, int, int]] = {}
            with self._file() as file:
                at = 0
                for number, line in enumerate(file, 1):
                    if line.strip():
                        doc_id = self._row(line, number)[0]
                        if doc_id in found:
                            raise self._error(
                                f"the doc_id {shown(doc_id)} is that of line {found[doc_id][0]} too",
                                "give every document its own",
                                number,
                            )
                        found[doc_id] = number, at, len(line)
                    at += len(line)
            if not found:
                raise PartwiseError("has no documents", "write one JSON object per line", file=self.name)
            self._places = found
        return self._places

    def _error(self, problem: str, remedy: str, line: int) -> PartwiseError:
        return PartwiseError(problem, remedy, file=self.name, line=line)

    def _row(self, line: bytes, number: int) -> tuple[str, str, str]:
        """The id, the field that has the document, and the document."""
        import json

        try:
            row = json.loads(line.decode())
        except UnicodeDecodeError:
            raise self._error("is not UTF-8", "save the file as UTF-8", number) from None
        except (ValueError, RecursionError) as error:
            told = getattr(error, "msg", None) or str(error)
            raise self._error(f"is not JSON ({told})", "write one JSON object per line", number) from None
        if not isinstance(row, dict):
            raise self._error("is no JSON object", "write one JSON object per line", number)
        doc_id = row.get("doc_id")
        if isinstance(doc_id, int) and not isinstance(doc_id, bool):
            doc_id = str(doc_id)
        if doc_id is None:
            raise self._error("has no doc_id", "give every document its doc_id", number)
        if not isinstance(doc_id, str):
            raise self._error(f"the doc_id is {shown(doc_id)}", "it must be a text or a whole number", number)
        given = [field for field in FIELDS if row.get(field) is not None]
        if len(given) != 1:
            what = f"both {given[0]} and {given[1]}" if given else "no document"
            raise self._error(f"has {what}", f"give one of {', '.join(FIELDS)}", number)
        content = row[given[0]]
        if not isinstance(content, str):
            raise self._error(f"the {given[0]} is {shown(content)}", "it must be a text", number)
        return doc_id, given[0], content

    def doc_ids(self) -> list[str]:
        return list(self.places)

    def __contains__(self, doc_id: object) -> bool:
        return doc_id in self.places

    def reader(self, doc_id: str) -> Callable[[], Document]:
        number, at, size = self.places[doc_id]
        with self._file() as file:
            file.seek(at)
            _, field, content = self._row(file.read(size), number)
        return lambda: self._made(doc_id, field, content, number)

    def _made(self, doc_id: str, field: str, content: str, number: int) -> Document:
        try:
            return FIELDS[field](doc_id, content, self.name)
        except PartwiseError as error:
            inside = f"its {field}" if error.line is None else f"its {field}, line {error.line},"
            raise self._error(f"{inside} {error.problem}", error.remedy, number) from None


class Objects(Source):
    """Documents that are at hand: a mapping of ids to texts, to XML, or to documents."""

    name = "collection"

    def __init__(self, documents: Mapping[str, Any]) -> None:
        for doc_id, content in documents.items():
            if not isinstance(doc_id, str):
                raise PartwiseError(f"the document id {shown(doc_id)} is no text", "give ids as text")
            if not isinstance(content, (str, Document)):
                raise PartwiseError(
                    f"document {doc_id} is of type {type(content).__name__}", "give a text, XML or a Document"
                )
        if not documents:
            raise PartwiseError("the collection has no documents", "give at least one")
        self.documents = dict(documents)

    def doc_ids(self) -> list[str]:
        return list(self.documents)

    def __contains__(self, doc_id: object) -> bool:
        return doc_id in self.documents

    def reader(self, doc_id: str) -> Callable[[], Document]:
        content = self.documents[doc_id]
        if isinstance(content, Document):
            return lambda: content
        parse = xml.parse if content.lstrip().startswith("<") else plain.parse
        return partial(parse, doc_id, content, f"document {doc_id}")
