"""Text files from bytes to scores: in blocks or whole, in one thread or several, the outcome is the same."""

from __future__ import annotations

import random
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import partwise as pw
from partwise.cli import main
from partwise.formats import blocks
from support.runs import write_world

MEASURES = "iAP iP@0 iP@0.01 iP@0.125 iP@1 TextP TextP@5 TextR TextR@5 TextF TextF@20"


def outcome(qrels: Path, run: Path, size: int | None, jobs: int = 1) -> Any:
    """Scores and notes, or the error, with blocks of this size; without one the file is read whole."""
    with pytest.MonkeyPatch.context() as patch:
        if size is None:
            patch.setattr(blocks, "is_plain", lambda path: False)
        else:
            patch.setattr(blocks, "BLOCK", size)
        try:
            scores = pw.evaluate(qrels, run, MEASURES, jobs=jobs)
        except pw.PartwiseError as error:
            return str(error)
    return [(b.measure, list(b.queries), b.values.tobytes(), b.aggregate) for b in scores.blocks], scores.notes


LINE = "t{query} Q0 {doc} {rank} {score} r {start} {size}\n"


@st.composite
def disturbed(draw: st.DrawFn) -> tuple[str, str]:
    """Assessments and a run in which one line may be anything, queries may recur and ranks may decrease."""
    chance = random.Random(draw(st.integers(0, 10**6)))
    judged = [
        f"t{query} Q0 {doc} 1 100 5 {chance.randrange(50)}:{chance.randrange(60)} 70:{chance.randrange(40)}\n"
        for query in range(3)
        for doc in "abc"
    ]
    results = [
        LINE.format(
            query=query,
            doc=chance.choice("abcd"),
            rank=rank // 2,
            score=chance.random(),
            start=chance.randrange(90),
            size=chance.randrange(30),
        )
        for query in chance.sample(range(5), 4)
        for rank in range(4)
    ]
    token = st.sampled_from(
        ["t1", "all", "a", "-1", "0", "7", "1e3", "nan", "x", "\ufeff", "\u00e9", "10:20", "1099511627777",
         "9999999999999999999", "{", "<", "query_id", "/a[1]", "", "\t", "\r", "\x00", "\x0b", "#", "doc_id"]
    )  # fmt: skip
    for lines in (judged, results):
        how = draw(st.sampled_from(["as it is", "as it is", "line", "column", "swap", "again", "no end", "bytes"]))
        at = draw(st.integers(0, len(lines) - 1))
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
    return "".join(judged), "".join(results)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200, deadline=None)
@given(disturbed(), st.sampled_from([40, 400, 1 << 19]), st.integers(1, 2))
def test_irregular_files_give_the_same_in_blocks(
    tmp_path_factory: pytest.TempPathFactory, texts: tuple[str, str], size: int, jobs: int
) -> None:
    folder = tmp_path_factory.mktemp("irregular")
    qrels, run = folder / "qrels.txt", folder / "a.run"
    for path, text in zip((qrels, run), texts, strict=True):
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert outcome(qrels, run, size, jobs) == outcome(qrels, run, None)


def test_the_inex_runs_give_the_same_in_blocks(inex: Path) -> None:
    for name in ("passages.run", "focused.run"):
        assert outcome(inex / "qrels.txt", inex / name, 1 << 17, 2) == outcome(inex / "qrels.txt", inex / name, None)


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
    in_blocks = outcome(qrels, run, blocks.BLOCK)
    assert not isinstance(in_blocks, str)
    assert in_blocks == outcome(qrels, run, None)


def outcome_in_blocks(folder: Path, qrels: bytes, run: bytes) -> Any:
    """The outcome of these files, which is the same in blocks of any size."""
    (folder / "qrels.txt").write_bytes(qrels)
    (folder / "a.run").write_bytes(run)
    paths = folder / "qrels.txt", folder / "a.run"
    whole = outcome(*paths, None)
    assert whole == outcome(*paths, 16) == outcome(*paths, 1 << 19)
    return whole


@pytest.mark.parametrize(
    ("qrels", "run", "precision"),
    [
        (b"t Q0 d 10 99 5 0:10\n", b"t Q0 d 1 1 r 0\x1f5\nt Q0 d 2 .5 r 20 5\n", 0.5),
        (b"t Q0 d 9 99 5 0:10\n", b"t Q0 d 2 .5 r 20 5\nt Q0 d 1 1 r 0\x1f5\n", 0.5),
        (b"t\x01Q0\x01d 10 100 5 0:10\n", b"t Q0 d 1 1 r 0 5\n", 1.0),
    ],
)
def test_control_characters_separate_columns(tmp_path: Path, qrels: bytes, run: bytes, precision: float) -> None:
    """In the detection of the layout as in the kernels that read it, whichever line is the first."""
    assert not isinstance(outcome_in_blocks(tmp_path, qrels, run), str)
    scores = pw.evaluate(tmp_path / "qrels.txt", tmp_path / "a.run", "TextP")
    assert scores.mean() == {"a": {"TextP": precision}}


def test_tags_of_skipped_lines_are_not_counted(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text(f"t Q0 d 1 1 a 0 5\nt Q0 d 2 1 b 0 {1 << 41}\n")
    scores = pw.evaluate({"t": [("d", 0, 10)]}, tmp_path / "a.run", "TextP", lenient=True)
    [note] = scores.notes
    assert note.startswith(f"{tmp_path}/a.run: 1 bad line skipped, the first: {tmp_path}/a.run:2: the length is")


@pytest.mark.parametrize(
    ("qrels", "run", "error"),
    [
        (
            b"t Q0 d 9 99 5 0:10\n",
            b"t Q0 d 1 1\rr 0 5",
            "a.run:1: has 5 columns; expected query Q0 document rank score run (TREC), "
            "followed by offset length or a path for INEX",
        ),
        (
            b"t Q0 d 9 99 5\r0:10",
            b"t Q0 d 1 1 r 0 5\n",
            "qrels.txt:2: has 1 column; expected query Q0 document relevant-chars length bep offset:length ...",
        ),
        (
            b"t Q0 d 9 99 5 0:10\n",
            b" " * 65530 + b"t\tQ0  \tdoc_id\t1\t1\tr\t0\t5\nt Q0 d 2 1 r 0 5\n",
            "a.run:1: has two columns '1'; column names must be unique",
        ),
    ],
)
def test_errors_of_unusual_line_ends_and_blanks(tmp_path: Path, qrels: bytes, run: bytes, error: str) -> None:
    assert outcome_in_blocks(tmp_path, qrels, run) == f"{tmp_path}/{error}"


def test_a_first_line_longer_than_a_block(tmp_path: Path) -> None:
    """Of 10 characters in two results, 5 are relevant, and 10 are relevant in all: recall 0 to 0.5 is reached."""
    run = b"t Q0 " + b"x" * 70000 + b" 1 1 r 0 5\nt Q0 d 2 1 r 0 5\n"
    blocks_of_scores, notes = outcome_in_blocks(tmp_path, b"t Q0 d 10 99 5 0:10\n", run)
    assert {str(measure): value for measure, _, _, value in blocks_of_scores} == {
        **dict.fromkeys(MEASURES.split(), 0.5),
        "iAP": pytest.approx(51 * 0.5 / 101),
        "iP@1": 0,
    }
    assert notes == ()


@pytest.fixture
def world(tmp_path: Path) -> list[Path]:
    return [tmp_path / "qrels.txt", *write_world(tmp_path, 7, runs=2)]


def _split(world: list[Path]) -> tuple[Path, list[Path]]:
    return world[0], world[1:]


@pytest.mark.parametrize("jobs", [1, 3])
def test_an_interrupt_ends_all_threads(world: list[Path], jobs: int) -> None:
    def interrupted(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        pw.evaluate(*_split(world), MEASURES, progress=interrupted, jobs=jobs)
    assert threading.active_count() == before


def test_no_thread_outlives_an_evaluation(world: list[Path]) -> None:
    before = threading.active_count()
    pw.evaluate(*_split(world), MEASURES, jobs=4)
    with pytest.raises(pw.PartwiseError, match="gone: no such file; "):
        pw.evaluate(world[0], [world[1], world[0].parent / "gone"], MEASURES, jobs=4)
    assert threading.active_count() == before


def test_progress_only_rises(world: list[Path]) -> None:
    backwards = world[0].parent / "backwards.run"
    backwards.write_text("".join(reversed(world[1].read_text().splitlines(keepends=True))))
    seen: list[tuple[int, int]] = []
    pw.evaluate(world[0], [*world[1:], backwards], "iAP", progress=lambda *call: seen.append(call))
    assert seen == [(done, 3) for done in range(4)]


def test_a_first_line_may_be_long(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text(f"t Q0 {'x' * 70000} 10 100 5 0:10\nt Q0 d 10 100 5 0:10\n")
    (tmp_path / "a.run").write_text(f"t Q0 {'x' * 70000} 1 1 r 0 10\nt Q0 d 2 1 r 0 10\n")
    assert pw.evaluate(tmp_path / "qrels.txt", tmp_path / "a.run", "TextR").mean() == {"a": {"TextR": 1.0}}


def test_an_empty_measure_name_is_an_error(world: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", *map(str, world), "-m", "iAP", "-m", ""]) == 2
    assert capsys.readouterr().err == "the name of a measure is empty; write Name(parameter=value)@cutoff\n"


def test_a_subclass_of_a_measure_keeps_its_meaning(world: list[Path]) -> None:
    class iAP(pw.iAP):  # type: ignore[misc, name-defined]
        def aggregate(self, values: Any) -> float:
            return float(max(values))

    scores = pw.evaluate(*_split(world), [iAP()])
    assert scores.blocks[0].aggregate == max(scores.blocks[0].values)


def test_measures_may_be_an_iterator(world: list[Path]) -> None:
    for name in ("iAP", "TextAP"):
        assert pw.evaluate(*_split(world), (measure for measure in [name])).measures == [name]


def test_values_can_be_written_to(world: list[Path]) -> None:
    block = pw.evaluate(*_split(world), "iAP").blocks[0]
    block.values[0] = 9
    assert next(block.by_query())[1] == block.values[0] == 9
