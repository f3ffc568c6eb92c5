"""Opening files, compressed or not, and writing them whole or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from partwise.errors import PartwiseError, shown
from partwise.messages import files as messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any, BinaryIO

STDIN = "-"
"""The path of standard input."""
_input: list[Any] = []
"""Standard input and the bytes that were read from it."""

COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")

_MAGIC = {
    b"\x1f\x8b": ".gz",
    b"BZh": ".bz2",
    b"\xfd7zXZ\x00": ".xz",
    b"\x28\xb5\x2f\xfd": ".zst",
}
LARGEST_ARCHIVE = 4 * 2**30
"""Archives and compressed files that are read whole and expand to more bytes are refused."""
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


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The whole file, decompressed; the compression is detected by the first bytes, not by the name."""
    name = os.fspath(path)
    if name == STDIN:
        return decompressed(_standard_input(), name)
    try:
        with open(name, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        raise PartwiseError(messages.NO_SUCH_FILE(), file=name) from None
    except IsADirectoryError:
        raise PartwiseError(messages.IS_FOLDER(), file=name) from None
    except (OSError, ValueError) as error:
        raise PartwiseError(messages.CANNOT_READ(reason=_reason(error)), file=name) from None
    return decompressed(data, name)


def _standard_input() -> bytes:
    """All of standard input; it is kept, because it can be read only once."""
    import sys

    if sys.stdin is None:
        raise PartwiseError(messages.NO_STANDARD_INPUT(), file=STDIN)
    if not _input or _input[0] is not sys.stdin:
        _input[:] = sys.stdin, sys.stdin.buffer.read()
    data: bytes = _input[1]
    return data


def _reason(error: Exception) -> object:
    return getattr(error, "strerror", None) or error


def decompressed(data: bytes, name: str) -> bytes:
    """These bytes, decompressed if they are compressed; `name` is for error lines."""
    compression = compression_of(data)
    return _decompress(data, compression, name) if compression else data


def files_below(folder: str) -> Iterator[str]:
    """The paths of all files below a folder, relative to it, with slashes; sorted, without hidden ones."""

    def fail(error: OSError) -> None:
        name = str(error.filename or folder)
        raise PartwiseError(messages.CANNOT_READ(reason=_reason(error)), file=name) from None

    for above, folders, files in os.walk(folder, onerror=fail):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        inside = os.path.relpath(above, folder).replace(os.sep, "/")
        for file in sorted(name for name in files if not name.startswith(".")):
            yield file if inside == "." else f"{inside}/{file}"


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
            for info in _selected(regular, name, is_selected):
                file = tar.extractfile(info)
                if file is not None:
                    yield info.name, file.read()
    except PartwiseError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise PartwiseError(messages.DAMAGED_ARCHIVE(reason=reason), file=name) from None


@contextlib.contextmanager
def stream(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """The file opened for reading in pieces, decompressed. Errors are Python's own; `read_bytes` has clearer ones."""
    name = os.fspath(path)
    with open(name, "rb", buffering=0) as file:
        start = file.read(max(map(len, _MAGIC)))
        file.seek(0)
        compression = compression_of(start)
        if compression:
            with _decompressing(file, compression) as text:
                yield text
        else:
            yield file


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
    if sum(size for _, size, _ in selected) > LARGEST_ARCHIVE:
        raise PartwiseError(messages.ARCHIVE_TOO_LARGE(limit=_gibibytes(LARGEST_ARCHIVE)), file=archive)
    for (member, *_), (following, *_) in pairwise(selected):
        if member == following:
            raise PartwiseError(messages.SAME_NAME(name=shown(member)), file=archive)
    return [info for _, _, info in selected]


def _gibibytes(size: int) -> str:
    return f"{size / 2**30:g}"


def refuse_special(path: str, name: str) -> None:
    """Fail if this is a pipe or a device, from which reading may never end; `name` is for error lines."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return  # reported when it is read
    if not stat.S_ISREG(mode):
        raise PartwiseError(messages.NOT_REGULAR(), file=name)


def _decompress(data: bytes, compression: str, name: str) -> bytes:
    pieces: list[bytes] = []
    size = 0
    try:
        for piece in _pieces(data, compression):
            pieces.append(piece)
            size += len(piece)
            if size > LARGEST_ARCHIVE:
                break
    except Exception as error:
        reason = str(error) or type(error).__name__
        raise PartwiseError(messages.DAMAGED(compression=compression[1:], reason=reason), file=name) from None
    if size > LARGEST_ARCHIVE:
        message = messages.ARCHIVE_TOO_LARGE if is_archive(pieces[0]) else messages.FILE_TOO_LARGE
        raise PartwiseError(message(limit=_gibibytes(LARGEST_ARCHIVE)), file=name)
    return b"".join(pieces)


def _pieces(data: bytes, compression: str) -> Iterator[bytes]:
    """Decompress piece by piece."""
    if compression == ".bz2":
        import bz2

        yield from _all_streams(data, bz2.BZ2Decompressor)
    elif compression == ".xz":
        import lzma

        yield from _all_streams(data, lzma.LZMADecompressor)
    elif compression == ".gz" and len(data) * _DENSEST_GZ <= LARGEST_ARCHIVE:
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


def _compress(data: bytes, compression: str) -> bytes:
    if compression == ".gz":
        import gzip

        return gzip.compress(data, mtime=0)
    if compression == ".bz2":
        import bz2

        return bz2.compress(data)
    if compression == ".xz":
        import lzma

        return lzma.compress(data)
    if compression == ".zst":
        import pyarrow as pa

        sink = pa.BufferOutputStream()
        with pa.CompressedOutputStream(sink, "zstd") as stream:
            stream.write(data)
        return bytes(sink.getvalue().to_pybytes())
    return data


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


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write the file whole or not at all, with the compression of its suffix."""
    write_files({os.fspath(path): data})


def write_files(contents: Mapping[str, bytes]) -> None:
    """Write several files by their paths, with the compression of their suffixes; if one fails, none is written.

    They are complete before the first replaces its target, the last one first.
    """
    with contextlib.ExitStack() as stack:
        for name, data in contents.items():
            compression = split_suffixes(os.path.basename(name))[2]
            stack.enter_context(replacing(name)).write_bytes(_compress(data, compression))


def real_path(path: str) -> str:
    """The path without links; the same path if no file can have that name."""
    try:
        return os.path.realpath(path)
    except ValueError:
        return path


def is_special(name: str | os.PathLike[str]) -> bool:
    """Whether this is a pipe or a device. A folder is an error."""
    from pathlib import Path

    path = Path(name)
    try:
        if not path.exists():
            return False
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        raise PartwiseError(messages.CANNOT_WRITE(reason=_reason(error)), file=str(path)) from None
    if stat.S_ISDIR(mode):
        raise PartwiseError(messages.FOLDER_TO_WRITE(), file=str(path))
    return path.absolute().parts[1:2] in (("dev",), ("proc",)) or not stat.S_ISREG(mode)


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path beside `path` that replaces it when the block ends without an error."""
    import tempfile
    from pathlib import Path

    requested = Path(path)
    try:
        if is_special(requested):
            yield requested  # a pipe or a device cannot be replaced
            return
        target = Path(os.path.realpath(requested))  # a link stays a link
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".partwise-", suffix=".part")
    except (PartwiseError, BrokenPipeError):  # the reader of a pipe may stop early
        raise
    except (OSError, ValueError) as error:
        raise PartwiseError(messages.CANNOT_WRITE(reason=_reason(error)), file=str(path)) from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(target.stat().st_mode if target.exists() else 0o666 & ~_umask())
        temporary.replace(target)
    except OSError as error:
        raise PartwiseError(messages.CANNOT_WRITE(reason=_reason(error)), file=str(path)) from None
    finally:
        temporary.unlink(missing_ok=True)


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask


def write_folder(path: str | os.PathLike[str], contents: Mapping[str, bytes]) -> None:
    """Write all files or none, by their paths inside the folder, which may exist already."""
    import errno
    import shutil
    import tempfile
    from pathlib import Path

    stage: Path | None = None
    new_folders: list[Path] = []
    try:
        target = Path(os.path.realpath(path))
        is_new = not target.exists()
        stage = Path(tempfile.mkdtemp(dir=target.parent if is_new else target, prefix=".partwise-", suffix=".part"))
        for name, data in contents.items():
            (stage / name).parent.mkdir(parents=True, exist_ok=True)
            (stage / name).write_bytes(data)
        if is_new:
            stage.chmod(0o777 & ~_umask())
            stage.rename(target)
            return
        for name in contents:
            folder = (target / name).parent
            new_folders += [above for above in (folder, *folder.parents) if not above.exists()]
            folder.mkdir(parents=True, exist_ok=True)
            if (target / name).is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        for name in contents:
            (stage / name).replace(target / name)
        new_folders.clear()
    except (OSError, ValueError) as error:
        raise PartwiseError(messages.CANNOT_WRITE_FOLDER(reason=_reason(error)), file=str(path)) from None
    finally:
        if stage is not None:
            shutil.rmtree(stage, ignore_errors=True)
        for folder in sorted(new_folders, reverse=True):
            with contextlib.suppress(OSError):
                folder.rmdir()
