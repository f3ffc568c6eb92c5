"""Evaluate the retrieval of parts of documents: passages, XML elements, RAG chunks.

The names of `partwise.api` and `partwise.measures` are imported when they are first used, so that ``import partwise``
is fast.
"""

from __future__ import annotations

from importlib import import_module

from partwise import evaluators as _evaluators
from partwise._version import __version__ as __version__
from partwise.errors import PartwiseError as PartwiseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from partwise.api import *  # noqa: F403
    from partwise.measures import *  # noqa: F403


_evaluators.set_evaluator(lambda: import_module("partwise.api").Evaluator)

_PACKAGES = ("study",)
"""Packages that are available as ``pw.name`` without an import of their own."""


if not TYPE_CHECKING:

    def _public_names() -> dict[str, Any]:
        """Everything that is available as ``pw.name``: the public functions and classes, and every measure by name."""
        api, measures = import_module("partwise.api"), import_module("partwise.measures")
        by_name = {measure.__name__: measure for family in measures.families().values() for measure in family}
        return {**by_name, **{name: getattr(api, name) for name in api.__all__}}

    def __getattr__(name: str) -> Any:
        if name in _PACKAGES:
            return import_module(f"partwise.{name}")
        from importlib.util import find_spec

        if name.startswith("_") or find_spec(f"partwise.{name}") is not None:  # a module: the import system loads it
            raise AttributeError(f"module 'partwise' has no attribute {name!r}")
        public_names = _public_names()
        if name not in public_names:
            raise AttributeError(f"module 'partwise' has no attribute {name!r}")
        globals().update(public_names)
        return public_names[name]

    def __dir__() -> list[str]:
        return sorted(name for name, value in _public_names().items() if callable(value) or name in _PACKAGES)
