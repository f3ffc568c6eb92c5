"""The libraries that draw charts in a page, as one script, which is made once and kept in a folder of the user."""

from __future__ import annotations

import contextlib
import os
import sys
from importlib import import_module
from pathlib import Path
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
        package(name)


def bundle() -> bytes:
    """Vega, Vega-Lite and Vega-Embed as one script, in UTF-8.

    To make it takes a second or two, so it is kept for the next report. A kept script that is damaged, or of another
    version, is made again; a folder that cannot be written is no error.
    """
    converter = package("vl_convert")
    try:
        kept = cache_folder() / f"chart-libraries-{_version(converter)}.js"
    except (OSError, RuntimeError):  # nobody knows where the user's folder is
        return _made(converter)
    script = _read(kept)
    if script is None:
        script = _made(converter)
        _keep(kept, script)
    return script


def _made(converter: Any) -> bytes:
    script: str = converter.javascript_bundle(EXPORTS)
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--").encode()


def cache_folder() -> Path:
    """Where files are kept that can be made again: ``partwise`` in the user's folder for such files."""
    if folder := os.environ.get("XDG_CACHE_HOME"):
        return Path(folder) / "partwise"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "partwise" / "cache"
    return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "partwise"


def _version(converter: Any) -> str:
    """What the script depends on: the version of the package that contains the libraries, and what is exported."""
    library = Path(converter.vl_convert.__file__).stat()
    parts = (getattr(converter, "__version__", ""), library.st_size, library.st_mtime_ns, EXPORTS)
    return _checksum(repr(parts).encode()).decode()


def _checksum(data: bytes) -> bytes:
    """Finds damage; a digest against attacks would be no use beside the file, and loads a large library."""
    return b"%08x-%x" % (crc32(data), len(data))


def _read(path: Path) -> bytes | None:
    """A script that was kept, None if there is none or its checksum, which is the first line, is another."""
    try:
        checksum, _, script = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    return script if _checksum(script) == checksum else None


def _keep(path: Path, script: bytes) -> None:
    """Keep a script: the whole file at once, so that another process never reads a part of it."""
    part = path.with_suffix(f".{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("xb") as file:
            file.write(_checksum(script) + b"\n" + script)
        part.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink()
