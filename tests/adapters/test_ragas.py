"""Data sets of ragas: assessments from reference contexts, runs from retrieved contexts."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import polars as pl
import pytest

import partwise as pw
from partwise.adapters import ragas

TEXTS = {
    "handbook": "Leave is granted on request. Ask twice. Ask twice. Unused leave lapses in March.",
    "faq": "Who grants leave?\nYour manager.",
}
SAMPLES: list[dict[str, Any]] = [
    {
        "user_input": "When does leave lapse?",
        "retrieved_contexts": ["Unused leave lapses", "Ask twice."],
        "reference_contexts": ["<1-hop>\n\nUnused leave lapses in March.", "<2-hop>\n\nYour  manager."],
        "response": "In March.",
        "reference": "In March.",
    },
    {
        "user_input": "Who grants it?",
        "retrieved_contexts": ["Your manager."],
        "reference_contexts": ["Your manager."],
        "reference": "Your manager.",
        "synthesizer_name": "single_hop_specific_query_synthesizer",
    },
]
GOLD = [("q0", "handbook", 51, 80), ("q0", "faq", 18, 31), ("q1", "faq", 18, 31)]
FOUND = [("q0", "handbook", 51, 70), ("q0", "handbook", 80, 90), ("q1", "faq", 18, 31)]


def parts(run: pw.Run) -> list[tuple[str, str, int, int]]:
    columns = run.query.values(), run.doc.values(), run.start.tolist(), run.end.tolist()
    return list(zip(*columns, strict=True))


def passages(gold: pw.Assessments) -> list[tuple[str, str, int, int]]:
    spans = gold.spans
    names = [(gold.queries[query], gold.docs[doc]) for query, doc in zip(spans.query, spans.doc, strict=True)]
    edges = zip(spans.start.tolist(), spans.end.tolist(), strict=True)
    return [(*name, *edge) for name, edge in zip(names, edges, strict=True)]


def error_of(call: Callable[[], Any]) -> str:
    with pytest.raises(pw.PartwiseError) as error:
        call()
    return str(error.value)


def write_csv(path: Path, write_list: Callable[[Any], str]) -> Path:
    names = list(dict.fromkeys(name for sample in SAMPLES for name in sample))
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        for sample in SAMPLES:
            cells = {name: write_list(cell) if isinstance(cell, list) else cell for name, cell in sample.items()}
            writer.writerow(cells)
    return path


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def parquet(path: Path) -> Path:
    pl.DataFrame(SAMPLES).write_parquet(path)
    return path


SHAPES: dict[str, Callable[[Path], Any]] = {
    "list": lambda folder: SAMPLES,
    "data set of ragas": lambda folder: SimpleNamespace(samples=[], to_list=lambda: SAMPLES),
    "pandas": lambda folder: pd.DataFrame(SAMPLES),
    "polars": lambda folder: pl.DataFrame(SAMPLES),
    "columns": lambda folder: {name: [sample[name] for sample in SAMPLES] for name in list(SAMPLES[0])[:3]},
    "JSON Lines": lambda folder: written(folder / "data.jsonl", "\n".join(map(json.dumps, SAMPLES))),
    "JSON": lambda folder: written(folder / "data.json", json.dumps(SAMPLES, indent=1)),
    "CSV of ragas": lambda folder: write_csv(folder / "data.csv", str),
    "CSV with JSON": lambda folder: write_csv(folder / "data.csv", json.dumps),
    "Parquet": lambda folder: parquet(folder / "data.parquet"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_of_data_sets(shape: str, tmp_path: Path) -> None:
    data = SHAPES[shape](tmp_path)
    loaded = ragas.load(data, TEXTS)
    assert sorted(passages(loaded.assessments)) == sorted(GOLD)
    assert loaded.queries == {"q0": "When does leave lapse?", "q1": "Who grants it?"}
    assert loaded.documents == TEXTS
    run = ragas.run(data, TEXTS, run_id="mine")
    assert parts(run) == FOUND
    assert list(run.notes) == [
        "1 of 3 chunks occurs in several places (first: query q0, rank 2, document handbook); counted as irrelevant "
        "text"
    ]
    assert pw.evaluate(loaded.assessments, run, "TextR").mean() == {"mine": {"TextR": (19 / 42 + 1) / 2}}


def test_older_names() -> None:
    """In version 0.1 ``contexts`` were what was retrieved, and in its test sets what questions were made from."""
    old = [{"question": "Who?", "contexts": ["Your manager."], "answer": "x", "ground_truths": ["The manager."]}]
    assert parts(ragas.run(old, TEXTS)) == [("q0", "faq", 18, 31)]
    assert error_of(lambda: ragas.load(old, TEXTS)) == (
        "samples: has no column reference_contexts; its columns are question, contexts, answer, ground_truths; name "
        "another one with column="
    )
    assert passages(ragas.load(old, TEXTS, column="contexts").assessments) == [("q0", "faq", 18, 31)]


def test_ids_and_hooks() -> None:
    samples = [
        {
            "query_id": 7,
            "user_input": "Twice?",
            "retrieved_contexts": ["[1] Ask twice."],
            "retrieved_context_ids": ["c40"],
            "reference_contexts": ["Ask twice."],
            "reference_context_ids": ["handbook"],
            "file": "handbook",
        }
    ]
    run = ragas.run(
        samples,
        TEXTS,
        text=lambda record: record.text.partition(" ")[2],
        start=lambda record: int(record.id[1:]),
        source="file",
    )
    assert parts(run) == [("7", "handbook", 40, 50)]
    gold = ragas.load(samples, TEXTS, start=lambda record: 29).assessments
    assert passages(gold) == [("7", "handbook", 29, 39)]
    del samples[0]["file"]
    by_id = ragas.load(samples, TEXTS, ambiguous="first")
    assert passages(by_id.assessments) == [("7", "handbook", 29, 39)]
    assert list(by_id.assessments.notes) == [
        "1 of 1 passages occurs in several places (first: row 1); located at the first"
    ]


def test_samples_without_contexts() -> None:
    """Nothing retrieved is a result; no references are no judgement."""
    samples = [
        *SAMPLES,
        {"user_input": "Why?", "retrieved_contexts": [], "reference_contexts": []},
        {"user_input": "How?", "retrieved_contexts": None, "reference_contexts": None},
    ]
    assert list(ragas.load(samples, TEXTS).assessments.notes) == [
        "2 of 4 samples have no reference_contexts (first: row 3); left out"
    ]
    assert ragas.run(samples, TEXTS).notes[-1] == "1 of 4 samples has no retrieved_contexts (first: row 4); left out"
    assert len(ragas.run([{"user_input": "Why?", "retrieved_contexts": []}], TEXTS)) == 0


def test_a_run_of_ragas_in_a_file(tmp_path: Path) -> None:
    """From Python to files, and from these to scores on the command line."""
    from partwise.cli import main

    pw.write_run(ragas.run(SAMPLES, TEXTS), tmp_path / "run.jsonl")
    pw.write_assessments(ragas.load(SAMPLES, TEXTS).assessments, tmp_path / "gold.jsonl")
    scores = tmp_path / "scores.jsonl"
    assert main(["evaluate", f"{tmp_path}/gold.jsonl", f"{tmp_path}/run.jsonl", "-m", "TextR", "-o", str(scores)]) == 0
    [row] = [json.loads(line) for line in scores.read_text().splitlines()]
    assert row["value"] == (19 / 42 + 1) / 2


TURNS = [{"user_input": [{"content": "Who?", "type": "human"}], "reference": "x", "reference_contexts": ["x"]}]
FORM = 'give {"user_input": ..., "retrieved_contexts": [...], "reference_contexts": [...]}'


def sample(**more: Any) -> list[dict[str, Any]]:
    return [{"user_input": "Who?", "retrieved_contexts": ["Ask"], "reference_contexts": ["Unused"]} | more]


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda: ragas.load(3, TEXTS), f"samples: is of type int; {FORM}"),
        (lambda: ragas.load({"user_input": "Who?"}, TEXTS),
         f"samples: is a dict with the keys 'user_input'; {FORM}"),
        (lambda: ragas.load([3], TEXTS), f"samples, row 1: is of type int; {FORM}"),
        (lambda: ragas.load([], TEXTS), "samples: has no samples; give at least one sample"),
        (lambda: ragas.load(TURNS, TEXTS),
         "samples, row 1: the user_input is a conversation; give samples of single questions"),
        (lambda: ragas.load(sample(reference_contexts="Ask"), TEXTS),
         "samples, row 1: the reference_contexts are 'Ask'; give a list of texts"),
        (lambda: ragas.load(sample(reference_contexts={"a": 1}), TEXTS),
         "samples, row 1: the reference_contexts are \"{'a': 1}\"; give a list of texts"),
        (lambda: ragas.run(sample(retrieved_contexts=[3]), TEXTS),
         "query q0, result 1: is not a text; give lists of texts (the columns of the sample: 'user_input', "
         "'retrieved_contexts', 'reference_contexts')"),
        (lambda: ragas.run(sample(retrieved_context_ids=["a", "b"]), TEXTS),
         "samples, row 1: has 2 retrieved_context_ids, but 1 contexts; give an id for each context, or leave the ids "
         "out"),
        (lambda: ragas.load(sample(reference_contexts=["Ask twice."]), TEXTS),
         "samples, row 1: the text 'Ask twice.' occurs 2 times in document handbook, first at 29; give its start and "
         "end, or choose with --ambiguous how to treat such texts"),
        (lambda: ragas.load(sample(reference_contexts=["gone"]), TEXTS),
         "samples, row 1: the text 'gone' is not in the documents; give it as it is there, or its start and end, or "
         "choose with --missing how to treat such texts"),
        (lambda: ragas.load([*sample(query_id="a"), *sample(query_id="a")], TEXTS),
         "samples, row 2: the id 'a' is already used in an earlier line; ids must be unique"),
        (lambda: ragas.load(sample(user_input=None), TEXTS),
         "samples: has no column user_input; its columns are user_input, retrieved_contexts, reference_contexts"),
    ],
)  # fmt: skip
def test_errors(call: Callable[[], Any], line: str) -> None:
    assert error_of(call) == line


def test_errors_of_files(tmp_path: Path) -> None:
    path = written(tmp_path / "data.jsonl", json.dumps(SAMPLES[1]) + "\n" + json.dumps(TURNS[0]) + "\n")
    assert error_of(lambda: ragas.load(path, TEXTS)).startswith(f"{path}:2: the user_input is a conversation")
    written(path, "{}\n{")
    assert error_of(lambda: ragas.run(path, TEXTS)).startswith(f"{path}:2: is not JSON (")
