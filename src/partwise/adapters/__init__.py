"""Other people's objects to ours: what retrievers of RAG frameworks return, and data sets of others.

Each module is imported by its name (``from partwise.adapters import langchain``). None of them imports the package it
serves: objects are known by what they have.
"""
