"""Indexing XML, from files to one Parquet file, against ``lxml.etree.parse`` of the same files: at most 1.5x.

The files are the JATS articles of ``PARTWISE_DATA`` if they exist, otherwise generated articles. Both run in this
process in turn, best of several, so that other load affects both equally. The time of reading alone is printed too.

Then ``partwise index`` of many small generated articles in an archive, in fresh processes: articles per second and peak
memory, which ten times the articles must not raise by more than half.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from common import partwise, verdict
from lxml import etree
from table import once as timed

from partwise.collection import Collection, write_index

DATA = Path(os.environ.get("PARTWISE_DATA", Path(__file__).resolve().parent.parent.parent / "shared" / "data"))
WORDS = ["of", "the", "and", "to", "in", "study", "patients", "treatment", "versus", "p", "<", "0.05", "–", "was"]
ROUNDS = 15


def write_articles(folder: Path, count: int = 60) -> None:
    """Articles with about 1,200 elements and 60,000 characters each."""
    chance = random.Random(7)

    def words(least: int, most: int) -> str:
        chosen = " ".join(chance.choice(WORDS) for _ in range(chance.randrange(least, most)))
        return chosen.replace("<", "&lt;")

    for number in range(count):
        sections = []
        for section in range(8):
            paragraphs = "".join(
                f'<p id="p{section}-{i}">{words(20, 60)} <xref ref-type="bibr" rid="B{i}">{i}</xref>, '
                f"<i>{words(1, 4)}</i> {words(5, 20)}<sup>{i}</sup></p>\n"
                for i in range(36)
            )
            sections.append(f'<sec id="s{section}"><title>{words(2, 8)}</title>{paragraphs}</sec>')
        body = "".join(sections)
        (folder / f"{number}.xml").write_text(f"<article><bdy>{body}</bdy></article>")


def once(job: Callable[[], object]) -> float:
    began = time.perf_counter()
    job()
    return time.perf_counter() - began


def write_archive(path: Path, count: int) -> None:
    """Articles of nine elements and 240 characters each."""
    sections = "".join("<sec>" + f"<p>{'word ' * 8}</p>" * 3 + "</sec>" for _ in range(2))
    with tarfile.open(path, "w") as archive:
        for number in range(count):
            content = f"<article id='a{number}'>{sections}</article>".encode()
            entry = tarfile.TarInfo(f"a{number}.xml")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


def many(most: int) -> bool:
    """Print what many small articles cost, and whether memory stays flat."""
    peaks = []
    for count in (most // 10, most):
        with tempfile.TemporaryDirectory() as name:
            archive, target = Path(name) / "articles.tar", Path(name) / "index.parquet"
            write_archive(archive, count)
            cost = timed(partwise("index", str(archive), "-o", str(target)))
            size = target.stat().st_size / 1e6
        peaks.append(cost.megabytes)
        print(
            f"{count:,} small articles: {count / cost.seconds:,.0f} per second, {cost.seconds:.1f} s "
            f"({cost.cpu:.1f} s of processor time), peak {cost.megabytes:.0f} MB, index {size:.0f} MB"
        )
    return verdict("peak memory of ten times the articles", peaks[1] / peaks[0], 1.5, at_least=False)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=int, default=1_000_000, help="the number of small articles")
    options = parser.parse_args()
    good = against_lxml()
    return 0 if many(options.articles) and good else 1


def against_lxml() -> bool:
    with tempfile.TemporaryDirectory() as name:
        target = Path(name) / "index.parquet"
        folder = DATA / "evidence-inference" / "xml_files"
        if not folder.is_dir():
            folder = Path(name) / "articles"
            folder.mkdir()
            write_articles(folder)
        files = [str(path) for path in sorted(folder.iterdir()) if path.suffix in (".xml", ".nxml")]

        def parse() -> None:
            for path in files:
                etree.parse(path)

        def read() -> None:
            collection = Collection.open(folder)
            for doc_id in collection.doc_ids():
                collection.source.read(doc_id)

        jobs = (parse, read, lambda: write_index(folder, target))
        times = [[once(job) for job in jobs] for _ in range(ROUNDS)]
        parsing, reading, writing = (min(column) for column in zip(*times, strict=True))
        nodes = sum(len(Collection.open(target)[doc_id]) for doc_id in Collection.open(target))
    print(f"{len(files)} files, {nodes} elements: parse {1000 * parsing:.0f} ms, read {1000 * reading:.0f} ms")
    return verdict("index XML to lxml.etree.parse", writing / parsing, 1.5, at_least=False)


if __name__ == "__main__":
    sys.exit(main())
