"""Several files of INEX XML, one per query and pool, read as one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from partwise.errors import PartwiseError
from partwise.files import archived, decompressed, files_below, is_archive, read_bytes, refuse_special, run_names
from partwise.formats import registry
from partwise.formats.inex_xml import XML
from partwise.formats.opening import recognised
from partwise.formats.pools import assessments_of, read_pool
from partwise.formats.problems import Reader
from partwise.model import Assessments, Files


def read_several(paths: Sequence[Any], unit: str, lenient: bool, notes: list[str] | None) -> Assessments:
    """The assessments in these files, and in those of folders and archives among them."""
    name = os.fspath(paths[0])
    name = name if len(paths) == 1 else f"{name} and {len(paths) - 1} more"
    return _read_pools([file for path in paths for file in _files_of(path)], name, unit, lenient, notes)


def read_archive(data: bytes, name: str, unit: str, lenient: bool, notes: list[str] | None) -> Assessments:
    """The assessments in the files of an archive."""
    return _read_pools(_archived_files(data, name), name, unit, lenient, notes)


def _files_of(path: Any) -> list[tuple[str, bytes]]:
    """The files that a path stands for, by name: itself, or those of a folder or an archive."""
    name = os.fspath(path)
    if os.path.isdir(name):
        paths = [os.path.join(name, file) for file in sorted(files_below(name)) if _is_xml(file)]
        for file in paths:
            refuse_special(file, file)
        return _some([(file, read_bytes(file)) for file in paths], name)
    data = read_bytes(name)
    return _archived_files(data, name) if is_archive(data) else [(name, data)]


def _archived_files(data: bytes, name: str) -> list[tuple[str, bytes]]:
    found = ((f"{name}/{member}", content) for member, content in archived(data, name, _is_xml))
    return _some([(path, decompressed(content, path)) for path, content in found], name)


def _is_xml(name: str) -> bool:
    return registry.suffix_of(name) == XML.suffixes[0] and not os.path.basename(name).startswith(".")


def _some(files: list[tuple[str, bytes]], name: str) -> list[tuple[str, bytes]]:
    if not files:
        raise PartwiseError("has no XML files", "give assessments as INEX XML, a file per query and pool", file=name)
    return files


def _read_pools(
    files: list[tuple[str, bytes]], name: str, unit: str, lenient: bool, notes: list[str] | None
) -> Assessments:
    """Files of INEX XML as one; when lenient, a file that cannot be read is left out and counted."""
    before = [0, *np.cumsum([data.count(b"\n") + data.count(b"\r") + 2 for _, data in files]).tolist()]
    source = Files(name, names=[file for file, _ in files], before=before[:-1])
    reader = Reader(source, lenient, notes if notes is not None else [])
    pools, names = [], []
    for (file, data), first in zip(files, before, strict=False):
        try:
            data, format, _ = recognised(file, data, lenient, None)
            if format is not XML:
                raise PartwiseError("is no XML", "several files are read as one only if they are INEX XML", file=file)
            pools.append(read_pool(data, reader, first))
            names.append(file)
        except PartwiseError as error:
            if not lenient:
                reader.settle()
                raise
            reader.errors.setdefault((first,), error)
    found = assessments_of(pools, run_names(names), reader, unit)
    if not len(found.documents.lines):
        raise source.error("has no judgements", f"give assessments as {registry.readable()}")
    return found
