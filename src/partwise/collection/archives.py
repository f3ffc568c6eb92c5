"""Documents in archives: zip files, and tar files, compressed or not."""

from __future__ import annotations

import contextlib
import os
import weakref
from abc import abstractmethod
from collections.abc import Iterator
from typing import IO, Any

from partwise.collection.plain import LARGEST
from partwise.collection.sources import FORMATS, Members, split_suffix
from partwise.errors import PartwiseError, shown
from partwise.files import refuse_stream, stream, too_much
from partwise.messages import documents, files
from partwise.settings import Reading


def _limited(file: IO[bytes], name: str, settings: Reading, size: int | None = None) -> bytes:
    """All bytes of a member of an archive, or so many, at most one more than a document may have."""
    most = min(LARGEST, settings.max_unpacked) + 1
    expected = most if size is None else min(size, most)
    data = file.read(expected)
    if size is not None and len(data) < expected:
        raise EOFError("unexpected end of data")
    if len(data) > settings.max_unpacked:
        raise too_much(files.FILE_TOO_LARGE, name, settings)
    return data


def _inside(member: str, name: str) -> str:
    """The member path, which must stay inside the archive."""
    if member.startswith("/") or ".." in member.split("/") or "\\" in member or "\x00" in member:
        raise PartwiseError(documents.UNSAFE_MEMBER(member=shown(member)), file=name)
    return member


@contextlib.contextmanager
def _damage_named(name: str) -> Iterator[None]:
    """Report what fails while an archive or a member is read as its damage."""
    try:
        yield
    except (PartwiseError, MemoryError):
        raise
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise PartwiseError(files.DAMAGED_ARCHIVE(reason=reason), file=name) from None


class _Archive(Members):
    """An archive, opened once per process; members are read in memory and never extracted to their paths."""

    _opened: tuple[int, Any] | None = None

    def _handle(self) -> Any:
        if self._opened is None or self._opened[0] != os.getpid():
            refuse_stream(self.path, self.name)
            with _damage_named(self.name):
                self._opened = os.getpid(), self._open()
        return self._opened[1]

    def _bytes(self, member: str, name: str) -> bytes:
        handle = self._handle()
        with _damage_named(name):
            return self._content(handle, member, name)

    @abstractmethod
    def _open(self) -> Any: ...

    @abstractmethod
    def _content(self, handle: Any, member: str, name: str) -> bytes: ...


class Zip(_Archive):
    """The files of a zip archive."""

    def _open(self) -> Any:
        import zipfile

        return zipfile.ZipFile(self.path)

    def _paths(self) -> Iterator[str]:
        for info in self._handle().infolist():
            if not info.is_dir() and split_suffix(info.filename)[1] in FORMATS:
                yield _inside(info.filename, self.name)

    def _content(self, handle: Any, member: str, name: str) -> bytes:
        with handle.open(member) as file:
            return _limited(file, name, self.settings)


class Tar(_Archive):
    """The files of a tar archive; a compressed one is decompressed once, to an unnamed temporary file."""

    def _open(self) -> Any:
        import tarfile

        file = self._plain()
        try:
            archive: Any = tarfile.open(fileobj=file, mode="r:")  # noqa: SIM115
            weakref.finalize(self, file.close)
            places: dict[str, Any] = {}
            again = []
            while (info := archive.next()) is not None:
                archive.members.clear()  # they take most of the memory
                if info.size < 0:  # which tarfile accepts
                    raise ValueError("the size of a member is negative")
                if not info.isreg():
                    continue
                if info.name in places:
                    again.append(info.name)
                places[info.name] = info if info.issparse() else (info.offset_data, info.size)
            return archive, file, places, again
        except BaseException:
            file.close()
            raise

    def _plain(self) -> IO[bytes]:
        """The archive, decompressed."""
        import tempfile

        with stream(self.path) as (packed, is_compressed):
            if not is_compressed:
                return open(self.path, "rb")
            unpacked = tempfile.TemporaryFile()  # noqa: SIM115
            try:
                while block := packed.read(1 << 20):
                    unpacked.write(block)
                    if unpacked.tell() > self.settings.max_unpacked:
                        raise too_much(files.ARCHIVE_TOO_LARGE, self.name, self.settings)
                unpacked.seek(0)
            except BaseException:
                unpacked.close()
                raise
            return unpacked

    def _paths(self) -> Iterator[str]:
        _, _, places, again = self._handle()
        for member in (*places, *again):
            if split_suffix(member)[1] in FORMATS:
                yield _inside(member, self.name)

    def _content(self, handle: Any, member: str, name: str) -> bytes:
        archive, file, places, _ = handle
        place = places[member]
        if isinstance(place, tuple):
            file.seek(place[0])
            return _limited(file, name, self.settings, place[1])
        with archive.extractfile(place) as parts:
            return _limited(parts, name, self.settings)
