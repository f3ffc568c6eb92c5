"""Messages of the engines: local threads and Spark."""

from partwise.messages import Message

SAME_RUN_NAME = Message("E01", "two runs are called {run_id!r}, in {first} and {second}", "give every run its own name")

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
COLUMN_TWICE = Message("E07", "has two columns {name!r}", "column names must be unique")
ROW_TYPE = Message("E08", "the column {name!r} is of type {type}", "number the rows with whole numbers")
RUN_ID_TYPE = Message("E09", "the column 'run_id' is of type {type}", "it must be text or whole numbers")
NO_ORDER_COLUMN = Message(
    "E10", "has no column 'rank', 'score' or 'row'", "a DataFrame has no order: add one of these columns"
)
NO_ORDER = Message(
    "E11",
    "query {query} has neither ranks nor scores, and a DataFrame has no order",
    "add a rank, a score or a column 'row'",
)
ROWS_PER_TASK = Message("E12", "rows_per_task is {value}", "it must be a whole number from 1")
NO_ROW_NUMBER = Message("E13", "has no row", "number every row")
NO_COMMON_QUERY = Message(
    "E14",
    "has no query in common with {qrels}",
    "its first query is {first}, theirs is {judged}",
)

# engines/spark_files.py
SPARK_DOES_NOT_START = Message(
    "E15", "Spark does not start on {master} ({reason})", "it needs Java 17 or later and a master that it can reach"
)
NOT_PARQUET = Message("E16", "is not a Parquet file, or is damaged", "the spark engine reads Parquet only")
UNREADABLE = Message(
    "E17",
    "Spark cannot read this ({reason})",
    "check the path, your permissions, and that Spark has the package for this store",
)
GIVEN_TWICE = Message("E18", "{path} is given twice", "give every run once")
NO_FILE = Message("E19", "no such file or folder", "give the path of a file that exists")
NO_RESULTS = Message("E20", "has no results", "give a run with at least one row")
NO_RUN_ID = Message("E21", "has no run_id", "give every row its run_id")
