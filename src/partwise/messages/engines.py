"""Messages of the engines: local threads and Spark."""

from partwise.messages import Message

SAME_RUN_NAME = Message(
    "E01",
    "two runs are named {run_id!r}, in {first} and {second}",
    "give every run its own name, that of a file with --as NAME=FILE",
)

# engines/spark.py
SPARK_PACKAGE_MISSING = Message(
    "E02", "the spark engine needs {package}, which is not installed", "run pip install 'partwise[spark]'"
)
FROM_WORKER = Message("E03", "{line}")  # a worker's error arrives as the line that it prints
RUNS_TYPE = Message("E04", "runs is of type {type}", "give a Spark DataFrame")
SEVERAL_ASSESSORS = Message(
    "E05",
    "query {query} has {count} assessors, and a DataFrame has no first one",
    "name one (assessor=...), or number the rows in a column 'row'",
)
COLLECTION_UNREADABLE = Message(
    "E06",
    "the worker on {host} cannot read the collection {collection} ({reason})",
    "give a path that every worker can read",
)
ROW_TYPE = Message("E08", "the column {name!r} is of type {type}", "number the rows with whole numbers")
RUN_ID_TYPE = Message("E09", "the column 'run_id' is of type {type}", "it must hold strings or whole numbers")
NO_ORDER_COLUMN = Message(
    "E10", "has no column 'rank', 'score' or 'row', and a DataFrame has no order", "add one of these columns"
)
NO_ORDER = Message(
    "E11",
    "query {query} has neither ranks nor scores, and a DataFrame has no order",
    "add a rank, a score or a column 'row'",
)
NO_ROW_NUMBER = Message("E13", "has no row number", "number every row")

TWO_NAMES = Message(
    "E22", "the columns {first} and {second} mean the same, and none of them is called {name}", "rename one to {name}"
)

# engines/spark_files.py
SPARK_DOES_NOT_START = Message(
    "E15", "Spark does not start on {master} ({reason})", "it needs Java 17 or later and a master that it can reach"
)
NOT_PARQUET = Message("E16", "is damaged or not a Parquet file", "the spark engine reads Parquet only")
UNREADABLE = Message(
    "E17",
    "Spark cannot read this ({reason})",
    "check the path, your permissions, and that Spark has the package for this store",
)
NO_RESULTS = Message("E20", "has no results", "give a run with at least one result")
NO_RUN_ID = Message("E21", "has no run_id", "give every row its run_id")
