"""Formats with a row per line, registered by users or provided by installed packages."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import partwise as pw
from partwise.cli import main

GOLD = {"q1": [("d1", 10, 30)]}
LINES = "q1 -> d1 10 20\n\nq1 -> d2 0 5\n"


class Arrows(pw.LineFormat):
    name, suffixes = "arrows", (".arrows",)

    def row(self, line: str) -> Mapping[str, Any] | None:
        if not line:
            return None
        words = line.split()
        if len(words) != 5:
            raise ValueError(f"{len(words)} words")
        return {"query_id": words[0], "doc_id": words[2], "start": words[3], "end": words[4]}

    def line(self, row: Mapping[str, Any]) -> str:
        return f"{row['query_id']} -> {row['doc_id']} {row['start']} {row['end']}"


@pytest.fixture
def arrows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a run in the format, which is registered."""
    monkeypatch.chdir(tmp_path)
    assert pw.register_format(Arrows) is Arrows
    Path("a.arrows").write_text(LINES)
    return tmp_path


def test_a_run_is_read_and_written(arrows: Path) -> None:
    assert pw.evaluate(GOLD, "a.arrows", "TextP TextR").mean() == {"a": {"TextP": 10 / 15, "TextR": 0.5}}
    pw.convert("a.arrows", "b.jsonl", kind="run")
    pw.convert("b.jsonl", "c.arrows", kind="run")
    assert Path("c.arrows").read_text() == LINES.replace("\n\n", "\n")
    assert main(["convert", "b.jsonl", "named", "--as", "run", "--to", "arrows"]) == 0
    assert Path("named").read_text() == Path("c.arrows").read_text()


def test_bad_lines_are_reported_with_their_number(arrows: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.arrows").write_text(LINES + "q1 -> d3\nq1 -> d3 7 6\n")
    Path("q.jsonl").write_text('{"query_id": "q1", "doc_id": "d1", "start": 10, "end": 30}\n')
    assert main(["evaluate", "q.jsonl", "a.arrows", "-m", "TextR"]) == 2
    assert capsys.readouterr().err == (
        "a.arrows:4: is not a line of arrows (3 words); fix the line, or skip it with --lenient\n"
    )
    assert main(["evaluate", "q.jsonl", "a.arrows", "-m", "TextR", "--lenient", "-f", "tsv"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "run_id\tmeasure\tquery_id\tvalue\na\tTextR\tall\t0.5\n"
    assert "a.arrows: 2 bad lines skipped" in captured.err


def test_what_a_line_cannot_hold_is_an_error(arrows: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("b.jsonl").write_text('{"query_id": "q1", "doc_id": "d1", "path": "/a[1]"}\n')
    assert main(["convert", "b.jsonl", "c.arrows", "--as", "run"]) == 2
    line = "arrows needs start, but a row has only doc_id, path, query_id"
    assert line in capsys.readouterr().err
    assert not Path("c.arrows").exists()


class ReadOnly(Arrows):
    name, suffixes = "readonly", (".ro",)
    line = pw.LineFormat.line


def test_a_format_without_line_is_only_read(arrows: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pw.register_format(ReadOnly)
    Path("a.ro").write_text(LINES)
    assert len(pw.read_runs("a.ro")[0]) == 2
    assert main(["convert", "a.arrows", "b.ro", "--as", "run"]) == 2
    assert capsys.readouterr().err.startswith("b.ro: cannot be written as readonly; use one of trec, inex,")


def test_formats_that_are_none() -> None:
    with pytest.raises(pw.PartwiseError, match=r"^'42' is not a format; give a subclass of partwise\.Format"):
        pw.register_format(42)  # type: ignore[type-var]
    pw.register_format(Arrows)
    with pytest.raises(pw.PartwiseError, match=r"^the format arrows \(\.arrows\) already exists"):
        pw.register_format(Arrows)


PACKAGE = """
import partwise as pw


class Arrows(pw.LineFormat):
    name, suffixes = "arrows", (".arrows",)

    def row(self, line):
        query_id, _, doc_id, start, end = line.split()
        return {"query_id": query_id, "doc_id": doc_id, "start": start, "end": end}

    def line(self, row):
        return f"{row['query_id']} -> {row['doc_id']} {row['start']} {row['end']}"
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an installed package that provides the format."""
    (tmp_path / "quiver.py").write_text(PACKAGE)
    info = tmp_path / "quiver-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: quiver\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[partwise.formats]\narrows = quiver:Arrows\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_package_provides_a_format(installed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.arrows").write_text("q1 -> d1 10 20\n")
    assert pw.evaluate(GOLD, "a.arrows", "TextR").mean() == {"a": {"TextR": 0.5}}
    sys.modules.pop("quiver")


def test_a_package_provides_a_format_to_write(installed: Path) -> None:
    pw.write_run(pw.read_runs(write(Path("a.run")))[0], "b.arrows")
    assert Path("b.arrows").read_text() == "q1 -> d1 10 20\n"
    assert main(["convert", "a.run", "named", "--to", "arrows"]) == 0
    assert Path("named").read_text() == "q1 -> d1 10 20\n"
    sys.modules.pop("quiver")


def write(path: Path) -> Path:
    path.write_text("q1 Q0 d1 1 9 x 10 10\n")
    return path


def test_packages_are_asked_for_unknown_suffixes_only(tmp_path: Path) -> None:
    code = (
        "import sys, partwise as pw; pw.evaluate({'q1': [('d1', 0, 9)]}, sys.argv[1], 'iAP');"
        "print('importlib.metadata' in sys.modules)"
    )
    for name, answer in (("a.run", "False\n"), ("a.mine", "True\n")):
        path = write(tmp_path / name)
        done = subprocess.run([sys.executable, "-c", code, str(path)], check=True, capture_output=True, text=True)
        assert done.stdout == answer
