"""Messages about navigation models and their files."""

from __future__ import annotations

from partwise.messages import Message

# Names of models
NOT_A_MODEL = Message("N01", "{value} is not a navigation model", "give an instance of a subclass of Navigation")
INVALID_NAME = Message("N02", "{name} cannot be the name of a navigation model", "use letters, digits, _ and -")
MODEL_EXISTS = Message("N03", "a navigation model named {name} already exists", "choose another name")
SAME_NAME = Message("N04", "two navigation models are named {name}", "rename one of the files")
WRONG_MODELS = Message("N35", "navigation is of type {type}", "give a path, a list of paths, or a mapping of names")
UNKNOWN_MODEL = Message(
    "N05", "unknown navigation model {name}", "use one of {names}, or add one from a file with --navigation"
)
MISSPELT_MODEL = Message(
    "N06", "unknown navigation model {name}", "did you mean {nearest}? --navigation adds models from files"
)
UNRESOLVED_MODEL = Message(
    "N07", "the navigation model {name} is not defined here", "register it with register_navigation"
)
INVALID_TYPE = Message("N08", "the navigation model is of type {type}", "give a model, a graph or the path of one")

# Use of models
NEEDS_COLLECTION = Message("N11", "nav={name} leads from element to element", "give the collection (--collection)")
NEEDS_ELEMENTS = Message(
    "N12",
    "nav={name} leads from element to element, but {parameter} is {kind}",
    "use {parameter}=elements, or nav=coverage, distance or none",
)
NOT_PROBABILITIES = Message(
    "N13", "the navigation model {name} returns a probability outside [0, 1]", "return probabilities"
)

# Files of routes and tables
INVALID_ROUTE = Message("N21", "the route is {value}", "it must be a list of stops")
INVALID_STOP = Message("N22", "the route has the stop {value}", "it must be {expected}")
MISSING_CELL = Message("N23", "has no {column}", "give from, to and {value} in every row")
INVALID_NUMBER = Message("N24", "the {column} is {value}", "it must be {expected}")
REPEATED_ROW = Message("N25", "repeats the step from {start} to {end}", "give each step once")

# Learned graphs
NOT_A_GRAPH = Message("N31", "is not a navigation graph", "create one with partwise navigation learn")
INVALID_BY = Message("N32", "by is {value}", "it must be one of tag, path, null")
INVALID_STEP = Message("N33", "step {number} is {step}", "it must have from, to and a weight from 0")
REPEATED_STEP = Message("N34", "step {number} repeats an earlier one", "give each step once")
