"""Where scores come from: command, version, inputs with their hashes, options, date.

An evaluation only notes names, sizes and dates of its files; they are read again, for their hashes, when scores are
saved.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence

from partwise._version import __version__
from partwise.errors import PartwiseError, shown
from partwise.files import Below
from partwise.messages import files as file_messages
from partwise.messages import writing
from partwise.settings import current

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Record = dict[str, "Any"]
"""Provenance as it is saved, in JSON."""

PYTHON = "Python"
SUFFIX = ".provenance.json"
"""Added to the name of a file of scores, the name of the file with its provenance."""
KEY = "partwise"
"""The key of the metadata of a Parquet file, and the first field of every record: the version."""
COMPARED = ("qrels", "collection", "unit", "average_over", "assessor", "judged")
"""What scores must have in common to be compared."""

_LABELS = {"average_over": "average-over", "judged": "the number of judged queries"}


class Input:
    """A file, a folder or an object that an evaluation reads."""

    def __init__(self, role: str, value: Any, name: str | None = None) -> None:
        self.role, self.name = role, name
        self.path = os.fspath(value) if isinstance(value, (str, os.PathLike)) else None
        self.kind = _kind_of_object(value)
        self.state: tuple[int, int] | None = None
        self.follow_links = current().follow_links
        if self.path is not None:
            self.kind, self.state = _state(self.path)

    def record(self) -> Record:
        """The input as it is saved; a file is read for its hash."""
        record: Record = {"role": self.role}
        if self.name is not None:
            record["name"] = self.name
        if self.path is None:
            return record | {"object": self.kind}
        record[self.kind] = self.path
        if self.kind == "folder":
            return record | _record_of_folder(self.path, self.follow_links)
        if self.kind == "file" and self.state is not None:
            record |= {"size": self.state[0], "sha256": _hash_of_file(self.path)}
            if _state(self.path) != (self.kind, self.state):
                raise PartwiseError(writing.INPUT_CHANGED(), file=self.path)
        return record


def _kind_of_object(value: Any) -> str:
    kind = type(value)
    package = str(kind.__module__).partition(".")[0]
    return kind.__qualname__ if package == "builtins" else f"{package}.{kind.__qualname__}"


def _state(path: str) -> tuple[str, tuple[int, int] | None]:
    """What is at a path, and size and date of a file. A stream cannot be read again; a path may be a URL."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return "path", None
    if stat.S_ISDIR(found.st_mode):
        return "folder", None
    return ("file", (found.st_size, found.st_mtime_ns)) if stat.S_ISREG(found.st_mode) else ("stream", None)


def _hash_of_file(path: str) -> str:
    import hashlib

    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise PartwiseError(file_messages.CANNOT_READ(reason=error.strerror or error), file=path) from None


def _record_of_folder(path: str, follow_links: bool) -> Record:
    """The number of files, and a hash of their names and sizes, which is fast for large collections."""
    names = Below(path, follow_links).files
    try:
        lines = [f"{name}\t{os.path.getsize(os.path.join(path, name))}\n" for name in names]
    except OSError as error:
        raise PartwiseError(file_messages.CANNOT_READ(reason=error.strerror or error), file=path) from None
    return {"files": len(names), "sha256": hash_of("".join(lines).encode("utf-8", "surrogateescape"))}


def hash_of(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()


def inputs_of(role: str, value: Any) -> list[Input]:
    """The inputs in an argument of the user: one, or several paths in a list or, of navigation models, in a mapping."""
    if value is None:
        return []
    if isinstance(value, Mapping) and role == "navigation":
        return [Input(role, item, str(name)) for name, item in value.items()]
    if isinstance(value, (list, tuple)) and value and all(isinstance(item, (str, os.PathLike)) for item in value):
        return [Input(role, item) for item in value]
    return [Input(role, value)]


class Provenance:
    """Where scores come from; `record` returns it as a mapping, for which files are read.

    Scores of several files have `parts`, the provenance of each file by its name (None if it has none).
    """

    def __init__(
        self,
        inputs: Sequence[Input] = (),
        options: Mapping[str, Any] | None = None,
        measures: Sequence[str] | None = None,
        *,
        saved: Record | None = None,
        parts: Mapping[str, Provenance | None] | None = None,
    ) -> None:
        self.inputs = inputs
        self.options = options
        self.measures = measures
        self.saved = saved
        self.parts = parts

    def record(self, command: str = PYTHON) -> Record:
        """The provenance in JSON: as it was saved, or as of now."""
        if self.saved is not None:
            return dict(self.saved)
        record: Record = {KEY: __version__, "command": command, "date": _date()}
        if self.parts is not None:
            record["parts"] = {
                name: None if part is None else part.record(command) for name, part in self.parts.items()
            }
            return record
        record["inputs"] = [one.record() for one in self.inputs]
        if self.options is not None:
            record["options"] = dict(self.options)
        if self.measures is not None:
            record["measures"] = list(self.measures)
        return record

    def __repr__(self) -> str:
        names = [f"{one.role} {one.path or one.kind}" for one in self.inputs]
        return f"Provenance({', '.join(names or self.parts or ['saved' if self.saved else 'unknown'])})"


def _date() -> str:
    """The time in UTC, or that of SOURCE_DATE_EPOCH, as reproducible builds set it."""
    from datetime import UTC, datetime

    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    try:
        now = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    except (ValueError, OverflowError, OSError):
        raise PartwiseError(writing.BAD_EPOCH(value=shown(epoch))) from None
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")


# ---- reading ------------------------------------------------------------------------------------------------------


def is_record(value: Any) -> bool:
    """Whether a JSON value is a record that this or another version wrote."""
    inputs = value.get("inputs", []) if isinstance(value, dict) else None
    return (
        isinstance(inputs, list)
        and isinstance(value.get(KEY), str)
        and isinstance(value.get("options", {}), dict)
        and isinstance(value.get("parts", {}), dict)
        and all(isinstance(one, dict) for one in inputs)
        and all(part is None or is_record(part) for part in value.get("parts", {}).values())
    )


def judged_in(record: Record) -> int:
    """The number of judged queries, 0 if it is not recorded."""
    judged = record.get("judged", 0)
    return judged if isinstance(judged, int) else 0


def refuse_to_mix(records: Sequence[tuple[str, Record | None]]) -> None:
    """Raise an error if files of scores come from evaluations that cannot be compared; what is unknown is accepted."""
    first_of: dict[str, tuple[str, str, str]] = {}
    for file, record in records:
        for part in _parts(record):
            for field in COMPARED:
                identity, value = _compared(part, field)
                if not identity:
                    continue
                first_file, first, other = first_of.setdefault(field, (file, identity, value))
                if first != identity:
                    message = writing.NOT_COMPARABLE(
                        field=_LABELS.get(field, field), value=value, other=other, first=first_file
                    )
                    raise PartwiseError(message, file=file)


def _parts(record: Record | None) -> Iterator[Record]:
    if record is None:
        return
    if "parts" not in record:
        yield record
    for part in record.get("parts", {}).values():
        yield from _parts(part)


def _compared(record: Record, field: str) -> tuple[str, str]:
    """A field as it is compared, empty if it is not known, and as users read it."""
    if field == "judged":
        judged = judged_in(record)
        return (str(judged), str(judged)) if judged else ("", "")
    if field not in ("qrels", "collection"):
        options = record.get("options", {})
        value = "the first" if options.get(field) is None else str(options[field])
        return (value, value) if field in options else ("", "")
    identities, names = [], []
    for one in record.get("inputs", []):
        if one.get("role") == field:
            name = str(one.get("file") or one.get("folder") or one.get("path") or "")
            sha = str(one.get("sha256", ""))
            identities.append(sha or str(one.get("path", "")))
            names.append(f"{name} (SHA-256 {sha[:8]}...)" if sha else name)
    if not all(identities):
        return "", ""
    return " ".join(sorted(identities)), ", ".join(names)
