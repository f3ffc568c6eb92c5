"""The members of a folder or an archive that are documents, packed: some 40 bytes each instead of several objects."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from partwise import kernels
from partwise.collection.mapped import packed_names
from partwise.model import Ints

Place = tuple[int, int]


class MemberList:
    """Documents by number and by id. A path has the id in it, with a few characters before and after.

    The place of a member, if it has one, is where its content is and its size.
    """

    def __init__(self) -> None:
        self._ids = bytearray()
        self._offsets = array("q", [0])
        self._forms: dict[tuple[str, str], int] = {}
        self._form = array("H")
        self._places = array("q")

    def add(self, before: str, doc_id: str, after: str, place: Place | None = None) -> None:
        self._ids += doc_id.encode(errors="surrogatepass")
        self._offsets.append(len(self._ids))
        self._form.append(self._forms.setdefault((before, after), len(self._forms)))
        if place is not None:
            self._places.extend(place)

    def __len__(self) -> int:
        return len(self._form)

    @cached_property
    def _parts(self) -> list[tuple[str, str]]:
        return list(self._forms)

    def doc_id(self, number: int) -> str:
        return self._ids[self._offsets[number] : self._offsets[number + 1]].decode(errors="surrogatepass")

    def member(self, number: int) -> tuple[str, str]:
        """The id and the path of a member."""
        doc_id = self.doc_id(number)
        before, after = self._parts[self._form[number]]
        return doc_id, f"{before}{doc_id}{after}"

    def place(self, number: int) -> Place:
        return self._places[2 * number], self._places[2 * number + 1]

    def doc_ids(self) -> list[str]:
        return [self.doc_id(number) for number in range(len(self))]

    def _packed(self) -> tuple[Any, Ints]:
        return np.frombuffer(self._ids, np.uint8), np.frombuffer(self._offsets, np.int64)

    def _by_key(self) -> tuple[Any, Ints]:
        """The keys of all ids in ascending order, and the number of each."""
        keys = kernels.name_keys(*self._packed())
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    def repeated(self) -> tuple[int, int] | None:
        """The first member with the id of an earlier one, after that one."""
        keys, order = self._by_key()
        equal = np.flatnonzero(keys[1:] == keys[:-1])
        first: dict[str, int] = {}
        for number in np.unique(np.concatenate([order[equal], order[equal + 1]])).tolist():
            earlier = first.setdefault(self.doc_id(number), number)
            if earlier != number:
                return earlier, number
        return None

    @cached_property
    def _sorted(self) -> tuple[Any, Ints]:
        return self._by_key()

    def find(self, doc_ids: Sequence[str]) -> Ints:
        """The number of each document, below 0 unless there is exactly one."""
        keys, order = self._sorted
        return kernels.find_names(*self._packed(), keys, order, *packed_names(doc_ids))
