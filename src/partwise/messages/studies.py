"""Comparisons and studies: their errors, notes and headings."""

from __future__ import annotations

from partwise.messages import Counted, Message

# scores
NO_SCORES = Message("T01", "there are no scores", "give runs and measures")
NO_QUERY_WITH_ALL = Message(
    "T02", "no query has a score of every measure for every run", "give measures that share queries"
)
NO_COMMON_QUERY = Message(
    "T03", "the runs have no query in common that {measure} scores", "give runs for the same queries"
)
INFINITE = Message(
    "T04", "{measure} of run {run} is infinite for query {query}", "leave out that query or that measure"
)
TOO_LARGE = Message(
    "T09",
    "{measure} of run {run} is {value:g} for query {query}, too large to be compared",
    "leave out that query or that measure, or scale it to at most {limit:g}",
)
ONE_RUN = Message("T05", "there is only one run", "give at least two, to compare them with each other")
ONE_MEASURE = Message("T06", "there is only one measure", "give at least two, to compare them with each other")
ONE_QUERY = Message("T07", "{measure} has only one query", "give scores of at least two queries")
UNKNOWN_RUN = Message("T08", "there is no run {run}", "the runs are {runs}")

# parameters
CORRECTED_TUKEY = Message(
    "T10", "correct is {correct} with Tukey's test", "leave it out, this test needs no correction"
)
SETS_TOO_LARGE = Message("T11", "size is {size}, but {measure} has {queries} queries", "it must be at most {queries}")
BAD_BEST = Message("T12", "best is {value}", "it must be a share of the runs, above 0 and up to 1")
BAD_DIFFERENCE = Message("T13", "difference is {value}", "it must be a number above 0, or a percentage such as '10%'")
LARGE_DIFFERENCE = Message(
    "T17", "no two means can differ by {value}: none is above 1", "give a smaller number, or a percentage such as '5%'"
)
POINTS_OF_CURVE = Message(
    "T14", "a {kind} curve has {points} points, but run {run} has {count} measures", "evaluate {first} to {last}"
)
BAD_FUZZ = Message("T16", "fuzz is {value}", "it must be a number from 0, and below 1")
ONE_ASSESSOR = Message("T15", "has one assessor per query", "give judgements of several assessors (column assessor)")

# notes
RUNS_WITHOUT_A_MEASURE = Message("T20", "runs that are not scored by every measure are left out: {runs}")
RUNS_WITHOUT_MEASURE = Message("T21", "{measure}: runs that are not scored by it are left out: {runs}")
SHARED_QUERIES = Counted(
    "T22",
    "all measures are computed on the {count} query that they share, of up to {most}",
    "all measures are computed on the {count} queries that they share, of up to {most}",
)
COMMON_QUERIES = Counted(
    "T23",
    "{measure}: compared on the {count} query that all runs share, of up to {most}",
    "{measure}: compared on the {count} queries that all runs share, of up to {most}",
)
NO_VALUES = Counted(
    "T24",
    "{run}: {measure} has no value for {count} query, which is left out",
    "{run}: {measure} has no value for {count} queries, which are left out",
)
NOTHING_FROM_ONE_QUERY = Message("T25", "one query is not enough for intervals and the t-test")
SOME_COMBINATIONS = Message("T26", "{possible} combinations: the official one and {count} random others are used")
LOWER_IS_BETTER = Message("T27", "lower is better for {measures}")
MORE_TRIALS = Message(
    "T28",
    "used up to {trials:,} trials for {count:,} of {pairs:,} pairs; {usual:,} are too few for significance at "
    "{alpha:g}",
)
TOO_FEW_TRIALS = Message(
    "T29",
    "no p-value can be small enough: with {trials:,} trials it is at least {least:.2g}, but significance needs "
    "{needed:.2g}",
    "leave out trials, or give at least {enough:,}",
)
TOO_FEW_QUERIES = Counted(
    "T41",
    "no p-value can be small enough: with {count} query it is at least {least:.2g}, but significance needs "
    "{needed:.2g}",
    "no p-value can be small enough: with {count} queries it is at least {least:.2g}, but significance needs "
    "{needed:.2g}",
)

# headings
COMPARISON = Counted(
    "T30",
    "{queries} query; beats: by the {test} at {alpha:g}{correction}",
    "{queries} queries, {confidence:.0%} intervals by {method}, of differences by Student's t; beats: by the "
    "{test} at {alpha:g}{correction}",
)
OF_DOCUMENTS = Message("T42", "scored by documents: {measures}")
MANY_PAIRS = Message("T31", "{count} pairs, listed with -f tsv")
AGREEMENT = Message(
    "T32",
    "{runs} runs, {queries} queries. tau-b with its two-sided p-value; tau_AP of the second ranking against the first, "
    "and vice versa (tau_ap_back).\nBy convention above .9 is equivalent, below .8 different (Voorhees 2001); above "
    ".25 appropriate (Ali, Consens and Lalmas).\ntopics_alike: the share of queries for "
    "which both rank all runs in the same order; topic_tau: the mean of tau over queries.",
)
POWER = Message(
    "T33",
    "Pairs of runs that differ significantly at {alpha:g} by the {test} test, correction {correction}.\n"
    "least_significant: the smallest difference that is significant; largest_not: the largest that is not.",
)
ERROR_RATE = Message(
    "T34",
    "Random sets of queries. Two runs tie if they differ by less than {fuzz:.0%} of the larger score; of the other "
    "verdicts on a pair of runs, the rarer one is an error.",
)
QUERY_SETS = Message(
    "T35",
    "How often do two runs swap their order between two disjoint sets of queries?\n"
    "queries needed: to trust such a difference with at most {error:.0%} error.\n"
    "of the best: the smallest such difference as a share of the best run's mean.",
)
NO_SUCH_DIFFERENCE = Message("T36", "no pair of runs differs by {difference} on any set of queries")
PERTURBATION = Message("T37", "Means after this number of results of an unjudged document are inserted")
RANKING_STABILITY = Message("T38", "tau of the ranking under other assessors against the official one")
SPREAD = Message("T39", "Scores over all combinations of assessors")
ASSESSOR_AGREEMENT = Message("T40", "Agreement of two assessors: what both marked, as a share of what either marked")

# captions of tables in papers
MEANS_CAPTION = Counted("T43", "Means over {queries} query.", "Means over {queries} queries.")
BEST_CAPTION = Message("T44", "The best of each measure is in bold.")
DAGGERS_CAPTION = Message(
    "T45",
    "† is significantly better than {baseline} and ‡ significantly worse, by the {test} at {alpha:g}{correction}.",
)
BASELINES_CAPTION = Message(
    "T46",
    "Letters above the line are the baselines ({baselines}) that a run is significantly better than, those below the "
    "line the baselines that it is worse than, by the {test} at {alpha:g}{correction}.",
)
PAIRS_IN_ROWS = Message("T49", "{count} pairs, in rows() and to_pandas().")
INTERVALS_CAPTION = Message("T48", "Below each mean is its {confidence:.0%} interval by {method}.")
LETTERS_CAPTION = Message(
    "T47",
    "Letters are the runs that a run is significantly better than, by the {test} at {alpha:g}{correction}.",
)
