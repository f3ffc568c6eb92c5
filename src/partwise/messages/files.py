"""Opening, decompressing and writing files, and loading installed plugins."""

from partwise.messages import Counted, Message

# Reading
GIVEN_TWICE = Message("F01", "{path} is given twice", "give every file once")
NO_SUCH_FILE = Message("F02", "no such file", "give the path of a file that exists")
NO_SUCH_PATH = Message("F15", "no such file or folder", "give a path that exists")
IS_FOLDER = Message("F03", "is a folder", "give the path of a file")
CANNOT_READ = Message("F04", "cannot be read ({reason})", "check its path and permissions")
NOT_REGULAR = Message("F05", "is not a regular file", "give a folder of regular files")
READ_TWICE = Message("F19", "is a pipe or a device, which cannot be read twice", "save it to a file and give the file")
NO_STANDARD_INPUT = Message("F16", "standard input is closed", "redirect a file to it, or give the path of a file")

# Links in folders
LINKS_NOT_FOLLOWED = Counted(
    "F20",
    "1 link that leads to a folder or out of this one is not followed: {first}",
    "{count} links that lead to folders or out of this one are not followed; the first is {first}",
    "follow them with --follow-links",
)
LINKS_REPEATED = Counted(
    "F21",
    "1 link leads to a folder that was read already: {first}",
    "{count} links lead to folders that were read already; the first is {first}",
)

# Compressed files and archives
DAMAGED = Message("F06", "is damaged or cut short ({compression}: {reason})", "compress it again")
FILE_TOO_LARGE = Message(
    "F07",
    "expands to more than {limit}",
    "decompress it and give the file, or raise the limit: --max-unpacked {larger}",
)
ARCHIVE_TOO_LARGE = Message(
    "F08", "expands to more than {limit}", "unpack it and give the folder, or raise the limit: --max-unpacked {larger}"
)
PARQUET_TOO_LARGE = Message(
    "F22", "expands to more than {limit}", "split it into several files, or raise the limit: --max-unpacked {larger}"
)
QUERY_TOO_LARGE = Message(
    "F17",
    "the lines of one query expand to more than {limit}",
    "decompress it and give the file, or raise the limit: --max-unpacked {larger}",
)
ENDLESS = Message(
    "F18",
    "does not end within {limit}",
    "save it to a file and give the file, or raise the limit: --max-unpacked {larger}",
)
DAMAGED_ARCHIVE = Message("F09", "is damaged or not an archive ({reason})", "create it again")
SAME_NAME = Message("F10", "contains two files named {name}", "give every file a different name")

# Writing
FOLDER_TO_WRITE = Message("F11", "is a folder", "give the path of a file to write")
CANNOT_WRITE = Message("F12", "cannot be written ({reason})", "give a path in a folder you can write to")
CANNOT_WRITE_FOLDER = Message("F13", "cannot be written ({reason})", "give a folder you can write to")

# Plugins
CANNOT_LOAD = Message("F14", "{name} of the package {package} cannot be loaded ({reason})")
