"""The documents of a command."""

from __future__ import annotations

from partwise.cli.stderr import print_stderr
from partwise.later import api

TYPE_CHECKING = False
if TYPE_CHECKING:
    from partwise.api import Collection


def print_notes_on_reading(collection: Collection) -> None:
    """Print what is to be said about the documents that were read."""
    for note in collection.notes_on_reading():
        print_stderr(f"note: {note}")


def opened(path: str) -> Collection:
    """Open the collection at this path, and print its notes."""
    collection = api.Collection.open(path)
    for note in collection.notes:
        print_stderr(f"note: {note}")
    return collection
