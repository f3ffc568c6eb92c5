"""Opening files whatever their compression, and writing them whole or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from partwise.errors import PartwiseError

if TYPE_CHECKING:
    from pathlib import Path

COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")

_MAGIC = {
    b"\x1f\x8b": ".gz",
    b"BZh": ".bz2",
    b"\xfd7zXZ\x00": ".xz",
    b"\x28\xb5\x2f\xfd": ".zst",
}
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
    for magic, compression in _MAGIC.items():
        if data.startswith(magic):
            return _decompress(data, compression, name)
    return data


@contextlib.contextmanager
def stream(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """The file to be read piece by piece, decompressed. Errors are those of Python: `read_bytes` tells them better."""
    name = os.fspath(path)
    with open(name, "rb", buffering=0) as file:
        start = file.read(max(map(len, _MAGIC)))
        file.seek(0)
        compression = next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), "")
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


def _decompress(data: bytes, compression: str, name: str) -> bytes:
    try:
        if compression == ".gz":
            import gzip

            return gzip.decompress(data)
        if compression == ".bz2":
            import bz2

            return _all_streams(data, bz2.BZ2Decompressor)
        if compression == ".xz":
            import lzma

            return _all_streams(data, lzma.LZMADecompressor)
        import pyarrow as pa

        with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
            return bytes(stream.read())
    except Exception as error:
        raise PartwiseError(
            f"is damaged or cut short as {compression[1:]} ({str(error) or type(error).__name__})",
            "compress it again",
            file=name,
        ) from None


def _all_streams(data: bytes, decompressor: Callable[[], Any]) -> bytes:
    """All streams of a file, one behind the other; unlike the one-shot functions it does not pass over a bad one."""
    found = []
    while data:
        stream = decompressor()
        found.append(stream.decompress(data))
        if not stream.eof:
            raise EOFError("it ends within a stream")
        data = stream.unused_data
        if not data.strip(b"\x00"):
            break  # padding
    return b"".join(found)


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
    except (OSError, ValueError) as error:
        told = getattr(error, "strerror", None) or error
        raise PartwiseError(
            f"cannot be written ({told})", "give a path in a folder you can write", file=str(path)
        ) from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(target.stat().st_mode if target.exists() else 0o666 & ~umask)
        temporary.replace(target)
    except OSError as error:
        raise PartwiseError(
            f"cannot be written ({error.strerror or error})", "give a path you can write", file=str(path)
        ) from None
    finally:
        temporary.unlink(missing_ok=True)
