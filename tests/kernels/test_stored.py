"""What is mapped of a stored index: ids are found, and trees are read, or refused if they are damaged."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import kernels as oracle
from partwise import kernels
from support.arrays import ints, offsets_of, whole

NAMES = st.lists(st.binary(max_size=12), max_size=12)


def packed(names: list[bytes]) -> tuple[Any, Any]:
    return np.frombuffer(b"".join(names), np.uint8), offsets_of(names)


@given(NAMES)
def test_name_keys(names: list[bytes]) -> None:
    assert kernels.name_keys(*packed(names)).tolist() == oracle.name_keys(names)


def test_a_name_outside_of_its_bytes() -> None:
    with pytest.raises(ValueError, match="a name is outside of the bytes"):
        kernels.name_keys(np.zeros(2, np.uint8), ints([0, 3]))


@given(NAMES, NAMES, st.data())
def test_find_names(names: list[bytes], others: list[bytes], data: st.DataObject) -> None:
    """Also names that occur twice, and keys of other names, as by chance or in a damaged file."""
    of = data.draw(st.permutations(range(len(names))))
    keys = np.array(oracle.name_keys([names[number] for number in of]), np.uint64)
    if names and data.draw(st.booleans()):
        of[data.draw(st.integers(0, len(of) - 1))] = data.draw(st.integers(0, len(of) - 1))
    order = np.argsort(keys, kind="stable")
    keys, numbers = keys[order], ints(of)[order]
    wanted = [*others, *names]
    found = whole(kernels.find_names(*packed(names), keys, numbers, *packed(wanted)))
    assert found == oracle.find_names(names, keys, numbers, wanted)


@pytest.mark.parametrize("number", [-1, 1, 2**62])
def test_a_key_of_no_name(number: int) -> None:
    keys = np.array(oracle.name_keys([b"a"]), np.uint64)
    assert whole(kernels.find_names(*packed([b"a"]), keys, ints([number]), *packed([b"a"]))) == [-2]


SMALL = st.integers(-1, 6)
TREE = st.lists(st.tuples(SMALL, SMALL, SMALL, SMALL), max_size=4)
GOOD_TREE = st.just([(-1, 0, 5, 0), (0, 1, 4, 1), (1, 1, 1, 2), (0, 4, 5, 1)])
DOCUMENT = st.tuples(st.binary(max_size=9), st.sampled_from([5, 5, 5, 4, -1, 2**40]), GOOD_TREE | TREE)


@given(st.lists(DOCUMENT, min_size=1, max_size=5), st.data())
def test_read_trees(documents: list[tuple[bytes, int, list[tuple[int, int, int, int]]]], data: st.DataObject) -> None:
    blocks = [np.array(rows, "<i4").reshape(-1, 4).T.tobytes() for _, _, rows in documents]
    sums = [
        zlib.crc32(doc_id + length.to_bytes(8, "little", signed=True) + block)
        for (doc_id, length, _), block in zip(documents, blocks, strict=True)
    ]
    for number in data.draw(st.lists(st.integers(0, len(sums) - 1), max_size=1)):
        sums[number] ^= 1
    asked = data.draw(st.lists(st.integers(0, len(documents) - 1), max_size=6))
    *columns, damaged = kernels.read_trees(
        np.frombuffer(b"".join(blocks), np.uint8),
        offsets_of([rows for _, _, rows in documents]),
        ints(length for _, length, _ in documents),
        ints(sums),
        *packed([doc_id for doc_id, _, _ in documents]),
        3,
        ints(asked),
    )
    nodes, counts, expected = oracle.read_trees(documents, sums, 3, asked)
    assert damaged == expected
    if damaged == -1:
        assert whole(columns[0]) == whole(offsets_of([range(count) for count in counts]))
        assert list(zip(*map(whole, columns[1:]), strict=True)) == nodes


@pytest.mark.parametrize("first", [[0, 2], [1, 1], [-1, 1], [2**62, 2**62 + 1], [1, 0]])
@pytest.mark.parametrize("document", [0, 1, -1])
def test_nodes_outside_of_the_file(first: list[int], document: int) -> None:
    columns = np.zeros(16, np.uint8), ints(first), ints([0]), ints([0]), *packed([b"a"])
    assert kernels.read_trees(*columns, 1, ints([document]))[-1] == 0


@given(st.lists(st.tuples(st.binary(max_size=9), st.integers(0, 2**40), GOOD_TREE | TREE), max_size=5))
def test_write_trees(documents: list[tuple[bytes, int, list[tuple[int, int, int, int]]]]) -> None:
    nodes = [node for _, _, rows in documents for node in rows]
    blocks, sums = kernels.write_trees(
        offsets_of([rows for _, _, rows in documents]),
        ints(length for _, length, _ in documents),
        *(ints(node[column] for node in nodes) for column in range(4)),
        *packed([doc_id for doc_id, _, _ in documents]),
    )
    assert (blocks.tobytes(), whole(sums)) == oracle.write_trees(documents)


@pytest.mark.parametrize("first", [[0, 2], [1, 1], [0], [0, 1, 0, 1]])
def test_trees_that_are_not_written(first: list[int]) -> None:
    one = ints([0])
    with pytest.raises(ValueError, match="columns of documents differ in length"):
        kernels.write_trees(ints(first), ints([0] * (len(first) - 1)), one, one, one, one, *packed([b"a"]))
