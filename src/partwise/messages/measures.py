"""Messages about measures: their names and parameters, and the inputs that they need."""

from __future__ import annotations

from partwise.messages import Message

# Names and parameters
NOT_A_CHOICE = Message("M01", "{name} is {value}", "it must be one of {choices}")
MALFORMED_NAME = Message("M02", "{text} is not a valid measure name", "write Name(parameter=value)@cutoff")
REPEATED_PARAMETER = Message("M03", "{text} gives the parameter {name} twice", "give each parameter once")
TOO_LARGE = Message("M04", "{owner}: {name} is {value}", "it must be at most {largest}")
INVALID_VALUE = Message("M05", "{owner}: {name} is {value}", "it must be {expected}")
UNKNOWN_PARAMETER = Message("M06", "{owner} has no parameter {name}", "it takes {parameters}")
REPEATED_CUTOFF = Message("M07", "{owner} gives its {name} twice", "write it in parentheses or after the @, not both")
NO_CUTOFF = Message("M08", "{owner} takes no cutoff", "write {name} without @{at}")
MISSING_PARAMETER = Message("M09", "{owner} requires the parameter {name}", "write {example}")
BUDGET_AND_CUTOFF = Message("M10", "{owner} has both a budget and a cutoff", "give budget=size or @results")
PACK_WITHOUT_BUDGET = Message("M12", "{owner} has pack=True and no budget", "give budget=, or leave pack out")
NO_SHARE = Message("M13", "{name} needs a share", "write for example {name}(0.5)")
SHARES_REVERSED = Message("M14", "the range of {name} ends below its start", "give the lower share first")
REL_OF_ELEMENTS = Message("M15", "{owner} has a rel, but trel=elements takes no grades of passages", "leave one out")
NOT_FOR_MATCH = Message("M16", "{owner} does not take match={match}", "use any, cover or contains")
QUANT_WITHOUT_ELEMENTS = Message("M11", "{measure} has a quant, but its ideals are {ideals}", "leave quant out")

# Requested measures
EMPTY_NAME = Message("M21", "the name of a measure is empty", "write Name(parameter=value)@cutoff")
UNKNOWN_MEASURE = Message("M22", "unknown measure {name}", "list all with partwise measures")
MISSPELT_MEASURE = Message("M23", "unknown measure {name}", "did you mean {names}?")
NOT_A_MEASURE = Message("M24", "{value} is not a measure", "give a measure or its name")
NO_MEASURES = Message("M25", "no measures are requested", "name at least one, or leave them out for a default set")
TREC_EVAL_ONLY = Message("M26", "{name} is a measure of trec_eval that ir_measures does not compute", "leave it out")
SEVERAL_MEASURES = Message("M27", "{name} stands for {count} measures", "name one of them, such as {first}")
LEFT_OUT_OF_SET = Message("M28", "{name} is computed without {names}, which ir_measures does not have")

# Registered measures
NOT_A_MEASURE_CLASS = Message("M31", "{value} is not a measure class", "give a subclass of partwise.Measure")
NO_METHOD = Message("M32", "{name} has no method {method}()", "define it; see help(partwise.Measure)")
NO_DOCSTRING = Message("M33", "{name} has no docstring", "describe the measure in its first line")
MEASURE_EXISTS = Message("M34", "a measure named {name} already exists", "choose another name")

# Measures of ir_measures
FAILED = Message("M41", "{measure} cannot be computed on this run ({error}: {reason})", "leave it out")
INVALID_CUTOFF = Message("M42", "{measure} has no valid cutoff", "write {measure}@10")
REJECTED = Message(
    "M43", "ir_measures rejects {measure} ({reason})", "see its parameters with partwise measures {measure}"
)
NOT_INSTALLED = Message(
    "M44",
    "{measure} cannot be computed with the installed packages",
    "install the package that ir_measures needs for it",
)

# Inputs that a measure needs
DIFFERENT_UNITS = Message(
    "M51",
    "offsets are in {unit}, but {other} are counted",
    "give --collection, whose texts convert them, or both files in one unit",
)
ANOTHER_UNIT = Message(
    "M90", "offsets are in {unit}, not in {other}", "give --collection, whose texts convert them, or leave --unit out"
)
PASSAGES_ARE_PATHS = Message(
    "M52",
    "{measure} needs character offsets, but highlighted passages are given as paths",
    "give the collection (--collection)",
)
ENTRY_POINTS_ARE_PATHS = Message(
    "M53",
    "{measure} needs character offsets, but best entry points are given as paths",
    "give the collection (--collection)",
)
NOTHING_HIGHLIGHTED = Message(
    "M54",
    "{measure} needs highlighted passages, but there are none",
    "give the start and end of relevant text, or use document measures such as nDCG@10",
)
ONLY_GRADED_ELEMENTS = Message(
    "M55",
    "{measure} needs highlighted passages, but there are only graded elements",
    "give the start and end of relevant text, or use document measures such as nDCG@10",
)
NO_RELEVANT_PASSAGE = Message(
    "M63",
    "{measure} needs highlighted passages, but those here are empty or have a grade below 1",
    "give passages of grade 1 or more",
)
ONLY_DOCUMENT_GRADES = Message(
    "M56",
    "{measure} needs highlighted passages, but there are only document grades",
    "give the start and end of relevant text, or use document measures such as nDCG@10",
)
ELEMENTS_NEEDED = Message("M57", "{measure} needs the elements of the documents", "give the collection (--collection)")
NO_ENTRY_POINT = Message(
    "M58",
    "document {doc} is relevant to query {query}, but has no best entry point",
    "{measure} needs one for every relevant document",
)
NO_LENGTH = Message(
    "M59",
    "the length of document {doc} is unknown, and {measure} needs it",
    "give it in the assessments or as lengths (--lengths FILE)",
)
NOT_IN_COLLECTION = Message("M60", "document {doc} is judged, but not in the collection", "add it to the collection")
SEVERAL_ELEMENTS = Message("M61", "the part is a tree of several elements", "this measure takes single elements")
TOO_MUCH_TEXT = Message("M62", "the parts of the run are too long to be counted exactly", "give fewer or shorter parts")
LENGTHS_IN_CHARS = Message(
    "M91", "lengths of documents are given, but the texts in the collection are counted", "leave --lengths out"
)
NOT_A_WHOLE_SIZE = Message("M66", "a size of {size} {unit} is not a whole number", "give a whole number")

# Graded elements and trees
ELEMENTS_WITHOUT_SCALE = Message(
    "M71", "elements are graded, but their scale is not given", "add scale: four-point, inex2005 or unit"
)
TREES_WITHOUT_SCALE = Message(
    "M72", "trees are graded, but their scale is not given", "add scale: four-point, inex2005 or unit"
)
OFF_SCALE = Message(
    "M73",
    "the grades ({exhaustivity:g}, {specificity:g}) are not on the scale {scale}",
    "four-point is 0 to 3, inex2005 is e 0 to 2 and s 0 to 1, unit is 0 to 1",
)

# Lists of results, ideal elements and explanations
QUERY_NOT_JUDGED = Message("M81", "has no judgements for query {query}", "its first query is {first}")
IDEAL_NEEDS_DOCUMENTS = Message(
    "M82", "ideal elements are computed from the documents", "give the collection (--collection)"
)
RANKS_NEED_DOCUMENTS = Message("M83", "elements are located in the documents", "give the collection (--collection)")
