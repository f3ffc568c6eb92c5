"""Collections: text, trees and paths of every format, archives, the stored index, and how hostile files are refused."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import re
import subprocess
import tarfile
import tempfile
import zipfile
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import partwise as pw
from oracles.kernels import read_markup as slow_markup
from partwise.cli import main
from partwise.collection import Collection, Document, Forest, index, mapped, plain, sources, write_index, xml
from partwise.errors import PartwiseError, PathError
from support.paths import real_data
from support.stored import restored

# ---- XML: the slow and obviously right version ---------------------------------------------------------------

ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
TAGS = ["a", "b", "sec", "title", "é", "x:b", "y:b", "a-very-long-name-of-more-than-32-bytes", "p.q_r-s"]
CHARACTERS = st.text(st.sampled_from("ab \n\t<>&;]'\"é…\u2028\U0001d11e\U0001f600\r"), max_size=6)


@st.composite
def pieces(draw: Any, asides: tuple[str, ...] = (), depth: int = 0) -> str:
    """A random element as source, with mixed content, comments, instructions, CDATA, references and attributes."""
    tag = draw(st.sampled_from(TAGS))
    attribute = draw(st.sampled_from(["", ' id="a&gt;&lt;b/"', " z='>/'", ' x:n="é&#10;&amp;"']))
    kinds = ["text", "text", "number", *asides, *(["element"] * 3 if depth < 4 else [])]
    inside = []
    for kind in draw(st.lists(st.sampled_from(kinds), max_size=5)):
        if kind == "text":
            inside.append("".join(ENTITIES.get(c, c) for c in draw(CHARACTERS)))
        elif kind == "comment":
            inside.append(draw(st.sampled_from(["<!-- <no> & text > -->", "<!---->", "<!-- ?> no -->", "<!-- <? -->"])))
        elif kind == "instruction":
            inside.append(draw(st.sampled_from(["<?no <text> & ?>", "<?no?>", "<?no <!-- ?>", "<?no text ?>"])))
        elif kind == "cdata":
            inside.append("<![CDATA[<" + draw(CHARACTERS).replace("]", "") + "&amp;]]>")
        elif kind == "number":
            inside.append(
                draw(
                    st.sampled_from(["&#13;", "&#x1F600;", "&#38;", "&quot;", "&apos;", "&#233;", "&#x000000000000e9;"])
                )
            )
        elif kind == "bracket":
            inside.append(draw(st.sampled_from([" > ", "-->", "?>", "&amp;lt;", "&#38;#38;"])))
        else:
            inside.append(draw(pieces(asides, depth + 1)))
    if not inside and draw(st.booleans()):
        return f"<{tag}{attribute}/>"
    blank = draw(st.sampled_from(["", " ", "\n"]))
    return f"<{tag}{attribute}{blank}>{''.join(inside)}</{tag}{blank}>"


def slow_tree(source: str) -> tuple[str, list[tuple[str, str, int, int, int]]]:
    """The text, and the path, tag, parent and span of each element."""
    tags, parents, _, starts, ends, text = slow_markup(source)
    paths: list[str] = []
    seen: Counter[tuple[int, str]] = Counter()
    for tag, parent in zip(tags, parents, strict=True):
        seen[parent, tag] += 1
        paths.append(f"{paths[parent] if parent >= 0 else ''}/{tag}[{seen[parent, tag]}]")
    return text, list(zip(paths, tags, parents, starts, ends, strict=True))


def rows_of(document: Document) -> list[tuple[str, str, int, int, int]]:
    columns = document.parent.tolist(), document.start.tolist(), document.end.tolist()
    return list(zip(document.path, document.tag, *columns, strict=True))


def well_formed(document: Document) -> None:
    """What holds for every tree, whatever it is made from."""
    count = len(document)
    parent, start, end, depth, last = (
        getattr(document, name).tolist() for name in ("parent", "start", "end", "depth", "last")
    )
    assert parent[0] == -1
    assert (start[0], end[0]) == (0, document.length)
    assert len(document.path) == len(set(document.path)) == count
    for node in range(1, count):
        above = parent[node]
        assert 0 <= above < node
        assert start[above] <= start[node] <= end[node] <= end[above]
        assert depth[node] == depth[above] + 1
    for node in range(count):
        inside = [other for other in range(count) if is_below(parent, other, node)]
        assert inside == list(range(node, last[node]))
        children = [other for other in range(count) if parent[other] == node]
        assert all(end[a] <= start[b] for a, b in pairwise(children))
        assert document.node(document.path[node]) == node


def is_below(parent: list[int], node: int, ancestor: int) -> bool:
    while node not in (ancestor, -1):
        node = parent[node]
    return node == ancestor


PROLOGS = st.sampled_from(
    ["", "\n", '<?xml version="1.0" encoding="utf-8"?>\n', '<!DOCTYPE doc PUBLIC "-//x" "no.dtd">\n', "<!-- <a> -->",
     "<!DOCTYPE doc SYSTEM '<!--'><!-- c -->", '<!DOCTYPE doc [<!ENTITY e "<b>">]>', "<?p <!-- ?>\n<?q?> "]
)  # fmt: skip
EPILOGS = st.sampled_from(["", "\n", " <!-- <a> --> ", "<?p <a> ?>", "<!----><?p?>"])
ASIDES = st.sets(st.sampled_from(["comment", "instruction", "cdata", "bracket"])).map(
    lambda kinds: tuple(sorted(kinds))
)


@given(ASIDES.flatmap(pieces), PROLOGS, EPILOGS)
def test_xml_equals_the_slow_version(inner: str, prolog: str, epilog: str) -> None:
    source = f'{prolog}<doc xmlns:x="http://x" xmlns:y="http://y">{inner}</doc>{epilog}'.lstrip()
    document = xml.parse("d", source, "d.xml")
    text, rows = slow_tree(source)
    assert document.text == text
    assert document.length == len(text)
    assert rows_of(document) == rows
    well_formed(document)
    assert xml.parse("d", source.encode(), "d.xml") == document
    if "encoding" not in prolog:
        assert xml.parse("d", source.encode("utf-16"), "d.xml") == document
        assert xml.parse("d", b"\xef\xbb\xbf" + source.encode(), "d.xml") == document


def test_xml_by_hand() -> None:
    source = "<a>x<b/>é<b>&lt;<!-- no -->&#x1F600;</b><?no?>z<c><![CDATA[<&]]></c></a>"
    document = Collection.open({"d": source})["d"]
    assert document.text == "xé<\U0001f600z<&"
    assert rows_of(document) == [
        ("/a[1]", "a", -1, 0, 7),
        ("/a[1]/b[1]", "b", 0, 1, 1),
        ("/a[1]/b[2]", "b", 0, 2, 4),
        ("/a[1]/c[1]", "c", 0, 5, 7),
    ]
    assert document.depth.tolist() == [0, 1, 1, 1]
    assert document.last.tolist() == [4, 2, 3, 4]
    assert len(document) == 4
    assert repr(document) == "Document('d', 4 nodes, 7 characters)"


def test_xml_of_another_encoding_and_with_declarations() -> None:
    source = '<?xml version="1.0" encoding="iso-8859-1"?><!DOCTYPE a SYSTEM "no-such.dtd"><a>é</a>'
    assert xml.parse("d", source.encode("latin-1"), "d.xml").text == "é"
    assert Collection.open({"d": "  " + source[source.index("<!") :]})["d"].text == "é"
    assert Collection.open({"d": source})["d"].text == "é"


# ---- paths and pointers --------------------------------------------------------------------------------------

ARTICLE = "<article><bdy>a<sec>bc<p>def</p>gh<p/>i</sec><sec><p>jk</p></sec></bdy></article>"


@pytest.fixture
def article() -> Document:
    return Collection.open({"d1": ARTICLE})["d1"]


def test_paths(article: Document) -> None:
    assert article.text == "abcdefghijk"
    assert article.span("/article[1]/bdy[1]/sec[1]/p[1]") == (3, 6)
    assert article.span("/article/bdy/sec/p") == (3, 6)
    assert article.span("/article[01]/bdy/sec[2]") == (9, 11)
    assert article.span("/article[1]/bdy[1]/sec[1]/p[1]", "/article[1]/bdy[1]/sec[2]") == (3, 11)


def test_pointers(article: Document) -> None:
    sec = "/article[1]/bdy[1]/sec[1]"
    assert article.text_nodes(article.node(sec)) == [(1, 3), (6, 8), (8, 9)]
    assert article.offset(f"{sec}/text()[1].1") == 2
    assert article.offset(f"{sec}/text()[2].0") == 6
    assert article.offset(f"{sec}/text()[2].2") == 8
    assert article.offset(f"{sec}/p/text()[1].3") == 6
    assert article.offset(f"{sec}/text().1") == 2
    assert article.offset(sec) == 1
    assert article.span(f"{sec}/text()[2]") == (6, 8)
    assert article.span(f"{sec}/text()[2].1") == (7, 7)
    assert article.span(f"{sec}/text()[1].1", "/article/bdy/sec[2]/p/text()[1].1") == (2, 10)
    assert article.span(sec, f"{sec}/p[1]") == (1, 6)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (
            "/article[1]/bdy[1]/sec[9]",
            "document d1 has no /article[1]/bdy[1]/sec[9]; the path exists only up to /article[1]/bdy[1]",
        ),
        (
            "/article/bdy/sec[9]/p",
            "document d1 has no /article[1]/bdy[1]/sec[9]/p[1]; the path exists only up to /article[1]/bdy[1]",
        ),
        ("/article[1]/bdy[0]", "document d1 has no /article[1]/bdy[0]; the path exists only up to /article[1]"),
        ("/book[1]/p[1]", "document d1 has no /book[1]/p[1]; its root is /article[1]"),
        ("article", "'article' is not a path; write it like /article[1]/bdy[1]/sec[6]"),
        ("", "'' is not a path; write it like /article[1]/bdy[1]/sec[6]"),
        ("/article[x]", "'/article[x]' is not a path; write it like /article[1]/bdy[1]/sec[6]"),
        ("/article[1]/text()[1].0", "document d1 has no /article[1]/text()[1]; /article[1] has no text of its own"),
        (
            "/article/bdy/text()[2].0",
            "document d1 has no /article[1]/bdy[1]/text()[2]; the last one there is text()[1]",
        ),
        (
            "/article/bdy/text()[1].2",
            "document d1 has no /article[1]/bdy[1]/text()[1].2; the largest offset there is 1",
        ),
        (
            "/article/bdy/sec[3]/text()[1].2",
            "document d1 has no /article[1]/bdy[1]/sec[3]; the path exists only up to /article[1]/bdy[1]",
        ),
    ],
)
def test_paths_that_do_not_exist(article: Document, path: str, line: str) -> None:
    with pytest.raises(PathError) as error:
        article.offset(path)
    assert str(error.value) == line
    again = pickle.loads(pickle.dumps(error.value))
    assert type(again) is PathError
    assert str(again) == line


def test_a_range_that_runs_backwards(article: Document) -> None:
    with pytest.raises(PathError) as error:
        article.span("/article/bdy/sec[2]", "/article/bdy/sec[1]/p[1]")
    assert str(error.value) == (
        "document d1: /article/bdy/sec[1]/p[1] ends before /article/bdy/sec[2] starts; give the earlier path first"
    )


def test_a_range_that_runs_backwards_to_its_neighbour() -> None:
    """The first path starts where the last one ends: an error, not an empty range."""
    document = Collection.open({"d": "<a><p>one</p><p>two</p></a>"})["d"]
    with pytest.raises(PathError, match="ends before"):
        document.span("/a/p[2]", "/a/p[1]")
    assert document.span("/a/p[1]/text()[1].3", "/a/p[2]/text()[1].0") == (3, 3)
    assert document.span("/a/p[2]", "/a") == (3, 6)


# ---- units ---------------------------------------------------------------------------------------------------


@given(st.text(st.sampled_from("ab é…\U0001f600"), max_size=20))
def test_bytes_to_characters(text: str) -> None:
    document = plain.parse("d", text, "d.txt").in_unit("bytes")
    data = text.encode()
    offsets = np.arange(len(data) + 3)
    slow = [len(data[:offset].decode(errors="ignore")) for offset in offsets]
    assert document.char_positions(offsets).tolist() == slow


def test_bytes_need_the_text() -> None:
    document = Document("d", ["a"], np.array([-1]), np.array([0]), np.array([3]), 3)
    with pytest.raises(PartwiseError) as error:
        document.in_unit("bytes")
    assert (
        str(error.value)
        == "the text of document d is not stored, and offsets in bytes need it; index the collection with texts"
    )


# ---- plain text, Markdown, HTML ------------------------------------------------------------------------------


def shape(document: Document) -> list[tuple[str, str]]:
    """Each node below the root: its path without the root's step, and its text."""
    assert document.text is not None
    spans = zip(document.start.tolist(), document.end.tolist(), strict=True)
    nodes = [(path, document.text[start:end]) for path, (start, end) in zip(document.path, spans, strict=True)]
    return [(path.removeprefix("/document[1]"), text) for path, text in nodes[1:]]


def test_plain_text() -> None:
    text = "\n \nOne\n two \r\n\t\r\n  Three\n\n\n"
    document = plain.parse("d", text, "d.txt")
    assert document.text == text
    assert shape(document) == [("/p[1]", "One\n two "), ("/p[2]", "  Three")]
    assert shape(plain.parse("d", "", "d.txt")) == []
    assert shape(plain.parse("d", " \n", "d.txt")) == []


MARKDOWN = """Before

# One
First *line*
second

- a
- b

  more b
   1. deep
## Two

| x | y |
|---|---|
| 1 | 2 |

```py
# no heading

```
    indented
### Three
> # quoted
> text

Four
====
<div>
html
</div>
"""


def test_markdown() -> None:
    parsed = sources.FORMATS[".md"]("d", MARKDOWN, "d.md")
    assert parsed.text == MARKDOWN
    one, two = "/section[1]", "/section[1]/section[1]"
    texts = dict(shape(parsed))
    assert list(texts) == [
        "/p[1]",
        one,
        f"{one}/heading[1]",
        f"{one}/p[1]",
        f"{one}/ul[1]",
        f"{one}/ul[1]/li[1]",
        f"{one}/ul[1]/li[1]/p[1]",
        f"{one}/ul[1]/li[2]",
        f"{one}/ul[1]/li[2]/p[1]",
        f"{one}/ul[1]/li[2]/p[2]",
        f"{one}/ul[1]/li[2]/ol[1]",
        f"{one}/ul[1]/li[2]/ol[1]/li[1]",
        two,
        f"{two}/heading[1]",
        f"{two}/table[1]",
        f"{two}/code[1]",
        f"{two}/code[2]",
        f"{two}/section[1]",
        f"{two}/section[1]/heading[1]",
        f"{two}/section[1]/blockquote[1]",
        f"{two}/section[1]/blockquote[1]/heading[1]",
        f"{two}/section[1]/blockquote[1]/p[1]",
        "/section[2]",
        "/section[2]/heading[1]",
        "/section[2]/html[1]",
    ]
    assert texts[one] == MARKDOWN[MARKDOWN.index("# One") : MARKDOWN.index("Four")]
    assert texts[two] == MARKDOWN[MARKDOWN.index("## Two") : MARKDOWN.index("Four")]
    assert texts[f"{one}/p[1]"] == "First *line*\nsecond"
    assert texts[f"{one}/ul[1]"] == "- a\n- b\n\n  more b\n   1. deep"
    assert texts[f"{one}/ul[1]/li[1]"] == "- a"
    assert texts[f"{two}/table[1]"] == "| x | y |\n|---|---|\n| 1 | 2 |"
    assert texts[f"{two}/code[1]"] == "```py\n# no heading\n\n```"
    assert texts["/section[2]/heading[1]"] == "Four\n===="
    assert texts["/section[2]"] == "Four\n====\n<div>\nhtml\n</div>\n"
    assert texts["/p[1]"] == "Before"


def test_markdown_of_other_line_ends() -> None:
    parse = sources.FORMATS[".md"]
    parsed = parse("d", "# One\r\n\r\ntext\rmore\r\n## Two\r\nend", "d.md")
    assert dict(shape(parsed)) == {
        "/section[1]": parsed.text,
        "/section[1]/heading[1]": "# One",
        "/section[1]/p[1]": "text\rmore",
        "/section[1]/section[1]": "## Two\r\nend",
        "/section[1]/section[1]/heading[1]": "## Two",
        "/section[1]/section[1]/p[1]": "end",
    }


BLOCKS = st.lists(
    st.sampled_from(
        ["# h", "### h", "text", "- item", "  - deep", "1. one", "> quote", "> - in", "```", "    code", "", "",
         "|a|b|", "|-|-|", "===", "---", "<div>", "\t", "é\U0001f600", "> > # q", "- # h", "[r]: x"]
    ),
    max_size=12,
)  # fmt: skip


@given(BLOCKS, st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
def test_trees_of_markdown_and_text_are_well_formed(blocks: list[str], end: str, closed: bool) -> None:
    text = end.join(blocks) + (end if closed else "")
    for suffix in (".md", ".txt"):
        document = sources.FORMATS[suffix]("d", text, "d")
        assert document.text == text
        well_formed(document)


def test_html() -> None:
    source = """<!DOCTYPE html><html><head><title>no</title><style>no</style></head><body>
    <nav>Menu</nav>
    <div><h1>One &amp; <i>only</i></h1> loose <b>text</b><!-- no -->, on
    <p>First<br>line</p><script>no()</script>
    <ul><li>a <li>b<ul><li>c</li></ul></ul></div>
    <h2>Two</h2><p></p>
    <table><tr><th>x</th><th>y</th></tr><tr><td>1</td><td>2 3</td></tr></table>
    <pre>
  code  here
</pre><blockquote><h3>Q</h3>quoted</blockquote></div>
    <h1></h1><h1>Three</h1>tail</body></html>"""
    document = sources.FORMATS[".html"]("d", source, "d.html")
    two = "/section[1]/section[1]"
    assert shape(document) == [
        ("/p[1]", "Menu"),
        ("/section[1]", document.text[5 : document.text.index("Three") - 1]),  # type: ignore[index, union-attr]
        ("/section[1]/heading[1]", "One & only"),
        ("/section[1]/p[1]", "loose text, on"),
        ("/section[1]/p[2]", "First\nline"),
        ("/section[1]/ul[1]", "a\nb\nc"),
        ("/section[1]/ul[1]/li[1]", "a"),
        ("/section[1]/ul[1]/li[2]", "b\nc"),
        ("/section[1]/ul[1]/li[2]/ul[1]", "c"),
        ("/section[1]/ul[1]/li[2]/ul[1]/li[1]", "c"),
        (two, "Two\nx\ty\n1\t2 3\n\n  code  here\n\nQ\nquoted"),
        (f"{two}/heading[1]", "Two"),
        (f"{two}/table[1]", "x\ty\n1\t2 3"),
        (f"{two}/code[1]", "\n  code  here\n"),
        (f"{two}/blockquote[1]", "Q\nquoted"),
        (f"{two}/blockquote[1]/heading[1]", "Q"),
        ("/section[2]", "Three\ntail"),
        ("/section[2]/heading[1]", "Three"),
        ("/section[2]/p[1]", "tail"),
    ]
    well_formed(document)


@given(
    st.lists(
        st.sampled_from(
            ["<p>", "</p>", "<h1>", "</h1>", "<h3>", "</h3>", "<div>", "</div>", "<ul>", "<li>", "</ul>", "<table>",
             "<td>", "</table>", "<pre>", "</pre>", "<br>", "text", " ", "\n", "é", "<blockquote>", "</blockquote>",
             "<script>x", "</script>", "<!-- c -->", "&nbsp;", "&foo;", "<b>", "</b>", "<hr>", "</body>"]
        ),
        max_size=15,
    )
)  # fmt: skip
def test_trees_of_html_are_well_formed(parts: list[str]) -> None:
    document = sources.FORMATS[".htm"]("d", "".join(parts), "d.html")
    well_formed(document)
    assert all(start < end for start, end in zip(document.start[1:], document.end[1:], strict=True))


def test_html_encodings_and_empty_pages() -> None:
    parse = sources.FORMATS[".html"]
    assert parse("d", '<meta charset="latin-1"><p>é'.encode("latin-1"), "d").text == "é"
    assert parse("d", "<p>é\U0001f600".encode(), "d").text == "é\U0001f600"
    for empty in ("", "  ", "<!-- c -->", "<html></html>"):
        assert parse("d", empty, "d").text == ""


# ---- collections ---------------------------------------------------------------------------------------------

FILES = {
    "a.xml": b"<a><p>One</p></a>",
    "sub/b.nxml": b"<b>Two</b>",
    "sub/deep/c.md": b"# Three\n\ntext\n",
    "d.TXT": b"Four\n\nfive",
    "e.html": b"<h1>Six</h1>seven",
    "f.v2.htm": b"eight",
    "g.markdown": b"nine",
    "notes.pdf": b"%PDF",
    ".hidden.xml": b"<broken",
    ".git/x.xml": b"<broken",
}
IDS = ["a", "d", "e", "f.v2", "g", "sub/b", "sub/deep/c"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "files"
    for name, content in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


def packed(folder: Path, kind: str) -> Path:
    target = folder.parent / f"files.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in FILES.items():
                archive.writestr(name, content)
    else:
        with tarfile.open(target, "w:gz" if kind != "tar" else "w") as archive:
            archive.add(folder, ".")
    return target


def test_folder(folder: Path) -> None:
    collection = Collection.open(folder)
    assert collection.name == str(folder)
    assert repr(collection) == f"Collection({str(folder)!r})"
    assert sorted(collection.doc_ids()) == IDS
    assert len(collection) == len(IDS)
    assert sorted(collection) == IDS
    assert "sub/b" in collection
    assert "sub/x" not in collection
    assert collection["sub/b"].text == "Two"
    assert collection["d"].text == "Four\n\nfive"
    assert collection["a"] is collection["a"]
    assert Collection.open(collection) is collection
    with pytest.raises(PartwiseError) as error:
        collection["x"]
    assert str(error.value) == f"{folder}: has no document 'x'; its first document is {collection.doc_ids()[0]!r}"


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz", "tgz"])
def test_archives_equal_their_folder(folder: Path, kind: str) -> None:
    collection, unpacked = Collection.open(packed(folder, kind)), Collection.open(folder)
    assert sorted(collection.doc_ids()) == IDS
    for doc_id in reversed(IDS):
        assert collection[doc_id] == unpacked[doc_id]
    again = pickle.loads(pickle.dumps(collection))
    assert again["a"] == unpacked["a"]


def test_jsonl(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"doc_id": "t", "text": "One\n\ntwo é\U0001f600"},
        {"doc_id": "x", "xml": "<a>\n<b>é</b></a>", "html": None},
        {"doc_id": 7, "markdown": "# h\n"},
        {"doc_id": "h", "html": "<p>x", "title": "other fields are ignored"},
    ]
    data = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n\n"
    (tmp_path / "c.jsonl").write_text(data)
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(data.encode()))
    for name in ("c.jsonl", "c.jsonl.gz"):
        collection = Collection.open(tmp_path / name)
        assert collection.doc_ids() == ["t", "x", "7", "h"]
        assert collection["x"].text == "\né"
        assert collection["t"].path == ["/document[1]", "/document[1]/p[1]", "/document[1]/p[2]"]
        assert collection["7"].tag == ["document", "section", "heading"]
        assert collection["h"].tag == ["document", "p"]


def test_mapping() -> None:
    parsed = plain.parse("z", "as it is", "z")
    collection = Collection.open({"x": "\n <a>b</a>", "t": "a < b", "z": parsed})
    assert collection.name == "collection"
    assert collection["x"].tag == ["a"]
    assert collection["t"].tag == ["document", "p"]
    assert collection["z"] is parsed
    assert pickle.loads(pickle.dumps(collection))["x"] == collection["x"]


def test_a_collection_pickles_without_its_documents(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    collection = Collection.open("files")
    collection["a"]
    data = pickle.dumps(collection)
    assert len(data) < 500
    assert b"One" not in data
    monkeypatch.chdir("/")
    again = pickle.loads(data)
    assert again.name == "files"
    assert again["a"] == collection["a"]


def test_documents_pickle(folder: Path) -> None:
    document = Collection.open(folder)["sub/deep/c"]
    again = pickle.loads(pickle.dumps(document))
    assert again == document
    assert hash(again) == hash(document)
    assert again.path == document.path
    assert document != "something else"


def test_the_cache_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    import partwise.collection

    monkeypatch.setattr(partwise.collection, "_CACHE", 1000)
    collection = Collection.open({str(i): "x" * 300 for i in range(10)})
    for i in range(10):
        collection[str(i)]
    assert list(collection._kept) == ["8", "9"]


# ---- the stored index ----------------------------------------------------------------------------------------


def test_an_index_equals_its_folder(folder: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    write_index(
        Collection.open(folder), tmp_path / "i.parquet", progress=lambda done, total: seen.append((done, total))
    )
    assert seen == [(i + 1, len(IDS)) for i in range(len(IDS))]
    direct, stored = Collection.open(folder), Collection.open(tmp_path / "i.parquet")
    assert stored.doc_ids() == direct.doc_ids()
    for doc_id in IDS:
        assert stored[doc_id] == direct[doc_id]
        assert stored[doc_id].path == direct[doc_id].path
        assert stored[doc_id].depth.tolist() == direct[doc_id].depth.tolist()
        assert stored[doc_id].start.dtype == np.int64
    assert pickle.loads(pickle.dumps(stored))["a"] == direct["a"]
    write_index(stored, tmp_path / "again.parquet")
    assert pq.read_table(tmp_path / "again.parquet").to_pylist() == pq.read_table(tmp_path / "i.parquet").to_pylist()


def test_the_rows_of_an_index(folder: Path, tmp_path: Path) -> None:
    write_index(folder, tmp_path / "i.parquet")
    table = pq.read_table(tmp_path / "i.parquet")
    assert table.column_names == ["doc", "preorder", "parent", "depth", "tag", "path", "start", "end", "text"]
    rows = [tuple(row.values()) for row in table.to_pylist() if row["doc"] == "a"]
    assert rows == [("a", 0, -1, 0, "a", "/a[1]", 0, 3, "One"), ("a", 1, 0, 1, "p", "/a[1]/p[1]", 0, 3, None)]


@given(st.dictionaries(st.text(st.characters(codec="utf-8"), min_size=1, max_size=3), pieces(), min_size=1, max_size=8))
def test_any_index_equals_its_source(inner: dict[str, str]) -> None:
    documents = {name: f'<d xmlns:x="u:x" xmlns:y="u:y">{source}</d>' for name, source in inner.items()}
    direct = Collection.open(documents)
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as name:
        patch.setattr(index, "_NODES", 6)
        write_index(direct, f"{name}/i.parquet")
        stored = Collection.open(f"{name}/i.parquet")
        table = pq.read_table(f"{name}/i.parquet")
        assert table["path"].to_pylist() == [path for doc_id in direct for path in direct[doc_id].path]
        assert table["depth"].to_pylist() == [depth for doc_id in direct for depth in direct[doc_id].depth]
        labels = Counter(re.sub(r"\[\d+\]", "", path) for path in table["path"].to_pylist())
        assert stored.label_counts() == labels == direct.label_counts()
        for doc_id in direct:
            assert stored[doc_id] == direct[doc_id]


def test_an_index_without_texts(folder: Path, tmp_path: Path) -> None:
    write_index(folder, tmp_path / "i.parquet", texts=False)
    document = Collection.open(tmp_path / "i.parquet")["a"]
    assert document.text is None
    assert document.length == 3
    assert document.span("/a/p") == (0, 3)
    assert "text" not in pq.read_schema(tmp_path / "i.parquet").names
    with pytest.raises(PartwiseError) as error:
        write_index(tmp_path / "i.parquet", tmp_path / "j.parquet")
    assert str(error.value) == "the text of document a is not available; write the index without texts"
    assert not (tmp_path / "j.parquet").exists()
    write_index(tmp_path / "i.parquet", tmp_path / "j.parquet", texts=False)


def test_an_index_is_read_where_it_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "_NODES", 10)
    write_index({str(i): f"<a>{'<b/>' * 4}{i}</a>" for i in range(40)}, tmp_path / "i.parquet")
    assert pq.ParquetFile(tmp_path / "i.parquet").metadata.num_row_groups == 20
    stored = Collection.open(tmp_path / "i.parquet")
    assert isinstance(stored.source, index.Stored)
    assert not stored.source._groups
    assert stored["31"].text == "31"
    assert list(stored.source._groups) == [15]
    for i in range(40):
        assert stored[str(i)].text == str(i)
    assert list(stored.source._groups) == [16, 17, 18, 19]


def test_files_that_are_not_an_index(tmp_path: Path) -> None:
    path = tmp_path / "i.parquet"
    pq.write_table(pa.table({"doc": ["a"]}), path)
    assert problem_of(path) == f"{path}: is not an index of a collection; write one with partwise index"
    path.write_text("no Parquet at all")
    assert problem_of(path).startswith(f"{path}: is damaged or not a Parquet index (")
    write_index({"a": "text", "b": "<a>b</a>"}, path)
    whole = path.read_bytes()
    for cut in range(0, len(whole) - 1, 97):
        path.write_bytes(whole[:cut])
        assert problem_of(path).startswith(f"{path}: is damaged or not a Parquet index (")


def test_a_damaged_index_is_an_error_or_unchanged(tmp_path: Path) -> None:
    """Every document and the directory have a checksum, so a changed byte is an error unless nothing depends on it."""
    path = tmp_path / "i.parquet"
    documents = {str(i): f"<a>{i}<b>é{i}</b></a>" for i in range(9)}
    write_index(documents, path)
    whole = path.read_bytes()
    as_written = texts_of(path)
    assert as_written == {str(i): f"{i}é{i}" for i in range(9)}
    trees = stored_in(path)
    refused, unchanged = [], 0
    for at in range(4, len(whole), 5):
        broken = bytearray(whole)
        broken[at] ^= 0x5A
        path.write_bytes(broken)
        try:
            changed = stored_in(path)
            assert changed == trees, at
            assert Collection.open(path).label_counts() == {"/a": 9, "/a/b": 9}, at
            unchanged += 1
        except PartwiseError as error:
            refused.append(str(error))
    assert len(refused) > 100
    assert unchanged
    assert not [line for line in refused if "\n" in line or not line.startswith(f"{path}: ")]


def stored_in(path: Path) -> list[tuple[Any, ...]]:
    """All that an index holds, as plain values."""
    collection = Collection.open(path)
    documents = [collection[doc_id] for doc_id in collection]
    return [
        (one.doc_id, one.length, one.text, one.tag, one.parent.tolist(), one.start.tolist(), one.end.tolist())
        for one in documents
    ]


def block(*rows: tuple[int, int, int, int]) -> bytes:
    """The blocks of documents of one node each."""
    return np.array(rows, "<i4").tobytes()


AS_IT_IS = (-1, 0, 4, 0)
NO_DOCUMENTS = dict.fromkeys(("length", "checksum", "ids", "text_checksum"), b"")
DIRECTORY = "its directory does not match its rows"
NOT_AS_WRITTEN: dict[str, tuple[dict[str, Any], str]] = {
    "an id twice": ({"ids": b"aa"}, "is damaged or not a Parquet index (an id occurs twice)"),
    "an id that is not UTF-8": ({"ids": b"a\xff"}, "is damaged or not a Parquet index ("),
    "ids outside of their section": ({"id_offsets": [0, 1, 9], "with_checksums": False}, "has no document 'b'"),
    "a document without nodes": ({"first": [0, 2, 2]}, "the nodes of document a are inconsistent"),
    "nodes that wrap around": ({"first": [0, 2**62, 2]}, "the nodes of document a are inconsistent"),
    "nodes outside of their section": ({"first": [0, 1, 3]}, DIRECTORY),
    "no documents": ({**NO_DOCUMENTS, "first": [0], "id_offsets": [0]}, DIRECTORY),
    "fewer lengths": ({"length": [4], "with_checksums": False}, DIRECTORY),
    "a negative length": ({"length": [4, -1]}, "the nodes of document b are inconsistent"),
    "another length": ({"length": [4, 5], "with_checksums": False}, "the nodes of document b are inconsistent"),
    "a length that the text does not have": ({"length": [4, 5]}, "the nodes of document b are inconsistent"),
    "another checksum": ({"checksum": [1, 2], "with_checksums": False}, "the nodes of document a are inconsistent"),
    "another checksum of a text": ({"text_checksum": [1, 2]}, "the nodes of document a are inconsistent"),
    "offsets that run backwards": ({"blocks": block(AS_IT_IS, (-1, 3, 2, 0))}, "document b"),
    "offsets past the end": ({"blocks": block(AS_IT_IS, (-1, 0, 5, 0))}, "document b"),
    "a root with a parent": ({"blocks": block(AS_IT_IS, (0, 0, 4, 0))}, "document b"),
    "an unknown tag": ({"blocks": block(AS_IT_IS, (-1, 0, 4, 1))}, "document b"),
    "tags as numbers": ({"tags": [1]}, "the header is not as it was written"),
    "labels that are not counted": ({"labels": b'{"/a": "x"}'}, DIRECTORY),
    "labels of other nodes": ({"labels": b'{"/a": 7}'}, DIRECTORY),
    "labels in a list": ({"labels": b"[1]"}, DIRECTORY),
    "no tags": ({"tags": True}, "the header is not as it was written"),
    "no sections": ({"header": {"sections": {}}}, "the header is not as it was written"),
    "sections without places": ({"header": {"sections": [1]}}, "the header is not as it was written"),
    "a section outside of the file": ({"places": {"first": [8, 2**40, 0]}}, "the section first is not in the file"),
    "a section before the file": ({"places": {"first": [-8, 16, 0]}}, "the section first is not in the file"),
}


@pytest.mark.parametrize("name", NOT_AS_WRITTEN)
def test_an_index_that_we_did_not_write(name: str, tmp_path: Path) -> None:
    path = tmp_path / "i.parquet"
    write_index({"a": "<a>text</a>", "b": "<a>more</a>"}, path)
    restored(path)
    assert texts_of(path) == {"a": "text", "b": "more"}
    changes, expected = NOT_AS_WRITTEN[name]
    restored(path, **changes)
    with pytest.raises(PartwiseError) as error:
        _ = stored_in(path), Collection.open(path).label_counts()
    assert expected in str(error.value)
    assert "\n" not in str(error.value)


def test_an_index_of_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "i.parquet"
    monkeypatch.setattr(index, "VERSION", 4)
    write_index({"a": "text"}, path)
    monkeypatch.undo()
    other = f"{path}: is an index of version %d, but this release reads version 3; write it again with partwise index"
    assert problem_of(path) == other % 4
    table = pa.table({"doc": ["a"]}).replace_schema_metadata({"partwise.index": "2"})
    pq.write_table(table, path)
    assert problem_of(path) == other % 2


@given(st.sets(st.text(st.characters(codec="utf-8"), max_size=3), min_size=1, max_size=20), st.data())
def test_any_documents_of_an_index(ids: set[str], data: st.DataObject) -> None:
    """Trees and lengths of some documents, without the others, equal those of the documents."""
    chance = data.draw(st.randoms(use_true_random=False))
    contents = {doc_id: f"<a>{'<b>x</b>' * chance.randrange(4)}é</a>" for doc_id in sorted(ids)}
    with tempfile.TemporaryDirectory() as name:
        write_index(contents, f"{name}/i.parquet")
        stored = Collection.open(f"{name}/i.parquet")
        asked = data.draw(st.lists(st.sampled_from(sorted(ids)), max_size=6))
        forest, expected = stored.forest(asked), Forest.of([Collection.open(contents)[doc_id] for doc_id in asked])
        for column in ("offsets", "parent", "start", "end", "last", "depth", "length"):
            np.testing.assert_array_equal(getattr(forest, column), getattr(expected, column))
        for column in ("tags", "labels", "paths"):
            assert getattr(forest, column).values() == getattr(expected, column).values()
        assert stored.lengths(asked).tolist() == expected.length.tolist()
        assert [forest.document(tree) for tree in range(len(forest))] == [
            Document(one.doc_id, one.tags, one.parent, one.start, one.end, one.length)
            for one in map(expected.document, range(len(expected)))
        ]
        others = data.draw(st.lists(st.text(max_size=3), max_size=6))
        assert stored.has(others).tolist() == [other in ids for other in others]
        assert stored.doc_ids() == sorted(ids)


def test_opening_an_index_reads_no_ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_index({str(i): "text" for i in range(50)}, tmp_path / "i.parquet")
    monkeypatch.setattr(mapped.Mapped, "doc_ids", None)
    stored = Collection.open(tmp_path / "i.parquet")
    assert "49" in stored
    assert "50" not in stored
    assert stored.forest(["7"]).length.tolist() == [4]


def test_nothing_is_half_written(tmp_path: Path) -> None:
    (tmp_path / "i.parquet").write_text("earlier")
    with pytest.raises(PartwiseError, match=r"^document b:1: is not well-formed XML \("):
        write_index({"a": "<a/>", "b": "<a>"}, tmp_path / "i.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["i.parquet"]
    assert (tmp_path / "i.parquet").read_text() == "earlier"
    with pytest.raises(PartwiseError) as error:
        write_index({"a": "x"}, tmp_path / "no" / "i.parquet")
    assert str(error.value) == (
        f"{tmp_path}/no/i.parquet: cannot be written (No such file or directory); "
        "give a path in a folder you can write to"
    )


# ---- errors --------------------------------------------------------------------------------------------------


def read_all(source: Any) -> None:
    collection = Collection.open(source)
    for doc_id in collection:
        well_formed(collection[doc_id])


def texts_of(source: Any) -> dict[str, str | None]:
    read_all(source)
    collection = Collection.open(source)
    return {doc_id: collection[doc_id].text for doc_id in collection}


def problem_of(source: Any) -> str:
    """The error line that opening a collection and reading all of it gives."""
    with pytest.raises(PartwiseError) as error:
        read_all(source)
    assert "\n" not in str(error.value)
    return str(error.value)


BILLION = (
    '<!DOCTYPE a [<!ENTITY l0 "lol">'
    + "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    + "]>\n<a>{}</a>"
)


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("<a>\n<b></a>", "2: is not well-formed XML (Opening and ending tag mismatch: b line 2 and a); fix the markup"),
        ("<a/>x", "1: is not well-formed XML (Extra content at the end of the document); fix the markup"),
        ("<a>\n&foo;</a>", "2: the entity &foo; is not defined; write the character itself or a numeric reference"),
        (
            '<!DOCTYPE a SYSTEM "no.dtd">\n<a>\n\n<b/>&nbsp;</a>',
            "4: the entity &nbsp; is not defined; write the character itself or a numeric reference",
        ),
        (
            '<!DOCTYPE a SYSTEM "no.dtd">\n<a>\n\n<b c="&nbsp;"/></a>',
            "4: the entity &nbsp; is not defined; write the character itself or a numeric reference",
        ),
        (
            '<!DOCTYPE a [<!ENTITY foo "bar">]>\n<a>\n<b/>&foo;</a>',
            "3: the entity &foo; is declared in the document, which is not supported; write its text where it is used",
        ),
        (
            '<!DOCTYPE a [<!ENTITY foo "bar">]>\n<a>\n<b c="&foo;"/></a>',
            "3: the entity &foo; is declared in the document, which is not supported; write its text where it is used",
        ),
        (
            '<!DOCTYPE a [<!ENTITY foo SYSTEM "file:///etc/passwd">]>\n<a>&foo;</a>',
            "2: the entity &foo; is declared in the document, which is not supported; write its text where it is used",
        ),
        ("<a>" * 250 + "</a>" * 250, "1: nests elements more than 200 levels deep; reduce the nesting"),
        ("<a>" * 9000 + "</a>" * 9000, "1: nests elements more than 200 levels deep; reduce the nesting"),
        ("<a>&#0;</a>", "1: is not well-formed XML (xmlParseCharRef: invalid xmlChar value 0); fix the markup"),
    ],
)
def test_xml_that_is_refused(source: str, line: str, tmp_path: Path) -> None:
    (tmp_path / "d.xml").write_text(source)
    assert problem_of(tmp_path) == f"{tmp_path}/d.xml:{line}"
    assert problem_of({"d": source}) == f"document d:{line}"


def test_deep_is_not_too_deep() -> None:
    """The root is at depth 0."""
    assert len(xml.parse("d", "<a>" * 201 + "x" + "</a>" * 201, "d")) == 201
    with pytest.raises(PartwiseError, match=r"^d:202: nests elements more than 200 levels deep"):
        xml.parse("d", "<a>\n" * 202 + "</a>" * 202, "d")


@pytest.mark.parametrize("place", ["{}", '<b c="{}"/>'])
def test_entities_that_multiply(place: str) -> None:
    line = problem_of({"d": BILLION.replace("{}", place.format("&l9;"))})
    assert line.startswith("document d:")
    assert len(line) < 200


def test_no_other_file_is_read(tmp_path: Path) -> None:
    """A DTD that exists, and would define the entity or break the parsing, is not read."""
    (tmp_path / "evil.dtd").write_text('<!ENTITY foo "EVIL">')
    (tmp_path / "broken.dtd").write_text("<<<<")
    for start in ('<!DOCTYPE a SYSTEM "{}/evil.dtd">', '<!DOCTYPE a [<!ENTITY % p SYSTEM "{}/evil.dtd"> %p;]>'):
        (tmp_path / "d.xml").write_text(start.format(tmp_path) + "<a>&foo;</a>")
        assert problem_of(tmp_path) == (
            f"{tmp_path}/d.xml:1: the entity &foo; is not defined; write the character itself or a numeric reference"
        )
    for start in ('<!DOCTYPE a SYSTEM "{}/broken.dtd">', '<!DOCTYPE a [<!ENTITY % p SYSTEM "{}/broken.dtd"> %p;]>'):
        (tmp_path / "d.xml").write_text(start.format(tmp_path) + "<a>x</a>")
        assert Collection.open(tmp_path)["d"].text == "x"
    included = '<a xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="evil.dtd" parse="text"/></a>'
    assert Collection.open({"d": included})["d"].text == ""


def test_huge_attributes_and_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    line = problem_of({"d": f'<a b="{"x" * 11_000_000}"/>'})
    assert line.startswith("document d:1: is not well-formed XML (")
    assert len(line) < 200
    monkeypatch.setattr(plain, "LARGEST", 1 << 20)
    monkeypatch.setattr(sources, "LARGEST", 1 << 20)
    large = "is larger than 1 MB, the limit for one document; split it"
    for suffix in ("txt", "xml", "html", "md"):
        (tmp_path / f"d.{suffix}").write_bytes(b"x" * (1 << 22))
        assert problem_of(tmp_path) == f"{tmp_path}/d.{suffix}: {large}"
        (tmp_path / f"d.{suffix}").unlink()
    with zipfile.ZipFile(tmp_path / "c.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("d.txt", b"x" * (1 << 22))
    assert problem_of(tmp_path / "c.zip") == f"{tmp_path}/c.zip/d.txt: {large}"
    with tarfile.open(tmp_path / "c.tgz", "w:gz") as tar:
        info = tarfile.TarInfo("d.txt")
        info.size = 1 << 22
        tar.addfile(info, io.BytesIO(b"x" * (1 << 22)))
    assert problem_of(tmp_path / "c.tgz") == f"{tmp_path}/c.tgz/d.txt: {large}"


def test_archives_that_expand_to_too_much(tmp_path: Path) -> None:
    (tmp_path / "c.tar.gz").write_bytes(gzip.compress(b"\0" * (1 << 22)))
    with pw.reading(max_unpacked="1MiB"):
        assert problem_of(tmp_path / "c.tar.gz") == (
            f"{tmp_path}/c.tar.gz: expands to more than 1 MiB; unpack it and give the folder, or raise the limit: "
            "--max-unpacked 2MiB"
        )


@pytest.mark.parametrize("member", ["../x.xml", "/x.xml", "a/../../x.xml", "a\\..\\x.xml"])
def test_archives_with_unsafe_members(tmp_path: Path, member: str) -> None:
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        archive.writestr("ok.xml", "<a/>")
        archive.writestr(member, "<a/>")
    with tarfile.open(tmp_path / "c.tar", "w") as tar:
        tar.addfile(tarfile.TarInfo(member), io.BytesIO())
    for name in ("c.zip", "c.tar"):
        assert problem_of(tmp_path / name) == (
            f"{tmp_path}/{name}: has the unsafe member {member!r}; members must have relative paths inside the archive"
        )


def test_links_in_archives_are_ignored(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "c.tar", "w") as tar:
        for name, kind in (("l.xml", tarfile.SYMTYPE), ("h.xml", tarfile.LNKTYPE), ("p.xml", tarfile.FIFOTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            tar.addfile(info)
        info = tarfile.TarInfo("d.txt")
        info.size = 4
        tar.addfile(info, io.BytesIO(b"text"))
    assert Collection.open(tmp_path / "c.tar").doc_ids() == ["d"]


def write_tar(path: Path, *members: tuple[str, bytes]) -> None:
    with tarfile.open(path, "w") as tar:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))


def test_members_of_tar_archives(tmp_path: Path) -> None:
    """Long and sparse members too; two of one name are an error, and so is an archive that becomes shorter."""
    path, long = tmp_path / "c.tar", "x" * 300
    write_tar(path, ("a.txt", b"one"), (f"{long}.txt", b"two"), ("b.txt", b"three"))
    collection = Collection.open(path)
    assert [(doc, collection[doc].text) for doc in collection] == [("a", "one"), (long, "two"), ("b", "three")]
    write_tar(path, ("a.txt", b"one"), ("b.txt", b""), ("a.txt", b"two"))
    assert problem_of(path) == f"{path}: has two documents 'a', a.txt and a.txt; rename one of them"
    write_tar(path, ("a.txt", b"one" * 1000), ("b.txt", b"two"))
    collection = Collection.open(path)
    assert len(collection) == 2
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(PartwiseError) as error:
        collection["a"]
    assert str(error.value) == f"{path}/a.txt: is damaged or not an archive (unexpected end of data); create it again"
    info = tarfile.TarInfo("a.txt")
    info.size = -512
    path.write_bytes(info.tobuf(tarfile.GNU_FORMAT) + bytes(10240))
    assert problem_of(path) == (
        f"{path}: is damaged or not an archive (the size of a member is negative); create it again"
    )
    with open(tmp_path / "holes.txt", "wb") as file:
        file.seek(1 << 20)
        file.write(b"end")
    subprocess.run(["tar", "--sparse", "-cf", path, "holes.txt"], check=True, cwd=tmp_path)
    assert path.stat().st_size < 1 << 20
    assert Collection.open(path).source.reader("holes").args[1] == (tmp_path / "holes.txt").read_bytes()


def test_files_that_are_not_archives(tmp_path: Path) -> None:
    for name in ("c.zip", "c.tar", "c.tgz"):
        (tmp_path / name).write_bytes(b"\x1f\x8b and then something else that is long enough to be read" * 20)
        line = problem_of(tmp_path / name)
        assert line.startswith(f"{tmp_path}/{name}: is damaged or not an archive (")
        assert line.endswith("); create it again")


SUFFIXES = ".xml, .nxml, .md, .markdown, .html, .htm, .txt, or as source code does (.py, ...)"
KINDS = "a folder, a .zip, .tar, .tar.gz or .jsonl file, an index (.parquet), or a mapping of ids to texts"


def test_sources_that_are_not_collections(tmp_path: Path) -> None:
    (tmp_path / "notes.pdf").write_bytes(b"x")
    assert problem_of(tmp_path) == f"{tmp_path}: contains no documents; the names of documents end in {SUFFIXES}"
    assert problem_of(tmp_path / "notes.pdf") == f"{tmp_path}/notes.pdf: is not a collection; give {KINDS}"
    assert problem_of(tmp_path / "no") == (f"{tmp_path}/no: no such file or folder; give a path that exists")
    assert problem_of(5) == f"the collection is of type int; give {KINDS}"
    assert problem_of({}) == "the collection contains no documents; give at least one document"
    assert problem_of({"d": 5}) == "document d is of type int; give its text or XML as a string, or a Document"
    assert problem_of({5: "x"}) == "the document id '5' is not a string; give document ids as strings"
    assert (
        problem_of({"d": "\ud800"}) == "document d: contains half a character (a lone surrogate); give whole characters"
    )
    assert problem_of({"d": "<a>\ud800</a>"}) == (
        "document d: contains half a character (a lone surrogate); give whole characters"
    )
    (tmp_path / "a.xml").write_bytes(b"<a/>")
    (tmp_path / "a.md").write_bytes(b"x")
    assert problem_of(tmp_path) == (f"{tmp_path}: has two documents 'a', a.md and a.xml; rename one of them")
    (tmp_path / "a.xml").unlink()
    (tmp_path / "a.md").write_bytes(b"one\n\xff")
    assert problem_of(tmp_path) == f"{tmp_path}/a.md:2: is not UTF-8; save it as UTF-8"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('{"doc_id": "a", "text": "x"}\nno\n', "2: is not JSON (Expecting value); write one JSON object per line"),
        ("[1]\n", "1: is not a JSON object but '[1]'; write one JSON object per line"),
        ('{"text": "x"}\n', "1: has no doc_id; give every document its doc_id"),
        ('{"doc_id": [1], "text": "x"}\n', "1: the doc_id is '[1]'; it must be a string or a whole number"),
        ('{"doc_id": "a"}\n', "1: has no content; give one of the fields text, xml, markdown, html"),
        (
            '{"doc_id": "a", "text": "x", "xml": "<a/>"}\n',
            "1: has both text and xml; give only one of the fields text, xml, markdown, html",
        ),
        ('{"doc_id": "a", "text": 5}\n', "1: the text is '5'; it must be a string"),
        (
            '{"doc_id": "a", "text": "x"}\n\n{"doc_id": "a", "text": "y"}\n',
            "3: the doc_id 'a' is already used in line 1; give every document its own id",
        ),
        (
            '{"doc_id": "b", "text": ""}\n{"doc_id": "a", "xml": "<a>\\n&foo;</a>"}\n',
            "2: field xml, line 2: the entity &foo; is not defined; write the character itself or a numeric reference",
        ),
        ('{"doc_id": "a", "text": "\\ud800"}\n',
         "1: field text: contains half a character (a lone surrogate); give whole characters"),
    ],
)  # fmt: skip
def test_jsonl_that_is_refused(content: str, line: str, tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text(content)
    assert problem_of(tmp_path / "c.jsonl") == f"{tmp_path}/c.jsonl:{line}"


def test_jsonl_that_is_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_bytes(b'{"doc_id": "a", "text": "\xff"}\n')
    assert problem_of(tmp_path / "c.jsonl") == f"{tmp_path}/c.jsonl:1: is not UTF-8; save it as UTF-8"
    (tmp_path / "c.jsonl").write_bytes(b"\n")
    assert (
        problem_of(tmp_path / "c.jsonl") == f"{tmp_path}/c.jsonl: contains no documents; write one JSON object per line"
    )


# ---- real articles -------------------------------------------------------------------------------------------


def test_jats_articles(tmp_path: Path) -> None:
    folder = real_data("evidence-inference") / "xml_files"
    write_index(folder, tmp_path / "i.parquet")
    direct, stored = Collection.open(folder), Collection.open(tmp_path / "i.parquet")
    assert len(direct) == len(stored) == 60
    for doc_id in direct:
        text, rows = slow_tree((folder / f"{doc_id}.nxml").read_text())
        assert direct[doc_id].text == text
        assert rows_of(direct[doc_id]) == rows
        assert stored[doc_id] == direct[doc_id]
        assert stored[doc_id].path[0] == "/article[1]"


# ---- the command ---------------------------------------------------------------------------------------------


def test_the_index_command(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["index", "files", "-o", "i.parquet"]) == 0
    assert capsys.readouterr() == ("", "7 documents indexed\n")
    assert Collection.open("i.parquet")["a"] == Collection.open(folder)["a"]
    assert main(["index", "i.parquet", "-o", "j.parquet", "--no-texts"]) == 0
    assert Collection.open("j.parquet")["a"].text is None
    capsys.readouterr()
    assert main(["index", "files", "-o", "i.tsv"]) == 2
    assert main(["index", "no", "-o", "k.parquet"]) == 2
    assert capsys.readouterr() == (
        "",
        "i.tsv: an index is a Parquet file; use a name that ends in .parquet\n"
        "no: no such file or folder; give a path that exists\n",
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["files", "i.parquet", "j.parquet"]
