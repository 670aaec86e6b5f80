"""Other methods of causal discovery, and several of them side by side."""
from __future__ import annotations

import html
import json
import os
import time
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Union

import numpy as np

from . import _native
from ._native import Error, InputError, UsageError
from .discovery import discover, record_of
from .effects import EdgeEffect, TotalEffect, edge_effects_from, total_effect_from
from .evaluation import evaluate
from .dataset import Dataset
from .inputs import INPUT_OPTIONS, check, prepare
from .knowledge import Knowledge, collect_knowledge
from .notebook import Picture, with_report
from .progress import Progress, Reporter

if TYPE_CHECKING:
    import networkx
    import pandas

_SHOWN_EDGES = 25


class MethodResult:
    """The graph that another method found. ``scores`` rank the pairs, row -> column; they are no probabilities."""

    def __init__(self, method: str, found: "_native.Outcome", dataset: Optional[Dataset] = None) -> None:
        self._found = found
        self._dataset = dataset  # for effect(); neither pickled nor saved
        self.method = method
        self.names: List[str] = list(found.names)
        self.scores: np.ndarray = found.scores
        self.graph_class: str = found.graph_class
        """What the marks at the ends of the edges mean: DAG, CPDAG, PAG, ..."""
        self.log: List[str] = found.log
        """What a user should know about the run."""
        self.seconds: Dict[str, float] = found.seconds
        self.score_kind: str = found.score_kind
        """"ranking", or "probability": scores are shares of several methods."""
        self.variables: List[Dict[str, Any]] = json.loads(found.variables or "[]")
        """What was understood of every column, those set aside included: name, kind, reason, levels (words), ..."""

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_dataset": None}

    @property
    def edges(self) -> "pandas.DataFrame":
        """source, target, edge ("-->", "---", "o->", "<->", ...), score and score_reverse, highest score first; with
        a bootstrap also how stable they are."""
        import pandas

        edges = self._found.edges
        frame = pandas.DataFrame(
            {
                "source": [self.names[s] for s, _, _ in edges],
                "target": [self.names[t] for _, t, _ in edges],
                "edge": [text for _, _, text in edges],
                "score": [float(self.scores[s, t]) for s, t, _ in edges],
                "score_reverse": [float(self.scores[t, s]) for s, t, _ in edges],
            }
        )
        for name, matrix in self._found.stability.items():
            frame[name] = [float(matrix[s, t]) for s, t, _ in edges]
        return frame.sort_values("score", ascending=False, kind="stable", ignore_index=True)

    @property
    def effects(self) -> List[EdgeEffect]:
        """Sign and size of every edge whose target's causes are settled; see :attr:`causcale.Result.effects`."""
        return edge_effects_from(self._found.effects, self.names)

    def effect(
        self,
        cause: str,
        outcome: str,
        data: Any = None,
        interventions: Any = None,
        *,
        bootstrap: int = 0,
        seed: int = 0,
        threads: int = 0,
        **reading: Any,
    ) -> TotalEffect:
        """What happens to ``outcome`` when ``cause`` is changed; see :meth:`causcale.Result.effect`. A CPDAG gives bounds,
        a PAG a refusal with its reason.
        """
        for name in (cause, outcome):
            if name not in self.names:
                raise UsageError(f"there is no variable {name!r}")
        dataset = self._dataset if data is None else prepare(data, interventions, **reading)
        if dataset is None:
            raise UsageError("the result does not hold its rows: give the table as data")
        numbers = self.names.index(cause), self.names.index(outcome)
        return total_effect_from(
            *self._found.total_effect(dataset.content(), *numbers, bootstrap, seed, threads)
        )

    def graph(self) -> "networkx.DiGraph":
        """A networkx.DiGraph of every possible direction: an undirected edge has both, a bidirected one none."""
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(self.names)
        for source, target, score in self._found.directions:
            graph.add_edge(self.names[source], self.names[target], score=score)
        return graph

    def to_dot(self) -> str:
        """Graphviz, with the marks of the edges."""
        return self._found.dot()

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a file whose extension says what it holds: .csv .json .dot .graphml .gml .txt .html .svg .png."""
        self._found.save(os.fspath(path))

    def to_html(self) -> str:
        """The interactive report: a page of its own that needs no network."""
        return self._found.html()

    def picture(self) -> Picture:
        """The graph as a drawing, with the marks of the edges."""
        return Picture(self._found.svg(), self._found.png())

    def __repr__(self) -> str:
        edges = len(self._found.edges)
        return f"<causcale.MethodResult: {self.method}, {self.graph_class} of {edges} edges, {len(self.names)} variables>"

    def __str__(self) -> str:
        return self._found.text(_SHOWN_EDGES)

    def _repr_html_(self) -> str:
        """For notebooks: a table, and the interactive report folded away below it."""
        edges = sorted(
            self._found.edges, key=lambda edge: -max(self.scores[edge[:2]], self.scores[edge[1::-1]])
        )
        rows = [
            f"<tr><td style='text-align:right'>{html.escape(self.names[source])}</td><td>{html.escape(marks)}</td>"
            f"<td style='text-align:left'>{html.escape(self.names[target])}</td>"
            f"<td>{self.scores[source, target]:.4g}</td><td>{self.scores[target, source]:.4g}</td></tr>"
            for source, target, marks in edges[:_SHOWN_EDGES]
        ]
        left = len(edges) - len(rows)
        more = f"<p>and {left} more; see <code>.edges</code></p>" if left > 0 else ""
        return with_report(
            f"<p>{html.escape(self.method)}: {html.escape(self.graph_class)} of {len(edges)} edges among "
            f"{len(self.names)} variables. Scores rank edges; they are no probabilities.</p>"
            "<table><thead><tr><th></th><th>edge</th><th></th><th>score</th><th>of the reverse</th></tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table>{more}",
            self._found.html(),
        )


class Comparison:
    """Several methods on one table."""

    def __init__(self, table: Any, results: Dict[str, Any]) -> None:
        self.table = table
        """One row per method: edges, seconds, metrics where the truth is known, and why there is no result, if so."""
        self.results = results
        """Each method's own result by name; without those that failed."""

    @property
    def edges(self) -> Any:
        """Which method has which edge: one row per directed pair that some method found, most agreed first."""
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
    method: Union[str, Sequence[str]],
    data: Any,
    dataset: Dataset,
    known: Knowledge,
    settings: Mapping[str, Any],
    options: Dict[str, Any],
    progress: Progress,
) -> MethodResult:
    names = [method] if isinstance(method, str) else list(method)
    own = {names[0]: settings} if isinstance(method, str) else settings
    choice = [(name, {key: str(value) for key, value in own.get(name, {}).items()}) for name in names]
    title = "+".join(names)
    said = {"method": title, **{key: str(value) for key, value in settings.items()}, **options}
    with Reporter(progress, title) as callback:
        found = _native.run_method(
            choice,
            dataset.content(),
            {"bootstrap": 0, "model": "", **options},
            known.as_dict(),
            record_of("run_method", data, dataset, said, known),
            callback,
        )
    return MethodResult(title, found, dataset)


def run_method(
    method: Union[str, Sequence[str]],
    data: Any,
    interventions: Any = None,
    *,
    settings: Optional[Mapping[str, Any]] = None,
    required: Any = (),
    forbidden: Any = (),
    tiers: Any = None,
    knowledge: Union[None, str, "os.PathLike[str]"] = None,
    threshold: Optional[float] = None,
    top: int = 0,
    dag: bool = False,
    bootstrap: int = 0,
    model: Optional[str] = None,
    timeout: float = 600.0,
    seed: int = 0,
    threads: int = 0,
    progress: Progress = False,
    warn: bool = True,
    **input_options: Any,
) -> MethodResult:
    """Runs one of :func:`causcale.methods` on a table; data, interventions and input options as in discover.

    Without ``threshold`` (of the score) and ``top`` the graph is the method's own. After ``timeout`` seconds
    (0: no limit) the work ends with an Error. ``bootstrap``: repetitions on resampled rows; ``edges`` then has the
    share of them in which each edge is selected.

    A list of methods, among them "causcale" for the network (with ``model``), gives one graph of what they agree
    on: scores are shares of the methods, half for either direction where one leaves it open. ``settings`` are by
    method then, such as ``{"pc": {"alpha": 0.01}}``.
    """
    if not isinstance(method, str):
        _check_combined(method, settings or {})
    dataset = _prepare(data, interventions, input_options)
    check(dataset, warn, stacklevel=3)
    known = collect_knowledge(dataset.names, required, forbidden, tiers, knowledge)
    options = {
        "threshold": threshold,
        "top": top,
        "dag": dag,
        "timeout": timeout,
        "seed": seed,
        "threads": threads,
        **({"bootstrap": bootstrap} if bootstrap else {}),
        **({"model": model} if model else {}),
    }
    return _run(method, data, dataset, known, settings or {}, options, progress)


def compare(
    data: Any,
    interventions: Any = None,
    *,
    methods: Optional[Sequence[str]] = None,
    truth: Any = None,
    settings: Optional[Mapping[str, Mapping[str, Any]]] = None,
    threshold: float = 0.5,
    model: Optional[str] = None,
    required: Any = (),
    forbidden: Any = (),
    tiers: Any = None,
    method_timeout: float = 600.0,
    seed: int = 0,
    threads: int = 0,
    progress: Progress = False,
    warn: bool = True,
    **input_options: Any,
) -> Comparison:
    """Runs several methods on the same table; "causcale" is the network.

    Without ``methods``, it and all that need not train networks of their own first. A method that fails, or
    takes longer than ``method_timeout`` seconds (0: no limit), says so in the column "problem" of the table;
    the others go on.

    ``settings`` are by method, such as ``{"pc": {"alpha": 0.01}}``. With ``truth`` (in any form that
    :func:`causcale.evaluate` takes; a simulated data set brings its own) the table holds metrics, too: they
    are computed from each method's scores, the counts (edges, SHD) from its graph.
    """
    dataset = _prepare(data, interventions, input_options)
    check(dataset, warn, stacklevel=3)
    settings = settings or {}
    if methods is None:
        quick = [method["name"] for method in _native.methods() if not method["trains_networks"]]
        methods = ["causcale", *quick]
    _check_names(methods)
    for name in settings:
        if name not in methods or name == "causcale":
            raise UsageError(f"settings: '{name}' is not among the other methods compared")
    truth = dataset if truth is None and dataset.truth is not None else truth
    known = collect_knowledge(dataset.names, required, forbidden, tiers, None)
    own_graph = {"threshold": None, "top": 0, "dag": False}
    options = {**own_graph, "timeout": method_timeout, "seed": seed, "threads": threads}
    results: Dict[str, Any] = {}
    rows = []
    for name in methods:
        start = time.perf_counter()
        problem = ""
        try:
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
                results[name] = _run(name, data, dataset, known, settings.get(name, {}), options, progress)
        except (Error, InputError) as error:
            problem = str(error)
        except MemoryError:
            problem = "out of memory"
        row = {"method": name, "edges": None, "seconds": time.perf_counter() - start}
        if name in results:
            row.update(_findings(results[name], truth))
        rows.append({**row, "problem": problem})
    import pandas

    return Comparison(pandas.DataFrame(rows).set_index("method"), results)


def _prepare(data: Any, interventions: Any, input_options: Mapping[str, Any]) -> Dataset:
    for name in input_options:
        if name not in INPUT_OPTIONS:
            raise UsageError(f"unknown option '{name}'; accepted for the input: {', '.join(INPUT_OPTIONS)}")
    return prepare(data, interventions, **input_options)


def _check_combined(methods: Sequence[str], settings: Mapping[str, Any]) -> None:
    _check_names(list(methods))
    if len(list(methods)) < 2:
        raise UsageError("method: a list names at least two methods")
    for name in settings:
        if name not in methods or name == "causcale":
            raise UsageError(f"settings: '{name}' is not among the other methods combined")


def _check_names(names: Sequence[str]) -> None:
    accepted = ["causcale", *(method["name"] for method in _native.methods())]
    for place, name in enumerate(names):
        if name not in accepted:
            raise UsageError(f"methods: unknown method '{name}'; accepted: {', '.join(accepted)}")
        if name in names[:place]:
            raise UsageError(f"methods: '{name}' is named twice")


def _findings(result: Any, truth: Any) -> Dict[str, Any]:
    row: Dict[str, Any] = {"edges": len(result.edges)}
    if truth is not None:
        ranking = evaluate(result, truth)
        row["average_precision"] = ranking["average_precision"]
        row["auc"] = ranking["auc"]
        row["orientation_accuracy"] = ranking["orientation_accuracy"]
        graph = result.graph()
        for _, _, data in graph.edges(data=True):
            data.clear()
        own = evaluate(graph, truth)
        row["shd"] = own["shd"]
        row["f1"] = own["direction"]["f1"]
    return row
