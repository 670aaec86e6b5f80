"""Other methods of causal discovery, and several of them side by side."""
from __future__ import annotations

import time
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import _native
from ._native import UsageError
from .discovery import discover
from .evaluation import evaluate
from .inputs import Dataset, check, prepare
from .knowledge import Knowledge, collect_knowledge
from .progress import Progress, Reporter

_INPUT_OPTIONS = (
    "names",
    "columns",
    "exclude",
    "control",
    "unknown_targets",
    "mask_inverted",
    "missing",
    "layer",
)


class MethodResult:
    """The graph that another method found. ``scores`` rank the pairs, row -> column; they are no probabilities."""

    def __init__(self, method: str, names: Sequence[str], found: Mapping[str, Any]) -> None:
        self.method = method
        self.names: List[str] = list(names)
        self.scores: np.ndarray = found["scores"]
        self.graph_class: str = found["graph_class"]
        """directed, dag, cpdag, pag or undirected: what the marks at the ends of the edges mean."""
        self.log: List[str] = found["log"]
        self.seconds: Dict[str, float] = found["seconds"]
        self._edges: List[Tuple[int, int, str, str]] = found["edges"]

    @property
    def edges(self) -> Any:
        """A pandas.DataFrame: source, target, the mark at either end (tail, arrow, circle) and the score."""
        import pandas

        return pandas.DataFrame(
            {
                "source": [self.names[s] for s, _, _, _ in self._edges],
                "target": [self.names[t] for _, t, _, _ in self._edges],
                "source_mark": [mark for _, _, mark, _ in self._edges],
                "target_mark": [mark for _, _, _, mark in self._edges],
                "score": [float(self.scores[s, t]) for s, t, _, _ in self._edges],
            }
        ).sort_values("score", ascending=False, kind="stable", ignore_index=True)

    def graph(self) -> Any:
        """A networkx.DiGraph: directed edges once; edges without one clear direction in both directions."""
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(self.names)
        for source, target, at_source, at_target in self._edges:
            marks = {"score": float(self.scores[source, target]), "marks": f"{at_source}-{at_target}"}
            graph.add_edge(self.names[source], self.names[target], **marks)
            if (at_source, at_target) != ("tail", "arrow"):
                back = {"score": float(self.scores[target, source]), "marks": f"{at_target}-{at_source}"}
                graph.add_edge(self.names[target], self.names[source], **back)
        return graph

    def __repr__(self) -> str:
        return f"<causcale.MethodResult: {self.method}, {len(self._edges)} edges among {len(self.names)} variables>"


class Comparison:
    """Several methods on one table."""

    def __init__(self, table: Any, results: Dict[str, Any]) -> None:
        self.table = table
        """One row a method: edges, seconds and, where the truth is known, metrics."""
        self.results = results
        """Each method's own result by name."""

    @property
    def edges(self) -> Any:
        """Which method has which edge: one row a directed pair that some method found, most agreed first."""
        import pandas

        graphs = {name: set(result.graph().edges()) for name, result in self.results.items()}
        pairs = sorted(set().union(*graphs.values()))
        frame = pandas.DataFrame(pairs, columns=["source", "target"])
        for name, edges in graphs.items():
            frame[name] = [pair in edges for pair in pairs]
        frame["methods"] = frame[list(graphs)].sum(axis=1).astype(int)
        return frame.sort_values("methods", ascending=False, kind="stable", ignore_index=True)

    def __repr__(self) -> str:
        return repr(self.table)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def methods() -> List[Dict[str, Any]]:
    """The methods besides CauScale's own network: name, summary, assumptions, settings, citation, ..."""
    return _native.methods()


def _run(
    method: str,
    dataset: Dataset,
    known: Knowledge,
    settings: Mapping[str, Any],
    seed: int,
    threads: int,
    progress: Progress,
) -> MethodResult:
    with Reporter(progress, method) as callback:
        found = _native.run_method(
            method,
            dataset.values,
            dataset.names,
            dataset.targets,
            {key: str(value) for key, value in settings.items()},
            known.required,
            known.forbidden,
            known.tiers,
            seed,
            threads,
            callback,
        )
    return MethodResult(method, dataset.names, found)


def run_method(
    method: str,
    data: Any,
    interventions: Any = None,
    *,
    settings: Optional[Mapping[str, Any]] = None,
    required: Any = (),
    forbidden: Any = (),
    tiers: Any = None,
    seed: int = 0,
    threads: int = 0,
    progress: Progress = False,
    warn: bool = True,
    **input_options: Any,
) -> MethodResult:
    """Runs one of :func:`causcale.methods` on a table; data, interventions and input options as in discover."""
    dataset = _prepare(data, interventions, input_options)
    check(dataset, warn, stacklevel=3)
    known = collect_knowledge(dataset.names, required, forbidden, tiers, None)
    return _run(method, dataset, known, settings or {}, seed, threads, progress)


def compare(
    data: Any,
    interventions: Any = None,
    *,
    methods: Sequence[str] = ("causcale", "pc", "corr"),
    truth: Any = None,
    settings: Optional[Mapping[str, Mapping[str, Any]]] = None,
    threshold: float = 0.5,
    model: Optional[str] = None,
    required: Any = (),
    forbidden: Any = (),
    tiers: Any = None,
    seed: int = 0,
    threads: int = 0,
    progress: Progress = False,
    warn: bool = True,
    **input_options: Any,
) -> Comparison:
    """Runs several methods on the same table; "causcale" is the network.

    ``settings`` are by method, such as ``{"pc": {"alpha": 0.01}}``. With ``truth`` (in any form that
    :func:`causcale.evaluate` takes; a simulated data set brings its own) the table holds metrics, too: they
    are computed from each method's scores, the counts (edges, SHD) from its graph.
    """
    dataset = _prepare(data, interventions, input_options)
    check(dataset, warn, stacklevel=3)
    settings = settings or {}
    for name in settings:
        if name not in methods or name == "causcale":
            raise UsageError(f"settings: '{name}' is not among the other methods compared")
    truth = dataset if truth is None and dataset.truth is not None else truth
    known = collect_knowledge(dataset.names, required, forbidden, tiers, None)
    results: Dict[str, Any] = {}
    rows = []
    for name in methods:
        start = time.perf_counter()
        if name == "causcale":
            results[name] = discover(
                dataset,
                model=model,
                threshold=threshold,
                required=known.required,
                forbidden=known.forbidden,
                tiers={k: tier for k, tier in enumerate(known.tiers) if tier >= 0} or None,
                seed=seed,
                threads=threads,
                progress=progress,
                warn=False,
            )
        else:
            results[name] = _run(name, dataset, known, settings.get(name, {}), seed, threads, progress)
        seconds = time.perf_counter() - start
        rows.append(_row(name, results[name], seconds, truth))
    import pandas

    return Comparison(pandas.DataFrame(rows).set_index("method"), results)


def _prepare(data: Any, interventions: Any, input_options: Mapping[str, Any]) -> Dataset:
    for name in input_options:
        if name not in _INPUT_OPTIONS:
            raise UsageError(f"unknown option '{name}'; accepted for the input: {', '.join(_INPUT_OPTIONS)}")
    return prepare(data, interventions, **input_options)


def _row(name: str, result: Any, seconds: float, truth: Any) -> Dict[str, Any]:
    row = {"method": name, "edges": len(result.edges), "seconds": seconds}
    if truth is not None:
        ranking = evaluate(result, truth)
        row["average_precision"] = ranking["average_precision"]
        row["auc"] = ranking["auc"]
        row["orientation_accuracy"] = ranking["orientation_accuracy"]
        graph = result.graph()
        for _, _, data in graph.edges(data=True):
            data.clear()
        row["shd"] = evaluate(graph, truth)["shd"]
    return row
