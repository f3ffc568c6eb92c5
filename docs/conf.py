"""The documentation as a site: ``make docs``."""

from __future__ import annotations

import os
import shutil
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

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
autodoc_typehints = "none"
autodoc_member_order = "bysource"
nitpicky = False
smartquotes = False  # messages and names are shown as they are printed
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = f"partwise {release}"
html_show_sphinx = False
html_copy_source = False

# Formulas are typeset in the browser, by a copy of MathJax that is part of the site, so that pages work from disk.
MATHJAX = HERE.parent / os.environ.get("VENV", ".venv") / "npm" / "node_modules" / "mathjax" / "es5"
if not (MATHJAX / "tex-svg.js").is_file():
    raise SystemExit(f"no MathJax in {MATHJAX}; make docs installs it (it needs npm)")
html_static_path = ["_static", "style"]
html_css_files = ["site.css"]
shutil.rmtree(HERE / "_static" / "mathjax", ignore_errors=True)
(HERE / "_static" / "mathjax").mkdir(parents=True)
shutil.copy(MATHJAX / "tex-svg.js", HERE / "_static" / "mathjax")
mathjax_path = "mathjax/tex-svg.js"

generate.write(HERE / "generated")
