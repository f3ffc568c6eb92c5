"""Markdown: the text is the source itself; headings open sections, which contain blocks."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from partwise.collection.document import Document, TreeBuilder
from partwise.collection.plain import Lines, decoded

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_CONTAINERS = {"bullet_list": "ul", "ordered_list": "ol", "list_item": "li", "blockquote": "blockquote"}
_LEAVES = {"paragraph_open": "p", "fence": "code", "code_block": "code", "html_block": "html"}


@cache
def _parser() -> MarkdownIt:
    """CommonMark with tables; inline markup is not parsed."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def parse(doc_id: str, source: bytes | str, name: str) -> Document:
    """Parse Markdown into sections with headings, paragraphs, lists, tables, code and quotes.

    Spans cover whole lines, without the last line end. A heading inside a list or a quote opens no section. The items
    of a tight list contain no paragraphs.
    """
    text = decoded(source, name)
    lines = Lines(text)
    tree = TreeBuilder()
    tree.open("document", 0, len(text))
    levels: list[int] = []  # heading levels of the open sections
    table = 0
    for token in _parser().parse(text):
        kind, _, side = token.type.rpartition("_")
        if token.type in ("table_open", "table_close"):
            table += token.nesting
            if table == 1 and token.map is not None:
                tree.leaf("table", *lines.span(*token.map))
        elif table or token.map is None:
            if side == "close" and kind in _CONTAINERS and not table:
                tree.close()
        elif token.type == "heading_open":
            start, end = lines.span(*token.map)
            if token.level == 0:
                level = int(token.tag[1:])
                while levels and levels[-1] >= level:
                    levels.pop()
                    tree.close(start)
                levels.append(level)
                tree.open("section", start)
            tree.leaf("heading", start, end)
        elif side == "open" and kind in _CONTAINERS:
            tree.open(_CONTAINERS[kind], *lines.span(*token.map))
        elif token.type in _LEAVES and not token.hidden:
            tree.leaf(_LEAVES[token.type], *lines.span(*token.map))
    for _ in levels:
        tree.close(len(text))
    return tree.document(doc_id, text)
