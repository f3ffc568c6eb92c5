"""The kernels in C++ (``src/native``). A name without a leading underscore is exported by `partwise.kernels`."""

from collections.abc import Sequence
from typing import Any

from partwise.kernels.arrays import Bools, Floats, Ints, Trees, Words

# ---- readers ------------------------------------------------------------------------------------------------

_Columns = tuple[list[Any], Ints, list[tuple[int, int, bytes]], int]

def _read_columns(data: bytes, kinds: str, /) -> _Columns: ...
def _read_text(data: Any, kinds: str, lines: int, /) -> _Columns | None: ...
def _read_passages(data: bytes, /) -> tuple[Any, ...]: ...
def content(data: bytes, /) -> tuple[bool, bool, bool]:
    """Whether a text is ASCII, whether it is UTF-8, and whether it has a NUL byte."""

def line_shapes(data: bytes, /) -> tuple[Ints, Ints, Ints]:
    """Of each line that is neither empty nor a comment: its number, its columns, and whether the last of them (1) and
    the one before (2) start with ``/``.
    """

def last_query(data: Any, /) -> int:
    """The start of the last run of complete lines with the same first column; 0 if all lines have the same.

    An incomplete last line belongs to this run.
    """

class QueryLog:
    """Numbers the queries (first columns) of texts in the order in which they first occur."""

    def add(self, data: Any, /) -> tuple[Ints, Ints, int, int]:
        """The start and the query of each run of lines with one query, the number of queries known before, and the
        number of lines."""

class _NameIndex:
    def __init__(self, data: bytes, start: Ints, end: Ints, /) -> None: ...
    def find(self, data: bytes, start: Ints, end: Ints, /) -> Ints: ...

class _JudgedIndex:
    def __init__(self, data: bytes, start: Ints, end: Ints, pair_offsets: Ints, pair_doc: Ints, /) -> None: ...
    def find(self, data: bytes, key: Words, start: Ints, rows: Ints, query: Ints, /) -> Ints: ...

def _strings(data: bytes, start: Ints, end: Ints, /) -> list[str]: ...
def _strings_of_rows(data: bytes, key: Words, start: Ints, rows: Ints, /) -> list[str]: ...
def _coded_tokens(data: bytes, key: Words, start: Ints, /) -> tuple[Ints, Ints, Ints]: ...
def _documents_of(data: bytes, key: Words, start: Ints, rows: Ints, offsets: Ints, /) -> tuple[Ints, Ints]: ...
def _repeated_tokens(
    data: bytes,
    key: Words,
    token_start: Ints,
    rows: Ints,
    offsets: Ints,
    span_offsets: Ints,
    start: Ints,
    end: Ints,
    /,
) -> Bools: ...
def keep_memory() -> None:
    """Keep freed memory for the next batch where the allocator allows it; for worker processes of partwise only."""

# ---- rows of a run ------------------------------------------------------------------------------------------

def ordered_ties(query: Ints, rank: Ints, /) -> Ints | None:
    """The tie group of each row if rows are sorted by query, then rank, and all have a rank; else None."""

def falls_and_rises(column: Ints | Floats, rows: Ints, tie: Ints, offsets: Ints, /) -> tuple[int, int]:
    """The numbers of neighbours whose values fall and rise, from ``column[rows[i - 1]]`` to ``column[rows[i]]``.

    Neighbours are two rows i - 1 and i of the same query, ``offsets[t]:offsets[t+1]``, with another `tie`.
    """

def pairs_of(query: Ints, doc: Ints, pair_offsets: Ints, pair_doc: Ints, docs: int, /) -> Ints:
    """The judged pair of each query and document, -1 where the document is not judged for the query.

    The documents judged for query t are ``pair_doc[pair_offsets[t]:pair_offsets[t+1]]``, sorted; documents from `docs`
    on are not judged.
    """

# ---- sets of characters -------------------------------------------------------------------------------------

def merge_spans(owner: Ints, start: Ints, end: Ints, touching: bool = False) -> tuple[Ints, Ints, Ints]:
    """The union of each owner's spans: sorted by owner and start, empty ones dropped, overlapping ones merged.

    Spans that only touch stay two, or are merged with `touching`.
    """

def novel_lengths(owner: Ints, group: Ints, start: Ints, end: Ints, owners: int, /) -> Ints:
    """The number of positions that each owner covers and no lower-numbered owner of the same group does."""

def highlighted_before(pair: Ints, position: Ints, offsets: Ints, start: Ints, end: Ints, before: Ints, /) -> Ints:
    """Map positions to the axis of all highlighted passages laid end to end.

    Pair p has the passages ``offsets[p]:offsets[p+1]``, sorted and disjoint; `before` has the axis position of each
    passage's start, and the total length at the end.
    """

def highlighted_rows(
    pair: Ints,
    span_offsets: Ints,
    span_start: Ints,
    span_end: Ints,
    offsets: Ints,
    start: Ints,
    end: Ints,
    before: Ints,
    /,
) -> tuple[Ints, Ints]:
    """The number of highlighted characters in each row, and of those that no earlier row has.

    Row i owns the spans ``span_offsets[i]:span_offsets[i+1]``; its pair is -1 where nothing is judged. The passages are
    those of `highlighted_before`.
    """

def repeated_parts(within: Ints, group: Ints, offsets: Ints, start: Ints, end: Ints, /) -> Bools:
    """Whether each row has the group and the spans of an earlier row of its segment; rows need a span.

    Row i owns the spans ``offsets[i]:offsets[i+1]``; segment t has the rows ``within[t]:within[t+1]``.
    """

def passages_found(
    pair: Ints,
    position: Ints,
    length: Ints,
    offsets: Ints,
    start: Ints,
    end: Ints,
    tolerance: int,
    one: bool,
    /,
) -> Ints:
    """The results that find a passage, once for each passage they find.

    A reader starts at `position` in the document of `pair` and stops after `tolerance` irrelevant characters in a row
    or, with `one`, at the end of the first passage not found before.
    """

# ---- curves -------------------------------------------------------------------------------------------------

def precision_by_rank(offsets: Ints, found: Ints, fresh: Ints, size: Ints, alpha: float, /) -> Floats:
    """Gain divided by characters read, from the first row of the query down to each row.

    Per row: `found` highlighted characters, `fresh` ones among them, and `size` characters read. The gain is the
    highlighted characters found minus `alpha` times those seen before.
    """

def best_precision(
    offsets: Ints,
    found: Ints,
    fresh: Ints,
    size: Ints,
    alpha: float,
    ratio: tuple[int, int],
    relevant: Ints,
    levels: tuple[Sequence[int], Sequence[int]],
    /,
) -> Floats:
    """The best precision of every query at each recall level or beyond, 0 where the level is not reached.

    Levels are ascending fractions (numerators and denominators). They are compared exactly, in integers of any size:
    with alpha = p/q, the `ratio`, gains are counted in units of 1/q character.
    """

# ---- trees --------------------------------------------------------------------------------------------------

def nodes_at(
    offsets: Ints,
    start: Ints,
    end: Ints,
    depth: Ints,
    document: Ints,
    wanted_start: Ints,
    wanted_end: Ints,
    /,
) -> Ints:
    """The node that covers exactly each wanted span: the deepest, then the first of several, -1 if none.

    The nodes of document d are ``offsets[d]:offsets[d+1]``, numbered from 0.
    """

def element_gains(
    trees: Trees,
    tree: Ints,
    value_offsets: Ints,
    value: Floats,
    ideal_offsets: Ints,
    ideal: Ints,
    row_offsets: Ints,
    nodes: Ints,
    span_offsets: Ints,
    span_start: Ints,
    span_end: Ints,
    alpha: float,
    shared: bool,
    /,
) -> tuple[Floats, Floats]:
    """The gain of each result, document by document in rank order, and the gain taken from each ideal element.

    Document d is ``tree[d]`` of the trees; the values of its nodes begin at ``value_offsets[d]``.
    A result is an element (its number in `nodes`) or only text (-1), and shows ``span_offsets[i]:span_offsets[i+1]``.
    With `shared` it draws on the budgets of all ideal elements above, below or equal to it, else only on its own.
    """

def tree_shapes(offsets: Ints, parent: Ints, /) -> tuple[Ints, Ints]:
    """The depth of each node, and one past the number of its last descendant.

    The nodes of tree t are ``offsets[t]:offsets[t+1]``; `parent` counts from 0 in each tree, -1 for a root.
    """

def ideal_elements(
    tree_offsets: Ints, last: Ints, tree: Ints, offsets: Ints, value: Floats, relevant: Bools, /
) -> tuple[Ints, Ints]:
    """The ideal elements of each graded document, as offsets and numbers of nodes in document order.

    Document d is ``tree[d]``, with the values ``offsets[d]:offsets[d+1]``. A relevant path runs from the root to a
    relevant node that has no relevant descendant. On each path the relevant node of the highest value is kept, the
    deeper one if they differ by less than 1e-9, none if that value is 0; nodes inside another kept node are dropped.
    """

def locate_paths(
    trees: Trees, tags: Ints, names: tuple[Any, Ints], paths: tuple[Any, Ints], tree: Ints, path: Ints, /
) -> tuple[Ints, Ints, Ints]:
    """Where path ``path[i]`` leads in tree ``tree[i]``: the element, its start and its end.

    The element is -1 for a text node or a position in one (``/a[1]/text()[2].5``), and -2 if there is no such part.
    `names` (of tags) and `paths` are bytes with offsets.
    """

# ---- the stored index ---------------------------------------------------------------------------------------

def name_keys(data: Any, offsets: Ints, /) -> Words:
    """The key of each name ``data[offsets[i]:offsets[i+1]]``: its FNV-1a hash, mixed."""

def find_names(data: Any, offsets: Ints, keys: Words, of: Ints, wanted: Any, wanted_offsets: Ints, /) -> Ints:
    """The number of each wanted name among those in `data`; -1 if it is not there, -2 if only its key is.

    `keys` are sorted; ``keys[i]`` is that of the name ``of[i]``.
    """

def read_trees(
    blocks: Any,
    first: Ints,
    length: Ints,
    checksum: Ints,
    ids: Any,
    id_offsets: Ints,
    tags: int,
    documents: Ints,
    /,
) -> tuple[Ints, Ints, Ints, Ints, Ints, int]:
    """The trees of documents in a stored index: offsets, parents, starts, ends and tags; the first damaged one or -1.

    The nodes of document d are ``first[d]:first[d+1]``. A node has 16 bytes in the blocks; that of a document has its
    parents, then its starts, ends and tags. The checksum is that of the id, the length and the block. What is read is
    checked: the parents come first, spans are inside those of parents and the length, tags are below `tags`.
    """

# ---- navigation ---------------------------------------------------------------------------------------------

def equal_rows(first: Sequence[Ints], second: Sequence[Ints], /) -> tuple[Ints, Ints]:
    """All pairs (i, j) of rows of `first` and `second` that are equal in all columns."""

def shared_lengths(
    group_a: Ints,
    offsets_a: Ints,
    start_a: Ints,
    end_a: Ints,
    group_b: Ints,
    offsets_b: Ints,
    start_b: Ints,
    end_b: Ints,
    /,
) -> tuple[Ints, Ints, Ints]:
    """The pairs (i, j) of one group that share positions, and the number shared; the spans of each are disjoint."""

def shared_and_fresh(
    group_a: Ints,
    offsets_a: Ints,
    start_a: Ints,
    end_a: Ints,
    group_b: Ints,
    offsets_b: Ints,
    start_b: Ints,
    end_b: Ints,
    /,
) -> tuple[Ints, Ints, Ints, Ints]:
    """As `shared_lengths`, with the number of shared positions that no lower i shares with j."""

def best_cover(offsets: Ints, start: Ints, end: Ints, cost: Ints, limit: int, /) -> Ints:
    """The most positions that some of the intervals ``offsets[t]:offsets[t+1]`` cover together, for every t.

    The costs of these intervals, which are not negative, add up to at most `limit`.
    """

def closest_finds(row: Ints, passage: Ints, shared: Ints, whole: Ints, passages: int, /) -> Ints:
    """The row that finds each passage, -1 if none does; a row finds one passage at most.

    ``row[i]`` may find ``passage[i]``; rows ascend. Of the passages not found before, a row finds the one with the
    highest ``shared / whole``, the first if several have it.
    """

def fresh_stretches(
    within: Ints,
    pair: Ints,
    span_offsets: Ints,
    span_start: Ints,
    span_end: Ints,
    offsets: Ints,
    start: Ints,
    end: Ints,
    before: Ints,
    /,
) -> tuple[Ints, Ints, Ints, Ints]:
    """Stretches of relevant text that no earlier row of its query (``within[t]:within[t+1]``) shows, in reading order.

    Columns: the row, the number of its positions before the stretch, how many of these are relevant and were shown
    before, and the length. The other arguments are those of `highlighted_rows`.
    """

def running_products(values: Floats, segment: Ints, /) -> Floats:
    """Running products within each run of equal segments."""

def chances_below(
    query: Ints,
    unit: Ints,
    step: Ints,
    before: Floats,
    after: Floats,
    steps: Ints,
    need: Ints,
    /,
) -> tuple[Floats, Floats]:
    """For each step, the probability that fewer than `need` units are seen after it, and of that with none new at it.

    Links are sorted by query, unit and step, with the probability that the unit is seen before and after the step. The
    ``steps[query]`` steps of a query are numbered from 0. Units are independent. The result has the steps of all
    queries, one query after the other.
    """

def mean_effort(
    query: Ints,
    unit: Ints,
    step: Ints,
    before: Floats,
    after: Floats,
    steps: Ints,
    rank: Ints,
    units: Ints,
    /,
) -> Floats:
    """The mean, over all needs from one unit to all, of the expected min(1, need / rank at which need is seen).

    Links are those of `chances_below`; `rank` is that of each step. With phi(f, k) the sum of min(1, need/k) over the
    needs up to f, a count of f between a step at rank k and the next at rank k' adds phi(f, k) - phi(f, k').
    """

def mean_over_orders(owner: Ints, chance: Floats, owners: int, /) -> Floats:
    """For each owner, the mean over all orders of it and its items of the product of the chances of items before it.

    The mean over subsets of j items of the product of their chances is computed with one item more at a time, as a
    weighted mean of two such means; the result is the mean of these over j.
    """
