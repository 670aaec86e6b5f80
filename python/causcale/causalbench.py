"""CauScale as a method of CausalBench (causalscbench).

    from causcale.causalbench import causalbench
    edges = causalbench(expression_matrix, interventions, gene_names)

CausalBench takes a class: its ``--inference_function_file_path`` wants a file with

    from causalscbench.models.abstract_model import AbstractInferenceModel
    from causcale.causalbench import causalbench

    class Custom(AbstractInferenceModel):
        def __call__(self, expression_matrix, interventions, gene_names, training_regime, seed=0):
            return causalbench(expression_matrix, interventions, gene_names, training_regime, seed, model="sergio")
"""
from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from ._native import InputError
from .discovery import discover

__all__ = ["causalbench"]


def causalbench(
    expression_matrix: Any,
    interventions: Sequence[str],
    gene_names: Sequence[str],
    training_regime: Any = None,
    seed: int = 0,
    **options: Any,
) -> List[Tuple[str, str]]:
    """Edges of the graph of a CausalBench data set, most probable first.

    Parameters
    ----------
    expression_matrix
        Cells in rows, genes in columns; an array or a scipy.sparse matrix.
    interventions
        Per cell the gene that was perturbed, or "non-targeting". Cells that are "excluded", or whose gene is no column,
        are left out.
    gene_names
        Of the columns.
    training_regime
        As CausalBench passes it; in its observational regime all cells come without a perturbation, so that nothing
        has to be done here.
    seed
        Of :func:`causcale.discover`.
    options
        Further arguments of :func:`causcale.discover`: ``model``, ``threshold``, ``top``, ``dag``, ``threads``, ...

    Returns
    -------
    list of (cause, effect)
    """
    values = expression_matrix.toarray() if hasattr(expression_matrix, "toarray") else np.asarray(expression_matrix)
    names = [str(name) for name in gene_names]
    labels = [str(label) for label in interventions]
    if values.ndim != 2 or values.shape != (len(labels), len(names)):
        raise InputError(
            f"expression_matrix has shape {values.shape}, but there are {len(labels)} interventions and {len(names)} gene names"
        )
    known = set(names)
    targets: List[Optional[str]] = [None if label == "non-targeting" else label for label in labels]
    kept = [row for row, target in enumerate(targets) if target is None or target in known]
    options.setdefault("warn", False)
    result = discover(values[kept], [targets[row] for row in kept], names=names, seed=seed, **options)
    return [(str(source), str(target)) for source, target in zip(result.edges["source"], result.edges["target"])]
