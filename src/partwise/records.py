"""Records: frozen dataclasses that are made quickly.

`dataclasses.dataclass` writes the source code of every method and compiles it. For the classes that a small evaluation
imports, that took a sixth of its time, so their methods are closures instead. Fields are those of `dataclasses`, whose
`field`, `fields` and `replace` apply.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from inspect import Parameter, Signature
from operator import attrgetter
from typing import Any, Generic, TypeVar, dataclass_transform, overload

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(*, eq: bool = True, repr: bool = True, kw_only: bool = False) -> Callable[[type[T]], type[T]]:
    """A decorator of classes, like ``dataclass(frozen=True)`` with the same options.

    Methods that the class defines itself are kept. A subclass with fields of its own is a record too.
    """

    def decorate(cls: type[T]) -> type[T]:
        cls.__doc__ = cls.__doc__ or cls.__name__  # a dataclass without one would get its signature, which is slow
        made: Any = dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(cls)
        columns = fields(made)
        methods: dict[str, Any] = {"__setattr__": _refusing(made, columns), "__delattr__": _refusing(made, columns)}
        methods["__init__"] = _initialising(columns, hasattr(cls, "__post_init__"))
        methods["__signature__"] = _Signature(columns)
        if eq:
            values = _values_of([column.name for column in columns if column.compare])
            methods["__eq__"] = lambda self, other: (
                values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented
            )
            methods["__hash__"] = lambda self: hash(values(self))
        if repr:
            methods["__repr__"] = _showing([column.name for column in columns if column.repr])
        own = {name for name, value in vars(cls).items() if value is not None}  # __hash__ is None beside __eq__
        for name, method in methods.items():
            if name not in own:
                setattr(cls, name, method)
        return cls

    return decorate


def _values_of(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    if len(names) < 2:
        return lambda self: tuple([getattr(self, name) for name in names])
    return attrgetter(*names)


def _showing(names: list[str]) -> Callable[[Any], str]:
    def shown(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join([f'{name}={getattr(self, name)!r}' for name in names])})"

    return shown


def _refusing(cls: type, columns: tuple[Field[Any], ...]) -> Callable[..., None]:
    names = {column.name for column in columns}

    def refuse(self: Any, name: str, *value: object) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")
        (object.__setattr__ if value else object.__delattr__)(self, name, *value)

    return refuse


def _initialising(columns: tuple[Field[Any], ...], has_more: bool) -> Callable[..., None]:
    in_order = [column.name for column in columns if not column.kw_only]
    defaults = {column.name: column.default for column in columns if column.default is not MISSING}
    factories = {column.name: column.default_factory for column in columns if column.default_factory is not MISSING}
    names = {column.name for column in columns}
    count, most = len(names), len(in_order)
    set_attribute = object.__setattr__

    def __init__(self: Any, *values: Any, **named: Any) -> None:
        given = named
        if named and not named.keys() <= names:
            raise _wrong(self, in_order, names, values, named)
        if values:
            given = dict(zip(in_order, values))  # noqa: B905 - as many as are given
            if len(values) > most or (named and not named.keys().isdisjoint(given)):
                raise _wrong(self, in_order, names, values, named)
            given.update(named)
        if len(given) < count:
            given = {**defaults, **given}
            if len(given) < count:
                for name in names - given.keys():
                    if name not in factories:
                        raise TypeError(f"{type(self).__name__}() needs {name!r}")
                    given[name] = factories[name]()
        set_attribute(self, "__dict__", given)
        if has_more:
            self.__post_init__()

    return __init__


class computed(Generic[T]):
    """A property that is computed when it is first read, and kept.

    `functools.cached_property` does the same, but before Python 3.12 it takes a lock, which for a few rows takes longer
    than what is computed.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> computed[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: Any, owner: type) -> computed[T] | T:
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._compute(instance)
        return value


def _wrong(self: Any, in_order: list[str], names: set[str], values: Any, named: dict[str, Any]) -> TypeError:
    function = f"{type(self).__name__}()"
    if len(values) > len(in_order):
        return TypeError(f"{function} takes {len(in_order)} positional arguments but {len(values)} were given")
    for name in named:
        if name not in names:
            return TypeError(f"{function} got an unexpected keyword argument {name!r}")
    twice = next(name for name in in_order[: len(values)] if name in named)
    return TypeError(f"{function} got multiple values for argument {twice!r}")


class _Signature:
    """The signature of a record, made when something asks for it."""

    def __init__(self, columns: tuple[Field[Any], ...]) -> None:
        self.columns = columns

    def __get__(self, instance: object, owner: type) -> Signature:
        parameters = []
        for column in sorted(self.columns, key=lambda column: bool(column.kw_only)):
            kind = Parameter.KEYWORD_ONLY if column.kw_only else Parameter.POSITIONAL_OR_KEYWORD
            default = Parameter.empty if column.default is MISSING else column.default
            if column.default_factory is not MISSING:
                default = column.default_factory
            parameters.append(Parameter(column.name, kind, default=default, annotation=column.type))
        return Signature(parameters)
