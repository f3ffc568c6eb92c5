"""Bad files of every kind: each is refused with one error line, nothing is written, none hangs, none is misread."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pandas as pd
import pytest

import partwise as pw
from partwise.cli import main
from partwise.files import COMPRESSIONS
from partwise.outputs import write_bytes

FAR = 2**40
RESULT = "<result>\n<file>d</file>{}</result>"
DTD = '<!DOCTYPE x SYSTEM "x.dtd">'


def submission(result: str, head: str = "", topic: str = "1") -> str:
    return f'{head}<inex-submission run-id="r">\n<topic topic-id="{topic}">{result}</topic></inex-submission>'


def pool(inside: str, topic: str = "1", head: str = "") -> str:
    return f'{head}<assessments topic="{topic}">\n{inside}</assessments>'


GRADED = '<path path="/a[1]" exhaustiveness="3" specificity="3"/>'
POOL = pool(f'<file file="d">{GRADED}</file>')

# name: (file name, its content, the line)
REFUSED: dict[str, tuple[str, str | bytes, str]] = {
    "digits of another script": (
        "a.xml", submission(RESULT.format("<rank>\u0663</rank>")),
        "a.xml:3: the rank is '\u0663'; it must be a whole number from 0",
    ),
    "a fol that ends too far": (
        "a.xml", submission(RESULT.format(f'<fol offset="{FAR}" length="1"/>')),
        f"a.xml:3: the end of the part is '{FAR + 1}'; it must be at most {FAR}",
    ),
    "eight columns that end too far": (
        "a.run", f"t Q0 d 1 1 x 0 {FAR}\nt Q0 d 1 1 x {FAR} 1\n",
        f"a.run:2: the end of the part is '{FAR + 1}'; it must be at most {FAR}",
    ),
    "offset and length that end too far": (
        "a.csv", f"query_id,doc_id,rank,offset,length\nt,d,1,1,{FAR}\n",
        f"a.csv:2: the end of the part is '{FAR + 1}'; it must be at most {FAR}",
    ),
    "a passage that ends too far": (
        "q.txt", f"t Q0 d 5 {FAR} 0 {FAR}:5\n",
        f"q.txt:1: the end of the passage is '{FAR + 5}'; it must be at most {FAR}",
    ),
    "an entity of a DTD in an attribute": (
        "a.xml", submission(RESULT.format(""), DTD, "1&eacute;"),
        "a.xml:2: the entity &eacute; in an attribute is not defined; "
        "write the character itself or a numeric reference",
    ),
    "an entity of a DTD after a bracket": (
        "q.xml", pool("<file name='a>b' collection='&x.y;'/>", head=DTD),
        "q.xml:2: the entity &x.y; in an attribute is not defined; write the character itself or a numeric reference",
    ),
    "an external entity": (
        "a.xml", submission(RESULT.format(""), '<!DOCTYPE x [<!ENTITY e SYSTEM "e.txt">]>'),
        "a.xml:1: declares the entity 'e', which is not supported; write its text where it is used",
    ),
    "an element in a field": (
        "a.xml", submission(RESULT.replace("d", "d<i>1</i>").format("")),
        "a.xml:3: the file contains an element 'i'; write only text in it",
    ),
    "a judgement outside of a file": (
        "q.xml", pool(GRADED),
        "q.xml:2: the path is not directly in a file; put it directly into <file file=...>",
    ),
    "a judgement within something of a file": (
        "q.xml", pool(f'<file file="d"><sec>\n{GRADED}</sec></file>'),
        "q.xml:3: the path is not directly in a file; put it directly into <file file=...>",
    ),
    "a file within something": (
        "q.xml", pool(f'<collection>\n<file file="d">{GRADED}</file></collection>'),
        "q.xml:3: the file is inside another element; put it directly into <assessments>",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_bad_files_are_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, content, line = REFUSED[name]
    monkeypatch.chdir(tmp_path)
    Path(file).write_bytes(content.encode() if isinstance(content, str) else content)
    assert main(["convert", file, "out.jsonl"]) == 2
    assert capsys.readouterr().err == line + "\n"
    assert os.listdir() == [file]


def test_entities_outside_attributes(tmp_path: Path) -> None:
    """Entities of a DTD stay as written, those of XML are expanded, and those in comments are ignored."""
    head = f'{DTD}<!-- <topic topic-id="&no;"> -->'
    (tmp_path / "a.xml").write_text(submission(RESULT.replace("d", "d&e;").format(""), head, "1&amp;&#50;"))
    [run] = pw.read_runs(tmp_path / "a.xml")
    assert (run.query[0], run.doc[0]) == ("1&2", "d&e;")


def test_the_copy_of_a_topic_may_hold_anything(tmp_path: Path) -> None:
    copy = f'<inex_topic><title><path/></title><file file="no">{GRADED}</file></inex_topic>'
    (tmp_path / "q.xml").write_text(pool(f'{copy}<file file="d"/>'))
    assert list(pw.read_assessments(tmp_path / "q.xml").docs) == ["d"]


def test_judgements_in_the_wrong_place_when_lenient(tmp_path: Path) -> None:
    """A document whose judgements were skipped is not a document that was judged as not relevant."""
    good = f'<file file="e">{GRADED}</file>'
    (tmp_path / "q.xml").write_text(pool(f'<file file="d"><sec>\n{GRADED}</sec></file>{good}'))
    assert list(pw.read_assessments(tmp_path / "q.xml", lenient=True).docs) == ["e"]


@pytest.mark.parametrize(
    ("content", "count"),
    [
        (submission("<result><file>d</file></result><result><rank>1</rank></result>" * 2), 2),
        (submission("<result><file>d</file>\n<rank>x</rank>\n<rsv>y</rsv></result>" + RESULT.format("")), 1),
        (submission(RESULT.format("") * 2, topic=""), 3),
    ],
    ids=["several on a line", "several lines of one", "all of a topic"],
)
def test_skipped_results_are_counted(tmp_path: Path, content: str, count: int) -> None:
    """The note counts results, not the lines with problems."""
    good = "<topic topic-id='t'><result><file>d</file></result></topic></inex-submission>"
    (tmp_path / "a.xml").write_text(content.replace("</inex-submission>", good))
    [finding] = [finding for finding in pw.check({"t": {"d": 1}}, tmp_path / "a.xml") if finding.rule == "bad-line"]
    assert finding.count == count
    notes = pw.evaluate({"t": {"d": 1}}, tmp_path / "a.xml", "P@1", lenient=True).notes
    assert f"a.xml: {count} bad element{'s' * (count > 1)} skipped, the first: " in notes[0]


def test_repeated_judgements_on_one_line_are_counted(tmp_path: Path) -> None:
    (tmp_path / "q.xml").write_text(pool(f'<file file="d">{GRADED * 3}</file>'))
    [finding] = [finding for finding in pw.check(tmp_path / "q.xml") if finding.rule == "bad-line"]
    assert finding.count == 2


# ---- JSON Lines --------------------------------------------------------------------------------------------


def test_half_characters_matter_only_where_they_are_read(tmp_path: Path) -> None:
    """An emoji that was cut off in a text does not matter to scoring; when lenient, rows that need it are skipped."""
    path = tmp_path / "a.jsonl"
    whole = '{"query_id": "t", "doc_id": "d", "rank": 1, "start": 0, "end": 5, "text": "\\ud83d"}\n'
    path.write_text(whole)
    assert pw.evaluate({"t": [("d", 0, 5)]}, path, "TextP@1").mean()["a"]["TextP@1"] == 1
    path.write_text(whole + whole.replace('"d"', '"\\ud83d"'))
    scores = pw.evaluate({"t": [("d", 0, 5)]}, path, "TextP@1", lenient=True)
    assert "1 bad line skipped, the first: " in scores.notes[0]
    path.write_text(whole.replace('"d"', '"\\ud83d\\ude00"'))
    assert pw.read_runs(path)[0].doc[0] == "\U0001f600"


@pytest.mark.parametrize("levels", [99, 100, 900, 100_000])
def test_values_of_many_levels(tmp_path: Path, levels: int) -> None:
    """Brackets in strings do not count."""
    path = tmp_path / "a.jsonl"
    row = '{"query_id": "t", "doc_id": "d", "rank": 1, "start": 0, "end": 5, "text": %s}\n'
    path.write_text(row % f'"{"[" * levels}\\""')
    assert len(pw.read_runs(path)[0]) == 1
    path.write_text(row % ("[" * levels + "]" * levels))
    if levels < 100:
        assert len(pw.read_runs(path)[0]) == 1
        return
    with pytest.raises(pw.PartwiseError, match=r"a\.jsonl:1: is (nested more than 100 levels deep|not JSON \()"):
        pw.read_runs(path)


# ---- folders and archives -----------------------------------------------------------------------------------


def zipped(path: Path, *members: tuple[str, str]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members:
            archive.writestr(name, content)


def line_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 2
    return capsys.readouterr().err


def test_archives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    zipped(Path("away.zip"), ("/etc/a.xml", POOL.replace("3", "9")), ("../../b.xml", POOL))
    zipped(Path("none.zip"))
    with pytest.warns(UserWarning, match="Duplicate name"):
        zipped(Path("twice.zip"), ("a.xml", POOL), ("a.xml", pool("", "2")))
    with tarfile.open("twice.tar", "w") as archive:
        for topic in "12":
            content = pool('<file file="d"/>', topic).encode()
            member = tarfile.TarInfo("a.xml")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    wrong = "the exhaustiveness is '9'; it must be one of 0, 1, 2, 3"
    assert line_of(capsys, "convert", "away.zip", "out.jsonl") == f"away.zip//etc/a.xml:2: {wrong}\n"
    twice = "contains two files named 'a.xml'; give every file a different name\n"
    assert line_of(capsys, "convert", "twice.zip", "out.jsonl") == f"twice.zip: {twice}"
    assert line_of(capsys, "convert", "twice.tar", "out.jsonl") == f"twice.tar: {twice}"
    none = "none.zip: has no XML files; give assessments as INEX XML, a file per query and pool\n"
    assert line_of(capsys, "convert", "none.zip", "out.jsonl") == none


def test_only_xml_is_unpacked(tmp_path: Path) -> None:
    """Other files of an archive may be damaged or of any size."""
    zipped(tmp_path / "a.zip", ("a.xml", POOL), ("z.bin", "spoil me"))
    data = (tmp_path / "a.zip").read_bytes()
    (tmp_path / "a.zip").write_bytes(data.replace(b"spoil me", b"spoiled!", 1))
    assert list(pw.read_assessments(tmp_path / "a.zip").docs) == ["d"]


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_files_that_expand_to_too_much(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.jsonl{suffix}"
    text = b'{"query_id": "q", "doc_id": "d", "start": 1, "end": 2}\n'
    write_bytes(path, text + b" " * (1_000_000 - len(text)))
    assert len(path.read_bytes()) < 2000
    with pw.reading(max_unpacked=1_000_000):
        assert list(pw.read_assessments(path).docs) == ["d"]
    for read in (pw.read_assessments, pw.read_runs):
        with pw.reading(max_unpacked="999999"), pytest.raises(pw.PartwiseError) as error:
            read(path)
        assert str(error.value) == (
            f"{path}: expands to more than 999999 bytes; decompress it and give the file, or raise the limit: "
            "--max-unpacked 1999998B"
        )


def test_a_compressed_archive_that_expands_to_too_much(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(POOL + " " * 1_000_000)
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "a.xml", "a.xml")
    with (
        pw.reading(max_unpacked=1_000_000),
        pytest.raises(
            pw.PartwiseError, match=r"a\.tar\.gz: expands to more than 1000000 bytes; unpack it and give the folder, or"
        ),
    ):
        pw.read_assessments(tmp_path / "a.tar.gz")


def test_archives_that_expand_to_too_much(tmp_path: Path) -> None:
    zipped(tmp_path / "a.zip", ("a.xml", POOL + " " * 1000))
    line = r"expands to more than 1000 bytes; unpack it and give the folder, or raise the limit: --max-unpacked 2000B"
    with pw.reading(max_unpacked=1000), pytest.raises(pw.PartwiseError, match=line):
        pw.read_assessments(tmp_path / "a.zip")


def test_a_pipe_in_a_folder_does_not_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pools").mkdir()
    os.mkfifo("pools/a.xml")
    line = "pools/a.xml: is not a regular file; give a folder of regular files\n"
    assert line_of(capsys, "convert", "pools", "out.jsonl") == line
    assert line_of(capsys, "tree", "pools", "a") == line


def test_the_same_assessments_twice(tmp_path: Path) -> None:
    (tmp_path / "q.xml").write_text(POOL)
    with pytest.raises(pw.PartwiseError, match="is given twice; give every file once"):
        pw.read_assessments([tmp_path / "q.xml", tmp_path / "q.xml"])


# ---- the demo -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["articles", "runs"])
def test_a_demo_that_fails_leaves_nothing(name: str, tmp_path: Path) -> None:
    """The folder has the README of the demo, so it is taken for a demo, and a file in place of a folder."""
    pw.demo().write(tmp_path / "whole")
    (tmp_path / "part").mkdir()
    (tmp_path / "whole" / "README.md").rename(tmp_path / "part" / "README.md")
    (tmp_path / "part" / name).write_text("mine")
    with pytest.raises(pw.PartwiseError, match=r"part: cannot be written \(File exists\)"):
        pw.demo().write(tmp_path / "part")
    assert sorted(os.listdir(tmp_path / "part")) == ["README.md", name]


def test_a_demo_in_a_folder_whose_name_is_not_utf8(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with open("out.txt", "wb") as out:
        done = subprocess.run(
            [sys.executable, "-m", "partwise", "demo", b"caf\xe9"], check=False, stdout=out, stderr=subprocess.PIPE
        )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"  cd 'caf\xe9'\n" in Path("out.txt").read_bytes()


def test_a_demo_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine").touch()
    line = ".: contains other files; give the demo a new folder: partwise demo FOLDER\n"
    assert line_of(capsys, "demo", "") == line


# ---- writing ------------------------------------------------------------------------------------------------

RUN = "t Q0 d 1 1 x 0 5\n"


@pytest.mark.parametrize("cut", range(20))
def test_the_format_of_long_files_is_detected(tmp_path: Path, cut: int) -> None:
    """Only the first lines are inspected, without the last one if it is cut off."""
    (tmp_path / "a.run").write_text("\n" * cut + RUN * 5_000)
    pw.convert(tmp_path / "a.run", tmp_path / "b.jsonl")
    assert len(pw.read_runs(tmp_path / "b.jsonl")[0]) == 5_000


def test_the_layout_of_most_lines_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.run").write_text(RUN + RUN + "t Q0 d\n")
    line = "a.run:3: has 3 columns; expected query Q0 document rank score run offset length\n"
    assert line_of(capsys, "convert", "a.run", "out.jsonl") == line


def test_names_that_columns_would_change(tmp_path: Path) -> None:
    for name in (" d", "d ", "d\r1", "d\0", "d\n"):
        rows = [{"query_id": "t", "doc_id": name, "rank": 1, "start": 0, "end": 5}]
        run = next(pw.Evaluator({"t": [("d", 0, 5)]}, "TextP@1").read(rows))
        for suffix in ("csv", "tsv"):
            with pytest.raises(pw.PartwiseError) as error:
                pw.write_run(run, tmp_path / f"a.{suffix}")
            assert str(error.value).endswith(
                f": the name {name!r} would not be read back from {suffix.upper()} unchanged; "
                "write .jsonl or .parquet, which hold every part"
            )
        assert not list(tmp_path.iterdir())
        pw.write_run(run, tmp_path / "a.jsonl")
        assert pw.read_runs(tmp_path / "a.jsonl")[0].doc[0] == name
        (tmp_path / "a.jsonl").unlink()


def test_a_folder_in_place_of_the_output_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.run").write_text(RUN)
    Path("out.jsonl").mkdir()
    line = "out.jsonl: is a folder; give the path of a file to write\n"
    assert line_of(capsys, "convert", "a.run", "out.jsonl") == line


def test_output_to_a_closed_pipe(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text(RUN * 100_000)
    command = f"{sys.executable} -m partwise convert a.run /dev/stdout --to csv; echo $? >&2"
    done = subprocess.run(f"({command}) | true", check=False, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert done.stderr == "0\n"


def test_control_characters_in_error_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    line = "no\\r\\x1b[31m\\u2028such file: no such file; give the path of a file that exists\n"
    assert line_of(capsys, "convert", "no\r\x1b[31m\u2028such\nfile", "out.jsonl") == line


def test_numbers_that_no_column_can_hold() -> None:
    wanted = f"it must be a whole number from 0 to {FAR}"
    rows: list[dict[str, object]] = [{"query_id": "t", "doc_id": "d", "start": 0, "end": 2**70}]
    for run in (rows, pd.DataFrame(rows)):
        with pytest.raises(pw.PartwiseError, match=f"row 1: the end is '{2**70}'; {wanted}"):
            pw.evaluate({"t": [("d", 0, 5)]}, run, "iAP")
    rows[0]["end"] = 10**5000
    with pytest.raises(pw.PartwiseError, match=f"the end is 'a number of thousands of digits'; {wanted}"):
        pw.evaluate({"t": [("d", 0, 5)]}, rows, "iAP")
