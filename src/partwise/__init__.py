"""Evaluate the retrieval of parts of documents: passages, XML elements, RAG chunks.

What `partwise.api` and `partwise.measures` offer is loaded when it is first used, so that ``import partwise`` costs
nothing.
"""

from __future__ import annotations

from importlib import import_module

from partwise._version import __version__ as __version__
from partwise.errors import PartwiseError as PartwiseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from partwise.api import *  # noqa: F403
    from partwise.measures import *  # noqa: F403


_ROOMS = ("study",)
"""Rooms that can be said as ``pw.name`` without being imported."""


if not TYPE_CHECKING:

    def _offered() -> dict[str, Any]:
        """Everything that can be said as ``pw.name``: the interface, and every measure by its name."""
        api, measures = import_module("partwise.api"), import_module("partwise.measures")
        found = {measure.__name__: measure for family in measures.families().values() for measure in family}
        return {**found, **{name: getattr(api, name) for name in api.__all__}}

    def __getattr__(name: str) -> Any:
        if name in _ROOMS:
            return import_module(f"partwise.{name}")
        from importlib.util import find_spec

        if name.startswith("_") or find_spec(f"partwise.{name}") is not None:  # a module: the import system loads it
            raise AttributeError(f"module 'partwise' has no attribute {name!r}")
        offered = _offered()
        if name not in offered:
            raise AttributeError(f"module 'partwise' has no attribute {name!r}")
        globals().update(offered)
        return offered[name]

    def __dir__() -> list[str]:
        return sorted({*_offered(), "PartwiseError", "__version__"})
