"""How good is a predicted graph?"""
from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import _native
from ._native import InputError
from .inputs import Dataset

_SCORE_COLUMNS = ("probability", "score", "weight", "strength")


class _Graph:
    """Scores over named variables; names are None where only the order is known."""

    def __init__(self, scores: np.ndarray, names: Optional[List[str]], complete: bool = True) -> None:
        self.scores = scores
        self.names = names
        self.complete = complete  # False: an edge list, which leaves out variables without edges


def _from_pairs(pairs: Sequence[Tuple[str, str, float]], nodes: Optional[Sequence[str]] = None) -> _Graph:
    names = list(dict.fromkeys(nodes if nodes is not None else [end for pair in pairs for end in pair[:2]]))
    position = {name: k for k, name in enumerate(names)}
    scores = np.zeros((len(names), len(names)))
    for source, target, score in pairs:
        scores[position[source], position[target]] = score
    return _Graph(scores, names, nodes is not None)


def _graph_from(thing: Any, what: str) -> _Graph:
    if isinstance(thing, Dataset):
        if thing.truth is None:
            raise InputError(f"{what}: the true graph of this data set is not known")
        return _Graph(thing.truth.astype(float), list(thing.names))
    if hasattr(thing, "probabilities") and hasattr(thing, "names"):
        return _Graph(np.asarray(thing.probabilities, dtype=float), list(thing.names))
    if hasattr(thing, "scores") and hasattr(thing, "names"):
        return _Graph(np.asarray(thing.scores, dtype=float), list(thing.names))
    if hasattr(thing, "nodes") and hasattr(thing, "edges"):  # networkx
        pairs = [
            (str(s), str(t), float(next((d[c] for c in _SCORE_COLUMNS if c in d), 1.0)))
            for s, t, d in thing.edges(data=True)
        ]
        return _from_pairs(pairs, [str(node) for node in thing.nodes])
    if isinstance(thing, (str, os.PathLike)):
        names, scores, named, is_list = _native.graph_of_file(os.fspath(thing))
        if named or is_list:
            return _Graph(scores, names, not is_list)
        return _Graph(scores, None)
    if hasattr(thing, "columns") and hasattr(thing, "to_numpy"):
        return _from_frame(thing, what)
    if isinstance(thing, (list, tuple)) and thing and all(len(edge) in (2, 3) for edge in thing):
        if all(isinstance(edge[0], str) for edge in thing):
            return _from_pairs(
                [(edge[0], edge[1], float(edge[2]) if len(edge) == 3 else 1.0) for edge in thing]
            )
    matrix = np.asarray(thing, dtype=float)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"{what}: a square matrix is expected; found the shape {matrix.shape}")
    return _Graph(matrix, None)


def _from_frame(frame: Any, what: str) -> _Graph:
    columns = [str(column) for column in frame.columns]
    for source, target in (("source", "target"), ("from", "to")):
        if source in columns and target in columns:
            score = next((name for name in _SCORE_COLUMNS if name in columns), None)
            weights = list(frame[score]) if score else [1.0] * len(frame)
            rows = zip(frame[source], frame[target], weights)
            return _from_pairs([(str(s), str(t), float(w)) for s, t, w in rows])
    matrix = np.asarray(frame.to_numpy(), dtype=float)
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"{what}: a square frame, or one with the columns source and target, is expected")
    return _Graph(matrix, columns)


def _expand(graph: _Graph, names: Sequence[str], what: str) -> np.ndarray:
    """The scores over `names`, in that order."""
    if graph.names is None:
        if len(graph.scores) != len(names):
            raise InputError(f"{what} has {len(graph.scores)} variables; the other graph has {len(names)}")
        return graph.scores
    position = {name: k for k, name in enumerate(names)}
    unknown = [name for name in graph.names if name not in position]
    if unknown:
        raise InputError(f"{what} has variables that the other graph does not: {', '.join(unknown[:10])}")
    if graph.complete and len(graph.names) != len(names):
        lacking = [name for name in names if name not in set(graph.names)]
        raise InputError(f"{what} lacks variables that the other graph has: {', '.join(lacking[:10])}")
    places = [position[name] for name in graph.names]
    scores = np.zeros((len(names), len(names)))
    scores[np.ix_(places, places)] = graph.scores
    return scores


def match(prediction: Any, truth: Any) -> Tuple[List[str], np.ndarray, np.ndarray]:
    """Both graphs over the same variables in the same order: names, scores, truth."""
    found, true = _graph_from(prediction, "prediction"), _graph_from(truth, "truth")
    if found.names is not None and found.complete:
        names = found.names
    elif true.names is not None and true.complete:
        names = true.names
    elif found.names is None and true.names is None:
        names = [str(k) for k in range(len(found.scores))]
    else:  # at least one edge list, and no complete list of names
        names = list(dict.fromkeys([*(found.names or []), *(true.names or [])]))
    return list(names), _expand(found, names, "prediction"), _expand(true, names, "truth")


def evaluate(prediction: Any, truth: Any, threshold: float = 0.5, *, threads: int = 0) -> Dict[str, Any]:
    """All metrics of a predicted graph, as ``causcale evaluate --json`` prints them.

    Both graphs may be a :class:`causcale.Result`, a square array (row -> column), a frame (square with names,
    or an edge list with the columns source, target and maybe probability), a networkx.DiGraph, a list of
    pairs of names, a :class:`causcale.Dataset` with its truth, or a file. Variables are matched by name.
    """
    _, scores, true = match(prediction, truth)
    loops = np.flatnonzero(np.diagonal(true))
    if len(loops):
        raise InputError(f"truth: variable number {loops[0]} has an edge to itself")
    pairs = [(int(i), int(j)) for i, j in zip(*np.nonzero(true))]
    return json.loads(_native.evaluate_json(scores, pairs, float(threshold), threads))
