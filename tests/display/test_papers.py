"""Tables for papers and pages: what is marked, and names that would break a format."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import partwise as pw
from partwise.cli import main
from partwise.display import latex, markdown
from partwise.display.of_scores import best
from partwise.display.sheets import Cell, Column, Sheet
from partwise.study.comparison import Comparison
from support.scores import one_measure, scores_of

HOSTILE = "a%b&c_d#e$f{g}h~i^j\\k|l<m>n\no[p]*q`r--s"
BROKEN = "".join(chr(c) for c in (0x202E, 0x07, 0x1B))


def tabular_rows(text: str) -> list[list[str]]:
    """The cells of a tabular, which a parser that knows braces, escapes and ``&`` finds; every row is complete."""
    [(columns, body)] = re.findall(r"\\begin\{tabular\}\{(.*)\}\n(.*?)\\end\{tabular\}", text, re.DOTALL)
    width = len(re.findall(r"[lr]|p\{[^}]*\}", re.sub(r"@\{\}", "", columns)))
    rows = []
    for line in body.splitlines():
        if line in (r"\toprule", r"\midrule", r"\bottomrule"):
            continue
        assert line.endswith(r" \\"), line
        cells, depth, cell = [], 0, ""
        for token in re.findall(r"\\[a-zA-Z]+|\\.|.", line[:-3]):
            depth += {"{": 1, "}": -1}.get(token, 0)
            assert depth >= 0
            if token == "&" and depth == 0:
                cells.append(cell.strip())
                cell = ""
            else:
                assert token not in "%#~", line  # these must be escaped
                cell += token
        assert depth == 0, line
        cells.append(cell.strip())
        spanned = sum(int(n) - 1 for n in re.findall(r"\\multicolumn\{(\d)\}", line))
        assert len(cells) + spanned == width, line
        rows.append(cells)
    return rows


def markdown_rows(text: str) -> list[list[str]]:
    """The cells of a table of Markdown."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines if "--:" not in line]


class Cells(HTMLParser):
    """The texts of the cells of a table, row by row."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        assert not {name for name, _ in attrs} & {"src", "href", "onclick"}

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1] and data.strip():
            self.rows[-1][-1] += data


@pytest.mark.parametrize(
    ("values", "lower", "expected"),
    [
        ([0.1, 0.3, 0.2], False, [False, True, False]),
        ([0.1, 0.3, 0.2], True, [True, False, False]),
        ([0.3, 0.3 + 1e-14, 0.2], False, [True, True, False]),  # a rounding error is no difference
        ([0.3, 0.30001, 0.2], False, [False, True, False]),
        ([0.3, 0.3], False, [False, False]),  # nothing is better than the rest
        ([0.3], False, [False]),
        ([None, 0.1, 0.2], False, [False, False, True]),
        ([float("nan"), 0.1, 0.2], False, [False, False, True]),
        ([], False, []),
    ],
)
def test_the_best_of_a_measure(values: list[float | None], lower: bool, expected: list[bool]) -> None:
    assert best(values, lower) == expected


def compared(**options: object) -> Comparison:
    """Three runs over 12 queries: b is always better than a, and c always worse; d is a with a little noise."""
    a = [0.5 + 0.02 * (i % 3) for i in range(12)]
    return pw.compare(
        one_measure(
            a=a,
            b=[value + 0.2 + 0.02 * (i % 2) for i, value in enumerate(a)],
            c=[value - 0.2 - 0.02 * (i % 2) for i, value in enumerate(a)],
            d=[value + 0.01 * (-1) ** i for i, value in enumerate(a)],
        ),
        **options,  # type: ignore[arg-type]
    )


def test_letters_are_the_runs_that_are_beaten() -> None:
    text = compared().to_latex(places=2)
    assert tabular_rows(text) == [
        ["", "run", r"\multicolumn{2}{r}{iAP}"],
        ["a", "a", "0.52", r"$^{\mathrm{c}}$"],
        ["b", "b", r"\textbf{0.73}", r"$^{\mathrm{a},\mathrm{c},\mathrm{d}}$"],
        ["c", "c", "0.31", ""],
        ["d", "d", "0.52", r"$^{\mathrm{c}}$"],
    ]
    assert (
        r"\caption{Means over 12 queries. The best of each measure is in bold. Letters are the runs that a run is "
        in text
    )
    assert "by the randomisation test at 0.05, Holm correction.}" in text


def test_daggers_are_better_and_worse_than_the_baseline() -> None:
    result = compared(baseline="a", test="t", correct="bonferroni")
    text = result.to_latex(places=2)
    assert tabular_rows(text)[1:] == [
        ["a", "0.52", ""],
        ["b", r"\textbf{0.73}", r"$^{\dagger}$"],
        ["c", "0.31", r"$^{\ddagger}$"],
        ["d", "0.52", ""],
    ]
    assert r"$\dagger$ is significantly better than a and $\ddagger$ significantly worse, by the paired t-test" in text
    assert "Bonferroni correction" in text
    assert markdown_rows(result.to_markdown(places=2))[2:4] == [
        ["b", "**0.73**<sup>†</sup>"],
        ["c", "0.31<sup>‡</sup>"],
    ]
    decided = {row["run_id"]: (row["significant"], row["difference"] > 0) for row in result.rows() if row["baseline"]}
    assert decided == {"b": ("yes", True), "c": ("yes", False), "d": ("no", decided["d"][1])}


def test_several_baselines_have_letters_above_and_below_the_line() -> None:
    result = compared(baseline=["a", "b"])
    assert tabular_rows(result.to_latex(places=2))[1:] == [
        ["a", "a", "0.52", r"$_{\mathrm{b}}$"],
        ["b", "b", r"\textbf{0.73}", r"$^{\mathrm{a}}$"],
        ["c", "c", "0.31", r"$_{\mathrm{a},\mathrm{b}}$"],
        ["d", "d", "0.52", r"$_{\mathrm{b}}$"],
    ]
    assert "the baselines (a, b) that a run is significantly better than" in result.to_latex()
    assert markdown_rows(result.to_markdown(places=2))[3] == ["c", "c", "0.31<sub>a,b</sub>"]


def test_lower_is_better() -> None:
    """A dagger marks a lower redundancy."""
    rows = {"a": [0.5, 0.52, 0.54, 0.5, 0.51, 0.53, 0.5], "b": [0.1, 0.12, 0.11, 0.1, 0.13, 0.12, 0.1]}
    text = pw.compare(one_measure("Redundancy@5", **rows), baseline="a").to_latex(places=2)
    assert tabular_rows(text)[2] == ["b", r"\textbf{0.11}", r"$^{\dagger}$"]


def test_marks_agree_with_the_rows_of_a_comparison() -> None:
    """On random matrices: bold is the best mean, and letters are the significant differences."""
    rng = np.random.default_rng(7)
    for _ in range(20):
        runs = {name: np.round(rng.random(10) * rng.choice([0.5, 1.0]), 2).tolist() for name in "abcde"}
        result = pw.compare(one_measure(**runs), alpha=0.2, correct="none")
        means = {name: float(np.mean(values)) for name, values in runs.items()}
        pairs = [row for row in result.rows() if row["baseline"] is not None and row["significant"] == "yes"]
        for row in tabular_rows(result.to_latex())[1:]:
            name, number, marks = row[1], row[2], row[3] if len(row) > 3 else ""
            assert number.startswith(r"\textbf") == (means[name] == max(means.values()))
            beaten = {row["baseline"] for row in pairs if row["run_id"] == name and row["difference"] > 0}
            beaten |= {row["run_id"] for row in pairs if row["baseline"] == name and row["difference"] < 0}
            assert set(re.findall(r"mathrm\{(\w)\}", marks)) == beaten


def test_captions_and_labels_of_your_own() -> None:
    scores = one_measure(a=[0.1, 0.2], b=[0.3, 0.4])
    assert scores.to_latex(caption="").startswith(r"\begin{tabular}")
    text = scores.to_latex(caption=r"My \emph{table}", label="tab:mine")
    assert "\\caption{My \\emph{table}}\n\\label{tab:mine}\n" in text
    with pytest.raises(pw.PartwiseError) as caught:
        scores.to_latex(places=-1)
    assert str(caught.value) == "places is '-1'; it must be a whole number from 0 to 17"


def test_hostile_names() -> None:
    scores = scores_of({HOSTILE: {HOSTILE: {"q": 0.25}}, BROKEN: {HOSTILE: {"q": 0.5}}, "[c]": {HOSTILE: {"q": 0.1}}})
    escaped = (
        r"a\%b\&c\_d\#e\$f\{g\}h\textasciitilde{}i\textasciicircum{}j\textbackslash{}k\textbar{}l\textless{}m\textgreater{}"
        r"n\textbackslash{}no{[}p]{*}q\textasciigrave{}r-{}-s"
    )
    rows = tabular_rows(scores.to_latex())
    assert rows[0] == ["run", escaped]
    assert [row[0] for row in rows[1:]] == [
        escaped,
        r"\textbackslash{}u202e\textbackslash{}x07\textbackslash{}x1b",
        "{[}c]",
    ]
    shown = HOSTILE.replace("\n", "\\n")
    cells = Cells(scores.to_html()).rows
    assert cells[0] == ["run", shown]
    assert [row[0] for row in cells[1:]] == [shown, r"\u202e\x07\x1b", "[c]"]
    for text in (scores.to_html(), scores._repr_html_()):
        assert text.isascii()
        assert "<m>" not in text
    rows = markdown_rows(scores.to_markdown())
    assert [len(row) for row in rows] == [2, 2, 2, 2]
    plain = re.sub(r"\\([\\`*_\[\]|#~!$^{}])", r"\1", rows[1][0])
    assert html.unescape(plain) == shown


def test_markdown_that_would_be_markup() -> None:
    assert markdown.escaped("*a* _b_ `c` [d](e) <b> $x$ | ~~f~~ \\") == (
        r"\*a\* \_b\_ \`c\` \[d\](e) &lt;b&gt; \$x\$ \| \~\~f\~\~ \\"
    )
    assert latex.escaped("a – b … †") == r"a -- b \dots{} $\dagger$"


def test_every_study_can_be_written(tmp_path: object) -> None:
    rng = np.random.default_rng(1)
    queries = [f"q{i}" for i in range(12)]
    scores = scores_of(
        {
            f"r_{i}": {m: dict(zip(queries, rng.random(12).tolist(), strict=True)) for m in ("iAP", "AgP")}
            for i in range(4)
        }
    )
    for findings in (
        pw.study.agreement(scores),
        pw.study.error_rate(scores, trials=5),
        pw.study.queries(scores, trials=5),
        pw.study.power(scores, trials=20),
        pw.gate(None, scores["r_1"], floor={"iAP": 0.1}),
    ):
        for transpose in (False, True):
            assert len(tabular_rows(findings.to_latex(transpose=transpose))) > 1
            assert len(markdown_rows(findings.to_markdown(transpose=transpose))) > 1
            assert len(Cells(findings.to_html(transpose=transpose)).rows) > 1


def test_slices_for_papers() -> None:
    scores = scores_of({run: {"iAP": {"q1": v, "q2": 1 - v}} for run, v in (("a", 0.2), ("b", 0.7))})
    slices = scores.by({"q1": "wiki", "q2": "law"})
    assert tabular_rows(slices.to_latex(places=1)) == [
        ["slice", "queries", "run", "iAP"],
        ["law", "1", "a", r"\textbf{0.8}"],
        ["law", "1", "b", "0.3"],
        ["wiki", "1", "a", "0.2"],
        ["wiki", "1", "b", r"\textbf{0.7}"],
        ["all", "2", "a", "0.5"],
        ["all", "2", "b", "0.5"],
    ]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["-f", "tsv", "--transpose"], "--transpose is for tables (table, latex, markdown, html), not for tsv; "),
        (["-f", "latex", "-q", "--transpose"], "--transpose cannot be used with -q; leave out one of them"),
        (["--sort", "iAPP"], "there is no measure 'iAPP'; choose among iAP"),
        (["--by", "tag", "--sort", "iAP"], "--sort cannot be used with --by tag; leave out one of them"),
    ],
)
def test_errors(
    words: list[str], line: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from support.paths import FILES

    assert main(["evaluate", *FILES, "-m", "iAP", *words]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith(line)


def test_wide_tables_fit_into_the_text_of_an_article() -> None:
    names = ["kind", "passages", "of lost text", "for example", "meaning"]
    kinds: list[Any] = ["text", "number", "number", "text", "text"]
    columns = tuple(Column(name, kind) for name, kind in zip(names, kinds, strict=True))
    short = Sheet(columns, [[Cell("below"), Cell("12"), Cell("0.5"), Cell("query 1: d"), Cell("seen late")]])
    assert latex.tabular(short).startswith("\\begin{tabular}{lrrll}\n")
    row = [Cell("below"), Cell("12"), Cell("0.5"), Cell("query 2009055: 17733874 0-79,842"), Cell("shown " * 12)]
    lines = latex.tabular(Sheet(columns, [row])).splitlines()
    assert lines[0] == r"\footnotesize\setlength{\tabcolsep}{3pt}"
    assert lines[3] == r"kind & passages & \shortstack[r]{of \\ lost \\ text} & for example & meaning \\"
    shares = [float(share) for share in re.findall(r"p\{([0-9.]+)\\linewidth\}", lines[1])]
    assert len(shares) == 2
    assert shares[0] < shares[1] < sum(shares) < 0.8  # the longer text has more room, and 20 characters are left
