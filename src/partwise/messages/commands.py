"""How commands, options and functions are used."""

from __future__ import annotations

from partwise.messages import Counted, Message

# every command
USAGE = Message("C01", "{command}: {problem}", "see {command} --help")
CANNOT_WRITE = Message("C02", "standard output cannot be written ({reason})", "write to a file with -o FILE")
OUTPUT_CLOSED = Message("C03", "standard output is closed", "write to a file with -o FILE")
INTERRUPTED = Message("C04", "interrupted")
OVERWRITES_INPUT = Message("C76", "is read and would be overwritten", "write to another file")
WRITTEN_TWICE = Message("C77", "would be written twice", "write each output to a file of its own")
OUT_OF_MEMORY = Message("C62", "there is not enough memory", "give smaller files, or fewer at a time")
NO_PARQUET_ON_TERMINAL = Message("C05", "parquet cannot be shown on a terminal", "write to a file: -o scores.parquet")
UNKNOWN_SUFFIX = Message("C06", "unknown suffix {suffix}", "use one of {suffixes}, or choose a format with -f")
UNSUPPORTED_FORMAT = Message("C07", "these rows cannot be written as {format}", "use one of {formats}")

# values of options
NOT_ONE_OF = Message("C10", "{value} is not one of {choices}")
NOT_FROM = Message("C11", "{value} is not a whole number from {least}")
NOT_FROM_TO = Message("C12", "{value} is not a whole number from {least} to {most}")
NOT_BETWEEN = Message("C13", "{value} is not a number between 0 and 1")
NOT_A_SIZE = Message("C14", "{value} is not a number of megabytes above 0, up to {most}")
NOT_A_DIFFERENCE = Message("C15", "{value} is neither a number above 0 nor a percentage")
NOT_A_LEVEL = Message("C16", "{value} is not of the form NAME=TAG,TAG")
NOT_A_NAME = Message("C17", "{value} is not of the form NAME=FILE")
SAME_NAME = Message("C18", "--as names two files {name}", "give every file its own name")
NOT_BYTES = Message("C61", "{value} is not a size", "write a number of bytes with a unit, such as 8GiB")
NO_RUN_ARGUMENT = Message("C19", "the following arguments are required: RUN")

# arguments of functions
MUST_BE_WHOLE = Message("C20", "{name} is {value}", "it must be a whole number from {least}")
MUST_BE_WHOLE_TO = Message("C22", "{name} is {value}", "it must be a whole number from {least} to {most}")
MUST_BE_BETWEEN = Message("C21", "{name} is {value}", "it must be a number between 0 and 1")
MUST_BE_PLACES = Message("C72", "places is {value}", "it must be a whole number from 0 to {most}")

# single commands
NO_ASSESSMENTS = Message("C30", "partwise check: no assessments are given", "see partwise check --help")
NO_RUN_FILE = Message("C31", "no run is given", "give assessments and runs, or scores saved per query")
NO_FILE = Message("C48", "no file is given", "give assessments and runs, or scores saved per query")
MIX_WITHOUT_SCORES = Message("C49", "--mix is for saved scores", "leave it out")
TASK_WITH_SCORES = Message("C32", "--task cannot be used with saved scores", "choose among their measures with -m")
PLACES_WITH_PARQUET = Message("C33", "--places cannot be used with parquet", "leave it out to keep full precision")
BY_WITH_SPARK = Message("C34", "--by cannot be used with --engine spark", "leave out one of them")
MASTER_WITHOUT_SPARK = Message("C35", "--master needs --engine spark", "add --engine spark, or leave out --master")
PROVENANCE_WITHOUT_FILE = Message("C45", "--provenance file needs a file", "write to a file with -o FILE")
PROVENANCE_WITH_BY = Message("C46", "--provenance cannot be used with --by", "leave out one of them")
NAMES_WITH_SPARK = Message("C44", "--as cannot be used with --engine spark", "name the runs in their column run_id")
INDEX_SUFFIX = Message("C36", "an index is a Parquet file", "use a name that ends in {suffix}")
NAVIGATION_SUFFIX = Message("C37", "a navigation model is a JSON file", "use a name that ends in {suffix}")
MEASURES_OF_CURVES = Message("C38", "-m and --task cannot be used with curves", "choose a curve with --kind")
INDEXED = Counted("C39", "{count} document indexed", "{count} documents indexed")
LEARNED = Counted("C40", "{count} step learned", "{count} different steps learned")
REPORT_WRITTEN = Message("C41", "{file}: {size:.1f} MB, open it in a browser")
MORE_PROBLEMS = Message("C42", "... and {count} more")
NO_REPORT = Message("C43", "There is no report: {problem}.")

# functions
TRANSPOSED_ROWS = Message(
    "C73", "--transpose is for tables (table, latex, markdown, html), not for {format}", "leave it out, or choose one"
)
TRANSPOSED_QUERIES = Message("C74", "--transpose cannot be used with -q", "leave out one of them")
SORTED_TAGS = Message("C75", "--{name} cannot be used with --by tag", "leave out one of them")
HEAD_WITHOUT_TSV = Message(
    "C47", "provenance at the head of {format} cannot be written", "write .tsv, or leave out provenance"
)
COLLECTION_FOR_TAGS = Message("C50", "scores by tag need the documents", "give the collection (--collection)")
NO_SCORES_OF_MEASURE = Message("C51", "there are no scores for {name}", "there are scores for {measures}")
RUNS_WITHOUT_MEASURES = Counted(
    "C63",
    "1 run has no scores for {measures} and is left out: {names}",
    "{count} runs have no scores for {measures} and are left out: {names}",
)
NO_COLLECTION = Message("C52", "no collection is given", "give the documents")
NO_QUERY_ID = Message("C53", "no query is given", "choose one with query_id (--query-id)")
NOT_ONE_RUN = Message("C54", "{count} runs are given", "give exactly one run to explain")
NOT_ONE_MEASURE = Message("C66", "{count} measures are given", "give exactly one measure to explain")
NOT_EXPLAINED = Message(
    "C64", "{name} does not count passages or nuggets that are found", "explain a measure such as NuggetR or PartR@10"
)
WITH_EXPLAINED = Message(
    "C65",
    "{name} cannot be used with a measure",
    "use the parameters of the measure, such as NuggetR(match=cover(0.5))@10",
)
PATH_OF_REPORT = Message("C55", "path is of type {type}", "give qrels, runs and the path of the report")
NOT_SCORES = Message("C56", "scores is of type {type}", "give scores and the path of the report")
NOT_SCORES_TO_WRITE = Message("C60", "scores is of type {type}", "give scores and the path of the file")
RUNS_WITH_SCORES = Message("C57", "runs cannot be used with scores", "name a run to compare with: baseline=...")
OPTION_WITH_SCORES = Message("C58", "{name} cannot be used with scores", "leave it out, or give assessments and runs")
RUNS_AND_SCORES = Message("C71", "runs cannot be used with scores", "leave them out, or give assessments")
OPTION_WITH_EVALUATOR = Message(
    "C70", "{name} cannot be used with an evaluator", "leave it out, or give assessments instead of the evaluator"
)
NO_RUN = Message("C59", "no run is given", "give scores, or assessments and runs")
TOKENIZER_WITHOUT_TOKENS = Message("C91", "a tokenizer is given, but nothing is counted in tokens", "add --unit tokens")
