"""Quantisation of grades."""
