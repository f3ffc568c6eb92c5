"""HTML: the text is the visible text; headings open sections, which contain blocks."""

from __future__ import annotations

import re
from typing import Any

from partwise.collection.document import Document, TreeBuilder
from partwise.collection.plain import decoded, too_large
from partwise.errors import PartwiseError
from partwise.messages import documents

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_NODES = {
    "p": "p", "dt": "p", "dd": "p", "figcaption": "p", "ul": "ul", "menu": "ul", "ol": "ol", "li": "li",
    "table": "table", "pre": "code", "blockquote": "blockquote",
}  # fmt: skip
_BLOCKS = frozenset({
    "address", "article", "aside", "body", "caption", "center", "details", "dialog", "div", "dl", "fieldset", "figure",
    "footer", "form", "frameset", "header", "hgroup", "hr", "html", "legend", "main", "nav", "option", "section",
    "summary", "tbody", "tfoot", "thead", "tr",
})  # fmt: skip
_HIDDEN = frozenset({"head", "script", "style", "template", "noscript", "iframe", "object", "svg"})
_BLANKS = re.compile(r"[ \t\n\r\f]+")


def parse(doc_id: str, source: bytes | str, name: str) -> Document:
    """Parse HTML.

    Runs of blanks become one blank (except in ``pre``), every block starts a new line, and tabs separate the cells of a
    table row. Invisible content (head, script, style, comments) is left out. Blocks without text have no node; text
    outside of all blocks becomes paragraphs.
    """
    import lxml.html
    from lxml import etree

    too_large(source, name)
    walk = _Walk()
    data, encoding = _encoded(source, name)
    if data.strip():
        parser = lxml.html.HTMLParser(
            encoding=encoding, no_network=True, huge_tree=False, remove_comments=True, remove_pis=True
        )
        try:
            root = lxml.html.document_fromstring(data, parser=parser)
        except etree.ParserError:
            root = None  # the page has only comments
        except etree.LxmlError as error:
            raise PartwiseError(documents.NOT_HTML(reason=error), file=name) from None
        for entry in parser.error_log:
            if "depth" in entry.message or "limit" in entry.message:
                reason = " ".join(entry.message.split())
                raise PartwiseError(documents.HTML_LIMIT(reason=reason), file=name, line=entry.line)
        if root is not None:
            walk.traverse(root)
    return walk.document(doc_id)


def _encoded(source: bytes | str, name: str) -> tuple[bytes, str | None]:
    """The bytes and their encoding; None means the encoding that the page declares."""
    if isinstance(source, str):
        return decoded(source, name).encode(), "utf-8"
    try:
        source.decode()
    except UnicodeDecodeError:
        return source, None
    return source, "utf-8"


class _Walk:
    """Collects text and blocks in document order, with their offsets in the extracted text."""

    def __init__(self) -> None:
        self.tree = TreeBuilder()
        self.tree.open("document", 0)
        self.pieces: list[str] = []
        self.position = 0
        self.separator = ""  # goes before the next text
        self.unstarted: list[int] = []  # open nodes that have no text yet
        self.levels: list[int] = []  # heading levels of the open sections
        self.loose = False  # whether an implicit paragraph is open
        self.verbatim = 0

    def traverse(self, root: Any) -> None:
        from lxml import etree

        hidden = 0
        for event, element in etree.iterwalk(root, events=("start", "end")):
            tag = element.tag if isinstance(element.tag, str) else ""
            if event == "start":
                hidden += tag in _HIDDEN
                if not hidden:
                    self.enter(tag)
                    self.add_text(element.text)
            else:
                if not hidden:
                    self.leave(tag)
                hidden -= tag in _HIDDEN
                if not hidden and element is not root:
                    self.add_text(element.tail)

    def enter(self, tag: str) -> None:
        if tag == "br":
            self.separator = "\n"
        elif tag in ("td", "th"):
            self.end_loose()
            self.separator = "\t" if self.separator != "\n" and self.position else self.separator
        elif tag in _HEADINGS:
            self.start_line()
            if self.at_top():
                while self.levels and self.levels[-1] >= _HEADINGS[tag]:
                    self.levels.pop()
                    self.close()
                self.levels.append(_HEADINGS[tag])
                self.open("section")
            self.open("heading")
        elif tag in _NODES:
            self.start_line()
            self.open(_NODES[tag])
            self.verbatim += tag == "pre"
        elif tag in _BLOCKS:
            self.start_line()

    def leave(self, tag: str) -> None:
        if tag in _HEADINGS or tag in _NODES:
            self.end_loose()
            self.close()
            self.start_line()
            self.verbatim -= tag == "pre"
        elif tag in _BLOCKS:
            self.start_line()

    def start_line(self) -> None:
        self.end_loose()
        self.separator = "\n"

    def end_loose(self) -> None:
        if self.loose:
            self.loose = False
            self.close()

    def at_top(self) -> bool:
        """Whether only sections are open."""
        return self.tree.tags[self.tree.stack[-1]] in ("document", "section")

    def open(self, tag: str) -> None:
        self.unstarted.append(self.tree.open(tag, 0))

    def close(self) -> None:
        """Close the innermost node, and drop it if it has no text."""
        if self.unstarted and self.unstarted[-1] == self.tree.stack[-1]:
            self.unstarted.pop()
            self.tree.drop()
        else:
            self.tree.close(self.position)

    def add_text(self, text: str | None) -> None:
        if not text:
            return
        trailing_blank = False
        if not self.verbatim:
            words = _BLANKS.sub(" ", text)
            text, trailing_blank = words.strip(" "), words.endswith(" ")
            if words.startswith(" ") and not self.separator:
                self.separator = " "
            if not text:
                return
        if not self.loose and self.at_top():
            self.loose = True
            self.open("p")
        if self.position and self.separator:
            self.pieces.append(self.separator)
            self.position += 1
        for node in self.unstarted:
            self.tree.starts[node] = self.position
        self.unstarted.clear()
        self.pieces.append(text)
        self.position += len(text)
        self.separator = " " if trailing_blank else ""

    def document(self, doc_id: str) -> Document:
        self.end_loose()
        for _ in self.levels:
            self.close()
        self.tree.close(self.position)
        return self.tree.document(doc_id, "".join(self.pieces))
