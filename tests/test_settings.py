"""What readers accept: the limit of unpacking and links, set in one place for every reader."""

from __future__ import annotations

import argparse
import gzip
import io
import json
import os
import pickle
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import partwise as pw
from partwise.cli import main, parser
from partwise.outputs import write_bytes
from partwise.settings import FIELDS, Reading, current, reading, size, size_text

QRELS = "t1 Q0 d1 5 100 10 10:5\n"
ROW = "t1 Q0 d{} 1 0.9 tag 10 5\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("q.txt").write_text(QRELS)
    Path("a.run").write_text(ROW.format(1))
    return tmp_path


# ---- the settings -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "number"),
    [("8GiB", 8 * 2**30), ("500MB", 500 * 10**6), ("1.5 kb", 1500), ("17", 17), (17, 17), ("2b", 2), ("1TiB", 2**40)],
)
def test_sizes(text: str | int, number: int) -> None:
    assert size(text) == number


@pytest.mark.parametrize("value", ["", "GiB", "8XB", "-1", "0", "1e9", "9" * 30, "١GiB", 0, True, 1.5, None, 2**60])
def test_what_is_not_a_size(value: object) -> None:
    with pytest.raises(pw.PartwiseError, match=r"is not a size; write a number of bytes with a unit, such as 8GiB"):
        size(value)  # type: ignore[arg-type]


def test_sizes_as_text() -> None:
    assert [size_text(n) for n in (2**32, 3 * 2**20, 1000)] == ["4GiB", "3MiB", "1000B"]
    assert size_text(2**32, " ") == "4 GiB"
    assert all(size(size_text(n)) == n for n in (1, 1000, 1024, 2**40, 2**40 + 1))


def test_settings_nest_and_end() -> None:
    before = current()
    with pw.reading(max_unpacked="1MiB"):
        with reading(follow_links=True):
            assert current() == Reading(max_unpacked=2**20, follow_links=True)
        assert current() == Reading(max_unpacked=2**20)
    assert current() == before == Reading()


def commands(top: argparse.ArgumentParser, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], set[str]]]:
    """The words of every command without subcommands, and its options."""
    inner = [action for action in top._actions if isinstance(action, argparse._SubParsersAction)]
    if not inner:
        yield words, {option for action in top._actions for option in action.option_strings}
    for action in inner:
        for name, below in action.choices.items():
            yield from commands(below, (*words, name))


def test_every_command_that_reads_files_has_the_options() -> None:
    options = {f"--{name.replace('_', '-')}" for name in FIELDS}
    without = {words for words, has in commands(parser()) if not options <= has}
    assert without == {("measures",), ("demo",)}


def test_a_bad_size_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "q.txt", "a.run", "--max-unpacked", "much"]) == 2
    assert capsys.readouterr().err == (
        "partwise evaluate: argument --max-unpacked: 'much' is not a size; write a number of bytes with a unit, such "
        "as 8GiB; see partwise evaluate --help\n"
    )


# ---- unpacking ----------------------------------------------------------------------------------------------

BLANK = b"\n" * 3_000_000
ONE_QUERY = b"".join(ROW.format(i).encode() for i in range(100_000))
ONE_LINE = b"t1 Q0 " + b"d" * 3_000_000
ZEROS = b"\0" * 3_000_000


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
@pytest.mark.parametrize("content", [BLANK, ONE_QUERY, ONE_LINE, ZEROS], ids=["blank", "query", "line", "zeros"])
def test_a_run_read_in_blocks_has_the_limit(content: bytes, suffix: str, capsys: pytest.CaptureFixture[str]) -> None:
    name = f"a.run{suffix}"
    write_bytes(name, content)
    assert main(["evaluate", "q.txt", name, "-m", "iAP", "--max-unpacked", "1MiB"]) == 2
    assert capsys.readouterr().err == (
        f"{name}: the lines of one query expand to more than 1 MiB; decompress it and give the file, or raise the "
        "limit: --max-unpacked 2MiB\n"
    )


def test_a_large_run_of_many_queries_is_read_in_blocks() -> None:
    rows = [f"t{i} Q0 d{i} 1 0.9 tag 10 5\n" for i in range(200_000)]
    write_bytes("big.run.gz", "".join(rows).encode())
    with pw.reading(max_unpacked="1MiB"):
        assert pw.evaluate("q.txt", "big.run.gz", "iAP").mean() == {"big": {"iAP": 1.0}}
        with pytest.raises(pw.PartwiseError, match=r"expands to more than 1 MiB"):
            pw.read_runs("big.run.gz")


def test_a_bomb_does_not_stay_in_memory() -> None:
    """Half a gigabyte in one query, with a limit of 8 MiB: the process needs less than 200 MiB more than without."""
    with gzip.open("bomb.run.gz", "wb", compresslevel=1) as file:
        for _ in range(64):
            file.write(ROW.format(1).encode() * (1 << 15))
    script = """
import resource, sys
from partwise.cli import main
assert main(["evaluate", "q.txt", "a.run", "-m", "iAP"]) == 0
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
code = main(["evaluate", "q.txt", "bomb.run.gz", "-m", "iAP", "--max-unpacked", "8MiB"])
print(code, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    code, megabytes = done.stdout.split("\n")[-2].split()
    assert code == "2"
    assert int(megabytes) < 100
    assert done.stderr.splitlines()[-1] == (
        "bomb.run.gz: the lines of one query expand to more than 8 MiB; decompress it and give the file, or raise the "
        "limit: --max-unpacked 16MiB"
    )


def zipped() -> str:
    with zipfile.ZipFile("c.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("d1.txt", "x" * 2_000_000)
    return "c.zip"


def tarred(mode: str, name: str) -> Callable[[], str]:
    def make() -> str:
        with tarfile.open(name, mode) as archive:  # type: ignore[call-overload]
            info = tarfile.TarInfo("d1.txt")
            info.size = 2_000_000
            archive.addfile(info, io.BytesIO(b"x" * 2_000_000))
        return name

    return make


def lines() -> str:
    write_bytes("c.jsonl.gz", b'{"doc_id": "d1", "text": "' + b"x" * 2_000_000 + b'"}\n')
    return "c.jsonl.gz"


@pytest.mark.parametrize("make", [zipped, tarred("w:gz", "c.tar.gz"), tarred("w:gz", "c.tgz"), lines])
def test_a_collection_has_the_limit_with_which_it_was_opened(make: Callable[[], str]) -> None:
    name = make()
    with pw.reading(max_unpacked="3MB"):
        documents = pw.Collection.open(name)
    with pw.reading(max_unpacked="1MB"):
        for opened in (documents, pickle.loads(pickle.dumps(documents))):
            assert opened["d1"].length == 2_000_000
        with pytest.raises(pw.PartwiseError, match=r"expands to more than 1000000 bytes; .*--max-unpacked 2000000B"):
            pw.Collection.open(name)["d1"]


def test_parquet_has_the_limit() -> None:
    rows = {"query_id": ["t1"] * 300_000, "doc_id": ["d1"] * 300_000, "start": range(300_000), "end": range(1, 300_001)}
    pq.write_table(pa.table(rows), "a.parquet")
    assert os.path.getsize("a.parquet") < 4_000_000
    assert len(pw.read_runs("a.parquet")[0]) == 300_000
    with pw.reading(max_unpacked="8MiB"), pytest.raises(pw.PartwiseError) as error:
        pw.read_runs("a.parquet")
    assert str(error.value) == (
        "a.parquet: expands to more than 8 MiB; split it into several files, or raise the limit: --max-unpacked 16MiB"
    )


def test_an_index_has_the_limit_with_which_it_was_opened() -> None:
    pw.write_index({"d1": "x" * 2_000_000}, "i.parquet")
    with pw.reading(max_unpacked="1MB"):
        small = pw.Collection.open("i.parquet")
    for documents in (small, pickle.loads(pickle.dumps(small))):
        with pytest.raises(pw.PartwiseError, match=r"i.parquet: expands to more than 1000000 bytes; split it"):
            documents["d1"]
    assert pw.Collection.open("i.parquet")["d1"].length == 2_000_000


def test_compressed_files_in_an_archive_share_its_limit() -> None:
    pool = b'<file file="d"><passage start="/a[1]" end="/a[1]"/></file>'
    with zipfile.ZipFile("pools.zip", "w") as archive:
        for i in range(3):
            archive.writestr(f"{i}.xml.gz", gzip.compress(pool + b" " * 400_000))
    with (
        pw.reading(max_unpacked="1MB"),
        pytest.raises(pw.PartwiseError, match=r"pools.zip/2.xml.gz: expands to more than 1000000 bytes"),
    ):
        pw.read_assessments("pools.zip")


@pytest.mark.parametrize(
    "script", ["partwise evaluate q.txt /dev/zero", "yes t1 Q0 d 1 2 t | partwise evaluate q.txt -"]
)
def test_endless_inputs_stop(script: str) -> None:
    script = script.replace("partwise", f"{sys.executable} -m partwise") + " --max-unpacked 4MiB"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=False)
    name = "/dev/zero" if "zero" in script else "-"
    assert (done.returncode, done.stderr) == (
        2,
        f"{name}: does not end within 4 MiB; save it to a file and give the file, or raise the limit: --max-unpacked "
        "8MiB\n",
    )


# ---- memory -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["evaluate", "check"])
def test_too_little_memory_is_one_line(command: str) -> None:
    Path("big.run").write_text("".join(f"t1 Q0 d{i} {i + 1} 0.9 tag 10 5\n" for i in range(400_000)))
    script = f"""
import resource, sys
import partwise.api, partwise.checks, partwise.evaluation, partwise.formats, pyarrow
from partwise.cli import main
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 24 * 2**20, resource.RLIM_INFINITY))
sys.exit(main(["{command}", "q.txt", "big.run"] + ["-m", "iAP", "--jobs", "1"] * ("{command}" == "evaluate")))
"""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (2, "there is not enough memory; give smaller files, or fewer at a time\n")


# ---- links --------------------------------------------------------------------------------------------------


@pytest.fixture
def linked(folder: Path) -> Path:
    (folder / "docs" / "sub").mkdir(parents=True)
    (folder / "outside").mkdir()
    (folder / "docs" / "d1.txt").write_text("one")
    (folder / "docs" / "sub" / "d2.txt").write_text("two")
    (folder / "outside" / "secret.txt").write_text("three")
    (folder / "docs" / "inside.txt").symlink_to("d1.txt")
    (folder / "docs" / "leak.txt").symlink_to(folder / "outside" / "secret.txt")
    (folder / "docs" / "more").symlink_to(folder / "outside")
    return folder


def test_links_out_of_a_folder_are_not_followed(linked: Path) -> None:
    documents = pw.Collection.open("docs")
    assert documents.doc_ids() == ["d1", "inside", "sub/d2"]
    note = (
        "docs: 2 links that lead to folders or out of this one are not followed; the first is 'leak.txt'; follow them "
        "with --follow-links"
    )
    assert documents.notes == (note,)
    assert note in pw.evaluate("q.txt", "a.run", "iAP", collection="docs").notes


def test_links_are_followed_on_request(linked: Path) -> None:
    with pw.reading(follow_links=True):
        documents = pw.Collection.open("docs")
    assert documents.doc_ids() == ["d1", "inside", "leak", "more/secret", "sub/d2"]
    assert documents.notes == ()
    assert pickle.loads(pickle.dumps(documents)).doc_ids() == documents.doc_ids()


def test_loops_of_links_end(linked: Path) -> None:
    (linked / "docs" / "sub" / "up").symlink_to("..")
    (linked / "docs" / "sub" / "self").symlink_to(".")
    (linked / "outside" / "back").symlink_to(linked / "docs")
    (linked / "docs" / "again").symlink_to(linked / "outside")
    (linked / "docs" / "round.txt").symlink_to("round.txt")
    with pw.reading(follow_links=True):
        documents = pw.Collection.open("docs")
    assert documents.doc_ids() == ["d1", "inside", "leak", "round", "again/secret", "sub/d2"]
    assert documents.notes == ("docs: 4 links lead to folders that were read already; the first is 'more'",)


@pytest.mark.parametrize(
    "words",
    [
        ["index", "docs", "-o", "i.parquet"],
        ["tree", "docs", "d1"],
        ["check", "q.txt", "--collection", "docs"],
        ["explain", "q.txt", "a.run", "--query-id", "t1", "--collection", "docs"],
        ["evaluate", "q.txt", "a.run", "-m", "iAP", "--collection", "docs"],
        ["convert", "a.run", "b.csv", "--collection", "docs"],
        ["locate", "c.jsonl", "--corpus", "docs"],
    ],
)
def test_commands_report_links(words: list[str], linked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("c.jsonl").write_text('{"query_id": "t1", "doc_id": "d1", "text": "one"}\n')
    main(words)
    assert capsys.readouterr().err.count("2 links that lead to folders or out of this one are not followed") == 1
    main([*words, "--follow-links"])
    assert "links" not in capsys.readouterr().err


def test_links_in_a_folder_of_assessments(folder: Path) -> None:
    (folder / "pools").mkdir()
    (folder / "x.xml").write_text("<a/>")
    (folder / "pools" / "x.xml").symlink_to(folder / "x.xml")
    with pytest.raises(pw.PartwiseError, match=r"pools: contains no XML|no XML"):
        pw.read_assessments("pools")


# ---- names that are not UTF-8 -------------------------------------------------------------------------------

NAME = b"caf\xe9"


def run(*words: str | bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "partwise", *words], capture_output=True, check=False)


def test_names_that_are_not_utf8_work_in_every_command(folder: Path) -> None:
    os.mkdir(NAME)
    for name, content in [
        (b".xml", b"<a><b>one</b></a>"),
        (b"/d1.xml", b"<a><b>one, two, three and four</b></a>"),
        (b".txt", QRELS.encode()),
    ]:
        with open(NAME + name, "wb") as file:
            file.write(content)
    for name in (b".run", b"2.run"):
        with open(NAME + name, "wb") as file:
            file.write(ROW.format(1).encode())
    with open(NAME + b".jsonl", "wb") as file:
        file.write(b'{"query_id": "t1", "doc_id": "d1", "text": "one"}\n')
    with open(NAME + b".titles.jsonl", "wb") as file:
        file.write(b'{"query_id": "t1", "title": "T"}\n')
    with open(NAME + b".routes.jsonl", "wb") as file:
        file.write(b'{"doc_id": "d1", "route": ["/a[1]", "/a[1]/b[1]"]}\n')
    q, a, b = NAME + b".txt", NAME + b".run", NAME + b"2.run"
    works: list[list[str | bytes]] = [
        ["evaluate", q, a, "-m", "iAP", "-q", "-o", NAME + b".tsv"],
        ["evaluate", q, a, "-m", "iAP", "-q", "-o", NAME + b".parquet"],
        ["evaluate", q, a, "-m", "iAP", "--collection", NAME],
        *(["evaluate", q, a, "-m", "iAP", "-f", format] for format in ("table", "csv", "jsonl", "latex", "trec")),
        ["compare", q, a, b, "-m", "iAP", "--trials", "100", "-o", NAME + b"3.tsv", "--plot", NAME + b".html"],
        ["compare", NAME + b".tsv"],
        ["study", "agreement", q, a, b, "-m", "iAP P@1"],
        ["report", q, a, "-m", "iAP", "-o", NAME + b"4.html", "--queries", NAME + b".titles.jsonl"],
        ["check", q, a, "--collection", NAME],
        *(["check", q, a, "--collection", NAME, "-o", b"check" + suffix] for suffix in (b".tsv", b".jsonl")),
        ["convert", a, NAME + b".csv"],
        ["locate", NAME + b".jsonl", "--corpus", NAME, "-o", NAME + b"5.jsonl"],
        ["index", NAME, "-o", NAME + b"6.parquet"],
        ["tree", NAME, "d1"],
        ["ideal", q, "--collection", NAME, "-o", NAME + b"7.run"],
        ["explain", q, a, "--query-id", "t1", "--collection", NAME],
        ["navigation", "learn", NAME + b".routes.jsonl", "-o", NAME + b".json"],
        ["navigation", "show", NAME + b".json"],
        ["demo", NAME + b"-demo"],
    ]
    for words in works:
        done = run(*words)
        assert b"Traceback" not in done.stderr, (words, done.stderr)
        assert done.returncode == (1 if words[0] == "check" else 0), (words, done.stderr)
    assert "\tcaf\\udce9.txt\t" in Path("check.tsv").read_text(encoding="utf-8")
    files = [json.loads(line)["file"] for line in Path("check.jsonl").read_text(encoding="utf-8").splitlines()]
    assert os.fsdecode(NAME + b".txt") in files


@pytest.mark.parametrize("command", ["evaluate", "check", "convert", "index", "tree", "locate", "ideal", "explain"])
def test_missing_files_whose_names_are_not_utf8_are_one_line(command: str) -> None:
    more: dict[str, list[str | bytes]] = {
        "evaluate": ["a.run"],
        "convert": ["x.csv"],
        "index": ["-o", "x.parquet"],
        "tree": ["d"],
        "locate": ["--corpus", NAME],
        "ideal": ["--collection", NAME],
        "explain": ["a.run", "--query-id", "t1"],
    }
    done = run(command, NAME, *more.get(command, []))
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert done.stderr.startswith(b"caf\\udce9: ")
