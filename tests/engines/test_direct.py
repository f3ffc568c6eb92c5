"""The straight way from text files to text measures: the scores and notes of the usual way, or none at all."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import partwise as pw
from partwise import direct, kernels
from partwise.cli import main
from support.runs import write_world

MEASURES = "iAP iP@0 iP@0.01 iP@0.125 iP@1 TextP TextP@5 TextR TextR@5 TextF TextF@20"

pytestmark = pytest.mark.skipif(kernels.IN_USE != "native", reason="the straight way is native")


def told(scores: pw.Scores) -> Any:
    blocks = [(b.run_id, b.measure, list(b.queries), b.values.tobytes(), b.aggregate) for b in scores.blocks]
    return blocks, scores.judged, scores.notes


def usual(qrels: Path, runs: list[Path], measures: str = MEASURES, topics: str = "judged") -> Any:
    return told(pw.Evaluator(qrels, measures, topics=topics).evaluate(runs))


def straight(qrels: Path, runs: list[Path], measures: str = MEASURES, **options: Any) -> Any:
    scores = direct.evaluate(qrels, runs, measures, **options)
    return None if scores is None else told(scores)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from([2, 300, 3000, 1 << 19]),
    st.sampled_from(["judged", "run"]),
    st.integers(1, 4),
)
def test_it_gives_what_the_usual_way_gives(
    tmp_path_factory: pytest.TempPathFactory, seed: int, size: int, topics: str, jobs: int
) -> None:
    folder = tmp_path_factory.mktemp("world")
    runs = write_world(folder, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(direct, "BLOCK", size)
        found = straight(folder / "qrels.txt", runs, topics=topics, jobs=jobs)
    assert found == usual(folder / "qrels.txt", runs, topics=topics)


LINE = "t{topic} Q0 {doc} {rank} {score} r {start} {size}\n"


@st.composite
def disturbed(draw: st.DrawFn) -> tuple[str, str, bool]:
    """Assessments and a run, one line of which may be anything; topics may come again, ranks may fall.

    And whether that is so, or they are as they should be.
    """
    regular = True
    chance = random.Random(draw(st.integers(0, 10**6)))
    judged = [
        f"t{topic} Q0 {doc} 1 100 5 {chance.randrange(50)}:{chance.randrange(60)} 70:{chance.randrange(40)}\n"
        for topic in range(3)
        for doc in "abc"
    ]
    results = [
        LINE.format(
            topic=topic,
            doc=chance.choice("abcd"),
            rank=rank // 2,
            score=chance.random(),
            start=chance.randrange(90),
            size=chance.randrange(30),
        )
        for topic in chance.sample(range(5), 4)
        for rank in range(4)
    ]
    token = st.sampled_from(
        ["t1", "all", "a", "-1", "0", "7", "1e3", "nan", "x", "\ufeff", "\u00e9", "10:20", "1099511627777",
         "9999999999999999999", "{", "<", "query_id", "/a[1]", "", "\t", "\r", "\x00", "\x0b", "#", "doc_id"]
    )  # fmt: skip
    for lines in (judged, results):
        how = draw(st.sampled_from(["as it is", "as it is", "line", "column", "swap", "again", "no end", "bytes"]))
        at = draw(st.integers(0, len(lines) - 1))
        regular &= how in ("as it is", "no end")
        if how == "line":
            lines[at] = " ".join(draw(st.lists(token, max_size=9))) + "\n"
        elif how == "column":
            columns = lines[at].split()
            columns[draw(st.integers(0, len(columns) - 1))] = draw(token)
            lines[at] = " ".join(columns) + "\n"
        elif how == "swap":
            chance.shuffle(lines)
        elif how == "again":
            lines.append(lines[at])
        elif how == "no end":
            lines[-1] = lines[-1].rstrip("\n")
        elif how == "bytes":
            lines[at] = lines[at].replace("t", "\udcff")
    return "".join(judged), "".join(results), regular


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300, deadline=None)
@given(disturbed(), st.sampled_from([40, 1 << 19]))
def test_what_is_odd_is_left_to_the_usual_way(
    tmp_path_factory: pytest.TempPathFactory, texts: tuple[str, str, bool], size: int
) -> None:
    folder = tmp_path_factory.mktemp("odd")
    qrels, run = folder / "qrels.txt", folder / "a.run"
    *contents, regular = texts
    for path, text in zip((qrels, run), contents, strict=True):
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(direct, "BLOCK", size)
        found = straight(qrels, [run])
    try:
        expected = usual(qrels, [run])
    except pw.PartwiseError:
        expected = None
    assert found == expected or (found is None and not regular)


@pytest.fixture
def world(tmp_path: Path) -> list[Path]:
    return [tmp_path / "qrels.txt", *write_world(tmp_path, 7, runs=2)]


def test_the_inex_runs_go_this_way(inex: Path) -> None:
    qrels, run = inex / "qrels.txt", inex / "passages.run"
    found = straight(qrels, [run])
    assert found is not None
    assert found == usual(qrels, [run])


HOSTILE = {
    "one document": lambda i: f"t Q0 d {i} 1 r {i % 5000} {i % 70}",
    "all ties": lambda i: f"t Q0 d{i % 300} 1 1 r {i % 5000} 60",
    "abutting": lambda i: f"t Q0 d {i} 1 r {i} 1",
    "far out": lambda i: f"t Q0 d {i} 1 r {2**40 - 5001 + i % 5000} {i % 2}",
    "a long name": lambda i: f"t Q0 {'d' * 900} {i} 1 r {i} {i}",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files(tmp_path: Path, kind: str) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "a.run"
    passages = " ".join(f"{2 * i}:{1 + i % 3}" for i in range(100_000))
    qrels.write_text(f"t Q0 {'d' * 900} 1 1000 0 5:10\nt Q0 d 1 {2**40} 0 {passages} {2**40 - 9}:9\n")
    rows = 20_000 if kind == "a long name" else 1_000_000
    run.write_text("".join(HOSTILE[kind](i) + "\n" for i in range(rows)))
    found = straight(qrels, [run])
    assert found is not None
    assert found == usual(qrels, [run])


@pytest.mark.parametrize(
    "change", ["gz", "csv name", "other columns", "two tags", "twice", "offset", "topic all", "pipe"]
)
def test_it_knows_its_limits(world: list[Path], tmp_path: Path, change: str) -> None:
    qrels, run, other = world
    lines = run.read_text().splitlines(keepends=True)
    if change == "gz":
        import gzip

        run.write_bytes(gzip.compress(run.read_bytes()))
    elif change == "csv name":
        run = run.rename(tmp_path / "run.csv")
    elif change == "other columns":
        run.write_text("".join(" ".join(line.split()[:6]) + "\n" for line in lines))
    elif change == "two tags":
        run.write_text(run.read_text().replace(" r0 ", " r1 ", 1))
    elif change == "twice":
        run.write_text("".join([*lines, lines[0]]))
    elif change == "offset":
        run.write_text("".join([*lines[:-1], lines[-1].rsplit(" ", 2)[0] + " 1 1099511627776\n"]))
    elif change == "topic all":
        qrels.write_text(qrels.read_text().replace("t0 ", "all "))
    else:
        import os

        os.mkfifo(tmp_path / "pipe")
        run = tmp_path / "pipe"
    assert direct.evaluate(qrels, [run, other], MEASURES) is None


@pytest.mark.parametrize(
    "options",
    [
        {"order": "score"},
        {"unit": "bytes"},
        {"assessor": "a"},
        {"lengths": {"d": 1}},
        {"lenient": True},
        {"run_id": "tag"},
        {"lengths": np.array([1, 2])},
        {"collection": pd.DataFrame({"doc_id": ["d", "e"]})},
        {"topics": "some"},
        {"topics": ["judged"]},
        {"jobs": 0},
        {"jobs": True},
    ],
    ids=str,
)
def test_options_it_does_not_know(world: list[Path], options: dict[str, Any]) -> None:
    assert direct.evaluate(world[0], world[1:], MEASURES, **options) is None


NOT_KNOWN = (
    "iAP(points=11) iP iP@0.0 iP@0.10 iP@.1 iP@1.5 iP@0.1234 TextP@0 TextP@05 TextP@5.0 TextF(beta=2)@5 AP nonsense "
    "TextR@ iAP@1 TextP@\u0665"
)


@pytest.mark.parametrize("name", NOT_KNOWN.split())
def test_measures_it_does_not_know(world: list[Path], name: str) -> None:
    assert direct.evaluate(world[0], world[1:], f"iAP {name}") is None


def test_names_are_canonical() -> None:
    names = "iAP MAiP iMAP iP@0 iP@1 iP@0.5 iP@0.001 TextP TextP@1 TextR@1000000000000 TextF@7"
    asked = direct.asked_by(names)
    assert asked is not None
    assert list(asked) == list(dict.fromkeys(pw.measure(name).name for name in names.split()))


def test_one_kernel_choice_switches_it_off(world: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARTWISE_KERNELS", "reference")
    assert direct.evaluate(world[0], world[1:], MEASURES) is None


def test_python_goes_this_way_too(world: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    qrels, *runs = world
    by_evaluator = usual(qrels, runs, "iAP TextP@5")
    monkeypatch.setattr(pw.Evaluator, "__init__", None)
    assert told(pw.evaluate(qrels, runs, ["MAiP", pw.TextP @ 5])) == by_evaluator
    assert told(pw.evaluate(str(qrels), str(runs[0]), task="focused"))[1] == 12


@pytest.mark.parametrize(
    "asked", [["-m", "iAP iP@0.01"], ["--task", "focused", "-m", "TextP@10", "-m", "iAP"]], ids=str
)
def test_numpy_is_not_loaded(world: list[Path], tmp_path: Path, asked: list[str]) -> None:
    arguments = ["evaluate", *map(str, world), *asked, "-q", "-o", str(tmp_path / "scores.tsv")]
    code = f"import sys; from partwise.cli import main; main({arguments}); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize("format", ["tsv", "csv", "jsonl", "trec", "latex", "table", "parquet"])
def test_all_formats_come_out_the_same(
    world: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], format: str
) -> None:
    def written(name: str) -> tuple[bytes, str]:
        out = tmp_path / name
        assert main(["evaluate", *map(str, world), "-m", MEASURES, "-q", "-f", format, "-o", str(out)]) == 0
        return out.read_bytes(), capsys.readouterr().err

    found = written("straight")
    monkeypatch.setattr(direct, "evaluate", lambda *_, **__: None)
    assert found == written("usual")


def test_progress_is_told(world: list[Path]) -> None:
    seen: list[tuple[int, int]] = []
    assert direct.evaluate(*_split(world), MEASURES, progress=lambda *told: seen.append(told)) is not None
    assert seen == [(0, 2), (1, 2), (2, 2)]


def test_progress_only_rises(world: list[Path]) -> None:
    """Also where a later run is odd, and all go the usual way."""
    odd = world[0].parent / "odd.run"
    odd.write_text("".join(reversed(world[1].read_text().splitlines(keepends=True))))
    seen: list[tuple[int, int]] = []
    pw.evaluate(world[0], [*world[1:], odd], "iAP", progress=lambda *told: seen.append(told))
    assert seen == [(done, 3) for done in range(4)]


def test_an_interrupt_ends_it(world: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(done: int, total: int) -> None:
        raise KeyboardInterrupt

    made: list[Any] = []
    make = direct._scoring
    monkeypatch.setattr(direct, "_scoring", lambda *given: made.append(make(*given)) or made[-1])
    with pytest.raises(KeyboardInterrupt):
        direct.evaluate(*_split(world), MEASURES, progress=interrupted)
    assert made[0].wait(10)  # though the interrupt, which holds it, is still there


def _split(world: list[Path]) -> tuple[Path, list[Path]]:
    return world[0], world[1:]


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        (b"t Q0 d 9 99 5 0:10\n", b"t Q0 d 1 1 r 0\x1f5\nt Q0 d 2 .5 r 20 5\n"),
        (b"t\x01Q0\x01d 10 100 5 0:10\n", b"t Q0 d 1 1 r 0 5\n"),
        (b"t Q0 d 9 99 5 0:10\n", b"t Q0 d 1 1\rr 0 5"),
        (b"t Q0 d 9 99 5\r0:10", b"t Q0 d 1 1 r 0 5\n"),
        (b"t Q0 d 9 99 5 0:10\n", b" " * 65530 + b"t\tQ0  \tdoc_id\t1\t1\tr\t0\t5\nt Q0 d 2 1 r 0 5\n"),
        (b"t Q0 d 9 99 5 0:10\n", b"t Q0 " + b"x" * 70000 + b" 1 1 r 0 5\nt Q0 d 2 1 r 0 5\n"),
    ],
)
def test_what_the_usual_way_reads_otherwise(tmp_path: Path, qrels: bytes, run: bytes) -> None:
    (tmp_path / "qrels.txt").write_bytes(qrels)
    (tmp_path / "a.run").write_bytes(run)
    assert direct.evaluate(tmp_path / "qrels.txt", [tmp_path / "a.run"], MEASURES) is None


def test_a_first_line_may_be_long(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text(f"t Q0 {'x' * 70000} 10 100 5 0:10\nt Q0 d 10 100 5 0:10\n")
    (tmp_path / "a.run").write_text(f"t Q0 {'x' * 70000} 1 1 r 0 10\nt Q0 d 2 1 r 0 10\n")
    assert pw.evaluate(tmp_path / "qrels.txt", tmp_path / "a.run", "TextR").mean() == {"a": {"TextR": 1.0}}


def test_an_empty_name_is_told(world: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", *map(str, world), "-m", "iAP", "-m", ""]) == 2
    assert capsys.readouterr().err == "an empty name is no measure, write Name(parameter=value)@cutoff\n"


def test_measures_of_ones_own_keep_their_meaning(world: list[Path]) -> None:
    class iAP(pw.iAP):  # type: ignore[misc, name-defined]
        def aggregate(self, values: Any) -> float:
            return float(max(values))

    found = pw.evaluate(*_split(world), [iAP()])
    assert found.blocks[0].aggregate == max(found.blocks[0].values)


def test_measures_may_come_one_by_one(world: list[Path]) -> None:
    for name in ("iAP", "TextAP"):
        assert pw.evaluate(*_split(world), (measure for measure in [name])).measures == [name]


def test_many_jobs_are_no_more_threads_than_blocks(world: list[Path]) -> None:
    assert direct.evaluate(*_split(world), MEASURES, jobs=2**70) is not None


def test_values_can_be_written_to(world: list[Path]) -> None:
    block = pw.evaluate(*_split(world), "iAP").blocks[0]
    block.values[0] = 9
    assert next(block.by_query())[1] == block.values[0] == 9
