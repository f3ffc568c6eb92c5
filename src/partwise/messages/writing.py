"""Formats: which one a file has, what it can hold, conversion between them, and saved scores."""

from partwise.messages import Counted, Message

HOLDS_EVERYTHING = "write .jsonl or .parquet, which hold every part"

# Detection
UTF_16 = Message("W01", "is UTF-16 text", "save it as UTF-8")
EMPTY = Message("W02", "is empty", "give data as {formats}")
NOT_TEXT = Message("W03", "is not text", "save it as {formats}")
JSON_ARRAY = Message("W04", "looks like a JSON array", "save it as {formats}")
NOT_OF_FORMAT = Message("W05", "is not a {format} file", "save it as {formats}")
HOLDS_NO_RUN = Message("W06", "is {format}, which holds no run", "give a run in another format")
HOLDS_NO_ASSESSMENTS = Message("W07", "is {format}, which holds no assessments", "give assessments in another format")
HOLDS_NO_LENGTHS = Message("W08", "is {format}", "give document lengths as columns doc_id and length")

# Content
NO_NAMED_COLUMNS = Message("W09", "has no named columns", "save it as {formats}")
NO_NAMED_COLUMNS_FOR = Message("W10", "has no named columns", "give {what} as {formats}")
NO_QUERY_COLUMNS = Message(
    "W11", "has no named columns", "give queries with query_id and title as JSON Lines, CSV, TSV or XML"
)
NO_SCORE_COLUMNS = Message("W12", "has no named columns", "{what} need them")
NO_RESULTS = Message("W13", "has no results", "give a run as {formats}")
NO_JUDGEMENTS = Message("W14", "has no judgements", "give assessments as {formats}")
NO_ASSESSMENTS = Message("W15", "no assessments are given", "give a file")
NO_RUN = Message("W16", "no run is given", "give one as {accepted}")

# Choice of a format
FORMAT_EXISTS = Message("W20", "the format {name} ({suffixes}) already exists", "use another name and other suffixes")
NOT_WRITTEN = Message("W21", "{format} cannot be written", "use another format")
UNKNOWN_SUFFIX = Message("W22", "cannot be written: unknown suffix {suffix}", "use one of {formats}")
NOT_A_CHOICE = Message("W23", "cannot be written as {format}", "use one of {formats}")

# What formats cannot hold
ONE_RUN = Message(
    "W30",
    "holds one run, but there are {count} ({names})",
    "choose one with --run NAME, or write .jsonl, .csv or .parquet, which hold several",
)
CHANGED_NAME = Message("W31", "the name {name} would not be read back from {format} unchanged", HOLDS_EVERYTHING)
SAFE_CSV = Message("W91", "--safe-csv (in Python safe_csv) is for CSV and TSV, not for {format}", "leave it out")
LONE_SURROGATE = Message(
    "W92", "{what} is named {name}, which contains half a character (a lone surrogate)", "use another name"
)
EMPTY_NAME = Message("W93", "the name of {what} is empty", "give it a name")
NAME_WITH_BLANKS = Message(
    "W32", "{what} is named {name}, but blanks separate the columns of text files", HOLDS_EVERYTHING
)
NAME_OF_COMMENT = Message(
    "W52", "{what} is named {name}, but lines of text files that begin with # are comments", HOLDS_EVERYTHING
)
READ_AS_ANOTHER = Message("W53", "would be read as {other}, not as {format}", HOLDS_EVERYTHING)
ONE_ASSESSOR = Message(
    "W33",
    "text columns hold one assessor per query",
    "choose one with --assessor NAME, or write .jsonl or .parquet",
)
OFFSETS_ONLY = Message(
    "W34",
    "text columns hold offsets, but passages or best entry points are paths",
    "locate them in the documents (--spans --collection DOCS), or write .jsonl, .parquet or .xml",
)
DOCUMENTS_ONLY = Message("W35", "TREC columns hold whole documents only", HOLDS_EVERYTHING)
GRADES_ONLY = Message(
    "W36", "TREC qrels hold one grade of every document, by one assessor, and no parts", HOLDS_EVERYTHING
)
ONE_PART = Message("W37", "INEX columns hold one span or one path per result, and no whole documents", HOLDS_EVERYTHING)
ONE_KIND_OF_PART = Message(
    "W38", "INEX columns hold parts of one kind: all spans, all paths or all ranges of paths", HOLDS_EVERYTHING
)
PASSAGES_ONLY = Message(
    "W39", "FOL assessments hold the passages of one assessor, with every document's length", HOLDS_EVERYTHING
)
NO_OTHER_UNITS = Message(
    "W95", "the offsets count neither characters nor bytes, which only named columns declare", HOLDS_EVERYTHING
)
NO_SPAN_GROUPS = Message("W96", "a passage is several spans, which only named columns hold", HOLDS_EVERYTHING)
NO_NUGGETS = Message("W97", "passages have nuggets or sets, which only named columns hold", HOLDS_EVERYTHING)
NO_EMPTY_QUERIES = Message("W98", "a query has nothing relevant, which only named columns hold", HOLDS_EVERYTHING)
ONE_RANGE = Message("W40", "CSV and TSV hold one range of paths per result", HOLDS_EVERYTHING)

# What INEX XML cannot hold
XML_PATHS_ONLY = Message(
    "W41", "INEX XML holds passages and best entry points as paths, not as offsets", HOLDS_EVERYTHING
)
XML_DOCUMENTS = Message("W42", "INEX XML holds no document grades and no document lengths", HOLDS_EVERYTHING)
XML_TREES = Message("W43", "INEX XML holds no judged trees", HOLDS_EVERYTHING)
XML_SCALES = Message("W44", "INEX XML holds grades on the scales {scales} only", HOLDS_EVERYTHING)
XML_FOUR_POINT = Message(
    "W45", "INEX XML with four-point grades holds no passages or best entry points", HOLDS_EVERYTHING
)
XML_OFF_SCALE = Message("W46", "a grade is not on its scale {scale}, which INEX XML requires", HOLDS_EVERYTHING)
XML_QUERY_ID = Message("W47", "INEX XML would keep only the last word of the query id {query_id}", HOLDS_EVERYTHING)
XML_ONE_POOL = Message(
    "W48",
    "an INEX XML file holds one topic and assessor, but there are {count} such pairs",
    "write a .zip of such files, .jsonl or .parquet",
)
XML_RUN_IN_ARCHIVE = Message("W49", "a run must be one file, not an archive", "give a name that ends in .xml")

ROW_WITHOUT_CELL = Message("W50", "{format} needs {column}, but a row has only {cells}", HOLDS_EVERYTHING)
NOT_A_FORMAT = Message("W51", "{value} is not a format", "give a subclass of partwise.Format, or an instance of one")

# Conversion
NEEDS_COLLECTION = Message("W60", "--{option} needs the documents", "give the collection (--collection)")
RUN_OR_ASSESSMENTS = Message(
    "W61", "may be a run or assessments", "choose one of the two with --as run or --as assessments"
)
SEVERAL_FILES = Message("W62", "several files are given as a run", "give one file")
ONLY_FOR = Message("W63", "--{option} is only for {what}", "leave it out")
NO_SUCH_RUN = Message("W64", "has no run {name}", "it has {names}")

# Saved scores
REPEATED_SCORE = Message(
    "W70", "repeats the {measure} of query {query_id} of run {run_id} from line {line}", "give every score once"
)
NO_QUERY_VALUES = Message("W71", "has no values per query", "save scores with partwise evaluate -q")
ONLY_MEANS = Counted(
    "W83",
    "1 measure has no values per query and is left out: {measures}",
    "{count} measures have no values per query and are left out: {measures}",
)
OTHER_MEAN = Message(
    "W84",
    "{run_id}: the values of {measure} have the mean {average:.4g}, but the row of all queries has {mean:.4g}",
    "was the file edited?",
)
SCORE_COLUMNS = Message("W72", "has {count} columns", "scores have 3: {example}")
SCORES_IN_TWO_FILES = Message(
    "W74",
    "holds {measure} of the run {run_id}, as does {first}",
    "give every run its own name with --as NAME={file} (in Python {{NAME: {file}}})",
)
NOT_COMPARABLE = Message(
    "W75",
    "{field} is {value}, but {other} in {first}",
    "give scores of comparable evaluations, or mix them with --mix (in Python mix=True)",
)
BAD_HEAD = Message("W76", "the provenance is damaged", "save the scores again, or remove the lines that begin with #")
BAD_METADATA = Message("W77", "the provenance in its metadata is damaged", "save the scores again")
BAD_SIDECAR = Message("W78", "is not the provenance of scores, ignored")
STALE_SIDECAR = Message("W79", "is the provenance of other scores than those in {file}, ignored")
INPUT_CHANGED = Message(
    "W80", "has changed since it was read", "evaluate again, or save the scores with --provenance none"
)
PROVENANCE_AS_SCORES = Message("W82", "is the provenance of scores, not scores", "leave it out")
BAD_EPOCH = Message("W81", "SOURCE_DATE_EPOCH is {value}", "it must be a number of seconds since 1970, or not be set")
