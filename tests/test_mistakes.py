"""Ordinary mistakes: each ends with an error or a note that names it, and none scores as if nothing had happened.

The first cases are commands on files, the others calls from Python. Inputs without a mistake get no note at all.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from ir_measures import Qrel, ScoredDoc

import partwise as pw
from partwise.adapters import langchain, llamaindex, strings
from partwise.cli import main

# ---- files and commands -----------------------------------------------------------------------------------------

GOLD = "query_id,doc_id,start,end\nq1,d1,10,30\nq2,d2,0,20\n"
RUN = "query_id,doc_id,rank,start,end\nq1,d1,1,0,20\nq2,d2,1,5,25\n"
QRELS = "q1 0 d1 1\nq2 0 d2 1\n"
TREC = "q1 Q0 d1 1 2.0 t\nq2 Q0 d2 1 1.0 t\n"
INEX = "q1 Q0 d1 1 2.0 t 0 20\nq2 Q0 d2 1 1.0 t 5 20\n"
FOL = "q1 Q0 d1 20 100 10 10:20\nq2 Q0 d2 20 50 0 0:20\n"
SCORES = "run_id\tmeasure\tquery_id\tvalue\nbm25\tAP\tq1\t{}\nbm25\tAP\tq2\t{}\n"
DOCS = {"d1": "Bees sleep in winter, and wake when it is warm.", "d2": "Hedges shelter birds, bees and mice."}


class Case(NamedTuple):
    """Files, a command on them, and what it prints to standard error besides the number of queries scored."""

    files: dict[str, str]
    command: str
    expected: list[str]


def case(command: str, *expected: str, **files: str) -> Case:
    """Files are given by name, with ``_`` for the dot."""
    return Case({name.replace("_", "."): content for name, content in files.items()}, command, list(expected))


EVALUATE = "evaluate gold.csv run.csv -m TextR"
UNKNOWN = "is not known and was not read"

COMMANDS: dict[str, Case] = {
    # misnamed
    "a place under an unknown name": case(
        EVALUATE,
        "run.csv: the column 'end_pos' looks like a place in a document, but no column with a known name gives one; rename it to one of start, end, start_line, end_line, offset, spans, path, paths, or remove it to score whole documents",
        gold_csv=GOLD,
        run_csv=RUN.replace("start,end", "from_pos,end_pos"),
    ),
    "offsets in a language we do not read": case(
        EVALUATE,
        "note: run.csv: 2 columns are not known and were not read: 'strat' (nearest: start), 'ned' (nearest: end)",
        "run.csv:2: the length of document d1 is unknown, and results that are whole documents need it; give it in the assessments or as lengths (--lengths FILE)",
        gold_csv=GOLD,
        run_csv=RUN.replace("start,end", "strat,ned"),
    ),
    "one of two offsets misspelt": case(
        EVALUATE,
        "run.csv: has no column 'end' (it has 'query_id', 'doc_id', 'rank', 'start', 'ende'); runs with a column start need it",
        gold_csv=GOLD,
        run_csv=RUN.replace("start,end", "start,ende"),
    ),
    "gold with a misspelt offset": case(
        EVALUATE,
        "note: gold.csv: 1 column is not known and was not read: 'edn' (nearest: end)",
        "gold.csv: has no column 'end' (it has 'query_id', 'doc_id', 'start', 'edn'); highlighted passages need it",
        gold_csv=GOLD.replace("end", "edn"),
        run_csv=RUN,
    ),
    "a grade under an unknown name": case(
        EVALUATE,
        "note: gold.csv: 1 column is not known and was not read: 'weight'",
        "note: run: 1 query without judgements, left out",
        gold_csv="query_id,doc_id,start,end,weight\nq1,d1,10,30,0\n",
        run_csv=RUN,
    ),
    "a rank under an unknown name": case(
        EVALUATE,
        "note: run.csv: 1 column is not known and was not read: 'position'",
        gold_csv=GOLD,
        run_csv=RUN.replace("rank", "position"),
    ),
    "a score that is called similarity": case(
        EVALUATE,
        "note: run.csv: 1 column is not known and was not read: 'similarity'",
        "note: run.csv: has neither rank nor score, so results are in the order of its rows",
        "note: run: 1 judged query without results",
        gold_csv=GOLD,
        run_csv="query_id,doc_id,similarity,start,end\nq1,d1,.5,0,20\nq1,d1,.9,20,40\n",
    ),
    "columns in capitals": case(
        EVALUATE,
        "run.csv: the column 'Start' looks like a place in a document, but no column with a known name gives one; rename it to one of start, end, start_line, end_line, offset, spans, path, paths, or remove it to score whole documents",
        gold_csv=GOLD,
        run_csv=RUN.replace("start,end", "Start,End"),
    ),
    "a query under an unknown name": case(
        EVALUATE,
        "run.csv: has no column 'query_id' (it has 'q', 'doc_id', 'rank', 'start', 'end'); runs need it",
        gold_csv=GOLD,
        run_csv=RUN.replace("query_id", "q"),
    ),
    "a document under an unknown name": case(
        EVALUATE,
        "run.csv: has no column 'doc_id' (it has 'query_id', 'document', 'rank', 'start', 'end'); runs need it",
        gold_csv=GOLD,
        run_csv=RUN.replace("doc_id", "document"),
    ),
    "metadata that holds the place": case(
        "evaluate gold.csv run.jsonl -m P@1",
        "run.jsonl: the column 'metadata.start_index' looks like a place in a document, but no column with a known name gives one; rename it to one of start, end, start_line, end_line, offset, spans, path, paths, or remove it to score whole documents",
        gold_csv=GOLD,
        run_jsonl='{"query_id": "q1", "doc_id": "d1", "score": 1, "metadata": {"start_index": 0}}\n',
    ),
    "moments": case(
        "evaluate gold.jsonl run.csv -m P@1",
        "run.csv: offsets are in characters, but seconds are counted; seconds cannot be converted; if these are seconds too, give --unit seconds",
        gold_jsonl='{"qid": "q1", "vid": "d1", "relevant_windows": [[10, 30]]}\n',
        run_csv=RUN,
    ),
    "lines of code": case(
        EVALUATE,
        "run.csv: offsets are in lines, but characters are counted; give --collection, whose texts convert them, or both files in one unit",
        gold_csv=GOLD,
        run_csv="query_id,doc_id,rank,start_line,end_line\nq1,d1,1,3,9\n",
    ),
    "an unknown measure": case(
        "evaluate gold.csv run.csv -m TextRecall",
        "unknown measure 'TextRecall'; did you mean set_recall, StRecall or Recall?",
        gold_csv=GOLD,
        run_csv=RUN,
    ),
    # missing
    "a run without its order": case(
        EVALUATE,
        "note: run.csv: has neither rank nor score, so results are in the order of its rows",
        "note: run: 1 judged query without results",
        gold_csv=GOLD,
        run_csv="query_id,doc_id,start,end\nq1,d1,0,20\nq1,d1,20,40\n",
    ),
    "a run without places": case(
        "evaluate gold.csv run.csv -m TextR --lengths l.csv",
        "note: run: all 2 results are whole documents, as the run gives no places",
        gold_csv=GOLD,
        run_csv="query_id,doc_id,rank\nq1,d1,1\nq2,d2,1\n",
        l_csv="doc_id,length\nd1,100\nd2,50\n",
    ),
    "whole documents of unknown length": case(
        EVALUATE,
        "run.csv:2: the length of document d1 is unknown, and results that are whole documents need it; give it in the assessments or as lengths (--lengths FILE)",
        gold_csv=GOLD,
        run_csv="query_id,doc_id,rank\nq1,d1,1\n",
    ),
    "only one end of a part": case(
        EVALUATE,
        "run.csv:2: has start but no end; give both or neither",
        gold_csv=GOLD,
        run_csv="query_id,doc_id,rank,start,end\nq1,d1,1,0,\n",
    ),
    "a query without results": case(
        EVALUATE,
        "note: run: 1 judged query without results",
        gold_csv=GOLD,
        run_csv=RUN.splitlines()[0] + "\nq1,d1,1,0,20\n",
    ),
    "an empty run": case(
        EVALUATE,
        "run.csv: has no results; give a run as TREC or INEX columns, INEX XML, CSV, TSV, JSON Lines or Parquet",
        gold_csv=GOLD,
        run_csv=RUN.splitlines()[0] + "\n",
    ),
    "an empty file": case(
        EVALUATE,
        "gold.csv: is empty; give data as TREC or INEX columns, INEX XML, CSV, TSV, JSON Lines or Parquet",
        gold_csv="",
        run_csv=RUN,
    ),
    "a file that does not exist": case(
        "evaluate gold.csv no.csv -m TextR", "no.csv: no such file; give the path of a file that exists", gold_csv=GOLD
    ),
    "texts without offsets": case(
        "evaluate gold.csv run.jsonl -m P@1",
        "note: run.jsonl: has texts but no offsets or paths, so every result counts as its whole document; add offsets with partwise locate",
        "note: run: 1 judged query without results",
        gold_csv=GOLD,
        run_jsonl='{"query_id": "q1", "doc_id": "d1", "score": 1, "text": "Bees"}\n',
    ),
    "documents that the collection lacks": case(
        "evaluate gold.csv run.csv -m TextR --collection docs.jsonl",
        "note: gold.csv: 1 judged document is not in the collection; is this the right collection?",
        "note: run: 1 case of the error unknown-document (a result in a document that is not in the collection); partwise check shows where",
        gold_csv=GOLD,
        run_csv=RUN.replace("d2", "d3"),
        docs_jsonl='{"doc_id": "d1", "text": "Bees sleep in winter, and wake when it is warm."}\n',
    ),
    "a passage without its offsets": case(
        EVALUATE,
        "note: gold.csv: 1 of 3 rows gives neither a place nor a grade, so it makes nothing relevant: line 4; give the start and end of what is relevant, or a grade",
        gold_csv=GOLD + "q1,d1,,\n",
        run_csv=RUN,
    ),
    "results without their offsets": case(
        EVALUATE + " --lengths l.csv",
        "note: run.csv: 1 of 3 results gives no place and counts as a whole document: line 4",
        gold_csv=GOLD,
        run_csv=RUN + "q1,d1,2,,\n",
        l_csv="doc_id,length\nd1,100\nd2,50\n",
    ),
    "scores that are all empty": case(
        EVALUATE,
        "note: run.csv: has neither rank nor score, so results are in the order of its rows",
        gold_csv=GOLD,
        run_csv="query_id,doc_id,score,start,end\nq1,d1,,0,20\nq1,d1,,20,40\nq2,d2,,0,9\n",
    ),
    "gold without grades and places": case(
        "evaluate gold.csv run.csv -m AP",
        "note: gold.csv: 2 of 2 rows give neither place nor grade, so they make nothing relevant, the first: line 2; give the start and end of what is relevant, or a grade",
        "note: gold.csv: no document is relevant for any query; are the grades of relevant documents above 0?",
        "note: run: 2 results are parts of documents, but for AP only documents count, each at the rank of its first part",
        gold_csv="query_id,doc_id\nq1,d1\nq2,d2\n",
        run_csv=RUN,
    ),
    "qrels without a relevant document": case(
        "evaluate qrels.txt a.run -m AP",
        "note: qrels.txt: no document is relevant for any query; are the grades of relevant documents above 0?",
        qrels_txt=QRELS.replace("1\n", "0\n"),
        a_run=TREC,
    ),
    "passages of grade 0 alone": case(
        EVALUATE,
        "gold.csv: TextR needs highlighted passages, but those here are empty or have a grade below 1; give passages of grade 1 or more",
        gold_csv="query_id,doc_id,start,end,label\nq1,d1,10,30,0\n",
        run_csv=RUN,
    ),
    "an assessor who judged only some queries": case(
        EVALUATE + " --assessor b",
        "note: gold.csv: 1 of 2 queries was not judged by the assessor b, so the first who did is used",
        gold_csv="query_id,doc_id,start,end,assessor\nq1,d1,10,30,a\nq1,d1,0,5,b\nq2,d2,0,20,a\n",
        run_csv=RUN,
    ),
    # swapped
    "run and assessments swapped": case(
        "evaluate run.csv gold.csv -m TextR",
        "run.csv: has a column 'rank', so it is a run; give assessments first, then runs; or remove the column",
        gold_csv=GOLD,
        run_csv=RUN,
    ),
    "TREC run and qrels swapped": case(
        "evaluate run.txt qrels.txt -m AP",
        "run.txt: has the columns of a run (query Q0 document rank score run); give assessments first, then runs",
        qrels_txt=QRELS,
        run_txt=TREC,
    ),
    "start and end swapped": case(
        EVALUATE,
        "run.csv:2: the end 0 is before the start 20; it must be at least the start",
        gold_csv=GOLD,
        run_csv=RUN.replace("start,end", "end,start"),
    ),
    "query and document swapped": case(
        EVALUATE,
        "run.csv: has no query in common with gold.csv; its first query is 'd1', that of the assessments is 'q1'",
        gold_csv=GOLD,
        run_csv=RUN.replace("query_id,doc_id", "doc_id,query_id"),
    ),
    "the same file twice": case(
        "evaluate gold.csv gold.csv -m TextR",
        "note: gold.csv: is given both as assessments and as a run",
        gold_csv=GOLD,
    ),
    # shifted and in other units
    "an end that is a length": case(
        "evaluate gold.csv run.csv -m TextR",
        "run.csv:2: the end 20 is before the start 30; it must be at least the start",
        gold_csv=GOLD,
        run_csv="query_id,doc_id,rank,start,end\nq1,d1,1,30,20\n",
    ),
    "parts past the end": case(
        "evaluate gold.csv run.csv -m TextR --lengths l.csv",
        "note: gold.csv: 1 highlighted passage reaches past the end of its document",
        "note: run: 1 part reaches past the end of its document",
        gold_csv=GOLD,
        run_csv=RUN,
        l_csv="doc_id,length\nd1,15\nd2,50\n",
    ),
    "offsets past the end of documents in the collection": case(
        "evaluate gold.csv run.csv -m TextR --collection docs.jsonl",
        "note: gold.csv: 1 highlighted passage reaches past the end of its document",
        "note: run: 1 part reaches past the end of its document",
        gold_csv=GOLD.replace("10,30", "10,300"),
        run_csv=RUN.replace("5,25", "5,2500"),
        docs_jsonl="DOCS",
    ),
    "quoted gold at other offsets": case(
        "evaluate gold.csv run.csv -m TextR --collection docs.jsonl",
        "note: gold.csv: 1 passage quotes a text that is not at its offsets in the collection: gold.csv:2: the text 'sleep in' is not at 11 to 22 of document d1, where 'in winter, ' is; its only place there is 5 to 13",
        "note: run: 1 query without judgements, left out",
        gold_csv="query_id,doc_id,start,end,text\nq1,d1,11,22,sleep in\n",
        run_csv=RUN,
        docs_jsonl="DOCS",
    ),
    "quoted gold in bytes": case(
        "evaluate gold.csv run.csv -m TextR --collection docs.jsonl",
        "note: gold.csv: 1 highlighted passage reaches past the end of its document",
        "note: gold.csv: 1 passage quotes a text that is not at its offsets in the collection: gold.csv:2: the text 'sleep' is not at 7 to 12 of document d1, which ends at 10; offsets count UTF-8 bytes: the text is at its offsets in these; give --unit bytes (unit='bytes')",
        "note: run: 1 query without judgements, left out",
        "note: run: 1 part reaches past the end of its document",
        gold_csv="query_id,doc_id,start,end,text\nq1,d1,7,12,sleep\n",
        run_csv=RUN.replace("d2", "d1"),
        docs_jsonl='{"doc_id": "d1", "text": "Béés sleep"}\n',
    ),
    "offsets inside characters": case(
        "evaluate gold.csv run.csv -m TextR --unit bytes --collection docs.jsonl",
        "note: gold.csv: 1 highlighted passage starts or ends inside a character; is this the unit of the offsets, and the text in which they were counted?",
        gold_csv="query_id,doc_id,start,end\nq1,d1,2,11\n",
        run_csv="query_id,doc_id,rank,start,end\nq1,d1,1,0,11\n",
        docs_jsonl='{"doc_id": "d1", "text": "Béés sleep"}\n',
    ),
    "negative offsets": case(
        EVALUATE,
        "run.csv:2: the start is '-5'; it must be a whole number from 0 to 1099511627776",
        gold_csv=GOLD,
        run_csv="query_id,doc_id,rank,start,end\nq1,d1,1,-5,20\n",
    ),
    "offsets with decimals": case(
        EVALUATE,
        "run.csv:2: the start is '0.5'; it must be a whole number from 0 to 1099511627776",
        gold_csv=GOLD,
        run_csv="query_id,doc_id,rank,start,end\nq1,d1,1,0.5,20\n",
    ),
    "results that quote other texts": case(
        "evaluate gold.csv run.jsonl -m TextR --collection docs.jsonl",
        "note: run.jsonl: 1 result has a text that is not at its offsets in the collection: run.jsonl:1: the text 'Bees' is not at 5 to 9 of document d1, where 'slee' is; its only place there is 0 to 4",
        "note: run: 1 judged query without results",
        gold_csv=GOLD,
        run_jsonl='{"query_id": "q1", "doc_id": "d1", "score": 1, "start": 5, "end": 9, "text": "Bees"}\n',
        docs_jsonl="DOCS",
    ),
    "texts longer than their parts": case(
        "evaluate gold.csv run.jsonl -m TextR",
        "note: run.jsonl: 1 of 1 rows has a text that is not as long as its part: line 1; are the offsets those of the text, and in the unit of the evaluation?",
        "note: run: 1 judged query without results",
        gold_csv=GOLD,
        run_jsonl='{"query_id": "q1", "doc_id": "d1", "score": 1, "start": 0, "end": 3, "text": "Béés"}\n',
    ),
    "empty passages": case(
        EVALUATE,
        "note: gold.csv: 1 passage is empty and was dropped: line 4",
        gold_csv=GOLD + "q1,d1,40,40\n",
        run_csv=RUN,
    ),
    "results that are all empty": case(
        EVALUATE,
        "note: run.csv: all 2 results are empty, because their end is their start",
        gold_csv=GOLD,
        run_csv="query_id,doc_id,rank,start,end\nq1,d1,1,5,5\nq2,d2,1,0,0\n",
    ),
    "start and end in place of offset and length": case(
        "evaluate gold.txt a.run -m TextR",
        "note: gold.txt: 1 line declares 20 relevant characters, but its passages have 30: line 1; are passages given as offset:length?",
        gold_txt=FOL.replace("10:20", "10:30"),
        a_run=INEX,
    ),
    "a length in place of the end": case(
        EVALUATE,
        "run.csv:1: has columns start, length; give start and end, or offset and length",
        gold_csv=GOLD,
        run_csv=RUN.replace("end", "length"),
    ),
    # in another order
    "distances as scores": case(
        EVALUATE,
        "note: run: the highest score comes first, which reverses the order of all rows; if lower scores are better, give ranks",
        gold_csv=GOLD,
        run_csv="query_id,doc_id,score,start,end\n"
        + "".join(f"q{query},d{query},0.{score},{score},9\n" for query in (1, 2) for score in (2, 5, 7)),
    ),
    "distances as scores of a TREC run": case(
        "evaluate qrels.txt a.run -m AP",
        "note: a: the highest score comes first, which reverses the ranks of all results; if lower scores are better, use --order rank (order='rank')",
        qrels_txt=QRELS,
        a_run="".join(f"q{query} Q0 d{rank} {rank} 0.{rank} t\n" for query in (1, 2) for rank in (1, 2, 3)),
    ),
    "ranks counted from the worst": case(
        EVALUATE,
        "note: run: rank 1 comes first, which reverses the order of all scores; if higher scores are better, use --order score (order='score')",
        gold_csv=GOLD,
        run_csv="query_id,doc_id,score,rank,start,end\n"
        + "".join(f"q{query},d{query},0.{rank},{rank},{rank},9\n" for query in (1, 2) for rank in (1, 2, 3)),
    ),
    "ranks from before the scores changed": case(
        EVALUATE,
        "note: run: 1 score contradicts the ranks, which give the order; --order score (order='score') orders by score",
        gold_csv=GOLD,
        run_csv="query_id,doc_id,score,rank,start,end\nq1,d1,3,1,0,9\nq1,d1,5,2,9,12\nq1,d1,1,3,12,15\nq2,d2,1,1,0,9\n",
    ),
    "documents with equal scores": case(
        "evaluate qrels.txt run.csv -m AP",
        "note: run: 1 result has the score of the one before it and follows it as in the rows; trec_eval and ir_measures order such documents by their ids, as partwise does for files of TREC columns",
        qrels_txt=QRELS,
        run_csv="query_id,doc_id,score\nq1,d1,1\nq1,d3,1\nq2,d2,1\n",
    ),
    # duplicated
    "a column twice": case(
        EVALUATE,
        "run.csv:1: has two columns 'start'; column names must be unique",
        gold_csv=GOLD,
        run_csv="query_id,doc_id,rank,start,start\nq1,d1,1,0,20\n",
    ),
    "two names of a column that differ": case(
        EVALUATE,
        "run.csv:2: the columns 'docno' and 'source' mean the same, but here they have 'd1' and 'a.txt'; remove or rename one of them",
        gold_csv=GOLD,
        run_csv="query_id,docno,source,rank,start,end\nq1,d1,a.txt,1,0,20\n",
    ),
    "two names of a column, one of them ours": case(
        EVALUATE,
        "note: run.csv: the column 'source' was not read, because 'doc_id' means the same and was",
        gold_csv=GOLD,
        run_csv="query_id,doc_id,source,rank,start,end\nq1,d1,a.txt,1,0,20\nq2,d2,b.txt,1,0,20\n",
    ),
    "a judgement twice": case(
        EVALUATE,
        "note: gold.csv: 1 row judges a passage exactly as an earlier row does, and counts once: line 4",
        gold_csv=GOLD + "q1,d1,10,30\n",
        run_csv=RUN,
    ),
    "a result twice": case(
        EVALUATE, "note: run: 1 result repeats an earlier part", gold_csv=GOLD, run_csv=RUN + "q1,d1,2,0,20\n"
    ),
    "a run file twice": case(
        "evaluate gold.csv run.csv run.csv -m TextR",
        "run.csv is given twice; give every file once",
        gold_csv=GOLD,
        run_csv=RUN,
    ),
    "scores of one run in two files": case(
        "compare a.tsv b.tsv",
        "b.tsv: holds AP of the run 'bm25', as does a.tsv; give every run its own name with --as NAME=b.tsv (in Python {NAME: b.tsv})",
        a_tsv=SCORES.format(0.1, 0.2),
        b_tsv=SCORES.format(0.3, 0.4),
    ),
    "scores of trec_eval and of partwise": case(
        "compare a.txt b.tsv -m recip_rank",
        "note: 1 run has no scores for RR and is left out: a",
        a_txt="map 1 0.5\nmap 2 0.25\nnum_q all 2\nmap all 0.375\n",
        b_tsv=SCORES.format(0.3, 0.4).replace("AP", "RR"),
    ),
    "scores that were edited": case(
        "compare a.tsv b.tsv",
        "note: x: the values of AP have the mean 0.35, but the row of all queries has 0.2; was the file edited?",
        "note: AP: no p-value can be small enough: with 2 queries it is at least 0.5, but significance needs 0.05",
        a_tsv=SCORES.format(0.1, 0.2),
        b_tsv=SCORES.format(0.3, 0.4).replace("bm25", "x") + "x\tAP\tall\t0.2\n",
    ),
    "options of an evaluation with saved scores": case(
        "compare a.tsv b.tsv --unit bytes",
        "--unit cannot be used with scores; leave it out, or give assessments and runs",
        a_tsv=SCORES.format(0.1, 0.2),
        b_tsv=SCORES.format(0.3, 0.4),
    ),
    "a recall level above 1": case(
        "evaluate qrels.txt a.run -m IPrec@1.5",
        "IPrec: recall is '1.5'; it must be a number from 0 to 1",
        qrels_txt=QRELS,
        a_run=TREC,
    ),
    # mixed
    "offsets of two kinds": case(
        EVALUATE,
        "run.csv:1: has columns start, end, offset, length; give start and end, or offset and length",
        gold_csv=GOLD,
        run_csv="query_id,doc_id,rank,start,end,offset,length\nq1,d1,1,0,20,0,20\n",
    ),
    "a rank in some rows only": case(
        EVALUATE,
        "run.csv:3: has no rank; give every result of a query a rank, or every one a score",
        gold_csv=GOLD,
        run_csv="query_id,doc_id,rank,start,end\nq1,d1,1,0,20\nq1,d1,,30,40\n",
    ),
    "paths and no collection": case(
        EVALUATE,
        "run.csv:2: the part is given as the path '/article[1]', which needs the documents; give the collection (--collection), or the start and end of the part",
        gold_csv=GOLD,
        run_csv="query_id,doc_id,rank,path\nq1,d1,1,/article[1]\n",
    ),
    "two run tags in one file": case(
        "evaluate gold.csv a.run -m TextR",
        "note: a.run: 2 run tags, treated as one run",
        gold_csv=GOLD,
        a_run=INEX.replace("1.0 t", "1.0 u"),
    ),
    "a TREC line in a file of passages": case(
        "evaluate gold.csv a.run -m TextR",
        "a.run:3: has 6 columns; expected query Q0 document rank score run offset length",
        gold_csv=GOLD,
        a_run=INEX + "q2 Q0 d2 2 0.5 t\n",
    ),
    "other document ids": case(
        EVALUATE,
        "note: run: none of its documents is judged for its query; do the run and the qrels use the same query and document ids?",
        gold_csv=GOLD,
        run_csv=RUN.replace("d1", "doc-1").replace("d2", "doc-2"),
    ),
    "document ids with a folder and a suffix": case(
        EVALUATE,
        "note: run: 1 result is in a document that is not judged, but one whose id differs in folder, suffix or case is; do the run and the qrels use the same document ids?",
        gold_csv=GOLD,
        run_csv=RUN.replace("d2", "docs/D2.md"),
    ),
    "other query ids": case(
        EVALUATE,
        "run.csv: has no query in common with gold.csv; its first query is '1', that of the assessments is 'q1'",
        gold_csv=GOLD,
        run_csv=RUN.replace("q1", "1").replace("q2", "2"),
    ),
    "columns of assessments in a run": case(
        EVALUATE,
        "note: run.csv: 1 column belongs to assessments and was not read from a run: 'relevance'",
        gold_csv=GOLD,
        run_csv="query_id,doc_id,rank,start,end,relevance\nq1,d1,1,0,20,1\nq2,d2,1,0,20,0\n",
    ),
    # taken for something else
    "parts scored as documents": case(
        "evaluate gold.csv run.csv -m nDCG@10 -m RR",
        "note: run: 2 results are parts of documents, but for nDCG@10, RR only documents count, each at the rank of its first part; PartHit, PartRR and PartnDCG score the parts, TextP and TextR their text",
        gold_csv=GOLD,
        run_csv=RUN,
    ),
    "document grades for text measures": case(
        "evaluate qrels.txt a.run -m TextR",
        "qrels.txt: TextR needs highlighted passages, but there are only document grades; give the start and end of relevant text, or use document measures such as nDCG@10",
        qrels_txt=QRELS,
        a_run=INEX,
    ),
    "text after the run tag": case(
        "evaluate qrels.txt a.run -m AP",
        "note: a.run: the text after the run tag was not read in 2 lines",
        qrels_txt=QRELS,
        a_run=TREC.replace(" t\n", " t tuned\n"),
    ),
    "a range after the run tag": case(
        "evaluate qrels.txt a.run -m AP",
        "a.run:1: the offset is '0-20'; it must be a whole number from 0",
        qrels_txt=QRELS,
        a_run=TREC.replace(" t\n", " t 0-20\n"),
    ),
    "a JSON array": case(
        "evaluate gold.csv run.json -m TextR",
        "run.json:1: looks like a JSON array; save it as TREC or INEX columns, INEX XML, CSV, TSV, JSON Lines or Parquet",
        gold_csv=GOLD,
        run_json='[{"query_id": "q1"}]\n',
    ),
    "overlap in the focused task": case(
        "evaluate gold.csv run.csv --task focused",
        "note: run: 1 case of the error overlap (a result that shares text with an earlier one); partwise check shows where",
        gold_csv=GOLD,
        run_csv=RUN + "q1,d1,2,10,40\n",
    ),
    "names of trec_eval that stand for fewer": case(
        "evaluate qrels.txt a.run -m official",
        "note: official is computed without gm_map, which ir_measures does not have",
        qrels_txt=QRELS,
        a_run=TREC,
    ),
    "a grade that is a score": case(
        "evaluate gold.csv run.csv -m AP",
        "gold.csv:2: the score is '0.93'; it must be a whole number from -1000000 to 1000000",
        gold_csv="query_id,doc_id,score\nq1,d1,0.93\n",
        run_csv=RUN,
    ),
    "bad lines that are skipped": case(
        "evaluate gold.csv run.csv -m TextR --lenient",
        "note: run.csv: 1 bad line skipped, the first: run.csv:4: the end is 'x'; it must be a whole number from 0 to 1099511627776",
        gold_csv=GOLD,
        run_csv=RUN + "q2,d2,2,9,x\n",
    ),
}


def printed(one: Case, folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    for name, content in one.files.items():
        text = "".join(json.dumps({"doc_id": doc, "text": text}) + "\n" for doc, text in DOCS.items())
        (folder / name).write_text(text if content == "DOCS" else content)
    code = main(shlex.split(one.command))
    lines = capsys.readouterr().err.splitlines()
    return code, [line for line in lines if not re.search(r"\d of \d+ queries scored$", line)]


@pytest.mark.parametrize("name", COMMANDS)
def test_commands(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    code, lines = printed(COMMANDS[name], tmp_path, capsys)
    assert lines == COMMANDS[name].expected
    assert lines, "nothing is said"
    assert (code == 2) == (not lines[-1].startswith("note: "))


# ---- calls from Python --------------------------------------------------------------------------------------------

SPANS = {"q1": [("d1", 10, 30)]}
PARTS = {"q1": [("d1", 0, 20)]}
ROWS = [{"query_id": "q1", "doc_id": "d1", "rank": 1, "start": 0, "end": 20}]


def notes(runs: Any, qrels: Any = SPANS, measures: Any = "TextR", **options: Any) -> list[str]:
    return list(pw.evaluate(qrels, runs, measures, **options).notes)


def renamed(**names: str) -> list[dict[str, Any]]:
    return [{names.get(key, key): cell for key, cell in row.items()} for row in ROWS]


class Document:
    """A document of LangChain."""

    def __init__(self, text: str, **metadata: Any) -> None:
        self.page_content, self.metadata = text, metadata


class Node:
    """A node of LlamaIndex."""

    def __init__(self, text: str, start: int | None, end: int | None, doc: str | None = "d1") -> None:
        self.text, self.start_char_idx, self.end_char_idx, self.ref_doc_id = text, start, end, doc
        self.node_id, self.metadata, self.relationships = f"{doc}-{start}-{text}", {}, {}

    def get_content(self, **_: Any) -> str:
        return self.text


CALLS: dict[str, tuple[Callable[[], list[str]], list[str]]] = {
    "rows without a query": (
        lambda: notes([{"id": 1, "doc_id": "d1"}]),
        ["error: runs is a list of dicts without query_id; it has 'id', 'doc_id'; give every row its query_id"],
    ),
    "an object that is no run": (
        lambda: notes(5),
        [
            "error: run is of type int; give a path, a mapping by query, a list of dicts or named tuples, or a pandas, Polars or Arrow table"
        ],
    ),
    "a generator that is used up": (
        lambda: notes(iter(())),
        [
            "error: no run is given; give one as a path, a mapping by query, a list of dicts or named tuples, or a pandas, Polars or Arrow table"
        ],
    ),
    "misspelt offsets in a frame": (
        lambda: notes(pd.DataFrame(renamed(start="start_pos", end="end_pos"))),
        [
            "error: run: the column 'start_pos' looks like a place in a document, but no column with a known name gives one; rename it to one of start, end, start_line, end_line, offset, spans, path, paths, or remove it to score whole documents"
        ],
    ),
    "an unknown column in Polars": (
        lambda: notes(pl.DataFrame(ROWS).with_columns(pl.lit(1).alias("wieght"))),
        ["run: 1 column is not known and was not read: 'wieght'"],
    ),
    "an unknown column in Arrow": (
        lambda: notes(pa.Table.from_pylist(renamed(rank="rnak"))),
        ["run: 1 column is not known and was not read: 'rnak' (nearest: rank)"],
    ),
    "two names that differ in a frame": (
        lambda: notes(pd.DataFrame([{**row, "docno": "a", "pid": "b"} for row in renamed(doc_id="docid")])),
        [
            "error: run, row 1: the columns 'docno' and 'docid' mean the same, but here they have 'a' and 'd1'; remove or rename one of them"
        ],
    ),
    "rows of a mapping with unknown columns": (
        lambda: notes({"q1": [{"doc_id": "d1", "start": 0, "end": 20, "lable": 1}]}),
        ["run: 1 column is not known and was not read: 'lable'"],
    ),
    "rows with different names of one column": (
        lambda: notes([*ROWS, {"query_id": "q1", "doc_id": "d1", "rank": 2, "start_index": 30, "end_index": 40}]),
        [
            "run: 1 row has no 'start' and was read from 'start_index', which means the same",
            "run: 1 row has no 'end' and was read from 'end_index', which means the same",
        ],
    ),
    "a run of ir_measures as assessments": (
        lambda: notes(PARTS, [ScoredDoc("q1", "d1", 1.0)], "AP"),
        ["error: ScoredDoc is a run, but given as assessments; give assessments first, then runs"],
    ),
    "assessments of ir_measures as a run": (
        lambda: notes([Qrel("q1", "d1", 1)], measures="AP"),
        ["error: Qrel is assessments, but given as run; give assessments first, then runs"],
    ),
    "scores as grades": (
        lambda: notes({"q1": {"d1": 2.0}}, {"q1": {"d1": 3.0, "d2": 1.0}}, "AP"),
        ["qrels: its 2 numbers are read as grades, but some are decimals; are these the scores of a run?"],
    ),
    "assessments that are used up": (
        lambda: notes(PARTS, iter(())),
        ["error: qrels is an iterator without items; give a list, or an iterator that was not used"],
    ),
    "the same object as assessments and run": (
        lambda: notes(SPANS, SPANS),
        ["the same object is given both as assessments and as a run"],
    ),
    "chunks of documents that were cleaned": (
        lambda: notes(
            langchain.run({"q1": [Document("sleep in", source="d1", start_index=3)]}, {"d1": "A: sleep in winter"}),
            pw.spans([{"query_id": "q1", "doc_id": "d1", "text": "sleep in winter"}], DOCS),
        ),
        [
            "run: 1 of 1 documents is another text than that of the assessments: d1 has 18 characters here, 47 there; offsets may be shifted; use the same documents for both"
        ],
    ),
    "gold whose text is a list": (
        lambda: list(pw.spans([{"query_id": "q1", "doc_id": "d1", "text": ["sleep"]}], DOCS).notes),
        ["error: spans, row 1: the text is \"['sleep']\"; give every row its text, or start and end"],
    ),
    "a metadata key that does not exist": (
        lambda: list(langchain.run({"q1": [Document("Bees", source="d1")]}, DOCS, source="sorce").notes),
        ["error: query q1, result 1: there is no metadata key 'sorce', which source= names; its keys are 'source'"],
    ),
    "document ids as gold": (
        lambda: notes(PARTS, {"q1": ["d1"]}),
        ["error: a document id alone is not a judgement; give {doc_id: grade}, or (doc_id, start, end)"],
    ),
    "empty gold": (lambda: notes(PARTS, {}), ["error: the assessments are empty; give at least one judgement"]),
    "an empty run": (lambda: notes({"q1": []}), ["run: 1 judged query without results"]),
    "offsets that are texts": (
        lambda: notes({"q1": [("d1", "zero", "20")]}),
        ["error: run, row 1: the start is 'zero'; it must be a whole number from 0 to 1099511627776"],
    ),
    "a query called all": (
        lambda: notes({"all": [("d1", 0, 20)]}, {"all": [("d1", 0, 20)]}),
        ["error: qrels: has a query 'all', the name under which means are reported; rename the query"],
    ),
    "two runs of one name": (
        lambda: notes([pd.DataFrame(ROWS).assign(run_id="a"), pl.DataFrame(ROWS).with_columns(run_id=pl.lit("a"))]),
        [
            "error: two runs are named 'a', in run1 and run2; give every run its own name, that of a file with --as NAME=FILE"
        ],
    ),
    "a unit that we do not have": (
        lambda: notes(PARTS, unit="words"),
        ["error: unit is 'words'; it must be one of chars, bytes, utf16, tokens, lines, seconds"],
    ),
    "lengths that disagree": (
        lambda: notes(
            PARTS, [{"query_id": "q1", "doc_id": "d1", "start": 0, "end": 5, "length": 90}], lengths={"d1": 99}
        ),
        ["error: document d1 has the length 99 in the lengths, but 90 in the assessments; give one value"],
    ),
    "parts scored as documents": (
        lambda: notes(PARTS, measures="AP"),
        [
            "run: 1 result is a part of a document, but for AP only documents count, each at the rank of its first part; PartHit, PartRR and PartnDCG score the parts, TextP and TextR their text"
        ],
    ),
    "two runs with the same fault": (
        lambda: notes({"a": {"q1": [("d1", 0, 5)] * 3}, "b": {"q1": [("d1", 0, 5)] * 2}}),
        ["a (2), b (1): 3 results repeat an earlier part"],
    ),
    "one run of whole documents among others": (
        lambda: notes({"a": PARTS, "b": {"q1": {"d1": 1.0}}}),
        [
            "b: TextR cannot be scored: b, row 1: the length of document d1 is unknown, and results that are whole documents need it; give it in the assessments or as lengths (--lengths FILE)"
        ],
    ),
    "scores that are not scores": (
        lambda: list(pw.compare(PARTS).notes),
        ["error: no run is given; give scores, or assessments and runs"],
    ),  # type: ignore[arg-type]
    "gold that quotes another text": (
        lambda: list(pw.spans([{"query_id": "q1", "doc_id": "d1", "start": 0, "end": 4, "text": "Wasps"}], DOCS).notes),
        [
            "error: spans, row 1: the text 'Wasps' is not at 0 to 4 of document d1, where 'Bees' is; give the offsets of the text in this document"
        ],
    ),
    "gold that quotes a text twice there": (
        lambda: list(pw.spans([{"query_id": "q1", "text": "bees"}], {"a": "bees bees"}).notes),
        [
            "error: spans, row 1: the text 'bees' occurs 2 times in document a, first at 0; give its start and end, or choose with --ambiguous how to treat such texts"
        ],
    ),
    "a chunk of LangChain without an offset": (
        lambda: list(langchain.run({"q1": [Document("Bees sleep", source="d1", start_index=-1)]}).notes),
        [
            "error: query q1, result 1: the start_index of the chunk 'Bees sleep' is -1: the splitter did not find it; pass documents= to place it by its text"
        ],
    ),
    "a chunk of LangChain with a header": (
        lambda: list(
            langchain.run(
                {"q1": [Document("Title: d1\nBees sleep in winter, and", source="d1", start_index=0)]}, DOCS
            ).notes
        ),
        [
            "1 of 1 chunks has text around that of its document (first: query q1, rank 1, document d1); placed without it"
        ],
    ),
    "a chunk of LangChain that was cleaned": (
        lambda: list(langchain.run({"q1": [Document("Bees never sleep", source="d1", start_index=0)]}, DOCS).notes),
        ["1 of 1 chunks is not in the documents (first: query q1, rank 1, document d1); counted as irrelevant text"],
    ),
    "a chunk of LangChain without its document": (
        lambda: list(langchain.run({"q1": [Document("Bees sleep", start_index=0)]}).notes),
        [
            "error: query q1, result 1: the chunk 'Bees sleep' has no document; split with add_start_index=True and keep the source in metadata, or give documents"
        ],
    ),
    "a hook that returns something else": (
        lambda: list(langchain.run({"q1": [Document("Bees", source="d1", start_index=0)]}, text=lambda chunk: 5).notes),
        ["error: query q1, result 1: text= returns '5', of type int; it must return a text"],
    ),
    "a node of LlamaIndex whose offsets are stale": (
        lambda: list(llamaindex.run({"q1": [Node("Bees sleep in winter", 0, 4)]}).notes),
        [
            "error: query q1, result 1: the chunk 'Bees sleep in winter' has 20 characters, but its offsets 0 to 4 span 4; pass documents= to place it by its text"
        ],
    ),
    "a node of LlamaIndex without offsets": (
        lambda: list(llamaindex.run({"q1": [Node("Bees sleep", None, None)]}).notes),
        [
            "error: query q1, result 1: the chunk 'Bees sleep' has no offset; use a node parser that sets start_char_idx, or give documents"
        ],
    ),
    "a node of LlamaIndex at another offset": (
        lambda: list(llamaindex.run({"q1": [Node("sleep", 0, 5)]}, DOCS).notes),
        ["1 of 1 chunks is not at its offsets (first: query q1, rank 1, document d1); located by text"],
    ),
    "an empty name of a run": (
        lambda: notes({"": PARTS}),
        ["error: the name of a run is empty; give it a name"],
    ),
    "an empty name of a file": (
        lambda: notes({"a": "a.run", "": "b.run"}),
        ["error: the name of a run is empty; give it a name"],
    ),
    "a string that occurs nowhere": (
        lambda: list(strings.run({"q1": ["wasps"]}, DOCS).notes),
        [
            "1 of 1 chunks is not in the documents (first: query q1, rank 1, document unplaced-1); counted as irrelevant text"
        ],
    ),
    "a string that occurs twice": (
        lambda: list(strings.run({"q1": ["ees"]}, {"a": "bees bees"}).notes),
        ["1 of 1 chunks occurs in several places (first: query q1, rank 1, document a); counted as irrelevant text"],
    ),
}


def said(call: Callable[[], list[str]]) -> list[str]:
    """The notes of a call, or its error."""
    try:
        return call()
    except pw.PartwiseError as error:
        return [f"error: {error}"]


@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str) -> None:
    call, expected = CALLS[name]
    assert said(call) == expected
    assert expected, "nothing is said"


def test_saved_scores_of_other_assessments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, gold in (("a", GOLD), ("b", GOLD.replace("10,30", "10,40"))):
        (tmp_path / f"{name}.csv").write_text(gold)
        (tmp_path / f"{name}.jsonl").write_text(
            '{"query_id": "q1", "doc_id": "d1", "start": 0, "end": 20, "rank": 1}\n'
        )
        files = [str(tmp_path / f"{name}.{suffix}") for suffix in ("csv", "jsonl", "tsv")]
        assert main(["evaluate", *files[:2], "-m", "TextR", "-q", "-o", files[2]]) == 0
    capsys.readouterr()
    assert main(["compare", str(tmp_path / "a.tsv"), str(tmp_path / "b.tsv")]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert "qrels" in lines[0]
    assert lines[0].endswith("--mix (mix=True) compares them nevertheless") or "--mix" in lines[0]


def test_there_are_enough_of_them() -> None:
    assert len(COMMANDS) + len(CALLS) >= 60


# ---- inputs without a mistake ---------------------------------------------------------------------------------------

Text = dict[str, str]
CLEAN_COMMANDS: dict[str, tuple[str, Text]] = {
    "CSV": (EVALUATE, {"gold.csv": GOLD, "run.csv": RUN}),
    "CSV with the names of Chroma": (
        EVALUATE,
        {
            "gold.csv": GOLD.replace("start,end", "start_index,end_index"),
            "run.csv": RUN.replace("query_id,doc_id", "qid,docno").replace("start,end", "start_index,end_index"),
        },
    ),
    "TSV": (EVALUATE.replace("csv", "tsv"), {"gold.tsv": GOLD.replace(",", "\t"), "run.tsv": RUN.replace(",", "\t")}),
    "INEX columns": ("evaluate gold.txt a.run -m TextR -m iAP", {"gold.txt": FOL, "a.run": INEX}),
    "TREC columns": ("evaluate qrels.txt a.run -m AP -m map", {"qrels.txt": QRELS, "a.run": TREC}),
    "TREC columns with comments": (
        "evaluate qrels.txt a.run -m AP",
        {"qrels.txt": "# of May\n" + QRELS, "a.run": TREC + "# end\n"},
    ),
    "qrels of BEIR": (
        "evaluate qrels.tsv a.run -m nDCG@10",
        {"qrels.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\n", "a.run": TREC},
    ),
    "JSON Lines with texts beside offsets": (
        "evaluate gold.csv run.jsonl -m TextR",
        {
            "gold.csv": GOLD,
            "run.jsonl": "".join(
                json.dumps({"query_id": q, "doc_id": d, "score": 1.0, "start": 0, "end": 4, "text": "Bees", "id": 4})
                + "\n"
                for q, d in (("q1", "d1"), ("q2", "d2"))
            ),
        },
    ),
    "a collection that quoted gold agrees with": (
        "evaluate gold.csv run.csv -m TextR --collection docs.jsonl",
        {
            "gold.csv": "query_id,doc_id,start,end,text\nq1,d1,5,10,sleep\nq2,d2,0,6,Hedges\n",
            "run.csv": RUN,
            "docs.jsonl": "DOCS",
        },
    ),
    "bytes": ("evaluate gold.csv run.csv -m TextR --unit bytes", {"gold.csv": GOLD, "run.csv": RUN}),
    "names given on the command line": (
        "evaluate gold.csv --as one=run.csv --as two=b.csv -m TextR",
        {"gold.csv": GOLD, "run.csv": RUN, "b.csv": RUN},
    ),
    "the focused task without overlap": (
        "evaluate gold.csv run.csv --task focused",
        {"gold.csv": GOLD, "run.csv": RUN},
    ),
    "document and text measures together": (
        "evaluate gold.csv run.csv -m nDCG@10 -m TextR",
        {"gold.csv": GOLD, "run.csv": RUN},
    ),
    "grades of passages": (
        EVALUATE,
        {"gold.csv": "query_id,doc_id,start,end,grade\nq1,d1,10,30,2\nq1,d1,40,50,0\nq2,d2,0,20,1\n", "run.csv": RUN},
    ),
    "lengths": (EVALUATE + " --lengths l.csv", {"gold.csv": GOLD, "run.csv": RUN, "l.csv": "docno,length\nd1,99\n"}),
    "an INEX name": ("evaluate gold.csv run.csv -m iP[0.01]", {"gold.csv": GOLD, "run.csv": RUN}),
}

CLEAN_CALLS: dict[str, Callable[[], list[str]]] = {
    "a mapping of tuples": lambda: notes(PARTS),
    "a mapping of dicts": lambda: notes({"q1": [{"doc_id": "d1", "start": 0, "end": 20}]}),
    "rows": lambda: notes(ROWS),
    "one row without a rank": lambda: notes([{"query_id": "q1", "doc_id": "d1", "start": 0, "end": 20}]),
    "pandas": lambda: notes(pd.DataFrame(ROWS)),
    "pandas with missing cells": lambda: notes(pd.DataFrame(ROWS).assign(spans=None)),
    "Polars": lambda: notes(pl.DataFrame(ROWS)),
    "Arrow": lambda: notes(pa.Table.from_pylist(ROWS)),
    "names of LlamaIndex": lambda: notes(renamed(start="start_char_idx", end="end_char_idx")),
    "names of PyTerrier": lambda: notes(
        pd.DataFrame({"qid": ["q1"], "docno": ["d1"], "docid": [4], "score": [1.0], "rank": [0], "query": ["bees"]}),
        pd.DataFrame({"qid": ["q1"], "docno": ["d1"], "label": [1]}),
        "nDCG@10",
    ),
    "dicts of dicts": lambda: notes({"q1": {"d1": 1.5}}, {"q1": {"d1": 1}}, "map ndcg_cut_10"),
    "several named runs": lambda: notes({"a": PARTS, "b": ROWS}),
    "an iterator of rows": lambda: notes(iter(ROWS)),
    "quoted gold": lambda: list(pw.spans([{"query_id": "q1", "doc_id": "d1", "text": "sleep in winter"}], DOCS).notes),
    "chunks of LangChain": lambda: list(
        langchain.run({"q1": [Document("Bees sleep", source="d1", start_index=0)]}, DOCS).notes
    ),
    "chunks of LangChain without documents": lambda: list(
        langchain.run({"q1": [Document("Bees sleep", source="d1", start_index=0)]}).notes
    ),
    "nodes of LlamaIndex": lambda: list(llamaindex.run({"q1": [Node("Bees sleep", 0, 10)]}, DOCS).notes),
    "strings": lambda: list(strings.run({"q1": ["Hedges shelter"]}, DOCS).notes),
}


@pytest.mark.parametrize("name", CLEAN_COMMANDS)
def test_clean_commands(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    command, files = CLEAN_COMMANDS[name]
    assert printed(Case(files, command, []), tmp_path, capsys) == (0, [])


@pytest.mark.parametrize("name", CLEAN_CALLS)
def test_clean_calls(name: str) -> None:
    assert CLEAN_CALLS[name]() == []


def test_there_are_enough_clean_inputs() -> None:
    assert len(CLEAN_COMMANDS) + len(CLEAN_CALLS) >= 30
