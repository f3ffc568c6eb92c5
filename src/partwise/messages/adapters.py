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

# adapters/records.py, and what uses it: chunks of stores, traces and data sets
NO_RECORD_PLACE = Message(
    "A63",
    "the chunk {text} has no {missing}",
    "give documents, or name its metadata with source= and start=",
)
TWO_KEYS = Message("A64", "{first}, but {second}", "choose with {hook}= which one to use")
BAD_SOURCE = Message(
    "A65", "{key} is {value}, of type {type}", "set source= to a function that returns the id of its document"
)
NO_CHROMA_TEXT = Message(
    "A66", "has no document", "include documents in the query, or give its text with text= (its metadata keys: {keys})"
)
NO_QDRANT_TEXT = Message("A67", "has no text in its payload", "name its key with text= (its keys: {keys})")
NO_PAYLOAD = Message("A68", "has no payload", "query with with_payload=True")
NO_SPAN_TEXT = Message(
    "A69", "has no document.content", "record contents in traces, or give text= (its metadata keys: {keys})"
)
NO_HAYSTACK_TEXT = Message("A70", "has no content", "give documents with text, or text= (its meta keys: {keys})")
NO_CONTEXT_TEXT = Message("A71", "is not a text", "give lists of texts (the columns of the sample: {keys})")
NOT_RESULTS = Message("A72", "is {found}", "give {expected}")
CHROMA_QUERIES = Message(
    "A73",
    "the result has lists for {count} queries, but queries= names {names}",
    "give the ids of its queries, in their order",
)
QUERY_TWICE = Message("A97", "queries= names {query} twice", "give each query an id of its own")
CHROMA_COLUMN = Message(
    "A74", "{column} is {found}", "it must be None, or have an item for each of the {count} ids of the query"
)

# adapters/haystack.py
SEVERAL_COMPONENTS = Message(
    "A75", "several components returned documents: {names}", 'choose one: result["{first}"]["documents"]'
)
SECOND_HAYSTACK_DOCUMENT = Message(
    "A76", "is a second document {doc_id}", "set source= to a function that returns a different id for each"
)
NO_HAYSTACK_PLACE = Message(
    "A77",
    "the chunk {text} has no {missing}",
    "use a splitter that sets source_id and split_idx_start, or give documents",
)
RELATIVE_TO_CHUNK = Message(
    "A93",
    "the offset of the chunk {text} counts from another chunk, which is not among the results or parents",
    "pass documents= to place it by its text, or parents= with all documents of the store",
)

# adapters/openinference.py
NOT_SPANS = Message("A78", "is {found}", "give spans: OTLP JSON with resourceSpans, or spans with attributes")
NO_RETRIEVER_SPANS = Message(
    "A79",
    "has no span with {prefix} ({count} spans: {kinds})",
    "export retriever spans with their OpenInference attributes",
)
BAD_SPAN_METADATA = Message(
    "A98", "the metadata of document {number} is not a JSON object: {value}", "record it whole, as a JSON string"
)
DOCUMENT_GAP = Message(
    "A81",
    "has document {number}, but not document {gap}",
    "record all attributes: OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT is 128 by default",
)
NO_SPAN_QUERY = Message("A82", "has no input.value", "say with query= what its query is")
DROPPED_ATTRIBUTES = Counted(
    "A83",
    "{count} of {total} retriever spans dropped attributes (first: {first})",
    "{count} of {total} retriever spans dropped attributes (first: {first})",
    "documents may be missing: raise OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT",
)
INNER_SPANS = Counted(
    "A84",
    "{count} of {total} retriever spans is inside another retriever (first: {first})",
    "{count} of {total} retriever spans are inside other retrievers (first: {first})",
    "only what the outer one returned is read",
)
OTHER_QUERIES = Counted(
    "A85",
    "{count} of {total} retriever spans has another query than queries= (first: {first})",
    "{count} of {total} retriever spans have other queries than queries= (first: {first})",
    "left out",
)
JOINED_SPANS = Counted(
    "A86",
    "{count} query has several retriever spans in its trace (first: {first})",
    "{count} queries have several retriever spans in their traces (first: {first})",
    "ranked one after another, in the order of time",
)
EARLIER_TRACES = Counted(
    "A87",
    "{count} query occurs in several traces (first: {first})",
    "{count} queries occur in several traces (first: {first})",
    "the last of them is read",
)
SAME_QUERY = Message("A94", "the queries {first} and {second} have the same text {text}", "give one id for each text")

# adapters/ragas.py
NO_RAGAS_COLUMN = Message("A88", "has no column {name}", "its columns are {columns}; name another one with column=")
BAD_CONTEXTS = Message("A89", "the {name} are {value}", "give a list of texts")
NO_QUESTIONS = Message("A95", "has no column {name}", "its columns are {columns}")
NO_SAMPLES = Message("A96", "has no samples", "give at least one sample")
RAGAS_TURNS = Message("A90", "the {name} is a conversation", "give samples of single questions")
NOT_JUDGED = Counted(
    "A91",
    "{count} of {total} samples has no {name} (first: {first})",
    "{count} of {total} samples have no {name} (first: {first})",
    "left out",
)
BAD_CONTEXT_IDS = Message(
    "A92", "has {ids} {name}, but {count} contexts", "give an id for each context, or leave the ids out"
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
