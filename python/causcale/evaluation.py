"""How good is a predicted graph?"""
from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import _native
from ._native import InputError
from .dataset import Dataset

_SCORE_COLUMNS = ("probability", "score", "weight", "strength")


class _Graph:
    """Scores over variables, which are called by their numbers where they have no names."""

    def __init__(self, scores: np.ndarray, names: Sequence[Any], is_list: bool = False) -> None:
        self.scores = scores
        self.names = [str(name) for name in names]
        self.is_list = is_list  # an edge list leaves out variables without edges
        numbers = [str(k) for k in range(len(self.names))]
        if not is_list and set(self.names) == set(numbers):
            order = [self.names.index(number) for number in numbers]
            self.scores, self.names = scores[np.ix_(order, order)], numbers

    def as_tuple(self, what: str) -> Tuple[str, bool, List[str], np.ndarray]:
        return what, self.is_list, self.names, self.scores


def _from_pairs(
    pairs: Sequence[Tuple[str, str, float]], nodes: Optional[Sequence[str]] = None, scored: bool = False
) -> _Graph:
    names = list(dict.fromkeys(nodes if nodes is not None else [end for pair in pairs for end in pair[:2]]))
    position = {name: k for k, name in enumerate(names)}
    # A list of scored edges says nothing about the pairs that it leaves out.
    scores = np.full((len(names), len(names)), np.nan if scored else 0.0)
    np.fill_diagonal(scores, 0.0)
    for source, target, score in pairs:
        scores[position[source], position[target]] = score
    return _Graph(scores, names, nodes is None or scored)


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
        scored = bool(pairs) and all(any(c in d for c in _SCORE_COLUMNS) for _, _, d in thing.edges(data=True))
        return _from_pairs(pairs, [str(node) for node in thing.nodes], scored)
    if isinstance(thing, (str, os.PathLike)):
        names, scores, is_list = _native.graph_of_file(os.fspath(thing), what == "prediction")
        return _Graph(scores, names, is_list)
    if hasattr(thing, "columns") and hasattr(thing, "to_numpy"):
        return _from_frame(thing, what)
    if isinstance(thing, (list, tuple)) and thing and all(len(edge) in (2, 3) for edge in thing):
        if all(isinstance(edge[0], str) for edge in thing):
            return _from_pairs(
                [(edge[0], str(edge[1]), float(edge[2]) if len(edge) == 3 else 1.0) for edge in thing],
                scored=all(len(edge) == 3 for edge in thing),
            )
    matrix = np.asarray(thing, dtype=float)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"{what}: a square matrix is expected; found the shape {matrix.shape}")
    return _Graph(matrix, range(len(matrix)))


def _from_frame(frame: Any, what: str) -> _Graph:
    columns = [str(column) for column in frame.columns]
    for source, target in (("source", "target"), ("from", "to")):
        if source in columns and target in columns:
            score = next((name for name in _SCORE_COLUMNS if name in columns), None)
            weights = list(frame[score]) if score else [1.0] * len(frame)
            rows = zip(frame[source], frame[target], weights)
            return _from_pairs([(str(s), str(t), float(w)) for s, t, w in rows], scored=score is not None)
    matrix = np.asarray(frame.to_numpy(), dtype=float)
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"{what}: a square frame, or one with the columns source and target, is expected")
    rows = [str(label) for label in getattr(frame, "index", range(len(matrix)))]
    if rows != columns and rows != [str(k) for k in range(len(rows))]:
        if sorted(rows) != sorted(columns) or len(set(rows)) != len(rows):
            raise InputError(f"{what}: the rows and the columns of the frame have different names")
        matrix = matrix[[rows.index(column) for column in columns]]
    return _Graph(matrix, columns)


def evaluate(prediction: Any, truth: Any, threshold: float = 0.5, *, threads: int = 0) -> Dict[str, Any]:
    """All metrics of a predicted graph, as ``causcale evaluate --json`` prints them.

    Both graphs may be a :class:`causcale.Result`, a square array (row -> column), a frame (square with names,
    or an edge list with the columns source, target and maybe probability), a networkx.DiGraph, a list of
    pairs of names, a :class:`causcale.Dataset` with its truth, or a file in any format of ``causcale convert``. Variables are matched by name, and by
    number where one of the two has none.

    A list of scored edges that leaves pairs out, as one cut at a threshold does, cannot tell how those are
    ranked: ``average_precision``, ``auc`` and ``calibration`` are then None, and ``listed`` says how many pairs
    it has. Give the result itself, or its matrix of probabilities.
    """
    found, true_graph = _graph_from(prediction, "prediction"), _graph_from(truth, "truth")
    scores, true, known = _native.match_graphs(found.as_tuple("prediction"), true_graph.as_tuple("truth"))
    loops = np.flatnonzero(np.diagonal(true))
    if len(loops):
        raise InputError(f"truth: variable number {loops[0]} has an edge to itself")
    pairs = [(int(i), int(j)) for i, j in zip(*np.nonzero(true))]
    return json.loads(_native.evaluate_json(scores, pairs, float(threshold), threads, known))
