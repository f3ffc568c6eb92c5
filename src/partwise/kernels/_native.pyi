"""The kernels in C++ (``src/native``). A name without a leading underscore is exported by `partwise.kernels`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from partwise.kernels.arrays import Bools, Floats, Ints, Octets, Trees, Words

# ---- readers ------------------------------------------------------------------------------------------------

_Columns = tuple[list[Any], Ints, list[tuple[int, int, bytes]], int]

def _read_columns(data: bytes, kinds: str, /) -> _Columns: ...
def _read_text(data: Any, kinds: str, lines: int, /) -> _Columns | None: ...
def _read_passages(data: bytes, /) -> tuple[Any, ...]: ...
def content(data: Any, /) -> tuple[bool, bool, bool]:
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
    def find(self, data: bytes, key: Words, start: Ints, end: Ints, rows: Ints, query: Ints, /) -> Ints: ...

_CellTable = tuple[list[Any], Ints, list[Any], list[Any], int]

def _read_json_lines(data: Any, deepest: int, most_digits: int, skipped: Ints, /) -> _CellTable: ...
def _read_delimited(data: Any, separator: str, columns: int, longest: int, /) -> _CellTable: ...
def _last_json_query(data: Any, key: bytes, /) -> tuple[int, int]: ...
def _last_delimited_query(data: Any, separator: str, column: int, has_header: bool, /) -> tuple[int, int]: ...
def text_cells(edges: Any, largest: int, shift: int, /) -> Ints | None:
    """The cells of texts that follow one another, for `Cells.of_texts`: text i is ``edges[i]:edges[i+1]``.

    `shift` is added to all starts. None if the edges descend or are not between 0 and `largest`.
    """

def view_texts(views: Any, buffers: list[Any], /) -> tuple[bytes, Ints] | None:
    """The texts of Arrow's views one after another, and their cells, for `Cells.of_texts`.

    A view has 16 bytes: the size, then the text if it has at most 12 bytes, else its first four bytes, the number of
    the buffer that has the text, and its start there. None if a view is damaged.
    """

def _cell_naturals(data: Any, cells: Ints, largest: int, /) -> tuple[Ints, Ints]: ...
def _cell_reals(data: Any, cells: Ints, /) -> tuple[Floats, Ints]: ...
def _cell_texts(data: Any, cells: Ints, /) -> tuple[Ints, bytes, Ints, Ints, Ints]: ...
def _cell_tokens(data: Any, cells: Ints, /) -> tuple[bytes, Words, Ints] | None: ...
def _token_cells(cells: list[Any], /) -> tuple[bytes, Words, Ints] | None: ...
def _cell_lengths(data: Any, cells: Ints, expected: Ints | None) -> Ints: ...
def _cell_codes(data: Any, cells: Ints, /) -> tuple[Ints, Ints]: ...
def _strings(data: bytes, start: Ints, end: Ints, /) -> list[str]: ...
def _strings_of_rows(data: bytes, key: Words, start: Ints, end: Ints, rows: Ints, /) -> list[str]: ...
def _coded_tokens(data: bytes, key: Words, start: Ints, end: Ints, /) -> tuple[Ints, Ints, Ints]: ...
def _documents_of(
    data: bytes, key: Words, start: Ints, end: Ints, rows: Ints, offsets: Ints, /
) -> tuple[Ints, Ints]: ...
def _repeated_tokens(
    data: bytes,
    key: Words,
    token_start: Ints,
    token_end: Ints,
    rows: Ints,
    offsets: Ints,
    span_offsets: Ints,
    start: Ints,
    end: Ints,
    /,
) -> Bools: ...
def read_markup(source: bytes, /) -> tuple[Ints, list[str], Ints, Ints, Ints, Ints, bytes, bool] | None:
    """The elements of XML in UTF-8, in preorder: tags as numbers, their local names, parents (-1 for the root), depths,
    starts and ends in characters of the text, the text, and whether the source is known to be well-formed; otherwise
    another parser must decide. None if the source declares entities, or has others than those of XML.
    """

def read_markups(sources: list[bytes], /) -> tuple[Ints, Ints, list[str], Ints, Ints, Ints, Ints, Any, Ints]:
    """The elements of several documents, up to the first that is not known to be well-formed: offsets of those of each
    document, their tags as numbers, local names, parents, starts and ends; the length of each document in characters;
    the bytes of all texts, and their offsets.
    """

# ---- Python objects -----------------------------------------------------------------------------------------

def are_rows(value: Any, names: frozenset[str], /) -> bool | None:
    """Whether all items of a list or tuple are dicts and some have one of these names as a key.

    None if that cannot be answered without running Python code, because an object is not of a built-in type.
    """

def lists_by_query(mapping: Mapping[Any, Any], names: frozenset[str], /) -> tuple[list[Any], bool]:
    """Whether each value of a mapping is None, a list that is not one of rows (see `are_rows`), or a dict of numbers.

    Values for which that cannot be answered without running Python code are returned, up to the first that is none.
    """

_Pairs = Callable[[Any, Any], list[tuple[Any, Any]]]

def cells_of_rows(rows: list[Any] | tuple[Any, ...], cells_of: _Pairs, /) -> tuple[dict[Any, list[Any]], int]:
    """The cells of each column of rows that are mappings, None where a row has none, and the number of rows.

    ``cells_of(None, row)`` returns the names and cells of a row that is not a dict with strings as keys.
    """

def cells_by_query(
    mapping: Mapping[Any, Any],
    number: str,
    keeps_empty: bool,
    rows_of: Callable[[Any, Any], list[Any]],
    cells_of: _Pairs,
    kinds: dict[str, str],
    /,
) -> tuple[dict[Any, list[Any] | tuple[str, Any]], int]:
    """The cells of each column of the parts of all queries, and the number of rows.

    The value of a query is ``{doc_id: number}`` or a list of parts: dicts, ``(doc_id, start, end)``, or a doc_id. With
    `keeps_empty` an empty list is a row whose doc_id is empty. ``rows_of(query, value)`` returns the list of parts of
    any other value, ``cells_of(query, part)`` the names and cells of any other part.

    `kinds` has the kinds of some columns: a column that is not a list is a pair of its kind and its values. These are
    an array if all cells are natural numbers of 64 bits (``n``); the texts, keys and edges of tokens if all are strings
    that can be tokens (``t``, see `token_cells`); or codes and names if all are strings that have a code (``c``, see
    `coded_cells`; for a column in which many rows one after another have the same cell).
    """

def coded_cells(cells: list[Any], /) -> tuple[Ints, list[str], Ints]:
    """The code of each cell, the string of each code, in the order of first occurrence, and the irregular rows.

    Whole numbers become their digits. Empty strings, lone surrogates and other types are irregular; their code is -1.
    """

def numbers_of_names(names: list[str], in_order: list[str], numbers: dict[str, int], /) -> Ints:
    """The number of each name in `numbers`, -1 if it has none; `in_order` has the names of the numbers from 0.

    Names that come in this order are not looked up.
    """

def whole_cells(cells: list[Any], low: int, high: int, missing: int, /) -> tuple[Ints, Ints]:
    """The whole numbers from `low` to `high` in cells, and the irregular rows; irregular and missing are `missing`."""

def real_cells(cells: list[Any], /) -> tuple[Floats, Ints]:
    """The numbers in cells, and the irregular rows; irregular and missing are NaN."""

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

def first_of_each(code: Ints, offsets: Ints, /) -> tuple[Ints, Ints]:
    """Codes renumbered in the order of their first rows, and the first row of each.

    The codes of each segment of rows, ``offsets[t]:offsets[t+1]``, are numbered apart from those of the others.
    """

def judged_text(
    offsets: Ints, pair: Ints, span_offsets: Ints, start: Ints, end: Ints, depth: int, unknown: int, /
) -> tuple[int, int] | None:
    """The sum over all queries of the share of text in judged documents, in billionths, and the queries with results.

    The first `depth` rows of a query count, ``offsets[t]:offsets[t+1]``; row i has the spans
    ``span_offsets[i]:span_offsets[i+1]`` and is judged if its `pair` is not -1. None if one of these rows has no span,
    or one whose end is `unknown`.
    """

def _whole_sums(values: Ints, start: Ints, end: Ints, /) -> Ints: ...
def _first_sums(values: Ints, offsets: Ints, cutoff: int | None, /) -> Ints: ...
def _ratios(part: Any, whole: Any, /) -> Floats | None: ...
def gains_at(offsets: Ints, found: Ints, fresh: Ints, cutoff: int | None, alpha: float, /) -> Floats:
    """The gain of the first `cutoff` rows of each query: the characters `found`, less `alpha` times those not `fresh`.

    The rows of query t are ``offsets[t]:offsets[t+1]``; without a cutoff all of them count.
    """

def gains_within(
    rows: Ints,
    pair: Ints,
    offsets: Ints,
    start: Ints,
    read: tuple[Ints, Ints, Ints],
    axis: tuple[Ints, Ints, Ints, Ints],
    limits: Ints,
    whole_rows: Bools,
    alpha: float,
    /,
) -> Floats:
    """The gain of each query if it is read up to each limit: a row per limit, a column per query.

    Query t has ``rows[t]:rows[t+1]``, row i the spans ``offsets[i]:offsets[i+1]``. `read` is by span: what of its query
    is read before it and up to the end of its row, and its size. The last span within a limit is cut; if `whole_rows`
    is true, a row beyond the limit is not read at all. The others are as for `highlighted_rows` and `gains_at`.
    """

def chosen_values(values: Any, is_chosen: Any, /) -> tuple[Floats, bool] | None:
    """The values of a column that are chosen, and whether one of them is NaN.

    None unless these are columns of floats and of truth values, of the same size.
    """

def _exact_sums(values: Any, rows: int, /) -> Floats | None: ...
def json_lists(values: Floats, offsets: Ints, digits: int, /) -> str:
    """JSON of a list for each i, with ``values[offsets[i]:offsets[i+1]]``.

    Numbers have `digits` significant digits, as the format ``g`` writes them; those that are not finite are null.
    """

def query_offsets(query: Ints, count: int, /) -> Ints:
    """The offsets of the rows of each of `count` queries, from the query of each row, in ascending order."""

def rows_by_query(query: Ints, /) -> tuple[Ints, Ints]:
    """The queries that have rows, from the query of each row, in ascending order, and the offsets of their rows."""

def span_counts(start: Ints, end: Ints, unknown: int, /) -> tuple[int, int]:
    """The number of spans whose end is `unknown`, and of those that are empty."""

# ---- sets of characters -------------------------------------------------------------------------------------

def merge_spans(owner: Ints, start: Ints, end: Ints, touching: bool = False) -> tuple[Ints, Ints, Ints]:
    """The union of each owner's spans: sorted by owner and start, empty ones dropped, overlapping ones merged.

    Spans that only touch stay two, or are merged with `touching`.
    """

def are_spans(start: Ints, end: Ints, largest: int, /) -> bool:
    """Whether ``0 <= start[i] <= end[i] <= largest`` for all i."""

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

def element_paths(
    parent: Ints, tag: Ints, names: Any, name_offsets: Ints, /
) -> tuple[Ints, Any, Ints, Ints, Any, Ints]:
    """The path of each node of some trees, such as ``/article[1]/sec[2]``, and what it is without positions.

    `parent` is the row of each node's parent, -1 for a root; `tag` the number of its name, which are bytes with
    offsets. Returned are the code of each node's path; the paths, as bytes with offsets, in the order in which they
    first occur; the code of the label of each path; and the labels, as bytes with offsets.
    """

def node_rows(
    batches: list[tuple[Ints, Ints, Ints, Ints, Ints, Ints, Ints]], names: Any, name_offsets: Ints, /
) -> tuple[tuple[Any, ...], tuple[Any, Ints], tuple[Any, Ints, Ints], tuple[Any, Any]]:
    """The nodes of several batches of trees, a row each, in columns of 32 bits.

    A batch has offsets, tags, the number of each tag's name, parents, starts, ends, and the bounds of the texts of its
    trees. Returned are the columns (the number of the tree, that of the node in it, parent, depth, name, path, start,
    end); the paths, as bytes with offsets, in the order in which they first occur; the labels, in the same way, with
    the number of nodes of each; and for a column of the texts, which the first row of each tree has, their bounds in
    bytes and a bit for each row that has one.
    """

# ---- the stored index ---------------------------------------------------------------------------------------

def name_keys(data: Any, offsets: Ints, /) -> Words:
    """The key of each name ``data[offsets[i]:offsets[i+1]]``: its FNV-1a hash, mixed."""

def read_tar(block: bytes, /) -> tuple[str, Ints, Ints, int]:
    """The regular files of a tar archive from a header on, as long as headers are plain and within the block: their
    names, each followed by a NUL; where their contents are; their sizes; and where the next header is.
    """

def write_trees(
    first: Ints, length: Ints, parent: Ints, start: Ints, end: Ints, tag: Ints, ids: Any, id_offsets: Ints, /
) -> tuple[Any, Ints]:
    """The blocks of documents as `read_trees` reads them, one after the other, and the checksum of each.

    The nodes of document d are ``first[d]:first[d+1]``; its id is ``ids[id_offsets[d]:id_offsets[d+1]]``.
    """

def find_names(data: Any, offsets: Ints, keys: Words, of: Ints, wanted: Any, wanted_offsets: Ints, /) -> Ints:
    """The number of each wanted name among those in `data`; -1 if it is not there, -2 if only its key is, -3 if twice.

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

# ---- randomisation tests ------------------------------------------------------------------------------------

def generators(entropy: Words, first: int, count: int, /) -> Words:
    """The states of ``numpy.random.PCG64(numpy.random.SeedSequence(entropy, spawn_key=(i,)))`` from `first` on.

    Each has four words: the upper and lower half of the state, then those of its increment. `entropy` has words of 32
    bits, the lowest of each number first.
    """

def random_signs(generators: Words, trials: Ints, queries: int, /) -> Octets:
    """Random signs of the trials of each generator, those of eight queries in a byte, as `flip_counts` takes them.

    They are those that ``numpy.random.Generator.integers(0, 2, (trials, queries), np.int8)`` draws with PCG64 in these
    states.
    """

def differences(values: Floats, queries: int, first: Ints, second: Ints, equal: float, /) -> Floats:
    """The values of columns `first` minus those of `second`, pair by pair; 0 where they are no larger than `equal`.

    Column c of `values` is ``c * queries`` to ``(c + 1) * queries``.
    """

def row_sums(numbers: Floats, columns: int, /) -> tuple[Floats, Floats, Floats, Floats, Ints, Ints]:
    """Of each row of so many numbers: their sum, the sum of their sizes, and their standard deviation with n-1.

    Then the largest less the smallest, how many are above 0, and how many are 0. Bit for bit what NumPy computes.
    """

def changed_sums(values: Floats, queries: int, first: Ints, second: Ints, differences: Floats, /) -> Floats:
    """By pair, by how much `differences`, which are those of these pairs, differ from what subtracting them gives."""

def flip_counts(
    signs: Any, values: Floats, queries: int, first: Ints, second: Ints, reached: Floats, one_sided: bool, /
) -> Ints:
    """In how many trials the sums of columns `first` and `second` with random signs are at least `reached` apart.

    Value q of trial t keeps its sign if bit ``q % 8`` of byte ``q // 8 * trials + t`` of `signs` is set. Column c of
    `values` is ``c * queries`` to ``(c + 1) * queries``. With `one_sided` the first sum must be larger by as much. A
    sum is made of at most ``queries / 8 + 10`` additions, and has the same bits whatever the other columns and trials
    are.
    """

def permuted_ranges(
    generators: Words, trials: Ints, values: Floats, queries: int, runs: int, measures: int, /
) -> Floats:
    """For every trial and measure the range of the runs' sums after each query's values are permuted among the runs.

    `values` are by query, run (at most 65,535) and measure (at most 4); all measures share the permutations. Each of
    `generators` draws for its number of `trials`. Runs are permuted as Fisher and Yates do: each place, from the last
    one down to the second, is exchanged with a random place up to it. For all queries and trials of a generator, these
    are what one call of ``numpy.random.Generator.integers(0, lasts, dtype=np.uint16, endpoint=True)`` draws with PCG64
    in this state, where `lasts` has ``runs - 1`` to 1 again and again.
    """

def permutations(generator: Words, count: int, trials: int, kept: int, /) -> Ints:
    """For every trial the first `kept` numbers of a permutation of 0 to ``count - 1``.

    They are permuted as by `permuted_ranges`, but random places are of type ``np.uint32``.
    """

def swap_counts(
    orders: Ints,
    size: int,
    values: Floats,
    offsets: Ints,
    equal: float,
    per_unit: float,
    slack: float,
    steps: int,
    /,
) -> Ints:
    """By measure, step and swap, how often the means of two runs over a set of queries are so many steps apart.

    A trial has two sets of `size` queries, which follow one another in `orders`. `values` are by query and column; the
    runs of measure m are the columns ``offsets[m]:offsets[m+1]``. Differences of the first set are counted in whole
    steps of ``1 / per_unit`` after `slack` steps are added; the last of `steps` also has all that are larger. There is
    a swap if the second set orders the runs the other way round; differences up to `equal` order nothing.
    """
