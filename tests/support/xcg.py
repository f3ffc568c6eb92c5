"""The worked example of Kazai and Lalmas on XCG: Figure 3 and Table I."""

from __future__ import annotations

from typing import Any

QUERY = "163"


DOC = "co/2001/r7022"


OTHER = "co/2001/r9999"


BDY = "/article[1]/bdy[1]"


# The ten relevant nodes of Figure 3.
GRADES = {
    "/article[1]": (3, 1),
    BDY: (3, 1),
    f"{BDY}/sec[4]": (2, 2),
    f"{BDY}/sec[4]/ip1[2]": (2, 3),
    f"{BDY}/sec[4]/p[1]": (2, 3),
    f"{BDY}/sec[4]/p[2]": (1, 2),
    f"{BDY}/sec[6]": (3, 3),
    f"{BDY}/sec[6]/ip1[2]": (2, 3),
    f"{BDY}/sec[6]/p[1]": (2, 3),
    f"{BDY}/sec[6]/p[2]": (2, 3),
}


LEAVES = [
    f"{BDY}/sec[6]/ip1[2]",
    f"{BDY}/sec[6]/p[1]",
    f"{BDY}/sec[6]/p[2]",
    f"{BDY}/sec[4]/ip1[2]",
    f"{BDY}/sec[4]/p[1]",
    f"{BDY}/sec[4]/p[2]",
]


# Table I.
RUNS = {
    "ideal": [f"{BDY}/sec[6]", f"{BDY}/sec[4]"],
    "frb": [
        f"{BDY}/sec[6]",
        f"{BDY}/sec[4]/ip1[2]",
        f"{BDY}/sec[4]/p[1]",
        f"{BDY}/sec[6]/ip1[2]",
        f"{BDY}/sec[6]/p[1]",
        f"{BDY}/sec[6]/p[2]",
        f"{BDY}/sec[4]",
        "/article[1]",
        BDY,
        f"{BDY}/sec[4]/p[2]",
    ],
    "reverse_ideal": [f"{BDY}/sec[4]", f"{BDY}/sec[6]"],
    "rel_leaves": LEAVES,
}


def section(title: str, *paragraphs: tuple[str, int]) -> str:
    """A section with a title and paragraphs of these numbers of words."""
    inside = "".join(f"<{tag}>{' '.join(['words'] * count)}.</{tag}>\n" for tag, count in paragraphs)
    return f"<sec><st>{title}</st>\n{inside}</sec>\n"


def article() -> str:
    """The tree of Figure 3 with irrelevant siblings; the texts are invented."""
    relevant_4 = [("ip1", 5), ("p", 40), ("p", 35), ("ip1", 30), ("p", 20)]
    relevant_6 = [("ip1", 4), ("ip1", 25), ("p", 45), ("p", 30)]
    body = "".join(
        [
            section("Introduction", ("ip1", 30), ("p", 20)),
            section("Related work", ("ip1", 10), ("p", 60), ("p", 10)),
            section("Definitions", ("p", 25)),
            section("Overlap", *relevant_4),
            section("Experiments", ("ip1", 12), ("p", 33)),
            section("Gain", *relevant_6),
            section("Conclusions", ("p", 15)),
        ]
    )
    front = "<fm><ti>Measures &amp; trees</ti><au>A. Nonymous</au></fm>"
    return f"<article>{front}<bdy>{body}</bdy><bm><bb>A reference.</bb></bm></article>"


def others() -> str:
    """An article without judgements."""
    return "<article><bdy>" + "".join(f"<p>nothing {i}</p>" for i in range(1, 1001)) + "</bdy></article>"


COLLECTION = {DOC: article(), OTHER: others()}


def grade_rows() -> list[dict[str, Any]]:
    return [
        {"query_id": QUERY, "doc_id": DOC, "path": path, "exhaustivity": e, "specificity": s, "scale": "four-point"}
        for path, (e, s) in GRADES.items()
    ]


def in_doc(paths: list[str], doc: str = DOC) -> list[dict[str, Any]]:
    return [{"doc_id": doc, "path": path} for path in paths]


def irrelevant(count: int) -> list[dict[str, Any]]:
    return in_doc([f"{BDY}/p[{i}]" for i in range(1, count + 1)], OTHER)


def inserted(count: int) -> list[dict[str, Any]]:
    first, second = in_doc(RUNS["ideal"])
    return [first, *irrelevant(count), second]


def preceded(count: int) -> list[dict[str, Any]]:
    return [*irrelevant(count), *in_doc(RUNS["ideal"])]


COUNTS = (1, 2, 3, 4, 5, 10, 50, 100, 500, 1000)
