"""Objects with declared parameters, and their canonical names: ``iP(alpha=0)@0.01``.

Parameters are data: one declaration drives parsing, checking, `repr` and documentation. A canonical name
leaves out defaults, keeps the declared order and writes numbers in their shortest form, so that two names
are equal exactly when the objects are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar, overload

from partwise.errors import PartwiseError, shown
from partwise.messages import measures as messages
from partwise.records import record

if TYPE_CHECKING:
    from fractions import Fraction

T = TypeVar("T")


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Raise an error unless the value is one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise PartwiseError(messages.NOT_A_CHOICE(name=name, value=shown(value), choices=", ".join(choices)))


class _Missing:
    def __repr__(self) -> str:
        return "required"


MISSING = _Missing()

LARGEST = 10**12
"""The largest number that a parameter accepts."""


# ---- names ------------------------------------------------------------------------------------------------


@record()
class Call:
    """A parsed name: ``Name(argument=value, ...)@at``."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    at: Any = None
    positional: tuple[Any, ...] = ()
    """Arguments without a name."""


_TOKEN = re.compile(
    r"\s*(?:(?P<number>[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?![\w.]))"
    r"|(?P<word>[^\W\d][\w-]*)"
    r"|(?P<quoted>'[^']*'|\"[^\"]*\")"
    r"|(?P<mark>[(),=@\[\]]))"
)


def split_names(text: str) -> list[str]:
    """Split a string at blanks and commas outside parentheses and quotes into names."""
    names: list[str] = []
    current = ""
    depth = 0
    quote = ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "()":
            depth += 1 if character == "(" else -1
        elif depth <= 0 and (character.isspace() or character == ","):
            if current:
                names.append(current)
            current = ""
            continue
        current += character
    if current:
        names.append(current)
    return names


def parse_name(text: str, positional: bool = False) -> Call:
    """Parse ``Name(parameter=value, ...)@cutoff``; a value is a number, a word, a quoted string or a call.

    The cutoff may also be in brackets, ``Name[cutoff]``. With `positional`, and in calls that are values, names of
    parameters may be left out: ``cover(0.5)``.
    """
    tokens: list[tuple[str, str]] = []
    position = 0
    stripped = text.rstrip()
    while position < len(stripped):
        match = _TOKEN.match(stripped, position)
        if match is None:
            raise _malformed(text)
        kind = match.lastgroup or ""
        tokens.append((kind, match.group(kind)))
        position = match.end()
    parser = _Parser(tokens, text)
    call = parser.call()
    if parser.rest() or (call.positional and not positional):
        raise _malformed(text)
    return call


def _malformed(text: str) -> PartwiseError:
    return PartwiseError(messages.MALFORMED_NAME(text=shown(text)))


class _Parser:
    def __init__(self, tokens: list[tuple[str, str]], text: str) -> None:
        self.tokens = tokens
        self.text = text
        self.next = 0

    def rest(self) -> int:
        return len(self.tokens) - self.next

    def take(self, kind: str, value: str | None = None) -> str:
        if self.rest() and self.tokens[self.next][0] == kind and value in (None, self.tokens[self.next][1]):
            self.next += 1
            return self.tokens[self.next - 1][1]
        raise _malformed(self.text)

    def sees(self, mark: str) -> bool:
        return self.rest() > 0 and self.tokens[self.next] == ("mark", mark)

    def call(self, depth: int = 0) -> Call:
        name = self.take("word")
        if depth > 5:
            raise _malformed(self.text)
        arguments: dict[str, Any] = {}
        positional: list[Any] = []
        if self.sees("("):
            self.take("mark", "(")
            while not self.sees(")"):
                if not arguments and (self.tokens[self.next + 1] if self.rest() > 1 else ()) != ("mark", "="):
                    positional.append(self.value(depth))
                    if not self.sees(")"):
                        self.take("mark", ",")
                    continue
                key = self.take("word")
                if key in arguments:
                    raise PartwiseError(messages.REPEATED_PARAMETER(text=shown(self.text), name=key))
                self.take("mark", "=")
                arguments[key] = self.value(depth)
                if not self.sees(")"):
                    self.take("mark", ",")
            self.take("mark", ")")
        at = None
        if self.sees("@"):
            self.take("mark", "@")
            at = self.value()
        elif self.sees("["):  # as INEX writes it: iP[0.01]
            self.take("mark", "[")
            at = self.value()
            self.take("mark", "]")
        return Call(name, arguments, at, tuple(positional))

    def value(self, depth: int = 0) -> Any:
        if not self.rest():
            raise _malformed(self.text)
        kind, text = self.tokens[self.next]
        if kind == "number":
            if len(text) > 40:
                raise _malformed(self.text)
            self.next += 1
            return int(text) if re.fullmatch(r"[-+]?[0-9]+", text) else float(text)
        if kind == "quoted":
            self.next += 1
            return text[1:-1]
        if kind == "word":
            after = self.tokens[self.next + 1] if self.rest() > 1 else ("", "")
            if after == ("mark", "("):
                return self.call(depth + 1)
            self.next += 1
            return {"True": True, "False": False}.get(text, text)
        raise _malformed(self.text)


def format_value(value: Any) -> str:
    """A parameter's value as written in canonical names: ``0.1``, ``10``, ``sog``, ``F(beta=0.25)``."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, str) and not re.fullmatch(r"[^\W\d][\w-]*", value):
        return f"'{value}'" if "'" not in value else f'"{value}"'
    return str(value)


@lru_cache(maxsize=1024)
def exact(value: float) -> Fraction:
    """The decimal number that the user wrote, as a fraction: 0.1 is one tenth, not the nearest double."""
    from fractions import Fraction

    return Fraction(repr(float(value)))


def exact_ratio(value: float) -> tuple[int, int]:
    """The numerator and the denominator of `exact`; a whole number needs no fraction, whose module loads slowly."""
    return (int(value), 1) if float(value).is_integer() else exact(value).as_integer_ratio()


# ---- parameters ---------------------------------------------------------------------------------------------


class Param(Generic[T]):
    """A declared parameter: its kind, default, range and meaning.

    `at=True` marks the parameter after the ``@``; `name` is set if it differs from that of the attribute.
    `of_results=True` marks the number of results, from the first, beyond which no result changes a value.
    """

    def __init__(
        self,
        kind: Any,
        *,
        default: Any = MISSING,
        at: bool = False,
        low: float | None = None,
        high: float | None = None,
        above: float | None = None,
        choices: tuple[str, ...] = (),
        example: Any = None,
        help: str = "",
        name: str = "",
        of_results: bool = False,
    ) -> None:
        self.kind = kind
        self.default = default
        self.at = at
        self.low = low
        self.high = high
        self.above = above
        self.choices = choices
        self.example = example
        self.help = help
        self.name = name
        self.of_results = of_results

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.name or name

    @overload
    def __get__(self, instance: None, owner: type) -> Param[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: Any, owner: type) -> Param[T] | T:
        return self if instance is None else instance._values[self.name]

    @property
    def required(self) -> bool:
        return self.default is MISSING

    def expected(self) -> str:
        """A description of the accepted values."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if isinstance(self.kind, type) and issubclass(self.kind, Parameterised):
            return "one of " + ", ".join(sorted(self.kind.family()))
        noun = {int: "a whole number", float: "a number", bool: "True or False", str: "a word"}[self.kind]
        if self.high is not None:
            if self.above is not None:
                return f"{noun} above {format_value(self.above)} and at most {format_value(self.high)}"
            return f"{noun} from {format_value(self.low)} to {format_value(self.high)}"
        if self.above is not None:
            return f"{noun} above {format_value(self.above)}"
        if self.low is not None:
            return f"{noun} from {format_value(self.low)}"
        return noun

    def checked(self, value: Any, owner: str) -> Any:
        """The value in its declared type; an error that names the accepted values if it has none.

        - `owner`: the name of the measure, for the error.
        """
        if value is None and self.default is None:
            return None
        converted = self._converted(value)
        number = None if converted is None or isinstance(converted, bool) else _as_number(converted)
        if number is not None and abs(number) > LARGEST:
            raise PartwiseError(messages.TOO_LARGE(owner=owner, name=self.name, value=shown(value), largest=LARGEST))
        if converted is None:
            text = value.name if isinstance(value, Call) else value if isinstance(value, str) else format_value(value)
            raise PartwiseError(
                messages.INVALID_VALUE(owner=owner, name=self.name, value=shown(text), expected=self.expected())
            )
        return converted

    def _converted(self, value: Any) -> Any:
        kind = self.kind
        if isinstance(kind, type) and issubclass(kind, Parameterised):
            return kind.from_value(value)
        if kind is bool:
            return value if isinstance(value, bool) else None
        if kind is str:
            return value if isinstance(value, str) and (not self.choices or value in self.choices) else None
        number = _as_number(value)
        if number is None or (kind is int and isinstance(number, float) and not number.is_integer()):
            return None
        if isinstance(number, int) and abs(number) > 10**18:
            return 10**18 if number > 0 else None  # reported as too large by `checked`
        number = kind(number)
        outside = (
            (self.low is not None and number < self.low)
            or (self.above is not None and number <= self.above)
            or (self.high is not None and number > self.high)
        )
        return None if outside else number


def _as_number(value: Any) -> int | float | None:
    if isinstance(value, (bool, str)) or not hasattr(value, "__float__") or getattr(value, "ndim", 0) != 0:
        return None
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, int):
        return value
    return value if isinstance(value, float) and math.isfinite(value) else None


class ParameterisedType(type):
    """Lets the bare name take a cutoff: ``iP @ 0.01`` is ``iP(recall=0.01)``."""

    def __matmul__(cls: type[T], at: float) -> T:
        instance: Any = cls()
        return instance @ at  # type: ignore[no-any-return]


class Parameterised(metaclass=ParameterisedType):
    """An object whose parameters are declared as `Param` attributes; they decide equality, hash and pickle."""

    params: ClassVar[dict[str, Param[Any]]] = {}
    aliases: ClassVar[tuple[str, ...]] = ()
    positional: ClassVar[bool] = False
    """Whether parameters are written without their names: ``cover(0.5)``."""
    _values: dict[str, Any]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = {value.name: value for value in vars(cls).values() if isinstance(value, Param)}
        cls.params = {**own, **{name: param for name, param in cls.params.items() if name not in own}}

    def __init__(self, **values: Any) -> None:
        name = type(self).__name__
        for key in values:
            if key not in self.params:
                accepted = ", ".join(self.params) or "none"
                raise PartwiseError(messages.UNKNOWN_PARAMETER(owner=name, name=shown(key), parameters=accepted))
        self._values = {
            key: param.checked(values[key], name) if key in values else param.default
            for key, param in self.params.items()
        }
        self.check()

    def check(self) -> None:
        """Raise an error if the parameters contradict each other."""

    @classmethod
    def family(cls) -> dict[str, type[Self]]:
        """The concrete subclasses, by name and alias."""
        members: dict[str, type[Self]] = {}
        for sub in cls.__subclasses__():
            below = sub.family()
            members.update(below)
            if not below and not sub.__name__.startswith("_"):
                members.update(dict.fromkeys((sub.__name__, *sub.aliases), sub))
        return members

    @classmethod
    def from_value(cls, value: Any) -> Self | None:
        """A member of this family from an instance, a class, a call or a name; None for anything else.

        - `value`: what the member is made from.
        """
        if isinstance(value, cls):
            return value
        if isinstance(value, Parameterised):
            value = value.name  # another family may have a class of the same name
        if isinstance(value, type) and issubclass(value, cls):
            return value()
        if isinstance(value, str):
            value = parse_name(value, cls.positional)
        if isinstance(value, Call) and value.name in cls.family():
            return cls.family()[value.name].called(value)
        return None

    @classmethod
    def called(cls, call: Call) -> Self:
        """The object that a call describes.

        - `call`: a name with arguments, as it was written.
        """
        at = cls.at_param()
        if call.at is not None and at is not None and at.name in call.arguments:
            raise PartwiseError(messages.REPEATED_CUTOFF(owner=call.name, name=at.name))
        if len(call.positional) > (len(cls.params) if cls.positional else 0):
            extra = call.positional[len(cls.params) if cls.positional else 0]
            accepted = ", ".join(cls.params) or "none"
            name = extra.name if isinstance(extra, Call) else format_value(extra)
            raise PartwiseError(messages.UNKNOWN_PARAMETER(owner=call.name, name=shown(name), parameters=accepted))
        for name in [name for name, _ in zip(cls.params, call.positional, strict=False) if name in call.arguments]:
            raise PartwiseError(messages.REPEATED_PARAMETER(text=shown(call.name), name=name))
        instance = cls(**dict(zip(cls.params, call.positional, strict=False)), **call.arguments)
        return instance if call.at is None else instance @ call.at

    @classmethod
    def at_param(cls) -> Param[Any] | None:
        """The parameter that a cutoff sets (``@``), None if there is none."""
        return next((param for param in cls.params.values() if param.at), None)

    def __matmul__(self, at: float) -> Self:
        param = self.at_param()
        if param is None:
            name = type(self).__name__
            raise PartwiseError(messages.NO_CUTOFF(owner=name, name=self.name, at=format_value(at)))
        values = {key: value for key, value in self._values.items() if value is not MISSING}
        return type(self)(**{**values, param.name: at})

    def __call__(self, **values: Any) -> Self:
        current = {key: value for key, value in self._values.items() if value is not MISSING}
        return type(self)(**{**current, **values})

    def missing(self) -> Param[Any] | None:
        """The first required parameter without a value."""
        return next((p for key, p in self.params.items() if self._values[key] is MISSING), None)

    def given(self) -> Iterator[tuple[Param[Any], Any]]:
        """The parameters whose value is not the default."""
        for key, param in self.params.items():
            value = self._values[key]
            if value is not MISSING and value != param.default:
                yield param, value

    @property
    def name(self) -> str:
        """The canonical name."""
        named = [
            format_value(v) if self.positional else f"{p.name}={format_value(v)}" for p, v in self.given() if not p.at
        ]
        inside = ",".join(named)
        at = "".join(f"@{format_value(v)}" for p, v in self.given() if p.at)
        return f"{type(self).__name__}{f'({inside})' if inside else ''}{at}"

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._values == self._values

    def __hash__(self) -> int:
        return hash((type(self).__name__, *self._values.values()))
