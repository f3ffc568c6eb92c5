"""The kernel that executes the guides when the site is built; ``conf.py`` makes it the only configuration of IPython.

Charts are drawn as SVG: by default Altair loads the code that draws them from the network, and pages work without one.
"""

import logging

c = get_config()  # noqa: F821 - IPython defines it
c.IPKernelApp.exec_lines = ["import altair; altair.renderers.enable('svg'); del altair"]
c.IPKernelApp.log_level = logging.ERROR  # no warning that messages on the same machine are not encrypted
