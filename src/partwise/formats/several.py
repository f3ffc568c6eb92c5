"""Reading several INEX XML files, one per query and pool, as one set of assessments."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from partwise.errors import PartwiseError
from partwise.files import Below, archived, decompressed, is_archive, read_bytes, refuse_special, run_names
from partwise.formats import registry
from partwise.formats.inex_xml import XML
from partwise.formats.opening import recognised
from partwise.formats.pools import assessments_of, read_pool
from partwise.formats.problems import Reader
from partwise.messages import writing, xml
from partwise.model import Assessments, Files
from partwise.settings import current
from partwise.units import CHARS


def read_several(paths: Sequence[Any], unit: str | None, lenient: bool, notes: list[str] | None) -> Assessments:
    """The assessments in these files, folders and archives."""
    name = os.fspath(paths[0])
    name = name if len(paths) == 1 else f"{name} and {len(paths) - 1} more"
    notes = notes if notes is not None else []
    return _read_pools([file for path in paths for file in _files_of(path, notes)], name, unit, lenient, notes)


def read_archive(data: bytes, name: str, unit: str | None, lenient: bool, notes: list[str] | None) -> Assessments:
    """The assessments in the files of an archive."""
    return _read_pools(_archived_files(data, name), name, unit, lenient, notes)


def _files_of(path: Any, notes: list[str]) -> list[tuple[str, bytes]]:
    """The name and content of the file at a path, or of the XML files in a folder or an archive."""
    name = os.fspath(path)
    if os.path.isdir(name):
        below = Below(name)
        notes += below.notes(name)
        paths = [os.path.join(name, file) for file in sorted(below.files) if _is_xml(file)]
        for file in paths:
            refuse_special(file, file)
        return _not_empty([(file, read_bytes(file)) for file in paths], name)
    data = read_bytes(name)
    return _archived_files(data, name) if is_archive(data) else [(name, data)]


def _archived_files(data: bytes, name: str) -> list[tuple[str, bytes]]:
    """The files of an archive; those that are compressed in turn share its limit."""
    left = current().max_unpacked
    unpacked = []
    for member, content in archived(data, name, _is_xml):
        path = f"{name}/{member}"
        unpacked.append((path, decompressed(content, path, current(), left)))
        left = max(0, left - len(unpacked[-1][1]))
    return _not_empty(unpacked, name)


def _is_xml(name: str) -> bool:
    return registry.suffix_of(name) == XML.suffixes[0] and not os.path.basename(name).startswith(".")


def _not_empty(files: list[tuple[str, bytes]], name: str) -> list[tuple[str, bytes]]:
    if not files:
        raise PartwiseError(xml.NO_XML_FILES(), file=name)
    return files


def _read_pools(
    files: list[tuple[str, bytes]], name: str, unit: str | None, lenient: bool, notes: list[str] | None
) -> Assessments:
    """The assessments in INEX XML files; when lenient, a file that cannot be read is skipped and counted."""
    before = [0, *np.cumsum([data.count(b"\n") + data.count(b"\r") + 2 for _, data in files]).tolist()]
    source = Files(name, names=[file for file, _ in files], before=before[:-1])
    reader = Reader(source, lenient, notes if notes is not None else [])
    pools, names = [], []
    for (file, data), first in zip(files, before, strict=False):
        try:
            data, format, _ = recognised(file, data, lenient, None)
            if format is not XML:
                raise PartwiseError(xml.NOT_XML(), file=file)
            pools.append(read_pool(data, reader, first))
            names.append(file)
        except PartwiseError as error:
            if not lenient:
                reader.settle()
                raise
            reader.errors.setdefault((first,), error)
    assessments = assessments_of(pools, run_names(names), reader, unit or CHARS)
    if not assessments.has_rows:
        raise source.error(writing.NO_JUDGEMENTS(formats=registry.readable()))
    return assessments
