"""The documentation as a site: ``make docs``."""

from __future__ import annotations

import logging
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

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
autodoc_typehints = "none"
autodoc_member_order = "bysource"
nitpicky = False
smartquotes = False  # messages and names are shown as they are printed
exclude_patterns = ["_build", "generated/notebooks", "generated/ipython"]

# Guides that are notebooks are executed, each in an empty folder; a cell that fails ends the build.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_execution_in_temp = True
nb_execution_timeout = 60
nb_merge_streams = True
logging.getLogger("traitlets").setLevel(logging.WARNING)  # that a notebook is executed is no news

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
PROFILE = HERE / "generated" / "ipython" / "profile_default"
PROFILE.mkdir(parents=True)
shutil.copy(HERE / "ipython_kernel_config.py", PROFILE)
os.environ["IPYTHONDIR"] = str(PROFILE.parent)
