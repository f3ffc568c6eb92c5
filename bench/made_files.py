"""Generates the files to measure with: runs, queries and results in the numbers given.

    python made_files.py FOLDER RUNS QUERIES DEPTH KIND...

runs in a separate process, because the memory of a process that starts another counts towards the other's peak.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import zipfile
from pathlib import Path

DOCUMENTS = 2000
SECTIONS, PARAGRAPHS, PARAGRAPH = 6, 8, 100
"""Sections of an article, paragraphs of a section, and characters of a paragraph."""


def write_world(folder: Path, runs: int, queries: int, depth: int) -> None:
    """Runs and assessments twice: as passages for partwise, as documents for pytrec_eval."""
    chance = random.Random(7)
    docs = [str(number) for number in chance.sample(range(10**4, 10**8), 60_000)]
    with open(folder / "qrels.fol", "w") as passages, open(folder / "qrels.trec", "w") as grades:
        for query in range(queries):
            for doc in chance.sample(docs, 86):
                start = chance.randrange(5000)
                spans = [(start + 900 * i, chance.randrange(1, 800)) for i in range(chance.randrange(1, 5))]
                passage = " ".join(f"{offset}:{length}" for offset, length in spans)
                size = sum(length for _, length in spans)
                passages.write(f"{2009001 + query} Q0 {doc} {size} 20000 {start} {passage}\n")
                grades.write(f"{2009001 + query} 0 {doc} 1\n")
    for run in range(runs):
        with open(folder / f"run{run}.fol", "w") as passages, open(folder / f"run{run}.trec", "w") as whole:
            for query in range(queries):
                for rank, doc in enumerate(chance.sample(docs, depth), 1):
                    line = f"{2009001 + query} Q0 {doc} {rank} {1000 / rank:.6f} run{run}"
                    passages.write(f"{line} {chance.randrange(12000)} {chance.randrange(1, 3000)}\n")
                    whole.write(f"{line}\n")


def write_parquet(folder: Path) -> None:
    """The runs of passages again, in Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for path in folder.glob("run*.fol"):
        query, _, doc, rank, score, _, start, size = zip(*map(str.split, path.read_text().splitlines()), strict=True)
        starts, sizes = list(map(int, start)), list(map(int, size))
        ends = [first + length for first, length in zip(starts, sizes, strict=True)]
        numbers = {"rank": list(map(int, rank)), "score": list(map(float, score)), "start": starts, "end": ends}
        table = pa.table({"query_id": query, "doc_id": doc, **numbers})
        pq.write_table(table, path.with_suffix(".parquet"), row_group_size=50_000)


def write_rows(folder: Path, kinds: set[str]) -> None:
    """The runs of passages again, as JSON Lines (also with the text of each chunk and metadata), CSV and TSV."""
    chance = random.Random(7)
    words = ["retrieval", "of", "parts", "naïve", "the", "index", "chunk", "a", "user", '"quoted"', "model", "answer"]
    texts = [" ".join(chance.choices(words, k=40)) for _ in range(500)]
    for path in folder.glob("run*.fol"):
        lines = [line.split() for line in path.read_text().splitlines()]
        rows = [
            {"query_id": line[0], "doc_id": line[2], "rank": int(line[3]), "score": float(line[4]),
             "start": int(line[6]), "end": int(line[6]) + int(line[7])}
            for line in lines
        ]  # fmt: skip
        if "jsonl" in kinds:
            path.with_suffix(".jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        if "texts" in kinds:
            with open(path.with_name(f"{path.stem.replace('run', 'texts')}.jsonl"), "w") as file:
                for number, row in enumerate(rows):
                    metadata = {
                        "source": f"https://example.org/{number % 97}",
                        "splitter": "recursive",
                        "pages": [1, 2],
                    }
                    file.write(json.dumps({**row, "text": texts[number % len(texts)], "metadata": metadata}) + "\n")
        for kind, separator in (("csv", ","), ("tsv", "\t")):
            if kind in kinds:
                header = separator.join(rows[0])
                body = "".join(separator.join(map(str, row.values())) + "\n" for row in rows)
                path.with_suffix(f".{kind}").write_text(f"{header}\n{body}")


def write_articles(path: Path) -> None:
    """Articles with sections and paragraphs, as XML in an archive."""
    chance = random.Random(7)
    letters = "abcdefghijklmnopqrst "
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(DOCUMENTS):
            sections = []
            for _ in range(SECTIONS):
                texts = ("".join(chance.choices(letters, k=PARAGRAPH - 1)) + "." for _ in range(PARAGRAPHS))
                sections.append("".join(f"<p>{text}</p>" for text in texts))
            inside = "".join(f"<sec>{section}</sec>" for section in sections)
            archive.writestr(f"d{number}.xml", f"<article>{inside}</article>")


def write_elements_world(folder: Path, runs: int, queries: int, depth: int) -> None:
    """Runs of elements of these articles, as offset and length, and assessments of some of their paragraphs."""
    chance = random.Random(7)
    section = PARAGRAPHS * PARAGRAPH
    length = SECTIONS * section
    parts = [(0, length)]
    parts += [(start, section) for start in range(0, length, section)]
    parts += [(start, PARAGRAPH) for start in range(0, length, PARAGRAPH)]
    with open(folder / "qrels.inex", "w") as file:
        for query in range(queries):
            for doc in chance.sample(range(DOCUMENTS), 60):
                starts = sorted({start for start, _ in chance.choices(parts[1 + SECTIONS :], k=chance.randrange(1, 4))})
                passages = " ".join(f"{start}:{PARAGRAPH}" for start in starts)
                file.write(f"{query} Q0 d{doc} {PARAGRAPH * len(starts)} {length} {starts[0]} {passages}\n")
    for run in range(runs):
        with open(folder / f"run{run}.inex", "w") as file:
            for query in range(queries):
                for rank in range(1, depth + 1):
                    start, size = chance.choice(parts)
                    doc = chance.randrange(DOCUMENTS)
                    file.write(f"{query} Q0 d{doc} {rank} {1000 / rank:.6f} run{run} {start} {size}\n")


def generate(folder: Path, runs: int, queries: int, depth: int, kinds: set[str]) -> None:
    """Write the files of these kinds, in a fresh process."""
    subprocess.run([sys.executable, __file__, *map(str, (folder, runs, queries, depth, *sorted(kinds)))], check=True)


def main() -> None:
    folder, runs, queries, depth = Path(sys.argv[1]), *map(int, sys.argv[2:5])
    kinds = set(sys.argv[5:])
    write_world(folder, runs, queries, depth)
    if "parquet" in kinds:
        write_parquet(folder)
    if kinds & {"jsonl", "texts", "csv", "tsv"}:
        write_rows(folder, kinds)
    if "inex" in kinds:
        write_elements_world(folder, runs, queries, depth)
    if "articles" in kinds:
        write_articles(folder / "articles.zip")


if __name__ == "__main__":
    main()
