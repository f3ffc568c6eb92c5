"""How users go on from what a result shows: one class per model, all asked the same question."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
from typing import Any

from partwise import plugins
from partwise.errors import PartwiseError, shown
from partwise.files import split_suffixes
from partwise.navigation.base import Links, Named, Navigation, Places, Question
from partwise.navigation.files import NavigationGraph, graph_of, read_graph, routes_in
from partwise.navigation.observed import Walks, routes, table
from partwise.navigation.structure import depth, hierarchy, summary
from partwise.navigation.text import coverage, distance, none

__all__ = [
    "MODELS",
    "Links",
    "Named",
    "Navigation",
    "NavigationGraph",
    "Places",
    "Question",
    "given_models",
    "looked_up",
    "model_name",
    "read_graph",
    "register_navigation",
    "routes_in",
]

MODELS: dict[str, type[Navigation]] = {
    model.__name__: model for model in (none, coverage, distance, hierarchy, depth, summary, routes, table)
}
_REGISTERED: dict[str, Navigation] = {}


def register_navigation(name: str, model: Navigation | type[Navigation]) -> None:
    """Make a navigation model of one's own known by a name: an instance (or a class) of `Navigation`."""
    made = model() if isinstance(model, type) and issubclass(model, Navigation) else model
    if not isinstance(made, Navigation):
        raise PartwiseError(f"{shown(model)} is no navigation model", "give an instance of a class of Navigation")
    _REGISTERED[_free_name(name)] = made


def _free_name(name: str) -> str:
    if not re.fullmatch(r"[^\W\d][\w-]*", name):
        raise PartwiseError(f"{shown(name)} cannot be the name of a navigation model", "use letters, digits, _ and -")
    if name in MODELS:
        raise PartwiseError(f"there is a navigation model {name!r} already", "choose another name")
    return name


def model_name(path: str | os.PathLike[str]) -> str:
    """The name of the model in a file: its stem."""
    return split_suffixes(os.path.basename(os.fspath(path)))[0]


def given_models(given: Any) -> dict[str, Navigation]:
    """The models that a user gives for one evaluation, by name, and those that are registered.

    Each is a model, a learned graph, or the path of one; paths alone are called by their stems.
    """
    if given is None:
        given = {}
    elif isinstance(given, (str, os.PathLike)):
        given = {model_name(given): given}
    elif not isinstance(given, Mapping):
        named = [(model_name(path), path) for path in given]
        twice = [name for i, (name, _) in enumerate(named) if name in [other for other, _ in named[:i]]]
        if twice:
            raise PartwiseError(f"two navigation models are called {twice[0]!r}", "rename one of the files")
        given = dict(named)
    models = {_free_name(str(name)): _made(model) for name, model in given.items()}
    return {**_REGISTERED, **models}


def _made(value: Any) -> Navigation:
    if isinstance(value, type) and issubclass(value, Navigation):
        return value()
    return value if isinstance(value, Navigation) else Walks(graph_of(value))


def looked_up(nav: Navigation, known: Mapping[str, Navigation]) -> Navigation:
    """The model itself, or the one that a name stands for."""
    if not isinstance(nav, Named):
        return nav
    if nav.name not in known:
        found = plugins.find(plugins.NAVIGATION, nav.name)
        if found is not None:
            register_navigation(nav.name, found)
            return _REGISTERED[nav.name]
        names = [*MODELS, *known, *plugins.names(plugins.NAVIGATION)]
        near = difflib.get_close_matches(nav.name, names, n=1)
        remedy = f"the nearest is {near[0]}" if near else f"there are {', '.join(names)}"
        raise PartwiseError(
            f"there is no navigation model {shown(nav.name)}", f"{remedy}; a file of one is given with --navigation"
        )
    return known[nav.name]
