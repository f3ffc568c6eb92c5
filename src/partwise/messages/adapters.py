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
REFERENCE_NOT_THERE = Message(
    "A07", "the reference {text} is not at {start} to {end}", "offsets must count the characters of the corpus file"
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
    "{count} of {total} {things} occurs in several places",
    "{count} of {total} {things} occur in several places",
    "counted as irrelevant text",
)
AMBIGUOUS_FIRST = Counted(
    "A31",
    "{count} of {total} {things} occurs in several places",
    "{count} of {total} {things} occur in several places",
    "located at the first",
)
AMBIGUOUS_SKIPPED = Counted(
    "A32",
    "{count} of {total} {things} occurs in several places",
    "{count} of {total} {things} occur in several places",
    "left out",
)
MISSING_KEPT = Counted(
    "A33",
    "{count} of {total} {things} is not in the documents",
    "{count} of {total} {things} are not in the documents",
    "counted as irrelevant text",
)
MISSING_SKIPPED = Counted(
    "A34",
    "{count} of {total} {things} is not in the documents",
    "{count} of {total} {things} are not in the documents",
    "left out",
)
WRONG_OFFSETS = Counted(
    "A35",
    "{count} of {total} {things} is not at its offsets",
    "{count} of {total} {things} are not at their offsets",
    "located by text",
)

# adapters/placing.py: assessments
PASSAGE_AS_TEXT = Message("A36", "gives its passage as text", "give the documents too, or start and end")
NO_JUDGEMENTS = Message("A37", "has no judgements", "give at least one judgement")

# adapters/ir_measures.py
NOT_A_TABLE = Message("A38", "{name} is of type {type}", "give a data frame, named tuples, or a mapping by query")
