"""Opening files whatever their compression, and writing them whole or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from partwise.errors import PartwiseError, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any, BinaryIO

COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")

_MAGIC = {
    b"\x1f\x8b": ".gz",
    b"BZh": ".bz2",
    b"\xfd7zXZ\x00": ".xz",
    b"\x28\xb5\x2f\xfd": ".zst",
}
LARGEST_ARCHIVE = 4 * 2**30
"""Archives and compressed files that are read whole and unpack to more bytes are refused."""
_PIECE = 1 << 18
_DENSEST_GZ = 1032
"""A byte of gzip unpacks to so many at most; what can never be too much is unpacked at once, which is quicker."""
_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]*$")


def split_suffixes(name: str) -> tuple[str, str, str]:
    """The name without its endings, its format suffix and its compression suffix, both in lower case.

    A number is no suffix: ``bm25-k1.2`` is a whole name.
    """
    compression = ""
    for suffix in COMPRESSIONS:
        if name.lower().endswith(suffix) and len(name) > len(suffix):
            compression, name = suffix, name[: -len(suffix)]
            break
    found = _SUFFIX.search(name)
    if found is None or found.start() == 0:
        return name, "", compression
    return name[: found.start()], found.group().lower(), compression


def run_names(paths: Sequence[Any]) -> list[str]:
    """A name per file: its stem, or as much of its path as tells it from the others."""
    names = [split_suffixes(os.path.basename(os.fspath(path).rstrip("/")))[0] for path in paths]
    same: dict[str, list[int]] = {}
    for i, name in enumerate(names):
        same.setdefault(name, []).append(i)
    for clash in (found for found in same.values() if len(found) > 1):
        from pathlib import PurePath

        bare = [list(PurePath(os.fspath(paths[i])).parts) for i in clash]
        fresh = _distinguished([[*part[:-1], names[i]] for part, i in zip(bare, clash, strict=True)])
        fresh = fresh or _distinguished(bare)
        if fresh is None:
            raise PartwiseError(f"{os.fspath(paths[clash[0]])} is given twice", "give every file once")
        for i, told in zip(clash, fresh, strict=True):
            names[i] = told
    if len(set(names)) < len(names):
        names = [os.fspath(path) for path in paths]
    return [name.encode("utf-8", "backslashreplace").decode() for name in names]


def _distinguished(parts: list[list[str]]) -> list[str] | None:
    for depth in range(1, max(len(part) for part in parts) + 1):
        told = ["/".join(part[-depth:]).replace("//", "/") for part in parts]
        if len(set(told)) == len(told):
            return told
    return None


def compression_of(start: bytes) -> str:
    """How a file that begins with these bytes is compressed: ``.gz``, say, or nothing."""
    return next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), "")


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The whole file, decompressed; compression is known from the first bytes, not from the name."""
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        raise PartwiseError("no such file", "give the path of a file that exists", file=name) from None
    except IsADirectoryError:
        raise PartwiseError("is a folder", "give the path of a file", file=name) from None
    except (OSError, ValueError) as error:
        told = getattr(error, "strerror", None) or error
        raise PartwiseError(f"cannot be read ({told})", "give a file that can be read", file=name) from None
    return decompressed(data, name)


def decompressed(data: bytes, name: str) -> bytes:
    """What is compressed in these bytes, or the same bytes; `name` is for error lines."""
    compression = compression_of(data)
    return _decompress(data, compression, name) if compression else data


def files_below(folder: str) -> Iterator[str]:
    """The paths of all files below a folder, from it on, with slashes; sorted, hidden ones left out."""

    def fail(error: OSError) -> None:
        name = str(error.filename or folder)
        raise PartwiseError(
            f"cannot be read ({error.strerror or error})", "give a file that can be read", file=name
        ) from None

    for above, folders, files in os.walk(folder, onerror=fail):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        inside = os.path.relpath(above, folder).replace(os.sep, "/")
        for file in sorted(name for name in files if not name.startswith(".")):
            yield file if inside == "." else f"{inside}/{file}"


def is_archive(data: bytes) -> bool:
    """Whether these are the bytes of a zip or (decompressed) tar archive."""
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06")) or data[257:262] == b"ustar"


def archived(data: bytes, name: str, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    """The wanted files in an archive, by name, each with its path; nothing is ever unpacked to its path."""
    import io

    try:
        if data.startswith(b"PK"):
            import zipfile

            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                for info in _members(
                    [(info.filename, info.file_size, info) for info in archive.infolist()], name, wanted
                ):
                    yield info.filename, archive.read(info)
            return
        import tarfile

        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
            regular = [(info.name, info.size, info) for info in tar.getmembers() if info.isreg()]
            for info in _members(regular, name, wanted):
                file = tar.extractfile(info)
                if file is not None:
                    yield info.name, file.read()
    except PartwiseError:
        raise
    except Exception as error:
        told = " ".join(str(error).split()) or type(error).__name__
        raise PartwiseError(f"is damaged or no archive ({told})", "pack it again", file=name) from None


@contextlib.contextmanager
def stream(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """The file to be read piece by piece, decompressed. Errors are those of Python: `read_bytes` tells them better."""
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


def _members(found: list[tuple[str, int, Any]], archive: str, wanted: Callable[[str], bool]) -> list[Any]:
    """The wanted ones of what an archive lists (names, sizes and what stands for them), by name."""
    members = sorted((member for member in found if wanted(member[0])), key=lambda member: member[0])
    if sum(size for _, size, _ in members) > LARGEST_ARCHIVE:
        raise PartwiseError("unpacks to too much", "unpack it and give the folder", file=archive)
    for (member, *_), (following, *_) in pairwise(members):
        if member == following:
            raise PartwiseError(f"has two files {shown(member)}", "give every file its own name", file=archive)
    return [info for _, _, info in members]


def refuse_special(path: str, name: str) -> None:
    """Fail if this is a pipe or a device, from which reading may never end; `name` is for error lines."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return  # reading it will tell
    if not stat.S_ISREG(mode):
        raise PartwiseError("is no plain file", "give a folder of plain files", file=name)


def _decompress(data: bytes, compression: str, name: str) -> bytes:
    found: list[bytes] = []
    size = 0
    try:
        for piece in _unpacked(data, compression):
            found.append(piece)
            size += len(piece)
            if size > LARGEST_ARCHIVE:
                break
    except Exception as error:
        raise PartwiseError(
            f"is damaged or cut short as {compression[1:]} ({str(error) or type(error).__name__})",
            "compress it again",
            file=name,
        ) from None
    if size > LARGEST_ARCHIVE:
        what = "folder" if is_archive(found[0]) else "file"
        raise PartwiseError("unpacks to too much", f"unpack it and give the {what}", file=name)
    return b"".join(found)


def _unpacked(data: bytes, compression: str) -> Iterator[bytes]:
    """What is compressed, piece by piece."""
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
    """All streams of a file, one behind the other; unlike the files of the library it does not pass over a bad one."""
    while data:
        stream = decompressor()
        piece = stream.decompress(data, _PIECE)
        while piece or not stream.needs_input:
            yield piece
            if stream.eof:
                break
            piece = stream.decompress(b"", _PIECE)
        if not stream.eof:
            raise EOFError("it ends within a stream")
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


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write the file whole or not at all, compressed as its name says."""
    name = os.fspath(path)
    compression = split_suffixes(os.path.basename(name))[2]
    with replacing(name) as temporary:
        temporary.write_bytes(_compress(data, compression))


def _is_special(path: Path) -> bool:
    """Whether this is a pipe or a device; a folder is an error."""
    if not path.exists():
        return False
    if path.is_dir():
        raise PartwiseError("is a folder", "give the path of a file to write", file=str(path))
    in_system = path.absolute().parts[1:2] in (("dev",), ("proc",))
    return in_system or not stat.S_ISREG(path.stat().st_mode)


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block ends without an error."""
    import tempfile
    from pathlib import Path

    given = Path(path)
    try:
        if _is_special(given):
            yield given  # a pipe or a device cannot be renamed over
            return
        target = Path(os.path.realpath(given))  # a link stays a link
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".partwise-", suffix=".part")
    except (PartwiseError, BrokenPipeError):  # told already, or the reader has seen enough
        raise
    except (OSError, ValueError) as error:
        told = getattr(error, "strerror", None) or error
        raise PartwiseError(
            f"cannot be written ({told})", "give a path in a folder you can write", file=str(path)
        ) from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(target.stat().st_mode if target.exists() else 0o666 & ~_umask())
        temporary.replace(target)
    except OSError as error:
        raise PartwiseError(
            f"cannot be written ({error.strerror or error})", "give a path you can write", file=str(path)
        ) from None
    finally:
        temporary.unlink(missing_ok=True)


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask


def write_folder(path: str | os.PathLike[str], contents: Mapping[str, bytes]) -> None:
    """Write files, named by their paths inside the folder, all or none; the folder may be there or not."""
    import errno
    import shutil
    import tempfile
    from pathlib import Path

    stage: Path | None = None
    made: list[Path] = []
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
            made += [above for above in (folder, *folder.parents) if not above.exists()]
            folder.mkdir(parents=True, exist_ok=True)
            if (target / name).is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        for name in contents:
            (stage / name).replace(target / name)
        made.clear()
    except (OSError, ValueError) as error:
        told = getattr(error, "strerror", None) or error
        raise PartwiseError(
            f"cannot be written ({told})", "give a folder in one you can write", file=str(path)
        ) from None
    finally:
        if stage is not None:
            shutil.rmtree(stage, ignore_errors=True)
        for folder in sorted(made, reverse=True):
            with contextlib.suppress(OSError):
                folder.rmdir()  # empty, for nothing came of it
