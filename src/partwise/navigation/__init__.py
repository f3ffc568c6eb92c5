"""Models of how users navigate from a result to other parts of its document, one class per model."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, cast

from partwise import plugins
from partwise.errors import PartwiseError, shown
from partwise.files import split_suffixes
from partwise.messages import navigation as messages
from partwise.navigation.base import Links, Named, Navigation, Places, Question, TreesOfDocuments
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
    "TreesOfDocuments",
    "model_name",
    "models_by_name",
    "read_graph",
    "register_navigation",
    "resolved_model",
    "routes_in",
]

MODELS: dict[str, type[Navigation]] = {
    model.__name__: model for model in (none, coverage, distance, hierarchy, depth, summary, routes, table)
}


def register_navigation(name: str, model: Navigation | type[Navigation]) -> None:
    """Register a navigation model, an instance (or a subclass) of `Navigation`, under a name."""
    instance = model() if isinstance(model, type) and issubclass(model, Navigation) else model
    if not isinstance(instance, Navigation):
        raise PartwiseError(messages.NOT_A_MODEL(value=shown(model)))
    plugins.NAVIGATION_MODELS[_valid_name(name)] = instance


def _valid_name(name: str) -> str:
    if not re.fullmatch(r"[^\W\d][\w-]*", name):
        raise PartwiseError(messages.INVALID_NAME(name=shown(name)))
    if name in MODELS:
        raise PartwiseError(messages.MODEL_EXISTS(name=shown(name)))
    return name


def model_name(path: str | os.PathLike[str]) -> str:
    """The name of the model in a file: the stem of the file name."""
    return split_suffixes(os.path.basename(os.fspath(path)))[0]


def models_by_name(models: Any) -> dict[str, Navigation]:
    """The models of one evaluation by name: those that the user passes, and those that are registered.

    Each is a model, a learned graph, or the path of one; paths without names are named by their stems.
    """
    if isinstance(models, (str, os.PathLike)):
        models = {model_name(models): models}
    elif not isinstance(models, (Mapping, list, tuple)):
        raise PartwiseError(messages.WRONG_MODELS(type=type(models).__name__))
    elif not isinstance(models, Mapping):
        for path in models:
            if not isinstance(path, (str, os.PathLike)):
                raise PartwiseError(messages.WRONG_MODELS(type=f"list of {type(path).__name__}"))
        named = [(model_name(path), path) for path in models]
        repeated = [name for i, (name, _) in enumerate(named) if name in [other for other, _ in named[:i]]]
        if repeated:
            raise PartwiseError(messages.SAME_NAME(name=shown(repeated[0])))
        models = dict(named)
    return {
        **plugins.NAVIGATION_MODELS,
        **{_valid_name(str(name)): _model_from(model) for name, model in models.items()},
    }


def _model_from(value: Any) -> Navigation:
    if isinstance(value, type) and issubclass(value, Navigation):
        return value()
    return value if isinstance(value, Navigation) else Walks(graph_of(value))


def resolved_model(nav: Navigation, models: Mapping[str, Navigation]) -> Navigation:
    """The model itself; for a `Named` one, the model of this name among `models` or of an installed package."""
    if not isinstance(nav, Named):
        return nav
    if nav.name not in models:
        plugin = plugins.find(plugins.NAVIGATION, nav.name)
        if plugin is not None:
            register_navigation(nav.name, plugin)
            return cast(Navigation, plugins.NAVIGATION_MODELS[nav.name])
        names = [*MODELS, *models, *plugins.names(plugins.NAVIGATION)]
        import difflib

        matches = difflib.get_close_matches(nav.name, names, n=1)
        if matches:
            raise PartwiseError(messages.MISSPELT_MODEL(name=shown(nav.name), nearest=matches[0]))
        raise PartwiseError(messages.UNKNOWN_MODEL(name=shown(nav.name), names=", ".join(names)))
    return models[nav.name]
