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
class NegativeControl:
    """An effect that has to be zero if the graph is right: of the cause on a variable that it does not move, or of a
    variable on the outcome that does not act on it, adjusted like the effect itself."""

    cause: str
    outcome: str
    adjustment: List[str]
    size: Optional[float]
    low: Optional[float]
    high: Optional[float]
    """90 % interval."""
    p: Optional[float]
    """Of zero."""
    against: bool
    """It speaks against the graph: p is below 0.05 divided by the number of controls."""


@dataclass(frozen=True)
class DoubtfulEffect:
    """A total effect with the doubt about the graph, or about the rows, in it."""

    count: int
    """Graphs, or tables of rows drawn anew."""
    low: Optional[float]
    high: Optional[float]
    """The middle 90 %."""
    mean: Optional[float] = None
    share: Optional[float] = None
    """Of the graphs in which the cause acts on the outcome at all."""


@dataclass(frozen=True)
class TotalEffect:
    """What happens to ``outcome`` when ``cause`` is changed, by the graph. ``print`` it for a table."""

    cause: str
    outcome: str
    identification: str
    """adjustment, zero (no directed path), bounds, front_door, instrument, or none; ``reason`` says why."""
    reason: str
    parents: List[str]
    optimal: List[str]
    """Two valid adjustment sets; the first is empty, too, where not all parents are known and measured."""
    minimal_sets: List[List[str]]
    """Valid sets of which no part is valid, smallest first; all of those with up to ``searched_size`` variables."""
    searched_size: int
    front_door: List[str]
    instruments: List[Tuple[str, List[str]]]
    """Variable and what has to be given."""
    estimates: List[EffectEstimate]
    """The first is the linear one for the optimal set, where there is one."""
    graphs: Optional[DoubtfulEffect]
    """Over graphs drawn from the probabilities; None unless ``samples`` were asked for."""
    bootstrap: Optional[DoubtfulEffect]
    """Over tables of rows drawn anew, each with one of these graphs; None unless ``bootstrap`` was asked for."""
    negative_controls: List[NegativeControl]
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text


def edge_effects_from(entries: List[Dict[str, Any]], names: List[str]) -> List[EdgeEffect]:
    """From the library's entries, whose variables are numbers."""
    return [
        EdgeEffect(**{**entry, "source": names[entry["source"]], "target": names[entry["target"]]})
        for entry in entries
    ]


def total_effect_from(text: str, table: str) -> TotalEffect:
    """From the library's JSON."""
    given: Dict[str, Any] = json.loads(text)
    return TotalEffect(
        cause=given["cause"],
        outcome=given["outcome"],
        identification=given["identification"],
        reason=given["reason"],
        parents=given["parents"] or [],
        optimal=given["optimal"],
        minimal_sets=given["minimal_sets"],
        searched_size=given["searched_size"],
        front_door=given["front_door"],
        instruments=[(entry["variable"], entry["given"]) for entry in given["instruments"]],
        estimates=[EffectEstimate(**entry) for entry in given["estimates"]],
        graphs=DoubtfulEffect(**given["graphs"]) if "graphs" in given else None,
        bootstrap=DoubtfulEffect(**given["bootstrap"]) if "bootstrap" in given else None,
        negative_controls=[NegativeControl(**entry) for entry in given["negative_controls"]],
        text=table,
    )
