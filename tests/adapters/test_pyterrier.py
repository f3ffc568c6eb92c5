"""pt.Experiment with our measures: on frames of results and on transformers, without Java."""

from __future__ import annotations

import math
import re
from typing import Any

import pandas as pd
import pytest
from ir_measures import nDCG

import partwise as pw
from partwise.adapters import ir_measures as adapter
from support.examples import run_examples
from support.paths import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # those of the packages that PyTerrier loads
]

QUERIES = pd.DataFrame([("q1", "one"), ("q2", "two")], columns=["qid", "query"])
QRELS = pd.DataFrame(
    [("q1", "a", 1, 10, 20), ("q1", "a", 1, 40, 60), ("q1", "c", 0, None, None), ("q2", "b", 1, 0, 50)],
    columns=["qid", "docno", "label", "start", "end"],
)
RESULTS = pd.DataFrame(
    [
        ("q1", "a", 3.0, 0, 0, 30),
        ("q1", "a", 2.0, 1, 40, 70),
        ("q1", "c", 1.0, 2, 0, 10),
        ("q2", "c", 2.0, 0, 0, 5),
        ("q2", "b", 1.0, 1, 10, 60),
    ],
    columns=["qid", "docno", "score", "rank", "start", "end"],
)
MEASURES = [
    adapter.iP @ 0.01,
    nDCG @ 10,
    adapter.AgP,
    adapter.TextR @ 2,
    adapter.PartHit @ 1,
    adapter.PartnDCG @ 10,
    adapter.CharAP,
]


@pytest.fixture
def pt() -> Any:
    return pytest.importorskip("pyterrier")


def expected() -> dict[str, float]:
    names = {"qid": "query_id", "docno": "doc_id", "label": "grade"}
    return pw.evaluate(QRELS.rename(columns=names), RESULTS.rename(columns=names), MEASURES).mean()["run"]


def values(table: pd.DataFrame, row: int) -> dict[str, float]:
    return {name: table.iloc[row][name] for name in table.columns if name != "name"}


def test_frames_and_transformers(pt: Any) -> None:
    systems = [RESULTS.copy(), pt.Transformer.from_df(RESULTS)]
    table = pt.Experiment(systems, QUERIES, QRELS, MEASURES, names=["frame", "transformer"])
    assert table.name.tolist() == ["frame", "transformer"]
    assert values(table, 0) == values(table, 1) == pytest.approx(expected(), abs=1e-12)
    assert expected()["TextR@2"] == 0.9


def test_a_transformer_that_makes_parts(pt: Any) -> None:
    """A stage that shortens results changes the values: the span columns pass through the pipeline."""
    halved = pt.Transformer.from_df(RESULTS) >> pt.apply.generic(lambda f: f.assign(end=(f.start + f.end) // 2))
    table = pt.Experiment([halved], QUERIES, QRELS, [adapter.TextR @ 2], names=["halved"])
    assert values(table, 0) == {"TextR@2": pytest.approx((20 / 30 + 25 / 50) / 2)}


def test_query_by_query_and_in_batches(pt: Any) -> None:
    system = pt.Transformer.from_df(RESULTS)
    for batch_size in (None, 1):
        table = pt.Experiment([system], QUERIES, QRELS, MEASURES, names=["s"], perquery=True, batch_size=batch_size)
        queries = {(row.qid, row.measure): row.value for row in table.itertuples()}
        assert len(queries) == 2 * len(MEASURES)
        assert queries["q1", "TextR@2"] == 1.0
        assert queries["q2", "TextR@2"] == 0.8


def test_significance_against_a_baseline(pt: Any) -> None:
    systems = [RESULTS.copy(), RESULTS[RESULTS["rank"] > 0]]
    table = pt.Experiment(systems, QUERIES, QRELS, [adapter.TextR @ 2], names=["all", "rest"], baseline=0)
    assert table.iloc[1][["TextR@2 +", "TextR@2 -"]].tolist() == [0, 1]


def test_a_query_that_is_not_scored_shows_in_the_mean(pt: Any) -> None:
    """PyTerrier averages over all queries of the qrels; NaN shows that one of them has nothing relevant."""
    queries = pd.concat([QUERIES, pd.DataFrame([("q3", "three")], columns=QUERIES.columns)])
    nothing = pd.DataFrame([("q3", "a", 0, None, None)], columns=QRELS.columns, dtype=object)
    table = pt.Experiment([RESULTS.copy()], queries, pd.concat([QRELS, nothing]), [adapter.TextR @ 2], names=["s"])
    assert math.isnan(values(table, 0)["TextR@2"])


def test_the_documentation(pt: Any) -> None:
    assert pt.__name__ == "pyterrier"
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "peers.md").read_text(), re.DOTALL)
    [block] = [block for block in blocks if "pyterrier" in block]
    results = run_examples(block)
    assert results.attempted > 0
    assert results.failed == 0
