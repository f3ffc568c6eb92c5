"""Which kernels are in use: the native ones, unless the NumPy reference is asked for."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import kernels as oracle
from oracles.links import Links, seen_links
from partwise import kernels
from partwise.kernels import reference
from support.arrays import assert_close, ints


def test_native_kernels_are_in_use() -> None:
    """A fallback must never hide a broken build."""
    assert os.environ.get("PARTWISE_KERNELS", "native") == kernels.IN_USE


def ran(command: list[str], choice: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PARTWISE_KERNELS": choice}
    return subprocess.run(command, env=environment, check=False, capture_output=True, text=True)


@pytest.mark.parametrize("choice", ["native", "reference"])
def test_kernels_can_be_chosen(choice: str) -> None:
    command = [sys.executable, "-m", "partwise", "--version"]
    shown = ran(command, choice)
    assert shown.stdout.endswith(f"({choice} kernels)\n")


def test_a_wrong_choice_is_an_error() -> None:
    command = [sys.executable, "-m", "partwise", "evaluate", "q", "r"]
    shown = ran(command, "fast")
    assert shown.returncode == 2
    assert shown.stderr == "PARTWISE_KERNELS is 'fast', it must be one of native, reference\n"


@given(seen_links(), st.sampled_from([64, 8, 1]), st.integers(-1, 8))
def test_the_reference_counts_in_blocks_of_any_size(links: Links, cells: int, need: int) -> None:
    wanted = ints([need] * len(links[-1]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference, "CELLS", cells)
        found = reference.chances_below(*links, wanted)
    for column, expected in zip(found, oracle.chances_below(*links, wanted), strict=True):
        assert_close(column, expected)
