"""Other people's objects to ours and back: RAG frameworks, data sets of others, other evaluators.

Each module is imported by its name (``from partwise.adapters import langchain``). Only `ir_measures` imports the
package it serves: elsewhere objects are known by what they have.
"""
