"""INEX XML: submissions (2002 to 2008) and assessments (2002 to 2006).

Submissions have the root ``inex-submission`` and results with ``path`` (several make a tree), ``passage`` or ``fol``;
assessments have the root ``assessments``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from partwise.errors import PartwiseError, shown
from partwise.files import split_suffixes
from partwise.formats import base
from partwise.formats.base import ONE_RUN, Format, Limit
from partwise.formats.problems import Reader
from partwise.formats.ranks import as_ranked
from partwise.formats.tables import Table
from partwise.formats.text import first_line
from partwise.later import pools, submissions, xml_events
from partwise.messages import Text, writing
from partwise.model import NONE, Assessments, Run
from partwise.types import Kind

_ARCHIVE = ".zip"


class InexXml(Format):
    """A submission, or the judgements of one assessor for one topic; a ``.zip`` of the latter has several."""

    name = "xml"
    title = "INEX XML"
    suffixes = (".xml", _ARCHIVE)
    content = "markup"
    run_limits = (ONE_RUN, base.NO_OTHER_UNITS)
    assessment_limits = (
        *base.ONLY_IN_TABLES,
        Limit(frozenset({base.PASSAGES, base.OFFSET_BEPS}), writing.XML_PATHS_ONLY),
        Limit(frozenset({base.GRADES, base.LENGTHS}), writing.XML_DOCUMENTS),
        Limit(frozenset({base.JUDGED_TREES}), writing.XML_TREES),
    )

    def sniff(self, data: bytes, name: str) -> bool:
        return first_line(data)[1].startswith(b"<")

    def takes(self, data: bytes, name: str) -> bool:
        return False

    def what_is(self, data: bytes, reader: Reader) -> Kind | None:
        kinds: dict[str, Kind] = {submissions.SUBMISSION: "run", pools.ASSESSMENTS: "assessments"}
        return kinds.get(xml_events.root_of(data, reader))

    def read_runs(self, data: bytes, reader: Reader, name: str, by_tag: bool) -> list[Run]:
        run, tags = submissions.read_run(data, reader)
        return [replace(run, run_id=(by_tag and tags.names[0]) or name)]

    def read_assessments(self, data: bytes, reader: Reader, unit: str) -> Assessments:
        return pools.assessments_of([pools.read_pool(data, reader, 0)], [""], reader, unit)

    def lengths_table(self, data: bytes, reader: Reader) -> Table:
        raise reader.source.error(writing.HOLDS_NO_LENGTHS(format="XML"))

    def write_runs(self, runs: Sequence[Run], path: str) -> bytes:
        if _is_archive(path):
            raise PartwiseError(writing.XML_RUN_IN_ARCHIVE(), file=path)
        run = as_ranked(runs[0])
        ranks = [None] * len(run) if run.rank is None else [None if n == NONE else n for n in run.rank.tolist()]
        return submissions.submission(run, ranks).encode()

    def write_assessments(self, assessments: Assessments, path: str) -> bytes:
        problem = pools.scale_problem(assessments)
        if problem is not None:
            raise PartwiseError(problem, file=path)
        for query_id in assessments.queries:
            if not pools.is_one_id(query_id):
                raise PartwiseError(writing.XML_QUERY_ID(query_id=shown(query_id)), file=path)
        written = pools.pools_of(assessments)
        if _is_archive(path):
            return pools.zipped(written)
        if len(written) != 1:
            raise PartwiseError(writing.XML_ONE_POOL(count=len(written)), file=path)
        return written[0][2].encode()

    def name_problem(self, what: str, names: Sequence[str]) -> Text | None:
        if what == base.RUN_NAME:
            names = list(filter(None, names))
        name = xml_events.unwritable(names)
        return None if name is None else writing.CHANGED_NAME(name=shown(name), format="XML")


def _is_archive(path: str) -> bool:
    return split_suffixes(os.path.basename(path))[1] == _ARCHIVE


XML = InexXml()
