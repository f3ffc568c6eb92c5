"""INEX XML and queries in XML."""

from partwise.messages import Message

# Any XML
NOT_WELL_FORMED = Message("X01", "is not well-formed XML ({reason})", "fix the markup")
CANNOT_DECODE = Message("X02", "cannot be decoded ({reason})", "save it as UTF-8")
DECLARES_ENTITY = Message(
    "X03", "declares the entity {name}, which is not supported", "write its text where it is used"
)
UNKNOWN_ENTITY = Message(
    "X04", "the entity {entity} in an attribute is not defined", "write the character itself or a numeric reference"
)
NO_NUMBER = Message("X05", "has no {name}", "it must be a whole number from 0")
NO_PATH = Message("X08", "the {element} has no {name}", "it must be a path that begins with /")
NOT_A_PATH = Message("X09", "the {name} of the {element} is {value}", "it must be a path that begins with /")

# Submissions
NOT_A_SUBMISSION = Message("X10", "has the root element {name}", "a run has the root inex-submission")
ELEMENT_IN_FIELD = Message("X11", "the {field} contains an element {name}", "write only text in it")
NO_TOPIC_ID = Message("X12", "the topic has no topic-id", "give every topic a topic-id")
RESULT_OUTSIDE_TOPIC = Message("X13", "the result is outside a topic", "put it into <topic topic-id=...>")
RESULT_WITHOUT_TOPIC = Message("X14", "the topic of the result has no topic-id", "give every topic a topic-id")
RESULT_WITHOUT_FILE = Message("X15", "the result has no file", "give every result a file")
SECOND_FIELD = Message("X16", "the result has a second {name}", "give every result only one")
PATHS_AND_FOL = Message("X19", "the result has both paths and a fol", "give only one of them")

# Assessments
NOT_ASSESSMENTS = Message("X20", "has the root element {name}", "assessments have the root assessments")
NO_TOPIC = Message("X21", "has no topic", "write <assessments topic=...>")
NESTED_FILE = Message("X22", "the file is inside another element", "put it directly into <assessments>")
JUDGEMENT_OUTSIDE_FILE = Message("X23", "the {name} is not directly in a file", "put it directly into <file file=...>")
FILE_WITHOUT_NAME = Message("X24", "the file has no name", "write <file file=...> or <file name=...>")
NO_GRADE = Message("X25", "has no {name}", "it must be one of {values}")
NOT_A_GRADE = Message("X26", "the {name} is {value}", "it must be one of {values}")
NOT_A_RELEVANCE = Message("X27", "the relevance is {value}", "it must be 0N, or 1, 2 or 3 followed by L, S or E")
RSIZE_TOO_LARGE = Message("X28", "the rsize {rsize} is more than the size {size}", "it must be at most the size")
SECOND_SCALE = Message("X29", "has a grade on the scale {scale}, but earlier grades are on {earlier}", "use one scale")
SECOND_SCALE_IN_FILES = Message("X30", "has a grade on the scale {scale}, but {place} is on {earlier}", "use one scale")
NO_XML_FILES = Message("X31", "has no XML files", "give assessments as INEX XML, a file per query and pool")
NOT_XML = Message("X32", "is not XML", "only INEX XML files can be read together")

# Queries
DECLARES_ENTITIES = Message("X33", "declares entities, which are not supported", "write their text where they are used")
NO_QUERIES = Message("X34", "has no queries", "give elements that have an id and a title")
