"""The rules of a gate: as texts, as mappings, and in files of settings."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

from partwise.errors import PartwiseError, shown
from partwise.files import read_bytes
from partwise.measures import parse
from partwise.messages import gate as messages
from partwise.records import record

RuleKind = Literal["floor", "max-drop", "no-loss"]
KINDS: tuple[RuleKind, ...] = get_args(RuleKind)
EVERY = "*"
"""Stands for every slice."""
EXAMPLES = {"floor": "PartHit@5=0.8", "max-drop": "TextR@5=0.01", "no-loss": "TextR@5=0.05"}
EXPECTED = {
    "floor": "a number",
    "max-drop": "a number from 0, or a percentage such as 2%",
    "no-loss": "a level between 0 and 1, such as 0.05",
}
OWN_FILE, PROJECT_FILE = "partwise.toml", "pyproject.toml"


@record()
class Rule:
    """One rule: what must not happen to a measure, over all queries or in slices.

    `limit` is the lowest mean of a floor, the largest drop, or the level of the test of a loss; with `is_relative` a
    share of the mean of the baseline. `of_slice` is a slice, ``*`` for every slice, or None for all queries.
    """

    kind: RuleKind
    measure: str
    limit: float
    is_relative: bool = False
    of_slice: str | None = None

    @property
    def subject(self) -> str:
        return self.measure if self.of_slice is None else f"{self.of_slice}: {self.measure}"

    @property
    def name(self) -> str:
        limit = f"{100 * self.limit:g}%" if self.is_relative else f"{self.limit:g}"
        return f"{self.kind} {self.subject}={limit}"

    @property
    def compares(self) -> bool:
        """Whether it needs a baseline."""
        return self.kind != "floor"


def rule_from(kind: RuleKind, subject: str, limit: Any) -> Rule:
    """A rule from ``MEASURE`` or ``SLICE: MEASURE`` and its limit, a number or a text."""
    of_slice, separator, measure = subject.rpartition(": ")
    if not measure.strip() or (separator and not of_slice.strip()):
        raise PartwiseError(messages.NOT_A_RULE(rule=shown(subject), example=EXAMPLES[kind]))
    value, is_relative = _limit(kind, limit)
    is_good = math.isfinite(value) and (kind == "floor" or value >= 0) and (kind != "no-loss" or 0 < value < 1)
    if not is_good or (is_relative and kind != "max-drop"):
        raise PartwiseError(
            messages.BAD_LIMIT(kind=kind, rule=shown(subject), value=shown(limit), expected=EXPECTED[kind])
        )
    return Rule(kind, measure.strip(), value, is_relative, of_slice.strip() or None)


def _limit(kind: RuleKind, limit: Any) -> tuple[float, bool]:
    """The number in a limit, NaN if it is none, and whether it is a percentage."""
    text = limit.strip() if isinstance(limit, str) else None
    is_relative = text is not None and text.endswith("%")
    if isinstance(limit, bool) or (text is not None and ("_" in text or not text.isascii())):
        return math.nan, is_relative
    try:
        value = float(limit if text is None else text.removesuffix("%"))
    except (TypeError, ValueError, OverflowError):
        return math.nan, is_relative
    return (value / 100, True) if is_relative else (value, False)


def rule_of_text(kind: RuleKind, text: str) -> Rule:
    """A rule such as ``TextR@5=0.01``, ``TextR@5=2%`` or ``wiki: TextR@5=0.01``."""
    subject, separator, limit = text.rpartition("=")
    if not separator or not subject.strip():
        raise PartwiseError(messages.NOT_A_RULE(rule=shown(text), example=EXAMPLES[kind]))
    return rule_from(kind, subject.strip(), limit)


def rules_of(kind: RuleKind, limits: Any) -> list[Rule]:
    """The rules in a mapping of subjects to limits."""
    if limits is None:
        return []
    if not isinstance(limits, Mapping):
        name = kind.replace("-", "_")
        raise PartwiseError(messages.NOT_RULES(name=name, type=type(limits).__name__))
    return [rule_from(kind, str(subject), limit) for subject, limit in limits.items()]


def _key(rule: Rule) -> tuple[str, str | None, str]:
    """What distinguishes rules; parameters of a measure may be in any order, or be spelled out."""
    try:
        name = parse(rule.measure).name
    except PartwiseError:  # an error later, if there are no such scores
        name = rule.measure
    return rule.kind, rule.of_slice, name


def combined(given: Iterable[Rule], saved: Iterable[Rule] = ()) -> list[Rule]:
    """The rules that are given, and those of a file for other measures, slices or kinds; none twice."""
    rules: dict[tuple[str, str | None, str], Rule] = {}
    for rule in given:
        if _key(rule) in rules:
            raise PartwiseError(messages.SAME_RULE(kind=rule.kind, rule=rule.subject))
        rules[_key(rule)] = rule
    for rule in saved:
        rules.setdefault(_key(rule), rule)
    if not rules:
        raise PartwiseError(messages.NO_RULES())
    return sorted(rules.values(), key=lambda rule: KINDS.index(rule.kind))


# ---- files --------------------------------------------------------------------------------------------------------


def file_in_folder(folder: str | os.PathLike[str]) -> str | None:
    """The file with rules in a folder, ``partwise.toml`` or ``pyproject.toml``; None if neither has any."""
    paths = [os.path.join(folder, name) for name in (OWN_FILE, PROJECT_FILE)]
    with_rules = [path for path in paths if os.path.isfile(path) and _rules_in(path) is not None]
    if len(with_rules) > 1:
        raise PartwiseError(messages.TWO_FILES(first=with_rules[0], second=with_rules[1]))
    return with_rules[0] if with_rules else None


def rules_in_file(path: str | os.PathLike[str]) -> list[Rule]:
    """The rules of a TOML file: in the table ``gate``, or ``tool.partwise.gate`` of ``pyproject.toml``."""
    rules = _rules_in(os.fspath(path))
    if rules is None:
        raise PartwiseError(messages.NO_TABLE(table=_table_name(os.fspath(path))), file=os.fspath(path))
    return rules


def _is_project(path: str) -> bool:
    return os.path.basename(path) == PROJECT_FILE


def _table_name(path: str) -> str:
    return "tool.partwise.gate" if _is_project(path) else "gate"


def _rules_in(path: str) -> list[Rule] | None:
    import tomllib

    data = read_bytes(path)
    try:
        content = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise PartwiseError(messages.NOT_TOML(reason=error), file=path) from None
    name = ""
    for key in ("tool", "partwise") if _is_project(path) else ():
        content = content.get(key, {})
        name = f"{name}.{key}".removeprefix(".")
        if not isinstance(content, dict):
            raise PartwiseError(messages.NOT_A_TABLE(key=name), file=path)
    _check_keys(content, ("gate",), name or OWN_FILE, path)
    if "gate" not in content:
        return None
    table = _table(content, "gate", _table_name(path), path)
    _check_keys(table, KINDS, _table_name(path), path)
    rules: list[Rule] = []
    for kind in KINDS:
        if kind in table:
            limits = _table(table, kind, f"{_table_name(path)}.{kind}", path)
            try:
                rules += rules_of(kind, limits)
            except PartwiseError as error:
                raise PartwiseError(error.text, file=path) from None
    return rules


def _table(content: Mapping[str, Any], key: str, name: str, path: str) -> dict[str, Any]:
    if not isinstance(content[key], dict):
        raise PartwiseError(messages.NOT_A_TABLE(key=name), file=path)
    return dict(content[key])


def _check_keys(content: Mapping[str, Any], known: Sequence[str], table: str, path: str) -> None:
    import difflib

    for key in content:
        if key not in known:
            nearest = difflib.get_close_matches(key, known, 1)
            message = messages.UNKNOWN_KEY if nearest else messages.KNOWN_KEYS
            values = {"key": shown(key), "table": table, "nearest": "".join(nearest), "known": ", ".join(known)}
            raise PartwiseError(message(**values), file=path)
