"""Blank-separated columns of TREC or INEX; which of the two is detected from the lines of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from partwise import kernels
from partwise.formats import base, inex, trec
from partwise.formats.base import Format
from partwise.formats.problems import Reader
from partwise.formats.tables import Table
from partwise.formats.text import Layout, column_problems, decoded, first_lines, tags_note, usual_layout
from partwise.later import run_tables
from partwise.messages import reading
from partwise.model import Assessments, Run
from partwise.types import Kind

_LENGTHS = Layout("sn", ("document", "length"), "document length")


class TrecOrInex(Format):
    """TREC or INEX columns; TREC columns are written if they can hold everything."""

    name = "text"
    title = "TREC or INEX columns"
    suffixes = (".run", ".txt", ".trec", ".inex", ".qrels", ".res", ".fol", "")
    is_blank_separated = True
    forms = (trec.TREC, inex.INEX)

    def what_is(self, data: bytes, reader: Reader) -> Kind | None:
        return inex.what_is([tokens for _, tokens in first_lines(data)])

    def run_layout(self, data: bytes) -> Layout | None:
        return usual_layout(data, inex.layout_of)[0]

    def read_runs(self, data: bytes, reader: Reader, name: str, by_tag: bool) -> list[Run]:
        layout, line, count = usual_layout(data, inex.layout_of)
        if layout is None:
            raise reader.source.error(reading.RUN_COLUMN_COUNT(count=count, trec=trec.RUN.example), line=line)
        run, tags = inex.read_text_run(kernels.read_columns(data, layout.kinds), layout, reader)
        if not by_tag:
            reader.notes.extend(tags_note(reader.source.name, len(tags.names)))
        return run_tables.split_runs(run, tags) if by_tag and len(run) else [replace(run, run_id=name)]

    def read_assessments(self, data: bytes, reader: Reader, unit: str) -> Assessments:
        if inex.must_be_a_run([tokens for _, tokens in first_lines(data)]):
            raise reader.source.error(reading.IS_A_RUN(columns=trec.RUN.example))
        layout, line, count = usual_layout(data, inex.assessment_layout_of)
        if layout is trec.QRELS:
            return trec.read_qrels(data, reader, unit)
        if layout is inex.PASSAGES:
            return inex.read_assessments(data, reader, unit)
        examples = {"trec": trec.QRELS.example, "inex": inex.PASSAGES.example}
        raise reader.source.error(reading.ASSESSMENT_COLUMN_COUNT(count=count, **examples), line=line)

    def lengths_table(self, data: bytes, reader: Reader) -> Table:
        table = kernels.read_columns(data, _LENGTHS.kinds)
        column_problems(reader, table.problems, _LENGTHS)
        named = {"doc_id": decoded(table.columns[0]).values(), "length": table.columns[1]}
        return Table(named, table.lines.tolist(), reader)

    def write_runs(self, runs: Sequence[Run], path: str) -> bytes:
        form = trec.TREC if base.in_runs(runs) <= {base.DOCUMENTS} else inex.INEX
        return form.runs_written(runs, path)

    def write_assessments(self, assessments: Assessments, path: str) -> bytes:
        contents = base.in_assessments(assessments)
        form = trec.TREC if base.GRADES in contents and base.PASSAGES not in contents else inex.INEX
        return form.assessments_written(assessments, path)


TEXT = TrecOrInex()
