"""What discover found, in the forms that people work with."""
from __future__ import annotations

import html
import json
import os
import tempfile
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _native
from ._native import UsageError
from .checking import GraphCheck, graph_check_from
from .dataset import Dataset
from .effects import EdgeEffect, TotalEffect, edge_effects_from, total_effect_from
from .inputs import prepare
from .notebook import Picture, with_report
from .options import acyclic_word, options_of
from .samples import GraphSamples

if TYPE_CHECKING:
    import networkx
    import pandas
    import scipy.sparse

_MATRIX_EXTENSIONS = (".npy",)
_SHOWN_EDGES = 25


class Result:
    """The causal graph of a table. ``probabilities[i, j]``: that ``names[i]`` is a direct cause of ``names[j]``."""

    def __init__(
        self,
        found: "_native.Found",
        findings: Sequence[Dict[str, Any]] = (),
        dataset: Optional[Dataset] = None,
    ) -> None:
        self._found = found
        self._dataset = dataset  # for effect(); neither pickled nor saved
        self.findings: List[Dict[str, Any]] = list(findings)
        """What the audit noticed about the data."""
        self.names: List[str] = list(found.names)
        self.probabilities: np.ndarray = found.probabilities
        """[n, n], row -> column, zero diagonal."""
        self.feedback: Optional[np.ndarray] = found.feedback if found.feedback.size else None
        """[n, n], symmetric: that both variables act on each other; None where the model does not tell."""
        self.confounded: Optional[np.ndarray] = found.confounded if found.confounded.size else None
        """[n, n], symmetric: that a hidden variable causes both; None where the model does not tell."""
        self._ancestry: Optional[np.ndarray] = None
        self.info: Dict[str, Any] = found.info
        """Model, device, passes, timings; how many cells were missing and what was done with them."""
        self.variables: List[Dict[str, Any]] = json.loads(found.variables or "[]")
        """What was understood of every column, those set aside included: name, kind, reason, levels (words), ..."""
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
        options = _stored_options(self._found)
        if threshold is not None:
            options.update(threshold=float(threshold), top=0)
        if top is not None:
            options["top"] = top
        if dag is not None or acyclic_rule is not None:
            before = options["dag"]
            options["dag"] = acyclic_word(before if dag is None else dag, acyclic_rule or before or "greedy")
        options = options_of(**options)
        asked = {name: options[name] for name in ("threshold", "top", "dag")}
        said = ", ".join(f"{name}={value!r}" for name, value in asked.items())
        kept = json.loads(self._found.options or "{}")
        found = self._found.at(options, f"result.at({said})", json.dumps({**kept, **asked}))
        return Result(found, self.findings, self._dataset)

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
        for name, told in (("feedback", self.feedback), ("confounded", self.confounded)):
            if told is not None:
                columns[name] = [float(told[s, t]) for s, t, _ in edges]
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

    def samples(self, count: int = 1000, *, seed: int = 0, threads: int = 0) -> GraphSamples:
        """Whole acyclic graphs, drawn in proportion to the probabilities: every pair of variables has an edge one
        way, the other way or none, and the weight of a graph is the product. The same seed gives the same graphs.
        """
        if isinstance(count, bool) or not hasattr(count, "__index__") or count < 1:
            raise UsageError(f"count={count!r}: a whole number, 1 or more, is expected")
        return GraphSamples(_native.sample_graphs(self._found, int(count), seed, threads), self.names, threads)

    @property
    def ancestry(self) -> np.ndarray:
        """[n, n]: the probability that the row causes the column by any path, from 1000 graphs with seed 0;
        :meth:`samples` draws others.
        """
        if self._ancestry is None:
            self._ancestry = self.samples().ancestry
        return self._ancestry

    def next(self, count: int = 1000, *, seed: int = 0) -> "pandas.DataFrame":
        """Which single intervention would settle most of the doubt about the graph, best first: see
        :meth:`causcale.GraphSamples.next`. :meth:`next_rows` is for further rows without intervention.
        """
        return self.samples(count, seed=seed).next()

    def next_rows(
        self, data: Any = None, interventions: Any = None, *, count: int = 1000, seed: int = 0, **reading: Any
    ) -> "pandas.DataFrame":
        """Which pairs of variables further rows without intervention would settle, most ``information`` (bits of the
        pair's ``doubt``) first, and how many it takes: ``rows`` there are, the ``partial_correlation`` of the two given
        their other parents in the graph, and ``further_rows`` until a dependence of that size shows nine times in ten
        (0: it shows already; NaN: cannot be told). ``data`` as in :meth:`effect`.
        """
        dataset = self._rows(data, interventions, reading)
        frame = self.samples(count, seed=seed).observation()[2]
        pairs = [(self._number(a), self._number(b)) for a, b in zip(frame["a"], frame["b"])]
        found = _native.rows_needed(self._found, dataset.content(), pairs)
        frame["rows"] = [rows for rows, _, _ in found]
        frame["partial_correlation"] = [correlation for _, correlation, _ in found]
        frame["further_rows"] = [
            needed if np.isnan(needed) else max(0.0, float(np.ceil(needed)) - rows) for rows, _, needed in found
        ]
        return frame

    def check(
        self,
        data: Any = None,
        interventions: Any = None,
        *,
        alpha: float = 0.05,
        test: str = "auto",
        permutations: int = 100,
        random_graphs: int = 100,
        tests: int = 1000,
        seed: int = 0,
        threads: int = 0,
        **reading: Any,
    ) -> GraphCheck:
        """Does the graph fit the data? The independences that it claims are tested (``test`` as the setting of the method
        pc, at level ``alpha``, at most ``tests`` per graph) and set beside graphs that know nothing of the data: with
        exchanged variables, and random ones with as many edges. Cycles are broken first. ``data`` as in :meth:`effect`.
        """
        if not 0 < alpha < 1:
            raise UsageError(f"alpha={alpha!r}: a number between 0 and 1 is expected")
        for name, value, least in (
            ("permutations", permutations, 0),
            ("random_graphs", random_graphs, 0),
            ("tests", tests, 1),
        ):
            if isinstance(value, bool) or not hasattr(value, "__index__") or value < least:
                raise UsageError(f"{name}={value!r}: a whole number, {least} or more, is expected")
        dataset = self._rows(data, interventions, reading)
        answer = _native.check(
            self._found, dataset.content(), alpha, test, permutations, random_graphs, tests, seed, threads
        )
        return graph_check_from(*answer)

    def _rows(self, data: Any, interventions: Any, reading: Dict[str, Any]) -> Dataset:
        if data is not None:
            return prepare(data, interventions, **reading)
        if self._dataset is not None:
            return self._dataset
        raise UsageError("the result does not hold its rows: give the table as data")

    @property
    def evidence(self) -> List[Dict[str, Any]]:
        """What the data themselves say about every selected edge, without the network: one entry per edge for
        ``pandas.DataFrame(result.evidence)``. ``p``, ``q``: of independence of the two columns; ``shift_p``,
        ``shift_q``: of a target that does not move where the source is intervened on; ``struck_out``: left out of
        the graph for want of any dependence; ``given_p``: of independence given the target's other causes;
        ``told_by``: what tells the direction (intervention, shape, structure, knowledge; none: nothing does;
        reverse: the shapes speak for the reverse; untested), with ``shape_z`` and ``structure_z``. Values are NaN
        where nothing was tested. Empty after :meth:`at`, as the rows are needed.
        """
        return self._found.evidence

    @property
    def effects(self) -> List[EdgeEffect]:
        """Sign and size of every edge: the direct effect given the other parents of its target, with 90 % intervals.
        ``pandas.DataFrame(result.effects)`` makes a table. Empty after :meth:`at`, as the rows are needed.
        """
        return edge_effects_from(_native.effects(self._found), self.names)

    def effect(
        self,
        cause: str,
        outcome: str,
        data: Any = None,
        interventions: Any = None,
        *,
        acyclic: bool = False,
        samples: int = 0,
        bootstrap: int = 0,
        seed: int = 0,
        threads: int = 0,
        **reading: Any,
    ) -> TotalEffect:
        """What happens to ``outcome`` when ``cause`` is changed, along all directed paths of the graph.

        ``data`` (with ``interventions`` and the further arguments as in :func:`causcale.discover`) is the table that the
        effect is estimated from; by default the one that was given to :func:`causcale.discover`, unless the result was
        loaded from a file or unpickled. Where the graph has a cycle among the causes of the two, the answer is a refusal
        that names it; ``acyclic`` breaks cycles first. ``samples`` adds the effect over so many graphs drawn from the
        probabilities, ``bootstrap`` over so many tables of rows drawn anew (with both, each table in another graph).
        """
        numbers = self._number(cause), self._number(outcome)
        for name, value in (("samples", samples), ("bootstrap", bootstrap)):
            if isinstance(value, bool) or not hasattr(value, "__index__") or value < 0:
                raise UsageError(f"{name}={value!r}: a whole number, 0 or more, is expected")
        dataset = self._rows(data, interventions, reading)
        answer = _native.total_effect(
            self._found, dataset.content(), *numbers, bool(acyclic), samples, bootstrap, seed, threads
        )
        return total_effect_from(*answer)

    def graph(self) -> "networkx.DiGraph":
        """A networkx.DiGraph of all variables; edges carry ``probability``."""
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(self.names)
        for source, target, probability in self._found.edges:
            graph.add_edge(self.names[source], self.names[target], probability=probability)
        return graph

    def to_networkx(self) -> "networkx.DiGraph":
        """The same as :meth:`graph`."""
        return self.graph()

    def to_text(self, format: str) -> str:
        """The graph in a format of ``causcale convert``: "dagitty", "caugi", "bnlearn-model", "pcalg-cpdag", ..."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, f"graph.{format}.graph")
            self.save(path)
            with open(path, encoding="utf-8") as file:
                return file.read()

    def to_dagitty(self) -> str:
        """dagitty's model code, for its R package and dagitty.net."""
        return self.to_text("dagitty")

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
        (Tetrad), .html (interactive report), .svg, .png, .npz and .mtx (the graph as a sparse matrix), .npy (all probabilities), .dagitty, or NAME.FORMAT.csv with a
        format of ``causcale convert``.
        """
        name = os.fspath(path)
        if os.path.splitext(name)[1] in _MATRIX_EXTENSIONS:
            self._found.save_matrix(name)
        else:
            self._found.save(name)

    def save_matrix(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """All n x n probabilities, row -> column: .npy, or .csv with names (of up to 5000 variables). Sparse, without those below
        ``min_probability`` (0.01 where none was given): .npz for ``scipy.sparse.load_npz``, with an array ``names`` beside, or .mtx
        (Matrix Market), with the names in NAME.names.txt.
        """
        self._found.save_matrix(os.fspath(path))

    def sparse(self, least: Optional[float] = None) -> "scipy.sparse.csr_matrix":
        """The probabilities from ``least`` on, row -> column, as a ``scipy.sparse.csr_matrix``; by default those that sparse files hold
        (see :meth:`save_matrix`). Needs SciPy.
        """
        from scipy.sparse import csr_matrix

        n = len(self.names)
        return csr_matrix(self._found.sparse(least), shape=(n, n))

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
    """Those that choose the graph."""
    stored = json.loads(found.options or "{}")
    options = {name: stored[name] for name in ("threshold", "top", "min_probability", "seed", "threads") if name in stored}
    dag = stored.get("dag", "")
    # Older records of this package hold the rule apart.
    options["dag"] = dag if isinstance(dag, str) else acyclic_word(dag, stored.get("acyclic_rule", "greedy"))
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
