"""Saved scores with their provenance: what is recorded, where, and what is refused because of it."""

from __future__ import annotations

import builtins
import hashlib
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import partwise as pw
from partwise.cli import main

QRELS = "t1 Q0 d1 10 100 10 10:10\nt2 Q0 d2 10 100 10 20:10\nt3 Q0 d1 10 100 10 50:10\n"
RUN = "t1 Q0 d1 1 0.9 tag 10 5\nt2 Q0 d2 1 0.8 tag 20 10\n"
EVALUATE = ["evaluate", "q.txt", "a.run", "-m", "iAP", "-q"]


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    Path("q.txt").write_text(QRELS)
    Path("a.run").write_text(RUN)
    Path("b.run").write_text(RUN.replace(" 10 5", " 12 8"))


def sha256(data: str | bytes) -> str:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def file_record(role: str, path: str, **more: str) -> dict[str, Any]:
    data = Path(path).read_bytes()
    return {"role": role, **more, "file": path, "size": len(data), "sha256": sha256(data)}


OPTIONS = {
    "task": None,
    "average_over": "judged",
    "order": None,
    "unit": "chars",
    "assessor": None,
    "run_id": "stem",
    "lenient": False,
}


def expected(command: str) -> dict[str, Any]:
    return {
        "partwise": pw.__version__,
        "command": command,
        "date": "2023-11-14T22:13:20Z",
        "inputs": [file_record("qrels", "q.txt"), file_record("run", "a.run")],
        "options": OPTIONS,
        "measures": ["iAP"],
        "judged": 3,
        "scored": 3,
    }


def of_scores(path: str) -> dict[str, Any]:
    return {"size": len(Path(path).read_bytes()), "sha256": sha256(Path(path).read_bytes())}


# ---- what is saved, and where -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["s.tsv", "s.csv", "s.jsonl", "s.trec", "s.txt", "s.tex"])
def test_a_file_beside_the_scores(name: str) -> None:
    assert main([*EVALUATE, "-o", name]) == 0
    record = json.loads(Path(f"{name}.provenance.json").read_text())
    assert record == {**expected(f"partwise evaluate q.txt a.run -m iAP -q -o {name}"), "scores": of_scores(name)}
    assert sorted(os.listdir()) == ["a.run", "b.run", "q.txt", name, f"{name}.provenance.json"]


def test_metadata_of_parquet() -> None:
    assert main([*EVALUATE, "-o", "s.parquet"]) == 0
    record = json.loads(pq.read_schema("s.parquet").metadata[b"partwise"])
    assert record == expected("partwise evaluate q.txt a.run -m iAP -q -o s.parquet")
    assert sorted(os.listdir()) == ["a.run", "b.run", "q.txt", "s.parquet"]
    assert pq.read_table("s.parquet").column_names == ["run_id", "measure", "query_id", "value"]


def test_the_head_of_tsv(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*EVALUATE, "-f", "tsv"]) == 0
    plain = capsys.readouterr().out
    assert main([*EVALUATE, "--provenance", "head", "-o", "s.tsv"]) == 0
    lines = Path("s.tsv").read_text().splitlines(keepends=True)
    head = [line for line in lines if line.startswith("#")]
    assert "".join(lines[len(head) :]) == plain
    fields = dict(line.removeprefix("# ").split(": ", 1) for line in head)
    record = {name: json.loads(value) for name, value in fields.items()}
    assert record == expected("partwise evaluate q.txt a.run -m iAP -q --provenance head -o s.tsv")
    assert not Path("s.tsv.provenance.json").exists()
    capsys.readouterr()
    assert main([*EVALUATE, "--provenance", "head", "-f", "tsv"]) == 0
    assert capsys.readouterr().out.splitlines(keepends=True)[2:] == lines[2:]  # the command differs
    assert pw.read_scores("s.tsv").provenance is not None


def test_no_provenance_on_request_and_on_devices(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*EVALUATE, "--provenance", "none", "-o", "s.tsv"]) == 0
    assert main([*EVALUATE, "--provenance", "none", "-o", "s.parquet"]) == 0
    assert main([*EVALUATE, "-f", "tsv", "-o", "/dev/null"]) == 0
    assert sorted(os.listdir()) == ["a.run", "b.run", "q.txt", "s.parquet", "s.tsv"]
    assert b"partwise" not in (pq.read_schema("s.parquet").metadata or {})
    assert not Path("/dev/null.provenance.json").exists()
    assert pw.read_scores("s.tsv").provenance is None


def test_compressed_scores() -> None:
    """The hash is that of the scores, however they are compressed."""
    import gzip

    assert main([*EVALUATE, "-o", "s.tsv.gz"]) == 0
    record = json.loads(Path("s.tsv.gz.provenance.json").read_text())
    assert record["scores"]["sha256"] == sha256(gzip.decompress(Path("s.tsv.gz").read_bytes()))
    scores = pw.read_scores("s.tsv.gz")
    assert scores.provenance is not None
    assert list(scores.notes) == []


def test_inputs_of_every_kind() -> None:
    Path("documents/more").mkdir(parents=True)
    Path("documents/d1.xml").write_text("<a>" + "x" * 100 + "</a>")
    Path("documents/more/d2.xml").write_text("<a>" + "y" * 100 + "</a>")
    Path("lengths.tsv").write_text("doc_id\tlength\nd1\t100\nd2\t100\n")
    options = ["--collection", "documents", "--lengths", "lengths.tsv", "-o", "s.tsv"]
    Path("b.run").rename("c.run")
    assert main(["evaluate", "q.txt", "a.run", "--as", "b=c.run", "-m", "iAP", *options]) == 0
    record = json.loads(Path("s.tsv.provenance.json").read_text())
    names = f"d1.xml\t{3 + 100 + 4}\nmore/d2.xml\t107\n"
    assert record["inputs"] == [
        file_record("qrels", "q.txt"),
        file_record("lengths", "lengths.tsv"),
        {"role": "collection", "folder": "documents", "files": 2, "sha256": sha256(names)},
        file_record("run", "a.run"),
        file_record("run", "c.run", name="b"),
    ]


def test_objects_of_python() -> None:
    import pandas as pd

    qrels = pd.DataFrame([{"query_id": "t1", "doc_id": "d1", "start": 0, "end": 10}])
    scores = pw.evaluate(qrels, {"x": {"t1": [("d1", 0, 5)]}, "y": Path("a.run")}, "iAP", lengths={"d1": 20})
    assert scores.provenance is not None
    record = scores.provenance.record()
    assert record["command"] == "Python"
    assert record["inputs"] == [
        {"role": "qrels", "object": "pandas.DataFrame"},
        {"role": "lengths", "object": "dict"},
        {"role": "run", "name": "x", "object": "dict"},
        file_record("run", "a.run", name="y"),
    ]
    assert repr(scores.provenance) == "Provenance(qrels pandas.DataFrame, lengths dict, run dict, run a.run)"
    assert pw.Scores([], 0).provenance is None


def test_a_stream_has_no_hash() -> None:
    import subprocess
    import sys

    command = f"{sys.executable} -m partwise evaluate q.txt <(cat a.run) -m iAP -o s.tsv"
    subprocess.run(["bash", "-c", command], check=True, capture_output=True)
    [_, run] = json.loads(Path("s.tsv.provenance.json").read_text())["inputs"]
    assert set(run) == {"role", "stream"}


@pytest.mark.parametrize("format", ["tsv", "parquet"])
def test_names_that_are_not_ascii_or_not_utf8(format: str) -> None:
    name = os.fsdecode(b"na\xefve.run")
    Path("naïve.run").write_text(RUN)
    Path(name).write_text(RUN)
    assert main(["evaluate", "q.txt", "naïve.run", "--as", f"x={name}", "-m", "iAP", "-q", "-o", f"s.{format}"]) == 0
    provenance = pw.read_scores(f"s.{format}").provenance
    assert provenance is not None
    assert [one["file"] for one in provenance.record()["inputs"]] == ["q.txt", "naïve.run", name]
    for place in ("file", "head"):
        pw.write_scores(pw.evaluate("q.txt", "naïve.run", "iAP"), "t.tsv", provenance=place)  # type: ignore[arg-type]
        written = Path("t.tsv" if place == "head" else "t.tsv.provenance.json").read_text()
        assert "naïve.run" in written


@pytest.mark.parametrize("format", ["tsv", "csv", "jsonl", "parquet", "trec"])
def test_python_writes_what_the_command_writes(format: Any) -> None:
    assert main([*EVALUATE, "-f", format, "-o", "command", "--provenance", "none"]) == 0
    scores = pw.evaluate("q.txt", "a.run", "iAP")
    pw.write_scores(scores, "python", format, provenance="none")
    assert Path("python").read_bytes() == Path("command").read_bytes()
    pw.write_scores(scores, Path(f"p.{format}"))
    again = pw.read_scores(f"p.{format}")
    assert again.provenance is not None
    if format != "trec":  # its values are rounded
        assert again.per_query() == scores.per_query()
    record = {k: v for k, v in again.provenance.record().items() if k != "scores"}
    assert record == expected("Python")
    assert main([*EVALUATE[:-1], "--places", "2", "-f", "csv", "-o", "command", "--provenance", "none"]) == 0
    pw.write_scores(scores, "python", "csv", queries=False, places=2, provenance="none")
    assert Path("python").read_bytes() == Path("command").read_bytes()


def test_scores_are_saved_again_with_their_provenance() -> None:
    scores = pw.evaluate("q.txt", "a.run", "iAP")
    pw.write_scores(scores, "s.tsv")
    Path("a.run").unlink()
    pw.write_scores(pw.read_scores("s.tsv"), "s.parquet")
    again = pw.read_scores("s.parquet")
    assert again.provenance is not None
    assert again.provenance.record()["inputs"][1]["sha256"] == sha256(RUN)


def test_a_file_that_changed_since_it_was_read() -> None:
    scores = pw.evaluate("q.txt", "a.run", "iAP")
    Path("a.run").write_text(RUN + RUN.replace("t1", "t3"))
    with pytest.raises(pw.PartwiseError) as error:
        pw.write_scores(scores, "s.tsv")
    assert str(error.value) == (
        "a.run: has changed since it was read; evaluate again, or save the scores with --provenance none"
    )
    assert not Path("s.tsv").exists()
    pw.write_scores(scores, "s.tsv", provenance="none")
    Path("a.run").unlink()
    with pytest.raises(pw.PartwiseError) as error:
        pw.write_scores(scores, "t.tsv")
    assert str(error.value).startswith("a.run: cannot be read (No such file or directory)")


def test_both_files_or_none() -> None:
    Path("s.tsv.provenance.json").mkdir()
    Path("s.tsv").write_text("earlier")
    assert main([*EVALUATE, "-o", "s.tsv"]) == 2
    assert Path("s.tsv").read_text() == "earlier"
    assert not [name for name in os.listdir() if name.startswith(".")]


def test_files_are_read_again_only_for_saved_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: Counter[str] = Counter()
    real = builtins.open

    def counted(path: Any, *arguments: Any, **options: Any) -> Any:
        opened[str(path)] += 1
        return real(path, *arguments, **options)

    def reads(*command: str) -> list[int]:
        opened.clear()
        monkeypatch.setattr(builtins, "open", counted)
        assert main([*EVALUATE, *command]) == 0
        monkeypatch.setattr(builtins, "open", real)
        return [opened["q.txt"], opened["a.run"]]

    assert reads() == [1, 1]
    assert reads("-o", "s.tsv", "--provenance", "none") == [1, 1]
    assert reads("-o", "s.tsv") == [2, 2]


@pytest.mark.parametrize(
    ("command", "line"),
    [
        (["--provenance", "file"], "--provenance file needs a file; write to a file with -o FILE"),
        (
            ["--provenance", "head", "-o", "s.csv"],
            "provenance at the head of csv cannot be written; write .tsv, or leave out provenance",
        ),
        (["--provenance", "head", "--by", "tag"], "--provenance cannot be used with --by; leave out one of them"),
        (
            ["--provenance", "x"],
            "partwise evaluate: argument --provenance: 'x' is not one of file, head, none; "
            "see partwise evaluate --help",
        ),
    ],
)
def test_wrong_requests(command: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*EVALUATE, *command]) == 2
    assert capsys.readouterr().err == line + "\n"


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"path": "s.doc"}, "s.doc: unknown suffix '.doc'; use one of .tsv, .jsonl, .csv, .parquet, .trec, "
                            "or choose a format with -f"),
        ({"format": "latex"}, "format is 'latex'; it must be one of tsv, jsonl, csv, parquet, trec"),
        ({"provenance": "x"}, "provenance is 'x'; it must be one of file, head, none"),
        ({"scores": {}}, "scores is of type dict; give scores and the path of the file"),
        ({"path": "s.parquet", "places": 2},
         "--places cannot be used with parquet; leave it out to keep full precision"),
    ],
)  # fmt: skip
def test_wrong_requests_in_python(options: dict[str, Any], line: str) -> None:
    with pytest.raises(pw.PartwiseError) as error:
        pw.write_scores(**{"scores": pw.evaluate("q.txt", "a.run", "iAP"), "path": "s.tsv", **options})
    assert str(error.value) == line


def test_a_date_that_is_no_number(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "today")
    assert main([*EVALUATE, "-o", "s.tsv"]) == 2
    assert capsys.readouterr().err.splitlines(keepends=True)[-1] == (
        "SOURCE_DATE_EPOCH is 'today'; it must be a number of seconds since 1970, or not be set\n"
    )
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert main([*EVALUATE, "-o", "s.tsv"]) == 0
    assert json.loads(Path("s.tsv.provenance.json").read_text())["date"] > "2026"


# ---- what is read -----------------------------------------------------------------------------------------------


def test_a_stale_or_damaged_file_beside_the_scores_is_ignored_with_a_note(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*EVALUATE, "-o", "s.tsv"]) == 0
    assert list(pw.read_scores("s.tsv").notes) == []
    Path("s.tsv").write_text(Path("s.tsv").read_text().replace("t3", "t4"))
    scores = pw.read_scores("s.tsv")
    stale = "s.tsv.provenance.json: is the provenance of other scores than those in s.tsv, ignored"
    assert list(scores.notes) == [stale]
    assert scores.provenance is None
    capsys.readouterr()
    assert main(["compare", "s.tsv"]) == 0
    assert f"note: {stale}\n" in capsys.readouterr().err
    for damaged in ("{", "[" * 100_000, "[]", "{}", '{"partwise": 1}', '{"partwise": "1", "inputs": [1]}'):
        Path("s.tsv.provenance.json").write_text(damaged)
        scores = pw.read_scores("s.tsv")
        assert list(scores.notes) == ["s.tsv.provenance.json: is not the provenance of scores, ignored"]


def test_a_damaged_head_or_damaged_metadata() -> None:
    import pyarrow as pa

    table = "run_id\tmeasure\tquery_id\tvalue\na\tiAP\tt1\t0.5\na\tiAP\tt2\tx\n"
    Path("s.tsv").write_text('# partwise: "1"\n# judged: 7\n' + table)
    with pytest.raises(pw.PartwiseError) as error:
        pw.read_scores("s.tsv")
    assert str(error.value) == "s.tsv:5: the value is 'x'; it must be a number, of at most 1e100 in size"
    Path("s.tsv").write_text('# partwise: "1"\n# judged: 7\n' + table.replace("x", "1"))
    assert pw.read_scores("s.tsv").judged == 7
    remedy = "the provenance is damaged; save the scores again, or remove the lines that begin with #"
    for head, line in (('# partwise: "1"\n# judged\n', 2), ('# partwise: "1"\n# x: {\n', 2), ("# partwise: 1\n", 1)):
        Path("s.tsv").write_text(head + table)
        with pytest.raises(pw.PartwiseError) as error:
            pw.read_scores("s.tsv")
        assert str(error.value) == f"s.tsv:{line}: {remedy}"
    rows = pa.table({"run_id": ["a"], "measure": ["iAP"], "query_id": ["t1"], "value": [0.5]})
    pq.write_table(rows.replace_schema_metadata({"partwise": "{"}), "s.parquet")
    with pytest.raises(pw.PartwiseError) as error:
        pw.read_scores("s.parquet")
    assert str(error.value) == "s.parquet: the provenance in its metadata is damaged; save the scores again"


def test_the_provenance_is_not_scores(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*EVALUATE, "-o", "s.tsv"]) == 0
    capsys.readouterr()
    assert main(["compare", "s.tsv", "s.tsv.provenance.json"]) == 2
    assert capsys.readouterr().err == ("s.tsv.provenance.json: is the provenance of scores, not scores; leave it out\n")


def test_never_more_queries_scored_than_judged() -> None:
    """The number of judged queries is the recorded one, or that of all queries in the files if that is larger."""
    run = "t1 Q0 d1 1 0.9 tag 10 5\n"
    Path("a.run").write_text(run)
    pw.write_scores(pw.evaluate("q.txt", "a.run", "iAP", average_over="run"), "s.tsv")
    assert pw.read_scores("s.tsv").summary() == ["1 of 3 queries scored"]
    Path("more.txt").write_text("".join(f"map t{i} 0.5\n" for i in range(5)))
    scores = pw.read_scores(["s.tsv", "more.txt"])
    assert scores.judged == 5  # t0 to t4
    for line in scores.summary():
        count, judged = (int(word) for word in line.split() if word.isdigit())
        assert count <= judged
    Path("one.txt").write_text("map t1 0.5\n")
    Path("two.txt").write_text("map t1 0.5\nmap t2 0.5\n")
    assert pw.read_scores(["one.txt", "two.txt"]).judged == 2


# ---- what is not compared -----------------------------------------------------------------------------------------


def refusal(field: str, value: str, other: str) -> str:
    return (
        f"b.tsv: {field} is {value}, but {other} in a.tsv; give scores of comparable evaluations, or mix them with "
        "--mix (in Python mix=True)"
    )


def save(name: str, run: str, *options: str, qrels: str = "q.txt") -> None:
    assert main(["evaluate", qrels, run, "-m", "iAP", "-q", "-o", name, *options]) == 0


def other_qrels() -> str:
    Path("q2.txt").write_text(QRELS.replace("50:10", "60:10"))
    return f"q2.txt (SHA-256 {sha256(Path('q2.txt').read_bytes())[:8]}...)"


@pytest.mark.parametrize("field", ["qrels", "unit", "average-over", "assessor", "collection"])
def test_scores_that_cannot_be_compared(field: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("documents").mkdir()
    Path("more").mkdir()
    for folder, size in (("documents", 100), ("more", 120)):
        for doc in ("d1", "d2"):
            Path(folder, f"{doc}.txt").write_text("x" * size)
    first = ["--collection", "documents"] if field == "collection" else []
    save("a.tsv", "a.run", *first)
    if field == "qrels":
        value, other = other_qrels(), f"q.txt (SHA-256 {sha256(QRELS)[:8]}...)"
        save("b.tsv", "b.run", qrels="q2.txt")
    elif field == "unit":
        value, other = "bytes", "chars"
        save("b.tsv", "b.run", "--unit", "bytes")
    elif field == "average-over":
        value, other = "run", "judged"
        save("b.tsv", "b.run", "--average-over", "run")
    elif field == "assessor":
        value, other = "ann", "the first"
        pw.write_scores(pw.evaluate("q.txt", "b.run", "iAP"), "b.tsv", provenance="head")
        Path("b.tsv").write_text(Path("b.tsv").read_text().replace('"assessor": null', '"assessor": "ann"'))
    else:
        save("b.tsv", "b.run", "--collection", "more")
        of = {}
        for folder, size in (("documents", 100), ("more", 120)):
            names = f"d1.txt\t{size}\nd2.txt\t{size}\n"
            of[folder] = f"{folder} (SHA-256 {sha256(names)[:8]}...)"
        value, other = of["more"], of["documents"]
    line = refusal(field, value, other)
    for command in (["compare"], ["study", "power"], ["report"]):
        capsys.readouterr()
        assert main([*command, "a.tsv", "b.tsv"]) == 2
        assert capsys.readouterr().err == line + "\n"
    assert main(["compare", "a.tsv", "b.tsv", "--mix"]) == 0
    with pytest.raises(pw.PartwiseError) as error:
        pw.read_scores(["a.tsv", "b.tsv"])
    assert str(error.value) == line
    assert pw.read_scores(["a.tsv", "b.tsv"], mix=True).run_ids == ["a", "b"]


def test_other_numbers_of_judged_queries() -> None:
    run = {"q1": [("d", 0, 5)]}
    one = {"q1": [("d", 0, 10)]}
    pw.write_scores(pw.evaluate(one, {"a": run}, "iAP"), "a.tsv")
    pw.write_scores(pw.evaluate({**one, "q2": [("d", 0, 10)]}, {"b": run}, "iAP"), "b.tsv")
    with pytest.raises(pw.PartwiseError) as error:
        pw.read_scores(["a.tsv", "b.tsv"])
    assert str(error.value) == refusal("the number of judged queries", "2", "1")


def test_comparable_and_unknown_scores_are_accepted() -> None:
    """The same qrels under another name, other orders, other formats, and files without provenance."""
    save("a.tsv", "a.run")
    Path("same.txt").write_text(QRELS)
    save("b.parquet", "b.run", "--order", "score", qrels="same.txt")
    Path("old.txt").write_text("map t1 0.5\n")
    scores = pw.read_scores(["a.tsv", "b.parquet", "old.txt"])
    assert scores.run_ids == ["a", "b", "old"]
    assert scores.provenance is not None
    record = scores.provenance.record()
    assert {name: part and part["command"] for name, part in record["parts"].items()} == {
        "a.tsv": "partwise evaluate q.txt a.run -m iAP -q -o a.tsv",
        "b.parquet": "partwise evaluate same.txt b.run -m iAP -q -o b.parquet --order score",
        "old.txt": None,
    }
    other_qrels()
    Path("c.run").write_text(RUN)
    save("c.tsv", "c.run", qrels="q2.txt")
    pw.write_scores(scores, "all.jsonl")
    with pytest.raises(pw.PartwiseError) as error:
        pw.read_scores(["all.jsonl", "c.tsv"])
    assert str(error.value).startswith("c.tsv: qrels is q2.txt (SHA-256 ")


def test_mix_is_for_saved_scores(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "q.txt", "a.run", "b.run", "--mix"]) == 2
    assert capsys.readouterr().err == "--mix is for saved scores; leave it out\n"
