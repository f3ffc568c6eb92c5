"""Messages about collections, documents, paths and texts, and about locating texts (letter D)."""

from __future__ import annotations

from partwise.messages import Counted, Message

# ---- opening a collection (collection/__init__.py) ----
NO_DOCUMENT = Message("D01", "has no document {doc_id}", "its first document is {first}")
WRONG_TYPE = Message("D02", "the collection is of type {type}", "give {accepted}")
NOT_A_COLLECTION = Message("D04", "is not a collection", "give {accepted}")

# ---- folders and archives (collection/sources.py) ----
SAME_ID_TWICE = Message("D06", "has two documents {doc_id}, {first} and {second}", "rename one of them")
NO_DOCUMENTS = Message(
    "D07", "contains no documents", "the names of documents end in {suffixes}, or as source code does ({code}, ...)"
)
PYTHON_NOT_PARSED = Counted(
    "D73",
    "1 Python file does not parse and has no classes and functions as elements: {first}",
    "{count} Python files do not parse and have no classes and functions as elements; the first is {first}",
)
UNSAFE_MEMBER = Message("D08", "has the unsafe member {member}", "members must have relative paths inside the archive")

# ---- JSON Lines and mappings (collection/sources.py) ----
REPEATED_DOC_ID = Message("D11", "the doc_id {doc_id} is already used in line {line}", "give every document its own id")
NO_LINES = Message("D12", "contains no documents", "write one JSON object per line")
NO_DOC_ID = Message("D15", "has no doc_id", "give every document its doc_id")
BAD_DOC_ID = Message("D16", "the doc_id is {doc_id}", "it must be a string or a whole number")
NO_CONTENT = Message("D17", "has no content", "give one of the fields {fields}")
TWO_CONTENTS = Message("D18", "has both {first} and {second}", "give only one of the fields {fields}")
CONTENT_NOT_TEXT = Message("D19", "the {field} is {value}", "it must be a string")
IN_FIELD = Message("D20", "field {field}: {problem}", "{remedy}")
IN_LINE_OF_FIELD = Message("D21", "field {field}, line {line}: {problem}", "{remedy}")
ID_NOT_TEXT = Message("D22", "the document id {doc_id} is not a string", "give document ids as strings")
WRONG_CONTENT_TYPE = Message(
    "D23", "document {doc_id} is of type {type}", "give its text or XML as a string, or a Document"
)
EMPTY_MAPPING = Message("D24", "the collection contains no documents", "give at least one document")

# ---- texts and encodings (collection/plain.py, texts.py) ----
LARGE_DOCUMENT = Message("D25", "is larger than {limit} MB, the limit for one document", "split it")
LONE_SURROGATE = Message("D26", "contains half a character (a lone surrogate)", "give whole characters")
TEXT_NOT_STORED = Message("D28", "the text of document {doc_id} is not stored", "index the collection with texts")
UNIT_NEEDS_TEXT = Message(
    "D29",
    "the text of document {doc_id} is not stored, and offsets in {unit} need it",
    "index the collection with texts",
)
TOKENS_NEED_TEXT = Message(
    "D71",
    "neither the text of document {doc_id} nor its tokens of {name} are stored",
    "index the collection with texts, or with --tokenizer {name}",
)
TOKENS_NOT_STORABLE = Message(
    "D72", "the tokens of {name} cannot be stored under this name", "register it with register_tokenizer"
)

# ---- XML and HTML ----
UNSUPPORTED_XML = Message("D30", "uses XML markup that is not supported", "save it as plain UTF-8 XML without a DTD")
DECLARED_ENTITY = Message(
    "D31",
    "the entity {entity} is declared in the document, which is not supported",
    "write its text where it is used",
)
UNDEFINED_ENTITY = Message(
    "D32", "the entity &{name}; is not defined", "write the character itself or a numeric reference"
)
TOO_DEEP = Message("D34", "nests elements more than {limit} levels deep", "reduce the nesting")
NOT_HTML = Message("D35", "cannot be read as HTML ({reason})", "fix the markup")
HTML_LIMIT = Message("D36", "is too large or too deep to be read as HTML ({reason})", "split it into smaller documents")

# ---- paths and pointers (collection/document.py) ----
NOT_A_PATH = Message("D37", "{path} is not a path", "write it like /article[1]/bdy[1]/sec[6]")
NO_ELEMENT = Message("D38", "document {doc_id} has no {path}", "the path exists only up to {deepest}")
OTHER_ROOT = Message("D39", "document {doc_id} has no {path}", "its root is {root}")
NO_TEXT_NODE = Message(
    "D40", "document {doc_id} has no {owner}/text()[{number}]", "the last one there is text()[{last}]"
)
NO_OWN_TEXT = Message("D41", "document {doc_id} has no {owner}/text()[{number}]", "{owner} has no text of its own")
PAST_TEXT_NODE = Message(
    "D42", "document {doc_id} has no {owner}/text()[{number}].{offset}", "the largest offset there is {largest}"
)
BACKWARD_RANGE = Message("D43", "document {doc_id}: {last} ends before {first} starts", "give the earlier path first")

# ---- the stored index (collection/index.py) ----
NO_TEXT_TO_WRITE = Message("D44", "the text of document {doc_id} is not available", "write the index without texts")
ID_NOT_UNICODE = Message("D45", "the document id {doc_id} cannot be written as UTF-8", "rename the document")
DAMAGED_INDEX = Message("D46", "is damaged or not a Parquet index ({reason})", "write it again with partwise index")
DAMAGED_DIRECTORY = Message(
    "D47", "is a damaged index: its directory does not match its rows", "write it again with partwise index"
)
DAMAGED_NODES = Message(
    "D48", "is a damaged index: the nodes of document {doc_id} are inconsistent", "write it again with partwise index"
)
NOT_AN_INDEX = Message("D49", "is not an index of a collection", "write one with partwise index")
OTHER_VERSION = Message(
    "D50",
    "is an index of version {version}, but this release reads version {supported}",
    "write it again with partwise index",
)

# ---- locating texts (location.py) ----
BLANK_TEXT = Message("D51", "the text {text} has no visible character", "give the text as it is in the document")
NOT_IN_DOCUMENT = Message(
    "D52", "the text {text} is not in document {doc_id}", "give it as it is there, or its start and end"
)
NOT_IN_DOCUMENTS = Message(
    "D53", "the text {text} is not in the documents", "give it as it is there, or its start and end"
)
AMBIGUOUS_IN_DOCUMENT = Message(
    "D54", "the text {text} occurs {count} times in document {doc_id}, first at {start}", "give its start and end"
)
AMBIGUOUS_IN_DOCUMENTS = Message(
    "D55",
    "the text {text} occurs {count} times in the documents, first at {start} of document {doc_id}",
    "give its start and end",
)
UNLOCATED_TEXT = Message("D56", "{problem}", "{remedy}, or choose with --{option} how to treat such texts")
NO_SECONDS = Message("D57", "documents have no offsets in seconds", "leave the collection out")
NO_TOKENIZER = Message(
    "D70", "no tokenizer is given that divides the documents into tokens", "give one, such as --tokenizer words"
)
