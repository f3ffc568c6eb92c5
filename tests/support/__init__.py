"""Helpers for several test files: paths, small inputs, and ways to run commands and examples."""
