"""The texts of the documents of a collection, by id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from partwise.errors import PartwiseError
from partwise.messages import documents

if TYPE_CHECKING:
    from partwise.collection import Collection


class Texts(Mapping[str, str]):
    """The text of each document, read on access."""

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
            raise PartwiseError(documents.TEXT_NOT_STORED(doc_id=doc_id), file=self.collection.name)
        return text
