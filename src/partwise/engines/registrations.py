"""What users registered (quantisations, measures, tokenizers), as it is sent to other processes."""

from __future__ import annotations

import pickle

from partwise.measures import register_measure, registered_measures
from partwise.relevance.quantise import register_quantisation, registered
from partwise.tokens import register_tokenizer, registered_tokenizers


def packed() -> bytes:
    """All registrations of this process, with their functions and classes."""
    from pyspark import cloudpickle

    data: bytes = cloudpickle.dumps((registered(), registered_measures(), registered_tokenizers()))
    return data


def restore(data: bytes) -> None:
    """Register what another process packed."""
    quantisations, measures, tokenizers = pickle.loads(data)
    for name, function in quantisations.items():
        register_quantisation(name, function)
    for kind in dict.fromkeys(measures.values()):
        register_measure(kind)
    for name, function in tokenizers.items():
        register_tokenizer(name, function)
