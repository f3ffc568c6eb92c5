"""What results and inputs offer in notebooks and papers; the code that does it is loaded when it is used."""

from __future__ import annotations

from partwise.later import display, markdown, plots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def counted(count: int, name: str) -> str:
    """A number of things with their name: ``1 run``, ``2 queries``."""
    plural = f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    return f"{count:,} {name if count == 1 else plural}"


def markdown_text(text: str) -> str:
    """A text that Markdown shows as it is, on one line."""
    return markdown.escaped(text)


class Displayed:
    """Something that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        return display.notebook(self)


class Shown(Displayed):
    """A result that a notebook shows, and that is written as a table for papers or drawn as a chart."""

    def to_latex(
        self, *, places: int = 4, transpose: bool | None = None, caption: str | None = None, label: str | None = None
    ) -> str:
        """A table for LaTeX with the package booktabs: the best in bold, significant differences marked.

        - `places`: the number of decimal places.
        - `transpose`: True swaps rows and columns, so that measures are rows (default: as in the terminal).
        - `caption`: the caption, as LaTeX; without one it states queries, test and correction, and with an empty one
          there is a ``tabular`` alone.
        - `label`: the name for ``\\ref``.
        """
        return display.paper(self, "latex", places=places, transpose=transpose, caption=caption, label=label)

    def to_markdown(self, *, places: int = 4, transpose: bool | None = None) -> str:
        """A table in Markdown, as GitHub shows it.

        - `places`: the number of decimal places.
        - `transpose`: True swaps rows and columns, so that measures are rows (default: as in the terminal).
        """
        return display.paper(self, "markdown", places=places, transpose=transpose)

    def to_html(self, *, places: int = 4, transpose: bool | None = None) -> str:
        """A table in HTML, without a style of its own.

        - `places`: the number of decimal places.
        - `transpose`: True swaps rows and columns, so that measures are rows (default: as in the terminal).
        """
        return display.paper(self, "html", places=places, transpose=transpose)

    def plot(self) -> Any:
        """A chart of Altair, which a notebook draws; ``partwise compare --plot`` and ``study --plot`` draw the same."""
        return plots.chart_of(self)
