"""Tokenizers: where the tokens of a text start and end.

``words`` is built in. Others are a JSON file of the package ``tokenizers``, an encoding of ``tiktoken``, or any
function from a text to the start and end of each of its tokens. Offsets are characters (code points) of the text.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from partwise import plugins
from partwise.errors import PartwiseError, shown
from partwise.messages import files
from partwise.messages import tokens as messages

_Ints: TypeAlias = NDArray[np.int64]
TokenFunction: TypeAlias = Callable[[str], Iterable[tuple[int, int]]]
"""From a text to the start and end of each of its tokens, in characters."""

WORDS = "words"
ENCODINGS = ("o200k_base", "o200k_harmony", "cl100k_base", "p50k_base", "p50k_edit", "r50k_base", "gpt2")
"""The encodings of tiktoken, which are asked for by name even where tiktoken is not installed."""


@dataclass(frozen=True)
class Tokenizer:
    """A tokenizer and its name.

    Tokens of a text are in its order, have at least one character, and do not overlap.
    """

    name: str
    """What outputs and provenance print."""
    function: TokenFunction = field(hash=False)
    key: str = ""
    """What identifies its tokens, to be stored with them; empty for functions without a registered name."""

    def __reduce__(self) -> tuple[Any, ...]:
        """A registered tokenizer is pickled by its name, so that its function may be a lambda."""
        if _REGISTERED.get(self.name) is self:
            return _of_name, (self.name,)
        return Tokenizer, (self.name, self.function, self.key)

    def spans(self, text: str) -> tuple[_Ints, _Ints]:
        """The starts and the ends of the tokens of a text, in characters."""
        try:
            returned = self.function(text)
            pairs = returned if isinstance(returned, np.ndarray) else list(returned)
        except (PartwiseError, MemoryError):
            raise
        except Exception as error:
            reason = " ".join(str(error).split())
            failure = messages.FAILED(name=self.name, error=type(error).__name__, reason=reason)
            raise PartwiseError(failure) from error
        return self._checked(pairs, len(text))

    def _checked(self, pairs: Any, length: int) -> tuple[_Ints, _Ints]:
        """The tokens as two columns; an error that names the first that is not one."""
        if len(pairs) == 0:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        try:
            spans = np.asarray(pairs)
            is_pairs = spans.ndim == 2 and spans.shape[1] == 2 and spans.dtype.kind in "iu"
        except (ValueError, OverflowError, TypeError):  # of unequal lengths, or numbers that are too large
            is_pairs = False
        if not is_pairs:
            raise self._no_pair(pairs)
        start, end = spans[:, 0].astype(np.int64), spans[:, 1].astype(np.int64)
        before = np.append(0, end[:-1])
        is_bad = (start < before) | (start >= end) | (end > length)
        if is_bad.any():
            raise self._bad_token(int(np.argmax(is_bad)), start, end, length)
        return start, end

    def _no_pair(self, pairs: Any) -> PartwiseError:
        for number, pair in enumerate(pairs, 1):
            try:
                start, end = pair
            except (TypeError, ValueError):
                is_pair = False
            else:
                is_pair = all(isinstance(one, int | np.integer) and not isinstance(one, bool) for one in (start, end))
                is_pair = is_pair and all(abs(int(one)) < 1 << 62 for one in (start, end))
            if not is_pair:
                return PartwiseError(messages.NOT_A_PAIR(name=self.name, value=shown(pair), number=number))
        return PartwiseError(messages.NOT_PAIRS(name=self.name, value=shown(pairs)))

    def _bad_token(self, at: int, starts: _Ints, ends: _Ints, length: int) -> PartwiseError:
        start, end = int(starts[at]), int(ends[at])
        if start < 0 or end > length:
            message = messages.OUTSIDE(number=at + 1, name=self.name, start=start, end=end, length=length)
        elif start >= end:
            message = messages.EMPTY(number=at + 1, name=self.name, start=start, end=end)
        else:
            message = messages.OVERLAPPING(
                number=at + 1, name=self.name, start=start, end=end, before=int(ends[at - 1])
            )
        return PartwiseError(message)


# ---- names --------------------------------------------------------------------------------------------------------

_NAME = re.compile(r"[\w.-]+")
_REGISTERED: dict[str, Tokenizer] = {}


def register_tokenizer(name: str, function: TokenFunction) -> None:
    """Register a tokenizer under a name, for ``--tokenizer name`` and for indexes that store its tokens.

    It is a function from a text to the start and end of each token, in characters of the text.

    >>> import re, partwise as pw
    >>> def lines(text):
    ...     return [match.span() for match in re.finditer(".+", text)]
    >>> pw.register_tokenizer("text_lines", lines)
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise PartwiseError(messages.NOT_A_NAME(name=shown(name)))
    if name == WORDS or name in ENCODINGS or name.endswith(".json"):
        raise PartwiseError(messages.EXISTS(name=shown(name)))
    if isinstance(function, str):
        raise PartwiseError(messages.NOT_A_TOKENIZER(value=shown(function)))
    _REGISTERED[name] = Tokenizer(name, tokenizer(function).function, key=name)


def registered_tokenizers() -> dict[str, TokenFunction]:
    """The functions that users registered, to be registered again in other processes."""
    return {name: one.function for name, one in _REGISTERED.items()}


def tokenizer(given: object) -> Tokenizer:
    """The tokenizer of this name, path, function or object.

    Parameters
    ----------
    given
        ``words``; a name given to `register_tokenizer` or provided by an installed package; the path of a JSON file of
        the package ``tokenizers``; the name of an encoding of ``tiktoken``; a function from a text to the (start, end)
        of each token; or a tokenizer object of ``tokenizers``, ``tiktoken`` or ``transformers``.

    >>> from partwise.tokens import tokenizer
    >>> starts, ends = tokenizer("words").spans("It's naïve.")
    >>> list(zip(starts.tolist(), ends.tolist()))
    [(0, 2), (2, 3), (3, 4), (5, 10), (10, 11)]
    """
    if isinstance(given, Tokenizer):
        return given
    if isinstance(given, os.PathLike):
        return _of_file(os.fsdecode(given))
    if isinstance(given, str):
        return _of_name(given)
    model: Any = getattr(given, "backend_tokenizer", given)  # of transformers
    if hasattr(model, "to_str") and hasattr(model, "encode"):
        data = model.to_str()
        name = getattr(given, "name_or_path", "") or f"tokenizers.{type(model.model).__name__}"
        return Tokenizer(name, _OfTokenizers(data), key=_fingerprint(data.encode()))
    if hasattr(given, "encode_ordinary") and hasattr(given, "decode_single_token_bytes"):
        return Tokenizer(str(getattr(given, "name", type(given).__name__)), _OfTiktoken(given))
    if not callable(given):
        raise PartwiseError(messages.NOT_A_TOKENIZER(value=shown(given)))
    kind = type(given)
    return Tokenizer(getattr(given, "__qualname__", None) or f"{kind.__module__}.{kind.__qualname__}", given)


def tokenizer_names() -> list[str]:
    """The names of the built-in and registered tokenizers, and those of installed packages."""
    return sorted({WORDS, *_REGISTERED, *plugins.names(plugins.TOKENIZERS)})


def _of_name(name: str) -> Tokenizer:
    if name == WORDS:  # what is a letter depends on the version of Unicode
        return Tokenizer(WORDS, words, key=f"{WORDS} of Unicode {unicodedata.unidata_version}")
    if name in _REGISTERED:
        return _REGISTERED[name]
    if name.endswith(".json") or os.path.isfile(name):
        return _of_file(name)
    if name in ENCODINGS:
        return _of_tiktoken(name)
    plugin = plugins.find(plugins.TOKENIZERS, name) if _NAME.fullmatch(name) else None
    if plugin is not None:
        register_tokenizer(name, plugin)
        return _REGISTERED[name]
    if name in _own_encodings():
        return _of_tiktoken(name)
    raise PartwiseError(messages.UNKNOWN(name=shown(name), names=", ".join(tokenizer_names())))


def _fingerprint(data: bytes) -> str:
    from hashlib import sha256

    return f"sha256:{sha256(data).hexdigest()}"


# ---- words --------------------------------------------------------------------------------------------------------

_SPACE, _SIGN, _LETTER, _IDEOGRAPH, _EXTEND = 1, 2, 3, 4, 5
_IDEOGRAPHS = (
    (0x3005, 0x3007),
    (0x3021, 0x3029),
    (0x3041, 0x309F),  # Hiragana
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x1B001, 0x1B11F),  # Hiragana, as are the next two
    (0x1B132, 0x1B132),
    (0x1B150, 0x1B152),
    (0x20000, 0x3FFFF),
)
"""Ideographs and Hiragana, which are written without blanks between words."""
_BLOCK = 12
_KINDS = np.zeros(0x110000, np.uint8)
"""The kind of each character, 0 where it is not known yet; filled in by blocks of 1 << _BLOCK characters."""


def words(text: str) -> Any:
    """Words and signs.

    A token is a run of letters, digits and underscores, a single ideograph or Hiragana, or a single other character
    that is not white space. Combining marks and invisible format characters belong to the character before them.
    """
    if not text:
        return np.zeros((0, 2), np.int64)
    code: NDArray[Any]
    if text.isascii():
        code = np.frombuffer(text.encode(), np.uint8)
    else:
        code = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    kind = _kinds(code)
    attached = np.flatnonzero(kind == _EXTEND)
    if len(attached):
        is_base = kind != _EXTEND
        is_base[0] = True
        base = np.flatnonzero(is_base)[np.cumsum(is_base)[attached] - 1]  # the character before the marks
        without_base = attached[(kind[base] == _SPACE) | (kind[base] == _EXTEND)]
        kind[attached] = kind[base]
        kind[without_base] = _SIGN
        is_first = np.append(True, np.diff(without_base) > 1)  # of the marks after a blank
        attached = np.setdiff1d(attached, without_base[is_first[: len(without_base)]], assume_unique=True)
    is_letter, is_text = kind == _LETTER, kind != _SPACE
    is_start = is_text.copy()
    is_start[1:] &= ~(is_letter[1:] & is_letter[:-1])
    is_start[attached] = False
    is_end = is_text
    is_end[:-1] &= is_start[1:] | ~is_text[1:]
    return np.column_stack((np.flatnonzero(is_start), np.flatnonzero(is_end) + 1))


def _kinds(code: NDArray[Any]) -> NDArray[np.uint8]:
    """The kind of each character."""
    blocks = [0] if code.itemsize == 1 else np.flatnonzero(np.bincount(code >> _BLOCK)).tolist()
    for block in blocks:
        first = block << _BLOCK
        if not _KINDS[first]:  # written last
            kinds = [_kind(character) for character in range(first, first + (1 << _BLOCK))]
            _KINDS[first + 1 : first + len(kinds)] = kinds[1:]
            _KINDS[first] = kinds[0]
    kind: NDArray[np.uint8] = _KINDS[code]
    return kind


def _kind(code: int) -> int:
    character = chr(code)
    category = unicodedata.category(character)
    if character.isspace():
        return _SPACE
    if category[0] == "M" or category == "Cf":
        return _EXTEND
    if category[0] in "LN" or character == "_":
        return _IDEOGRAPH if any(low <= code <= high for low, high in _IDEOGRAPHS) else _LETTER
    return _SIGN


# ---- the package tokenizers ---------------------------------------------------------------------------------------


def _of_file(path: str) -> Tokenizer:
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        raise PartwiseError(files.NO_SUCH_FILE(), file=path) from None
    except IsADirectoryError:
        raise PartwiseError(files.IS_FOLDER(), file=path) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PartwiseError(files.CANNOT_READ(reason=reason), file=path) from None
    _package("tokenizers", path)
    try:
        function = _OfTokenizers(data.decode())
        function.model()
    except Exception as error:  # the package raises Exception itself
        reason = " ".join(str(error).split())
        raise PartwiseError(messages.NOT_A_FILE_OF_TOKENIZERS(reason=reason), file=path) from None
    return Tokenizer(path, function, key=_fingerprint(data))


@dataclass(frozen=True)
class _OfTokenizers:
    """The tokens of a tokenizer of the package ``tokenizers``, which is pickled as its JSON."""

    data: str

    def model(self) -> Any:
        return _model(self.data)

    def __call__(self, text: str) -> Any:
        encoding = self.model().encode(text, add_special_tokens=False)
        return _apart(np.array(encoding.offsets, np.int64).reshape(-1, 2))


@cache
def _model(data: str) -> Any:
    from tokenizers import Tokenizer as Model

    model = Model.from_str(data)
    model.no_truncation()  # both may be set in the file
    model.no_padding()
    return model


def _apart(spans: _Ints) -> _Ints:
    """Tokens without the characters of earlier ones, those that have any: several may be parts of one character."""
    if not len(spans):
        return spans
    before = np.append(0, np.maximum.accumulate(spans[:, 1])[:-1])
    spans = np.column_stack((np.maximum(spans[:, 0], before), spans[:, 1]))
    return spans[spans[:, 0] < spans[:, 1]]


def _package(package: str, name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        if error.name == package:
            raise PartwiseError(messages.NOT_INSTALLED(name=name, package=package)) from None
        reason = str(error)
    except ImportError as error:
        reason = " ".join(str(error).split())
    raise PartwiseError(messages.CANNOT_IMPORT(package=package, reason=reason))


# ---- tiktoken -----------------------------------------------------------------------------------------------------

_LOADING = Lock()


def _own_encodings() -> list[str]:
    """The encodings that tiktoken has, with those of its plugins; none if it is not installed."""
    try:
        from tiktoken import list_encoding_names

        return list_encoding_names()
    except (ImportError, ValueError):
        return []


def _of_tiktoken(name: str) -> Tokenizer:
    _encoding(name)
    return Tokenizer(name, _OfTiktoken(name), key=f"tiktoken {name}")


@cache
def _encoding(name: str) -> Any:
    """The encoding of this name; tiktoken is kept from downloading its file."""
    package = _package("tiktoken", name)
    load = _package("tiktoken.load", name)
    read_file = load.read_file

    def read_local(path: str) -> bytes:
        if "://" in path:
            raise PartwiseError(messages.NOT_CACHED(name=shown(name), folder=_cache_folder()))
        contents: bytes = read_file(path)
        return contents

    with _LOADING:
        load.read_file = read_local  # which tiktoken calls for what is not in its cache
        try:
            return package.get_encoding(name)
        except PartwiseError:
            raise
        except Exception as error:
            reason = " ".join(str(error).split())
            raise PartwiseError(messages.CANNOT_LOAD(name=shown(name), reason=reason)) from None
        finally:
            load.read_file = read_file


def _cache_folder() -> str:
    import tempfile

    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if variable in os.environ:
            return os.environ[variable] or f"{variable} is empty"
    return os.path.join(tempfile.gettempdir(), "data-gym-cache")


@dataclass(frozen=True)
class _OfTiktoken:
    """The tokens of an encoding of ``tiktoken``; a character belongs to the token that has its first byte."""

    given: Any
    """Its name, by which it is pickled, or the encoding itself."""

    def __call__(self, text: str) -> Any:
        encoding = _encoding(self.given) if isinstance(self.given, str) else self.given
        ids, index = np.unique(np.array(encoding.encode_ordinary(text), np.int64), return_inverse=True)
        sizes = np.array([len(encoding.decode_single_token_bytes(one)) for one in ids.tolist()], np.int64)[index]
        is_first = (np.frombuffer(text.encode(), np.uint8) & 0xC0) != 0x80
        characters = np.append(0, np.cumsum(is_first))
        bounds = characters[np.append(0, np.cumsum(sizes))]
        return np.column_stack((bounds[:-1], bounds[1:]))[bounds[:-1] < bounds[1:]]
