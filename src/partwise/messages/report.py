"""Messages of the report, of pictures and of the demo."""

from partwise.messages import Counted, Message

# report/page.py, report/build.py
REPORT_PACKAGE_MISSING = Message(
    "P01", "the report needs {package}, which is not installed", "run pip install 'partwise[report]'"
)
REPORT_TOO_LARGE = Message(
    "P02",
    "the report takes {size:.2f} MB without any list or document, and {limit:g} MB are allowed",
    "raise max_mb (--max-mb)",
)
LISTS_LEFT_OUT = Message("P03", "The lists of {count} of {total} queries are left out of this page (--max-mb).")
TEXTS_LEFT_OUT = Message("P04", "The texts of {count} of {total} documents are left out of this page (--max-mb).")

# report/compose.py
NO_HITS = Message("P05", "{run}: hits and near-misses are not shown: {reason}")
NO_PASSAGES_FOUND = Message("P22", "{run}: the passages that it finds are not marked: {reason}")
NO_CURVE = Message("P06", "no {kind} curve: {reason}")
NO_CURVE_OF_RUN = Message("P07", "{run}: no {kind} curve: {reason}")

NO_COMPARISON = Message("P30", "slice {name} by {by}: no intervals and tests: {reason}")
NO_DIAGNOSIS = Message("P31", "{run}: no diagnosis: {reason}")
DIAGNOSED_WITHOUT_CHUNKS = Message("P32", "{run}: diagnosed without all chunks: {reason}")
CHUNKS_OF_NO_RUN = Message("P28", "there is no run {run} that could have chunks", "name one of {runs}")
NO_GAIN_CURVES = Counted(
    "P29",
    "{runs} returns chunks, not elements: it has no curves of gain and effort, which count elements only",
    "{runs} return chunks, not elements: they have no curves of gain and effort, which count elements only",
)
READ_RESULTS = Counted("P26", "the first result", "the first {count} results")
READ_BUDGET = Message("P27", "whole results of at most {budget:g} {unit} in all")

# report/content.py
TEXT_WITHOUT_COLLECTION = Message(
    "P08", "The text is not shown: the report was made without the documents (--collection)."
)
TEXT_NOT_IN_COLLECTION = Message("P09", "The text is not shown: the document is not in the collection.")
TEXT_NOT_IN_INDEX = Message("P10", "The text is not shown: the index was written without texts.")
TEXT_LEFT_OUT = Message("P11", "The text is left out because the page would be too large (--max-mb).")
CHUNK_AMBIGUOUS = Message("P20", "not placed: the chunk occurs in several places")
CHUNK_MISSING = Message("P21", "not placed: the chunk is not in the documents")

# report/charts.py
PICTURE_PACKAGE_MISSING = Message(
    "P12", "pictures need {package}, which is not installed", "run pip install 'partwise[report]'"
)
PICTURE_SUFFIX = Message("P13", "unknown picture suffix {suffix!r}", "use one of {suffixes}")
MEANS_OF_RUNS = Message("P14", "Means of {runs} runs, in the order of {measure}")
MANY_PAIRS = Message(
    "P24", "{pairs} pairs are too many to be drawn query by query; lines are {confidence:.0%} intervals of the means"
)
WORST_QUERIES = Message("P25", "the worst {shown} of {count} queries")
ONE_RUN = Message("P15", "there is only one run", "give at least two, to compare them with each other")
NO_CHART = Message("P23", "there is no chart of {name}", "draw what it was selected from")

# demo_data
DEMO_UNREADABLE = Message("P16", "cannot be read ({reason})", "give the demo another folder")
DEMO_FOLDER_NOT_EMPTY = Message("P17", "contains other files", "give the demo a new folder: partwise demo FOLDER")
DEMO_FOLDER_IS_FILE = Message("P18", "is a file", "give the demo a new folder: partwise demo FOLDER")
DEMO_FILE_CHANGED = Message(
    "P19", "differs from the demo file", "move it away, or give the demo a new folder: partwise demo FOLDER"
)
