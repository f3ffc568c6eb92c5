"""Array in, array out: the functions that do the work on whole columns. No names, no files.

The kernels are C++ (``src/native``); what they do is said in ``_native.pyi``. Every name that this stub declares
without a leading underscore is a kernel, and there is no other list of them.
"""

from partwise.kernels._native import *  # noqa: F403
from partwise.kernels.arrays import *  # noqa: F403
from partwise.kernels.readers import *  # noqa: F403
