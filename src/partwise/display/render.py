"""Results and inputs as tables in the formats of notebooks, papers and pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from partwise.display import html, latex, markdown
from partwise.display.sheets import Sheet
from partwise.errors import PartwiseError, shown
from partwise.later import sheets_of_findings, sheets_of_inputs, sheets_of_scores
from partwise.messages import commands
from partwise.model import Assessments, Run
from partwise.scores import Scores, Slices

PLACES = 4
MOST_PLACES = 17


def sheets(thing: Any, places: int = PLACES, transpose: bool | None = None, per_query: bool = False) -> list[Sheet]:
    """The tables of scores, slices or findings."""
    if isinstance(thing, (Scores, Slices)):
        return [sheets_of_scores.sheet(thing, places, transpose, per_query)]
    return sheets_of_findings.sheets(thing, places, transpose)


def paper(
    thing: Any,
    format: str,
    *,
    places: int = PLACES,
    transpose: bool | None = None,
    per_query: bool = False,
    caption: str | None = None,
    label: str | None = None,
) -> str:
    """Tables for a paper or a page, without a limit of rows: of a comparison the means only."""
    if isinstance(places, bool) or not isinstance(places, int) or not 0 <= places <= MOST_PLACES:
        raise PartwiseError(commands.MUST_BE_PLACES(value=shown(places), most=MOST_PLACES))
    if isinstance(thing, (Scores, Slices)):
        tables = sheets(thing, places, transpose, per_query)
    else:
        tables = sheets_of_findings.for_papers(thing, places, transpose)
    return drawn(tables, format, caption, label)


def drawn(tables: Sequence[Sheet], format: str, caption: str | None = None, label: str | None = None) -> str:
    """Tables in a format for papers; `caption` and `label` are those of LaTeX."""
    if format == "latex":
        return "\n".join(latex.table(one, caption, label) for one in tables)
    return "\n".join(map(markdown.table if format == "markdown" else html.table, tables))


def notebook(thing: Any) -> str:
    """What a notebook shows of an object."""
    if isinstance(thing, Run):
        tables: Sequence[Sheet] = [sheets_of_inputs.of_run(thing, html.MOST_ROWS)]
    elif isinstance(thing, Assessments):
        tables = [sheets_of_inputs.of_assessments(thing, html.MOST_ROWS)]
    elif isinstance(thing, (Scores, Slices)):
        tables = sheets(thing)
    else:
        tables = sheets_of_findings.for_notebooks(thing, PLACES)
    return html.notebook(repr(thing), tables, thing.notes)
