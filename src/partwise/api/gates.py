"""`gate`: may a change be merged?"""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from partwise import formats
from partwise.api.evaluator import Evaluator
from partwise.api.files import read_scores
from partwise.errors import PartwiseError
from partwise.later import gate_rules, gates
from partwise.measures import parse
from partwise.messages import gate as messages
from partwise.model import Block, Scores
from partwise.provenance import Record, refuse_to_mix
from partwise.types import LimitsInput, PathInput, QueriesInput

if TYPE_CHECKING:
    from partwise.study.gate import Gate


def gate(
    baseline: Scores | PathInput | None,
    change: Scores | PathInput,
    *,
    floor: LimitsInput | None = None,
    max_drop: LimitsInput | None = None,
    no_loss: LimitsInput | None = None,
    rules: PathInput | None = None,
    by: str | Mapping[str, Any] | None = None,
    queries: QueriesInput | None = None,
    bins: int | None = None,
    seed: int = 0,
    mix: bool = False,
    lenient: bool = False,
) -> Gate:
    """Check whether a change may be merged: rules on its scores, and on how they differ from those of a baseline.

    `baseline` and `change` are scores, or the paths of saved scores; without a baseline (None) only floors can be
    checked. Each has one run, or both have runs of the same names.

    - `floor`: the worst mean that is accepted, ``{"PartHit@5": 0.8}``.
    - `max_drop`: how much worse than the baseline a mean may be, ``{"TextR@5": 0.01}``, or ``"2%"`` of it.
    - `no_loss`: fail if a loss is significant at this level, ``{"TextR@5": 0.05}``, by a one-sided randomisation test,
      which is exact up to 16 queries. The result also has the loss that would be found in 80% of cases.
    - `rules`: a TOML file with more rules, such as ``partwise.toml``.
    - `by`, `queries`, `bins`: slices, as in `Scores.by`, for rules such as ``{"wiki: TextR@5": 0.01}`` (one slice) or
      ``{"*: TextR@5": 0.01}`` (every slice).
    - `seed`: that of the random numbers. `mix` and `lenient` are those of `read_scores`.

    >>> import partwise as pw
    >>> gold = {f"q{i}": [("d", 0, 10)] for i in range(6)}
    >>> before = pw.evaluate(gold, {f"q{i}": [("d", 0, 10)] for i in range(6)}, "TextR@5")
    >>> after = pw.evaluate(gold, {f"q{i}": [("d", 0, 9)] for i in range(6)}, "TextR@5")
    >>> result = pw.gate(before, after, floor={"TextR@5": 0.8}, max_drop={"TextR@5": "5%"})
    >>> result.passed, [(check.name, check.result) for check in result.checks]
    (False, [('floor TextR@5=0.8', 'pass'), ('max-drop TextR@5=5%', 'fail')])
    >>> result.failed[0].reason
    'worse by 0.1000 (1.0000 to 0.9000), more than 0.0500'
    """
    given = [
        *gate_rules.rules_of("floor", floor),
        *gate_rules.rules_of("max-drop", max_drop),
        *gate_rules.rules_of("no-loss", no_loss),
    ]
    saved = [] if rules is None else gate_rules.rules_in_file(rules)
    before, after = _both(baseline, change, mix, lenient)
    every = gate_rules.combined(given, saved)
    return checked_gate(before, after, every, by=by, queries=queries, bins=bins, seed=seed)


def checked_gate(
    baseline: Scores | None,
    change: Scores,
    rules: Sequence[Any],
    *,
    by: Any = None,
    queries: Any = None,
    bins: int | None = None,
    seed: int = 0,
) -> Gate:
    """Check rules of `rules_from`."""
    if queries is not None:
        columns = formats.query_columns(queries)
        baseline = None if baseline is None else _with_columns(baseline, columns)
        change = _with_columns(change, columns)
    result = gates.gate(baseline, change, rules, by=by, bins=bins, seed=seed)
    notes = () if baseline is None else baseline.notes
    return replace(result, notes=tuple(dict.fromkeys((*notes, *change.notes, *result.notes))))


def _with_columns(scores: Scores, columns: Any) -> Scores:
    scores = copy.copy(scores)
    scores.query_columns = columns
    return scores


def scores_to_gate(paths: Sequence[PathInput], mix: bool, lenient: bool) -> tuple[Scores | None, Scores]:
    """The saved scores of a baseline and a change, or of a change alone."""
    return _both(None if len(paths) == 1 else paths[0], paths[-1], mix, lenient)


def with_names(rules: Sequence[Any], evaluator: Evaluator) -> list[Any]:
    """The rules with the names that their measures have in the scores of an evaluator."""
    return [replace(rule, measure=evaluator.evaluation.resolved(parse(rule.measure)).name) for rule in rules]


def _both(
    baseline: Scores | PathInput | None, change: Scores | PathInput, mix: bool, lenient: bool
) -> tuple[Scores | None, Scores]:
    """The scores of the two sides; files are read together, so that they are refused if they cannot be compared."""
    sides = {"baseline": baseline, "change": change}
    paths: dict[str, PathInput] = {}
    for name, value in sides.items():
        if isinstance(value, (str, os.PathLike)):
            paths[name] = value
        elif not isinstance(value, Scores) and (name == "change" or value is not None):
            raise PartwiseError(messages.NOT_SCORES(name=name, type=type(value).__name__))
    if not paths and not mix:
        refuse_to_mix([(name, _record(value)) for name, value in sides.items()])
    read = read_scores(paths, lenient=lenient, mix=mix) if paths else None
    of_files = {name: _side(read, name, path) for name, path in paths.items() if read is not None}
    before, after = (of_files.get(name, value) for name, value in sides.items())
    return before, after  # type: ignore[return-value]


def _record(scores: Any) -> Record | None:
    """The saved provenance of scores, None if there is none."""
    provenance = None if scores is None else scores.provenance
    return None if provenance is None else provenance.saved


def _side(scores: Scores, name: str, path: Any) -> Scores:
    """The scores of one file, whose runs have its name, or its name before their own."""
    [stem] = formats.run_names([os.fspath(path)])
    blocks = [_renamed(block, name, stem) for block in scores.blocks if block.run_id.partition("/")[0] == name]
    return Scores(blocks, scores.judged, scores.notes, provenance=scores.provenance, kinds=scores.kinds)


def _renamed(block: Block, name: str, stem: str) -> Block:
    run_id = stem if block.run_id == name else block.run_id.removeprefix(f"{name}/")
    return Block(run_id, block.measure, block.queries, block.values, block.aggregate, block.aggregated)


def rules_from(texts: Mapping[str, Sequence[str]], path: PathInput | None) -> list[Any]:
    """The rules of a command line, by kind, and those of a file, or of the settings in the current folder."""
    given = [gate_rules.rule_of_text(kind, text) for kind in gate_rules.KINDS for text in texts.get(kind, ())]
    file = gate_rules.file_in_folder("") if path is None else path
    return gate_rules.combined(given, [] if file is None else gate_rules.rules_in_file(file))
