"""Every kernel has an oracle: a slow version that tests compare it with."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from oracles import kernels as oracle
from partwise import kernels
from partwise.kernels import _native, arrays, cells, readers

NUMBERS_AND_RECORDS = {"BadLine", "CellTable", "LARGEST_SUM", "Passages", "Problem", "TextColumns", "Trees"}
OTHERWISE = {
    "Tokens": "codes_in",
    "TokenColumn": "pairs_of",
    "JudgedIndex": "pairs_of",
    "QueryLog": "query_stretches",
    "Cells": "read_json",
    "read_text": "read_columns",
    "element_gains": "gains_in_document",
    "node_rows": "element_paths",
    "keep_memory": None,  # computes nothing
}
"""Kernels whose oracle has another name."""
PUBLIC = {name for name in dir(_native) if not name.startswith("_")} | {
    *arrays.__all__,
    *cells.__all__,
    *readers.__all__,
}
KERNELS = sorted(PUBLIC - NUMBERS_AND_RECORDS)


@pytest.mark.parametrize("name", KERNELS)
def test_every_kernel_has_an_oracle_that_tests_use(name: str) -> None:
    slow = OTHERWISE.get(name, name)
    used = set()
    for path in Path(__file__).parent.glob("test_*.py"):
        used |= {ast.unparse(node) for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)}
    assert f"kernels.{name}" in used or name == "TokenColumn"  # made by readers
    if slow is not None:
        assert callable(getattr(oracle, slow))
        assert f"oracle.{slow}" in used


def test_keeping_memory_changes_no_result() -> None:
    start = np.arange(100_000)
    owner = 0 * start
    before = kernels.merge_spans(owner, start, start + 1)
    kernels.keep_memory()
    np.testing.assert_array_equal(kernels.merge_spans(owner, start, start + 1), before)
