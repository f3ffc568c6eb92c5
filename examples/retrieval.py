"""Retrieval for the examples: BM25 and cosine of TF-IDF, which rank the same texts in the same order everywhere.

Scores are rounded to six digits, and equal ones are in the order of the texts. The examples list texts by document and
offset, so that results depend neither on the version of a library nor on the order of a sum.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

Tokens = Callable[[str], list[str]]
STOP_WORDS = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with"
)


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def ranked(scores: Any, depth: int) -> tuple[Any, Any]:
    """The best columns of every row, and their scores."""
    rounded = np.round(np.asarray(scores), 6)
    order = np.argsort(-rounded, axis=1, kind="stable")[:, :depth]
    return order, np.take_along_axis(rounded, order, axis=1)


def _counts(rows: Sequence[Sequence[int]], terms: int) -> sparse.csr_array:
    """How often each term occurs in each text."""
    row = np.repeat(np.arange(len(rows)), [len(codes) for codes in rows])
    column = np.array([code for codes in rows for code in codes], np.int64)
    counts = sparse.csr_array((np.ones(len(column)), (row, column)), shape=(len(rows), terms))
    counts.sum_duplicates()
    return counts


def _coded(texts: Sequence[str], queries: Sequence[str], tokens: Tokens) -> tuple[Any, list[list[int]]]:
    """The counts of the texts, and the terms of the queries that occur in them."""
    terms: dict[str, int] = {}
    codes = [[terms.setdefault(token, len(terms)) for token in tokens(text)] for text in texts]
    asked = [[terms[token] for token in tokens(query) if token in terms] for query in queries]
    return _counts(codes, len(terms)), asked


def bm25(
    texts: Sequence[str],
    queries: Sequence[str],
    depth: int = 20,
    stop_words: str = "",
    stem: Callable[[str], str] | None = None,
) -> tuple[Any, Any]:
    """The best texts for every query and their scores: BM25 with k1 = 1.2 and b = 0.75, a query's terms once each."""
    k1, b = 1.2, 0.75

    without = set(stop_words.split())

    def tokens(text: str) -> list[str]:
        kept = [word for word in words(text) if word not in without]
        return [stem(word) for word in kept] if stem is not None else kept

    counts, asked = _coded(texts, queries, tokens)
    length = np.asarray(counts.sum(axis=1)).ravel()
    of_entry = (length / length.mean())[np.repeat(np.arange(len(texts)), np.diff(counts.indptr))]
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    idf = np.log1p((len(texts) - frequency + 0.5) / (frequency + 0.5))
    counts.data = counts.data * (k1 + 1) / (counts.data + k1 * (1 - b + b * of_entry)) * idf[counts.indices]
    once = _counts([sorted(set(terms)) for terms in asked], counts.shape[1])
    return ranked((once @ counts.T).todense(), depth)


def cosine(texts: Sequence[str], queries: Sequence[str], depth: int, tokens: Tokens) -> tuple[Any, Any]:
    """The best texts for every query and their scores: cosine of TF-IDF vectors."""
    counts, asked = _coded(texts, queries, tokens)
    idf = np.log((1 + len(texts)) / (1 + np.bincount(counts.indices, minlength=counts.shape[1]))) + 1

    def weighted(matrix: Any) -> Any:
        matrix = matrix.copy()
        matrix.data = (1 + np.log(matrix.data)) * idf[matrix.indices]
        norm = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
        norm[norm == 0] = 1
        return sparse.diags_array(1 / norm) @ matrix

    return ranked((weighted(_counts(asked, counts.shape[1])) @ weighted(counts).T).todense(), depth)
