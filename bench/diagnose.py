"""`partwise diagnose` against `partwise evaluate` on the same files, in fresh processes, best of five.

The 472 questions of Chroma's chunking evaluation (its folder is ``PARTWISE_DATA/chunking``), windows of 400 characters
that overlap by half, BM25, 20 results per question, and all chunks of the five texts in JSON Lines. The target: at most
10x, for five results and for a budget of 4,000 characters, for which the best choice of chunks is exact too.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

from common import best_time, partwise, verdict

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("PARTWISE_DATA", ROOT.parent / "shared" / "data")) / "chunking"
sys.path.insert(0, str(ROOT / "examples"))


def written(path: Path, rows: list[dict[str, object]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def main() -> int:
    from laboratory import CHUNKERS, questions
    from retrieval import bm25

    if not DATA.exists():
        print(f"no folder {DATA}; set PARTWISE_DATA")
        return 1
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted((DATA / "corpora").glob("*.md"))}
    asked, gold = questions(DATA)
    chunks = [(doc, start, end) for doc, text in texts.items() for start, end in sorted(CHUNKERS["half400"](text))]
    best, _ = bm25([texts[doc][start:end] for doc, start, end in chunks], list(asked.values()))
    places = [{"doc_id": doc, "start": start, "end": end} for doc, start, end in chunks]
    results = [
        {"query_id": query, **places[hit], "rank": rank}
        for query, hits in zip(asked, best, strict=True)
        for rank, hit in enumerate(hits, 1)
    ]
    met = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = written(folder / "gold.jsonl", gold), written(folder / "run.jsonl", results)
        all_chunks = written(folder / "chunks.jsonl", list(places))
        print(f"{len(asked)} queries, {len(results):,} results, {len(places):,} chunks, best of 5, fresh processes")
        for limit, measure in ((("-k", "5"), "TextR@5"), (("--budget", "4000"), "TextR(budget=4000, pack=True)")):
            evaluating = best_time(partwise("evaluate", *files, "-m", measure))
            diagnosing = best_time(partwise("diagnose", *files, "--chunks", all_chunks, *limit))
            print(f"evaluate {1000 * evaluating:.0f} ms, diagnose {1000 * diagnosing:.0f} ms")
            met.append(verdict(f"diagnose to evaluate, {measure}", diagnosing / evaluating, 10, at_least=False))
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
