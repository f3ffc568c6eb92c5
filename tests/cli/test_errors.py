"""Every error is one line with the place, the problem and the remedy."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import partwise as pw
from partwise.cli import main

QRELS = "t1 Q0 d1 5 100 10 10:5\nt2 Q0 d2 5 100 20 20:5\n"
RUN = "t1 Q0 d1 1 0.9 tag 10 5\nt2 Q0 d2 1 0.8 tag 20 5\n"
CSV_RUN = "query_id,doc_id,start,end\n"
CSV_QRELS = "query_id,doc_id,start,end\nt1,d1,10,15\n"

# name: (qrels file, its content, run file, its content, arguments, the line)
CASES: dict[str, tuple[str, str, str, str, list[str], str]] = {
    "unknown measure": (
        "q.txt", QRELS, "a.run", RUN, ["-m", "iAPP"],
        "unknown measure 'iAPP'; did you mean iAP, iMAP or T2IAP?",
    ),
    "half a character in a path": (
        "q.txt", QRELS, "a.jsonl", '{"query_id": "t1", "doc_id": "d", "paths": ["/\\uDC00"]}\n', ["-m", "iAP"],
        "a.jsonl:1: the column 'paths' contains half a character (a lone surrogate); give whole characters",
    ),
    "values of many levels": (
        "q.txt", QRELS, "a.jsonl", '{"query_id": "t1", "doc_id": "d1", "rank": 1}\n'
        f'{{"query_id": "t1", "doc_id": "d", "rank": {"[" * 100}{"]" * 100}}}\n', ["-m", "iAP"],
        "a.jsonl:2: is nested more than 100 levels deep; write one JSON object per line",
    ),
    "unknown measure like nothing": (
        "q.txt", QRELS, "a.run", RUN, ["-m", "zzzzzzz"],
        "unknown measure 'zzzzzzz'; list all with partwise measures",
    ),
    "malformed measure": (
        "q.txt", QRELS, "a.run", RUN, ["-m", "iP(alpha=)"],
        "'iP(alpha=)' is not a valid measure name; write Name(parameter=value)@cutoff",
    ),
    "unknown parameter": (
        "q.txt", QRELS, "a.run", RUN, ["-m", "iP(beta=1)@0.1"],
        "iP has no parameter 'beta'; it takes recall, alpha, trel, rel, judged_only",
    ),
    "parameter out of range": (
        "q.txt", QRELS, "a.run", RUN, ["-m", "iP@1.5"],
        "iP: recall is '1.5'; it must be a number from 0 to 1",
    ),
    "parameter of the wrong kind": (
        "q.txt", QRELS, "a.run", RUN, ["-m", "TextP@2.5"],
        "TextP: cutoff is '2.5'; it must be a whole number from 1",
    ),
    "unknown document score": (
        "q.txt", QRELS, "a.run", RUN, ["-m", "AgP(score=G)"],
        "AgP: score is 'G'; it must be one of BEP, BEPn, F, T2I",
    ),
    "bad parameter of a document score": (
        "q.txt", QRELS, "a.run", RUN, ["-m", "AgP(score=BEPn(n=0))"],
        "BEPn: n is '0'; it must be a whole number from 1",
    ),
    "missing recall level": (
        "q.txt", QRELS, "a.run", RUN, ["-m", "iP"],
        "iP requires the parameter recall; write iP@0.01",
    ),
    "cutoff where there is none": (
        "q.txt", QRELS, "a.run", RUN, ["-m", "iAP@10"],
        "iAP takes no cutoff; write iAP without @10",
    ),
    "budget and cutoff": (
        "q.txt", QRELS, "a.run", RUN, ["-m", "TextP(budget=100)@10"],
        "TextP has both a budget and a cutoff; give budget=size or @results",
    ),
    "document measure without its cutoff": (
        "q.txt", QRELS, "a.run", RUN, ["-m", "P(rel=2)"],
        "P has no valid cutoff; write P@10",
    ),
    "document measure with an unknown parameter": (
        "q.txt", QRELS, "a.run", RUN, ["-m", "P(foo=1)@5"],
        "P has no parameter 'foo'; it takes cutoff, rel, judged_only",
    ),
    "document measure with a bad cutoff": (
        "q.txt", QRELS, "a.run", RUN, ["-m", "P@0"],
        "P: cutoff is '0'; it must be a whole number from 1",
    ),
    "elements without a collection": (
        "q.txt", QRELS, "a.run", RUN, ["--task", "thorough"],
        "iP(alpha=0,trel=elements)@0 needs the elements of the documents; give the collection (--collection)",
    ),
    "no such file": (
        "q.txt", QRELS, "", "", ["-m", "iAP"],
        "missing.run: no such file; give the path of a file that exists",
    ),
    "empty file": (
        "q.txt", QRELS, "a.run", " \n\n", [],
        "a.run: is empty; give data as TREC or INEX columns, INEX XML, CSV, TSV, JSON Lines or Parquet",
    ),
    "empty qrels": (
        "q.txt", "", "a.run", RUN, [],
        "q.txt: is empty; give data as TREC or INEX columns, INEX XML, CSV, TSV, JSON Lines or Parquet",
    ),
    "truncated line": (
        "q.txt", QRELS, "a.run", RUN + "t2 Q0 d2 2 0.7 tag 30\n", [],
        "a.run:3: has 7 columns; expected query Q0 document rank score run offset length",
    ),
    "truncated first line": (
        "q.txt", QRELS, "a.run", "t2 Q0 d2 2\n", [],
        "a.run:1: has 4 columns; expected query Q0 document rank score run (TREC), "
        "followed by offset length or a path for INEX",
    ),
    "long line": (
        "q.txt", QRELS, "a.run", RUN.strip() + " extra\n", [],
        "a.run:2: has 9 columns; expected query Q0 document rank score run offset length",
    ),
    "truncated qrels line": (
        "q.txt", QRELS + "t3 Q0 d1\n", "a.run", RUN, [],
        "q.txt:3: has 3 columns; expected query Q0 document relevant-chars length bep offset:length ...",
    ),
    "irregular qrels": (
        "q.txt", "a b c\n", "a.run", RUN, [],
        "q.txt:1: has 3 columns; expected query iteration document grade (TREC) "
        "or query Q0 document relevant-chars length bep offset:length ... (INEX)",
    ),
    "truncated CSV line": (
        "q.txt", QRELS, "a.csv", CSV_RUN + "t1,d1,3\n", [],
        "a.csv:2: has 3 columns; expected query_id, doc_id, start, end",
    ),
    "truncated JSON line": (
        "q.txt", QRELS, "a.jsonl", '{"query_id": "t1", "doc_id": "d1"}\n{"query_id": "t1"\n', [],
        "a.jsonl:2: is not JSON (Expecting ',' delimiter); write one JSON object per line",
    ),
    "non-numeric offset": (
        "q.txt", QRELS, "a.run", "t1 Q0 d1 1 0.9 tag ten 5\n", [],
        "a.run:1: the offset is 'ten'; it must be a whole number from 0",
    ),
    "negative offset": (
        "q.txt", QRELS, "a.run", "t1 Q0 d1 1 0.9 tag -10 5\n", [],
        "a.run:1: the offset is '-10'; it must be a whole number from 0",
    ),
    "fractional length": (
        "q.txt", QRELS, "a.run", "t1 Q0 d1 1 0.9 tag 10 5.5\n", [],
        "a.run:1: the length is '5.5'; it must be a whole number from 0",
    ),
    "offset too large": (
        "q.txt", QRELS, "a.run", "t1 Q0 d1 1 0.9 tag 9223372036854775807 5\n", [],
        "a.run:1: the offset is '9223372036854775807'; it must be at most 1099511627776",
    ),
    "length too large": (
        "q.txt", QRELS, "a.run", "t1 Q0 d1 1 0.9 tag 10 1099511627777\n", [],
        "a.run:1: the length is '1099511627777'; it must be at most 1099511627776",
    ),
    "rank too large": (
        "q.txt", QRELS, "a.run", "t1 Q0 d1 1099511627777 0.9 tag 10 5\n", [],
        "a.run:1: the rank is '1099511627777'; it must be at most 1099511627776",
    ),
    "rank of an element too large": (
        "q.txt", QRELS, "a.run", "t1 Q0 d1 1099511627777 0.9 tag /article[1]\n", [],
        "a.run:1: the rank is '1099511627777'; it must be at most 1099511627776",
    ),
    "non-numeric score": (
        "q.txt", QRELS, "a.run", "t1 Q0 d1 1 high tag 10 5\n", [],
        "a.run:1: the score is 'high'; it must be a number",
    ),
    "score that is no number": (
        "q.txt", QRELS, "a.run", "t1 Q0 d1 1 nan tag\n", [],
        "a.run:1: the score is 'nan'; it must be a number",
    ),
    "non-numeric grade": (
        "q.txt", "t1 0 d1 yes\n", "a.run", RUN, ["-m", "AP"],
        "q.txt:1: the grade is 'yes'; it must be a whole number",
    ),
    "bad passage": (
        "q.txt", "t1 Q0 d1 5 100 10 10-15\n", "a.run", RUN, [],
        "q.txt:1: the passage is '10-15'; it must be offset:length",
    ),
    "a passage cut short": (
        "q.txt", "t1 Q0 d1 5 100 10 10:15 2\n", "a.run", RUN, [],
        "q.txt:1: the passage is '2'; it must be offset:length",
    ),
    "a run as qrels": (
        "q.txt", RUN, "a.run", RUN, [],
        "q.txt: has the columns of a run (query Q0 document rank score run); give assessments first, then runs",
    ),
    "negative offset in CSV": (
        "q.txt", QRELS, "a.csv", CSV_RUN + "t1,d1,-3,5\n", [],
        "a.csv:2: the start is '-3'; it must be a whole number from 0 to 1099511627776",
    ),
    "end before start": (
        "q.txt", QRELS, "a.csv", CSV_RUN + "t1,d1,15,10\n", [],
        "a.csv:2: the end 10 is before the start 15; it must be at least the start",
    ),
    "end before start in qrels": (
        "q.csv", CSV_QRELS + "t1,d1,30,20\n", "a.run", RUN, [],
        "q.csv:3: the end 20 is before the start 30; it must be at least the start",
    ),
    "start without end": (
        "q.txt", QRELS, "a.csv", CSV_RUN + "t1,d1,15,\n", [],
        "a.csv:2: has start but no end; give both or neither",
    ),
    "the same judgement twice": (
        "q.txt", QRELS + "t1 Q0 d1 3 100 50 50:3\n", "a.run", RUN, [],
        "q.txt:3: judges document d1 for query t1 a second time (first in line 1); an assessor may judge it only once",
    ),
    "the same grade twice": (
        "q.txt", "t1 0 d1 1\nt1 0 d1 1\n", "a.run", RUN, ["-m", "AP"],
        "q.txt:2: judges document d1 for query t1 a second time (first in line 1); an assessor may judge it only once",
    ),
    "a passage without a document": (
        "q.csv", CSV_QRELS + "t2,,20,25\n", "a.run", RUN, [],
        "q.csv:3: has a start and an empty doc_id; an empty doc_id says that a query has nothing relevant, in a row "
        "with its query_id alone",
    ),
    "a query with nothing relevant that has a passage": (
        "q.csv", CSV_QRELS + "t1,,,\n", "a.run", RUN, [],
        "q.csv:3: has an empty doc_id, which says that query t1 has nothing relevant, but line 2 judges something "
        "relevant; remove one of the two rows",
    ),
    "two lengths for one document": (
        "q.txt", QRELS + "t3 Q0 d1 3 90 50 50:3\n", "a.run", RUN, [],
        "q.txt:3: gives document d1 the length 90, but an earlier row gives 100; give one value",
    ),
    "no query in common": (
        "q.txt", QRELS, "a.run", RUN.replace("t1", "x1").replace("t2", "x2"), [],
        "a.run: has no query in common with q.txt; its first query is 'x1', that of the assessments is 't1'",
    ),
    "unknown document length": (
        "q.txt", QRELS, "a.run", "t1 Q0 d1 1 0.9 tag\nt1 Q0 d9 2 0.8 tag\n", ["-m", "iAP"],
        "a.run:2: the length of document d9 is unknown, and results that are whole documents need it; "
        "give it in the assessments or as lengths (--lengths FILE)",
    ),
    "unknown length of a judged document": (
        "q.csv", CSV_QRELS, "a.run", RUN, ["-m", "AgP(score=T2I)"],
        "q.csv:2: the length of document d1 is unknown, and "
        "AgP(score=T2I) needs it; give it in the assessments or as lengths (--lengths FILE)",
    ),
    "a path without a collection": (
        "q.txt", QRELS, "a.run", "t1 Q0 d1 1 0.9 tag /article[1]/sec[2]\n", ["-m", "iAP"],
        "a.run:1: the part is given as the path '/article[1]/sec[2]', which needs the documents; "
        "give the collection (--collection), or the start and end of the part",
    ),
    "a path that is none": (
        "q.txt", QRELS, "a.run", "t1 Q0 d1 1 0.9 tag /article[1]\nt1 Q0 d2 2 0.8 tag 17\n", [],
        "a.run:2: the path is '17'; it must be a path that begins with /",
    ),
    "grades without highlights": (
        "q.txt", "t1 0 d1 1\n", "a.run", RUN, ["-m", "iAP"],
        "q.txt: iAP needs highlighted passages, but there are only document grades; "
        "give the start and end of relevant text, or use document measures such as nDCG@10",
    ),
    "graded elements without highlights": (
        "q.csv", "query_id,doc_id,path,exhaustivity,specificity\nt1,d1,/a[1],1,1\n", "a.run", RUN, ["-m", "iAP"],
        "q.csv: iAP needs highlighted passages, but there are only graded elements; "
        "give the start and end of relevant text, or use document measures such as nDCG@10",
    ),
    "no best entry point": (
        "q.txt", QRELS.replace(" 20 20:5", " -1 20:5"), "a.run", RUN, ["--task", "best-in-context"],
        "q.txt:2: document d2 is relevant to query t2, but has no best entry point; "
        "gP(score=BEP)@5 needs one for every relevant document",
    ),
    "unknown assessor": (
        "q.csv", "query_id,doc_id,start,end,assessor\nt1,d1,1,2,ann\nt1,d1,1,2,bob\n", "a.run", RUN,
        ["--assessor", "cid"],
        "q.csv: has no assessor 'cid'; it has ann, bob",
    ),
    "no column doc_id": (
        "q.txt", QRELS, "a.csv", "query_id,document\nt1,d1\n", [],
        "a.csv: has no column 'doc_id' (it has 'query_id', 'document'); runs need it",
    ),
    "two columns of one name": (
        "q.txt", QRELS, "a.csv", "query_id,doc_id,doc_id\nt1,d1,d2\n", [],
        "a.csv:1: has two columns 'doc_id'; column names must be unique",
    ),
    "two ways to name a part": (
        "q.txt", QRELS, "a.csv", "query_id,doc_id,start,end,offset,length\nt1,d1,1,2,1,1\n", [],
        "a.csv:1: has columns start, end, offset, length; give start and end, or offset and length",
    ),
    "a part said twice": (
        "q.txt", QRELS, "a.csv", "query_id,doc_id,start,end,path\nt1,d1,1,2,/a[1]\n", [],
        "a.csv:2: has both start and path; give only one of them",
    ),
    "no query_id": (
        "q.txt", QRELS, "a.jsonl", '{"query_id": "t1", "doc_id": "d1"}\n{"query_id": null, "doc_id": "d1"}\n', [],
        "a.jsonl:2: has no query_id; give every row its query_id",
    ),
    "unknown scale": (
        "q.csv", "query_id,doc_id,start,end,scale\nt1,d1,1,2,ten-point\n", "a.run", RUN, [],
        "q.csv:2: the scale is 'ten-point'; it must be one of four-point, inex2005, unit",
    ),
    "some ranks, no scores": (
        "q.txt", QRELS, "a.csv", "query_id,doc_id,rank,start,end\nt1,d1,1,1,2\nt1,d1,,1,2\n", [],
        "a.csv:3: has no rank; give every result of a query a rank, or every one a score",
    ),
    "some scores": (
        "q.txt", QRELS, "a.csv", "query_id,doc_id,score,start,end\nt1,d1,1.5,1,2\nt1,d1,,1,2\n", [],
        "a.csv:3: has no score; give every result of a query a rank, or every one a score",
    ),
    "order by a rank that is not there": (
        "q.txt", QRELS, "a.csv", CSV_RUN + "t1,d1,1,2\n", ["--order", "rank"],
        "a.csv:2: has no rank; give every result a rank, which --order rank needs",
    ),
    "XML that is no run": (
        "q.txt", QRELS, "a.xml", "<html/>\n", [],
        "a.xml:1: has the root element 'html'; a run has the root inex-submission",
    ),
    "JSON array": (
        "q.txt", QRELS, "a.json", "[{}]\n", [],
        "a.json:1: looks like a JSON array; save it as TREC or INEX columns, INEX XML, CSV, TSV, JSON Lines or Parquet",
    ),
    "Parquet by name only": (
        "q.txt", QRELS, "a.parquet", "hello there, this is text\n", [],
        "a.parquet: is not a Parquet file; "
        "save it as TREC or INEX columns, INEX XML, CSV, TSV, JSON Lines or Parquet",
    ),
    "header and nothing else": (
        "q.txt", QRELS, "a.csv", CSV_RUN, [],
        "a.csv: has no results; give a run as TREC or INEX columns, INEX XML, CSV, TSV, JSON Lines or Parquet",
    ),
    "unknown output suffix": (
        "q.txt", QRELS, "a.run", RUN, ["-o", "scores.xyz"],
        "scores.xyz: unknown suffix '.xyz'; "
        "use one of .txt, .tsv, .jsonl, .csv, .tex, .md, .html, .parquet, .trec, or choose a format with -f",
    ),
    "output in a folder that is not there": (
        "q.txt", QRELS, "a.run", RUN, ["-o", "nowhere/scores.tsv"],
        "nowhere/scores.tsv: cannot be written (No such file or directory); give a path in a folder you can write to",
    ),
    "places with parquet": (
        "q.txt", QRELS, "a.run", RUN, ["-o", "scores.parquet", "--places", "3"],
        "--places cannot be used with parquet; leave it out to keep full precision",
    ),
    "a query called like the mean": (
        "q.txt", QRELS.replace("t1", "all"), "a.run", RUN, [],
        "q.txt: has a query 'all', the name under which means are reported; rename the query",
    ),
    "a grade out of bounds": (
        "q.txt", "t1 0 d1 1099511627776\n", "a.run", RUN, ["-m", "AP"],
        "q.txt:1: the grade is '1099511627776'; it must be a whole number from -1000000 to 1000000",
    ),
    "a passage out of bounds": (
        "q.txt", "t1 Q0 d1 5 100 10 99999999999999999999999:5\n", "a.run", RUN, [],
        "q.txt:1: the passage is '99999999999999999999999'; it must be at most 1099511627776",
    ),
    "NaN": (
        "q.txt", QRELS, "a.jsonl", '{"query_id": "t1", "doc_id": "d1", "score": NaN}\n', [],
        "a.jsonl:1: is not JSON (NaN is not allowed); write one JSON object per line",
    ),
    "a score beyond all bounds": (
        "q.txt", QRELS, "a.jsonl", '{"query_id": "t1", "doc_id": "d1", "score": 1' + "0" * 400 + "}\n", [],
        "a.jsonl:1: the score is '1" + "0" * 58 + "…'; it must be a number",
    ),
    "half a character": (
        "q.txt", QRELS, "a.jsonl", '{"query_id": "t1", "doc_id": "\\ud800"}\n', [],
        "a.jsonl:1: the column 'doc_id' contains half a character (a lone surrogate); give whole characters",
    ),
    "spans as text": (
        "q.txt", QRELS, "a.jsonl", '{"query_id": "t1", "doc_id": "d", "spans": ["12", "34"]}\n', [],
        """a.jsonl:1: the spans is "['12', '34']"; it must be a list of [start, end]""",
    ),
    "an unknown header": (
        "q.txt", QRELS, "a.csv", "qno, docid, start, end\nt1, d1, 1, 2\n", [],
        "a.csv: has no column 'query_id' (it has 'qno', 'docid', 'start', 'end'); runs need it",
    ),
    "a cutoff twice": (
        "q.txt", QRELS, "a.run", RUN, ["-m", "TextP(cutoff=5)@10"],
        "TextP gives its cutoff twice; write it in parentheses or after the @, not both",
    ),
    "a cutoff beyond all bounds": (
        "q.txt", QRELS, "a.run", RUN, ["-m", "TextP@99999999999999999999999"],
        "TextP: cutoff is '99999999999999999999999'; it must be at most 1000000000000",
    ),
    "a weight beyond all bounds": (
        "q.txt", QRELS, "a.run", RUN, ["-m", "AgP(score=F(beta=1e300))"],
        "F: beta is '1e+300'; it must be at most 1000000000000",
    ),
    "more points than anyone needs": (
        "q.txt", QRELS, "a.run", RUN, ["-m", "iAP(points=99999999999)"],
        "iAP: points is '99999999999'; it must be a whole number from 2 to 100001",
    ),
    "a level that is none": (
        "q.txt", QRELS, "a.run", RUN, ["-m", "AP(rel=0)"],
        "AP: rel is '0'; it must be a whole number from 1",
    ),
    "places that are none": (
        "q.txt", QRELS, "a.run", RUN, ["--places", "²"],
        "partwise evaluate: argument --places: '²' is not a whole number from 0 to 17; see partwise evaluate --help",
    ),
    "bad option": (
        "q.txt", QRELS, "a.run", RUN, ["--order", "size"],
        "partwise evaluate: argument --order: 'size' is not one of rank, score; "
        "see partwise evaluate --help",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_errors(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    qrels_name, qrels, run_name, run, arguments, line = CASES[name]
    monkeypatch.chdir(tmp_path)
    Path(qrels_name).write_text(qrels)
    if run_name:
        Path(run_name).write_text(run)
    before = sorted(os.listdir())
    code = main(["evaluate", qrels_name, run_name or "missing.run", *arguments])
    captured = capsys.readouterr()
    assert captured.err == line + "\n"
    assert captured.out == ""
    assert code == 2
    assert sorted(os.listdir()) == before


def error_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err.rstrip("\n")


def test_unreadable_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.txt").write_text(QRELS)
    Path("cut.run.gz").write_bytes(gzip.compress(RUN.encode() * 1000)[:60])
    assert error_of(capsys, "evaluate", "q.txt", "cut.run.gz") == (
        "cut.run.gz: is damaged or cut short "
        "(gz: Compressed file ended before the end-of-stream marker was reached); compress it again"
    )
    assert error_of(capsys, "evaluate", "q.txt", ".") == ".: is a folder; give the path of a file"
    Path("cut.parquet").write_bytes(b"PAR1 and nothing else")
    cut = error_of(capsys, "evaluate", "q.txt", "cut.parquet")
    assert cut.startswith("cut.parquet: is damaged or cut short (Parquet: ")
    Path("wide.run").write_bytes(RUN.encode("utf-16"))
    assert error_of(capsys, "evaluate", "q.txt", "wide.run") == "wide.run: is UTF-16 text; save it as UTF-8"
    Path("latin.run").write_bytes("t1 Q0 d1 1 1 tag 0 1\nt1 Q0 é 1 1 tag 0 1\n".encode("latin-1"))
    assert error_of(capsys, "evaluate", "q.txt", "latin.run") == ("latin.run:2: is not UTF-8; save it as UTF-8")
    Path("nul.run").write_bytes(b"\x00\x01\x02 binary")
    assert error_of(capsys, "evaluate", "q.txt", "nul.run").startswith("nul.run: is not text; ")


@pytest.mark.parametrize("name", ["TextP@" + "9" * 5000, "AgP(score=" * 500, "AgP(score=F(" * 9 + "))" * 9])
def test_very_long_names(name: str) -> None:
    with pytest.raises(
        pw.PartwiseError, match=r"is not a valid measure name; write Name\(parameter=value\)@cutoff$"
    ) as error:
        pw.measure(name)
    assert len(str(error.value)) < 200


def test_damaged_parquet_is_one_line(tmp_path: Path) -> None:
    table = pa.table({"query_id": ["t1"] * 5000, "doc_id": [f"d{i}" for i in range(5000)]})
    pq.write_table(table, tmp_path / "a.parquet", compression="gzip")
    good = (tmp_path / "a.parquet").read_bytes()
    errors = []
    for at in range(4, len(good) - 8, max(1, len(good) // 60)):
        broken = bytearray(good)
        broken[at] ^= 0xFF
        (tmp_path / "a.parquet").write_bytes(broken)
        try:
            [run] = pw.read_runs(tmp_path / "a.parquet")
        except pw.PartwiseError as error:
            errors.append(str(error))
        else:
            assert run.doc.values() == [f"d{i}" for i in range(5000)]
    assert len(errors) > 50
    assert not [line for line in errors if "\n" in line or not line.startswith(f"{tmp_path / 'a.parquet'}: ")]
    pq.write_table(pa.table([["t"], ["d"], ["e"]], names=["query_id", "doc_id", "doc_id"]), tmp_path / "a.parquet")
    with pytest.raises(pw.PartwiseError, match="has two columns 'doc_id'"):
        pw.read_runs(tmp_path / "a.parquet")


def test_full_devices_and_closed_outputs(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text(QRELS)
    (tmp_path / "a.run").write_text(RUN)
    command = f"{sys.executable} -m partwise evaluate q.txt a.run -m iAP"
    for more, code, error in (
        (
            "> /dev/full",
            2,
            "standard output cannot be written (No space left on device); write to a file with -o FILE\n",
        ),
        ("-f tsv -o /dev/full", 2, "/dev/full: cannot be written (No space left on device); "
                                   "give a path in a folder you can write to\n"),
        (">&-", 2, "standard output is closed; write to a file with -o FILE\n"),
        ("2>/dev/full", 0, ""),
        ("2>&-", 0, ""),
        (f"-f tsv -o {'x' * 300}.tsv", 2, f"{'x' * 300}.tsv: cannot be written (File name too long); "
                                          "give a path in a folder you can write to\n"),
    ):  # fmt: skip
        done = subprocess.run(
            ["bash", "-c", f"{command} {more}"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (code, error), more
    through = subprocess.run(["bash", "-c", f"{command} -f tsv -o /dev/stdout > out"], cwd=tmp_path, check=True)
    assert through.returncode == 0
    assert (tmp_path / "out").read_text().startswith("run_id\t")
    assert Path("/dev/stdout").is_symlink()


def test_names_that_would_break_lines_are_escaped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.txt").write_text(QRELS)
    name = "tab\tand\nline.run"
    Path(name).write_text(RUN + "t9 Q0 d 1 1 tag 0 5\n")
    assert main(["evaluate", "q.txt", name, "-m", "iAP"]) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines()[1] == "tab\\tand\\nline\tiAP\tall\t1.0"
    assert len(captured.err.splitlines()) == 2
    name = b"\xff.run"
    with open(name, "w") as file:
        file.write(RUN)
    assert main(["evaluate", "q.txt", os.fsdecode(name), "-m", "iAP"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "\\udcff\tiAP\tall\t1.0"


def test_lengths_must_agree(tmp_path: Path) -> None:
    (tmp_path / "lengths.txt").write_text("d1 100\nd2 50\nd1 200\n")
    with pytest.raises(pw.PartwiseError) as error:
        pw.evaluate({"t1": [("d1", 1, 5)]}, {"t1": ["d1"]}, "TextP", lengths=tmp_path / "lengths.txt")
    assert str(error.value) == (
        f"{tmp_path / 'lengths.txt'}:3: gives document d1 the length 200, but an earlier row gives 100; give one value"
    )


def test_run_names_must_be_unique(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.txt").write_text(QRELS)
    Path("a.run").write_text(RUN)
    Path("b.run").write_text(RUN)
    assert error_of(capsys, "evaluate", "q.txt", "a.run", "a.run") == "a.run is given twice; give every file once"
    assert error_of(capsys, "evaluate", "q.txt", "a.run", "b.run", "--run-id", "tag") == (
        "two runs are named 'tag', in a.run and b.run; give every run its own name, that of a file with --as NAME=FILE"
    )


def test_nothing_is_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.txt").write_text(QRELS)
    Path("a.run").write_text(RUN)
    Path("b.run").write_text(RUN + "broken\n")
    Path("scores.tsv").write_text("earlier")
    assert main(["evaluate", "q.txt", "a.run", "b.run", "-o", "scores.tsv"]) == 2
    assert Path("scores.tsv").read_text() == "earlier"
    assert main(["evaluate", "q.txt", "a.run", "-o", "scores.tsv"]) == 0
    assert Path("scores.tsv").read_text().startswith("run_id\tmeasure\tquery_id\tvalue\n")
    assert sorted(os.listdir()) == ["a.run", "b.run", "q.txt", "scores.tsv", "scores.tsv.provenance.json"]


def test_lenient_skips_and_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.txt").write_text(QRELS + "t3 Q0\nt1 Q0 d1 3 100 50 50:3\n")
    Path("a.run").write_text("t1 Q0 d1 1 0.9 tag 10 5\nbroken\nt1 Q0 d1 2 0.8 tag x 5\nt2 Q0 d2 1 0.8 tag 20 5\n")
    assert main(["evaluate", "q.txt", "a.run", "-m", "iAP", "--lenient"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "run_id\tmeasure\tquery_id\tvalue\na\tiAP\tall\t1.0\n"
    assert captured.err.splitlines() == [
        "note: q.txt: 2 bad lines skipped, the first: q.txt:3: has 2 columns; "
        "expected query Q0 document relevant-chars length bep offset:length ...",
        "note: a.run: 2 bad lines skipped, the first: a.run:2: has 1 column; "
        "expected query Q0 document rank score run offset length",
        "2 of 2 queries scored",
    ]


@pytest.mark.parametrize("content", ["query_id,doc_id,start,end\nt1,d1,10,15\nt1,d1,x,3\nt1\n"])
def test_lenient_in_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.csv").write_text(content)
    Path("a.csv").write_text(content)
    assert main(["evaluate", "q.csv", "a.csv", "-m", "iAP", "--lenient"]) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines()[1] == "a\tiAP\tall\t1.0"
    assert captured.err.count("2 bad lines skipped") == 2


def test_errors_of_objects_name_the_row() -> None:
    rows = [{"query_id": "t1", "doc_id": "d1", "start": start, "end": 5} for start in (1, 9)]
    with pytest.raises(pw.PartwiseError) as error:
        pw.evaluate({"t1": [("d1", 1, 5)]}, rows, "iAP")
    assert str(error.value) == ("run, row 2: the end 5 is before the start 9; it must be at least the start")
    assert isinstance(error.value, ValueError)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"average_over": "all"}, "average_over is 'all'; it must be one of judged, run"),
        ({"order": "size"}, "order is 'size'; it must be one of rank, score"),
        ({"unit": "words"}, "unit is 'words'; it must be one of chars, bytes, utf16, tokens, lines, seconds"),
        ({"task": "nothing"}, "task is 'nothing'; it must be one of focused, thorough, relevant-in-context, "
                              "best-in-context, relevant-in-context-2009, best-in-context-2009, rag, moments, "
                              "genomics-2007"),
        ({"measures": 5}, "'5' is not a measure; give a measure or its name"),
        ({"measures": []}, "no measures are requested; name at least one, or leave them out for a default set"),
        ({"measures": ""}, "the name of a measure is empty; write Name(parameter=value)@cutoff"),
        ({"runs": []}, "no run is given; give one as a path, a mapping by query, a list of dicts or named tuples, "
                       "or a pandas, Polars or Arrow table"),
        ({"runs": 5}, "run is of type int; give a path, a mapping by query, a list of dicts or named tuples, "
                      "or a pandas, Polars or Arrow table"),
        ({"runs": {"t1": [5]}}, "run: query 't1' has a part of type int; "
                                "give a dict, (doc_id, start, end) or a doc_id"),
        ({"qrels": {}}, "the assessments are empty; give at least one judgement"),
        ({"lengths": {"d1": 99}, "qrels": [{"query_id": "t1", "doc_id": "d1", "start": 0, "end": 1, "length": 100}]},
         "document d1 has the length 99 in the lengths, but 100 in the assessments; give one value"),
    ],
)  # fmt: skip
def test_errors_of_options(options: dict[str, object], line: str) -> None:
    arguments = {"qrels": {"t1": [("d1", 1, 5)]}, "runs": {"t1": [("d1", 1, 5)]}, "measures": "iAP", **options}
    with pytest.raises(pw.PartwiseError) as error:
        pw.evaluate(arguments.pop("qrels"), arguments.pop("runs"), arguments.pop("measures"), **arguments)
    assert str(error.value) == line


OVERWRITTEN = "{}: is read and would be overwritten; write to another file\n"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["evaluate", "q.txt", "a.run", "-m", "iAP", "-o", "./q.txt"], OVERWRITTEN.format("q.txt")),
        (["evaluate", "q.txt", "a.run", "-m", "iAP", "-f", "tsv", "-o", "a.run"], OVERWRITTEN.format("a.run")),
        (["evaluate", "q.txt", "--as", "x=a.run", "-m", "iAP", "-o", "a.run"], OVERWRITTEN.format("a.run")),
        (["evaluate", "q.txt", "link", "-m", "iAP", "-o", "a.run"], OVERWRITTEN.format("link")),
        (["convert", "a.run", "a.run"], OVERWRITTEN.format("a.run")),
        (["gate", "q.txt", "a.run", "--floor", "iAP=0.1", "--junit", "q.txt"], OVERWRITTEN.format("q.txt")),
        (
            ["gate", "q.txt", "a.run", "--floor", "iAP=0.1", "--junit", "x", "--json", "x"],
            "x: would be written twice; write each output to a file of its own\n",
        ),
    ],
)
def test_inputs_are_not_overwritten(
    arguments: list[str], line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.txt").write_text(QRELS)
    Path("a.run").write_text(RUN)
    Path("link").symlink_to("a.run")
    assert main(arguments) == 2
    assert capsys.readouterr().err == line
    assert (Path("q.txt").read_text(), Path("a.run").read_text()) == (QRELS, RUN)
    assert not Path("x").exists()


def test_a_broken_pipe_is_quiet(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("".join(f"t{i} Q0 d 5 100 10 10:5\n" for i in range(20_000)))
    (tmp_path / "a.run").write_text("".join(f"t{i} Q0 d 1 0.9 tag 10 5\n" for i in range(20_000)))
    measures = " ".join(f"TextP@{k}" for k in range(1, 13))  # some megabytes: more than a pipe holds
    command = [sys.executable, "-m", "partwise", "evaluate", "q.txt", "a.run", "-q", "-m", measures]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == b"run_id\tmeasure\tquery_id\tvalue\n"
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0
