"""Comparisons of systems, and studies of how reliable measures are.

`agreement`, `error_rate`, `queries`, `power`, `compare` and `curves` take scores; `assessors` and `perturb` take an
evaluator and runs. All return findings with ``rows()``, ``notes`` and ``to_pandas()``.
"""

from __future__ import annotations

from partwise.study.assessor_variation import assessors
from partwise.study.comparison import compare
from partwise.study.curve_points import curves
from partwise.study.discriminative_power import power
from partwise.study.error_rates import error_rate
from partwise.study.measure_agreement import agreement
from partwise.study.perturbation import perturb
from partwise.study.query_sets import queries

__all__ = ["agreement", "assessors", "compare", "curves", "error_rate", "perturb", "power", "queries"]


def __dir__() -> list[str]:
    return __all__
