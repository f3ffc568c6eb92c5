"""Ready sets of measures, by name: those of tasks, and what is reported when nothing is asked for."""

from __future__ import annotations


def _in_context(score: str) -> str:
    """What a task is judged by that ranks documents, each of them scored."""
    inside = f"({score})" if score else ""
    early = [f"gP{inside}@{k}" for k in (5, 10, 25, 50)] + [f"gR@{k}" for k in (5, 10, 25, 50)]
    return " ".join([*early, f"AgP{inside}"])


TASKS: dict[str, str] = {
    "focused": "iP@0 iP@0.01 iP@0.05 iP@0.1 iAP",
    "thorough": " ".join(
        [f"iP(alpha=0,trel=elements)@{level}" for level in (0, 0.01, 0.05, 0.1)] + ["iAP(alpha=0,trel=elements)"]
    ),
    "relevant-in-context": _in_context(""),
    "best-in-context": _in_context("score=BEP"),
    "relevant-in-context-2009": _in_context("score=F(beta=0.25)"),
    "best-in-context-2009": _in_context("score=BEPn(n=500)"),
    "rag": " ".join(
        [f"{name}@{k}" for name in ("TextP", "TextR", "TextIoU", "Redundancy") for k in (1, 5, 10)]
        + ["TextR(budget=4000)"]
    ),
}
"""The measures INEX reported for each task, and those a RAG pipeline is tuned by."""

FOR_HIGHLIGHTS = "iAP iP@0.01 TextP@10 TextR@10 Redundancy@10 AgP"
FOR_GRADES = "AP nDCG@10 P@10 R@100"
"""What is reported when nothing is asked for."""

CHECKED = ("focused", "thorough", "relevant-in-context", "best-in-context", "rag")
"""The tasks that have rules of their own for what is odd about runs."""
