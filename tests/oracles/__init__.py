"""Slow and obviously correct versions of the measures and kernels, and the random worlds they are compared on."""
