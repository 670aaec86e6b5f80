"""Tables with a known causal graph."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _native
from ._native import UsageError
from .dataset import Dataset


def simulate(
    kind: str = "synthetic", *, seed: int = 0, index: int = 0, threads: int = 0, **options: Any
) -> Dataset:
    """Simulates a table; the result's ``truth`` is the adjacency matrix of the true graph, row -> column.

    Parameters
    ----------
    kind
        "synthetic": random structural causal models; "sergio": single-cell gene expression under knock-outs.
    seed, index
        A data set is a pure function of both, whatever the number of threads.
    options
        Named as on the command line (``causcale simulate synthetic --help``) with underscores: graph, nodes,
        edges_per_node, rows, mechanism (a name or a list of names), noise, interventions, coverage, hidden,
        measurement_error, ...; for "sergio" also wild_type, profile, perturbation.
    """
    if isinstance(options.get("mechanism"), str):
        options["mechanism"] = [word.strip() for word in options["mechanism"].split(",")]
    for name, value in options.items():
        if isinstance(value, np.generic):
            options[name] = value.item()
    if kind == "synthetic":
        content = _native.simulate_synthetic(options, seed, index)
    elif kind == "sergio":
        content = _native.simulate_sergio(options, seed, index, threads)
    else:
        raise UsageError(f"kind='{kind}' is not known; accepted: sergio, synthetic")
    edges = content.pop("edges")
    truth = np.zeros((len(content["names"]),) * 2, dtype=np.uint8)
    for source, target in edges:
        truth[source, target] = 1
    dataset = Dataset.of_content(content)
    dataset.truth = truth
    return dataset
