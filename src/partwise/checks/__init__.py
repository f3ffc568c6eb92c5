"""Errors and suspicious data in runs and assessments, by one table of rules."""

from partwise.checks.assessments import check_assessments
from partwise.checks.documents import Documents
from partwise.checks.findings import COLUMNS, Finding, Findings
from partwise.checks.rules import RULES, Rule, errors_while_scoring, rule_rows
from partwise.checks.runs import check_run

__all__ = [
    "COLUMNS",
    "RULES",
    "Documents",
    "Finding",
    "Findings",
    "Rule",
    "check_assessments",
    "check_run",
    "errors_while_scoring",
    "rule_rows",
]
