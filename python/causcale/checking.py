"""Does a graph fit the data? See docs/samples.md."""
from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Dict, List, Tuple


@dataclass(frozen=True)
class Violation:
    """Two variables that the graph claims to be independent given others, and that are not."""

    x: str
    y: str
    given: List[str]
    strength: float
    """Above 1: violated; the higher the clearer."""


@dataclass(frozen=True)
class GraphCheck:
    """The independences that a graph claims, tested on data. ``print`` it for a summary."""

    verdict: str
    """fits (fewer claims are violated than in graphs that know nothing of the data), rejected, or unclear."""
    message: str
    """The verdict in words."""
    rows: int
    claims: int
    """Independences that could be tested."""
    violated: int
    permuted_p: float
    """Share of the graphs with exchanged variables that violate as small a share of their claims; small is good."""
    random_p: float
    """The same of random graphs with as many edges."""
    violations: List[Violation]
    """Strongest first."""
    edges_without_dependence: List[Tuple[str, str]]
    notes: List[str]
    """Which test and which rows were used."""
    text: str = field(repr=False)

    @property
    def violated_share(self) -> float:
        return self.violated / self.claims if self.claims else 0.0

    def __str__(self) -> str:
        return self.text


def graph_check_from(text: str, table: str) -> GraphCheck:
    """From the library's JSON."""
    given: Dict[str, Any] = json.loads(text)
    return GraphCheck(
        verdict=given["verdict"],
        message=given["message"],
        rows=given["rows"],
        claims=given["claims"]["tested"],
        violated=given["claims"]["violated"],
        permuted_p=given["permuted"]["p"],
        random_p=given["random"]["p"],
        violations=[Violation(**entry) for entry in given["violations"]],
        edges_without_dependence=[(edge["source"], edge["target"]) for edge in given["edges_without_dependence"]],
        notes=given["notes"],
        text=table,
    )
