"""Tokenizers: words, files of the package tokenizers, encodings of tiktoken, and functions of users."""

from __future__ import annotations

import pickle
import re
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import partwise as pw
from oracles.words import words as slow_words
from partwise import plugins, tokens
from partwise.errors import PartwiseError
from partwise.tokens import Tokenizer, register_tokenizer, registered_tokenizers, tokenizer

TEXTS = st.text(
    st.one_of(
        st.sampled_from("ab_1 .\n\r\t'é\u0301\u200d\ufe0f\u3099\u00ad中々がカー한🙂👩\U0001f3fd\u20e3\ufeffñ½Ⅷ"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=60,
)


@pytest.fixture
def clean_registry() -> Iterator[None]:
    before = dict(tokens._REGISTERED)
    tokens._REGISTERED.clear()
    yield
    tokens._REGISTERED.clear()
    tokens._REGISTERED.update(before)


def pairs(one: Tokenizer, text: str) -> list[tuple[int, int]]:
    starts, ends = one.spans(text)
    assert starts.dtype == ends.dtype == np.int64
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


def pieces(one: Tokenizer, text: str) -> list[str]:
    return [text[start:end] for start, end in pairs(one, text)]


# ---- words --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("   \r\n\t\u2028", []),
        ("one", ["one"]),
        ("It's 3.5 km, snake_case!", ["It", "'", "s", "3", ".", "5", "km", ",", "snake_case", "!"]),
        ("nai\u0308ve cafe\u0301.", ["nai\u0308ve", "cafe\u0301", "."]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("co\u00adoperate می\u200cخواهم", ["co\u00adoperate", "می\u200cخواهم"]),
        ("検索は楽しい。", ["検", "索", "は", "楽", "し", "い", "。"]),
        ("カタカナ語", ["カタカナ", "語"]),
        ("か\u3099葛\U000e0100", ["か\u3099", "葛\U000e0100"]),
        ("한국어 텍스트", ["한국어", "텍스트"]),
        ("I ❤\ufe0f 🙂🙂", ["I", "❤\ufe0f", "🙂", "🙂"]),
        ("👩\u200d🔬", ["👩\u200d", "🔬"]),
        (" \u0301\u0301a", ["\u0301\u0301", "a"]),
        ("\ufeffTitle", ["\ufeff", "Title"]),
        ("a\x00b", ["a", "\x00", "b"]),
        ("½ Ⅷ ²", ["½", "Ⅷ", "²"]),
    ],
)
def test_words_and_signs(text: str, expected: list[str]) -> None:
    assert pieces(tokenizer("words"), text) == expected


@given(TEXTS)
def test_words_equal_the_slow_version(text: str) -> None:
    assert pairs(tokenizer("words"), text) == slow_words(text)


def test_every_character_has_the_kind_of_the_slow_version() -> None:
    """Between letters, a letter grows the word, an ideograph is apart, a mark adds to what is before it."""
    characters = [chr(code) for code in range(0x40000) if not 0xD800 <= code < 0xE000]
    text = "".join(f"a{character}b " for character in characters)
    assert pairs(tokenizer("words"), text) == slow_words(text)


@given(TEXTS)
def test_words_hold_every_character_that_is_not_white_space(text: str) -> None:
    assert "".join(pieces(tokenizer("words"), text)) == "".join(one for one in text if not one.isspace())


def test_words_know_the_version_of_unicode() -> None:
    assert tokenizer("words").key == f"words of Unicode {unicodedata.unidata_version}"
    assert tokenizer("words") == tokenizer("words")
    assert hash(tokenizer("words")) == hash(tokenizer("words"))


# ---- functions ----------------------------------------------------------------------------------------------------


def by_blanks(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\S+", text)]


class Halves:
    def __call__(self, text: str) -> list[tuple[int, int]]:
        return [(0, len(text) // 2), (len(text) // 2, len(text))]


def test_functions_have_their_name_and_survive_pickling() -> None:
    one = tokenizer(by_blanks)
    assert (one.name, one.key) == ("by_blanks", "")
    assert pieces(pickle.loads(pickle.dumps(one)), "a bc  d") == ["a", "bc", "d"]
    assert tokenizer(Halves()).name == f"{__name__}.Halves"
    assert pieces(tokenizer(Halves()), "abcd") == ["ab", "cd"]
    assert tokenizer(one) is one
    assert tokenizer(lambda text: []).name.endswith("<lambda>")
    assert pairs(tokenizer(lambda text: iter([(0, 1)])), "a") == [(0, 1)]
    assert pairs(tokenizer(lambda text: np.array([[0, 1]], np.int32)), "a") == [(0, 1)]
    assert pairs(tokenizer(lambda text: []), "") == []


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ([(0, 1), (1, 9)], "token 2 of the tokenizer t is 1 to 9, but the text has 5 characters; give offsets in"
         " characters of the text"),
        ([(-1, 1)], "token 1 of the tokenizer t is -1 to 1, but the text has 5 characters; give offsets in characters"
         " of the text"),
        ([(0, 1), (2, 2)], "token 2 of the tokenizer t is 2 to 2; leave out tokens without characters"),
        ([(3, 2)], "token 1 of the tokenizer t is 3 to 2; leave out tokens without characters"),
        ([(0, 3), (2, 4)], "token 2 of the tokenizer t is 2 to 4, but the token before it ends at 3; give tokens in the"
         " order of the text, without overlap"),
        ([(0, 1), (0.5, 2)], "the tokenizer t returned '(0.5, 2)' as token 2; give its start and end"),
        ([(0, 1), "ab"], "the tokenizer t returned 'ab' as token 2; give its start and end"),
        ([(0, 1), (1, 2, 3)], "the tokenizer t returned '(1, 2, 3)' as token 2; give its start and end"),
        ([(False, True)], "the tokenizer t returned '(False, True)' as token 1; give its start and end"),
        (["It", "is"], "the tokenizer t returned 'It' as token 1; give its start and end"),
        ([0, 1, 2], "the tokenizer t returned '0' as token 1; give its start and end"),
        ([(0, 1 << 80)], f"the tokenizer t returned '(0, {1 << 80})' as token 1; give its start and end"),
        (None, "the tokenizer t failed (TypeError: 'NoneType' object is not iterable)"),
        (np.zeros((2, 2, 2), np.int64), "the tokenizer t returned '[[0 0] [0 0]]' as token 1; give its start and end"),
    ],
)  # fmt: skip
def test_what_a_function_returns_is_checked(returned: Any, message: str) -> None:
    with pytest.raises(PartwiseError) as raised:
        Tokenizer("t", lambda text: returned).spans("It is")
    assert " ".join(str(raised.value).replace("\\n", " ").split()) == message


def test_what_a_function_raises_is_one_line() -> None:
    def fails(text: str) -> list[tuple[int, int]]:
        raise KeyError("no such\nthing")

    with pytest.raises(PartwiseError, match=r"^the tokenizer fails failed \(KeyError: 'no such\\nthing'\)$"):
        Tokenizer("fails", fails).spans("a")


@pytest.mark.parametrize("value", [None, 3, ["words"], b"words"])
def test_what_is_not_a_tokenizer(value: object) -> None:
    with pytest.raises(PartwiseError, match="is not a tokenizer; give its name"):
        tokenizer(value)


@given(st.lists(st.tuples(st.integers(-1, 6), st.integers(-1, 6)), max_size=4))
def test_only_tokens_in_order_pass(spans: list[tuple[int, int]]) -> None:
    covered = [at for start, end in spans for at in range(start, end)]
    is_right = all(start < end for start, end in spans) and covered == sorted(set(covered) & set(range(5)))
    one = Tokenizer("t", lambda text: spans)
    if is_right:
        assert pairs(one, "abcde") == spans
    else:
        with pytest.raises(PartwiseError, match="tokenizer t is"):
            one.spans("abcde")


# ---- names --------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("clean_registry")
def test_registered_tokenizers() -> None:
    pw.register_tokenizer("blanks", by_blanks)
    one = tokenizer("blanks")
    assert (one.name, one.key) == ("blanks", "blanks")
    assert pieces(one, "a b") == ["a", "b"]
    assert registered_tokenizers() == {"blanks": by_blanks}
    pw.register_tokenizer("whole", lambda text: [(0, len(text))])
    assert pieces(pickle.loads(pickle.dumps(tokenizer("whole"))), "a b") == ["a b"]
    with pytest.raises(PartwiseError, match=r"^unknown tokenizer 'blank'; give blanks, whole, words, a "):
        tokenizer("blank")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("words", "a tokenizer named 'words' already exists; choose another name"),
        ("cl100k_base", "a tokenizer named 'cl100k_base' already exists; choose another name"),
        ("a b", "'a b' cannot be the name of a tokenizer; use letters, digits, '_', '-' and '.'"),
        ("", "'' cannot be the name of a tokenizer; use letters, digits, '_', '-' and '.'"),
    ],
)
def test_names_that_cannot_be_registered(name: str, message: str) -> None:
    with pytest.raises(PartwiseError, match=f"^{re.escape(message)}$"):
        register_tokenizer(name, by_blanks)


@pytest.mark.usefixtures("clean_registry")
def test_tokenizers_of_installed_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "find", lambda group, name: {"own": by_blanks}.get(name) if "token" in group else None)
    assert pieces(tokenizer("own"), "a b.") == ["a", "b."]
    assert plugins.TOKENIZERS == "partwise.tokenizers"


# ---- the package tokenizers ---------------------------------------------------------------------------------------

TRAINING = ["the quick brown fox jumps over the lazy dog", "naïve 中文 🙂 text"] * 5


@pytest.fixture(scope="module")
def bpe() -> Any:
    """A byte-level BPE, which splits rare characters into their bytes."""
    from tokenizers import Tokenizer as Model
    from tokenizers import decoders, models, pre_tokenizers, processors, trainers

    model = Model(models.BPE())
    model.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    model.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=["<s>"], initial_alphabet=alphabet, show_progress=False
    )
    model.train_from_iterator(TRAINING, trainer)
    model.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    return model


def test_a_file_of_tokenizers(bpe: Any, tmp_path: Path) -> None:
    bpe = type(bpe).from_str(bpe.to_str())
    bpe.enable_truncation(3)
    bpe.enable_padding(length=50)
    path = tmp_path / "tokenizer.json"
    bpe.save(str(path))
    text = "the quick fox: the lazy 🦊"
    one = tokenizer(str(path))
    assert one.name == str(path)
    assert one.key.startswith("sha256:")
    assert pieces(one, text)[0] == "the"
    assert "".join(pieces(one, text)).replace(" ", "") == text.replace(" ", "")  # all of it, each character once
    assert pieces(one, text)[-1] in ("🦊", " 🦊")
    assert pairs(one, "") == []
    again = pickle.loads(pickle.dumps(one))
    path.unlink()
    assert pairs(again, text) == pairs(one, text)
    assert tokenizer(bpe).name == "tokenizers.BPE"
    assert pairs(tokenizer(bpe), text) == pairs(one, text)
    assert bpe.truncation is not None


@given(TEXTS)
def test_tokens_of_a_file_hold_every_character(bpe: Any, text: str) -> None:
    inside = "".join(pieces(tokenizer(bpe), text))
    assert "".join(inside.split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such file; give the path of a file that exists"),
        (b"{}", "is not a tokenizer that the package tokenizers reads ("),
        (b"\xff", "is not a tokenizer that the package tokenizers reads ("),
    ],
)
def test_bad_files(content: bytes | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(PartwiseError) as raised:
        tokenizer(path)
    assert str(raised.value).startswith(f"{path}: {message}")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(("name", "package"), [("t.json", "tokenizers"), ("gpt2", "tiktoken")])
def test_missing_packages(name: str, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, package, None)
    tokens._encoding.cache_clear()
    message = f'the tokenizer {name} needs the package {package}; install it with pip install "partwise[tokens]"'
    with pytest.raises(PartwiseError, match=f"^{re.escape(message)}$"):
        tokenizer(name)


# ---- tiktoken -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def encoding() -> Any:
    import tiktoken

    ranks = {bytes([byte]): byte for byte in range(256)}
    for piece in ("th", "the", " the", "🙂".encode()[:2], "中".encode()[1:], b"\xab "):
        ranks[piece if isinstance(piece, bytes) else piece.encode()] = len(ranks)
    return tiktoken.Encoding("small", pat_str=r"(?s).+", mergeable_ranks=ranks, special_tokens={"<|end|>": 999})


def test_an_encoding_of_tiktoken(encoding: Any) -> None:
    one = tokenizer(encoding)
    assert (one.name, one.key) == ("small", "")
    assert pieces(one, "the the🙂中é!") == ["the", " the", "🙂", "中", "é", "!"]
    assert pairs(one, "") == []
    assert pieces(one, "<|end|>") == list("<|end|>")


@given(TEXTS)
def test_a_character_belongs_to_the_token_with_its_first_byte(encoding: Any, text: str) -> None:
    pieces_of_bytes = encoding.decode_tokens_bytes(encoding.encode_ordinary(text))
    owners, at = [], 0
    for number, piece in enumerate(pieces_of_bytes):
        owners += [number] * sum((byte & 0xC0) != 0x80 for byte in piece)
        at += len(piece)
    assert at == len(text.encode())
    expected = list(dict.fromkeys(owners))
    spans = pairs(tokenizer(encoding), text)
    assert [owners[start] for start, _ in spans] == expected
    assert [end for _, end in spans] == [start for start, _ in spans][1:] + ([len(text)] if text else [])


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    def refused(*arguments: object, **options: object) -> None:
        pytest.fail("asks the network")

    monkeypatch.setattr(socket, "getaddrinfo", refused)
    monkeypatch.setattr(socket, "create_connection", refused)
    tokens._encoding.cache_clear()


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("name", tokens.ENCODINGS)
def test_a_file_that_is_not_cached_is_not_downloaded(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tiktoken.load
    import tiktoken.registry

    read_file = tiktoken.load.read_file
    monkeypatch.setattr(tiktoken.registry, "ENCODINGS", {})
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    message = (
        f"the file of the tiktoken encoding '{name}' is not in the cache of tiktoken ({tmp_path}); partwise "
        f"downloads nothing: let tiktoken.get_encoding('{name}') download it once"
    )
    with pytest.raises(PartwiseError, match=f"^{re.escape(message)}$"):
        tokenizer(name)
    assert tiktoken.load.read_file is read_file
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("no_network")
def test_an_encoding_by_name_from_the_cache(encoding: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a plugin of tiktoken defines one, with its file in the cache."""
    import base64
    import hashlib

    import tiktoken.load
    import tiktoken.registry

    url = "https://example.org/own.tiktoken"
    lines = [base64.b64encode(piece) + b" %d\n" % rank for piece, rank in encoding._mergeable_ranks.items()]
    (tmp_path / hashlib.sha1(url.encode()).hexdigest()).write_bytes(b"".join(lines))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))

    def own() -> dict[str, Any]:
        ranks = tiktoken.load.load_tiktoken_bpe(url)
        return {"name": "own_base", "pat_str": r"(?s).+", "mergeable_ranks": ranks, "special_tokens": {}}

    constructors = {"own_base": own}
    monkeypatch.setattr(tiktoken.registry, "ENCODING_CONSTRUCTORS", constructors)
    monkeypatch.setattr(tiktoken.registry, "ENCODINGS", {})
    one = tokenizer("own_base")
    assert (one.name, one.key) == ("own_base", "tiktoken own_base")
    assert pieces(pickle.loads(pickle.dumps(one)), "the the中") == ["the", " the", "中"]


def test_packages_are_imported_late() -> None:
    import subprocess

    code = "import sys, partwise.tokens as t; t.tokenizer('words').spans('a b'); print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"tokenizers", "tiktoken", "requests"} & set(modules)
