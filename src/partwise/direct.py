"""The straight way from text files to text measures: bytes to values in native threads, without NumPy.

It is for what is asked most: runs of passages in INEX columns, assessments in FOL, the plain text measures. Anything
else, and anything odd in a file, ends it with None, and the files go the usual way, which knows all measures and
formats and has the error lines. Both give the same values and notes, to the last bit.
"""

from __future__ import annotations

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
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> Scores | None:
    """The scores of runs in files, or None if this way is not for them."""
    asked = asked_by(measures) if _is_usual(topics, jobs, options) else None
    if not asked or not isinstance(runs, (list, tuple)) or not runs or not all(map(_is_text, (qrels, *runs))):
        return None
    judged = _judged(qrels)
    if judged is None or ALL in (names := judged.names):
        return None
    paths = [os.fspath(path) for path in runs]
    try:
        run_ids = run_names(paths)
        blocks_at_most = sum(os.path.getsize(path) // BLOCK + 1 for path in paths)
    except (OSError, PartwiseError):
        return None
    scoring = _scoring(judged, list(asked.values()), paths, min(jobs or cores(), blocks_at_most), BLOCK)
    told = 0
    tell = progress or (lambda done, total: None)
    tell(told, len(paths))
    while not scoring.wait(_PATIENCE):
        told = _tell_on(tell, told, scoring.done, len(paths))
    found = scoring.runs()
    if found is None:
        return None
    _tell_on(tell, told, len(paths), len(paths))
    notes = notes_of_assessments(os.fspath(qrels), judged.past_end)
    blocks: list[Block] = []
    characters = list(zip(names, judged.highlighted, strict=True))
    for run_id, run in zip(run_ids, found, strict=True):
        _enter(run_id, run, list(asked), characters, topics == "judged", blocks, notes)
    return Scores(blocks, len(names), tuple(notes))


def _is_usual(topics: object, jobs: object, options: Mapping[str, object]) -> bool:
    """Whether this way knows these options. Some of them may be tables, which are not to be compared."""
    given = all(type(value) is type(USUAL[name]) and value == USUAL[name] for name, value in options.items())
    some_jobs = jobs is None or (type(jobs) is int and jobs > 0)
    is_native = os.environ.get("PARTWISE_KERNELS", "native") == "native"
    return given and some_jobs and is_native and type(topics) is str and topics in ("judged", "run")


def _judged(qrels: Any) -> Topics | None:
    """The highlighted passages of FOL assessments, if the file holds nothing else."""
    try:
        from partwise import _direct

        with open(qrels, "rb") as file:
            content = file.read()
    except (ImportError, OSError):
        return None
    _direct.keep_memory()
    return None if is_archive(content) else _direct.read_topics(content)


def _tell_on(tell: Callable[[int, int], None], told: int, done: int, total: int) -> int:
    """Tell of every file that was done since."""
    for number in range(told + 1, done + 1):
        tell(number, total)
    return done


def _scoring(*given: Any) -> Scoring:
    from partwise._direct import Scoring

    return Scoring(*given)


def asked_by(measures: Any) -> dict[str, Asked] | None:
    """What measures ask, by their canonical names; None if one of them is not known here, or written in another way."""
    given = [measures] if isinstance(measures, str) else measures
    if not isinstance(given, (list, tuple)) or not all(isinstance(text, str) for text in given):
        return None
    asked: dict[str, Asked] = {}
    for name in " ".join(given).replace(",", " ").split():
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
    line = head.lstrip().partition(b"\n")[0]
    is_other = head.startswith((b"\xef\xbb\xbf", b"PAR1")) or line.startswith((b"{", b"<", b"["))
    return bool(line) and not (is_other or compression_of(head) or b"query_id" in line or b"doc_id" in line)


def _enter(
    run_id: str,
    run: tuple[bytes, list[list[float]], int, int, int, int],
    measures: Sequence[str],
    judged: Sequence[tuple[str, int]],
    all_topics: bool,
    blocks: list[Block],
    notes: list[str],
) -> None:
    """Enter what is known of a run; `judged` are the topics with their numbers of highlighted characters."""
    answered, values, unjudged, repeated, past_end, judged_results = run
    odd = {
        "without results": answered.count(0) if all_topics else 0,
        "unjudged": unjudged,
        "repeated": repeated,
        "past the end": past_end,
        "results": 1,
        "judged results": judged_results,
    }
    notes += notes_of_run(run_id, odd)
    scored = [topic for topic, there in enumerate(answered) if judged[topic][1] and (there or all_topics)]
    queries = [judged[topic][0] for topic in scored]
    for measure, by_topic in zip(measures, values, strict=True):
        found = [by_topic[topic] for topic in scored]
        if not found:
            notes.append(note_of_no_topic(run_id, measure))
        blocks.append(Block(run_id, measure, queries, found, math.fsum(found) / len(found) if found else 0.0))
