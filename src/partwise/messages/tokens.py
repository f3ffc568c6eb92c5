"""Tokenizers: their names and files, and the tokens that they return."""

from partwise.messages import Message

# Names
UNKNOWN = Message("Z01", "unknown tokenizer {name}", "give {names}, a tokenizers JSON file, or a tiktoken encoding")
NOT_A_TOKENIZER = Message(
    "Z02", "{value} is not a tokenizer", "give its name, or a function that returns the (start, end) of each token"
)
EXISTS = Message("Z03", "a tokenizer named {name} already exists", "choose another name")
NOT_A_NAME = Message("Z04", "{name} cannot be the name of a tokenizer", "use letters, digits, '_', '-' and '.'")

# Packages and their files
NOT_INSTALLED = Message(
    "Z11", "the tokenizer {name} needs the package {package}", 'install it with pip install "partwise[tokens]"'
)
CANNOT_IMPORT = Message("Z12", "the package {package} cannot be imported ({reason})", "install it again")
NOT_A_FILE_OF_TOKENIZERS = Message(
    "Z13", "is not a tokenizer that the package tokenizers reads ({reason})", "give a tokenizer.json"
)
NOT_CACHED = Message(
    "Z14",
    "the file of the tiktoken encoding {name} is not in the cache of tiktoken ({folder})",
    "partwise downloads nothing: let tiktoken.get_encoding({name}) download it once",
)
CANNOT_LOAD = Message("Z15", "the tiktoken encoding {name} cannot be loaded ({reason})", "install tiktoken again")

# Tokens
FAILED = Message("Z21", "the tokenizer {name} failed ({error}: {reason})")
NOT_PAIRS = Message(
    "Z22", "the tokenizer {name} returned {value}", "it must return a list with the (start, end) of each token"
)
NOT_A_PAIR = Message("Z23", "the tokenizer {name} returned {value} as token {number}", "give its start and end")
OUTSIDE = Message(
    "Z24",
    "token {number} of the tokenizer {name} is {start} to {end}, but the text has {length} characters",
    "give offsets in characters of the text",
)
EMPTY = Message(
    "Z25", "token {number} of the tokenizer {name} is {start} to {end}", "leave out tokens without characters"
)
OVERLAPPING = Message(
    "Z26",
    "token {number} of the tokenizer {name} is {start} to {end}, but the token before it ends at {before}",
    "give tokens in the order of the text, without overlap",
)
