"""Quantisation of grades, and the elements that are ideal to return."""
