"""Runs in blocks and in threads: the same scores, notes and errors as runs read whole, one after another."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import partwise as pw
from partwise.cli import main
from partwise.engines import local
from partwise.formats import blocks
from support.runs import write_world

MEASURES = "iAP iP@0.01 TextP@5 TextIoU@5 AgP Redundancy Overlap@3 nDCG@10 T2I@0.5"


def read_whole(folder: Path, paths: list[Path], **options: Any) -> Any:
    """The outcome if no file is read in blocks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "is_plain", lambda path: False)
        return outcome(folder, paths, **options)


def outcome(folder: Path, paths: list[Path], **options: Any) -> Any:
    try:
        scores = pw.evaluate(folder / "qrels.txt", paths, MEASURES, **options)
    except pw.PartwiseError as error:
        return str(error)
    return [(b.run_id, b.measure, b.queries, b.values.tobytes(), b.aggregate) for b in scores.blocks], scores.notes


@pytest.fixture
def in_blocks(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], list[int]]:
    """Sets the size of a block and records the number of pieces that were scored for each run."""

    def small(size: int) -> list[int]:
        monkeypatch.setattr(blocks, "BLOCK", size)
        scored: list[int] = []
        score = local.Evaluation.score_pieces

        def counted(self: Any, run_id: str, pieces: Any) -> Any:
            result = score(self, run_id, pieces)
            scored.append(len(pieces))
            return result

        monkeypatch.setattr(local.Evaluation, "score_pieces", counted)
        return scored

    return small


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=10)
@given(st.integers(0, 10**6), st.sampled_from([300, 3000, 9000]), st.sampled_from(["judged", "run"]))
def test_blocks_and_threads_change_nothing(
    tmp_path_factory: pytest.TempPathFactory, seed: int, size: int, queries: str
) -> None:
    folder = tmp_path_factory.mktemp("world")
    paths = write_world(folder, seed)
    whole = read_whole(folder, paths, jobs=1, average_over=queries)
    assert not isinstance(whole, str)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", size)
        for jobs in (1, 2, 5):
            assert outcome(folder, paths, jobs=jobs, average_over=queries) == whole


def test_large_files_are_read_in_pieces(tmp_path: Path, in_blocks: Callable[[int], list[int]]) -> None:
    paths = write_world(tmp_path, 7)
    whole = read_whole(tmp_path, paths)
    scored = in_blocks(3000)
    assert outcome(tmp_path, paths) == whole
    assert len(scored) == len(paths)
    assert min(scored) > 3


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_files_are_read_in_pieces(
    tmp_path: Path, in_blocks: Callable[[int], list[int]], compress: Any
) -> None:
    [path] = write_world(tmp_path, 7, runs=1)
    whole = read_whole(tmp_path, [path])
    path.write_bytes(compress(path.read_bytes()))
    scored = in_blocks(1000)
    assert outcome(tmp_path, [path]) == whole
    assert scored[0] > 3


def test_a_query_that_recurs_is_one_query(tmp_path: Path, in_blocks: Callable[[int], list[int]]) -> None:
    paths = write_world(tmp_path, 7)
    lines = paths[1].read_text().splitlines(keepends=True)
    paths[1].write_text("".join(lines[20:] + lines[:20]))
    whole = read_whole(tmp_path, paths)
    scored = in_blocks(2000)
    assert outcome(tmp_path, paths) == whole
    assert len(scored) == len(paths)


ORDERS: dict[str, Callable[[list[str], random.Random], list[str]]] = {
    "turned": lambda lines, chance: lines[(at := chance.randrange(len(lines))) :] + lines[:at],
    "twice": lambda lines, chance: lines + lines,
    "by rank": lambda lines, chance: sorted(lines, key=lambda line: int(line.split()[3])),
    "shuffled": lambda lines, chance: chance.sample(lines, len(lines)),
    "one line away": lambda lines, chance: [*lines[1:], lines[0]],
    "blank lines between": lambda lines, chance: [part for line in lines for part in (line, "\n")] + lines[:5],
}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(sorted(ORDERS)), st.sampled_from([60, 300, 3000, 20_000]), st.data())
def test_queries_may_recur_anywhere(
    tmp_path_factory: pytest.TempPathFactory, seed: int, order: str, size: int, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("world")
    paths = write_world(folder, seed, runs=2)
    lines = paths[0].read_text().splitlines(keepends=True)
    mark = data.draw(st.sampled_from(["", "\ufeff"]))
    paths[0].write_text(mark + "".join(ORDERS[order](lines, random.Random(seed))))
    queries = data.draw(st.sampled_from(["judged", "run"]))
    whole = read_whole(folder, paths, jobs=1, average_over=queries)
    assert not isinstance(whole, str)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", size)
        for jobs in (1, 3):
            assert outcome(folder, paths, jobs=jobs, average_over=queries) == whole


@pytest.mark.parametrize("order", ["by rank", "turned"])
def test_a_file_is_not_read_again_for_queries_that_recur(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    """Bytes are read once, except the lines of such queries in the first blocks."""
    [path] = write_world(tmp_path, 7, runs=1)
    path.write_text("".join(ORDERS[order](path.read_text().splitlines(keepends=True), random.Random(7))))
    monkeypatch.setattr(blocks, "BLOCK", 1500)
    read: list[int] = []
    following = blocks._next

    def counted(file: Any, rest: Any, size: int) -> Any:
        block, is_end = following(file, rest, size)
        read.append(len(block) - len(rest))
        return block, is_end

    monkeypatch.setattr(blocks, "_next", counted)
    monkeypatch.setattr(local._Work, "_whole", None)  # it would read the whole file
    pw.evaluate(tmp_path / "qrels.txt", path, MEASURES)
    assert path.stat().st_size <= sum(read) + 3 <= path.stat().st_size + 2 * 1500


def test_a_compressed_file_is_decompressed_again_for_queries_that_recur(tmp_path: Path) -> None:
    [path] = write_world(tmp_path, 7, runs=1)
    lines = path.read_text().splitlines(keepends=True)
    path.write_bytes(gzip.compress("".join([*lines, lines[0]]).encode()))
    whole = read_whole(tmp_path, [path])
    assert not isinstance(whole, str)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", 1000)
        assert outcome(tmp_path, [path]) == whole


BROKEN = {
    "a bad line": lambda lines: [*lines[:200], "t1 Q0 d1 x 1 r 1 1\n", *lines[200:]],
    "a short line": lambda lines: [*lines, "t1 Q0"],
    "not UTF-8": lambda lines: [*lines[:300], "t1 Q0 \udcff 1 1 r 1 1\n"],
    "a NUL byte": lambda lines: [*lines[:300], "t1 Q0 \x00 1 1 r 1 1\n"],
    "no judged query": lambda lines: [line.replace("t", "u", 1) for line in lines],
    "a huge offset": lambda lines: [*lines, f"t1 Q0 d1 1 1 r 1 {2**41}\n"],
    "whole documents": lambda lines: [" ".join(line.split()[:6]) + "\n" for line in lines],
    "blank lines": lambda lines: ["\n", *lines, "\n \n"],
    "line ends of Windows": lambda lines: [line.replace("\n", "\r\n") for line in lines],
    "line ends of old": lambda lines: [line.replace("\n", "\r") for line in lines],
    "a mark at the front": lambda lines: ["\ufeff", *lines],
    "several tags": lambda lines: [line.replace(" r1 ", f" r{i % 3} ") for i, line in enumerate(lines)],
    "nothing": lambda lines: ["\n" * 9000],
}


NO_LENIENCY = {
    "a NUL byte": ": is not text; save it as ",
    "nothing": ": is empty; give data as ",
}
"""The errors of whole files, which are not skipped with `lenient`."""
BAD_LINES = {
    "a bad line": ":201: the rank is 'x'; it must be a whole number from 0",
    "a short line": ":361: has 2 columns; expected query Q0 document rank score run offset length",
    "not UTF-8": ":301: is not UTF-8; save it as UTF-8",
    "a huge offset": ":361: the length is '2199023255552'; it must be at most 1099511627776",
}
"""The errors of single lines. The other files of BROKEN are scored."""


@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize("lenient", [False, True])
def test_errors_are_those_of_the_whole_file(tmp_path: Path, broken: str, lenient: bool) -> None:
    """Two files are broken; the error is that of the first one given, whichever thread fails first."""
    paths = write_world(tmp_path, 7)
    for at in (1, 3):
        lines = BROKEN[broken](paths[at].read_text().splitlines(keepends=True))
        paths[at].write_bytes("".join(lines).encode("utf-8", "surrogateescape"))
    whole = read_whole(tmp_path, paths, jobs=1, lenient=lenient)
    if broken in NO_LENIENCY:
        assert isinstance(whole, str)
        assert whole.startswith(f"{paths[1]}{NO_LENIENCY[broken]}")
    elif broken in BAD_LINES and not lenient:
        assert whole == f"{paths[1]}{BAD_LINES[broken]}"
    else:
        scored, notes = whole
        unscored = ["run1", "run3"] if broken == "no judged query" else []
        assert {run_id for run_id, *_ in scored} == {"run0", "run1", "run2", "run3"} - set(unscored)
        without_queries = [note.partition(": ")[0] for note in notes if "has no query in common with" in note]
        assert without_queries == ([", ".join(unscored)] if unscored else [])
        skipped = [note for note in notes if "skipped" in note]
        assert skipped == [
            f"{paths[at]}: 1 bad line skipped, the first: {paths[at]}{BAD_LINES[broken]}"
            for at in (1, 3)
            if broken in BAD_LINES
        ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", 2000)
        for jobs in (1, 3):
            assert outcome(tmp_path, paths, jobs=jobs, lenient=lenient) == whole


SAME_RESULTS = ["blank lines", "line ends of Windows", "line ends of old", "a mark at the front", "several tags"]


@pytest.mark.parametrize("broken", SAME_RESULTS)
def test_irregular_files_have_the_scores_of_their_results(tmp_path: Path, broken: str) -> None:
    paths = write_world(tmp_path, 7)
    regular, _ = outcome(tmp_path, paths)
    for at in (1, 3):
        lines = BROKEN[broken](paths[at].read_text().splitlines(keepends=True))
        paths[at].write_bytes("".join(lines).encode())
    scored, _ = outcome(tmp_path, paths)
    assert scored == regular


def test_two_runs_of_one_name_and_the_first_error(tmp_path: Path) -> None:
    paths = write_world(tmp_path, 7)
    runs = {"a": paths[0], "b": paths[1]}
    (tmp_path / "bad.run").write_text("t1 Q0 d1 x 1 r 1 1\n")
    lines = []
    for jobs in (1, 4):
        with pytest.raises(pw.PartwiseError) as error:
            pw.evaluate(tmp_path / "qrels.txt", [runs["a"], tmp_path / "bad.run", tmp_path / "gone"], "iAP", jobs=jobs)
        lines.append(str(error.value))
    assert lines[0] == lines[1]
    assert lines[0].startswith(f"{tmp_path}/bad.run:1: the rank is 'x'")


@pytest.mark.parametrize("jobs", [0, -1, 2.0, "2", True])
def test_jobs_are_a_whole_number(jobs: Any) -> None:
    with pytest.raises(pw.PartwiseError, match="it must be a whole number from 1"):
        pw.evaluate({"t": [("d", 0, 1)]}, {"t": [("d", 0, 1)]}, "iAP", jobs=jobs)


@pytest.mark.parametrize("jobs", ["0", "-1", "x", "4097", "²"])
def test_errors_of_jobs(jobs: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "q", "r", "--jobs", jobs]) == 2
    line = f"partwise evaluate: argument --jobs: {jobs!r} is not a whole number from 1 to 4096"
    assert capsys.readouterr().err == f"{line}; see partwise evaluate --help\n"


@pytest.mark.parametrize("measure", ["iAP", "AgP"])
def test_progress_is_reported_in_order(tmp_path: Path, measure: str) -> None:
    paths = write_world(tmp_path, 7)
    calls: list[tuple[int, int]] = []
    pw.evaluate(tmp_path / "qrels.txt", paths, measure, jobs=3, progress=lambda *call: calls.append(call))
    assert calls == [(i, 4) for i in range(5)]


def test_large_files_of_other_formats_are_read_in_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = write_world(tmp_path, 7)
    others = [
        tmp_path / f"{path.stem}.{kind}" for path, kind in zip(paths, ("jsonl", "parquet", "csv", "xml"), strict=True)
    ]
    for path, other in zip(paths, others, strict=True):
        pw.convert(path, other)
    monkeypatch.setattr(blocks, "BLOCK", 500)
    threads = []
    whole = local._Work._whole
    monkeypatch.setattr(local, "cores", lambda: 2)

    def watched(self: Any, source: Any) -> Any:
        threads.append(threading.current_thread())
        return whole(self, source)

    monkeypatch.setattr(local._Work, "_whole", watched)
    found = outcome(tmp_path, others, jobs=2)
    assert not isinstance(found, str)
    assert found == outcome(tmp_path, others, jobs=1)
    assert len(threads) == 2  # XML; the others are read in blocks
    assert threading.main_thread() != threads[0]
