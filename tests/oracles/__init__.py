"""Slow and obviously right versions of what partwise computes, and the random worlds they are compared on."""
