"""The reader of XML: any well-formed source, and bytes that are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from oracles import kernels as oracle
from partwise import kernels

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
        return
    if columns is None:
        assert b"&no;" in source
        return
    tag, names, parent, depth, start, end, text = columns
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
