"""The texts of a collection's documents, by id: what parts are counted in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from partwise.errors import PartwiseError

if TYPE_CHECKING:
    from partwise.collection import Collection


class Texts(Mapping[str, str]):
    """A text per document, read when it is asked for."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection

    def __len__(self) -> int:
        return len(self.collection)

    def __iter__(self) -> Iterator[str]:
        return iter(self.collection)

    def __contains__(self, doc_id: object) -> bool:
        return doc_id in self.collection

    def __getitem__(self, doc_id: str) -> str:
        text = self.collection[doc_id].text
        if text is None:
            raise PartwiseError(
                f"the text of document {doc_id} is not stored", "index it with texts", file=self.collection.name
            )
        return text
