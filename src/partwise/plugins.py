"""What installed packages bring: measures and navigation models, by the entry points of their group.

Entry points are looked at only for names that nobody else knows: reading them takes half as long as ``import numpy``.
"""

from __future__ import annotations

from typing import Any

from partwise.errors import PartwiseError, shown

MEASURES = "partwise.measures"
NAVIGATION = "partwise.navigation"


def find(group: str, name: str) -> Any:
    """What an installed package offers under this name; None if none does."""
    from importlib.metadata import entry_points

    for entry in entry_points(group=group, name=name):
        try:
            return entry.load()
        except Exception as error:
            package = entry.dist.name if entry.dist is not None else entry.value
            reason = " ".join(str(error).split()) or type(error).__name__
            raise PartwiseError(f"{shown(name)} of the package {package} cannot be loaded ({reason})") from error
    return None


def names(group: str) -> list[str]:
    """All names that installed packages offer in a group."""
    from importlib.metadata import entry_points

    return sorted({entry.name for entry in entry_points(group=group)})
