"""Hostile numbers, texts and objects, and the marks by which they are recognised in outputs."""

from __future__ import annotations

from random import Random

MARK = "pwnd"
"""Occurs in every hostile piece of markup, so that a page can be searched for it."""
RAW = (f"</script><b {MARK}>", f"<!--<script {MARK}>")
"""These end or swallow a script wherever they occur unescaped."""

NUMBERS = (
    "1e308", "-1e308", "1.7976931348623157e308", "1e400", "1e-320", "nan", "NaN", "inf", "-inf", "Infinity", "-1",
    "-0", "0", "1", "2", "0.5", "1.5", "1e5", "+3", "00012", " 3", "3 ", "1,5", "0x10", "1_000", "٣", "２", "²",
    "2147483648", "4294967296", "1099511627776", "1099511627777", "9007199254740993", "9223372036854775807",
    "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551616", "9" * 400,
    "0." + "3" * 400, "", "None", "null", "true", "x", "1:2", "5-3", "3-9 1-2", "[]", "[[1,2]]", "{}",
)  # fmt: skip

TEXTS = (
    *RAW, f'"><b {MARK}>', f"'-{MARK}-'", f"<img src=x onerror={MARK}>", f"{{{{{MARK}}}}}", f"javascript:{MARK}",
    "\0", "a\0b", "\x01", "\x08", "\x1b[31m", "\x1b]0;t\x07", "\x7f", "\x85", "\x9b31m", "\u2028", "\u2029", "\ufeff",
    "\ufffe", "\uffff", "\u202e", "\u2066", "\u200b", "\u00a0", "\u3000", "e\u0301", "é", "😀", "\U0010ffff", "İ", "ß",
    "=1+1", "+1", "-1", "@x", "%s", "%n", "{0}", "${x}", "\\", "\\n", '"', "'", "`", "#", "# x", "//", "/", "..",
    "../../x", "a/b", "a b", " a", "a ", "\t", "a\tb", "a\nb", "a\rb", "\r\n", "\n", "", "all", "run", "query_id",
    "Q0", "0", "-", "--", "*", ",", ";", "|", "&amp;", "&x;", "<", "<!--", "-->", "]]>", "<![CDATA[", "<?xml?>",
    "x" * 300, "x" * 10_000, "é" * 5_000, "a,b", "a=b", "[", "]", "(", ")", "/article[1]", "nan", "1e400",
)  # fmt: skip

SURROGATES = ("\ud800", "a\udfffb", "\udcff", "\udce9t")
"""They reach us through escapes of JSON, through Python objects, and through names of files that are not UTF-8."""

IN_OUTPUTS = (
    *RAW, *RAW, f'"><b {MARK}>', "\x01", "\x1b[31m", "\0", "\u2028", "\uffff", "\x7f", "\x9b31m", "=1+1", "\u202e",
    "a\tb", "a\nb", "\ud800", "-1", "\\", "é", "x" * 300,
)  # fmt: skip
"""Names that matter where outputs show them."""

PATHS = (
    "/", "//", "/article", "/article[1]", "/article[0]", "/article[2]", "/article[1]/", "article[1]", "/article[-1]",
    "/article[99999999999999999999]", "/article[1]/sec[1]/p[1]/text()[1].5", "/article[1]/text()[1].999999",
    "/article[1]/*", "/*[1]", "/article[1]/@id", "/article[1]//p[1]", "/article[1]/sec[1]/p[1]/text()[9].0",
    "/article[ 1 ]", "/article[1][1]", "/a" * 3_000, "/article[1]/sec[1]" * 200, "/article[1]/sec[٣]", "",
    "/article[1]/sec[1]/p[1]/text()[1].-1", "/ARTICLE[1]", "/article[1]/sec[1]/p[1]/text()[1].1e3",
)  # fmt: skip

OBJECTS = (
    "None", "nan", "inf", "-inf", "True", "-1", "0", "2**31", "2**53 + 1", "2**63", "-2**63 - 1", "10**400", "1e308",
    "5e-324", "1.5", "1j", "b'x'", "b'\\xff'", "'\\ud800'", "'\\0'", "''", "[]", "{}", "()", "[None]", "[[1, 2]]",
    "{'a': 1}", "object()", "int", "np.int8(3)", "np.uint64(2**64 - 1)", "np.float16(7)", "np.float64('nan')",
    "np.datetime64('2020-01-01')", "np.datetime64('NaT')", "np.array([1])", "np.array(3)", "np.bool_(True)",
    "np.str_('x')", "Decimal('1.5')", "Decimal('NaN')", "Fraction(1, 3)", "date(2020, 1, 1)", "Path('x')",
    "range(3)", "(i for i in range(3))", "lambda: 0", "memoryview(b'x')", "bytearray(b'x')", "pd.NA", "pd.NaT",
    "pd.Timestamp(0)", "Infinite()", "Unprintable()", "'x' * 1000", "'</script><b pwnd>'", "'\\u2028'", "'\\x1b[31m'",
)  # fmt: skip
"""Python expressions, in the names that `calls` provides."""


def number(rng: Random) -> str:
    return rng.choice(NUMBERS)


def text(rng: Random, surrogates: bool = False) -> str:
    """A hostile text: alone, or at the start, the end or in the middle of a usual one."""
    value = rng.choice(SURROGATES) if surrogates and rng.random() < 0.1 else rng.choice(TEXTS)
    return rng.choice((value, value, f"d{value}", f"{value}d", f"d{value}e"))


def name(rng: Random) -> str:
    """A hostile name for something that outputs show."""
    return rng.choice(IN_OUTPUTS) if rng.random() < 0.6 else text(rng, surrogates=True)


def cell(rng: Random, usual: object, surrogates: bool = False) -> str:
    """A hostile value for a cell that usually holds a value like `usual`."""
    kind = rng.random()
    is_path = str(usual).startswith("/")
    if is_path and kind < 0.6:
        return rng.choice(PATHS)
    is_number = isinstance(usual, (int, float)) or str(usual).replace(".", "").replace(":", "").isdecimal()
    if kind < (0.75 if is_number else 0.2):
        return number(rng)
    return text(rng, surrogates)
