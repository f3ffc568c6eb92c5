"""Gates: rules, their outcomes, and misuse."""

from __future__ import annotations

from partwise.messages import Counted, Message

# rules
NOT_A_RULE = Message("G01", "{rule} is not a rule", "write MEASURE=NUMBER or SLICE: MEASURE=NUMBER, such as {example}")
BAD_LIMIT = Message("G02", "the {kind} of {rule} is {value}", "it must be {expected}")
NO_RULES = Message(
    "G03", "there are no rules", "give --floor, --max-drop or --no-loss, or write them into partwise.toml"
)
SAME_RULE = Message("G04", "there are two rules for {kind} of {rule}", "keep one of them")
NOT_RULES = Message("G05", "{name} is of type {type}", "give a mapping of measures to limits")

# files of rules
NOT_TOML = Message("G11", "is not TOML ({reason})", "see docs/gate.md")
UNKNOWN_KEY = Message("G12", "unknown key {key} in [{table}]", "did you mean {nearest}?")
KNOWN_KEYS = Message("G13", "unknown key {key} in [{table}]", "it may have {known}")
NOT_A_TABLE = Message("G14", "{key} is not a table", "write [{key}] and a line for each rule")
NO_TABLE = Message("G15", "has no rules", "write them into the table [{table}]")
TWO_FILES = Message("G16", "{first} and {second} have rules", "keep one of them, or choose with --rules FILE")

# misuse
NO_BASELINE = Message("G21", "{rule} needs scores to compare with", "give the scores of the baseline first")
NO_MEASURE = Message("G22", "{rule} matches nothing: there are no scores for it", "there are scores for {measures}")
NO_SLICES = Message("G23", "{rule} is about a slice, but there are none", "choose slices with by (--by COLUMN)")
NO_SLICE = Message("G24", "{rule} matches nothing: there is no slice {name}", "there are {names}")
UNUSED_SLICES = Message(
    "G31", "there are slices, but no rule is about one", "write *: MEASURE=NUMBER for every slice, or leave out by"
)
OTHER_QUERIES = Message(
    "G25",
    "{rule}: the baseline has {before} queries and the change {after}, and only one of them has {query}",
    "score both with the same assessments, over all judged queries",
)
NO_VALUE = Message("G26", "{rule}: query {query} has no value (NaN)", "remove it from both files")
NOTHING_SCORED = Message("G27", "{rule}: no query is scored", "choose another measure")
OTHER_RUNS = Message("G28", "the run {run} is in one of the two files only", "give files with the same runs")
NOT_SCORES = Message("G29", "{name} is of type {type}", "give scores, or the path of saved scores")
FILES = Message("G30", "{count} files are given", "give BASELINE CHANGE (scores), or QRELS BASELINE CHANGE (runs)")
NEVER_FAILS = Message(
    "G32", "{rule} can never fail: no score of {measure} is outside 0 to 1", "give a smaller number, or {percent:g}%"
)
OUTSIDE = Message(
    "G33", "the limit of {rule} is outside 0 to 1, but no score of {measure} is", "give a number from 0 to 1"
)

# outcomes
HIGH_ENOUGH = Message("G41", "{after:.4f} is at least {limit:g}")
TOO_LOW = Message("G42", "{after:.4f} is below {limit:g}")
LOW_ENOUGH = Message("G43", "{after:.4f} is at most {limit:g}")
TOO_HIGH = Message("G44", "{after:.4f} is above {limit:g}")
BETTER = Message("G45", "better by {change:.4f} ({before:.4f} to {after:.4f})")
SAME = Message("G46", "unchanged ({after:.4f})")
WORSE = Message("G47", "worse by {change:.4f} ({before:.4f} to {after:.4f}), of {limit:.4f} allowed")
TOO_MUCH_WORSE = Message("G48", "worse by {change:.4f} ({before:.4f} to {after:.4f}), more than {limit:.4f}")
SIGNIFICANT = Message("G49", "{change}: a significant loss (p = {p:.4f}, level {level:g})")
NOT_SIGNIFICANT = Message("G50", "{change}: no significant loss (p = {p:.4f}, level {level:g}); {detectable}")
DETECTABLE = Message("G51", "{queries} queries show a loss of {size:.4f} in {power:.0%} of cases")
NO_SPREAD = Message("G52", "all queries change equally, so it is not known how large a loss would be found")
TOO_FEW = Counted(
    "G53",
    "{count} query cannot show a loss at level {level:g}; it needs {needed}",
    "{count} queries cannot show a loss at level {level:g}; it needs {needed}",
)
LOSS = Message("G54", "worse by {change:.4f} ({before:.4f} to {after:.4f})")

# summary
MERGE = Message("G61", "may be merged: {passed} of {total} rules passed")
MERGE_UNDECIDED = Message("G62", "may be merged: {passed} of {total} rules passed, {undecided} could not be decided")
DO_NOT_MERGE = Message("G63", "must not be merged: {failed} of {total} rules failed")
