"""Documents in archives: zip files, and tar files, compressed or not."""

from __future__ import annotations

import contextlib
import os
import weakref
from abc import abstractmethod
from collections.abc import Iterator
from typing import IO, Any

from partwise import kernels
from partwise.collection.members import Place
from partwise.collection.plain import LARGEST
from partwise.collection.sources import Members
from partwise.errors import PartwiseError, shown
from partwise.files import refuse_damaged_header, refuse_stream, stream, too_much
from partwise.messages import documents, files
from partwise.settings import Reading

_WINDOW, _HEADERS, _MANY = 1 << 20, 1 << 13, 8
"""So many bytes of a tar file are read at a time, fewer where that gave few headers, because members are large."""
_SPARSE = -1
"""Instead of a size: the place of a sparse member is its number among such."""


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

    def _refuse_unsafe(self, member: str) -> None:
        if member.startswith("/") or "\\" in member or "\x00" in member or ".." in member.split("/"):
            raise PartwiseError(documents.UNSAFE_MEMBER(member=shown(member)), file=self.name)

    def _bytes(self, number: int, member: str, name: str) -> bytes:
        handle = self._handle()
        with _damage_named(name):
            return self._content(handle, number, member, name)

    @abstractmethod
    def _open(self) -> Any: ...

    @abstractmethod
    def _content(self, handle: Any, number: int, member: str, name: str) -> bytes: ...


class Zip(_Archive):
    """The files of a zip archive."""

    def _open(self) -> Any:
        import zipfile

        return zipfile.ZipFile(self.path)

    def _paths(self) -> Iterator[tuple[str, Place | None]]:
        return ((info.filename, None) for info in self._handle().infolist() if not info.is_dir())

    def _content(self, handle: Any, number: int, member: str, name: str) -> bytes:
        with handle.open(member) as file:
            return _limited(file, name, self.settings)


class Tar(_Archive):
    """The files of a tar archive; a compressed one is decompressed once, to an unnamed temporary file."""

    def _open(self) -> Any:
        file = self._plain()
        weakref.finalize(self, file.close)
        return file

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

    def _paths(self) -> Iterator[tuple[str, Place | None]]:
        file = self._handle()
        with _damage_named(self.name):
            yield from self._regular(file)

    def _regular(self, file: IO[bytes]) -> Iterator[tuple[str, Place]]:
        """The regular files: a kernel reads plain headers, Python's reader all others."""
        archive = self._archive(file)
        self._sparse: list[Any] = []
        window = _WINDOW
        while (info := archive.next()) is not None:
            archive.members.clear()  # they take most of the memory
            if info.size < 0:  # which tarfile accepts
                raise ValueError("the size of a member is negative")
            if info.issparse():
                self._sparse.append(info)
                yield info.name, (len(self._sparse) - 1, _SPARSE)
            elif info.isreg():
                yield info.name, (info.offset_data, info.size)
            while archive.pax_headers.keys() <= {"comment"}:  # others may change what follows
                at = archive.offset
                file.seek(at)
                names, data, sizes, count = kernels.read_tar(file.read(window))
                archive.offset = at + count
                places = zip((data + at).tolist(), sizes.tolist(), strict=True)
                yield from zip(names.split("\0")[:-1], places, strict=True)
                if not len(data):
                    break
                window = _WINDOW if len(data) > _MANY else _HEADERS
        refuse_damaged_header(archive)

    def _content(self, handle: Any, number: int, member: str, name: str) -> bytes:
        at, size = self.members.place(number)
        if size != _SPARSE:
            handle.seek(at)
            return _limited(handle, name, self.settings, size)
        with self._archive(handle).extractfile(self._sparse[at]) as parts:
            return _limited(parts, name, self.settings)

    @staticmethod
    def _archive(file: IO[bytes]) -> Any:
        import tarfile

        file.seek(0)
        return tarfile.open(fileobj=file, mode="r:")
