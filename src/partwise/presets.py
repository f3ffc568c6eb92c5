"""Sets of measures: one for each task, and those that are reported by default."""

from __future__ import annotations


def _in_context(score: str) -> str:
    """The measures of a task that ranks documents, each scored by `score`."""
    inside = f"({score})" if score else ""
    early = [f"gP{inside}@{k}" for k in (5, 10, 25, 50)] + [f"gR@{k}" for k in (5, 10, 25, 50)]
    return " ".join([*early, f"AgP{inside}"])


RAG = ("PartHit", "PartR", "PartnDCG", "AllFound", "TextP", "TextR", "TextIoU", "Redundancy")
MOMENTS = {
    **{f"PartHit(match=iou({share}))@1": f"R1@{share}" for share in (0.5, 0.7)},
    **{f"PartAP(interpolated=True,match=iou({share}))@10": f"mAP@{share}" for share in (0.5, 0.75)},
    "PartAP(interpolated=True,match=iou(0.5,0.95))@10": "mAP",
}
GENOMICS = {"AP": "DOCUMENT", "AspectAP": "ASPECT", "CharAP": "PASSAGE2"}

TASKS: dict[str, str] = {
    "focused": "iP@0 iP@0.01 iP@0.05 iP@0.1 iAP",
    "thorough": " ".join(
        [f"iP(alpha=0,trel=elements)@{level}" for level in (0, 0.01, 0.05, 0.1)] + ["iAP(alpha=0,trel=elements)"]
    ),
    "relevant-in-context": _in_context(""),
    "best-in-context": _in_context("score=BEP"),
    "relevant-in-context-2009": _in_context("score=F(beta=0.25)"),
    "best-in-context-2009": _in_context("score=BEPn(n=500)"),
    "rag": " ".join([f"{name}@{k}" for name in RAG for k in (1, 5, 10)] + ["TextR(budget=4000)"]),
    "moments": " ".join(MOMENTS),
    "genomics-2007": " ".join(GENOMICS),
}
"""The measures that INEX and others reported for each task, and those for tuning a RAG pipeline."""

OFFICIAL: dict[str, dict[str, str]] = {"moments": MOMENTS, "genomics-2007": GENOMICS}
"""What the measures of a task are called where they come from, by our names."""

FOR_HIGHLIGHTS = "iAP iP@0.01 TextP@10 TextR@10 Redundancy@10 AgP"
FOR_GRADES = "AP nDCG@10 P@10 R@100"
"""The measures that are reported by default."""
