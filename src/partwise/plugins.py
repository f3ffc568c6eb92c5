"""Measures, navigation models, formats and tokenizers of installed packages, found through their entry points.

Entry points are read only for names that are not defined otherwise: reading them takes half as long as
``import numpy``.
"""

from __future__ import annotations

from typing import Any

from partwise.errors import PartwiseError, shown
from partwise.messages import files

MEASURES = "partwise.measures"
NAVIGATION = "partwise.navigation"
FORMATS = "partwise.formats"
TOKENIZERS = "partwise.tokenizers"

NAVIGATION_MODELS: dict[str, Any] = {}
"""The navigation models that were registered, by name; here, so that an evaluation without any need not load them."""


def find(group: str, name: str) -> Any:
    """The object that an installed package provides under this name; None if no package does."""
    from importlib.metadata import entry_points

    for entry in entry_points(group=group, name=name):
        try:
            return entry.load()
        except Exception as error:
            package = entry.dist.name if entry.dist is not None else entry.value
            reason = " ".join(str(error).split()) or type(error).__name__
            raise PartwiseError(files.CANNOT_LOAD(name=shown(name), package=package, reason=reason)) from error
    return None


def names(group: str) -> list[str]:
    """All names that installed packages provide in a group."""
    from importlib.metadata import entry_points

    return sorted({entry.name for entry in entry_points(group=group)})
