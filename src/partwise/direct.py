"""The straight way from text files to text measures: bytes to values in native threads, without NumPy.

It is for what is asked most: runs of passages in INEX columns, assessments in FOL, the plain text measures. Anything
else, and anything odd in a file, ends it with None, and the files go the usual way, which knows all measures and
formats and has the error lines. Both give the same values and notes, to the last bit.
"""

from __future__ import annotations

import contextlib
import math
import os
import stat
from collections.abc import Callable, Mapping, Sequence

from partwise.errors import PartwiseError
from partwise.files import COLUMN_SUFFIXES, compression_of, is_archive, run_names, split_suffixes
from partwise.scores import ALL, Block, Scores, note_of_no_topic, notes_of_assessments, notes_of_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from partwise._direct import Scoring, Topics

USUAL: dict[str, Any] = {
    "order": None,
    "unit": "chars",
    "assessor": None,
    "lengths": None,
    "collection": None,
    "navigation": None,
    "lenient": False,
    "run_id": "stem",
}
"""The options of an evaluation that this way knows, with the one value it has for each."""

BLOCK = 1 << 19
"""Bytes that a thread works on at a time; a topic that is longer makes a longer block."""

INTERPOLATED, PRECISION, RECALL, F = range(4)
_WITH_CUTOFF = {"TextP": PRECISION, "TextR": RECALL, "TextF": F}
_AVERAGED = ("iAP", "MAiP", "iMAP")
_POINTS = 101
_MOST_PLACES = 3
_LARGEST_CUTOFF = 10**12
_HEAD = 1 << 16
_PATIENCE = 0.1

Progress = Callable[[int, int], None]
"""Called with the number of run files done and of all."""

Asked = tuple[int, int, list[int], list[int]]
"""A kind of measure, its cutoff (-1: none) and its recall levels as numerators and denominators."""


def cores() -> int:
    """How many threads can run at a time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def evaluate(
    qrels: Any,
    runs: Any,
    measures: Any,
    *,
    topics: str = "judged",
    jobs: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Scores | None:
    """The scores of runs in files, or None if this way is not for them."""
    asked = asked_by(measures) if _is_usual(topics, jobs, options) else None
    if not asked or not isinstance(runs, (list, tuple)) or not runs or not all(map(_is_text, (qrels, *runs))):
        return None
    paths = [os.fspath(path) for path in runs]
    try:
        judged = _judged(qrels)
        if judged is None or ALL in judged.names:
            return None
        run_ids = run_names(paths)
        blocks_at_most = sum(os.path.getsize(path) // BLOCK + 1 for path in paths)
        scoring = _scoring(judged, list(asked.values()), paths, min(jobs or cores(), blocks_at_most), BLOCK)
        _wait(scoring, len(paths), progress)
        return None if scoring.odd else _scores(scoring, judged, run_ids, list(asked), topics == "judged", qrels)
    except (ImportError, OSError, PartwiseError, MemoryError):
        return None


def rising(progress: Progress | None) -> Progress | None:
    """The same progress, told of more and more only: files that go two ways are counted once."""
    if progress is None:
        return None
    told = -1

    def tell(done: int, total: int) -> None:
        nonlocal told
        if done > told:
            told = done
            progress(done, total)

    return tell


def keep_memory() -> None:
    """Let this process keep memory that was freed, for its next block."""
    with contextlib.suppress(ImportError):
        from partwise import _direct

        _direct.keep_memory()


def _is_usual(topics: object, jobs: object, options: Mapping[str, object]) -> bool:
    """Whether this way knows these options. Some of them may be tables, which are not to be compared."""
    given = all(type(value) is type(USUAL[name]) and value == USUAL[name] for name, value in options.items())
    some_jobs = jobs is None or (type(jobs) is int and jobs > 0)
    return given and some_jobs and type(topics) is str and topics in ("judged", "run")


def _judged(qrels: Any) -> Topics | None:
    """The highlighted passages of FOL assessments, if the file holds nothing else."""
    from partwise import _direct

    with open(qrels, "rb") as file:
        content = file.read()
    return None if is_archive(content) else _direct.read_topics(content)


def _scoring(*given: Any) -> Scoring:
    from partwise._direct import Scoring

    return Scoring(*given)


def _wait(scoring: Scoring, total: int, progress: Progress | None) -> None:
    """Wait for the end, and tell of every file that is done."""
    tell = progress or (lambda done, total: None)
    told, has_ended = 0, False
    try:
        tell(told, total)
        while not has_ended:
            has_ended = scoring.wait(_PATIENCE)
            while told < scoring.done:
                told += 1
                tell(told, total)
    except BaseException:  # an interrupt, or progress that failed: the threads shall not work on
        scoring.stop()
        raise


def asked_by(measures: Any) -> dict[str, Asked] | None:
    """What measures ask, by their canonical names; None if one of them is not known here, or written in another way."""
    given = [measures] if isinstance(measures, str) else measures
    if not isinstance(given, (list, tuple)) or not all(isinstance(text, str) for text in given):
        return None
    texts = [text.replace(",", " ").split() for text in given]
    if not all(texts):
        return None
    asked: dict[str, Asked] = {}
    for name in (name for names in texts for name in names):
        kind, _, at = name.partition("@")
        if name in _AVERAGED:
            asked["iAP"] = INTERPOLATED, -1, list(range(_POINTS)), [_POINTS - 1] * _POINTS
        elif kind == "iP" and (level := _level(at)) is not None:
            asked[name] = INTERPOLATED, -1, [level[0]], [level[1]]
        elif kind in _WITH_CUTOFF and (cutoff := _cutoff(at, "@" in name)) is not None:
            asked[name] = _WITH_CUTOFF[kind], cutoff, [], []
        else:
            return None
    return asked


def _level(text: str) -> tuple[int, int] | None:
    """A recall level, 0.01 say, as a fraction; None unless it is written as canonical names write it."""
    whole, _, decimals = text.partition(".")
    if text in ("0", "1"):
        return int(text), 1
    if whole != "0" or not decimals.isdecimal() or len(decimals) > _MOST_PLACES or repr(float(text)) != text:
        return None
    if int(decimals) == 0:
        return None
    common = math.gcd(int(decimals), over := 10 ** len(decimals))
    return int(decimals) // common, over // common


def _cutoff(text: str, is_given: bool) -> int | None:
    if not is_given:
        return -1
    usual = text.isascii() and text.isdecimal() and not text.startswith("0") and len(text) < 14
    return int(text) if usual and int(text) <= _LARGEST_CUTOFF else None


def _is_text(path: Any) -> bool:
    """Whether this is a plain file that may hold columns of text, as far as its name and its beginning say."""
    if not isinstance(path, (str, os.PathLike)):
        return False
    name = os.fspath(path)
    if not isinstance(name, str) or split_suffixes(os.path.basename(name))[1] in COLUMN_SUFFIXES:
        return False
    try:
        name.encode()
        if not stat.S_ISREG(os.stat(name).st_mode):  # what a pipe gives can be read once
            return False
        with open(name, "rb", buffering=0) as file:
            head = file.read(_HEAD)
    except (OSError, ValueError):
        return False
    line, end, _ = head.lstrip().partition(b"\n")
    if not end and (len(head) == _HEAD or b"\r" in line):  # a line too long to look at, or lines that end otherwise
        return False
    is_other = head.startswith((b"\xef\xbb\xbf", b"PAR1")) or line.startswith((b"{", b"<", b"["))
    return bool(line) and not (is_other or compression_of(head) or b"query_id" in line or b"doc_id" in line)


def _scores(
    scoring: Scoring, judged: Topics, run_ids: Sequence[str], measures: Sequence[str], all_topics: bool, qrels: Any
) -> Scores:
    """What came of it: blocks and notes as the usual way gives them."""
    names, highlighted = judged.names, judged.highlighted
    notes = notes_of_assessments(os.fspath(qrels), judged.past_end)
    blocks: list[Block] = []
    queries_of: dict[tuple[int, ...], list[str]] = {}  # which most runs have in common
    for file, run_id in enumerate(run_ids):
        values, unjudged, repeated, past_end, judged_results = scoring.run(file)
        odd = {
            "without results": len(names) - len(values) if all_topics else 0,
            "unjudged": unjudged,
            "repeated": repeated,
            "past the end": past_end,
            "results": 1,
            "judged results": judged_results,
        }
        notes += notes_of_run(run_id, odd)
        scored = tuple(topic for topic in (range(len(names)) if all_topics else values) if highlighted[topic])
        queries = queries_of.setdefault(scored, [names[topic] for topic in scored])
        nothing = [0.0] * len(measures)
        by_measure = list(zip(*(values.get(topic, nothing) for topic in scored), strict=True))
        for measure, found in zip(measures, by_measure or [()] * len(measures), strict=True):
            if not found:
                notes.append(note_of_no_topic(run_id, measure))
            blocks.append(Block(run_id, measure, queries, list(found), math.fsum(found) / len(found) if found else 0.0))
    return Scores(blocks, len(names), tuple(notes))
