from typing import Any

from partwise.kernels.reference import Bools, Floats, Ints

def read_columns(data: bytes, kinds: str, /) -> tuple[list[Any], Ints, list[tuple[int, int, bytes]]]: ...
def read_passages(data: bytes, /) -> tuple[Any, ...]: ...
def content(data: bytes, /) -> tuple[bool, bool, bool]: ...

class Pool:
    def __init__(self, threads: int, /) -> None: ...

class Reading:
    def __init__(self, pool: Pool | None, data: Any, kinds: str, /) -> None: ...
    def result(self) -> Any: ...

class TopicLog:
    def add(self, data: Any, /) -> tuple[Ints, Ints, int]: ...

class NameIndex:
    def __init__(self, data: bytes, start: Ints, end: Ints, /) -> None: ...
    def find(self, data: bytes, start: Ints, end: Ints, /) -> Ints: ...

def line_shapes(data: bytes, /) -> tuple[Ints, Ints, Ints]: ...
def last_topic(data: bytes, /) -> int: ...
def coded_tokens(data: bytes, key: Any, start: Ints, /) -> tuple[Ints, Ints, Ints]: ...

class JudgedIndex:
    def __init__(self, data: bytes, start: Ints, end: Ints, pair_offsets: Ints, pair_doc: Ints, /) -> None: ...
    def find(self, data: bytes, key: Any, start: Ints, rows: Ints, topic: Ints, /) -> Ints: ...

def documents_of(data: bytes, key: Any, start: Ints, rows: Ints, offsets: Ints, /) -> tuple[Ints, Ints]: ...
def repeated_tokens(
    data: bytes,
    key: Any,
    token_start: Ints,
    rows: Ints,
    offsets: Ints,
    span_offsets: Ints,
    start: Ints,
    end: Ints,
    /,
) -> Bools: ...
def keep_memory() -> None: ...
def precision_by_rank(offsets: Ints, found: Ints, fresh: Ints, size: Ints, alpha: float, /) -> Floats: ...
def best_precision(
    offsets: Ints,
    found: Ints,
    fresh: Ints,
    size: Ints,
    alpha: float,
    p: int,
    q: int,
    relevant: Ints,
    numerator: Ints,
    denominator: Ints,
    /,
) -> Floats: ...
def merge_spans(owner: Ints, start: Ints, end: Ints, touching: bool, /) -> tuple[Ints, Ints, Ints]: ...
def novel_lengths(owner: Ints, group: Ints, start: Ints, end: Ints, owners: int, /) -> Ints: ...
def highlighted_before(pair: Ints, position: Ints, offsets: Ints, start: Ints, end: Ints, before: Ints, /) -> Ints: ...
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
) -> tuple[Ints, Ints]: ...
def repeated_parts(within: Ints, group: Ints, offsets: Ints, start: Ints, end: Ints, /) -> Bools: ...
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
) -> Ints: ...
def ordered_ties(topic: Ints, rank: Ints, /) -> Ints | None: ...
def pairs_of(topic: Ints, doc: Ints, pair_offsets: Ints, pair_doc: Ints, docs: int, /) -> Ints: ...
def element_gains(
    offsets: Ints,
    parent: Ints,
    last: Ints,
    start: Ints,
    end: Ints,
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
) -> tuple[Floats, Floats]: ...
def nodes_at(
    offsets: Ints,
    start: Ints,
    end: Ints,
    depth: Ints,
    document: Ints,
    wanted_start: Ints,
    wanted_end: Ints,
    /,
) -> Ints: ...
def chances_below(
    topic: Ints,
    unit: Ints,
    step: Ints,
    before: Floats,
    after: Floats,
    steps: Ints,
    need: Ints,
    count: int,
    /,
) -> tuple[Floats, Floats]: ...
def step_efforts(
    topic: Ints,
    unit: Ints,
    step: Ints,
    before: Floats,
    after: Floats,
    steps: Ints,
    rank: Ints,
    /,
) -> Floats: ...
def mean_over_orders(owner: Ints, chance: Floats, owners: int, /) -> Floats: ...
def running_products(values: Floats, segment: Ints, /) -> Floats: ...
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
) -> tuple[Ints, Ints, Ints]: ...
def equal_rows(first: Ints, second: Ints, columns: int, /) -> tuple[Ints, Ints]: ...
