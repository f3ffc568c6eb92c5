"""A plugin of pytest: the fixture ``partwise_gate`` fails a test if a change must not be merged.

pytest loads it at its start, so it imports nothing else until the fixture is used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from partwise.later import api, gate_rules

if TYPE_CHECKING:
    from partwise.study.gate import Gate


@pytest.fixture(scope="session")
def partwise_gate(pytestconfig: pytest.Config) -> Callable[..., Gate]:
    """A function with the parameters of `partwise.gate` that fails the test if a rule fails.

    Without rules of its own it uses those of ``partwise.toml`` or ``pyproject.toml`` in pytest's root folder.
    """

    def check(baseline: Any, change: Any, **options: Any) -> Gate:
        __tracebackhide__ = True
        if not any(options.get(name) for name in ("floor", "max_drop", "no_loss", "rules")):
            options["rules"] = gate_rules.file_in_folder(pytestconfig.rootpath)
        result = api.gate(baseline, change, **options)
        if not result.passed:
            lines = [f"  {check.name}: {check.reason}" for check in result.failed]
            pytest.fail("\n".join([result.summary, *lines]), pytrace=False)
        return result

    return check
