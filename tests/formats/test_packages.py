"""The objects of the packages themselves: ir_measures, ir_datasets, PyTerrier and ranx."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import partwise as pw

QRELS = {"q1": {"d1": 0, "d2": 2}, "q2": {"d1": 1}}
RUN = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 0.5}}
EXPECTED = {"RR": 0.75, "P@1": 0.5, "nDCG@5": (1 / 1.584962500721156 + 1) / 2}


def check(qrels: Any, run: Any) -> None:
    scores = pw.evaluate(qrels, run, list(EXPECTED))
    assert scores.notes == ()
    assert next(iter(scores.mean().values())) == pytest.approx(EXPECTED)


def test_ir_measures() -> None:
    from ir_measures import Qrel, ScoredDoc, read_trec_qrels

    check(
        [Qrel(query, doc, grade) for query, docs in QRELS.items() for doc, grade in docs.items()],
        (ScoredDoc(query, doc, score) for query, docs in RUN.items() for doc, score in docs.items()),
    )
    text = "".join(f"{query} 0 {doc} {grade}\n" for query, docs in QRELS.items() for doc, grade in docs.items())
    check(read_trec_qrels(text), RUN)


@pytest.mark.slow
def test_ir_datasets(tmp_path: Path) -> None:
    import ir_datasets
    from ir_datasets.datasets.base import Dataset
    from ir_datasets.formats import TrecQrels, TrecScoredDocs, TsvQueries
    from ir_datasets.util import LocalDownload

    files = {
        "qrels": "".join(f"{query} 0 {doc} {grade}\n" for query, docs in QRELS.items() for doc, grade in docs.items()),
        "run": "".join(f"{query} Q0 {doc} 1 {score} t\n" for query, docs in RUN.items() for doc, score in docs.items()),
        "queries": "q1\tbees in winter\nq2\thedges\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    downloads = {name: LocalDownload(tmp_path / name) for name in files}
    dataset = Dataset(
        TrecQrels(downloads["qrels"], {0: "not relevant", 1: "relevant", 2: "perfect"}),
        TrecScoredDocs(downloads["run"]),
        TsvQueries(downloads["queries"]),
    )
    ir_datasets.registry.register("partwise-test", dataset)
    check("irds:partwise-test", "irds:partwise-test")
    check("irds:partwise-test", RUN)
    pw.write_report("irds:partwise-test", RUN, tmp_path / "r.html", measures="RR", queries="irds:partwise-test")
    assert "bees in winter" in (tmp_path / "r.html").read_text()
    pw.convert("irds:partwise-test", tmp_path / "back.qrels")
    assert (tmp_path / "back.qrels").read_text() == files["qrels"]
    ir_datasets.registry.register("partwise-test/queries", Dataset(TsvQueries(downloads["queries"])))
    with pytest.raises(pw.PartwiseError) as error:
        pw.evaluate("irds:partwise-test/queries", RUN, "RR")
    assert str(error.value) == ("irds:partwise-test/queries: this data set has no qrels; give the id of one that has")
    with pytest.raises(pw.PartwiseError) as error:
        pw.evaluate("irds:no-such-set", RUN, "RR")
    assert str(error.value) == (
        "irds:no-such-set: ir_datasets has no data set with this id; ir_datasets list shows those that it has"
    )


def test_without_ir_datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(pw.PartwiseError) as error:
        pw.evaluate("irds:vaswani", RUN, "RR")
    assert str(error.value) == (
        "irds:vaswani: needs ir_datasets, which is not installed; run pip install 'partwise[irds]'"
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_pyterrier() -> None:
    import pyterrier as pt

    results = pd.DataFrame(
        [(query, f"words of {query}", doc, score) for query, docs in RUN.items() for doc, score in docs.items()],
        columns=["qid", "query", "docno", "score"],
    )
    ranked = pt.model.add_ranks(results)
    assert list(ranked["rank"]) == [0, 1, 0]
    ranked["docid"] = range(len(ranked))
    qrels = pd.DataFrame(
        [(query, doc, grade) for query, docs in QRELS.items() for doc, grade in docs.items()],
        columns=["qid", "docno", "label"],
    )
    check(qrels, ranked)


RANX = """
import json, sys
from ranx import Qrels, Run, evaluate
import partwise as pw
qrels, run = json.loads(sys.argv[1]), json.loads(sys.argv[2])
theirs = Qrels(qrels), Run(run, name="bm25")
scores = pw.evaluate(*theirs, json.loads(sys.argv[3]))
ours = list(scores.mean().values())[0]
assert abs(evaluate(*theirs, "mrr") - ours["RR"]) < 1e-12
print(json.dumps([ours, list(scores.notes)]))
"""


@pytest.mark.slow
def test_ranx() -> None:
    """In an environment of its own, because ranx restricts the versions of other packages."""
    peers = Path(__file__).parents[2] / ".venv-peers"
    python = peers / "bin" / "python"
    assert python.exists(), "ranx is not installed; make .venv-peers/.installed installs it"
    paths = [str(Path(pw.__file__).parents[1]), *(path for path in sys.path if path.endswith("site-packages"))]
    kernels = Path(sys.modules["partwise.kernels._native"].__file__ or "")
    program = (
        "import importlib.machinery, importlib.util, sys\n"
        f"loader = importlib.machinery.ExtensionFileLoader('partwise.kernels._native', {str(kernels)!r})\n"
        "spec = importlib.util.spec_from_loader(loader.name, loader)\n"
        "sys.modules[loader.name] = module = importlib.util.module_from_spec(spec); loader.exec_module(module)\n"
    )
    result = subprocess.run(
        [python, "-c", program + RANX, json.dumps(QRELS), json.dumps(RUN), json.dumps(list(EXPECTED))],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths[:1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    values, notes = json.loads(result.stdout)
    assert values == pytest.approx(EXPECTED)
    assert notes == []
