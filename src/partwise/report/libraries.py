"""The libraries that draw charts in a page, as one script, which is made once and kept in a folder of the user."""

from __future__ import annotations

import contextlib
import os
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any
from zlib import crc32

from partwise.errors import PartwiseError
from partwise.messages import report

PACKAGES = {"vl_convert": "vl-convert-python"}
EXPORTS = "window.vegaEmbed = vegaEmbed; window.vega = vega; window.vegaLite = vegaLite;"
"""What a page uses of the libraries."""


def package(name: str) -> Any:
    """A package of the extra for reports; an error if it is missing."""
    try:
        return import_module(name)
    except ImportError:
        raise PartwiseError(report.REPORT_PACKAGE_MISSING(package=PACKAGES[name])) from None


def require_packages() -> None:
    """Fail before any work if a package of the extra is missing."""
    for name in PACKAGES:
        _files_of(name)


def _files_of(name: str) -> list[tuple[str, int, int]]:
    """The files of a package of the extra, which is not loaded, with their sizes and times; an error without it."""
    spec = find_spec(name)
    if spec is None or spec.submodule_search_locations is None:
        raise PartwiseError(report.REPORT_PACKAGE_MISSING(package=PACKAGES[name]))
    entries = [entry for folder in spec.submodule_search_locations for entry in os.scandir(folder) if entry.is_file()]
    return sorted((entry.name, entry.stat().st_size, entry.stat().st_mtime_ns) for entry in entries)


def bundle() -> bytes:
    """Vega, Vega-Lite and Vega-Embed as one script, in UTF-8.

    To make it takes a second or two, so it is kept for the next report. A kept script that is damaged, or of another
    version, is made again; a folder that cannot be written is no error.
    """
    try:
        kept = os.path.join(cache_folder(), f"chart-libraries-{_version()}.js")
    except OSError:  # nobody knows where the user's folder is
        return _made()
    script = _read(kept)
    if script is None:
        script = _made()
        _keep(kept, script)
    return script


def _made() -> bytes:
    script: str = package("vl_convert").javascript_bundle(EXPORTS)
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--").encode()


def cache_folder() -> str:
    """Where files are kept that can be made again: ``partwise`` in the user's folder for such files."""
    if folder := os.environ.get("XDG_CACHE_HOME"):
        return os.path.join(folder, "partwise")
    home = os.path.expanduser("~")
    if home == "~":
        raise OSError
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
        return os.path.join(local, "partwise", "cache")
    return os.path.join(home, *(("Library", "Caches") if sys.platform == "darwin" else (".cache",)), "partwise")


def _version() -> str:
    """What the script depends on: the files of the package that contains the libraries, and what is exported."""
    return _checksum(repr((_files_of("vl_convert"), EXPORTS)).encode()).decode()


def _checksum(data: bytes) -> bytes:
    """Finds damage; a digest against attacks would be no use beside the file, and loads a large library."""
    return b"%08x-%x" % (crc32(data), len(data))


def _read(path: str) -> bytes | None:
    """A script that was kept, None if there is none or its checksum, which is the first line, is another."""
    try:
        with open(path, "rb") as file:
            checksum, _, script = file.read().partition(b"\n")
    except OSError:
        return None
    return script if _checksum(script) == checksum else None


def _keep(path: str, script: bytes) -> None:
    """Keep a script: the whole file at once, so that another process never reads a part of it."""
    part = f"{path.removesuffix('.js')}.{os.getpid()}.part"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(part, "xb") as file:
            file.write(_checksum(script) + b"\n" + script)
        os.replace(part, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(part)
