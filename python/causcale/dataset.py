"""A table with its interventions, as the library takes it."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple

import numpy as np

from ._native import UsageError

if TYPE_CHECKING:
    import networkx
    import pandas


class DataWarning(UserWarning):
    """Something about the data that makes results less trustworthy."""


@dataclass
class Dataset:
    """A table of observations with its interventions, ready for :func:`causcale.discover`.

    ``targets`` lists for every row the columns that were intervened on (empty: observational); None: no row
    was. ``truth`` is the adjacency matrix of the true graph, row -> column, where it is known.
    """

    values: np.ndarray
    names: List[str]
    targets: Optional[List[List[int]]] = None
    truth: Optional[np.ndarray] = None
    findings: List[dict] = field(default_factory=list)
    noticed: List[dict] = field(default_factory=list, repr=False)  # while the table was read
    kinds: List[str] = field(default_factory=list)
    """Of every column: continuous, count, binary, ordered, unordered, ...; empty: not looked at yet."""
    levels: List[List[str]] = field(default_factory=list)
    """The words of columns that were text: value k stands for ``levels[column][k]``."""
    columns: List[dict] = field(default_factory=list, repr=False)
    """What was understood of every column that was given, those set aside included."""

    @property
    def shape(self) -> Tuple[int, int]:
        return self.values.shape  # type: ignore[return-value]

    def content(self) -> Dict[str, Any]:
        """As the native module takes it."""
        return {name: getattr(self, name) for name in ("values", "names", "targets", "kinds", "levels")}

    @classmethod
    def of_content(cls, content: Mapping[str, Any]) -> "Dataset":
        return cls(**content)

    def frame(self) -> "pandas.DataFrame":
        """The table as a pandas.DataFrame; columns that were text are categorical."""
        import pandas

        frame = pandas.DataFrame(self.values, columns=self.names)
        for k, words in enumerate(self.levels):
            if words:
                codes = np.where(np.isnan(self.values[:, k]), -1, self.values[:, k]).astype(int)
                ordered = bool(self.kinds) and self.kinds[k] == "ordered"
                frame[self.names[k]] = pandas.Categorical.from_codes(codes, words, ordered=ordered)
        return frame

    def target_names(self) -> List[List[str]]:
        """The names of the variables intervened on, row by row."""
        return [[self.names[t] for t in row] for row in self.targets or [[]] * len(self.values)]

    def graph(self) -> "networkx.DiGraph":
        """The true graph as a networkx.DiGraph."""
        import networkx

        if self.truth is None:
            raise UsageError("the true graph of this data set is not known")
        graph = networkx.DiGraph()
        graph.add_nodes_from(self.names)
        graph.add_edges_from((self.names[i], self.names[j]) for i, j in zip(*np.nonzero(self.truth)))
        return graph

    def __repr__(self) -> str:
        intervened = sum(bool(row) for row in self.targets or [])
        edges = "" if self.truth is None else f", {int(np.count_nonzero(self.truth))} true edges"
        return f"<causcale.Dataset: {self.shape[0]} rows, {self.shape[1]} variables, {intervened} intervened rows{edges}>"
