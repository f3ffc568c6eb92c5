"""The demo: articles, queries, assessments and runs that are part of the package."""

from __future__ import annotations

import json
import os
from functools import cached_property
from pathlib import Path

from partwise.collection import Collection
from partwise.errors import PartwiseError
from partwise.files import read_bytes
from partwise.messages import report
from partwise.outputs import write_folder

RUNS = ("articles", "sections", "paragraphs", "chunks", "overlapping", "careless")


class Demo:
    """A small test collection, ready for `evaluate`: articles on bees, queries, assessments and six runs.

    >>> import partwise as pw
    >>> demo = pw.demo()
    >>> scores = pw.evaluate(demo.qrels, demo.runs, "iAP", collection=demo.collection)
    >>> scores.run_ids
    ['articles', 'sections', 'paragraphs', 'chunks', 'overlapping', 'careless']
    >>> demo.queries["set-honey"]["title"]
    'crystallised honey'
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = Path(__file__).parent if folder is None else folder

    def __repr__(self) -> str:
        return f"Demo({str(self.folder)!r})"

    @cached_property
    def collection(self) -> Collection:
        """The articles."""
        return Collection.open(self.folder / "articles")

    @property
    def qrels(self) -> Path:
        """The file of assessments: passages, best entry points and graded elements, by assessor."""
        return self.folder / "qrels.jsonl"

    @property
    def runs(self) -> dict[str, Path]:
        """The files of the runs, by name."""
        return {name: self.folder / "runs" / f"{name}.run" for name in RUNS}

    @property
    def queries(self) -> dict[str, dict[str, str]]:
        """Title, description and narrative of every query, by its id."""
        rows = map(json.loads, (self.folder / "topics.jsonl").read_text(encoding="utf-8").splitlines())
        return {row.pop("query_id"): row for row in rows}

    def files(self) -> list[str]:
        """The paths of all files, relative to the folder."""
        articles = [f"articles/{doc_id}.xml" for doc_id in self.collection]
        return ["README.md", "topics.jsonl", "qrels.jsonl", *(f"runs/{name}.run" for name in RUNS), *articles]

    def write(self, folder: str | os.PathLike[str]) -> Demo:
        """Copy all files to a folder that is new, empty, or has the same files already; a changed file is an error."""
        target = Path(folder)
        contents = {name: (self.folder / name).read_bytes() for name in self.files()}
        try:
            existing = [name for name in contents if (target / name).exists()]
            in_use = not existing and target.exists() and (not target.is_dir() or any(target.iterdir()))
        except OSError as error:
            raise PartwiseError(report.DEMO_UNREADABLE(reason=error.strerror or error), file=str(target)) from None
        if in_use:
            problem = report.DEMO_FOLDER_NOT_EMPTY if target.is_dir() else report.DEMO_FOLDER_IS_FILE
            raise PartwiseError(problem(), file=str(target))
        for name in existing:
            if read_bytes(target / name) != contents.pop(name):
                raise PartwiseError(report.DEMO_FILE_CHANGED(), file=str(target / name))
        write_folder(target, contents)
        return Demo(target)
