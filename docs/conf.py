"""The documentation as a site: ``make docs``."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import generate  # noqa: E402

from partwise import __version__  # noqa: E402

project = "partwise"
author = "the partwise developers"
copyright = "the partwise developers, Apache-2.0"
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_heading_anchors = 3
autodoc_typehints = "none"
autodoc_member_order = "bysource"
nitpicky = False
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = f"partwise {release}"
html_show_sphinx = False
html_copy_source = False

generate.write(HERE / "generated")
