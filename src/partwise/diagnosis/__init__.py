"""Whose fault it is that relevant text is not shown: the chunker's or the ranker's, and how passages are lost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from partwise.diagnosis.chunks import Chunks
from partwise.diagnosis.failures import MEANINGS, Lost, lost_passages
from partwise.diagnosis.findings import Diagnosis, DiagnosisSlices
from partwise.evaluation import Evaluation
from partwise.measures.text import TextIoU, TextR
from partwise.messages import diagnosis as messages
from partwise.model import Run
from partwise.notes import note_about
from partwise.resolving import Batch
from partwise.study.findings import check_share as check_share
from partwise.tables import Tables, ratio
from partwise.units import in_units

__all__ = ["MEANINGS", "Chunks", "Diagnosis", "DiagnosisSlices", "chunks_of", "diagnose", "recall"]


def recall(k: int | None, budget: float | None) -> TextR:
    """The measure that is diagnosed: TextR of the first results, or of whole results within a budget."""
    return TextR(cutoff=k) if budget is None else TextR(budget=budget, pack=True)


def chunks_of(evaluation: Evaluation, chunks: Run) -> Chunks:
    """All chunks, as they are needed to diagnose one run or several."""
    return Chunks.of(evaluation.in_unit(chunks), evaluation.judgements)


def diagnose(
    evaluation: Evaluation, run: Run, chunks: Chunks | None, confidence: float, tables: Sequence[Tables] = ()
) -> Diagnosis:
    """The loss of a run by query; the measure of the evaluation is that of `recall`.

    Without all chunks (`chunks_of`), only what the results themselves tell is known. `tables` are those of all batches
    of a run that was scored already: the notes on it are known.
    """
    [measure] = evaluation.measures
    if not isinstance(measure, TextR):
        raise TypeError(f"{measure.name} cannot be diagnosed")
    judged = evaluation.judgements
    budget = measure.budget
    limit = in_units(budget, evaluation.unit) if budget is not None else int(measure.cutoff or 0)
    run = evaluation.in_unit(run)
    notes: list[str] = []
    if tables:
        [block] = evaluation.blocks(run.run_id, tables)
    else:
        tables = evaluation.tables(run)
        [block], notes = evaluation.score(run, tables)
    queries = judged.numbers_of(block.queries)
    touched, held = (None, None) if chunks is None else chunks.holding

    shown = np.zeros(len(judged.queries), np.int64)
    lost, unplaced = [], 0
    for one in tables:
        batch = one.batch
        is_unplaced = _unplaced(batch)
        unplaced += int(is_unplaced.sum())
        if chunks is not None:
            chunks.refuse_others(batch, is_unplaced)
        of_batch, shown[batch.queries] = lost_passages(one, limit, budget, is_unplaced, touched)
        lost.append(of_batch)
    if unplaced:
        notes.append(note_about(run.run_id, messages.UNPLACED.note(count=unplaced)))

    best = omega = None
    if chunks is None:
        notes.append(messages.WITHOUT_CHUNKS.note())
    else:
        best = chunks.best(limit, budget is not None)[queries]
        precision = chunks.remembered("omega", lambda: _omega(evaluation, chunks))
        omega = np.array([precision.get(query, 0.0) for query in block.queries])
    return Diagnosis(
        run_id=run.run_id,
        measure=measure.name,
        queries=list(block.queries),
        relevant=judged.query_highlighted[queries],
        shown=shown[queries],
        value=block.values,
        mean=block.aggregate,
        best_shown=best,
        best=None if best is None else ratio(best, judged.query_highlighted[queries]),
        omega=omega,
        judgements=judged,
        passages=Lost.joined(lost),
        is_cut=None if touched is None or held is None else touched & ~held,
        confidence=confidence,
        notes=tuple(notes),
    )


def _omega(evaluation: Evaluation, chunks: Chunks) -> dict[str, float]:
    """TextIoU of all chunks that share text with what is relevant, by query."""
    [iou], _ = evaluation.with_measures([TextIoU()]).score(chunks.omega())
    return dict(zip(iou.queries, iou.values.tolist(), strict=True))


def _unplaced(batch: Batch) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which results are at an unknown place."""
    placing = batch.run.placing
    return np.zeros(len(batch), np.bool_) if placing is None else placing.unplaced[batch.row]
