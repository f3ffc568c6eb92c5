"""Opening, decompressing and writing files, and loading installed plugins."""

from partwise.messages import Message

# Reading
GIVEN_TWICE = Message("F01", "{path} is given twice", "give every file once")
NO_SUCH_FILE = Message("F02", "no such file", "give the path of a file that exists")
NO_SUCH_PATH = Message("F15", "no such file or folder", "give a path that exists")
IS_FOLDER = Message("F03", "is a folder", "give the path of a file")
CANNOT_READ = Message("F04", "cannot be read ({reason})", "check its path and permissions")
NOT_REGULAR = Message("F05", "is not a regular file", "give a folder of regular files")
NO_STANDARD_INPUT = Message("F16", "standard input is closed", "redirect a file to it, or give the path of a file")

# Compressed files and archives
DAMAGED = Message("F06", "is damaged or cut short ({compression}: {reason})", "compress it again")
FILE_TOO_LARGE = Message("F07", "expands to more than {limit} GiB", "decompress it and give the file")
ARCHIVE_TOO_LARGE = Message("F08", "expands to more than {limit} GiB", "unpack it and give the folder")
DAMAGED_ARCHIVE = Message("F09", "is damaged or not an archive ({reason})", "create it again")
SAME_NAME = Message("F10", "contains two files named {name}", "give every file a different name")

# Writing
FOLDER_TO_WRITE = Message("F11", "is a folder", "give the path of a file to write")
CANNOT_WRITE = Message("F12", "cannot be written ({reason})", "give a path in a folder you can write to")
CANNOT_WRITE_FOLDER = Message("F13", "cannot be written ({reason})", "give a folder you can write to")

# Plugins
CANNOT_LOAD = Message("F14", "{name} of the package {package} cannot be loaded ({reason})")
