"""Random links between the steps of queries and the units that are seen there."""

from __future__ import annotations

from hypothesis import strategies as st

from support.arrays import Floats, Ints, ints, reals

TINY = 5e-324
CHANCE = st.sampled_from([0.0, 0.0, TINY, 1e-310, 1e-200, 0.25, 1 / 3, 0.5, 1 - 2**-53, 1.0]) | st.floats(0, 1)
Links = tuple[Ints, Ints, Ints, Floats, Floats, Ints]


@st.composite
def seen_links(draw: st.DrawFn) -> Links:
    """Links of some queries, some of them without steps or links, as `chances_below` takes them."""
    rows: list[tuple[int, int, int, float, float]] = []
    steps = draw(st.lists(st.integers(0, 9), max_size=4))
    for query, count in enumerate(steps):
        for unit in range(draw(st.integers(0, 6)) if count else 0):
            missed = 1.0
            for step in sorted(draw(st.sets(st.integers(0, count - 1)))):
                before, missed = missed, missed * (1 - draw(CHANCE))
                rows.append((query, unit, step, 1 - before, 1 - missed))
    query_, unit_, step_ = (ints(row[i] for row in rows) for i in range(3))
    return query_, unit_, step_, reals(row[3] for row in rows), reals(row[4] for row in rows), ints(steps)
