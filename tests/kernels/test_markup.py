"""The reader of XML: any well-formed source, and bytes that are not."""

from __future__ import annotations

import random
from itertools import takewhile
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree

from oracles import kernels as oracle
from partwise import kernels
from partwise.collection import xml
from partwise.errors import PartwiseError
from support.paths import real_data

MARKS = st.sampled_from(
    ["<a>", "</a>", "<b/>", "<b x='>' y=\"'/\">", "</b>", "<!-- <a> & -->", "<![CDATA[<&]]>", "<?p <a> ?>", "text", "é",
     "\r\n", "\r", "\n", "&amp;", "&#233;", "&#x1F600;", "&#13;", "&no;", "<", ">", "&", "'", '"', "<!DOCTYPE a>",
     "<!--", "]]>", "/>", "\0"]
)  # fmt: skip


@given(st.lists(MARKS, max_size=12).map("".join), st.booleans())
def test_sources_of_any_kind(inside: str, is_enclosed: bool) -> None:
    """A source that lxml accepts is read as another parser reads it, any other without harm."""
    source = (f"<r>{inside}</r>" if is_enclosed else inside).encode()
    columns = kernels.read_markup(source)
    try:
        etree.fromstring(source, etree.XMLParser(resolve_entities=False))
    except etree.XMLSyntaxError:
        assert columns is None or not columns[-1]
        return
    if columns is None:
        assert b"&no;" in source
        return
    tag, names, parent, depth, start, end, text, _ = columns
    found = [names[code] for code in tag.tolist()], parent.tolist(), depth.tolist(), start.tolist(), end.tolist()
    assert (*found, text.decode()) == oracle.read_markup(source)


@pytest.mark.parametrize(
    "source",
    ["<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>", "<!DOCTYPE a [<!ELEMENT a ANY>]><a/>", "<a>&e;</a>", "<a/><b/>", "",
     "x", "<a>", "</a>", "<a>&#0;</a>", "<a>&#xD800;</a>", "<a>&#x110000;</a>", "<a>&#99999999999999999999;</a>",
     "<a>&#x;</a>", "<>"],
)  # fmt: skip
def test_what_is_not_read(source: str) -> None:
    assert kernels.read_markup(source.encode()) is None


# ---- what is recognised as well-formed ------------------------------------------------------------------------

PIECES = [
    "<a>", "</a>", "<a", "<b", ">", "/>", "/", "=", "<x:a>", "</x:a>", "<x:a/>", "<a:b:c/>", "<:a/>", "<a:/>", "<1/>",
    "<é/>", "<a.-_1/>", "<xml:a/>", "<xmlns:a/>", " x='1'", ' y="2"', " x:x='3'", " x = '1' ", "x='1'", " x=1", " x",
    " x='", "'", '"', " x='<'", " x='&lt;'", " x='&#60;'", " x='&#1;'", " x='&no;'", " x='&'", " x='a&amp;b'",
    " xml:lang='en'", " xml:id='1 2'", " xml:space='x'", " :x='1'", " xmlns:x='http://x'",
    " xmlns:x='https://x.org/a_b/1.0'", " xmlns:x=''", " xmlns=''", " xmlns='http://d'", " xmlns:y='http://x'",
    " y:x='3'", " xmlns:x='not an address'", " xmlns:x='relative'", " xmlns:x='http://'", " xmlns:x='http:// '",
    " xmlns:x='http://%'", " xmlns:xml='http://x'", " xmlns:xml='http://www.w3.org/XML/1998/namespace'",
    " xmlns:xmlns='http://x'", " xmlns:x='http://www.w3.org/XML/1998/namespace'",
    " xmlns:x='http://www.w3.org/2000/xmlns/'", " xmlns='http://www.w3.org/2000/xmlns/'", "text", " ", "\t", "\n",
    "\r\n", "\r", "é", "\u00a0", "\ufffe", "\uffff", "\ufffd", "\U0001f600", "\x00", "\x01", "\x1f", "\x7f", "\x0b",
    "]]", "]]>", "]", "<![CDATA[", "<![CDATA[<&>]]>", "<![CDATA[]]]]>", "&amp;", "&lt;", "&#65;", "&#x41;", "&#X41;",
    "&#2;", "&#xFFFE;", "&#xFFFF;", "&#x10FFFF;", "&#x110000;", "&#13;", "&#0065;", "& ", "&;", "&#;", "&no;",
    "<!-- c -->", "<!---->", "<!--->", "<!-- -- -->", "<!-- --->", "<!-", "<!", "<?p?>", "<?p ?>", "<?p d?>",
    "<?p:q d?>", "<?xml?>", "<?XML d?>", "<?xMl?>", "<?xml-x y?>", "<??>", "<? p?>", "<?1?>", "<?p", "<!DOCTYPE a>",
    "<!DOCTYPE a >", "<!DOCTYPE>", "<!DOCTYPE a SYSTEM 's'>", '<!DOCTYPE a PUBLIC "-//x//DTD (1.0)//EN" "s">',
    "<!DOCTYPE a PUBLIC 'p'>", "<!DOCTYPE a PUBLIC 'é' 's'>", "<!DOCTYPE a PUBLIC 'p''s'>", "<!DOCTYPE a SYSTEM's'>",
    "<!DOCTYPE x:a>", "<!DOCTYPE a SYSTEM 's' x>", "<!DOCTYPE a []>", "<!doctype a>", "<!DOCTYPE a SYSTEM '>'>",
    "<!DOCTYPE a\tPUBLIC\n'p'\r's'>", "<!ELEMENT a ANY>",
]  # fmt: skip
STARTS = [
    "", "<?xml version='1.0'?>", '<?xml version="1.0" encoding="utf-8"?>',
    "<?xml version='1.0' encoding='UTF-8' standalone='yes'?>", "<?xml version='1.0' standalone='no' ?>\n",
    "<?xml version='1.1'?>", "<?xml version='2.0'?>", "<?xml encoding='utf-8'?>", "<?xml?>",
    "<?xml version='1.0' encoding='utf-16'?>", "<?xml version='1.0' encoding='latin-1'?>",
    "<?xml version='1.0'encoding='utf-8'?>", "<?xml version='1.0' standalone='maybe'?>",
    "<?xml version='1.0' standalone='no' encoding='utf-8'?>", "<?xml version='1.0' x='y'?>", "<?xml version=1.0?>",
    "<?xml version = '1.0'?>", "<?xml  version='1.0'\n?>", " <?xml version='1.0'?>", "\ufeff",
]  # fmt: skip


def accepted(source: bytes) -> bool:
    """Whether lxml accepts a source, as `partwise.collection.xml` lets it read one."""
    try:
        xml._read(source, None, "d", builds_tree=False)
    except PartwiseError:
        return False
    return True


def judge(source: bytes) -> bool:
    """Whether the kernel recognises a source, which must be well-formed then, and read as another parser reads it."""
    columns = kernels.read_markup(source)
    if columns is None or not columns[-1]:
        return False
    assert accepted(source), source
    tag, names, parent, depth, start, end, text, _ = columns
    found = [names[code] for code in tag.tolist()], parent.tolist(), depth.tolist(), start.tolist(), end.tolist()
    assert (*found, text.decode()) == oracle.read_markup(source)
    return True


@given(st.sampled_from(STARTS), st.lists(st.sampled_from(PIECES), max_size=10).map("".join), st.booleans())
def test_only_what_is_well_formed_is_recognised(start: str, inside: str, is_enclosed: bool) -> None:
    judge((f"{start}<r>{inside}</r>" if is_enclosed else start + inside).encode())


def test_many_changes_of_well_formed_sources() -> None:
    """Each piece at each place of sources that are recognised, and bytes deleted, doubled and changed."""
    whole = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE a PUBLIC "-//x" "s"><!-- c -->\n<a x="1" xmlns:x="http://x">'
        "t&amp;é<x:b x:y='2' y=\"&#65;\">]]<![CDATA[<]]></x:b ><c/><?p d?>\r\n</a>\n<!-- e -->"
    ).encode()
    assert judge(whole)
    recognised = 0
    for at in range(len(whole) + 1):
        recognised += sum(judge(whole[:at] + piece.encode() + whole[at:]) for piece in PIECES)
        recognised += judge(whole[:at] + whole[at + 1 :])
    assert recognised > 1000
    dice = random.Random(5)
    for _ in range(20_000):
        changed = bytearray(whole)
        for _ in range(dice.randrange(1, 4)):
            changed[dice.randrange(len(changed))] = dice.choice(b"<>/&;'\"=:ax- \n]![?\0\x85\xc3\xef\xbf\xff")
        judge(bytes(changed))


@pytest.mark.parametrize(
    ("source", "is_recognised"),
    [
        ("<a>" * 201 + "</a>" * 201, True),
        ("<a>" * 202 + "</a>" * 202, False),
        (f"<{'a' * 1000}/>", True),
        (f"<{'a' * 1001}/>", False),
        (f"<a>{'x' * 2_499_993}</a>", True),
        (f"<a>{'x' * 2_499_994}</a>", False),
        ("<a" + "".join(f" b{i}=''" for i in range(32)) + "/>", True),
        ("<a" + "".join(f" b{i}=''" for i in range(33)) + "/>", False),
        ("<x:a xmlns:x='http://x'><b xmlns:y='http://y'><y:c/></b></x:a>", True),
        ("<x:a xmlns:x='http://x'><b xmlns:y='http://y'/><y:c/></x:a>", False),
        ("<a xmlns:x='http://x'/>" , True),
        ("<é/>", False),
    ],
)  # fmt: skip
def test_limits_of_what_is_recognised(source: str, is_recognised: bool) -> None:
    assert judge(source.encode()) == is_recognised


def test_articles_are_recognised() -> None:
    files = sorted((real_data("evidence-inference") / "xml_files").iterdir())
    assert all(judge(path.read_bytes()) for path in files)


# ---- several at a time ------------------------------------------------------------------------------------------


def elements(columns: Any) -> list[tuple[list[str], list[int], list[int], list[int], int, str]]:
    """The elements of each document that was read."""
    offsets, tag, names, parent, start, end, length, text, bounds = columns
    read = []
    for number in range(len(length)):
        rows = slice(*offsets[number : number + 2].tolist())
        tags = [names[code] for code in tag[rows].tolist()]
        own = text[slice(*bounds[number : number + 2].tolist())].tobytes().decode()
        read.append((tags, parent[rows].tolist(), start[rows].tolist(), end[rows].tolist(), int(length[number]), own))
    return read


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=4).map("".join), max_size=6))
@example(["<b/>", "<c>é</c>", "</r><r>", "x"])
def test_several_documents(insides: list[str]) -> None:
    """They are those that are recognised one by one, up to the first that is not."""
    sources = [f"<r>{inside}</r>".encode() for inside in insides]
    alone = [kernels.read_markup(source) for source in sources]
    recognised = list(takewhile(lambda columns: columns is not None and columns[-1], alone))
    expected = oracle.read_markups(sources[: len(recognised)])
    columns = kernels.read_markups(sources)
    assert elements(columns) == expected
    assert columns[2] == list(dict.fromkeys(tag for tags, *_ in expected for tag in tags))
