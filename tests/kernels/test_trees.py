"""Elements of trees: those at a span, and the gains of results; equal to loops over elements and characters."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import kernels as oracle
from oracles.kernels import Tree
from partwise import kernels
from support.arrays import FAR, MANY, Ints, assert_close, floats, ints, joined, offsets_of, reals, whole

LENGTH = 400


def random_tree(chance: random.Random, nodes: int) -> Tree:
    """Children follow each other in their parent; some have no text, some cover it all."""
    parent, start, end = [-1], [0], [LENGTH]
    free = [0]
    for node in range(1, nodes):
        above = node - 1
        while parent[above] >= 0 and (chance.random() < 0.4 or free[above] >= end[above]):
            above = parent[above]
        low = min(free[above] + chance.randrange(3), end[above])
        high = chance.randint(low, end[above])
        parent.append(above)
        start.append(low)
        end.append(high)
        free.append(low)
        free[above] = high
    return Tree(parent, start, end)


def after_last(tree: Tree) -> list[int]:
    """The number after an element's last descendant."""
    inside = [
        [other for other in range(len(tree.parent)) if node in tree.around(other)] for node in range(len(tree.parent))
    ]
    return [max(descendants) + 1 for descendants in inside]


class Document(NamedTuple):
    tree: Tree
    value: list[float]
    ideal: list[int]
    results: list[tuple[int, list[tuple[int, int]]]]


def random_document(chance: random.Random) -> Document:
    nodes = chance.randrange(1, 40)
    tree = random_tree(chance, nodes)
    value = [chance.choice([0.0, 0.25, 0.9, 1.0, 1 / 3]) for _ in range(nodes)]
    ideal = sorted(chance.sample(range(nodes), chance.randrange(0, nodes + 1)))
    results: list[tuple[int, list[tuple[int, int]]]] = []
    for _ in range(chance.randrange(25)):
        node = chance.randrange(-1, nodes)
        low = chance.randrange(LENGTH)
        text = [(low, low + chance.randrange(LENGTH // 10))] if chance.random() < 0.9 else []
        results.append((node, [(tree.start[node], tree.end[node])] if node >= 0 else text))
    return Document(tree, value, ideal, results)


def arguments(documents: Sequence[Document], scale: int = 1) -> tuple[Any, ...]:
    """The arguments of `element_gains` before alpha, with every offset scaled."""
    trees = [document.tree for document in documents]
    spans = [spans for document in documents for _, spans in document.results]
    return (
        kernels.Trees(
            offsets_of([document.value for document in documents]),
            joined(ints(tree.parent) for tree in trees),
            joined(ints(after_last(tree)) for tree in trees),
            joined(ints(tree.start) * scale for tree in trees),
            joined(ints(tree.end) * scale for tree in trees),
        ),
        np.arange(len(documents)),
        offsets_of([document.value for document in documents])[:-1],
        reals(value for document in documents for value in document.value),
        offsets_of([document.ideal for document in documents]),
        joined(ints(document.ideal) for document in documents),
        offsets_of([document.results for document in documents]),
        ints(node for document in documents for node, _ in document.results),
        offsets_of(spans),
        ints(low for of_result in spans for low, _ in of_result) * scale,
        ints(high for of_result in spans for _, high in of_result) * scale,
    )


@given(st.integers(0, 10**9), st.integers(0, 4), st.sampled_from([0.0, 0.3, 1.0]), st.booleans())
def test_gains(seed: int, count: int, alpha: float, shared: bool) -> None:
    """To 1e-12: sums of budgets may be taken in another order. The documents of a query follow each other."""
    chance = random.Random(seed)
    documents = [random_document(chance) for _ in range(count)]
    gains, given_ = kernels.element_gains(*arguments(documents), alpha, shared)
    expected = [oracle.gains_in_document(*document, alpha, shared) for document in documents]
    assert_close(gains, [gain for of_document, _ in expected for gain in of_document])
    assert_close(given_, [share for _, of_document in expected for share in of_document])


@given(st.integers(0, 10**9), st.booleans())
def test_gains_in_huge_documents(seed: int, shared: bool) -> None:
    """To 1e-12: shares of text do not change when all offsets are scaled."""
    documents = [random_document(random.Random(seed))]
    found = kernels.element_gains(*arguments(documents, 2**40), 0.5, shared)
    [expected] = [oracle.gains_in_document(*document, 0.5, shared) for document in documents]
    for column, numbers in zip(found, expected, strict=True):
        assert_close(column, numbers)


def test_gains_do_not_depend_on_other_documents() -> None:
    """To the last bit."""
    documents = [random_document(random.Random(seed)) for seed in range(30)]
    gains, given_ = (floats(column) for column in kernels.element_gains(*arguments(documents), 0.3, True))
    alone = [kernels.element_gains(*arguments([document]), 0.3, True) for document in documents]
    assert gains == [gain for of_document, _ in alone for gain in floats(of_document)]
    assert given_ == [share for _, of_document in alone for share in floats(of_document)]
    assert any(gains)


def test_a_million_results_gain_in_one_document() -> None:
    """Results that are not elements gain nothing, however many there are."""
    tree = random_tree(random.Random(7), 50)
    document = Document(tree, [0.5] * 50, [0], [(-1, [(i, i + 1)]) for i in range(MANY // 10)])
    gains, given_ = kernels.element_gains(*arguments([document]), 1.0, True)
    assert len(gains) == MANY // 10
    assert not gains.any()
    assert floats(given_) == [0.0]


# ---- elements at a span -------------------------------------------------------------------------------------


def check_nodes(offsets: Ints, columns: list[Ints], document: list[int], wanted: list[tuple[int, int]]) -> list[int]:
    spans = ints(low for low, _ in wanted), ints(high for _, high in wanted)
    found = whole(kernels.nodes_at(offsets, *columns, ints(document), *spans))
    assert found == oracle.nodes_at(offsets, *columns, ints(document), *spans)
    return found


@given(st.integers(0, 10**9), st.integers(0, 4), st.booleans())
def test_nodes_at(seed: int, documents: int, in_order: bool) -> None:
    chance = random.Random(seed)
    trees = [random_tree(chance, chance.randrange(1, 30)) for _ in range(documents)]
    elements = []
    for tree in trees:
        of_tree = [(*span, len(tree.around(i)) % 3) for i, span in enumerate(zip(tree.start, tree.end, strict=True))]
        elements.append(of_tree if in_order else chance.sample(of_tree, len(of_tree)))
    columns = [ints(element[i] for of_tree in elements for element in of_tree) for i in range(3)]
    document = sorted(chance.randrange(documents) for _ in range(20)) if documents else []
    wanted = []
    for number in document:
        low, high, _ = chance.choice(elements[number])
        wanted.append((low, high + (chance.randrange(-1, 2) if chance.random() < 0.3 else 0)))
    found = check_nodes(offsets_of(elements), columns, document, wanted)
    assert not documents or any(node >= 0 for node in found)


SPAN = st.tuples(st.integers(0, 3), st.integers(0, 3)) | st.sampled_from([(0, FAR), (FAR - 1, FAR), (2**62, 2**62 + 1)])


@given(st.lists(st.lists(st.tuples(SPAN, st.integers(0, 3)), max_size=8), min_size=1, max_size=3), st.data())
def test_nodes_at_any_span(elements: list[list[tuple[tuple[int, int], int]]], data: st.DataObject) -> None:
    """Documents without elements, elements without text, the largest offsets."""
    flat = [(*span, depth) for of_document in elements for span, depth in of_document]
    columns = [ints(element[i] for element in flat) for i in range(3)]
    asked = sorted(data.draw(st.lists(st.tuples(st.integers(0, len(elements) - 1), SPAN), max_size=8)))
    check_nodes(offsets_of(elements), columns, [number for number, _ in asked], [span for _, span in asked])


def test_the_deepest_of_a_million_nested_elements() -> None:
    count = MANY // 10
    columns = np.zeros(count, np.int64), np.full(count, 7), np.arange(count)
    document = ints([0, 0])
    assert whole(kernels.nodes_at(ints([0, count]), *columns, document, ints([0, 0]), ints([7, 8]))) == [count - 1, -1]


# ---- shapes, ideal elements, paths --------------------------------------------------------------------------


@given(st.integers(0, 10**9), st.integers(0, 4))
def test_tree_shapes(seed: int, count: int) -> None:
    chance = random.Random(seed)
    parents = [random_tree(chance, chance.randrange(1, 30)).parent for _ in range(count)]
    found = kernels.tree_shapes(offsets_of(parents), joined(map(ints, parents)))
    assert tuple(whole(column) for column in found) == oracle.tree_shapes(parents)


@pytest.mark.parametrize("parent", [[-1, 1], [-1, 0, 5], [-2], [0]])
def test_a_parent_that_does_not_come_first(parent: list[int]) -> None:
    with pytest.raises(ValueError, match="a parent does not come before its child"):
        kernels.tree_shapes(ints([0, len(parent)]), ints(parent))


@given(st.integers(0, 10**9), st.integers(1, 4), st.integers(0, 6))
def test_ideal_elements(seed: int, count: int, documents: int) -> None:
    """Several documents may be the same tree with other grades."""
    chance = random.Random(seed)
    trees = [random_tree(chance, chance.randrange(1, 30)) for _ in range(count)]
    tree = [chance.randrange(count) for _ in range(documents)]
    sizes = [len(trees[number].parent) for number in tree]
    values = [[chance.choice([0.0, 0.5, 0.5 + 5e-10, 0.75, 1.0]) for _ in range(size)] for size in sizes]
    relevant = [[chance.random() < 0.4 for _ in range(size)] for size in sizes]
    offsets, ideal = kernels.ideal_elements(
        offsets_of([tree.parent for tree in trees]),
        joined(ints(after_last(tree)) for tree in trees),
        ints(tree),
        offsets_of(values),
        reals(value for of_document in values for value in of_document),
        np.array([flag for of_document in relevant for flag in of_document], np.bool_),
    )
    expected = [
        oracle.ideal_elements(after_last(trees[number]), value, flags)
        for number, value, flags in zip(tree, values, relevant, strict=True)
    ]
    assert [whole(ideal[low:high]) for low, high in pairwise(offsets.tolist())] == expected


@given(st.integers(0, 10**9), st.integers(0, 4), st.integers(1, 40))
def test_element_paths(seed: int, count: int, most: int) -> None:
    """The trees of several documents, one after the other; a label is a path without positions."""
    chance = random.Random(seed)
    names = ["a", "bb", "é", "a:b-c"]
    trees = [random_tree(chance, chance.randrange(1, most + 1)) for _ in range(count)]
    tags = [[chance.choice(names) for _ in tree.parent] for tree in trees]
    first = [0, *np.cumsum([len(tree.parent) for tree in trees]).tolist()]
    rows = [above if above < 0 else above + at for tree, at in zip(trees, first, strict=False) for above in tree.parent]
    code, data, offsets, label, label_data, label_offsets = kernels.element_paths(
        ints(rows), ints(names.index(tag) for of_tree in tags for tag in of_tree), *packed(names)
    )
    paths, labels = unpacked(data, offsets), unpacked(label_data, label_offsets)
    expected = [
        path for tree, of_tree in zip(trees, tags, strict=True) for path in oracle.element_paths(of_tree, tree.parent)
    ]
    assert [paths[one] for one in code.tolist()] == expected
    assert paths == list(dict.fromkeys(expected))
    assert [labels[one] for one in label.tolist()] == [re.sub(r"\[\d+\]", "", path) for path in paths]
    assert len(set(labels)) == len(labels)


def test_many_siblings_have_paths() -> None:
    count = 5000  # the tables grow
    code, data, offsets, label, *labels = kernels.element_paths(
        ints([-1, *[0] * count]), ints([0, *[1] * count]), *packed(["a", "b"])
    )
    assert code.tolist() == list(range(count + 1))
    assert unpacked(data, offsets)[-1] == f"/a[1]/b[{count}]"
    assert label.tolist() == [0, *[1] * count]
    assert unpacked(*labels) == ["/a", "/a/b"]


@pytest.mark.parametrize(("parent", "tag"), [([-1, 1], [0, 0]), ([-2], [0]), ([-1], [1]), ([-1], [-1]), ([0], [0])])
def test_element_paths_of_what_is_no_tree(parent: list[int], tag: list[int]) -> None:
    with pytest.raises(ValueError, match="not those of trees"):
        kernels.element_paths(ints(parent), ints(tag), *packed(["a"]))
    with pytest.raises(ValueError, match="a parent and a tag"):
        kernels.element_paths(ints(parent), ints([]), *packed(["a"]))


@given(st.integers(0, 10**9), st.lists(st.integers(0, 3), max_size=3), st.integers(1, 20))
def test_node_rows(seed: int, counts: list[int], most: int) -> None:
    """Batches of trees, each with names of its own, become rows; the text of a tree is in the row of its root."""
    chance = random.Random(seed)
    names = ["a", "bb", "é", "a:b-c"]
    batches, expected, texts = [], [], []
    for count in counts:
        trees = [random_tree(chance, chance.randrange(1, most + 1)) for _ in range(count)]
        codes = chance.sample(range(len(names)), len(names))
        tags = [[chance.randrange(len(codes)) for _ in tree.parent] for tree in trees]
        sizes = [chance.randrange(20) for _ in trees]
        for tree, of_tree, size in zip(trees, tags, sizes, strict=True):
            number = len(texts)
            spelled = [names[codes[tag]] for tag in of_tree]
            depth: list[int] = []
            for above in tree.parent:
                depth.append(0 if above < 0 else depth[above] + 1)
            paths = oracle.element_paths(spelled, tree.parent)
            columns = tree.parent, depth, spelled, paths, tree.start, tree.end
            expected += [(number, node, *row) for node, row in enumerate(zip(*columns, strict=True))]
            texts.append(size)
        batches.append(
            (
                offsets_of([tree.parent for tree in trees]),
                ints(tag for of_tree in tags for tag in of_tree),
                ints(codes),
                ints(above for tree in trees for above in tree.parent),
                ints(at for tree in trees for at in tree.start),
                ints(at for tree in trees for at in tree.end),
                ints(accumulate(sizes, initial=0)),
            )
        )
    numbers, paths_of_rows, (*labels, of_label), (bounds, has_text) = kernels.node_rows(batches, *packed(names))
    assert {column.dtype for column in numbers} == {np.dtype(np.int32)}
    rows = [list(column) for column in zip(*(column.tolist() for column in numbers), strict=True)]
    distinct = unpacked(*paths_of_rows)
    for row in rows:
        row[4], row[5] = names[row[4]], distinct[row[5]]
    assert [tuple(row) for row in rows] == expected
    assert distinct == list(dict.fromkeys(row[5] for row in expected))
    by_label = Counter(re.sub(r"\[\d+\]", "", row[5]) for row in expected)
    assert dict(zip(unpacked(*labels), of_label.tolist(), strict=True)) == by_label
    is_root = np.unpackbits(has_text, count=len(rows), bitorder="little").tolist()
    assert is_root == [int(row[1] == 0) for row in expected]
    assert np.diff(bounds).tolist() == [texts[row[0]] if row[1] == 0 else 0 for row in expected]


def test_rows_of_what_is_no_tree() -> None:
    one, bounds = ints([0]), ints([0, 1])
    with pytest.raises(ValueError, match="not those of trees"):
        kernels.node_rows([(bounds, one, one, one, one, one, bounds)], *packed(["a"]))  # its own parent
    with pytest.raises(ValueError, match="not those of trees"):
        kernels.node_rows([(bounds, ints([1]), one, ints([-1]), one, one, bounds)], *packed(["a"]))  # an unknown tag
    with pytest.raises(ValueError, match="not those of trees"):
        kernels.node_rows([(bounds, one, ints([1]), ints([-1]), one, one, bounds)], *packed(["a"]))  # an unknown name
    with pytest.raises(ValueError, match="differ in length"):
        kernels.node_rows([(bounds, one, one, ints([-1]), one, one, one)], *packed(["a"]))
    with pytest.raises(ValueError, match="differ in length"):
        kernels.node_rows([(ints([]), *[ints([])] * 6)], *packed(["a"]))
    with pytest.raises(ValueError, match="seven columns"):
        kernels.node_rows([(one,)], *packed(["a"]))  # type: ignore[list-item]


def packed(texts: list[str]) -> tuple[Any, Any]:
    encoded = [text.encode() for text in texts]
    return np.frombuffer(b"".join(encoded), np.uint8), offsets_of(encoded)


def unpacked(data: Any, offsets: Any) -> list[str]:
    return [data[low:high].tobytes().decode() for low, high in pairwise(offsets.tolist())]


STEP = st.sampled_from(
    ["/a", "/b", "/é", "/a[1]", "/b[2]", "/a[02]", "/a[0]", "/b[1234567890]", "/c", "/a[", "/", "a", "/b]"]
)
TAIL = st.sampled_from(
    ["", "", "/text()", "/text()[2]", "/text()[1].0", "/text().3", "/text()[0]", "/text()[1].", "/text()x"]
)


@given(st.integers(0, 10**9), st.integers(1, 3), st.lists(st.tuples(st.lists(STEP, max_size=4), TAIL), max_size=8))
def test_locate_paths(seed: int, count: int, written: list[tuple[list[str], str]]) -> None:
    chance = random.Random(seed)
    trees = [random_tree(chance, chance.randrange(1, 12)) for _ in range(count)]
    names = ["a", "b", "é"]
    tags = [[chance.choice(names) for _ in tree.parent] for tree in trees]
    paths = ["".join(steps) + tail for steps, tail in written]
    for tree, of_tree in zip(trees, tags, strict=True):  # some that exist
        node, path = chance.randrange(len(of_tree)), ""
        while node >= 0:
            same = [i for i in range(node + 1) if tree.parent[i] == tree.parent[node] and of_tree[i] == of_tree[node]]
            path, node = f"/{of_tree[node]}[{len(same)}]{path}", tree.parent[node]
        paths += [path, f"{path}/text()[{chance.randrange(3)}].{chance.randrange(40)}"]
    asked = [(number, path) for number in range(count) for path in range(len(paths))]
    node, start, end = kernels.locate_paths(
        kernels.Trees(
            offsets_of(tags),
            joined(ints(tree.parent) for tree in trees),
            joined(ints(after_last(tree)) for tree in trees),
            joined(ints(tree.start) for tree in trees),
            joined(ints(tree.end) for tree in trees),
        ),
        ints(names.index(tag) for of_tree in tags for tag in of_tree),
        packed(names),
        packed(paths),
        ints(number for number, _ in asked),
        ints(path for _, path in asked),
    )
    expected = [oracle.locate_paths(tags[number], trees[number], paths[path]) for number, path in asked]
    assert list(zip(whole(node), whole(start), whole(end), strict=True)) == expected
    assert any(place[0] >= 0 for place in expected)
