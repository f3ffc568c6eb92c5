"""Pictures of the worked examples: a strip per document with its passages, and a row per result with what counts."""

from __future__ import annotations

from html import escape

from worked import Example

WIDTH, LEFT, STRIP, ROW = 500, 34, 300, 24
GOLD, NEW, PLAIN, INK = "#f2b705", "#2b8a3e", "#ced4da", "#212529"
LETTERS = "ABCDEFGH"


class Picture:
    """Rows from the top to the bottom, as SVG."""

    def __init__(self) -> None:
        self.shapes: list[str] = []
        self.y = 8

    def text(self, x: float, text: str, size: int = 12, weight: str = "normal", anchor: str = "start") -> None:
        style = f'font-size="{size}" font-weight="{weight}" text-anchor="{anchor}"'
        self.shapes.append(f'<text x="{x:g}" y="{self.y + 14}" fill="{INK}" {style}>{escape(text)}</text>')

    def box(self, x: float, width: float, fill: str, stroke: str = "none") -> None:
        place = f'x="{x:g}" y="{self.y + 3}" width="{max(width, 1):g}" height="{ROW - 8}"'
        self.shapes.append(f'<rect {place} fill="{fill}" stroke="{stroke}"/>')

    def next(self, height: int = ROW) -> None:
        self.y += height

    def svg(self, title: str) -> str:
        stripes = (
            f'<pattern id="again" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
            f'<rect width="6" height="6" fill="white"/><rect width="3" height="6" fill="{NEW}"/></pattern>'
        )
        height = self.y + 8
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img" '
            f'font-family="system-ui, sans-serif"><title>{escape(title)}</title><defs>{stripes}</defs>'
            f'<rect width="{WIDTH}" height="{height}" rx="6" fill="white"/>{"".join(self.shapes)}</svg>\n'
        )


def picture(example: Example, passages: bool) -> str:
    """The example as SVG; rows are labelled with the passages that results find, or with their characters."""
    drawn = Picture()
    queries = list(dict.fromkeys([*(row["query_id"] for row in example.gold), *example.run]))
    for query in queries:
        if len(queries) > 1:
            drawn.text(8, query, weight="bold")
            drawn.next()
        _query(drawn, example, query, passages)
    _legend(drawn, any(row["doc_id"] for row in example.gold))
    return drawn.svg(example.title)


def _query(drawn: Picture, example: Example, query: str, passages: bool) -> None:
    results = [(rank, *example.span(result)) for rank, result in enumerate(example.run.get(query, []), 1)]
    gold = [row for row in example.gold if row["query_id"] == query and row["doc_id"]]
    documents = dict.fromkeys([*(row["doc_id"] for row in gold), *(doc for _, doc, _, _ in results)])
    if not results:
        drawn.text(LEFT, "no results")
        drawn.next()
    for doc in documents:
        _document(drawn, example, doc, [row for row in gold if row["doc_id"] == doc])
        seen: set[int] = set()
        found: set[int] = set()
        for rank, _, start, end in (result for result in results if result[1] == doc):
            spans = [(row["start"], row["end"]) for row in gold if row["doc_id"] == doc]
            relevant = {at for low, high in spans for at in range(max(low, start), min(high, end))}
            _result(drawn, example.length(doc), rank, (start, end), relevant, seen)
            new = {
                number
                for number, (low, high) in enumerate(spans)
                if 2 * len(relevant & set(range(low, high))) >= high - low and number not in found
            }
            drawn.text(LEFT + STRIP + 10, _finds(new) if passages else f"{len(relevant - seen)} of {end - start} count")
            drawn.next()
            found |= new
            seen |= set(range(start, end))
        drawn.next(6)


def _finds(new: set[int]) -> str:
    return "finds " + ", ".join(LETTERS[number] for number in sorted(new)) if new else "finds nothing new"


def _document(drawn: Picture, example: Example, doc: str, gold: list[dict[str, int]]) -> None:
    length = example.length(doc)
    drawn.text(8, f"{doc}, {length:,} characters", weight="bold")
    drawn.next()
    scale = STRIP / length
    depths = sorted({path.count("/") for path, _, _ in example.nodes})
    for depth in depths:
        for path, start, end in example.nodes:
            if path.count("/") == depth:
                drawn.box(LEFT + start * scale, (end - start) * scale, "white", "#868e96")
                drawn.text(LEFT + (start + end) / 2 * scale, path.rpartition("/")[2], size=11, anchor="middle")
        drawn.next(20)
    drawn.box(LEFT, STRIP, PLAIN if not gold else "#f1f3f5", "#adb5bd")
    for number, row in enumerate(gold):
        start, end = row["start"], row["end"]
        drawn.box(LEFT + start * scale, (end - start) * scale, GOLD, "#b08900")
        drawn.text(LEFT + (start + end) / 2 * scale, LETTERS[number], size=11, weight="bold", anchor="middle")
    about = _extra(gold) or ["judged passages" if gold else "nothing relevant"]
    for line in about:
        drawn.text(LEFT + STRIP + 10, line)
        drawn.next(ROW if line == about[-1] else 16)


def _extra(gold: list[dict[str, int]]) -> list[str]:
    """The nugget or the grade of each passage that has one."""
    return [
        f"{LETTERS[number]}: {'grade ' if name == 'grade' else ''}{row[name]}"
        for number, row in enumerate(gold)
        for name in ("nugget", "grade")
        if name in row
    ]


def _result(drawn: Picture, length: int, rank: int, span: tuple[int, int], relevant: set[int], seen: set[int]) -> None:
    drawn.text(LEFT - 10, str(rank), weight="bold", anchor="end")
    scale = STRIP / length
    drawn.shapes.append(
        f'<line x1="{LEFT}" x2="{LEFT + STRIP}" y1="{drawn.y + 11}" y2="{drawn.y + 11}" stroke="#e9ecef"/>'
    )
    start, end = span
    drawn.box(LEFT + start * scale, (end - start) * scale, PLAIN, "#495057")
    for fill, characters in ((NEW, relevant - seen), ("url(#again)", relevant & seen)):
        for low, high in _stretches(characters):
            drawn.box(LEFT + low * scale, (high - low) * scale, fill)


def _stretches(characters: set[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for at in sorted(characters):
        if found and found[-1][1] == at:
            found[-1] = found[-1][0], at + 1
        else:
            found.append((at, at + 1))
    return found


def _legend(drawn: Picture, relevance: bool) -> None:
    kinds = [(GOLD, "judged"), (NEW, "relevant, new"), ("url(#again)", "shown before"), (PLAIN, "irrelevant")]
    x = LEFT
    for fill, label in kinds if relevance else kinds[-1:]:
        drawn.box(x, 14, fill, "#868e96")
        drawn.text(x + 19, label, size=11)
        x += 30 + 6.4 * len(label)
    drawn.next(ROW - 4)
