"""Running the examples of a page."""

from __future__ import annotations

import doctest


def run_examples(text: str) -> doctest.TestResults:
    test = doctest.DocTestParser().get_doctest(text, {}, "peers.md", None, None)
    return doctest.DocTestRunner().run(test)
