"""Writing files whole or not at all, and several of them together.

A file is written beside its target, flushed to the disk, and renamed to the target. Its name says which process writes
it, so that what a killed process left is removed by the next write to the same target, and by nothing else.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from functools import cache
from itertools import count

from partwise.errors import PartwiseError
from partwise.files import reason_of, split_suffixes
from partwise.messages import files as messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any, BinaryIO

_SIGNALS = ("SIGTERM", "SIGHUP")
"""They end a process without Python's cleaning up; Ctrl-C raises KeyboardInterrupt."""
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/(?:fd/(\d{1,9})|stdin|stdout|stderr)")
_NAMED = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_LEFT = re.compile(r"\.partwise-(?P<target>\w+)-(?P<host>\w+)-(?P<process>\d+)-(?P<started>\d+)-\w+\.part")
_numbers = count()
_unfinished: dict[str, int] = {}
"""The temporary files and folders of this process, with its id: a fork inherits the table, but not the files."""


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write the file whole or not at all, with the compression of its suffix; a pipe or a device as a stream."""
    name = os.fspath(path)
    content = _compress(data, split_suffixes(os.path.basename(name))[2])
    with together() as batch:
        if is_special(name):
            batch.streams.append((name, content))
            return
        with replacing(name) as file:
            file.write(content)


def write_files(contents: Mapping[str, bytes]) -> None:
    """Write several files by their paths, with the compression of their suffixes; if one fails, none is written."""
    with together():
        for name, data in contents.items():
            write_bytes(name, data)


@contextlib.contextmanager
def together() -> Iterator[_Batch]:
    """Files that are written inside replace their targets when the block ends without an error, or none of them does.

    A block inside another belongs to it. If the reader of a pipe stops early, that is not an error.
    """
    batch = _current.get()
    if batch is not None:
        yield batch
        return
    batch = _Batch()
    token = _current.set(batch)
    with _cleaning_up():
        try:
            yield batch
            batch.commit()
        except BrokenPipeError:
            batch.commit()
            raise
        finally:
            _current.reset(token)
            batch.discard()


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file whose content replaces that of `path` when the block ends without an error."""
    name = os.fspath(path)
    with together() as batch, _writing(name):
        if is_special(name):
            with _stream(name) as stream:
                yield stream
            return
        target = os.path.realpath(name)  # a link stays a link
        handle, temporary = _created(target)
        try:
            with open(handle, "wb") as file:
                yield file
                file.flush()
                _to_disk(file.fileno())
        except BaseException:
            _remove(temporary)
            raise
        batch.ready.append((temporary, target, name))


def is_special(path: str | os.PathLike[str]) -> bool:
    """Whether this is a pipe, a device or an open file of this process. A folder is an error."""
    name = os.fspath(path)
    try:
        mode = os.stat(name).st_mode
    except FileNotFoundError:
        return False
    except (OSError, ValueError) as error:
        raise PartwiseError(messages.CANNOT_WRITE(reason=reason_of(error)), file=name) from None
    if stat.S_ISDIR(mode):
        raise PartwiseError(messages.FOLDER_TO_WRITE(), file=name)
    return not stat.S_ISREG(mode) or _descriptor(name) is not None or os.path.abspath(name).startswith("/proc/")


def write_folder(path: str | os.PathLike[str], contents: Mapping[str, bytes]) -> None:
    """Write all files or none, by their paths inside the folder, which may exist already."""
    import errno

    name = os.fspath(path)
    new_folders: list[str] = []
    stage = ""
    try:
        with _cleaning_up():
            target = os.path.realpath(name)
            is_new = not os.path.exists(target)
            stage = _stage(target, is_new)
            for file, data in contents.items():
                _write_below(stage, file, data)
            if is_new:
                _to_disk_by_name(stage)
                os.rename(stage, target)
                _to_disk_by_name(os.path.dirname(target))
                return
            for file in contents:
                new_folders += _made(os.path.dirname(os.path.join(target, file)))
                if os.path.isdir(os.path.join(target, file)):
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            with _uninterrupted():
                for file in contents:
                    os.replace(os.path.join(stage, file), os.path.join(target, file))
            new_folders.clear()
            for folder in {os.path.dirname(os.path.join(target, file)) for file in contents}:
                _to_disk_by_name(folder)
    except (OSError, ValueError) as error:
        raise PartwiseError(messages.CANNOT_WRITE_FOLDER(reason=reason_of(error)), file=name) from None
    finally:
        if stage:
            _remove(stage)
        for folder in sorted(new_folders, reverse=True):
            with contextlib.suppress(OSError):
                os.rmdir(folder)


def _stage(target: str, is_new: bool) -> str:
    """A folder for the files of another one, beside it if that is new, else inside."""
    above = os.path.dirname(target) if is_new else target
    _remove_leftovers(above, os.path.basename(target))
    stage = os.path.join(above, _temporary_name(os.path.basename(target)))
    _unfinished[stage] = os.getpid()
    os.mkdir(stage)
    return stage


def _write_below(folder: str, name: str, data: bytes) -> None:
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        _to_disk(file.fileno())


def _made(folder: str) -> list[str]:
    """Create a folder and those above it, and return the new ones."""
    if os.path.isdir(folder):
        return []
    new = [*_made(os.path.dirname(folder)), folder]
    os.mkdir(folder)
    return new


# ---- several files at once ----------------------------------------------------------------------------------


class _Batch:
    """Files that are complete, and contents of streams; they are written when all are there."""

    def __init__(self) -> None:
        self.ready: list[tuple[str, str, str]] = []
        """The temporary file, the target, and the name for error lines."""
        self.streams: list[tuple[str, bytes]] = []

    def commit(self) -> None:
        """Write the streams, then rename the files, the last one first; if one cannot be renamed, none is."""
        for name, content in self.streams:
            with _writing(name), contextlib.suppress(BrokenPipeError), _stream(name) as stream:
                stream.write(content)
        self.streams.clear()
        replaced: list[tuple[str, str | None]] = []
        backup = None
        try:
            with _uninterrupted():
                for left, (temporary, target, name) in reversed(list(enumerate(self.ready))):
                    with _writing(name):
                        backup = _backup(target) if left else None
                        os.replace(temporary, target)
                    replaced.append((target, backup))
        except PartwiseError:
            for target, before in replaced:
                with contextlib.suppress(OSError):
                    os.unlink(target) if before is None else os.replace(before, target)
            raise
        finally:
            for path in {backup, *(before for _, before in replaced)} - {None}:
                _remove(str(path))
        for folder in {os.path.dirname(target) for _, target, _ in self.ready}:
            _to_disk_by_name(folder)

    def discard(self) -> None:
        """Remove the temporary files that did not replace their targets."""
        for temporary, _, _ in self.ready:
            _remove(temporary)
        self.ready.clear()


_current: ContextVar[_Batch | None] = ContextVar("batch", default=None)


def _backup(target: str) -> str | None:
    """A second name for the file at `target`, from which it can be restored; None if there is no such file."""
    import shutil

    if not os.path.exists(target):
        return None
    backup = os.path.join(os.path.dirname(target), _temporary_name(os.path.basename(target)))
    _unfinished[backup] = os.getpid()
    try:
        os.link(target, backup)
    except OSError:  # not every file system has links
        shutil.copy2(target, backup)
    return backup


@contextlib.contextmanager
def _writing(name: str) -> Iterator[None]:
    """Raise errors of the file system as one line."""
    try:
        yield
    except (PartwiseError, BrokenPipeError):  # the reader of a pipe may stop early
        raise
    except (OSError, ValueError) as error:
        raise PartwiseError(messages.CANNOT_WRITE(reason=reason_of(error)), file=name) from None


# ---- streams ------------------------------------------------------------------------------------------------


def _descriptor(name: str) -> int | None:
    """The number of the open file that a path such as ``/dev/stdout`` or ``/dev/fd/63`` stands for."""
    match = _DESCRIPTOR.fullmatch(name)
    if match is None:
        return None
    return int(match[1]) if match[1] is not None else _NAMED.get(name)


@contextlib.contextmanager
def _stream(name: str) -> Iterator[BinaryIO]:
    """A pipe or a device, open for writing; an open file is continued where it stands, and not truncated."""
    import sys

    number = _descriptor(name)
    if number is None:
        handle = os.open(name, os.O_WRONLY | getattr(os, "O_APPEND", 0))
    else:
        for ours in (sys.stdout, sys.stderr):
            if ours is not None:
                ours.flush()
        handle = os.dup(number)
    with open(handle, "wb") as stream:
        yield stream


# ---- temporary files ----------------------------------------------------------------------------------------


def _temporary_name(target: str) -> str:
    """A new name for a temporary file that belongs to the file of this name, and to this process."""
    process = os.getpid()
    return f".partwise-{_checksum(target)}-{_host()}-{process}-{_started(process) or 0}-{next(_numbers):x}.part"


def _created(target: str) -> tuple[int, str]:
    """A new file beside the target, with its permissions, and the path of the new file."""
    folder, name = os.path.split(target)
    _remove_leftovers(folder, name)
    try:
        mode: int | None = stat.S_IMODE(os.stat(target).st_mode)
    except FileNotFoundError:
        mode = None
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    handle = None
    while handle is None:
        temporary = os.path.join(folder, _temporary_name(name))
        _unfinished[temporary] = os.getpid()
        try:
            handle = os.open(temporary, flags, 0o666 if mode is None else mode & 0o777)
        except FileExistsError:
            _unfinished.pop(temporary)
        except BaseException:
            _unfinished.pop(temporary)
            raise
    if mode is not None and hasattr(os, "fchmod"):
        os.fchmod(handle, mode)  # whatever the umask
    return handle, temporary


def _remove(path: str) -> None:
    """Remove a temporary file or folder, if it is still there."""
    try:
        os.unlink(path)
    except (IsADirectoryError, PermissionError):
        import shutil

        shutil.rmtree(path, ignore_errors=True)
    except OSError:
        pass
    _unfinished.pop(path, None)


def _remove_leftovers(folder: str, target: str) -> None:
    """Remove what dead processes of this machine left when they wrote this target."""
    checksum = _checksum(target)
    names: list[str] = []
    with contextlib.suppress(OSError):  # a folder that can be written need not be readable
        names = os.listdir(folder or ".")
    for name in names:
        match = _LEFT.fullmatch(name)
        if match is None or match["target"] != checksum or match["host"] != _host():
            continue
        if not _is_alive(int(match["process"]), match["started"]):
            _remove(os.path.join(folder, name))


def _is_alive(process: int, started: str) -> bool:
    """Whether the process that started at this time is running; its id may belong to another one by now."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    now = _started(process)
    return now is None or started in ("0", now)


def _started(process: int) -> str | None:
    """When a process started, in ticks; None if the system does not say, empty if it has ended."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return "" if fields[0] in (b"Z", b"X") else fields[19].decode()


@cache
def _host() -> str:
    """This machine, and this space of process ids: containers have their own."""
    parts = [os.uname().nodename if hasattr(os, "uname") else ""]
    with contextlib.suppress(OSError):
        parts.append(os.readlink("/proc/self/ns/pid"))
    with contextlib.suppress(OSError), open("/etc/machine-id", encoding="ascii", errors="replace") as file:
        parts.append(file.read())
    return _checksum("\n".join(parts))


def _checksum(text: str) -> str:
    from binascii import crc32

    return f"{crc32(os.fsencode(text)):08x}"


# ---- disks and signals --------------------------------------------------------------------------------------


def _to_disk(handle: int) -> None:
    import errno

    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some file systems cannot
            raise


def _to_disk_by_name(folder: str) -> None:
    """Make the names in a folder permanent, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder or ".", os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextlib.contextmanager
def _cleaning_up() -> Iterator[None]:
    """Remove temporary files if a signal ends the process inside; a program's own handlers are left alone."""
    import signal

    def end(number: int, frame: FrameType | None) -> None:
        for path, process in list(_unfinished.items()):
            if process == os.getpid():
                _remove(path)
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    ours: list[int] = []
    for number in (getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)):
        if signal.getsignal(number) == signal.SIG_DFL and _set_handler(number, end):
            ours.append(number)
    try:
        yield
    finally:
        for number in ours:
            _set_handler(number, signal.SIG_DFL)


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put off signals until the block ends, so that files are renamed together."""
    import signal

    received: list[int] = []
    before: dict[int, Any] = {}
    for number in (getattr(signal, name) for name in (*_SIGNALS, "SIGINT") if hasattr(signal, name)):
        handler = signal.getsignal(number)
        if handler is not None and _set_handler(number, lambda number, frame: received.append(number)):
            before[number] = handler
    try:
        yield
    finally:
        for number, handler in before.items():
            _set_handler(number, handler)
        for number in received:
            signal.raise_signal(number)


def _set_handler(number: int, handler: Any) -> bool:
    """Set the handler of a signal; only the main thread can."""
    import signal

    try:
        signal.signal(number, handler)
    except ValueError:
        return False
    return True


# ---- compression --------------------------------------------------------------------------------------------


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
