"""Writing blank-separated columns, for TREC and INEX files."""

from __future__ import annotations

from collections.abc import Sequence

from partwise.errors import shown
from partwise.files import encoded
from partwise.formats import base
from partwise.formats.base import Format, Limit
from partwise.messages import Text, writing
from partwise.model import Assessments, Run

_CONTROL = frozenset(map(chr, range(33)))
"""The characters that separate columns."""


class Columns(Format):
    """Lines of columns separated by blanks, read by `trec_or_inex`, which detects the format."""

    is_blank_separated = True
    assessment_limits: tuple[Limit, ...] = (
        *base.ONLY_IN_TABLES,
        Limit(frozenset({base.ASSESSORS}), writing.ONE_ASSESSOR, unless=frozenset({base.ELEMENTS, base.JUDGED_TREES})),
        Limit(frozenset({base.PATH_PASSAGES, base.PATH_BEPS}), writing.OFFSETS_ONLY),
    )

    def run_lines(self, run: Run) -> list[str]:
        raise NotImplementedError

    def assessment_lines(self, assessments: Assessments) -> list[str]:
        raise NotImplementedError

    def write_runs(self, runs: Sequence[Run], path: str) -> bytes:
        [run] = runs
        return _joined(self.run_lines(run))

    def write_assessments(self, assessments: Assessments, path: str) -> bytes:
        return _joined(self.assessment_lines(assessments))

    def name_problem(self, what: str, names: Sequence[str]) -> Text | None:
        if what == base.ASSESSOR_NAME:
            return None  # is not written
        for name in names:
            if name.split() != [name] or not _CONTROL.isdisjoint(name):
                return writing.NAME_WITH_BLANKS(what=what, name=shown(name))
            if what == base.QUERY_NAME and name.startswith("#"):
                return writing.NAME_OF_COMMENT(what=what, name=shown(name))
        return None


def _joined(lines: list[str]) -> bytes:
    return encoded("".join(line + "\n" for line in lines))
