"""Every regular expression of the package takes linear time, whatever it is applied to.

The patterns are collected from the source, with the methods that are called on them. For each, `PIECES` has strings
from which inputs are made: a beginning, something repeated, and an end. The slowest of them is lengthened.
"""

from __future__ import annotations

import ast
import itertools
import re
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import partwise

PACKAGE = Path(partwise.__file__).parent
METHODS = {"match", "fullmatch", "search", "findall", "finditer", "sub", "split"}

SHORT = (*range(16, 64, 4), 80, 96, 112, 128, 256, 1024)
"""Sizes of the inputs among which the slowest is selected; exponential time shows at the first."""
MEASURABLE = 0.002
"""Seconds that the input takes that is then lengthened."""
LONGEST = 1 << 17
TIMES = 8
LATE = 256
"""The size from which the slower inputs are kept; the times of shorter ones are too short to tell."""
SLOW = 0.1
"""Seconds that no short input takes."""
MOST = 24.0
"""The most that eight times the input may take: about 8 times as long if linear, 64 times if quadratic."""

OF_USERS = {"slices", "location/prefixes"}
"""Modules that compile patterns which users give, for their own data (``--by doc:PATTERN``, ``--strip-prefix``)."""
_PATHS = ("/", "a", "[", "1", "]", " ")
_NAMES = ("a", "-", "1", " ")

PIECES: dict[tuple[str, str], tuple[str, ...]] = {
    ("location/ellipsis", r"[\[(]\s*(?:\.\s?\.\s?\.|…)\s*[\])]|\.(?:\s?\.){2,}|…+"): (
        "[", "(", " ", ".", "…", "]", "a",
    ),
    ("location/markup", r"[*_`|\[\]]|~~|!(?=\[)|\\(?=[!-/:-@\[-`{-~])|(?<!\S)[-+•–—](?!\S)"): (
        "*", "~", "!", "[", "\\", "-", " ", "a",
    ),
    ("location/markup", r"\]\([^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500}){0,4}\)"): ("]", "(", ")", "a", "\n"),
    (
        "location/markup",
        r"<(?!(?:[A-Za-z][A-Za-z0-9+.-]{0,60}://|mailto:))/?[A-Za-z][^\s<>/]{0,200}(?:[\s/][^<>]*)?>"
        r"|<![A-Za-z\[][^<>]*>|<\?[^<>]*>",
    ): ("<", "a", "://", "/", " ", ">", "!", "?"),
    ("location/markup", r"(<)(?:[A-Za-z][A-Za-z0-9+.-]{0,60}://|mailto:)[^<>\s]*(>)"): (
        "<", "a", "://", "mailto:", ">", " ",
    ),
    (
        "location/markup",
        r"^[ \t]*[|:=+*_~-][|:=+*_~ \t-]+$|^[ \t>]*\#{1,6}(?=[ \t]|$)|[ \t]\#+[ \t]*$|^[ \t]*>[> \t]*",
    ): (" ", "|", "-", "#", ">", "a", "\n"),
    (
        "location/markup",
        r"^[ \t>]*\d{1,9}[.)](?=[ \t])|^[ \t>]*[-+*][ \t]+\[[ xX]\](?=[ \t])|^[ \t>]*(?:`{3,}|~{3,})[^\n`]*$"
        r"|^ {0,3}\[[^\]\n]{1,200}\]:[ \t]+\S[^\n]*$|!\[[^\[\]\n]{0,1000}\](?=\()"
        r"|(?<=\])\[[^\[\]\n]{0,200}\]|\[\^[^\[\]\n]{1,200}\]",
    ): (" ", ">", "1", ".", "-", "[", "]", "`", ":", "!", "^", "a", "\n"),
    ("location/markup", r"&(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"): (
        "&", "#", "x", "1", "a", ";",
    ),
    ("location/prefixes", r"(\{doc_id\}|\{any\}|\s+)"): ("{", "doc_id", "any", "}", " ", "a"),
    ("location/prefixes", r"\s+"): (" ", "\n", "a"),
    ("model/assessments", r"/text\(\)(?:\[[0-9]+\])?\.[0-9]+$"): ("/text()", "[", "1", "]", ".", "x"),
    ("kernels/readers", r"[\x00-\x20]"): ("a", " ", "\x00", "\n"),
    ("report/page", r"\{\{ ([a-z]+) \}\}"): ("{", " ", "a", "}"),
    ("formats/moments", r'"(pred_)?relevant_windows"[ \t]*:'): ('"', "pred_", "relevant_windows", " ", "\t", ":", "a"),
    ("collection/document", r"/([^/\[\]\s]+)(?:\[([0-9]{1,9})\])?"): _PATHS,
    ("collection/document", r"(?:/[^/\[\]\s]+(?:\[[0-9]{1,9}\])?)+"): _PATHS,
    ("collection/document", r"(.*)/text\(\)(?:\[([0-9]{1,9})\])?(?:\.([0-9]{1,13}))?"): ("/text()", "[", "1", "]", "."),
    ("collection/plain", r"[^\r\n]*(?:\r\n|\r|\n|\Z)"): ("a", "\r", "\n", " "),
    ("collection/html", r"[ \t\n\r\f]+"): (" ", "\t", "\n", "a"),
    ("collection/xml", r"&(?!amp;|lt;|gt;|quot;|apos;|#)([^&;]*);"): ("&", "a", ";", "amp", "#"),
    ("collection/xml", r"""<\?xml[^>]*encoding\s*=\s*["']utf-8["']"""): (
        "<?xml", "encoding", " ", "=", "'", "utf-8", ">", "a",
    ),
    ("collection/xml", r"Entity '([^']*)' not defined"): ("Entity '", "a", "'", " not defined", " "),
    ("collection/xml", r", line [0-9]+, column [0-9]+$"): (", line ", "1", ", column ", " ", "a"),
    (
        "errors",
        "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff]",
    ): ("\0", "a", "\x7f", "\u2028"),
    ("files", "[\ud800-\udc7f\udd00-\udfff]"): ("a", "\ud800", "\udc80"),
    ("outputs", r"/(?:dev|proc/self)/(?:fd/(\d{1,9})|stdin|stdout|stderr)"): ("/dev", "/fd/", "1", "/", "stdin"),
    ("outputs", r"\.partwise-(?P<target>\w+)-(?P<host>\w+)-(?P<process>\d+)-(?P<started>\d+)-\w+\.part"): (
        ".partwise", "-", "a", "1", ".part",
    ),
    ("settings", r"(\d{1,15}(?:\.\d{1,15})?)\s*([A-Za-z]*)"): ("1", ".", " ", "a"),
    ("resolving/faults", r"\.[a-z][a-z0-9]{0,4}\Z"): (".", "a", "1", "/"),
    ("navigation/__init__", r"[^\W\d][\w-]*"): _NAMES,
    ("navigation/files", r"/([^/\[\]\s]+)(?:\[([0-9]{1,9})\])?"): _PATHS,
    ("navigation/files", r"(?:/[^/\[\]\s]+(?:\[[0-9]{1,9}\])?)+"): _PATHS,
    ("measures/documents", r"\n\s*\n"): ("\n", " ", "a"),
    ("measures/documents", r"\.\. (\S+)::\s*(\S*)"): (".. ", "a", "::", " ", ":"),
    ("measures/documents", r"[ \t]+:(\w+):(.+)"): (" ", ":", "a", "\n"),
    ("measures/documents", r"(?:(?<![:\w.]):[\w:.]+:)?(`{1,2})([^`]+)\1"): (":", "a", "`", ".", " "),
    ("measures/documents", r"(?P<base>\w+?)(?:[._]\d+(?:\.\d+)?)?"): ("a", ".", "_", "1", " "),
    ("measures/documents", r"_\d"): ("_", "1", "a"),
    ("measures/__init__", r"[\w.]+"): ("a", ".", " "),
    ("measures/__init__", r"\w+"): ("a", ".", " "),
    ("tokens", r"[\w.-]+"): ("a", ".", " "),
    ("engines/spark", r"^(?:[\w.]*\.)?PartwiseError: (.*)$"): ("a", ".", "PartwiseError: ", "\n", " "),
    ("engines/spark_files", r"file (?:file:)?(\S+?)\. "): ("file ", "file:", "a", ".", " "),
    ("engines/spark_files", r"(?<!\s)\s*SQLSTATE: \w+"): ("SQLSTATE: ", " ", "a", "\n"),
    ("engines/spark_files", r"([\\*?\[\]{},])"): ("\\", "*", "a"),
    ("engines/spark_files", "^file:/+"): ("file:", "/", "a"),
    ("parameters", (
        r"\s*(?:(?P<number>[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?![\w.]))"
        r"|(?P<word>[^\W\d][\w-]*)"
        r"|(?P<quoted>'[^']*'|\"[^\"]*\")"
        r"|(?P<mark>[(),=@\[\]]))"
    )): ("1", ".", "e", "-", "a", "'", '"', " ", "("),
    ("parameters", r"[-+]?[0-9]+"): ("-", "1", "a"),
    ("parameters", r"[^\W\d][\w-]*"): _NAMES,
    ("formats/queries", r"#\w+\(|\)"): ("#", "a", "(", ")", " "),
    ("formats/names", r"(?<=[a-z0-9])(?=[A-Z])"): ("a", "A", "1", "_"),
    ("formats/names", r"[\W_]+"): ("a", "_", " ", "A"),
    ("formats/inex", "[0-9]+:[0-9]+"): ("1", ":", "a"),
    ("formats/inex", "-?[0-9]+"): ("-", "1", "a"),
    ("formats/columns", r"\W*[0-9]{1,18}(?:\W+[0-9]+)*\W*"): ("1", ".", "-", " ", "a", "1" * 18),
    ("formats/pools", "0N|[123][LSE]"): ("0", "N", "1", "L"),
    ("formats/xml_events", "[0-9]{1,18}"): ("1", "a"),
    ("formats/xml_events", r"""<(?:[^"'<>]++|"[^"<]*+"|'[^'<]*+')*+>"""): ("<", "a", '"', "'", ">", " "),
    ("formats/xml_events", r"&(?!(?:amp|lt|gt|quot|apos);|#)[^&;]*;"): ("&", "a", ";", "amp", "#"),
    ("files", r"\.[A-Za-z][A-Za-z0-9]*$"): (".", "a", "1", "-", "\n"),
}  # fmt: skip


class Use(NamedTuple):
    """A pattern in the source, and the methods that are called on it."""

    module: str
    pattern: str | bytes
    flags: int
    methods: frozenset[str]

    @property
    def key(self) -> tuple[str, str]:
        return self.module, self.pattern if isinstance(self.pattern, str) else self.pattern.decode("latin-1")


def calls_of(tree: ast.AST, owner: str) -> Iterator[ast.Call]:
    """The calls ``owner.method(...)``."""
    for node in ast.walk(tree):
        attribute = node.func if isinstance(node, ast.Call) else None
        if (
            isinstance(node, ast.Call)
            and isinstance(attribute, ast.Attribute)
            and ast.unparse(attribute.value) == owner
        ):
            yield node


def method_of(call: ast.Call) -> str:
    assert isinstance(call.func, ast.Attribute)
    return call.func.attr


def flags_of(call: ast.Call, position: int) -> int:
    flags = [*call.args[position : position + 1], *(word.value for word in call.keywords if word.arg == "flags")]
    return int(eval(ast.unparse(flags[0]), {"re": re})) if flags else 0


def uses(source: str, module: str) -> Iterator[Use]:
    tree = ast.parse(source)
    assigned = {
        id(node.value): node.targets[0].id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for node in ast.walk(tree):
        assert not (isinstance(node, ast.ImportFrom) and node.module == "re"), f"{module}: write import re"
    for call in calls_of(tree, "re"):
        method = method_of(call)
        if method in ("escape", "error"):
            continue
        pattern = call.args[0]
        place = f"{module}:{call.lineno}"
        if module in OF_USERS and not isinstance(pattern, ast.Constant):
            continue
        assert isinstance(pattern, ast.Constant), f"{place}: write the pattern as a literal, so that it can be tested"
        if method != "compile":
            assert method in METHODS, place
            position = {"sub": 4, "split": 3}.get(method, 2)
            yield Use(module, pattern.value, flags_of(call, position), frozenset({method}))
            continue
        name = assigned.get(id(call))
        assert name is not None, f"{place}: assign the compiled pattern to a name"
        methods = {method_of(use) for use in calls_of(tree, name)} & METHODS
        assert methods, f"{place}: {name} is not used in its module"
        yield Use(module, pattern.value, flags_of(call, 1), frozenset(methods))


def all_uses() -> list[Use]:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        module = path.relative_to(PACKAGE).with_suffix("").as_posix()
        found += list(uses(path.read_text(), module))
    return found


def test_every_pattern_has_pieces() -> None:
    """A new pattern needs an entry in `PIECES`, one that is gone loses its own."""
    keys = [use.key for use in all_uses()]
    assert set(keys) == set(PIECES)


def applied(use: Use, method: str) -> Callable[[Any], object]:
    compiled = re.compile(use.pattern, use.flags)
    if method == "sub":
        empty: Any = b"" if isinstance(use.pattern, bytes) else ""
        return lambda text: compiled.sub(empty, text)
    if method == "finditer":
        return lambda text: deque(compiled.finditer(text), maxlen=0)  # objects that are kept take more than linear time
    return getattr(compiled, method)  # type: ignore[no-any-return]


def seconds(function: Callable[[Any], object], text: Any, repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.thread_time()
        function(text)
        times.append(time.thread_time() - start)
    return min(times)


def made(use: Use, parts: tuple[str, str, str], size: int) -> Any:
    begin, repeated, end = parts
    text = begin + repeated * (size // len(repeated)) + end
    return text.encode() if isinstance(use.pattern, bytes) else text


def slowest(use: Use, function: Callable[[Any], object]) -> tuple[float, tuple[str, str, str]]:
    pieces = PIECES[use.key]
    ends = ("", *pieces)
    candidates = [
        (begin, "".join(repeated), end)
        for count in (1, 2)
        for repeated in itertools.product(pieces, repeat=count)
        for begin in ends
        for end in ends
    ]
    for size in SHORT:
        timed = []
        for parts in candidates:
            timed.append((seconds(function, made(use, parts, size), 1), parts))
            assert timed[-1][0] < SLOW, f"{timed[-1][0]:.2g} s for {size} characters of {parts}"
        if size >= LATE:
            candidates = [parts for _, parts in sorted(timed, reverse=True)[: max(len(candidates) // 4, 30)]]
    return max((seconds(function, made(use, parts, size), 5), parts) for parts in candidates)


def ratio(use: Use, function: Callable[[Any], object], parts: tuple[str, str, str]) -> float:
    """The median of several ratios of the processor time for the lengthened input to that for the input."""
    size = SHORT[-1]
    while size < LONGEST and seconds(function, made(use, parts, size), 1) < MEASURABLE:
        size *= 2
    texts = [made(use, parts, size), made(use, parts, TIMES * size)]
    times = [[seconds(function, text, 3) for text in texts] for _ in range(3)]
    return sorted(long / short for short, long in times)[1]


@pytest.mark.parametrize(
    ("use", "method"),
    [(use, method) for use in all_uses() for method in sorted(use.methods)],
    ids=lambda value: f"{value.module}-{value.pattern!r}" if isinstance(value, Use) else value,
)
def test_patterns_take_linear_time(use: Use, method: str) -> None:
    assert use.key in PIECES
    function = applied(use, method)
    _, parts = slowest(use, function)
    assert ratio(use, function, parts) < MOST, parts


@pytest.mark.parametrize(
    ("pattern", "method"),
    [(r"\s*,", "search"), (r"&[^;]*;", "search"), (r"(?:\d+\.?\d*)(?!\w)", "match"), (r"(\.1?)*(\W+1)*x", "fullmatch")],
)
def test_slow_patterns_are_detected(monkeypatch: pytest.MonkeyPatch, pattern: str, method: str) -> None:
    use = Use("m", pattern, 0, frozenset({method}))
    monkeypatch.setitem(PIECES, use.key, (" ", "&", "1", ".", "a"))
    with pytest.raises(AssertionError):
        test_patterns_take_linear_time(use, method)
