"""Kernels: functions from arrays to arrays, independent of names and files.

They are written in C++ (``src/native``) and documented in ``_native.pyi``. Every name in this stub without a leading
underscore is a kernel; there is no other list of them.
"""

from partwise.kernels._native import *  # noqa: F403
from partwise.kernels.arrays import *  # noqa: F403
from partwise.kernels.cells import *  # noqa: F403
from partwise.kernels.readers import *  # noqa: F403
