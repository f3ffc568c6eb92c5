"""Array in, array out: the functions that do the work on whole columns. No names, no files."""

from partwise.kernels.reference import (
    Passages,
    Problem,
    TextColumns,
    Tokens,
    Tree,
    best_from,
    element_gains,
    highlighted_before,
    merge_spans,
    novel_lengths,
    read_columns,
    read_passages,
    repeated_parts,
    running_sums,
    segment_sums,
    tolerant_reading,
)

__all__ = [
    "Passages",
    "Problem",
    "TextColumns",
    "Tokens",
    "Tree",
    "best_from",
    "element_gains",
    "highlighted_before",
    "merge_spans",
    "novel_lengths",
    "read_columns",
    "read_passages",
    "repeated_parts",
    "running_sums",
    "segment_sums",
    "tolerant_reading",
]
