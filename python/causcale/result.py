"""What discover found, in the forms that people work with."""
from __future__ import annotations

import html
import json
import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _native
from ._native import UsageError
from .notebook import Picture, with_report
from .options import options_of

if TYPE_CHECKING:
    import networkx
    import pandas

_MATRIX_EXTENSIONS = (".npy",)
_SHOWN_EDGES = 25


class Result:
    """The causal graph of a table. ``probabilities[i, j]``: that ``names[i]`` is a direct cause of ``names[j]``."""

    def __init__(self, found: "_native.Found", findings: Sequence[Dict[str, Any]] = ()) -> None:
        self._found = found
        self.findings: List[Dict[str, Any]] = list(findings)
        """What the audit noticed about the data."""
        self.names: List[str] = list(found.names)
        self.probabilities: np.ndarray = found.probabilities
        """[n, n], row -> column, zero diagonal."""
        self.info: Dict[str, Any] = found.info
        """Model, device, passes, timings."""
        self.remarks: List[Dict[str, str]] = [
            dict(zip(("code", "message", "hint"), r)) for r in found.remarks
        ]
        """How the table differs from what the model was trained on, where that matters."""

    def __reduce__(self) -> Tuple[Any, ...]:
        return Result, (self._found, self.findings)

    def at(
        self,
        threshold: Optional[float] = None,
        *,
        top: Optional[int] = None,
        dag: Union[None, bool, str] = None,
        acyclic_rule: Optional[str] = None,
    ) -> "Result":
        """The graph of the same probabilities at another threshold (or of the ``top`` edges), with or without
        cycles. What is not given stays; a threshold takes the place of ``top``. The network does not run again, and
        as the rows are not kept, no edge is struck out for want of evidence;
        with a bootstrap, ``selection_frequency`` remains that of the first threshold.
        """
        options = {**options_of(), **_stored_options(self._found)}
        if threshold is not None:
            options.update(threshold=float(threshold), top=0)
        if top is not None:
            options["top"] = top
        if isinstance(dag, str):
            dag, acyclic_rule = True, dag
        if dag is not None:
            options["dag"] = bool(dag)
        if acyclic_rule is not None:
            options["acyclic_rule"] = acyclic_rule
        options = options_of(**options)
        asked = {name: options[name] for name in ("threshold", "top", "dag", "acyclic_rule")}
        said = ", ".join(f"{name}={value!r}" for name, value in asked.items())
        kept = json.loads(self._found.options or "{}")
        found = self._found.at(options, f"result.at({said})", json.dumps({**kept, **asked}))
        return Result(found, self.findings)

    @property
    def adjacency(self) -> np.ndarray:
        """[n, n] of 0 and 1, row -> column: the edges of the graph."""
        matrix = np.zeros((len(self.names), len(self.names)), dtype=np.uint8)
        for source, target, _ in self._found.edges:
            matrix[source, target] = 1
        return matrix

    def _frame(self, edges: List[Tuple[int, int, float]]) -> "pandas.DataFrame":
        import pandas

        columns: Dict[str, Any] = {
            "source": [self.names[s] for s, _, _ in edges],
            "target": [self.names[t] for _, t, _ in edges],
            "probability": [p for _, _, p in edges],
            "probability_reverse": [float(self.probabilities[t, s]) for s, t, _ in edges],
        }
        for name, matrix in self._found.stability.items():
            columns[name] = [float(matrix[s, t]) for s, t, _ in edges]
        return pandas.DataFrame(columns)

    @property
    def edges(self) -> "pandas.DataFrame":
        """The edges of the graph, most probable first; with a bootstrap also how stable they are."""
        return self._frame(self._found.edges)

    @property
    def removed_edges(self) -> "pandas.DataFrame":
        """What breaking cycles took out."""
        return self._frame(self._found.removed)

    def ranked(self, least: float = 0.0) -> "pandas.DataFrame":
        """Every ordered pair more probable than ``least``, whether in the graph or not, most probable first."""
        sources, targets = np.nonzero(self.probabilities > least)
        scores = self.probabilities[sources, targets]
        order = np.argsort(-scores, kind="stable")
        return self._frame([(int(sources[k]), int(targets[k]), float(scores[k])) for k in order])

    def graph(self) -> "networkx.DiGraph":
        """A networkx.DiGraph of all variables; edges carry ``probability``."""
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(self.names)
        for source, target, probability in self._found.edges:
            graph.add_edge(self.names[source], self.names[target], probability=probability)
        return graph

    def to_dot(self) -> str:
        """Graphviz."""
        return self._found.dot()

    def to_gml(self) -> str:
        """GML, as DoWhy reads it."""
        return self._found.gml()

    def to_graphml(self) -> str:
        """GraphML, as Cytoscape and Gephi read it."""
        return self._found.graphml()

    def to_tetrad(self) -> str:
        """Tetrad's text format, which causal-learn and py-tetrad read."""
        return self._found.tetrad()

    def to_json(self) -> str:
        """Everything, with what is needed to repeat the run."""
        return self._found.json()

    def to_html(self) -> str:
        """The interactive report: a page of its own that needs no network."""
        return self._found.html()

    def picture(self) -> Picture:
        """The graph as a drawing."""
        return Picture(self._found.svg(), self._found.png())

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a file whose extension says what it holds: .csv (edges), .json, .dot, .graphml, .gml, .txt
        (Tetrad), .html (interactive report), .svg, .png, or .npy (all probabilities).
        """
        name = os.fspath(path)
        if os.path.splitext(name)[1] in _MATRIX_EXTENSIONS:
            self._found.save_matrix(name)
        else:
            self._found.save(name)

    def save_matrix(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """All n x n probabilities, row -> column: .npy, or .csv with names."""
        self._found.save_matrix(os.fspath(path))

    def parents(self, variable: str) -> List[str]:
        """The direct causes of a variable, most probable first."""
        return [self.names[s] for s, t, _ in self._found.edges if t == self._number(variable)]

    def children(self, variable: str) -> List[str]:
        """What a variable acts on directly, most probable first."""
        return [self.names[t] for s, t, _ in self._found.edges if s == self._number(variable)]

    def _number(self, variable: str) -> int:
        try:
            return self.names.index(variable)
        except ValueError:
            raise UsageError(f"there is no variable {variable!r}") from None

    def _summary(self) -> str:
        info = self.info
        return (
            f"{len(self._found.edges)} edges among {len(self.names)} variables from {info['rows']} rows; "
            f"model {info['model']}, {info['passes']} pass(es) on {info['device']}"
        )

    def __repr__(self) -> str:
        return f"<causcale.Result: {self._summary()}>"

    def __str__(self) -> str:
        return f"{self._summary()}\n\n{self._found.text(_SHOWN_EDGES)}"

    def _table_html(self, most: int) -> str:
        rows = []
        for source, target, probability in self._found.edges[:most]:
            reverse = self.probabilities[target, source]
            rows.append(
                f"<tr><td style='text-align:right'>{html.escape(self.names[source])}</td><td>&rarr;</td>"
                f"<td style='text-align:left'>{html.escape(self.names[target])}</td>"
                f"<td>{100 * probability:.1f} %</td><td>{100 * reverse:.1f} %</td></tr>"
            )
        left = len(self._found.edges) - len(rows)
        more = f"<p>and {left} more; see <code>.edges</code></p>" if left > 0 else ""
        return (
            f"<p>{html.escape(self._summary())}</p><table><thead><tr><th style='text-align:right'>cause</th><th></th>"
            "<th style='text-align:left'>effect</th><th>probability</th><th>of the reverse</th></tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table>{more}"
        )

    def _repr_html_(self) -> str:
        """For notebooks: a table, and the interactive report folded away below it."""
        return with_report(self._table_html(_SHOWN_EDGES), self._found.html())


def _stored_options(found: "_native.Found") -> Dict[str, Any]:
    """Those that choose the graph; the command line writes the rule itself as ``dag``."""
    stored = json.loads(found.options or "{}")
    options = {name: stored[name] for name in ("threshold", "top", "acyclic_rule", "seed", "threads") if name in stored}
    dag = stored.get("dag", False)
    if isinstance(dag, str) and dag:
        options["acyclic_rule"] = dag
    options["dag"] = bool(dag)
    return options


def load(path: Union[str, "os.PathLike[str]"]) -> Result:
    """A result from the .json that :meth:`Result.save` or ``causcale discover -o result.json`` wrote."""
    name = os.fspath(path)
    with open(name, encoding="utf-8") as file:
        found = _native.found_from_json(file.read(), name)
    knowledge = json.loads(found.options or "{}").get("knowledge")
    if knowledge:
        found = found.with_knowledge(knowledge)
    return Result(found, json.loads(found.audit or "[]"))
