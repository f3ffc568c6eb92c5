"""Outputs are whole or not there, whatever happens while they are written."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import partwise as pw
from partwise import outputs
from partwise.cli import main
from partwise.outputs import replacing, together, write_bytes, write_files, write_folder
from support import killing
from support.paths import TESTS

QRELS = "t1 Q0 d1 5 100 10 10:5\nt2 Q0 d2 5 100 20 20:5\n"
RUN = "t1 Q0 d1 1 0.9 tag 10 5\nt2 Q0 d2 1 0.8 tag 20 5\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("q.txt").write_text(QRELS)
    Path("a.run").write_text(RUN)
    Path("b.run").write_text(RUN.replace("10 5", "12 5"))
    return tmp_path


def temporary() -> list[str]:
    return [name for name in os.listdir(".") if name.endswith(".part")]


def half_written(path: str, stop: Callable[[], object]) -> None:
    with replacing(path) as file:
        file.write(b"half")
        stop()


# ---- killed processes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_killed_commands_leave_the_old_or_the_new_output(count: int, tmp_path: Path) -> None:
    script = TESTS / "support" / "killing.py"
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, script, tmp_path, str(count), "1"],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    kills = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(kills) == count
    for kill in kills:
        assert kill["content"] in ("old", "new", "none"), kill
        assert kill["killed"] or kill["point"] is None, kill  # else it ended before its time
        if kill["signal"] == signal.SIGTERM:
            assert not kill["left"], kill
        if kill["point"] in killing.BEFORE_RENAMING and kill["signal"] == signal.SIGKILL:
            assert 1 <= len(kill["left"]) <= 3, kill  # scores have a second file, of which the old one is kept
            assert kill["content"] != "new", kill
        if "left later" in kill:
            assert (kill["status"], kill["left later"]) == (0, []), kill
    inside = [kill for kill in kills if kill["point"] in killing.BEFORE_RENAMING]
    assert len(inside) >= count // 4
    assert {kill["output"] for kill in inside} == set(killing.COMMANDS)


def name_of(target: str, process: int, started: str | int, host: str | None = None) -> str:
    return f".partwise-{outputs._checksum(target)}-{host or outputs._host()}-{process}-{started}-0.part"


def test_leftovers_are_removed_only_if_their_writer_is_dead(folder: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    ours = outputs._started(os.getpid())
    assert ours is not None
    assert ours.isdigit()
    dead = [
        name_of("x.tsv", ended.pid, 17),
        name_of("x.tsv", os.getpid(), int(ours) + 1),  # another process had this id before
        name_of("x.tsv", 2**40, 17),
    ]
    alive = [
        name_of("x.tsv", os.getpid(), ours),
        name_of("x.tsv", os.getpid(), 0),  # written where the system does not say when a process started
        name_of("x.tsv", ended.pid, 17, "0123abcd"),  # of another machine
        name_of("y.tsv", ended.pid, 17),  # of another target
        ".partwise-notes.part",
    ]
    for name in [*dead, *alive]:
        Path(name).write_text("left")
    os.mkdir(name_of("x.tsv", ended.pid, 18))
    write_bytes("x.tsv", b"new")
    assert sorted(temporary()) == sorted(alive)


def test_a_zombie_is_dead(folder: Path) -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    Path(name_of("x.tsv", child, 17)).write_text("left")
    write_bytes("x.tsv", b"new")
    os.waitpid(child, 0)
    assert temporary() == []


def test_a_long_name_can_be_written(folder: Path) -> None:
    write_bytes("x" * 251 + ".tsv", b"new")
    assert Path("x" * 251 + ".tsv").read_bytes() == b"new"


def test_handlers_of_the_program_stay(folder: Path) -> None:
    def handler(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            half_written("x.tsv", lambda: os.kill(os.getpid(), signal.SIGTERM))
        assert signal.getsignal(signal.SIGTERM) is handler
    finally:
        signal.signal(signal.SIGTERM, before)
    assert temporary() == []
    assert not Path("x.tsv").exists()
    write_bytes("x.tsv", b"new")
    assert signal.getsignal(signal.SIGTERM) == before


def test_signals_wait_until_all_files_are_renamed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace = os.replace

    def interrupted(*args: Any) -> None:
        replace(*args)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(os, "replace", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a background job of a shell
    try:
        with pytest.raises(KeyboardInterrupt):
            write_files({"a": b"a", "b": b"b"})
    finally:
        signal.signal(signal.SIGINT, before)
    assert (Path("a").read_bytes(), Path("b").read_bytes(), temporary()) == (b"a", b"b", [])


def test_writing_from_another_thread(folder: Path) -> None:
    thread = threading.Thread(target=write_bytes, args=("x.tsv", b"new"))
    thread.start()
    thread.join()
    assert Path("x.tsv").read_bytes() == b"new"


# ---- all or none --------------------------------------------------------------------------------------------


def test_a_bad_plot_leaves_no_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkdir("no.svg")
    command = ["compare", "q.txt", "a.run", "b.run", "-m", "iAP"]
    assert main([*command, "-o", "a.tsv", "--plot", "no.svg"]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == "no.svg: is a folder; give the path of a file to write"
    assert main([*command, "-o", "a.tsv", "--plot", "nowhere/x.svg"]) == 2
    assert not Path("a.tsv").exists()
    assert temporary() == []
    assert main([*command, "--plot", "nowhere/x.svg"]) == 2
    assert capsys.readouterr().out == ""


def test_a_bad_table_leaves_no_plot(folder: Path) -> None:
    assert main(["compare", "q.txt", "a.run", "b.run", "-m", "iAP", "-o", "no/a.tsv", "--plot", "x.html"]) == 2
    assert not Path("x.html").exists()
    assert temporary() == []


def test_a_file_that_cannot_be_renamed_restores_the_others(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("b").write_text("old")
    replace = os.replace

    def failing(source: str, target: str) -> None:
        if os.path.basename(target) == "a":
            raise PermissionError(1, "Operation not permitted")
        replace(source, target)

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(pw.PartwiseError, match=r"^a: cannot be written \(Operation not permitted\)"):
        write_files({"a": b"new", "b": b"new", "c": b"new"})
    assert Path("b").read_text() == "old"
    assert not {"a", "c"} & set(os.listdir("."))
    assert temporary() == []


def test_a_part_that_failed_is_not_written(folder: Path) -> None:
    with together():
        write_bytes("a", b"new")
        with pytest.raises(ZeroDivisionError):
            half_written("b", lambda: 1 / 0)
        assert not Path("a").exists()
    assert Path("a").read_bytes() == b"new"
    assert not Path("b").exists()
    assert temporary() == []


def test_files_reach_the_disk_before_they_are_renamed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    for name in ("fsync", "replace"):
        original = getattr(os, name)

        def call(*args: Any, name: str = name, original: Any = original) -> None:
            kind = "folder" if name == "fsync" and stat.S_ISDIR(os.fstat(args[0]).st_mode) else ""
            calls.append(f"{name} {kind}".strip())
            original(*args)

        monkeypatch.setattr(os, name, call)
    write_files({"a": b"1", "b": b"2"})
    assert calls == ["fsync", "fsync", "replace", "replace", "fsync folder"]


def test_permissions_and_links_stay(folder: Path) -> None:
    Path("x").write_text("old")
    os.chmod("x", 0o600)
    os.symlink("x", "link")
    write_bytes("link", b"new")
    assert os.path.islink("link")
    assert Path("x").read_bytes() == b"new"
    assert stat.S_IMODE(os.stat("x").st_mode) == 0o600
    write_bytes("y", b"new")
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(os.stat("y").st_mode) == 0o666 & ~umask


def test_a_folder_is_written_whole(folder: Path) -> None:
    Path("f/b").mkdir(parents=True)
    with pytest.raises(pw.PartwiseError, match=r"^f: cannot be written"):
        write_folder("f", {"a": b"1", "new/c": b"2", "b": b"3"})
    assert sorted(os.listdir("f")) == ["b"]


# ---- streams ------------------------------------------------------------------------------------------------


def piped(script: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", script.replace("partwise", f"{sys.executable} -m partwise")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **options,
    )


SCORED = "run_id\tmeasure\tquery_id\tvalue\na\tiAP\tall\t1.0\n"


@pytest.mark.parametrize(
    "script",
    [
        "partwise evaluate q.txt a.run -m iAP -f tsv -o /dev/stdout",
        "partwise evaluate q.txt a.run -m iAP -f tsv -o /dev/stdout > out; cat out",
        "partwise evaluate q.txt a.run -m iAP -f tsv -o /dev/fd/3 3> out; cat out",
        "partwise evaluate q.txt a.run -m iAP -f tsv -o >(cat > out); sleep 0.3; cat out",
        "mkfifo p.tsv; cat p.tsv & partwise evaluate q.txt a.run -m iAP -o p.tsv; wait",
        "partwise evaluate <(cat q.txt) <(cat a.run) -m iAP --as a=/dev/fd/62 62< a.run | grep -v 6[0-9]",
        "mkfifo a.fifo; cat a.run > a.fifo & partwise evaluate q.txt a.fifo -m iAP | sed s/a.fifo/a/",
        "cat a.run | partwise evaluate q.txt - -m iAP | sed s/stdin/a/",
        "cat a.run | partwise evaluate q.txt /dev/stdin -m iAP | sed s/stdin/a/",
    ],
)
def test_pipes_and_devices_are_streams(script: str, folder: Path) -> None:
    done = piped(script)
    assert done.stdout == SCORED, done.stderr
    assert temporary() == []


def test_streams_continue_a_file(folder: Path) -> None:
    Path("out").write_text("before\n")
    assert piped("partwise evaluate q.txt a.run -m iAP -f tsv -o /dev/stdout >> out").returncode == 0
    assert Path("out").read_text() == "before\n" + SCORED


def test_a_stream_that_is_needed_twice_is_read_once(folder: Path) -> None:
    done = piped("partwise compare <(cat q.txt) a.run b.run -m iAP -f tsv --trials 100 | head -1")
    assert done.stdout.startswith("measure\t"), done.stderr
    Path("t.jsonl").write_text('{"query_id": "t1", "title": "T"}\n')
    done = piped("partwise report q.txt a.run -m iAP -o r.html --queries <(cat t.jsonl)")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["c.zip", "c.tar", "c.parquet"])
def test_a_stream_that_cannot_be_read_twice_is_refused(name: str, folder: Path) -> None:
    os.mkfifo(name)
    with pytest.raises(pw.PartwiseError) as error:
        pw.Collection.open(name)
    assert str(error.value) == (
        f"{name}: is a pipe or a device, which cannot be read twice; save it to a file and give the file"
    )


def test_a_reader_that_stops_early_is_not_an_error(folder: Path) -> None:
    done = piped("partwise compare q.txt a.run b.run -m iAP -f tsv --trials 100 --plot x.html | true")
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0)
    assert Path("x.html").read_text().rstrip().endswith("</html>")


def test_a_socket_is_an_error(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("s.tsv")
        assert main(["evaluate", "q.txt", "a.run", "-o", "s.tsv"]) == 2
    assert stat.S_ISSOCK(os.stat("s.tsv").st_mode)


def test_a_folder_that_cannot_be_listed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: str) -> list[str]:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(os, "listdir", refused)
        write_bytes("x.tsv", b"new")
    assert Path("x.tsv").read_bytes() == b"new"
