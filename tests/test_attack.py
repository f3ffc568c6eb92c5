"""The attack on our own project (tools/attack.py): that it finds faults of every kind, and none in partwise."""

from __future__ import annotations

import argparse
import ast
import json
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import partwise as pw
from partwise import PartwiseError, cli
from partwise.cli import check
from partwise.formats import registry
from support.paths import ROOT

sys.path.insert(0, str(ROOT / "tools"))

from attacks import commands, seeds, watch
from attacks.case import Case
from attacks.cases import case
from attacks.judge import Judge
from attacks.minimise import minimised

CASES = int(os.environ.get("PARTWISE_ATTACK_CASES", "20000"))


def attack(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools" / "attack.py"), "--findings", str(folder), *words]
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=folder)


# ---- what is attacked -----------------------------------------------------------------------------------------


def test_every_format_has_seeds() -> None:
    names = {format.name for format in registry.OURS}
    assert set(seeds.RUNS) == names
    assert set(seeds.QRELS) == names


def test_every_command_and_option_is_drawn() -> None:
    assert {words[0] for words in commands.interface()} == set(cli.COMMANDS) == set(commands.WEIGHTS)
    for words, actions in commands.interface().items():
        for action in actions:
            if action.dest != "trials" and action.nargs != 0:
                assert callable(commands.argument(words[0], action.dest)), (words, action.dest)


def test_an_option_that_is_not_drawn_is_an_error() -> None:
    with pytest.raises(KeyError):
        commands.argument("evaluate", argparse.Action([], "new").dest)


def test_the_seeds_are_valid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, kinds in seeds.RUNS.items():
        for kind, make in kinds.items():
            grid = make(Random(f"{name} {kind}"))
            Path(f"r{grid.suffix}").write_bytes(grid.bytes())
            assert sum(map(len, pw.read_runs(f"r{grid.suffix}"))) == len(grid.rows)
    for name, kinds in seeds.QRELS.items():
        for kind, make in kinds.items():
            grid = make(Random(f"{name} {kind}"))
            Path(f"q{grid.suffix}").write_bytes(grid.bytes())
            assert len(pw.read_assessments(f"q{grid.suffix}").documents.lines) > 0


def test_the_same_seed_gives_the_same_cases() -> None:
    """In other processes too, which hash strings differently."""
    source = "from attacks.cases import case; print(*(case(3, number).to_json() for number in range(300)), sep='\\n')"
    printed = [
        subprocess.run(
            [sys.executable, "-c", source],
            check=True, capture_output=True, text=True, cwd=ROOT / "tools", env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout.splitlines()
        for seed in "12"
    ]  # fmt: skip
    assert printed[0] == printed[1]
    assert printed[0] == [case(3, number).to_json() for number in range(300)]
    assert printed[0][:9] != [case(4, number).to_json() for number in range(9)]


def test_cases_are_saved_and_read() -> None:
    for number in range(200):
        made = case(5, number)
        assert Case.from_json(made.to_json()) == made


# ---- what it finds --------------------------------------------------------------------------------------------

CHECK = Case((("check", "q.txt"),), {"q.txt": b"q 0 d 1\n", "other": b"x"})


@pytest.fixture
def judge() -> Generator[Judge, None, None]:
    here = Path.cwd()
    made = Judge(seconds=30)
    yield made
    made.close()
    os.chdir(here)


def written(name: str, text: str, code: int = 0) -> int:
    Path(name).write_text(text)
    if code == 2:
        raise PartwiseError("planted")
    return code


def printed(text: str, code: int) -> int:
    print(text, file=sys.stderr)
    if code == 2:
        raise PartwiseError("planted")
    return code


def in_thread() -> int:
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()
    return 0


def large() -> int:
    return len(b"x" * 500_000_000) * 0


LEAKED = '<script>"</script><b pwnd>"</script>'
PLANTED: dict[str, tuple[Callable[[], Any], str]] = {
    "traceback": (lambda: list(range(0))[1], "IndexError"),
    "exit code": (lambda: 3, "exit code 3"),
    "two error lines": (lambda: printed("x", 2), "2 error lines"),
    "no error line": (lambda: 2, "0 error lines"),
    "an escape": (lambda: printed("\x1b[31m", 0), "control characters on standard error"),
    "a long line": (lambda: printed("x" * 10_000, 0), "a long line on standard error"),
    "slow": (lambda: time.sleep(60), "slow"),
    "memory": (large, "memory"),
    "half-written": (lambda: written("out.tsv", "x", 2), "an output is written in spite of an error"),
    "an input that changes": (lambda: written("other", "yy", 2), "an output is written in spite of an error"),
    "a temporary file": (lambda: written(".partwise-x.part", "x"), "a temporary file is left"),
    "a leaked script": (lambda: written("p.html", LEAKED), "script injection"),
    "leaked markup": (lambda: written("p.html", "<p><b pwnd></p>"), "script injection"),
    "not JSON": (lambda: written("out.jsonl", "{"), "unreadable output"),
    "not SVG": (lambda: written("p.svg", "<svg>\x01</svg>"), "unreadable output"),
    "not PNG": (lambda: written("p.png", "x"), "unreadable output"),
    "not Parquet": (lambda: written("p.parquet", "x"), "unreadable output"),
    "a warning": (lambda: warnings.warn("planted", RuntimeWarning, stacklevel=1) or 0, "warning RuntimeWarning"),
    "an error in a thread": (in_thread, "thread ZeroDivisionError"),
    "a document outside": (lambda: print("/leakmark[1]") or 0, "a link leads out of the collection"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_faults_are_found(name: str, judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    assert judge.faults(CHECK) == []
    fault, kind = PLANTED[name]
    judge.seconds = 0.5 if name == "slow" else judge.seconds
    monkeypatch.setattr(check, "run", lambda _: fault())
    assert [fault.kind for fault in judge.faults(CHECK)] == [kind]


def test_only_some_commands_report_problems(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "run", lambda _: 1)
    assert judge.faults(CHECK) == []
    monkeypatch.setattr("partwise.cli.measures.run", lambda _: 1)
    assert [fault.kind for fault in judge.faults(Case((("measures",),)))] == ["exit code 1"]


def test_escaped_markup_is_not_a_fault(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    page = '<p>&lt;b pwnd></p><script>"\\u003c/script><b pwnd>"</script>'
    monkeypatch.setattr(check, "run", lambda _: written("p.html", page))
    assert judge.faults(CHECK) == []


def test_different_values_are_found(judge: Judge) -> None:
    steps = tuple(("evaluate", "q.txt", "--as", f"x={name}", "-m", "P@1") for name in ("a.run", "b.run"))
    runs = {"a.run": b"q Q0 d 1 1 x\n", "b.run": b"q Q0 e 1 1 x\n"}
    case = Case(steps, {"q.txt": b"q 0 d 1\n", **runs}, same=True)
    assert [fault.kind for fault in judge.faults(case)] == ["different values"]
    assert judge.faults(case.with_file("b.run", runs["a.run"])) == []


@pytest.mark.parametrize("kind", ["refused", "changed"])
def test_conversions_that_lose_something_are_found(kind: str, judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case((("convert", "a.run", "out.jsonl"),), {"a.run": b"q Q0 d 1 1 x 0 5\n"})
    assert judge.faults(case) == []
    text = '{"query_id": "q"}' if kind == "refused" else '{"query_id": "q", "doc_id": "d", "start": 0, "end": 6}'
    monkeypatch.setattr("partwise.cli.convert.run", lambda _: written("out.jsonl", text + "\n"))
    expected = {"refused": "a conversion writes what is refused", "changed": "a conversion changes a run"}
    assert [fault.kind for fault in judge.faults(case)] == [expected[kind]]


def test_errors_of_calls_are_found(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    call = Case(call="pw.evaluate({'q': {'d': 1}}, {'q': {'d': 1}}, 'P@1')")
    assert judge.faults(call) == []
    assert judge.faults(Case(call="pw.evaluate({}, {}, 'nonsense')")) == []
    monkeypatch.setattr("partwise.api.scoring.Evaluator.from_options", lambda *_: list(range(0))[1])
    assert [fault.kind for fault in judge.faults(call)] == ["IndexError"]


def test_broad_handlers_report_what_they_catch() -> None:
    source = "def f(g):\n    try:\n        return g()\n    except Exception as error:\n        return error\n"
    assert len(watch.broad_handlers(ast.parse(source))) == 1
    assert not watch.broad_handlers(ast.parse(source.replace("Exception", "ValueError")))
    reported: list[BaseException | None] = []
    setattr(sys, watch.REPORT, lambda: reported.append(sys.exc_info()[1]))
    names: dict[str, Any] = {}
    try:
        exec(watch.reporting(source, "planted.py"), names)
        error = names["f"](lambda: list(range(0))[1])
    finally:
        delattr(sys, watch.REPORT)
    assert reported == [error]


def test_findings_are_made_small() -> None:
    files = {"a": b"one\ntwo\nthree fault four\nfive\n", "b": b"x"}
    case = Case((("check", "a", "--task", "rag", "--lengths", "b"),), files)
    smaller = minimised(case, lambda case: b"fault" in case.files.get("a", b"") and "a" in case.steps[0], 60)
    assert smaller == Case((("check", "a"),), {"a": b"fault"})
    call = Case(call="f([1, 2, {'a': 'fault', 'b': 3}], x=4)")
    assert minimised(call, lambda case: "fault" in str(case.call), 60).call == "f([{'a': 'fault'}])"


# ---- processes ------------------------------------------------------------------------------------------------

PLANT = """
import os, signal, time
from partwise.cli import check
def hang():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    time.sleep(60)
check.run = lambda args: {}
"""


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("os.abort()", "abort SIGABRT"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "abort SIGSEGV"),
        ("os._exit(7)", "abort exit code 7"),
        ("hang()", "hang"),
    ],
)
@pytest.mark.slow
def test_the_end_of_a_process_is_found(fault: str, kind: str, tmp_path: Path) -> None:
    """The case is named, the others run, and a small one is written."""
    plant = tmp_path / "plant.py"
    plant.write_text(PLANT.format(fault))
    checks = [number for number in range(30) if case(1, number).steps[:1] and case(1, number).steps[0][0] == "check"]
    limits = ["--seconds", "0.5", "--minimise", "1", "--jobs", "1"]
    done = attack("--cases", str(checks[1] + 1), "--plant", str(plant), *limits, folder=tmp_path)
    assert done.returncode == 1, done.stderr
    lines = [json.loads(line) for line in (tmp_path / "findings.jsonl").read_text().splitlines()]
    assert {checks[0], checks[1]} <= {line["case"] for line in lines if line["kind"] == kind}, done.stdout
    [folder] = [Path(line.rpartition("; ")[2]) for line in done.stdout.splitlines() if line.startswith(kind)]
    assert (folder / "command").read_text().startswith("partwise check")


@pytest.mark.slow
def test_an_interrupted_attack_goes_on(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "tools" / "attack.py"), "--findings", str(tmp_path), "--cases", "100000"]
    with subprocess.Popen([*command, "--jobs", "1"], stdout=subprocess.DEVNULL) as process:
        progress = tmp_path / "progress.json"
        end = time.monotonic() + 120
        while time.monotonic() < end and not (progress.exists() and json.loads(progress.read_text())["1"] > 20):
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
    completed = json.loads(progress.read_text())["1"]
    assert completed > 20
    done = attack("--cases", str(completed + 30), "--jobs", "1", folder=tmp_path)
    assert "\n30 cases of seed 1 in " in f"\n{done.stdout}"
    done = attack("--cases", str(completed + 30), "--jobs", "1", folder=tmp_path)
    assert "\n0 cases of seed 1 in " in f"\n{done.stdout}"


# ---- the attack itself ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_attack_finds_nothing(tmp_path: Path) -> None:
    """``PARTWISE_ATTACK_CASES`` is the number of cases; `make attack` runs more."""
    done = attack("--cases", str(CASES), "--seed", "1", "--jobs", str(os.cpu_count() or 1), folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{CASES} cases of seed 1 in " in done.stdout
