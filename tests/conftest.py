"""Fixtures, and the rule that a skipped test is a failure if ``PARTWISE_NO_SKIPS`` is set."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from support.paths import real_data

settings.register_profile(
    "partwise",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),  # the same examples in every CI run; new ones everywhere else
    max_examples=int(os.environ.get("PARTWISE_EXAMPLES", "150")),
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.load_profile("partwise")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and os.environ.get("PARTWISE_NO_SKIPS") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.longrepr = f"skipping is not allowed here: {reason}"
    return report


@pytest.fixture(scope="session")
def inex() -> Path:
    return real_data("inex2009-2010")


@pytest.fixture(scope="session")
def chunking() -> Path:
    return real_data("chunking")


@pytest.fixture(scope="session")
def evidence() -> Path:
    return real_data("evidence-inference")


@pytest.fixture(autouse=True)
def _restore_registries() -> Generator[None, None, None]:
    """Remove what a test, or an example of the documentation, registered."""
    from partwise import measures, plugins
    from partwise.formats import registry
    from partwise.relevance import quantise

    registries: list[dict[str, Any]] = [measures._REGISTERED, quantise._REGISTERED, plugins.NAVIGATION_MODELS]
    before = [dict(registered) for registered in registries]
    formats = list(registry._added)
    yield
    for registered, content in zip(registries, before, strict=True):
        registered.clear()
        registered.update(content)
    registry._added[:] = formats
    registry._of_package.cache_clear()


@pytest.fixture(scope="session", autouse=True)
def _cache_of_tests(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """Tests keep nothing in the folder of the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield
