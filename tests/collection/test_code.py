"""Source trees: files are documents by their paths, and classes and functions of Python files are elements."""

from __future__ import annotations

import ast
import json
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwise.cli import main
from partwise.collection import Collection, Document, code, write_index
from partwise.errors import PartwiseError

SHOP = '''\
"""A shop."""

import functools


class Cart:
    """What is bought."""

    @property
    def total(self):
        return sum(self.prices)

    @functools.cache
    @staticmethod
    async def rate(
        country,
    ):
        def nested():
            return "naïve 🙂"

        return nested()  # of the cart

    class Item: pass


if True:
    def conditional(): return 1
else:
    try:
        def other(): return 2
    except ValueError:
        class Failure(Exception):
            """Never."""


def last(x):
    for _ in x:
        def inside(): ...
    return x  # comment
# end
'''


def elements(document: Document) -> list[tuple[str, str]]:
    assert document.text is not None
    spans = zip(document.start.tolist(), document.end.tolist(), strict=True)
    return [(path, document.text[start:end]) for path, (start, end) in zip(document.path, spans, strict=True)]


def python(source: str | bytes) -> Document:
    return code.parse_python("a.py", source, "a.py")


def test_classes_and_functions_are_elements() -> None:
    first_words = [(path, text.split("\n")[0], text.split("\n")[-1].strip()) for path, text in elements(python(SHOP))]
    assert first_words == [
        ("/module[1]", '"""A shop."""', ""),
        ("/module[1]/class[1]", "class Cart:", "class Item: pass"),
        ("/module[1]/class[1]/function[1]", "@property", "return sum(self.prices)"),
        ("/module[1]/class[1]/function[2]", "@functools.cache", "return nested()"),
        ("/module[1]/class[1]/function[2]/function[1]", "def nested():", 'return "naïve 🙂"'),
        ("/module[1]/class[1]/class[1]", "class Item: pass", "class Item: pass"),
        ("/module[1]/function[1]", "def conditional(): return 1", "def conditional(): return 1"),
        ("/module[1]/function[2]", "def other(): return 2", "def other(): return 2"),
        ("/module[1]/class[2]", "class Failure(Exception):", '"""Never."""'),
        ("/module[1]/function[3]", "def last(x):", "return x"),
        ("/module[1]/function[3]/function[1]", "def inside(): ...", "def inside(): ..."),
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("é = 1; s = 'ü'\n@d\ndef f(): return 'é'\n", "@d\ndef f(): return 'é'"),
        ("'🙂'; x = 'é'\nif x:\n  class f: 'é🙂'; y = 1\nz = 2", "class f: 'é🙂'; y = 1"),
        ("\ufeffdef f(): 'é'; return 1\n", "def f(): 'é'; return 1"),
        ("\ufeff@d\ndef f(): pass\n", "@d\ndef f(): pass"),
        ("\ufeffé = 1\ndef f(): pass", "def f(): pass"),
        ("@(  # a @ b\n  d)\nclass f: pass\n", "@(  # a @ b\n  d)\nclass f: pass"),
        ("@ d\ndef f(): pass\n", "@ d\ndef f(): pass"),
        ("@a \\\n.b\n\n# comment\n@c(1,\n 2)\ndef f(): pass\n", "@a \\\n.b\n\n# comment\n@c(1,\n 2)\ndef f(): pass"),
        ("x = 1\n\x0cdef f():\n  return '\x0c'\n", "def f():\n  return '\x0c'"),
        ("s = '''\r\n\r\n'''\r\ndef f():\r\n\treturn 1\r\n", "def f():\r\n\treturn 1"),
        ("s = 1\rdef f():\r\n  a = '\u2028\x85'\n  return 1\r", "def f():\r\n  a = '\u2028\x85'\n  return 1"),
        ("async  def f(): pass", "async  def f(): pass"),
        ("match x:\n  case 1:\n    def f(): pass\n", "def f(): pass"),
        ("def f(): return '\\d'\n", "def f(): return '\\d'"),
    ],
)
def test_where_an_element_starts_and_ends(source: str, expected: str) -> None:
    for given_source in (source, source.encode()):
        document = python(given_source)
        assert document.text == source
        assert [text for _, text in elements(document)] == [source, expected]


LINES = st.sampled_from(
    [
        "def f():",
        "class A:",
        "async def g(x):",
        "if x:",
        "else:",
        "x = 'é🙂'",
        "'''",
        "pass",
        "# é",
        "",
        "return 1",
        "\\",
    ]
)


@given(st.lists(st.tuples(st.integers(0, 3), LINES, st.sampled_from(["\n", "\r\n", "\r"])), max_size=12))
def test_elements_are_those_of_ast(lines: list[tuple[int, str, str]]) -> None:
    """By the slow function of `ast` for the text of a node; without decorators, which it leaves out."""
    text = "".join(f"{'  ' * indent}{line}{end}" for indent, line, end in lines)
    document = python(text)
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError):
        assert elements(document) == [("/module[1]", text)]
        return
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    expected = sorted(
        (node.lineno, node.col_offset, ast.get_source_segment(text, node))
        for node in ast.walk(module)
        if isinstance(node, kinds)
    )
    assert [part for _, part in elements(document)][1:] == [part for _, _, part in expected]


@pytest.mark.parametrize("source", ["print 'two'\n", "def f(:\n", "x = 1\x00", "(" * 5000, "", "\ufeff", "# only\n"])
def test_files_without_elements(source: str) -> None:
    assert elements(python(source)) == [("/module[1]", source)]


def test_long_chains_of_elif() -> None:
    chain = "if x: pass\n" + "".join(f"elif y == {i}: pass\n" for i in range(400)) + "def f(): pass\n"
    assert elements(python(chain))[1:] == [("/module[1]/function[1]", "def f(): pass")]


# ---- trees of files -----------------------------------------------------------------------------------------------

FILES = {
    "shop/cart.py": SHOP.encode(),
    "shop/windows.py": SHOP.replace("\n", "\r\n").encode(),
    "shop/mixed.py": b"def f():\r\n    return 1\rdef g(): return 2\n",
    "shop/old.py": b"print 'two'\n",
    "shop/broken.PY": b"def (:\r\n",
    "web/page.ts": "export const é = '🙂';\r\n".encode(),
    "web/cart.py": b"",
    "Cart.java": b"class Cart {}\n",
    "query.sql": b"\xef\xbb\xbfSELECT 1;\n",
    "README.md": b"# Shop\n",
    "image.png": b"\xff\x00",
    ".git/hook.py": b"x",
}
IDS = ["Cart.java", "README", "query.sql", "shop/broken.PY", "shop/cart.py", "shop/mixed.py", "shop/old.py",
       "shop/windows.py", "web/cart.py", "web/page.ts"]  # fmt: skip


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / "src" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "src" / name).write_bytes(content)
    return tmp_path / "src"


def test_a_source_tree(tree: Path) -> None:
    collection = Collection.open(tree)
    assert sorted(collection) == IDS
    assert collection.notes_on_reading() == []
    for doc_id in set(IDS) - {"README"}:
        assert collection[doc_id].text == FILES[doc_id].decode()  # offsets are those of the file
    assert [path for path, _ in elements(collection["web/page.ts"])] == ["/file[1]"]
    assert [path for path, _ in elements(collection["query.sql"])] == ["/file[1]"]
    assert collection["README"].path == [
        "/document[1]",
        "/document[1]/section[1]",
        "/document[1]/section[1]/heading[1]",
    ]
    unix, windows = elements(collection["shop/cart.py"]), elements(collection["shop/windows.py"])
    assert windows == [(path, text.replace("\n", "\r\n")) for path, text in unix]
    assert [text for _, text in elements(collection["shop/mixed.py"])][1:] == [
        "def f():\r\n    return 1",
        "def g(): return 2",
    ]
    assert collection.notes_on_reading() == [
        f"{tree}: 2 Python files do not parse and have no classes and functions as elements; the first is "
        "'shop/broken.PY'"
    ]


def test_archives_and_indexes_of_a_source_tree(tree: Path, tmp_path: Path) -> None:
    direct = Collection.open(tree)
    with zipfile.ZipFile(tmp_path / "src.zip", "w") as archive, tarfile.open(tmp_path / "src.tar", "w") as tar:
        for name in FILES:
            archive.write(tree / name, name)
            tar.add(tree / name, name)
    write_index(tree, tmp_path / "src.parquet")
    for name in ("src.zip", "src.tar", "src.parquet"):
        other = Collection.open(tmp_path / name)
        assert sorted(other) == IDS
        assert all(other[doc_id] == direct[doc_id] for doc_id in IDS)


def test_code_that_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"x = 1\n# \xe9\n")
    with pytest.raises(PartwiseError) as error:
        Collection.open(tmp_path)["a.py"]
    assert str(error.value).startswith(f"{tmp_path / 'a.py'}:2: ")


# ---- evaluation ---------------------------------------------------------------------------------------------------


def test_element_measures_on_code(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One relevant method; a run that finds its class second, another that finds the method first."""
    monkeypatch.chdir(tmp_path)
    method, cart = "/module[1]/class[1]/function[1]", "/module[1]/class[1]"
    document = Collection.open("src")["shop/cart.py"]
    (start, end), (first, last) = document.span(method), document.span(cart)
    qrels = {"query_id": "q", "doc_id": "shop/cart.py", "start": start, "end": end}
    (tmp_path / "qrels.jsonl").write_text(json.dumps(qrels) + "\n")
    for name, parts in {"classes": [("shop/old.py", "/module[1]"), ("shop/cart.py", cart)],
                        "methods": [("shop/cart.py", method), ("web/page.ts", "/file[1]")]}.items():  # fmt: skip
        rows = [
            {"query_id": "q", "rank": rank, "doc_id": doc_id, "path": path}
            for rank, (doc_id, path) in enumerate(parts, 1)
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ["qrels.jsonl", "classes.jsonl", "methods.jsonl", "--collection", "src", "-f", "tsv"]
    assert main(["evaluate", *arguments, "-m", "nxCG(quant=exhspe)@1 nxCG(quant=exhspe)@2"]) == 0
    out, err = capsys.readouterr()
    values = {tuple(line.split("\t")[:2]): float(line.split("\t")[-1]) for line in out.splitlines()[1:]}
    assert values["methods", "nxCG(quant=exhspe)@1"] == 1
    assert values["classes", "nxCG(quant=exhspe)@1"] == 0
    assert values["classes", "nxCG(quant=exhspe)@2"] == pytest.approx((end - start) / (last - first))
    assert err.splitlines()[0] == (
        "note: src: 1 Python file does not parse and has no classes and functions as elements: 'shop/old.py'"
    )
    assert main(["evaluate", *arguments, "-m", "nxCG(quant=exhspe)@2", "--by", "tag"]) == 0
    tags = {line.split("\t")[1] for line in capsys.readouterr().out.splitlines()[1:]}
    assert tags == {"class", "function", "module", "file"}


def test_commands_on_code(tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", str(tree), "-o", str(tmp_path / "src.parquet")]) == 0
    assert capsys.readouterr().err.splitlines()[-2:] == [
        f"note: {tree}: 2 Python files do not parse and have no classes and functions as elements; the first is "
        "'shop/broken.PY'",
        "10 documents indexed",
    ]
    assert main(["tree", str(tree), "shop/old.py", "-f", "tsv"]) == 0
    out, err = capsys.readouterr()
    assert out == "path\tsize\n/module[1]\t12\n"
    assert err == (
        f"note: {tree}: 1 Python file does not parse and has no classes and functions as elements: 'shop/old.py'\n"
    )
