"""Messages of the adapters: RAG frameworks, data sets of others, other evaluators."""

from partwise.messages import Counted, Message

# adapters/dataset.py, adapters/beir.py
NO_FOLDER = Message("A01", "no such folder", "give a folder with {files}")
NOT_TEXT_OR_NUMBER = Message("A02", "the {name} is {value}", "it must be a string or a whole number")
NOT_TEXT = Message("A03", "the {name} is {value}", "it must be a string")
ID_TWICE = Message("A04", "the id {id} is already used in an earlier line", "ids must be unique")

# adapters/chroma.py
NO_CORPUS = Message("A05", "there is no corpus {name} in {folder}", "add {file}")
BAD_REFERENCES = Message("A06", "the references are {value}", "write {expected}")
BAD_REFERENCE = Message(
    "A07", "the reference {text} has the offsets {start} and {end}", "give whole numbers, the end not before the start"
)

# adapters/legalbench.py
NOT_JSON = Message("A08", "is not JSON ({reason})", "write {expected}")
NOT_LEGALBENCH = Message("A09", "is not a LegalBench-RAG benchmark", "write {expected}")
BAD_SNIPPET = Message("A10", "a snippet is {value}", "give its file_path and span")

# adapters/placing.py: documents
DOCUMENT_TYPE = Message("A12", "document {doc_id} is of type {type}", "give its text")
DOCUMENTS_TYPE = Message(
    "A13",
    "the documents are of type {type}",
    "give a mapping of ids to texts, a collection, or the path of one",
)
WRONG_TYPE = Message("A14", "is of type {type}", "give {expected}")
NO_DOCUMENT_ID = Message("A15", "has no document id", "set source= to a metadata key or a function")
SECOND_LANGCHAIN_DOCUMENT = Message(
    "A16",
    "is a second document {doc_id}",
    "give pages different ids: source=lambda d: f\"{{d.metadata['source']}}#{{d.metadata['page']}}\"",
)
SECOND_LLAMAINDEX_DOCUMENT = Message(
    "A17", "is a second document {doc_id}", "set source= to a function that returns a different id for each"
)
UNKNOWN_DOCUMENT = Message("A18", "document {doc_id} is not among the documents", "the first is {first}")
NO_DOCUMENTS = Message("A19", "document {doc_id} is not among the documents", "there are none")

# adapters/placing.py: chunks and results
CHUNKS_TYPE = Message("A21", "the chunks are of type {type}", "give a list of them")
NO_QUERY_ID = Message("A22", "has no query_id", "give every row its query_id")
NO_TEXT = Message("A23", "has no text", "give every row its text, or start and end")
BAD_TEXT = Message("A24", "the text is {value}", "give every row its text, or start and end")
RESULTS_TYPE = Message("A25", "the results are of type {type}", "give {{query_id: {expected}}}")
RESULTS_OF_QUERY_TYPE = Message("A26", "the results of query {query} are of type {type}", "give {expected}")
NO_PLACE = Message("A27", "the chunk {text} has no {missing}", "give documents")
NO_LANGCHAIN_PLACE = Message(
    "A28",
    "the chunk {text} has no {missing}",
    "split with add_start_index=True and keep the source in metadata, or give documents",
)
NO_LLAMAINDEX_PLACE = Message(
    "A29", "the chunk {text} has no {missing}", "use a node parser that sets start_char_idx, or give documents"
)
AMBIGUOUS_KEPT = Counted(
    "A30",
    "{count} of {total} {things} occurs in several places (first: {first})",
    "{count} of {total} {things} occur in several places (first: {first})",
    "counted as irrelevant text",
)
AMBIGUOUS_FIRST = Counted(
    "A31",
    "{count} of {total} {things} occurs in several places (first: {first})",
    "{count} of {total} {things} occur in several places (first: {first})",
    "located at the first",
)
AMBIGUOUS_SKIPPED = Counted(
    "A32",
    "{count} of {total} {things} occurs in several places (first: {first})",
    "{count} of {total} {things} occur in several places (first: {first})",
    "left out",
)
MISSING_KEPT = Counted(
    "A33",
    "{count} of {total} {things} is not in the documents (first: {first})",
    "{count} of {total} {things} are not in the documents (first: {first})",
    "counted as irrelevant text",
)
MISSING_SKIPPED = Counted(
    "A34",
    "{count} of {total} {things} is not in the documents (first: {first})",
    "{count} of {total} {things} are not in the documents (first: {first})",
    "left out",
)
WRONG_OFFSETS = Counted(
    "A35",
    "{count} of {total} {things} is not at its offsets (first: {first})",
    "{count} of {total} {things} are not at their offsets (first: {first})",
    "located by text",
)
RELATIVE_TO_PARENT = Counted(
    "A39",
    "{count} of {total} {things} has offsets that count from its parent (first: {first})",
    "{count} of {total} {things} have offsets that count from their parents (first: {first})",
    "placed through the parent",
)
TRIMMED = Counted(
    "A40",
    "{count} of {total} {things} has text around that of its document (first: {first})",
    "{count} of {total} {things} have text around that of their documents (first: {first})",
    "placed without it",
)
FUZZY = Counted(
    "A80",
    "{count} of {total} {things} is only similar to its place (first: {first})",
    "{count} of {total} {things} are only similar to their places (first: {first})",
    "the column how_score has the similarity",
)

# formats/placing_notes.py
CHUNK = Message("A41", "query {query}, rank {rank}, document {doc_id}")
UNRANKED_CHUNK = Message("A42", "query {query}, row {row}, document {doc_id}")
PLACING_LOST = Counted(
    "A43",
    "{path}: {title} does not record how {count} of {total} chunks was placed",
    "{path}: {title} does not record how {count} of {total} chunks were placed",
    "write CSV, TSV, JSON Lines or Parquet to keep these notes: {notes}",
)

# adapters/chunks.py: hooks
HOOK_TYPE = Message("A44", "{hook}= returns {value}, of type {type}", "it must return {expected}")
HOOK_KEY = Message("A45", "there is no metadata key {key}, which {hook}= names", "its keys are {keys}")

# adapters/chunks.py: chunks without documents to check them against
UNCERTAIN = Message("A46", "{problem} (the first of {count} such chunks)", "{remedy}")
PASS_DOCUMENTS = "pass documents= to place it by its text"
OTHER_LENGTH = Message(
    "A47", "the chunk {text} has {size} characters, but its offsets {start} to {end} span {length}", PASS_DOCUMENTS
)
RELATIVE_OFFSETS = Message(
    "A48",
    "the offsets of the chunk {text} count from its parent, which is not among the results or nodes",
    "pass documents= to place it by its text, or nodes= with all nodes",
)
NOT_IN_PARENT = Message("A49", "the chunk {text} is not at {start} to {end} of its parent", PASS_DOCUMENTS)
WINDOW_TEXT = Message("A50", "the chunk {text} is a window, but its offsets are those of its sentence", PASS_DOCUMENTS)
NOT_FOUND_BY_SPLITTER = Message(
    "A51", "the start_index of the chunk {text} is -1: the splitter did not find it", PASS_DOCUMENTS
)
CONTRADICTION = Message(
    "A52",
    "the chunk {text} and that of query {query}, result {rank} have different texts at {start} to {end} of document "
    "{doc_id}",
    "pass documents= to place it by its text, or give each page or section its own id with source=",
)

# quotes.py: texts that are not at their offsets
NOT_AT_OFFSETS = Message(
    "A53", "the text {text} is not at {start} to {end} of document {doc_id}, where {there} is", "{remedy}"
)
BEYOND_END = Message(
    "A54",
    "the text {text} is not at {start} to {end} of document {doc_id}, which ends at {length}",
    "{remedy}",
)
OCCURS_ELSEWHERE = Message("A55", "its only place there is {start} to {end}")
OCCURS_NOWHERE = Message("A56", "give the offsets of the text in this document")
IN_LF = Counted(
    "A57",
    "offsets were counted with one character for each line end, but the documents have \\r\\n: the text is at its "
    "offsets if \\r\\n counts as one",
    "offsets were counted with one character for each line end, but the documents have \\r\\n: all {count} texts are "
    "at their offsets if \\r\\n counts as one",
    "save the documents with \\n, or count offsets in the files as they are (open(..., newline=''))",
)
IN_CRLF = Counted(
    "A58",
    "offsets were counted with \\r\\n at line ends, but the documents have \\n: the text is at its offsets if \\n "
    "counts as two",
    "offsets were counted with \\r\\n at line ends, but the documents have \\n: all {count} texts are at their "
    "offsets if \\n counts as two",
    "save the documents with \\r\\n, or count offsets in the files as they are",
)
IN_UTF16 = Counted(
    "A59",
    "offsets count UTF-16 units, as in JavaScript and Java: the text is at its offsets in these",
    "offsets count UTF-16 units, as in JavaScript and Java: all {count} texts are at their offsets in these",
    "convert them to characters (code points)",
)
IN_BYTES = Counted(
    "A60",
    "offsets count UTF-8 bytes: the text is at its offsets in these",
    "offsets count UTF-8 bytes: all {count} texts are at their offsets in these",
    "give --unit bytes (unit='bytes')",
)
IN_CHARS = Counted(
    "A61",
    "offsets count characters: the text is at its offsets in these",
    "offsets count characters: all {count} texts are at their offsets in these",
    "leave out --unit bytes (unit='bytes')",
)
AFTER_MARK = Counted(
    "A62",
    "offsets were counted without the byte order mark at the start of the document: the text is at its offsets after "
    "it",
    "offsets were counted without the byte order mark at the start of documents: all {count} texts are at their "
    "offsets after it",
    "save the documents without it, or add 1 to the offsets",
)

# adapters/placing.py: assessments
PASSAGE_AS_TEXT = Message("A36", "gives its passage as text", "give the documents too, or start and end")
NO_JUDGEMENTS = Message("A37", "has no judgements", "give at least one judgement")

# adapters/ir_measures.py
NOT_A_TABLE = Message("A38", "{name} is of type {type}", "give a data frame, named tuples, or a mapping by query")
