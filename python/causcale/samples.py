"""Whole graphs drawn in proportion to the probabilities of a result."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Iterable, Iterator, List, Sequence, Tuple, Union

import numpy as np

from . import _native
from ._native import UsageError

if TYPE_CHECKING:
    import networkx
    import pandas

    from .result import Result


class GraphSamples:
    """Acyclic graphs, each as probable as the product of its pairs says: see :meth:`causcale.Result.samples`."""

    def __init__(self, native: "_native.GraphSamples", names: Sequence[str], threads: int = 0) -> None:
        self._native = native
        self._threads = threads
        self.names: List[str] = list(names)
        self.exact: bool = native.exact
        """Independent draws of exactly that distribution; otherwise by Markov chains."""
        self.method: str = native.method
        """How they were drawn: enumeration, rejection, chain."""
        self.effective: float = native.effective
        """How many independent samples they are worth."""
        self.scale_reduction: float = native.scale_reduction
        """Above 1.1 the Markov chains disagree, and shares may be off."""

    def __len__(self) -> int:
        return len(self._native)

    def __iter__(self) -> "Iterator[networkx.DiGraph]":
        return (self.graph(number) for number in range(len(self)))

    def __repr__(self) -> str:
        drawn = "exact" if self.exact else f"Markov chains, worth {self.effective:.0f}"
        return f"<causcale.GraphSamples: {len(self)} graphs of {len(self.names)} variables, {drawn}>"

    def graph(self, number: int) -> "networkx.DiGraph":
        """One of them, by its number from 0."""
        import networkx

        if not 0 <= number < len(self):
            raise UsageError(f"there is no graph {number}: there are {len(self)}, counted from 0")
        graph = networkx.DiGraph()
        graph.add_nodes_from(self.names)
        graph.add_edges_from((self.names[s], self.names[t]) for s, t in self._native.edges(number))
        return graph

    @property
    def adjacency(self) -> np.ndarray:
        """[graphs, n, n] of 0 and 1, row -> column."""
        return self._native.adjacencies()

    @property
    def edge_probabilities(self) -> np.ndarray:
        """[n, n], row -> column: the share of the graphs with the edge."""
        return self._native.edge_probabilities()

    @property
    def ancestry(self) -> np.ndarray:
        """[n, n]: the share of the graphs in which the row causes the column by any path."""
        return self._native.ancestry(self._threads)

    def _number(self, variable: str) -> int:
        try:
            return self.names.index(variable)
        except ValueError:
            raise UsageError(f"there is no variable {variable!r}") from None

    def cause_probability(self, source: str, target: str) -> float:
        """That ``source`` is a cause of ``target``, directly or through others."""
        return self._native.paths(self._number(source), self._number(target), 0)[1]

    def paths(self, source: str, target: str, most: int = 10) -> "pandas.DataFrame":
        """The likeliest directed paths between two variables: ``path`` (a tuple of names) and ``probability``."""
        import pandas

        found, _, _ = self._native.paths(self._number(source), self._number(target), most)
        return pandas.DataFrame(
            {
                "path": [tuple(self.names[node] for node in nodes) for nodes, _ in found],
                "probability": [probability for _, probability in found],
            }
        )

    def adjustment_probability(self, treatment: str, outcome: str, variables: Iterable[str] = ()) -> float:
        """That adjusting for ``variables`` gives the effect of ``treatment`` on ``outcome`` without bias."""
        chosen = [self._number(name) for name in variables]
        return self._native.adjustment(self._number(treatment), self._number(outcome), chosen)

    def expected_distance(self, result: "Result") -> float:
        """The mean structural Hamming distance between the graph of ``result`` and these: what to expect if the
        probabilities are right.
        """
        return self._native.expected_distance(result._found)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """As ``causcale samples --out FILE.npz``: ``edges`` [all edges, 3] (graph, source, target), ``names``,
        ``ancestry`` and ``count``.
        """
        name = os.fspath(path)
        if not name.endswith(".npz"):
            raise UsageError(f"{name}: use a name that ends in .npz")
        rows = [(number, s, t) for number in range(len(self)) for s, t in self._native.edges(number)]
        np.savez_compressed(
            name,
            edges=np.array(rows, dtype=np.int32).reshape(-1, 3),
            names=np.array(self.names),
            ancestry=self.ancestry,
            count=np.array([[len(self)]], dtype=np.int32),
        )

    def observation(self) -> Tuple[float, float, "pandas.DataFrame"]:
        """What further rows without intervention would tell, however many: bits of the doubt about pairs of variables,
        the whole doubt in bits, and the pairs that gain most (``a``, ``b``, ``information``, ``doubt``). Such rows tell
        graphs apart that imply different independences.
        """
        import pandas

        information, doubt, settles = self._native.observation(self._threads)
        frame = pandas.DataFrame(
            {
                "a": [self.names[a] for a, _, _, _ in settles],
                "b": [self.names[b] for _, b, _, _ in settles],
                "information": [gain for _, _, _, gain in settles],
                "doubt": [pair_doubt for _, _, pair_doubt, _ in settles],
            }
        )
        return information, doubt, frame

    def next(self) -> "pandas.DataFrame":
        """Single interventions, the one that would settle most doubt first. ``information``: bits of doubt about
        pairs of variables that would go if one saw what the intervention moves, and ``share`` of all doubt;
        ``moved``: how many variables are expected to move; ``outcome_entropy``: bits in the outcome itself;
        ``settles``: the pairs that gain most, as (a, b, information, doubt).
        """
        import pandas

        ranking, doubt = self._native.next(self._threads)
        return pandas.DataFrame(
            {
                "variable": [self.names[entry[0]] for entry in ranking],
                "information": [entry[1] for entry in ranking],
                "share": [entry[1] / doubt if doubt > 0 else 0.0 for entry in ranking],
                "moved": [entry[3] for entry in ranking],
                "outcome_entropy": [entry[2] for entry in ranking],
                "settles": [
                    [(self.names[a], self.names[b], gain, pair_doubt) for a, b, pair_doubt, gain in entry[4]]
                    for entry in ranking
                ],
            }
        )
