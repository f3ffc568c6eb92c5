"""What users registered reaches other processes; with Spark itself in `test_spark.py`."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from partwise import tokens
from partwise.engines import registrations
from partwise.measures import registered_measures
from partwise.relevance import quantise


def whole(text: str) -> list[tuple[int, int]]:
    return [(0, len(text))] if text else []


def test_registrations_are_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_REGISTERED", {})
    monkeypatch.setattr(quantise, "_REGISTERED", {})
    before = registered_measures()
    registrations.restore(pickle.dumps(({"lowest": np.minimum}, before, {"whole": whole})))
    assert quantise.registered() == {"lowest": np.minimum}
    assert registered_measures() == before
    assert tokens.registered_tokenizers() == {"whole": whole}
    assert tokens.tokenizer("whole").spans("a b")[1].tolist() == [3]
