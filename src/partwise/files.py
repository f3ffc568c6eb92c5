"""Reading files, folders, archives and streams, compressed or not."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, pairwise

from partwise.errors import PartwiseError, shown
from partwise.messages import files as messages
from partwise.settings import Reading, current

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO

    from partwise.messages import Message, Note

STDIN = "-"
"""The path of standard input."""
_input: list[Any] = []
"""Standard input and the bytes that were read from it."""
_kept: list[dict[str, bytes]] = []
"""While streams are read once, the content of each by its path."""

COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")

_MAGIC = {
    b"\x1f\x8b": ".gz",
    b"BZh": ".bz2",
    b"\xfd7zXZ\x00": ".xz",
    b"\x28\xb5\x2f\xfd": ".zst",
}
_PIECE = 1 << 18
_DENSEST_GZ = 1032
"""The most bytes that one byte of gzip expands to. Data that cannot exceed the limit is decompressed in one call, which
is faster."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""With these characters a formula begins, in some spreadsheet."""
_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]*$")


def split_suffixes(name: str) -> tuple[str, str, str]:
    """The name without its endings, its format suffix and its compression suffix, both in lower case.

    A number is not a suffix: ``bm25-k1.2`` is a whole name.
    """
    compression = ""
    for suffix in COMPRESSIONS:
        if name.lower().endswith(suffix) and len(name) > len(suffix):
            compression, name = suffix, name[: -len(suffix)]
            break
    suffix_match = _SUFFIX.search(name)
    if suffix_match is None or suffix_match.start() == 0:
        return name, "", compression
    return name[: suffix_match.start()], suffix_match.group().lower(), compression


def run_names(paths: Sequence[Any]) -> list[str]:
    """A name per file: its stem, or as much of its path as makes it unique."""
    names = [_stem(os.fspath(path)) for path in paths]
    files_by_name: dict[str, list[int]] = {}
    for i, name in enumerate(names):
        files_by_name.setdefault(name, []).append(i)
    for clash in (files for files in files_by_name.values() if len(files) > 1):
        from pathlib import PurePath

        full = [list(PurePath(os.fspath(paths[i])).parts) for i in clash]
        unique = _shortest_unique([[*parts[:-1], names[i]] for parts, i in zip(full, clash, strict=True)])
        unique = unique or _shortest_unique(full)
        if unique is None:
            raise PartwiseError(messages.GIVEN_TWICE(path=os.fspath(paths[clash[0]])))
        for i, name in zip(clash, unique, strict=True):
            names[i] = name
    if len(set(names)) < len(names):
        names = [os.fspath(path) for path in paths]
    return [name.encode("utf-8", "backslashreplace").decode() for name in names]


def _stem(path: str) -> str:
    return "stdin" if path == STDIN else split_suffixes(os.path.basename(path.rstrip("/")))[0]


def _shortest_unique(paths: list[list[str]]) -> list[str] | None:
    """The ends of these paths, all with the same number of parts, that are the shortest to differ."""
    for depth in range(1, max(len(parts) for parts in paths) + 1):
        names = ["/".join(parts[-depth:]).replace("//", "/") for parts in paths]
        if len(set(names)) == len(names):
            return names
    return None


def compression_of(start: bytes) -> str:
    """The compression of a file that begins with these bytes as its suffix, such as ``.gz``; empty if it has none."""
    return next((suffix for magic, suffix in _MAGIC.items() if start.startswith(magic)), "")


def read_bytes(path: str | os.PathLike[str], settings: Reading | None = None) -> bytes:
    """The whole file, decompressed; the compression is detected by the first bytes, not by the name.

    A pipe or a device is read as a stream. `settings` are by default those that apply now.
    """
    settings = settings or current()
    name = os.fspath(path)
    if name == STDIN:
        return decompressed(_standard_input(settings), name, settings)
    kept = _kept[-1] if _kept else {}
    if name in kept:
        return decompressed(kept[name], name, settings)
    try:
        with open(name, "rb") as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                data = file.read()
            else:
                data = kept[name] = _ended(file, name, settings)
    except FileNotFoundError:
        raise PartwiseError(messages.NO_SUCH_FILE(), file=name) from None
    except IsADirectoryError:
        raise PartwiseError(messages.IS_FOLDER(), file=name) from None
    except PartwiseError:
        raise
    except (OSError, ValueError) as error:
        raise PartwiseError(messages.CANNOT_READ(reason=reason_of(error)), file=name) from None
    return decompressed(data, name, settings)


@contextlib.contextmanager
def streams_read_once() -> Iterator[None]:
    """Keep what is read from pipes and devices until the block ends: a second read would wait, or find nothing."""
    _kept.append({})
    try:
        yield
    finally:
        _kept.pop()


def _standard_input(settings: Reading) -> bytes:
    """All of standard input; it is kept, because it can be read only once."""
    import sys

    if sys.stdin is None:
        raise PartwiseError(messages.NO_STANDARD_INPUT(), file=STDIN)
    if not _input or _input[0] is not sys.stdin:
        _input[:] = sys.stdin, _ended(sys.stdin.buffer, STDIN, settings)
    data: bytes = _input[1]
    return data


def _ended(file: BinaryIO, name: str, settings: Reading) -> bytes:
    """All bytes of a stream, which may not end by itself."""
    return _joined(
        iter(lambda: file.read(_PIECE), b""), settings.max_unpacked, too_much(messages.ENDLESS, name, settings)
    )


def _joined(pieces: Iterator[bytes], most: int, too_large: PartwiseError) -> bytes:
    """The pieces as one, without a second copy in memory; an error if they are larger than `most`."""
    import io

    whole = io.BytesIO()
    for piece in pieces:
        whole.write(piece)
        if whole.tell() > most:
            raise too_large
    return whole.getvalue()


def too_much(message: Message, name: str, settings: Reading) -> PartwiseError:
    """The error for something that expands beyond the limit, which names the option that raises it."""
    return PartwiseError(message(limit=settings.limit, larger=settings.larger), file=name)


def reason_of(error: Exception) -> object:
    """Why the file system refused something, without the path."""
    return getattr(error, "strerror", None) or error


def decompressed(data: bytes, name: str, settings: Reading, left: int | None = None) -> bytes:
    """These bytes, decompressed if they are compressed; `name` is for error lines.

    `left` is what is left of the limit, if others share it.
    """
    compression = compression_of(data)
    if not compression:
        return data
    most = settings.max_unpacked if left is None else left
    try:
        pieces = _pieces(data, compression, most)
        start = next(pieces, b"")
        message = messages.ARCHIVE_TOO_LARGE if is_archive(start) else messages.FILE_TOO_LARGE
        return _joined(chain([start], pieces), most, too_much(message, name, settings))
    except (PartwiseError, MemoryError):
        raise
    except Exception as error:
        reason = str(error) or type(error).__name__
        raise PartwiseError(messages.DAMAGED(compression=compression[1:], reason=reason), file=name) from None


class Below:
    """The files below a folder, and the links that were not followed; paths are relative to it, with slashes."""

    def __init__(self, folder: str, follow_links: bool | None = None) -> None:
        self.folder = folder
        self.follow_links = current().follow_links if follow_links is None else follow_links
        self.files: list[str] = []
        self.outside: list[str] = []
        """Links that lead out of the folder, or to another folder, unless links are followed."""
        self.again: list[str] = []
        """Links to a folder that another link, or the folder itself, leads to."""
        self._root = os.path.realpath(folder)
        self._entered = {self._root}
        self._walk()

    def notes(self, name: str) -> list[Note]:
        """What was not followed, about the folder of this name."""
        found = [(messages.LINKS_NOT_FOLLOWED, self.outside), (messages.LINKS_REPEATED, self.again)]
        return [message.note(count=len(links), first=shown(links[0])).on(name) for message, links in found if links]

    def _walk(self) -> None:
        """Add the files of each folder in the order of their names, then those of its subfolders; no hidden ones."""
        waiting: list[tuple[str, str, frozenset[str]]] = [(self.folder, "", frozenset([self._root]))]
        while waiting:
            folder, inside, above = waiting.pop()
            if self.follow_links:
                above |= {os.path.realpath(folder)}
            folders = []
            for entry in _entries(folder):
                path = inside + entry.name
                is_folder = _is_folder(entry)
                if entry.is_symlink() and not self._follows(entry.path, path, is_folder, above):
                    continue
                if is_folder:
                    folders.append((entry.path, path + "/", above))
                else:
                    self.files.append(path)
            waiting += reversed(folders)

    def _follows(self, link: str, path: str, is_folder: bool, above: frozenset[str]) -> bool:
        target = os.path.realpath(link)
        if not self.follow_links:
            is_inside = target.startswith(os.path.join(self._root, ""))
            if is_folder or not is_inside:
                self.outside.append(path)
            return is_inside and not is_folder
        if is_folder:
            if target in above or target in self._entered:
                self.again.append(path)
                return False
            self._entered.add(target)
        return True


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted((entry for entry in entries if not entry.name.startswith(".")), key=lambda entry: entry.name)
    except OSError as error:
        name = str(error.filename or folder)
        raise PartwiseError(messages.CANNOT_READ(reason=reason_of(error)), file=name) from None


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a loop of links
        return False


def refuse_large_parquet(metadata: Any, columns: int, groups: Iterable[int], name: str, settings: Reading) -> None:
    """Fail if row groups of a Parquet file expand beyond the limit, from its metadata.

    A few bytes may stand for any number of equal cells, so each cell of the `columns` that are read counts 8 bytes at
    least. Metadata of single columns is not asked for: if it is damaged, that ends the process.
    """
    size = 0
    for number in groups:
        group = metadata.row_group(number)
        size += max(group.total_byte_size, 8 * group.num_rows * columns)
    if size > settings.max_unpacked:
        raise too_much(messages.PARQUET_TOO_LARGE, name, settings)


def is_archive(data: bytes) -> bool:
    """Whether these are the bytes of a zip archive or of an uncompressed tar archive."""
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06")) or data[257:262] == b"ustar"


def archived(data: bytes, name: str, is_selected: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    """The path and content of the selected files of an archive, sorted by path; nothing is unpacked to disk."""
    import io

    try:
        if data.startswith(b"PK"):
            import zipfile

            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                members = [(info.filename, info.file_size, info) for info in archive.infolist()]
                for info in _selected(members, name, is_selected):
                    yield info.filename, archive.read(info)
            return
        import tarfile

        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
            regular = [(info.name, info.size, info) for info in tar.getmembers() if info.isreg()]
            refuse_damaged_header(tar)
            for info in _selected(regular, name, is_selected):
                file = tar.extractfile(info)
                if file is not None:
                    yield info.name, file.read()
    except (PartwiseError, MemoryError):
        raise
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise PartwiseError(messages.DAMAGED_ARCHIVE(reason=reason), file=name) from None


def refuse_damaged_header(archive: Any) -> None:
    """Fail if a tar archive, all of whose members were read, ends at a damaged header: tarfile takes it for the end."""
    archive.fileobj.seek(archive.offset)
    if archive.fileobj.read(512).strip(b"\0"):
        raise ValueError("a header is damaged")


@contextlib.contextmanager
def stream(path: str | os.PathLike[str]) -> Iterator[tuple[BinaryIO, bool]]:
    """The file opened for reading in pieces, decompressed, and whether it was compressed.

    How far it expands is up to the reader. Errors are Python's own; `read_bytes` has clearer ones.
    """
    name = os.fspath(path)
    with open(name, "rb", buffering=0) as file:
        start = file.read(max(map(len, _MAGIC)))
        file.seek(0)
        compression = compression_of(start)
        if compression:
            with _decompressing(file, compression) as text:
                yield text, True
        else:
            yield file, False


def _decompressing(file: Any, compression: str) -> Any:
    if compression == ".gz":
        import gzip

        return gzip.GzipFile(fileobj=file)
    if compression == ".bz2":
        import bz2

        return bz2.BZ2File(file)
    if compression == ".xz":
        import lzma

        return lzma.LZMAFile(file)
    import pyarrow as pa

    return pa.CompressedInputStream(file, "zstd")


def _selected(members: list[tuple[str, int, Any]], archive: str, is_selected: Callable[[str], bool]) -> list[Any]:
    """The selected members of an archive, sorted by name, from the name, size and entry of each."""
    selected = sorted((member for member in members if is_selected(member[0])), key=lambda member: member[0])
    if sum(size for _, size, _ in selected) > current().max_unpacked:
        raise too_much(messages.ARCHIVE_TOO_LARGE, archive, current())
    for (member, *_), (following, *_) in pairwise(selected):
        if member == following:
            raise PartwiseError(messages.SAME_NAME(name=shown(member)), file=archive)
    return [info for _, _, info in selected]


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Whether this is a pipe or a device, which can be read only once."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False  # reported when it is read
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def refuse_stream(path: str, name: str) -> None:
    """Fail if this can be read only once; `name` is for error lines."""
    if is_stream(path):
        raise PartwiseError(messages.READ_TWICE(), file=name)


def refuse_special(path: str, name: str) -> None:
    """Fail if this is a pipe or a device, from which reading may never end; `name` is for error lines."""
    if is_stream(path):
        raise PartwiseError(messages.NOT_REGULAR(), file=name)


def _pieces(data: bytes, compression: str, limit: int) -> Iterator[bytes]:
    """Decompress piece by piece, or in one piece if it cannot exceed the limit."""
    if compression == ".bz2":
        import bz2

        yield from _all_streams(data, bz2.BZ2Decompressor)
    elif compression == ".xz":
        import lzma

        yield from _all_streams(data, lzma.LZMADecompressor)
    elif compression == ".gz" and len(data) * _DENSEST_GZ <= limit:
        import gzip

        yield gzip.decompress(data)
    else:
        import io

        with _decompressing(io.BytesIO(data), compression) as stream:
            while piece := stream.read(_PIECE):
                yield piece


def _all_streams(data: bytes, decompressor: Callable[[], Any]) -> Iterator[bytes]:
    """Decompress all streams of a file in turn. Unlike BZ2File and LZMAFile, this does not skip a damaged one."""
    while data:
        stream = decompressor()
        piece = stream.decompress(data, _PIECE)
        while piece or not stream.needs_input:
            yield piece
            if stream.eof:
                break
            piece = stream.decompress(b"", _PIECE)
        if not stream.eof:
            raise EOFError("Compressed file ended before the end-of-stream marker was reached")
        data = stream.unused_data
        if not data.strip(b"\x00"):
            break  # padding


def encoded(text: str) -> bytes:
    """A text in UTF-8. Bytes that were not UTF-8 when they were read stay the same, other lone surrogates become
    escapes."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return re.sub("[\ud800-\udc7f\udd00-\udfff]", lambda lone: repr(lone[0])[1:-1], text).encode(
            "utf-8", "surrogateescape"
        )


def is_unicode(text: str) -> bool:
    """Whether a text has no lone surrogates, which only escapes in JSON and Python strings can hold."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def safe_cell(text: str) -> str:
    """A text as a cell of CSV or TSV that spreadsheets do not take for a formula: quoted, after an apostrophe."""
    apostrophe = "'" if text.lstrip(" ").startswith(_FORMULA) else ""
    return '"' + apostrophe + text.replace('"', '""') + '"'


def real_path(path: str) -> str:
    """The path without links; the same path if no file can have that name."""
    try:
        return os.path.realpath(path)
    except ValueError:
        return path
