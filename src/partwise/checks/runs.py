"""The checks of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from partwise.checks.documents import Documents
from partwise.checks.findings import Finding, Notebook
from partwise.errors import PathError
from partwise.formats.placing_notes import place_in_run
from partwise.messages import Text, checks
from partwise.model import (
    NO_GRADE,
    NONE,
    TO_END,
    Assessments,
    Coded,
    DocumentJudgements,
    ElementJudgements,
    EmptyJudgements,
    Ints,
    PassageJudgements,
    Run,
    SpanJudgements,
    TreeJudgements,
)
from partwise.order import RanksAndScores, ordered_by_rank
from partwise.placement import MISSING
from partwise.resolving import NOT_A_NODE, Batch, DocNames, Judgements, batches, faults, judge
from partwise.units import as_written, words


def check_run(
    run: Run,
    notes: Sequence[str],
    assessments: Assessments,
    documents: Documents,
    task: str | None,
    quoted: Sequence[tuple[int, Text]] = (),
) -> list[Finding]:
    """The findings about a run, by itself and against the assessments.

    `notes` are those of reading it, `quoted` the lines with texts that are not at their offsets.
    """
    book = Notebook(run.source, task, run.run_id)
    book.add_notes([*notes, *run.notes])
    _unplaced(run, book)
    book.add_messages("text-elsewhere", quoted)
    _run_queries(run, assessments, book)
    _ranks_and_scores(run, book)
    judgements = _all_judged(run, assessments, documents)
    if len(run):
        _unjudged_documents(run, judgements, assessments, book)
    run = _with_order(_located(run, documents, book), book)
    for batch in batches(run, judgements, queries="run") if len(run) else ():
        for rules in (_shared_text, _edges, _in_documents, _in_order):
            rules(batch, book)
    return book.findings()


def _lines(run: Run) -> Ints:
    return run.lines if run.lines is not None else np.arange(1, len(run) + 1)


def _unplaced(run: Run, book: Notebook) -> None:
    if run.placing is None:
        return
    rows = np.flatnonzero(run.placing.unplaced)
    outcomes = run.placing.outcomes

    def message(i: int) -> Text:
        row = int(rows[i])
        first, last = int(run.span_offsets[row]), int(run.span_offsets[row + 1])
        size = int((run.end[first:last] - run.start[first:last]).sum())
        text = checks.CHUNK_MISSING if outcomes[row] == MISSING else checks.CHUNK_AMBIGUOUS
        return text(size=as_written(size, run.unit), unit=words(run.unit), place=place_in_run(run, row))

    book.add("not-placed", _lines(run)[rows], message)


def _run_queries(run: Run, assessments: Assessments, book: Notebook) -> None:
    lines = _lines(run)
    queries, first = np.unique(run.query.codes, return_index=True)
    names = [run.query.names[code] for code in queries.tolist()]
    judged = {assessments.queries[query] for query in np.unique(assessments.documents.query).tolist()}
    unjudged = np.flatnonzero([name not in judged for name in names])
    book.add("unjudged-query", lines[first[unjudged]], lambda i: checks.QUERY_NOT_JUDGED(query=names[unjudged[i]]))
    with_results = set(names)
    missing = [query for query in assessments.queries if query in judged and query not in with_results]
    book.add("missing-query", np.full(len(missing), NONE), lambda i: checks.NO_RESULTS(query=missing[i]))
    counts = np.bincount(run.query.codes)[queries] if len(queries) else queries
    many = np.flatnonzero(counts > faults.MOST_RESULTS)
    book.add(
        "too-many",
        lines[first[many]],
        lambda i: checks.TOO_MANY_RESULTS(query=names[many[i]], count=counts[many[i]], most=faults.MOST_RESULTS),
    )


def _ranks_and_scores(run: Run, book: Notebook) -> None:
    if run.rank is None or run.score is None or not len(run):
        return
    rows = np.flatnonzero(run.throughout_query((run.rank != NONE) & ~np.isnan(run.score)))
    rows = rows[np.lexsort((run.rank[rows], run.query.codes[rows]))]
    query, rank, score = run.query.codes[rows], run.rank[rows], run.score[rows]
    rises = np.flatnonzero((query[1:] == query[:-1]) & (rank[1:] > rank[:-1]) & (score[1:] > score[:-1])) + 1
    book.add(
        "rank-against-score",
        _lines(run)[rows[rises]],
        lambda i: checks.SCORE_RISES(
            rank=rank[rises[i]],
            query=run.query[int(rows[rises[i]])],
            score=score[rises[i]],
            before=rank[rises[i] - 1],
            lower=score[rises[i] - 1],
        ),
    )


def _unjudged_documents(run: Run, judgements: Judgements, assessments: Assessments, book: Notebook) -> None:
    queries = {name: code for code, name in enumerate(assessments.queries)}
    count = len(assessments.docs)
    query = np.array([queries.get(name, NONE) for name in run.query.names], np.int64)[run.query.codes]
    doc = DocNames(judgements, run).of_rows(np.arange(len(run)))
    judged_pairs = np.unique(assessments.documents.query * count + assessments.documents.doc)
    pairs = query * count + doc
    at = np.minimum(np.searchsorted(judged_pairs, pairs), len(judged_pairs) - 1)
    in_query = np.isin(query, assessments.documents.query)
    is_judged = judged_pairs[at] == pairs if len(judged_pairs) else np.zeros(len(pairs), np.bool_)
    unjudged = np.flatnonzero(in_query & ((doc >= count) | ~is_judged))
    share = len(unjudged) / max(int(in_query.sum()), 1)
    book.add(
        "unjudged-document",
        _lines(run)[unjudged],
        lambda i: checks.DOCUMENT_NOT_JUDGED(
            doc=run.doc[int(unjudged[i])], query=run.query[int(unjudged[i])], share=share
        ),
    )


def _located(run: Run, documents: Documents, book: Notebook) -> Run:
    """The run without results whose document or path does not exist."""
    lines = _lines(run)
    bad = np.zeros(len(run), np.bool_)
    if documents.collection is not None:
        lacking = documents.lacking(list(run.doc.names))
        bad = lacking[run.doc.codes] if len(run) else bad
        unplaced = np.zeros(len(run), np.bool_) if run.placing is None else run.placing.unplaced
        unknown = np.flatnonzero(bad & ~unplaced)
        name = documents.collection.name
        book.add(
            "unknown-document",
            lines[unknown],
            lambda i: checks.NOT_IN_COLLECTION(doc=run.doc[int(unknown[i])], collection=name),
        )
    if run.paths is None:
        return run
    with_paths = np.flatnonzero(np.diff(run.paths.offsets) > 0)
    if documents.collection is None:
        book.add("unlocated", lines[with_paths], lambda i: checks.NOT_LOCATED(part=_part(run, int(with_paths[i]))))
        return run
    unreadable = np.array([name in documents.unreadable for name in run.doc.names], np.bool_)
    bad = bad | unreadable[run.doc.codes] if len(run) else bad
    wrong: list[tuple[int, Text]] = []
    spans: dict[tuple[int, str, str | None], Any] = {}
    rows = with_paths[~bad[with_paths]]
    for row in rows[np.argsort(run.doc.codes[rows], kind="stable")].tolist():
        for path, last in run.paths.of_row(row):
            key = int(run.doc.codes[row]), path, last
            if key not in spans:
                spans[key] = documents.span(run.doc[row], path, last)
            span = spans[key]
            if not isinstance(span, tuple):
                bad[row] = True
            if isinstance(span, PathError):
                wrong.append((int(lines[row]), Text(span.code, span.problem)))
                break
    book.add_messages("unknown-path", wrong)
    return run.take(np.flatnonzero(~bad)) if bad.any() else run


def _with_order(run: Run, book: Notebook) -> Run:
    """The run without the ranks and scores of queries that they cannot order, which keep the order of the file."""
    if run.trec_order or not len(run):
        return run
    present = RanksAndScores.of_run(run)
    query, mixed = present.query, present.without_order[present.query]
    unranked, unscored = present.some_rank[query] & ~present.ranked, present.some_score[query] & ~present.scored
    lacking = np.flatnonzero(mixed & (unranked | unscored))

    def message(i: int) -> Text:
        row = int(lacking[i])
        lacks_both = unranked[row] and unscored[row]
        text = checks.NO_RANK_OR_SCORE if lacks_both else checks.NO_RANK if unranked[row] else checks.NO_SCORE
        return text(query=run.query[row])

    book.add("no-order", _lines(run)[lacking], message)
    return replace(run, rank=np.where(mixed, NONE, present.rank), score=np.where(mixed, np.nan, present.score))


def _all_judged(run: Run, assessments: Assessments, documents: Documents) -> Judgements:
    """Judgements of all queries of a run, so that all results are resolved."""
    queries = Coded.of(run.query.names[code] for code in np.unique(run.query.codes).tolist())
    lengths = {
        assessments.docs[doc]: length
        for doc, length in zip(assessments.documents.doc.tolist(), assessments.documents.length.tolist(), strict=True)
        if length != NONE
    }
    lengths = {**documents.lengths, **lengths}
    if documents.collection is not None:
        for code in np.unique(run.doc.codes).tolist():
            name = run.doc.names[code]
            if name not in lengths and (length := documents.stored_length(name)) != NONE:
                lengths[name] = length
    count = len(queries)
    nothing = np.full(count, NONE)
    everything = replace(
        assessments,
        queries=queries.names,
        docs=list(dict.fromkeys([*assessments.docs, *lengths])),
        documents=DocumentJudgements(
            queries.codes, np.zeros(count, np.int64), np.zeros(count, np.int64), nothing, nothing,
            np.full(count, NO_GRADE), np.arange(count),
        ),
        spans=SpanJudgements.none(),
        elements=ElementJudgements.none(),
        passages=PassageJudgements.none(),
        trees=TreeJudgements.none(),
        empty=EmptyJudgements.none(),
        source=run.source,
    )  # fmt: skip
    collection = documents.collection if run.paths is not None else None
    return judge(everything, None, lengths, collection)


def _part(run: Run, row: int) -> str:
    """A result as messages name it."""
    doc = run.doc[row]
    paths = run.paths.of_row(row) if run.paths is not None else []
    if paths:
        return checks.PART.note(part=", ".join(" to ".join(filter(None, path)) for path in paths), doc=doc)
    inside = slice(int(run.span_offsets[row]), int(run.span_offsets[row + 1]))
    spans = list(zip(run.start[inside].tolist(), run.end[inside].tolist(), strict=True))
    if spans == [(0, TO_END)]:
        return checks.WHOLE_DOCUMENT.note(doc=doc)
    return checks.PART.note(part=", ".join(f"{start} to {end}" for start, end in spans), doc=doc)


class _Described:
    """The names and lines of the results in a batch, by their place in it."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.lines = _lines(batch.run)[batch.row] if len(batch) else np.empty(0, np.int64)

    def part(self, place: int) -> str:
        return _part(self.batch.run, int(self.batch.row[place]))

    def query(self, place: int) -> str:
        return self.batch.run.query[int(self.batch.row[place])]

    def doc(self, place: int) -> str:
        return self.batch.run.doc[int(self.batch.row[place])]

    def where(self, place: int) -> str:
        return self.batch.run.source.place(int(self.lines[place]))


def _shared_text(batch: Batch, book: Notebook) -> None:
    described = _Described(batch)
    end = np.minimum(batch.end, faults.BEYOND)
    again = np.flatnonzero(faults.repeated(batch))

    def returned(i: int) -> Text:
        place = int(again[i])
        earlier = described.where(_first_same(batch, place))
        return checks.RETURNED_BEFORE(part=described.part(place), earlier=earlier, query=described.query(place))

    book.add("repeat", described.lines[again], returned)
    shares = np.flatnonzero(faults.sharing_text(batch))

    def sharing(i: int) -> Text:
        place = int(shares[i])
        earlier = described.where(_first_sharing(batch, end, place))
        return checks.SHARES_TEXT(part=described.part(place), earlier=earlier, query=described.query(place))

    book.add("overlap", described.lines[shares], sharing)


def _first_same(batch: Batch, place: int) -> int:
    """The first result that is the same part as this one."""
    run = batch.run

    def key(row: int) -> Any:
        inside = slice(int(batch.span_offsets[row]), int(batch.span_offsets[row + 1]))
        paths = run.paths.of_row(int(batch.row[row])) if run.paths is not None and inside.start == inside.stop else []
        return int(batch.node[row]), batch.start[inside].tolist(), batch.end[inside].tolist(), paths

    rows = np.flatnonzero(batch.document[:place] == batch.document[place]).tolist()
    return next((row for row in rows if key(row) == key(place)), place)


def _first_sharing(batch: Batch, end: Ints, place: int) -> int:
    """The first result that shares text with this one."""
    own = slice(int(batch.span_offsets[place]), int(batch.span_offsets[place + 1]))
    spans = np.flatnonzero(batch.document[batch.row_of_span[: own.start]] == batch.document[place])
    shares = np.zeros(len(spans), np.bool_)
    for start, stop in zip(batch.start[own].tolist(), end[own].tolist(), strict=True):
        shares |= np.maximum(batch.start[spans], start) < np.minimum(end[spans], stop)
    return int(batch.row_of_span[spans[shares]].min())


def _edges(batch: Batch, book: Notebook) -> None:
    described = _Described(batch)
    owner, docs = batch.row_of_span, batch.judgements.docs
    empty = np.flatnonzero(faults.empty(batch))
    book.add("empty-part", described.lines[empty], lambda i: checks.NO_CHARACTERS(part=described.part(int(empty[i]))))
    length = np.full(int(batch.doc.max(initial=0)) + 1 + len(docs), NONE)
    length[: len(docs)] = [batch.judgements.lengths.get(doc, NONE) for doc in docs]
    limit = length[batch.doc[owner]]
    reach = (batch.end > limit) & (limit != NONE) & (batch.end != TO_END) & (batch.node[owner] == NOT_A_NODE)
    if batch.run.placing is not None:
        reach &= ~batch.run.placing.unplaced[batch.row[owner]]
    past = np.unique(owner[reach])
    book.add(
        "past-end",
        described.lines[past],
        lambda i: checks.PAST_END(part=described.part(int(past[i])), length=length[batch.doc[past[i]]]),
    )


def _in_documents(batch: Batch, book: Notebook) -> None:
    described = _Described(batch)
    document = batch.document
    stretch = np.flatnonzero(np.append(True, document[1:] != document[:-1])) if len(batch) else np.empty(0, np.int64)
    codes, first, counts = np.unique(document[stretch], return_index=True, return_counts=True)
    apart = np.flatnonzero(counts > 1)
    beginnings = stretch[first[apart]]

    def returned(i: int) -> Text:
        place = int(beginnings[i])
        back = int(stretch[np.flatnonzero(document[stretch] == codes[apart[i]])[1]])
        return checks.DOCUMENT_RETURNS(
            doc=described.doc(place), query=described.query(place), later=described.where(back)
        )

    book.add("interleaved", described.lines[beginnings], returned)
    again = np.flatnonzero(faults.again_in_document(batch))
    book.add(
        "several-per-document",
        described.lines[again],
        lambda i: checks.SECOND_IN_DOCUMENT(query=described.query(int(again[i])), doc=described.doc(int(again[i]))),
    )


def _in_order(batch: Batch, book: Notebook) -> None:
    described = _Described(batch)
    run, row = batch.run, batch.row
    follows = np.zeros(len(batch), np.bool_)
    follows[1:] = batch.query_of_row[1:] == batch.query_of_row[:-1]
    tied = np.zeros(len(batch), np.bool_)
    tied[1:] = follows[1:] & (batch.tie[1:] == batch.tie[:-1])
    by_rank = ordered_by_rank(run)[row]
    scores = np.full(len(batch), np.nan) if run.score is None else run.score[row]
    level = np.flatnonzero(tied & ~by_rank)
    book.add(
        "tie",
        described.lines[level],
        lambda i: checks.SAME_SCORE(
            earlier=described.where(int(level[i]) - 1), score=scores[level[i]], query=described.query(int(level[i]))
        ),
    )
    if run.rank is None:
        return
    rank = run.rank[row]
    same = np.flatnonzero(tied & by_rank)
    book.add(
        "repeated-rank",
        described.lines[same],
        lambda i: checks.SAME_RANK(
            earlier=described.where(int(same[i]) - 1), rank=rank[same[i]], query=described.query(int(same[i]))
        ),
    )
    step = np.zeros(len(batch), np.int64)
    step[1:] = rank[1:] - rank[:-1]
    gap = np.flatnonzero(by_rank & np.where(follows, step > 1, rank > 1))

    def missing_ranks(i: int) -> Text:
        place = int(gap[i])
        query = described.query(place)
        if not follows[place]:
            return checks.FIRST_RANK(query=query, rank=rank[place])
        return checks.RANK_GAP(rank=rank[place], query=query, before=rank[place - 1])

    book.add("rank-gap", described.lines[gap], missing_ranks)
