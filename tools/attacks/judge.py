"""Running a case in this process, and what counts as a fault."""

from __future__ import annotations

import contextlib
import glob
import html.parser
import io
import json
import os
import re
import shutil
import signal
import stat
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from attacks import values
from attacks.case import FIFO, Case, Special
from attacks.corpora import LEAK
from attacks.watch import Caught

SECONDS = 10.0
"""A case that computes longer is a fault, one that waits half as long, and one that takes three times as long."""
WAITING, IDLE = 3, 0.01
MEMORY = 250 * 2**20
UNPACKED = 32 * 2**20
"""A case that needs more bytes is a fault: its files are small."""
MAY_REPORT_PROBLEMS = ("check", "locate", "gate")
"""The commands with an exit code of 1."""
LONGEST_LINE = 3_000

_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_PACKAGE = os.sep + os.path.join("src", "partwise") + os.sep


@dataclass(frozen=True)
class Fault:
    """A fault by kind and place, which group equal ones, and its details."""

    kind: str
    place: str
    details: str = ""

    @property
    def key(self) -> str:
        return f"{self.kind} in {self.place}" if self.place else self.kind


class TooSlow(BaseException):
    """The time for a case is over; not an Exception, so that nothing swallows it."""


@dataclass
class Outcome:
    """What a command returned, printed and wrote."""

    code: int | None = None
    error: BaseException | None = None
    out: bytes = b""
    err: str = ""


def place_of(frames: TracebackType | FrameType | None) -> str:
    """The innermost function of ours in a traceback, or in the callers of a frame."""
    if isinstance(frames, TracebackType):
        stack: list[FrameType] = [frame for frame, _ in traceback.walk_tb(frames)][::-1]
    else:
        stack = [frame for frame, _ in traceback.walk_stack(frames)]
    for frame in stack:
        name = frame.f_code.co_filename
        if _PACKAGE in name:
            return f"{name.rpartition(_PACKAGE)[2]}:{frame.f_code.co_name}"
    return ""


def described(error: BaseException) -> str:
    lines = traceback.format_exception_only(error)
    return "".join(lines).strip()[:500]


class Streams:
    """Standard streams of a process, as files in memory."""

    def __init__(self, stdin: bytes) -> None:
        self.stdin = io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
        self.stdout = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
        self.stderr = io.TextIOWrapper(io.BytesIO(), "utf-8", errors="backslashreplace", write_through=True)

    def __enter__(self) -> Streams:
        self.kept = sys.stdin, sys.stdout, sys.stderr
        sys.stdin, sys.stdout, sys.stderr = self.stdin, self.stdout, self.stderr
        return self

    def __exit__(self, *_: object) -> None:
        sys.stdin, sys.stdout, sys.stderr = self.kept

    def content(self, stream: io.TextIOWrapper) -> bytes:
        if stream.closed:
            return b""
        with contextlib.suppress(ValueError, UnicodeError):
            stream.flush()
        buffer = stream.buffer
        return buffer.getvalue() if isinstance(buffer, io.BytesIO) else b""


@contextlib.contextmanager
def _settings() -> Iterator[None]:
    """A limit of what may expand that is far below that of memory, so that exceeding it is noticed."""
    from partwise.settings import reading

    with reading(max_unpacked=UNPACKED):
        yield


@contextlib.contextmanager
def _read(case: Case, folder: Path) -> Iterator[None]:
    """Keep the pipes of a case open, so that writing to one does not wait for a reader."""
    pipes = [name for name, content in case.files.items() if isinstance(content, Special) and content.kind == FIFO]
    outputs = {word for words in case.steps for option, word in pairwise(words) if option in ("-o", "--plot")}
    outputs |= {word for words in case.steps if words[0] == "convert" for word in words[2:]}
    opened = [os.open(folder / name, os.O_RDWR | os.O_NONBLOCK) for name in pipes if name in outputs]
    try:
        yield
    finally:
        for number in opened:
            os.close(number)


# ---- running ------------------------------------------------------------------------------------------------


class Judge:
    """Runs cases in a folder of its own."""

    def __init__(self, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        self.seconds, self.memory = seconds, memory
        self.caught = Caught()
        self.above = Path(tempfile.mkdtemp(prefix="attack-"))
        self.folder = self.above / "1" / "2" / "3" / "4"  # so deep that ../../x is inside too

    def close(self) -> None:
        os.chdir("/")
        shutil.rmtree(self.above, ignore_errors=True)

    def faults(self, case: Case) -> list[Fault]:
        """Run a case and return its faults, each kind and place once."""
        shutil.rmtree(self.above, ignore_errors=True)
        self.folder.mkdir(parents=True)
        os.chdir(self.folder)
        case.write_files(self.folder)
        faults: list[Fault] = []
        self.caught.forget()
        before = _resident()
        _reset_peak()
        with self._watched(faults), _settings(), _read(case, self.folder):
            if case.call is not None:
                faults += self._call(case.call)
            else:
                faults += self._steps(case)
        faults += [
            Fault(f"swallowed {type(error).__name__}", place, described(error)) for error, place in self.caught.errors()
        ]
        grown = _peak() - before
        if grown > self.memory:
            faults.append(Fault("memory", "", f"{grown >> 20} MiB"))
        return list({fault.key: fault for fault in faults}.values())

    @contextlib.contextmanager
    def _watched(self, faults: list[Fault]) -> Iterator[None]:
        """Report warnings and errors that nobody waits for."""

        def warned(message: Any, category: Any, *_: Any, **__: Any) -> None:
            place = place_of(sys._getframe(1))
            faults.append(Fault(f"warning {category.__name__}", place, str(message)[:300]))

        def in_thread(arguments: Any) -> None:
            faults.append(Fault(f"thread {arguments.exc_type.__name__}", place_of(arguments.exc_traceback)))

        def unraisable(arguments: Any) -> None:
            place = place_of(arguments.exc_traceback)
            faults.append(Fault(f"unraisable {arguments.exc_type.__name__}", place, str(arguments.err_msg)))

        hooks = threading.excepthook, sys.unraisablehook
        threading.excepthook, sys.unraisablehook = in_thread, unraisable
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always")
                warnings.showwarning = warned
                yield
        finally:
            threading.excepthook, sys.unraisablehook = hooks

    @contextlib.contextmanager
    def _limited(self) -> Iterator[None]:
        begun, before, delayed = time.monotonic(), time.process_time(), _delay()

        def stop(number: int, *_: object) -> None:
            nonlocal begun, before, delayed
            used, before = time.process_time() - before, time.process_time()
            now = _delay()
            delay, delayed = now - delayed, now  # while other programs had the processors
            begun += delay
            idle = number == signal.SIGALRM and used + delay < IDLE * self.seconds
            if idle or number == signal.SIGPROF or time.monotonic() - begun > WAITING * self.seconds:
                raise TooSlow

        timers = {signal.SIGALRM: signal.ITIMER_REAL, signal.SIGPROF: signal.ITIMER_PROF}
        kept = {number: signal.signal(number, stop) for number in timers}
        signal.setitimer(signal.ITIMER_REAL, self.seconds / 2, self.seconds / 2)
        signal.setitimer(signal.ITIMER_PROF, self.seconds)
        try:
            yield
        finally:
            for number, timer in timers.items():
                signal.setitimer(timer, 0)
                signal.signal(number, kept[number])

    def _call(self, source: str) -> list[Fault]:
        from attacks.calls import namespace
        from partwise.errors import PartwiseError

        streams = Streams(b"")
        names = namespace()
        try:
            with streams, self._limited():
                eval(compile(source, "<call>", "eval"), names)
        except TooSlow as error:
            return [Fault("slow", place_of(error.__traceback__))]
        except PartwiseError as error:
            return _faults_of_line(str(error), 0)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # panics of Rust are no Exceptions
            place = place_of(error.__traceback__)  # without a place the arguments cannot be made
            return [Fault(type(error).__name__, place, described(error))] if place else []
        return []

    def _steps(self, case: Case) -> list[Fault]:
        faults: list[Fault] = []
        printed: list[bytes] = []
        for words in case.steps:
            before = _listed(self.folder)
            outcome = self.run(words, case.stdin or b"")
            faults += judged(words, outcome)
            if not isinstance(outcome.error, TooSlow):
                faults += _written(case, words, outcome, before, self.folder)
            if case.same and words[0] == "evaluate":
                printed.append(outcome.out)
                if outcome.code != 0:
                    faults.append(Fault("valid input is refused", words[0], outcome.err[-300:]))
            elif case.same and outcome.code != 0:
                return faults  # a format cannot hold everything
        if len(set(printed)) > 1:
            details = "\n".join(out.decode(errors="replace")[-300:] for out in printed)
            faults.append(Fault("different values", case.steps[-1][0], details))
        return faults

    def run(self, words: tuple[str, ...], stdin: bytes) -> Outcome:
        from partwise.cli import main

        outcome = Outcome()
        streams = Streams(stdin)
        try:
            with streams, self._limited():
                outcome.code = main(list(words))
        except SystemExit as error:
            outcome.code = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # panics of Rust are no Exceptions
            outcome.error = error
        outcome.out = streams.content(streams.stdout)
        outcome.err = streams.content(streams.stderr).decode("utf-8", "replace")
        return outcome


def _delay() -> float:
    """For how many seconds the threads of this process were ready to run but did not, on a busy machine."""
    delay = 0
    for path in glob.glob("/proc/self/task/*/schedstat"):
        with contextlib.suppress(OSError), open(path, "rb") as file:
            delay += int(file.read().split()[1])
    return delay / 1e9


def _resident() -> int:
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _reset_peak() -> None:
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def _peak() -> int:
    with open("/proc/self/status", "rb") as file:
        match = re.search(rb"VmHWM:\s*(\d+) kB", file.read())
    return int(match[1]) * 1024 if match else 0


# ---- judging ------------------------------------------------------------------------------------------------


def judged(words: tuple[str, ...], outcome: Outcome) -> list[Fault]:
    """The faults in the exit code and on the standard streams."""
    error, command = outcome.error, words[0]
    if isinstance(error, TooSlow):
        return [Fault("slow", place_of(error.__traceback__))]
    if error is not None:
        return [Fault(type(error).__name__, place_of(error.__traceback__), described(error))]
    faults = []
    if outcome.code not in (0, 1, 2) or (outcome.code == 1 and command not in MAY_REPORT_PROBLEMS):
        faults.append(Fault(f"exit code {outcome.code}", command))
    lines = outcome.err.split("\n")
    if lines.pop():
        faults.append(Fault("the last line on standard error does not end", command))
    if outcome.code == 2:
        errors = [line for line in lines if not line.startswith("note: ")]
        if len(errors) != 1 or lines[-1] != errors[0]:
            faults.append(Fault(f"{len(errors)} error lines", command, outcome.err[:500]))
    longest = max(map(len, words))
    for line in lines:
        faults += _faults_of_line(line, longest, command)
    return faults


def _faults_of_line(line: str, longest: int, place: str = "") -> list[Fault]:
    faults = []
    if _CONTROL.search(line):
        faults.append(Fault("control characters on standard error", place, repr(line[:300])))
    if len(line) > LONGEST_LINE + 2 * longest:
        faults.append(Fault("a long line on standard error", place, line[:300]))
    return faults


def _listed(folder: Path) -> dict[str, tuple[int, int, int]]:
    """What is in the folder: type, size and date by name."""
    listed = {}
    for above, folders, files in os.walk(folder.parent):  # one above, so that ../out is seen
        for name in (*folders, *files):
            path = os.path.join(above, name)
            found = os.lstat(path)
            size = found.st_size if stat.S_ISREG(found.st_mode) else 0
            date = found.st_mtime_ns if stat.S_ISREG(found.st_mode) else 0
            listed[os.path.relpath(path, folder)] = stat.S_IFMT(found.st_mode), size, date
    return listed


def _written(case: Case, words: tuple[str, ...], outcome: Outcome, before: dict[str, Any], folder: Path) -> list[Fault]:
    """The faults in the files that a command wrote."""
    after = _listed(folder)
    command = words[0]
    new = [name for name, state in after.items() if before.get(name) != state]
    faults = []
    if any(".partwise-" in name for name in after):
        faults.append(Fault("a temporary file is left", command, str(new)))
    failed = outcome.code == 2 or outcome.error is not None
    if failed and (new or len(after) < len(before)):
        faults.append(Fault("an output is written in spite of an error", command, f"{new} {outcome.err}"))
    if LEAK.encode() in outcome.out and "--follow-links" not in words:
        faults.append(Fault("a link leads out of the collection", command))
    for name in new:
        if after[name][0] == stat.S_IFREG and outcome.code == 0:
            data = (folder / os.fsdecode(name)).read_bytes()
            faults += [
                Fault(kind, command, f"{name}: {details}") for kind, details in content_faults(name, data, words)
            ]
    if (
        outcome.code == 0
        and command == "convert"
        and not any(isinstance(content, Special) for content in case.files.values())
    ):
        faults += _read_back(words, folder)
    return faults


class _Marks(html.parser.HTMLParser):
    """Elements with our mark among their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.leaks: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if any(
            name == values.MARK or (name.startswith("on") and values.MARK in (value or "")) for name, value in attrs
        ):
            self.leaks.append(tag)


def content_faults(name: str, data: bytes, words: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Faults in a file that was written, as far as its suffix says what it must be."""
    suffix = "" if {"-f", "--to"} & set(words) else os.path.splitext(name)[1]
    if suffix == ".html":
        text = data.decode("utf-8", "replace")
        leaks = [raw for raw in values.RAW if raw in text]
        marks = _Marks()
        if values.MARK in text:
            marks.feed(text)
        if leaks or marks.leaks:
            yield "script injection", str(leaks or marks.leaks)
    elif suffix == ".svg":
        from lxml import etree

        try:
            etree.fromstring(data, etree.XMLParser(huge_tree=True))
        except etree.XMLSyntaxError as error:
            yield "unreadable output", str(error)
    elif suffix == ".png":
        if not data.startswith(b"\x89PNG") or not data.endswith(b"IEND\xaeB`\x82"):
            yield "unreadable output", "not PNG"
    elif suffix in (".jsonl", ".json"):
        try:
            for line in data.decode().split("\n") if suffix == ".jsonl" else [data.decode()]:
                if line:
                    json.loads(line, parse_constant=_refuse)
        except (ValueError, RecursionError) as error:
            yield "unreadable output", str(error)
    elif suffix in (".tsv", ".csv"):
        try:
            data.decode()
        except UnicodeError as error:
            yield "unreadable output", str(error)
    elif suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            pq.read_table(io.BytesIO(data)).validate(full=True)
        except (pa.ArrowException, OSError) as error:
            yield "unreadable output", str(error)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _read_back(words: tuple[str, ...], folder: Path) -> list[Fault]:
    """The faults of a conversion: its output must be read, and have the results or judgements of its input."""
    from attacks.reading import differences

    faults = []
    for kind, details in differences(words, folder):
        faults.append(Fault(kind, "convert", details))
    return faults
