"""Conversion of other packages' objects to ours and back: RAG frameworks, data sets, other evaluators.

Import each module by its name (``from partwise.adapters import langchain``). Only `ir_measures` imports the package
that it serves; the others recognise objects by their attributes.
"""
