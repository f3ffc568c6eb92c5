"""Tokens that are stored with an index: the same as computed ones, and never those of another tokenizer."""

from __future__ import annotations

import json
import pickle
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import partwise as pw
from partwise import tokens
from partwise.cli import main
from partwise.collection import Collection, index, stored_tokens, write_index
from partwise.collection.mapped import Mapped
from partwise.errors import PartwiseError
from partwise.tokens import Tokenizer, tokenizer
from support.stored import restored

DOCUMENTS = {"a": "One, two.\r\n\r\nDrei 検索 🙂\n", "b": "<a><b>x y</b>z</a>", "c": "", "d": "   "}
WORDS = tokenizer("words")


class Counted:
    """A tokenizer that counts how often it is asked."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, text: str) -> list[tuple[int, int]]:
        self.calls += 1
        return [(at, at + 1) for at in range(len(text))]


@pytest.fixture
def counted() -> Iterator[Counted]:
    function = Counted()
    pw.register_tokenizer("counted", function)
    yield function
    del tokens._REGISTERED["counted"]


def same(stored: Collection, direct: Collection, one: Tokenizer) -> bool:
    return all(
        np.array_equal(mine, other) and mine.dtype == other.dtype == np.int64
        for doc_id in direct
        for mine, other in zip(stored[doc_id].token_spans(one), direct[doc_id].token_spans(one), strict=True)
    )


def test_tokens_are_computed_once_per_document(counted: Counted) -> None:
    document = Collection.open(DOCUMENTS)["a"]
    one = tokenizer("counted")
    first = document.counting("tokens", one)
    assert first.size == len(DOCUMENTS["a"])
    assert document.counting("tokens", one) is first
    assert document.counting("tokens", WORDS).size == len(WORDS.spans(DOCUMENTS["a"])[0])
    assert counted.calls == 1


@given(st.dictionaries(st.text("abc", min_size=1), st.text("ab ,\n検🙂é", max_size=30), min_size=1))
def test_stored_tokens_equal_computed_ones(contents: dict[str, str]) -> None:
    direct = Collection.open({doc_id: f"<a>{text}<b>{text}</b></a>" for doc_id, text in contents.items()})
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "_NODES", 6)
        write_index(direct, f"{name}/i.parquet", tokenizer="words")
        stored = Collection.open(f"{name}/i.parquet")
        assert all(stored[doc_id] == direct[doc_id] for doc_id in direct)
        assert same(stored, direct, WORDS)


@pytest.mark.parametrize("texts", [True, False])
def test_stored_tokens_are_used(counted: Counted, texts: bool, tmp_path: Path) -> None:
    write_index(DOCUMENTS, tmp_path / "i.parquet", texts=texts, tokenizer="counted")
    assert counted.calls == len(DOCUMENTS)
    stored = Collection.open(tmp_path / "i.parquet")
    assert same(stored, Collection.open(DOCUMENTS), tokenizer("counted"))
    again = pickle.loads(pickle.dumps(stored["a"]))
    again.token_spans(tokenizer("counted"))
    write_index(stored, tmp_path / "j.parquet", texts=texts, tokenizer="counted")
    assert same(Collection.open(tmp_path / "j.parquet"), stored, tokenizer("counted"))
    assert counted.calls == 2 * len(DOCUMENTS)  # those of the direct collection, once each


def test_tokens_of_another_tokenizer_are_computed(counted: Counted, tmp_path: Path) -> None:
    write_index(DOCUMENTS, tmp_path / "i.parquet", tokenizer="counted")
    stored = Collection.open(tmp_path / "i.parquet")
    assert same(stored, Collection.open(DOCUMENTS), WORDS)
    other = Tokenizer("words", WORDS.function, key="words of Unicode 1.0")
    write_index(DOCUMENTS, tmp_path / "j.parquet", texts=False, tokenizer=other)
    with pytest.raises(PartwiseError) as error:
        Collection.open(tmp_path / "j.parquet")["a"].token_spans(WORDS)[0]
    assert str(error.value) == (
        "neither the text of document a nor its tokens of words are stored; index the collection with texts, or with "
        "--tokenizer words"
    )


def test_a_file_is_known_by_its_content(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    from tokenizers import Tokenizer as Model
    from tokenizers import models, pre_tokenizers

    model = Model(models.WordLevel({"x": 0, "?": 1}, unk_token="?"))
    model.pre_tokenizer = pre_tokenizers.Whitespace()
    model.save(str(tmp_path / "t.json"))
    (tmp_path / "copy.json").write_bytes((tmp_path / "t.json").read_bytes())
    write_index(DOCUMENTS, tmp_path / "i.parquet", texts=False, tokenizer=str(tmp_path / "t.json"))
    stored = Collection.open(tmp_path / "i.parquet")
    assert stored["b"].token_spans(tokenizer(tmp_path / "copy.json"))[0].tolist() == [0, 2]
    model.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    model.save(str(tmp_path / "t.json"))
    with pytest.raises(PartwiseError, match=r"neither the text of document b nor its tokens of .*t\.json are stored"):
        stored["b"].token_spans(tokenizer(tmp_path / "t.json"))[0]


def test_functions_without_a_name_are_not_stored(tmp_path: Path) -> None:
    with pytest.raises(PartwiseError) as error:
        write_index(DOCUMENTS, tmp_path / "i.parquet", tokenizer=Counted())
    assert str(error.value) == (
        f"the tokens of {__name__}.Counted cannot be stored under this name; register it with register_tokenizer"
    )
    assert list(tmp_path.iterdir()) == []


def test_an_index_without_tokens_is_as_before(tmp_path: Path) -> None:
    write_index(DOCUMENTS, tmp_path / "i.parquet")
    file = pq.ParquetFile(tmp_path / "i.parquet")
    assert not set(stored_tokens.COLUMNS) & set(file.schema_arrow.names)
    assert Mapped(str(tmp_path / "i.parquet"), index.VERSION).tokenizer is None
    assert same(Collection.open(tmp_path / "i.parquet"), Collection.open(DOCUMENTS), WORDS)


def rewritten(path: Path, column: str | None = None, values: object = None) -> None:
    """Write an index again with another column."""
    table = pq.read_table(path)
    if column is not None:
        kind = table.schema.field(column).type
        array = pa.array(values, kind) if isinstance(values, list) else values
        table = table.set_column(table.column_names.index(column), column, array)
    restored(path, table=table)


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("token_start", [[0, 3]]),
        ("token_start", [[0, 2, 3]]),
        ("token_start", [[-1, 2]]),
        ("token_start", [[2, 0]]),
        ("token_start", [None]),
        ("token_start", [[0, None]]),
        ("token_end", [[1, 9]]),
        ("token_end", [[1, 2]]),
    ],
)
def test_damaged_tokens_are_an_error(column: str, values: list[object], tmp_path: Path) -> None:
    path = tmp_path / "i.parquet"
    write_index({"d": "<p>a b</p>"}, path, tokenizer="words")
    rewritten(path)
    assert Collection.open(path)["d"].token_spans(WORDS)[0].tolist() == [0, 2]
    rewritten(path, column, values)
    with pytest.raises(PartwiseError) as error:
        Collection.open(path)["d"]
    assert str(error.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    "described", ["", "[]", "{}", '{"key": 1}', '{"key": ""}', '"words"', '{"name": "words", "key": "other"}', 1, []]
)
def test_a_damaged_name_of_the_tokenizer_is_an_error(described: object, tmp_path: Path) -> None:
    path = tmp_path / "i.parquet"
    write_index({"d": "a b"}, path, tokenizer="words")
    assert json.loads(Mapped(str(path), index.VERSION).tokenizer or "") == {"name": "words", "key": WORDS.key}
    restored(path, tokenizer=described)
    with pytest.raises(PartwiseError) as error:
        Collection.open(path)["d"]
    assert str(error.value).startswith(f"{path}: ")


def test_columns_of_other_types_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "i.parquet"
    write_index({"d": "<p>a b</p>"}, path, tokenizer="words")
    rewritten(path, "token_start", pa.array([["0", "2"]]))
    with pytest.raises(PartwiseError) as error:
        Collection.open(path)["d"]
    assert str(error.value).startswith(f"{path}: is a damaged index: the nodes of document d are inconsistent")


def test_the_command_stores_tokens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tokens, "_REGISTERED", {})
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("One, two.\n")
    assert main(["index", "texts", "-o", "i.parquet", "--tokenizer", "words", "--no-texts"]) == 0
    capsys.readouterr()
    document = Collection.open("i.parquet")["a"]
    assert document.text is None
    assert document.token_spans(WORDS)[0].tolist() == [0, 3, 5, 8]
    assert main(["index", "texts", "-o", "j.parquet", "--tokenizer", "wrods"]) == 2
    expected = "unknown tokenizer 'wrods'; give words, a tokenizers JSON file, or a tiktoken encoding\n"
    assert capsys.readouterr().err.endswith(expected)
    assert not (tmp_path / "j.parquet").exists()


@pytest.mark.parametrize("first", range(5))
def test_a_changed_byte_is_an_error_or_changes_nothing(first: int, tmp_path: Path) -> None:
    path = tmp_path / "i.parquet"
    documents = {str(i): f"<a>{i} <b>é {i}.</b></a>" for i in range(5)}
    write_index(documents, path, tokenizer="words")
    whole = path.read_bytes()

    def tokens_in() -> list[list[int]]:
        collection = Collection.open(path)
        return [column.tolist() for doc_id in collection for column in collection[doc_id].token_spans(WORDS)]

    expected = tokens_in()
    refused: list[str] = []
    unchanged = 0
    for at in range(4 + 5 * first, len(whole), 29):
        broken = bytearray(whole)
        broken[at] ^= 0x5A
        path.write_bytes(broken)
        try:
            assert tokens_in() == expected, at
            unchanged += 1
        except PartwiseError as error:
            refused.append(str(error))
    assert len(refused) > 20
    assert not [line for line in refused if not line.startswith(f"{path}: ")]
    assert unchanged
