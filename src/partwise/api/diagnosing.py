"""What a run loses of the relevant text, and whether to its chunks or to their ranking."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from partwise import formats
from partwise.api.evaluator import Evaluator
from partwise.errors import PartwiseError
from partwise.evaluation import Evaluation
from partwise.later import diagnosis
from partwise.messages import diagnosis as messages
from partwise.options import AverageOver, Options, Order, RunId, Unit
from partwise.types import (
    AllChunksInput,
    CollectionInput,
    LengthsInput,
    QrelsInput,
    QueriesInput,
    RunInput,
    TokenizerInput,
)

if TYPE_CHECKING:
    from partwise.diagnosis import Diagnosis


def diagnose(
    qrels: QrelsInput,
    run: RunInput,
    chunks: AllChunksInput | None = None,
    *,
    k: int | None = None,
    budget: float | None = None,
    confidence: float = 0.95,
    queries: QueriesInput | None = None,
    by: str | None = None,
    bins: int | None = None,
    average_over: AverageOver = "judged",
    order: Order | None = None,
    unit: Unit | None = None,
    tokenizer: TokenizerInput | None = None,
    assessor: str | None = None,
    lengths: LengthsInput | None = None,
    collection: CollectionInput | None = None,
    run_id: RunId = "stem",
    lenient: bool = False,
) -> Diagnosis:
    """Split what a run loses of the relevant text into the fault of its chunks and the fault of their ranking.

    The first `k` results are read, or whole results within a `budget` of characters (or of what `unit` counts).
    `chunks` are all chunks that can be retrieved, with a document and one span each: a path, a list of dicts,
    ``{doc_id: [(start, end), ...]}``, or a table. ``best`` is the most that any `k` of them (or any within the budget)
    show of the relevant text, ``value`` is TextR of the run; ``lost_to_chunking`` is what is missing from ``best``,
    ``lost_to_ranking`` what is missing between the two. ``precision_omega`` is TextIoU of all chunks that share text
    with a relevant passage. Without `chunks`, only the value and some of the reasons for lost passages are known.

    The result has ``rows()``, one per query and one of the means, ``all``; ``failures()``, one per passage that is not
    shown whole; ``tables()``, ``notes`` and ``to_pandas()``. With `by`, ``slices`` has the same for each slice: of a
    column of the `queries`, of the gold (``grade``, ``nugget``), or by what a pattern finds in the ids of relevant
    documents (``doc:PATTERN``); numbers are put into `bins`. The other parameters are those of `evaluate`;
    `confidence` is the level of the intervals of the means.

    - `qrels`: the assessments, in any form that `partwise.evaluate` takes.
    - `average_over`: ``judged`` averages over all judged queries, ``run`` over those of the run.
    - `order`: order results by ``rank`` or ``score`` (default: as the format orders them).
    - `tokenizer`: with ``unit="tokens"``, the tokens that are counted.
    - `assessor`: the assessor to use where a query has several (default: the first).
    - `lengths`: document lengths, as a mapping or a file.
    - `collection`: the documents: a `Collection`, a path, or a mapping of ids to texts.
    - `run_id`: name the run in a file after the file (``stem``) or by its run column (``tag``).
    - `lenient`: skip bad lines; notes report them.

    >>> import partwise as pw
    >>> gold = {"q1": [("d", 40, 60)], "q2": [("d", 120, 140)]}
    >>> chunks = {"d": [(0, 50), (50, 100), (100, 150)]}
    >>> run = {"q1": [("d", 0, 50), ("d", 50, 100)], "q2": [("d", 50, 100), ("d", 100, 150)]}
    >>> for row in pw.diagnose(gold, run, chunks, k=1).rows():
    ...     print(row["query_id"], row["best"], row["lost_to_chunking"], row["lost_to_ranking"])
    q1 0.5 0.5 0.0
    q2 1.0 0.0 1.0
    all 0.75 0.25 0.5
    """
    if k is None and budget is None:
        raise PartwiseError(messages.NO_LIMIT())
    if k is not None and budget is not None:
        raise PartwiseError(messages.TWO_LIMITS())
    diagnosis.check_share("confidence", confidence)
    options = Options(
        average_over=average_over,
        order=order,
        unit=unit,
        tokenizer=tokenizer,
        assessor=assessor,
        lengths=lengths,
        collection=collection,
        run_id=run_id,
        lenient=lenient,
    )
    evaluator = Evaluator.from_options(qrels, diagnosis.recall(k, budget), options)
    notes = list(evaluator.notes)
    runs = [one for source in evaluator.sources(run, options, notes) for one in source()]
    if len(runs) != 1:
        raise PartwiseError(messages.SEVERAL_RUNS(count=len(runs)))
    all_chunks = None
    if chunks is not None:
        all_chunks = formats.chunks_from(chunks, unit=options.file_unit, lenient=options.lenient, notes=notes)

    def diagnosed(evaluation: Evaluation) -> Diagnosis:
        of_evaluation = None if all_chunks is None else diagnosis.chunks_of(evaluation, all_chunks)
        return diagnosis.diagnose(evaluation, runs[0], of_evaluation, confidence)

    result = diagnosed(evaluator.evaluation)
    if by is None:
        return replace(result, notes=(*notes, *result.notes))
    slicing = evaluator.slicing(by, bins, formats.query_columns(queries), result.queries)
    of_slices = {
        name: (diagnosed(slicing.evaluations[name]) if slicing.evaluations else result).of_queries(of_slice)
        for name, of_slice in slicing.groups.queries.items()
    }
    notes = [*notes, *result.notes, *slicing.notes]
    slices = diagnosis.DiagnosisSlices(by, result, of_slices, slicing.notes)
    return replace(result, notes=tuple(notes), slices=slices)
