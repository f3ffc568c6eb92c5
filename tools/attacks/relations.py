"""Valid inputs whose values must not change: in other formats, compressed, with other threads, in other orders."""

from __future__ import annotations

from random import Random

from attacks import seeds
from attacks.case import Case
from attacks.mutations import COMPRESS
from attacks.seeds import DOCUMENTS, Grid

MEASURES = {"documents": "P@2 AP nDCG@3", "parts": "iAP TextP@2 TextR@3 Redundancy@3"}
DOCS = {f"docs/{doc}.xml": text.encode() for doc, text in DOCUMENTS.items()}


def _evaluation(run: str, kind: str, *more: str) -> tuple[str, ...]:
    return "evaluate", "qrels.jsonl", "--as", f"x={run}", "-q", "-m", MEASURES[kind], "--collection", "docs", *more


def case(rng: Random) -> Case:
    """Evaluations of one run in two forms, with the conversion between them if there is one."""
    run_kind = rng.choice(("documents", "spans", "offsets", "several", "elements", "trees"))
    kind = "documents" if run_kind == "documents" else "parts"
    qrels = Grid(
        *seeds.qrels_rows(rng, "grades" if kind == "documents" else "passages", len(seeds.QUERIES)),
        seeds.as_jsonl,
        ".jsonl",
    )
    names, rows = seeds.run_rows(rng, run_kind)
    of_kind = [of_format[run_kind] for of_format in seeds.RUNS.values() if run_kind in of_format]
    made = rng.choice(of_kind)(rng)
    run = f"r{made.suffix}"
    files = {"qrels.jsonl": qrels.bytes(), run: made.bytes(), **DOCS}
    relation = rng.choice(("convert", "convert", "convert qrels", "jobs", "compressed", "order", "blocks"))
    first, steps = _evaluation(run, kind), []
    if relation == "convert":
        suffix = rng.choice((".run", ".xml", ".csv", ".tsv", ".jsonl", ".parquet", ".jsonl.gz"))
        steps = [first, ("convert", run, f"n{suffix}", "--as", "run"), _evaluation(f"n{suffix}", kind)]
    elif relation == "convert qrels":
        suffix = rng.choice((".txt", ".csv", ".tsv", ".parquet", ".jsonl.xz"))
        steps = [("convert", "qrels.jsonl", f"n{suffix}", "--as", "assessments"), first]
        steps.append(("evaluate", f"n{suffix}", *first[2:]))
    elif relation == "jobs":
        steps = [(*first, "--jobs", "1"), (*first, "--jobs", "2")]
    elif relation == "compressed":
        suffix = rng.choice(list(COMPRESS))
        files[f"n{made.suffix}{suffix}"] = COMPRESS[suffix](made.bytes())
        steps = [first, _evaluation(f"n{made.suffix}{suffix}", kind)]
    elif relation == "order":  # ranks are given, so the order of rows is free; ties of TREC runs are by document
        made = Grid(names, rows, seeds.as_csv, ".csv")
        files["r.csv"] = made.bytes()
        rng.shuffle(made.rows)
        files["n.csv"] = made.bytes()
        steps = [_evaluation("r.csv", kind), _evaluation("n.csv", kind)]
    else:  # 4 MB of other queries, so that the run is read in blocks, and the same without them
        blank = seeds.RUNS["text"]["documents"](rng)
        other = "".join(f"z{number} Q0 nowhere {1} 1.0 tag\n" for number in range(rng.choice((5, 20, 150_000))))
        half = len(blank.rows) // 2
        parts = [
            Grid(blank.names, some, seeds.as_blanks, ".run").bytes() for some in (blank.rows[:half], blank.rows[half:])
        ]
        files |= {"r.run": b"".join(parts), "n.run": parts[0] + other.encode() + parts[1]}
        steps = [_evaluation("r.run", "documents"), _evaluation("n.run", "documents")]
    return Case(tuple(steps), files, same=True)
