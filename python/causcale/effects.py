"""How strong an arrow is, and what happens to one variable when another is changed. See docs/effects.md."""
from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple


@dataclass(frozen=True)
class EdgeEffect:
    """The direct effect along one edge, given the other parents of its target. NaN: cannot be told from the data.

    ``pandas.DataFrame(result.effects)`` is a table of them.
    """

    source: str
    target: str
    kind: str
    """standardized_coefficient (deviations of the target per deviation of the source), risk_difference (of a target of
    two values: change of the probability of the larger) or correlation_ratio (categories; without sign)."""
    size: float
    low: float
    high: float
    """90 % interval, the graph taken for granted."""
    rows: int
    """In which the target was not intervened on."""
    nonlinear_p: float
    """Of a straight line being enough."""
    shift: float
    shift_low: float
    shift_high: float
    """The measured change of the target where the source was intervened on, in deviations, with 90 % interval."""
    graph_low: float
    graph_high: float
    """With a bootstrap: 90 % interval with the choice of the graph in it."""


@dataclass(frozen=True)
class EffectEstimate:
    """One estimate of a total effect: change of the outcome per unit of the cause (of two values: between them)."""

    estimator: str
    """linear, doubly_robust, flexible, front_door, experiment or experiment_slope."""
    set: str
    adjustment: List[str]
    """What was adjusted for (front_door: the mediators)."""
    rows: int
    size: Optional[float]
    low: Optional[float]
    high: Optional[float]
    """90 % interval. None: not estimable."""
    standardized: Optional[float]
    """In deviations of the outcome per deviation of the cause."""
    note: str


@dataclass(frozen=True)
class TotalEffect:
    """What happens to ``outcome`` when ``cause`` is changed, by the graph. ``print`` it for a table."""

    cause: str
    outcome: str
    identification: str
    """adjustment, zero (no directed path), bounds, or none; ``reason`` says why."""
    reason: str
    parents: List[str]
    optimal: List[str]
    """Two valid adjustment sets."""
    minimal_sets: List[List[str]]
    """Valid sets of which no part is valid, smallest first; all of those with up to ``searched_size`` variables."""
    searched_size: int
    front_door: List[str]
    instruments: List[Tuple[str, List[str]]]
    """Variable and what has to be given."""
    estimates: List[EffectEstimate]
    """The first is the linear one for the optimal set, where there is one."""
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text


def total_effect_from(text: str, table: str) -> TotalEffect:
    """From the library's JSON."""
    given: Dict[str, Any] = json.loads(text)
    return TotalEffect(
        cause=given["cause"],
        outcome=given["outcome"],
        identification=given["identification"],
        reason=given["reason"],
        parents=given["parents"],
        optimal=given["optimal"],
        minimal_sets=given["minimal_sets"],
        searched_size=given["searched_size"],
        front_door=given["front_door"],
        instruments=[(entry["variable"], entry["given"]) for entry in given["instruments"]],
        estimates=[EffectEstimate(**entry) for entry in given["estimates"]],
        text=table,
    )
