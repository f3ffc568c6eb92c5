"""Comparisons of systems, and studies of how reliable measures are.

`agreement`, `error_rate`, `queries`, `power`, `compare` and `curves` take scores; `assessors` and `perturb` take an
evaluator and runs. All return findings with ``rows()``, ``notes`` and ``to_pandas()``.

Each is loaded when it is first used: a report needs two of them, a diagnosis none.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from partwise.study.assessor_variation import assessors as assessors
    from partwise.study.comparison import compare as compare
    from partwise.study.curve_points import curves as curves
    from partwise.study.discriminative_power import power as power
    from partwise.study.error_rates import error_rate as error_rate
    from partwise.study.measure_agreement import agreement as agreement
    from partwise.study.perturbation import perturb as perturb
    from partwise.study.query_sets import queries as queries

_MODULES = {
    "agreement": "measure_agreement",
    "assessors": "assessor_variation",
    "compare": "comparison",
    "curves": "curve_points",
    "error_rate": "error_rates",
    "perturb": "perturbation",
    "power": "discriminative_power",
    "queries": "query_sets",
}

__all__ = ["agreement", "assessors", "compare", "curves", "error_rate", "perturb", "power", "queries"]


def __dir__() -> list[str]:
    return __all__


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module 'partwise.study' has no attribute {name!r}")
        study = globals()[name] = getattr(import_module(f"partwise.study.{_MODULES[name]}"), name)
        return study
