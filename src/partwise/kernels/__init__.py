"""Array in, array out: the functions that do the work on whole columns. No names, no files.

`reference` is NumPy, `native` is C++; both have the same functions, and which are used is decided here, once: the
native ones where they were built, unless ``PARTWISE_KERNELS=reference``.
"""

import os

from partwise.errors import PartwiseError, shown
from partwise.kernels.reference import (
    LARGEST_SUM,
    Passages,
    Problem,
    TextColumns,
    Tokens,
    Trees,
    best_from,
    best_precision,
    chances_below,
    content,
    element_gains,
    equal_rows,
    first_of_each,
    highlighted_before,
    highlighted_rows,
    judged_index,
    keep_memory,
    last_topic,
    line_shapes,
    mean_effort,
    mean_over_orders,
    merge_spans,
    nodes_at,
    novel_lengths,
    ordered_ties,
    pairs_of,
    pairs_of_groups,
    passages_found,
    precision_by_rank,
    read_columns,
    read_passages,
    repeated_parts,
    running_products,
    running_sums,
    segment_sums,
    shared_lengths,
    tolerant_reading,
)

__all__ = [
    "IN_USE",
    "LARGEST_SUM",
    "Passages",
    "Problem",
    "TextColumns",
    "Tokens",
    "Trees",
    "best_from",
    "best_precision",
    "chances_below",
    "content",
    "element_gains",
    "equal_rows",
    "first_of_each",
    "highlighted_before",
    "highlighted_rows",
    "judged_index",
    "keep_memory",
    "last_topic",
    "line_shapes",
    "mean_effort",
    "mean_over_orders",
    "merge_spans",
    "nodes_at",
    "novel_lengths",
    "ordered_ties",
    "pairs_of",
    "pairs_of_groups",
    "passages_found",
    "precision_by_rank",
    "read_columns",
    "read_passages",
    "repeated_parts",
    "running_products",
    "running_sums",
    "segment_sums",
    "shared_lengths",
    "tolerant_reading",
]

CHOICES = ("native", "reference")


def _chosen() -> str:
    asked = os.environ.get("PARTWISE_KERNELS")
    if asked is not None and asked not in CHOICES:
        raise PartwiseError(f"PARTWISE_KERNELS is {shown(asked)}", f"it must be one of {', '.join(CHOICES)}")
    if asked == "reference":
        return asked
    try:
        from partwise.kernels import _native  # noqa: F401
    except ImportError:
        if asked == "native":
            raise PartwiseError(
                "PARTWISE_KERNELS is 'native' and the native kernels were not built",
                "install with a C++ compiler at hand, or leave it out",
            ) from None
        return "reference"
    return "native"


IN_USE = _chosen()
"""Which kernels these are: ``native`` or ``reference``."""

if IN_USE == "native":
    from partwise.kernels import native as _native_kernels

    globals().update({name: getattr(_native_kernels, name) for name in _native_kernels.__all__})
