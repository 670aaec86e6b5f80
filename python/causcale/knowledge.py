"""Background knowledge: edges that must or must not be there, and an order in time."""
from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _native
from ._native import InputError

Pair = Tuple[int, int]


@dataclass
class Knowledge:
    required: List[Pair] = field(default_factory=list)
    forbidden: List[Pair] = field(default_factory=list)
    tiers: List[int] = field(default_factory=list)
    closed_tiers: List[int] = field(default_factory=list)

    def as_dict(self) -> Dict[str, Any]:
        """As the library takes it."""
        return dict(vars(self))

    def __bool__(self) -> bool:
        return any(vars(self).values())


def _number(variable: Any, positions: Mapping[str, int], option: str) -> int:
    if isinstance(variable, str) and variable in positions:
        return positions[variable]
    if (
        isinstance(variable, (int, np.integer))
        and not isinstance(variable, bool)
        and 0 <= variable < len(positions)
    ):
        return int(variable)
    known = ", ".join(list(positions)[:10]) + (", ..." if len(positions) > 10 else "")
    raise InputError(f"{option}: there is no variable {variable!r}; there are: {known}")


def _pairs(edges: Any, positions: Mapping[str, int], option: str) -> List[Pair]:
    if hasattr(edges, "edges"):  # networkx
        edges = edges.edges()
    elif hasattr(edges, "itertuples"):  # a frame with the columns source and target, or from and to
        edges = [tuple(row[:2]) for row in edges.itertuples(index=False)]
    result = []
    for edge in edges:
        if isinstance(edge, str) or len(edge) != 2:
            raise InputError(f"{option}: an edge is a pair (source, target); found {edge!r}")
        source, target = (_number(end, positions, option) for end in edge)
        if source == target:
            raise InputError(f"{option}: the edge from {edge[0]!r} to itself makes no sense")
        result.append((source, target))
    return result


def collect_knowledge(
    names: Sequence[str],
    required: Any,
    forbidden: Any,
    tiers: Union[None, Mapping[Any, int], Iterable[Iterable[Any]]],
    file: Optional[Union[str, "os.PathLike[str]"]],
) -> Knowledge:
    positions = {name: k for k, name in enumerate(names)}
    knowledge = Knowledge()
    if file is not None:
        content = _native.knowledge_of_file(os.fspath(file), list(names))
        knowledge = Knowledge(**content)
    knowledge.required += _pairs(required, positions, "required")
    knowledge.forbidden += _pairs(forbidden, positions, "forbidden")
    if tiers is not None:
        if not isinstance(tiers, Mapping):
            tiers = {variable: tier for tier, group in enumerate(tiers) for variable in group}
        if not knowledge.tiers:
            knowledge.tiers = [-1] * len(names)
        for variable, tier in tiers.items():
            if tier < 0:
                raise InputError(f"tiers: {variable!r} is in tier {tier}; tiers count from 0")
            knowledge.tiers[_number(variable, positions, "tiers")] = int(tier)
    return knowledge
