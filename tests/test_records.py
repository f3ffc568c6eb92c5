"""Records behave like frozen dataclasses."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwise.records import computed, record


@record()
class Pair:
    """Two values."""

    first: int
    second: int = 2


@record()
class Triple(Pair):
    """A third."""

    third: list[int] = field(default_factory=list, compare=False, repr=False)


@record(eq=False, repr=False)
class Same:
    """Equal to itself only."""

    first: int


@record(kw_only=True)
class Named:
    """Only by name, and changed once more."""

    size: int = 1

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError(self.size)


@dataclass(frozen=True)
class PairClass:
    first: int
    second: int = 2


@dataclass(frozen=True)
class TripleClass(PairClass):
    third: list[int] = field(default_factory=list, compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class NamedClass:
    size: int = 1


def outcome(make: Callable[[], Any]) -> Any:
    """What is made, as the dataclass shows it, or the error."""
    try:
        made = make()
    except TypeError:
        return TypeError
    return repr(made).replace("Class(", "("), [getattr(made, column.name) for column in fields(made)]


NAMES = st.sampled_from(["first", "second", "third", "size", "fourth"])
KINDS = st.sampled_from([(Pair, PairClass), (Triple, TripleClass), (Named, NamedClass)])


@given(KINDS, st.lists(st.integers(0, 3), max_size=4), st.dictionaries(NAMES, st.integers(0, 3), max_size=3))
def test_arguments(kinds: tuple[type, type], values: list[int], named: dict[str, int]) -> None:
    one, other = kinds
    assert outcome(lambda: one(*values, **named)) == outcome(lambda: other(*values, **named))


@given(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2), st.integers(0, 2))
def test_equality_and_hash(a: int, b: int, c: int, d: int) -> None:
    assert (Pair(a, b) == Pair(c, d)) == ((a, b) == (c, d))
    assert hash(Pair(a, b)) == hash(PairClass(a, b))
    assert (Triple(a, b, [1]) == Triple(c, d, [2])) == ((a, b) == (c, d))
    assert Pair(a, b) != Triple(a, b)
    assert Same(a) != Same(a)


def test_frozen() -> None:
    pair = Pair(1)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'first'"):
        pair.first = 3  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'first'"):
        del pair.first  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        pair.other = 3  # type: ignore[attr-defined]


def test_errors_name_the_argument() -> None:
    for wrong, message in (
        (Pair, "Pair() needs 'first'"),
        (lambda: Pair(1, 2, 3), "Pair() takes 2 positional arguments but 3 were given"),
        (lambda: Pair(1, third=2), "Pair() got an unexpected keyword argument 'third'"),
        (lambda: Pair(1, first=2), "Pair() got multiple values for argument 'first'"),
    ):
        with pytest.raises(TypeError) as error:
            wrong()
        assert str(error.value) == message


def test_each_instance_has_its_own_default() -> None:
    one, other = Triple(1), Triple(1)
    one.third.append(1)
    assert other.third == []


def test_copies() -> None:
    triple = Triple(1, 2, [3])
    for other in (copy.copy(triple), pickle.loads(pickle.dumps(triple)), replace(triple)):
        assert other == triple
        assert other.third == [3]
    assert replace(triple, first=5).first == 5
    with pytest.raises(ValueError, match="-1"):
        replace(Named(), size=-1)


def test_signatures() -> None:
    for one, other in ((Pair, PairClass), (Named, NamedClass)):
        assert [*inspect.signature(one).parameters.values()] == [*inspect.signature(other).parameters.values()]


def test_methods_of_the_class_are_kept() -> None:
    @record()
    class Shouting:
        """Shows itself."""

        name: str

        def __repr__(self) -> str:
            return self.name.upper()

    assert repr(Shouting("a")) == "A"


def test_a_computed_property_is_computed_once() -> None:
    @record()
    class Sums:
        """A sum, and how often it was computed."""

        values: tuple[int, ...]
        calls: list[int] = field(default_factory=list)

        @computed
        def total(self) -> int:
            """The sum."""
            self.calls.append(1)
            return sum(self.values)

    sums = Sums((1, 2))
    assert (sums.total, sums.total, sums.calls) == (3, 3, [1])
    assert Sums.total.__doc__ == "The sum."
    assert replace(sums, values=(4,)).total == 4
