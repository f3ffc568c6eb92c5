"""INEX columns: runs with offsets or paths after the TREC columns, and FOL assessments."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np

from partwise import kernels
from partwise.errors import shown
from partwise.formats import base, trec
from partwise.formats.base import ONE_RUN, Limit
from partwise.formats.blank_separated import Columns
from partwise.formats.cells import PATH
from partwise.formats.judgements import RawJudgements, assembled
from partwise.formats.problems import Reader
from partwise.formats.ranks import as_ranked, inex_numbers
from partwise.formats.text import Layout, column_problems, decoded, too_large
from partwise.formats.trec import QRELS, RUN
from partwise.messages import reading, writing
from partwise.model import LARGEST_OFFSET, NO_GRADE, Assessments, Coded, Paths, Run, constant, counting
from partwise.types import Kind
from partwise.units import words

_KINDS = "s-dnfs"
_PASSAGE = re.compile(rb"[0-9]+:[0-9]+")
_WHOLE_NUMBER = re.compile(rb"-?[0-9]+")
_PLACE_BEGINS = tuple(character.encode() for character in "0123456789+-.([/")
"""What follows the run tag is a place, good or bad, if it begins so, and otherwise text, as in the kernel."""
_NOUNS = tuple(RUN.nouns)
OFFSET_LENGTH = Layout(_KINDS + "nn", (*_NOUNS, "offset", "length"), f"{RUN.example} offset length")
ENTRY_POINT = Layout(_KINDS + "n", (*_NOUNS, "offset"), f"{RUN.example} offset")
ELEMENT = Layout(_KINDS + "s", (*_NOUNS, "path"), f"{RUN.example} path")
PATH_RANGE = Layout(_KINDS + "ss", (*_NOUNS, "start path", "end path"), f"{RUN.example} start-path end-path")
PASSAGES = Layout(
    "s-snnnp",
    ("query", "Q0", "document", "number of relevant characters", "document length", "best entry point", "passage"),
    "query Q0 document relevant-chars length bep offset:length ...",
)


def layout_of(tokens: list[bytes]) -> Layout | None:
    """The layout of a line of a run, by what follows the run tag: nothing or other text, offsets, or paths."""
    places = [token.startswith(_PLACE_BEGINS) for token in tokens[6:]]
    if len(tokens) == 6 or (places and not places[0] and not (len(places) == 2 and places[1])):
        return RUN
    path = tokens[-1].startswith(b"/")
    if len(tokens) == 7:
        return ELEMENT if path else ENTRY_POINT
    if len(tokens) == 8:
        return PATH_RANGE if path and tokens[-2].startswith(b"/") else OFFSET_LENGTH
    return None


def assessment_layout_of(tokens: list[bytes]) -> Layout | None:
    """The layout of a line of assessments."""
    if len(tokens) == 4:
        return QRELS
    return PASSAGES if len(tokens) >= 6 else None


def what_is(lines: list[list[bytes]]) -> Kind | None:
    """Whether most lines are those of a run or of assessments; None if they may be either.

    Six columns of which the last three are whole numbers may be a run, or judgements of documents without passages.
    """
    if any(all(_PASSAGE.fullmatch(token) for token in tokens[6:]) for tokens in lines if len(tokens) > 6):
        return "assessments"
    count = Counter(map(len, lines)).most_common(1)[0][0] if lines else 0
    if count == 4:
        return "assessments"
    numbers = [token for tokens in lines if len(tokens) == count for token in tokens[3:]]
    if count == 6 and all(token.removeprefix(b"-").isdigit() for token in numbers):
        return None
    return "run" if count in (6, 7, 8) else None


def must_be_a_run(lines: list[list[bytes]]) -> bool:
    """Whether no line can be one of assessments, good or bad: the sixth column is never a best entry point."""
    return what_is(lines) == "run" and not any(_WHOLE_NUMBER.fullmatch(token) for line in lines for token in line[5:6])


def read_text_run(table: kernels.TextColumns, layout: Layout, reader: Reader) -> tuple[Run, Coded]:
    """The run in blank-separated columns, and the run tags of its rows."""
    return trec.run_of(table, reader) if layout is RUN else _run_of(table, layout, reader)


def _run_of(table: kernels.TextColumns, layout: Layout, reader: Reader) -> tuple[Run, Coded]:
    """A run of passages, entry points or elements, and the run tags of its rows."""
    column_problems(reader, table.problems, layout)
    query, _, doc, rank, score, tag, *part = table.columns
    lines = table.lines
    count = len(lines)
    start = end = np.empty(0, np.int64)
    offsets = constant(0, count + 1)
    paths = None
    bad = None
    if layout in (OFFSET_LENGTH, ENTRY_POINT):
        start = part[0]
        end = start + part[1] if layout is OFFSET_LENGTH else start
        if sum(int(values.max(initial=0)) for values in part) > LARGEST_OFFSET:
            bad = np.zeros(count, np.bool_)
            for values, noun in zip((*part, end), (*layout.nouns[6:], "end of the part"), strict=True):
                bad |= too_large(reader, lines, values, noun)
        offsets = counting(count + 1)
    else:
        bad = np.zeros(count, np.bool_)
        first = decoded(part[0])
        last = decoded(part[1]) if len(part) == 2 else None
        for column, coded in enumerate(part):
            wrong = [code for code in range(len(coded[1])) if not coded[1][code].startswith(b"/")]
            for row in np.flatnonzero(np.isin(coded[0], wrong)).tolist():
                token = coded[1][int(coded[0][row])]
                noun = layout.nouns[6 + column]
                reader.problem(int(lines[row]), reading.BAD_VALUE(name=noun, value=shown(token), expected=PATH))
                bad[row] = True
        paths = Paths(np.arange(count + 1), first, last)
    if int(rank.max(initial=0)) > LARGEST_OFFSET:
        large = too_large(reader, lines, rank, "rank")
        bad = large if bad is None else bad | large
    reader.settle()
    run = Run(
        run_id="",
        query=decoded(query),
        doc=decoded(doc),
        rank=rank,
        score=score,
        span_offsets=offsets,
        start=start,
        end=end,
        paths=paths,
        source=reader.source,
        lines=lines,
        single=paths is None,
        bounded=paths is None,
    )
    tags = decoded(tag)
    if bad is not None and bad.any():
        good = np.flatnonzero(~bad)
        return run.take(good), Coded.of(tags.take(good).values())  # without the tags of bad lines
    return run, tags


def read_assessments(data: bytes, reader: Reader, unit: str) -> Assessments:
    """Highlighted passages, document lengths and best entry points (BEP; -1 if a document has none)."""
    table = kernels.read_passages(data)
    column_problems(reader, table.problems, PASSAGES)
    too_long = too_large(reader, table.lines, table.length, "document length")
    too_long |= too_large(reader, table.lines, table.bep, "best entry point")
    span_lines = table.lines[table.row_of]
    wrong = too_large(reader, span_lines, table.start, "offset")
    wrong |= too_large(reader, span_lines, table.size, "length")
    wrong |= too_large(reader, span_lines, table.start + table.size, "end of the passage")
    too_long[table.row_of[wrong]] = True
    count = len(table.lines)
    raw = RawJudgements(
        Coded(table.query[0], table.query[1].strings()),
        Coded(table.doc[0], table.doc[1].strings()),
        Coded(np.zeros(count, np.int64), [""]),
        table.lines,
        length=table.length,
        bep=table.bep,
        grade=np.full(count, NO_GRADE),
    )
    raw.span_row, raw.start, raw.end = table.row_of, table.start, table.start + table.size
    raw.relevant = table.relevant
    reader.notes.extend(_relevant_note(table, reader))
    if too_long.any():
        raw = raw.take(np.flatnonzero(~too_long))
    return assembled(raw, reader, None, unit)


def _relevant_note(table: kernels.Passages, reader: Reader) -> Iterator[str]:
    """A note if the declared numbers of relevant characters are not those of the passages."""
    row, start, end = kernels.merge_spans(table.row_of, table.start, table.start + table.size)
    covered = np.zeros(len(table.lines), np.int64)
    np.add.at(covered, row, end - start)
    summed = np.zeros(len(table.lines), np.int64)
    np.add.at(summed, table.row_of, table.size)
    wrong = np.flatnonzero((covered != table.relevant) & (summed != table.relevant))
    if len(wrong):
        first = int(wrong[0])
        values = {"first": reader.source.place(int(table.lines[first])), "relevant": table.relevant[first]}
        yield reading.RELEVANT_CHARACTERS.note(
            source=reader.source.name, count=len(wrong), covered=covered[first], unit=words(reader.unit), **values
        )


def run_lines(run: Run, ranks: list[int], scores: list[str]) -> list[str]:
    """The lines of a run whose results are one span, one entry point, one element or one range each."""
    rows = zip(run.query.values(), run.doc.values(), ranks, scores, strict=True)
    lines = []
    for row, (query, doc, rank, score) in enumerate(rows):
        paths = run.paths.of_row(row) if run.paths is not None else []
        if paths:
            first, last = paths[0]
            part = first if last is None else f"{first} {last}"
        else:
            at = int(run.span_offsets[row])
            start, end = int(run.start[at]), int(run.end[at])
            part = f"{start} {end - start}"
        lines.append(f"{query} Q0 {doc} {rank} {score} {run.run_id} {part}")
    return lines


def assessment_lines(assessments: Assessments) -> list[str]:
    """FOL lines, one per judged document."""
    passages: dict[tuple[int, int], list[tuple[int, int]]] = {}
    spans = assessments.spans
    for query, doc, start, end in zip(
        *(column.tolist() for column in (spans.query, spans.doc, spans.start, spans.end)), strict=True
    ):
        passages.setdefault((query, doc), []).append((start, end - start))
    table = assessments.documents
    lines = []
    for query, doc, length, bep in zip(
        *(column.tolist() for column in (table.query, table.doc, table.length, table.bep)), strict=True
    ):
        judged = list(dict.fromkeys(passages.get((query, doc), [])))
        starts, sizes = (np.array(column, np.int64) for column in (zip(*judged, strict=True) if judged else ((), ())))
        _, first, last = kernels.merge_spans(np.zeros(len(judged), np.int64), starts, starts + sizes)
        relevant = int((last - first).sum())
        tokens = "".join(f" {start}:{size}" for start, size in judged)
        lines.append(f"{assessments.queries[query]} Q0 {assessments.docs[doc]} {relevant} {length} {bep}{tokens}")
    return lines


class Inex(Columns):
    """One part per result, and FOL assessments: passages and best entry points."""

    name = "inex"
    title = "INEX columns"
    run_limits = (
        ONE_RUN,
        base.NO_OTHER_UNITS,
        Limit(
            frozenset({base.SEVERAL_SPANS, base.TREES, base.TREES_OF_RANGES, base.DOCUMENTS}),
            writing.ONE_PART,
        ),
        Limit(
            frozenset({base.MIXED}),
            writing.ONE_KIND_OF_PART,
        ),
    )
    assessment_limits = (
        *Columns.assessment_limits,
        Limit(
            frozenset({base.ELEMENTS, base.JUDGED_TREES, base.GRADES, base.UNKNOWN_LENGTHS}),
            writing.PASSAGES_ONLY,
        ),
    )

    def run_lines(self, run: Run) -> list[str]:
        run = as_ranked(run)
        return run_lines(run, *inex_numbers(run))

    def assessment_lines(self, assessments: Assessments) -> list[str]:
        return assessment_lines(assessments)


INEX = Inex()
