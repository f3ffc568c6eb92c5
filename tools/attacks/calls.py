"""Calls of the Python interface with objects that nobody expects."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from attacks import seeds, values
from attacks.arguments import long_text, measure
from attacks.case import Case
from attacks.parquet import TYPES, column

MEASURES = ("iAP", "P@5", "TextP@3", "nDCG", "Redundancy@3")


class Infinite:
    """An iterable without an end, cut off before memory is."""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for _ in range(10_000):
            yield {}


class Unprintable:
    """An object with a representation of control characters."""

    def __repr__(self) -> str:
        return "\x1b[31m\n"


def table(columns: dict[str, Any], types: dict[str, str]) -> Any:
    """A table of Arrow, some of whose columns have unusual types."""
    import pyarrow as pa

    arrays = {name: column(cells, types[name]) if name in types else pa.array(cells) for name, cells in columns.items()}
    return pa.table(arrays)


def frame(columns: dict[str, Any]) -> Any:
    import pandas as pd

    return pd.DataFrame(columns)


def polars(columns: dict[str, Any]) -> Any:
    import polars as pl

    return pl.DataFrame(columns, strict=False)


def namespace() -> dict[str, Any]:
    """The names in which calls are written."""
    import pandas as pd

    import partwise as pw

    return {
        "pw": pw, "np": np, "pd": pd, "nan": float("nan"), "inf": float("inf"), "Decimal": Decimal,
        "Fraction": Fraction, "date": date, "Path": Path, "Infinite": Infinite, "Unprintable": Unprintable,
        "table": table, "frame": frame, "polars": polars,
    }  # fmt: skip


def rows(rng: Random, names: list[str], cells: list[list[Any]]) -> list[list[str]]:
    """The cells as expressions, some of them replaced by hostile ones."""
    texts = [[repr(cell) for cell in row] for row in cells]
    for _ in range(rng.choice((0, 1, 1, 1, 2, 4))):
        row = rng.choice(texts)
        row[rng.randrange(len(row))] = rng.choice(values.OBJECTS)
    return texts


def literal(rng: Random, names: list[str], cells: list[list[Any]]) -> str:
    """A run or assessments as dicts, mappings, or a frame."""
    kind = rng.random()
    if kind < 0.25:
        columns = {name: [row[at] for row in cells] for at, name in enumerate(names)}
        types = {rng.choice(names): rng.choice(TYPES) for _ in range(rng.choice((0, 1, 1, 2)))}
        return f"table({columns!r}, {types!r})"
    texts = rows(rng, names, cells)
    if kind < 0.6:
        keys = [repr(name) for name in names]
        if rng.random() < 0.1:
            keys[rng.randrange(len(keys))] = rng.choice(("None", "1", "'\\ud800'", "b'x'", "('a',)"))
        dicts = ["{" + ", ".join(f"{key}: {cell}" for key, cell in zip(keys, row, strict=True)) + "}" for row in texts]
        if rng.random() < 0.05:
            dicts.append(rng.choice(("None", "[]", "{}", "'x'", "3")))
        return "[" + ", ".join(dicts) + "]"
    if kind < 0.75:
        make = rng.choice(("frame", "frame", "polars"))
        columns_text = ", ".join(f"{name!r}: [{', '.join(row[at] for row in texts)}]" for at, name in enumerate(names))
        return f"{make}({{{columns_text}}})"
    if kind < 0.95:
        spans = ", ".join(f"({row[1]}, {row[-2]}, {row[-1]})" for row in texts)
        whole = ", ".join(f"{row[1]}: {row[2]}" for row in texts)
        query = "'q1'" if rng.random() < 0.9 else rng.choice(values.OBJECTS)
        return f"{{{query}: {rng.choice((f'[{spans}]', f'{{{whole}}}'))}}}"
    return rng.choice(values.OBJECTS)


def a_measure(rng: Random) -> str:
    if rng.random() < 0.02:
        return repr(long_text(rng, 300_000))
    if rng.random() < 0.1:
        return rng.choice(values.OBJECTS)
    return repr(rng.choice(MEASURES) if rng.random() < 0.7 else measure(rng))


FEW = ("5", "5", "0", "-1", "1.5", "'x'", "None", "True", "[]")
"""Numbers of trials: larger ones take as long as they say."""
OPTIONS = {
    "unit": ("'bytes'", "'chars'"), "task": ("'focused'", "'rag'"), "order": ("'rank'", "'score'"),
    "average_over": ("'run'",), "assessor": ("'ann'",), "lengths": ("{'a': 5, 'b': 40}",), "jobs": ("1", "2"),
    "collection": ("{'a': 'text of a', 'b': 'more text', 's/c': 'and more text'}",), "lenient": ("True",),
    "navigation": ("{'users': {'steps': []}}",), "run_id": ("'tag'",),
}  # fmt: skip


def options(rng: Random) -> str:
    given = ""
    for name in rng.sample(list(OPTIONS), rng.choice((0, 0, 1, 1, 2))):
        value = rng.choice(values.OBJECTS) if rng.random() < 0.5 else rng.choice(OPTIONS[name])
        given += f", {name}={value}"
    return given


def case(rng: Random) -> Case:
    """A call with some hostile objects among its arguments."""

    def any_object(usual: str = "") -> str:
        return usual if usual and rng.random() < 0.6 else rng.choice(values.OBJECTS)

    run = literal(rng, *seeds.run_rows(rng, rng.choice(seeds.NAMED_RUNS)))
    qrels = literal(rng, *seeds.qrels_rows(rng, rng.choice(seeds.QRELS_KINDS)))
    documents = any_object(f"{{'a': {any_object(repr('alpha beta'))}, 'b': 'wax', 's/c': 'one two'}}")
    chunk = f"{{'query_id': 'q', 'doc_id': {any_object()}, 'text': 'alpha', 'rank': {any_object()}}}"
    both = f"pw.evaluate({qrels}, {{'a': {run}, 'b': {run}}}, 'P@5')"
    route = f"{{'route': [{any_object()}, '/a[1]'], 'doc_id': {any_object()}}}"
    calls = {
        f"pw.evaluate({qrels}, {run}, {a_measure(rng)}{options(rng)}).mean()": 40,
        f"pw.evaluate({qrels}, {{'x': {run}, {any_object()}: {run}}}, 'P@5').mean()": 4,
        f"list(pw.check({qrels}, {run}))": 20,
        f"pw.locate_rows([{chunk}], {documents}).cells()": 8,
        f"pw.locate(['alpha', {any_object()}], {documents})": 4,
        f"pw.learn_navigation([{route}]).rows()": 5,
        f"pw.explain({qrels}, {run}, query_id={any_object(repr('q1'))})": 6,
        f"pw.convert({run}, 'out.jsonl')": 1,
        f"pw.compare({both}, trials={rng.choice(FEW)}).rows()": 3,
        f"pw.tree({documents}, {any_object(repr('a'))})": 5,
        f"pw.measure_page({a_measure(rng)})": 2,
    }
    return Case(call=rng.choices(list(calls), list(calls.values()))[0])
