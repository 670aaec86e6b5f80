"""The signature that CausalBench calls, and which cells count."""
import numpy as np
import pytest

import causcale
from causcale.causalbench import causalbench


def labels_of(simulated):
    return [row[0] if row else "non-targeting" for row in simulated.target_names()]


def test_same_edges_as_discover(simulated, found):
    edges = causalbench(simulated.values, labels_of(simulated), simulated.names, "partial_interventional", 0)
    assert edges == list(zip(found.edges.source, found.edges.target))
    assert edges and all(isinstance(name, str) for edge in edges for name in edge)


def test_excluded_cells_and_unknown_genes_are_left_out(simulated, found):
    noise = np.full((3, len(simulated.names)), 1e3)
    edges = causalbench(
        np.vstack([noise, simulated.values]),
        ["excluded", "NOT_A_GENE", "excluded"] + labels_of(simulated),
        simulated.names,
    )
    assert edges == list(zip(found.edges.source, found.edges.target))


def test_options_reach_discover(simulated):
    assert len(causalbench(simulated.values, labels_of(simulated), simulated.names, top=2)) == 2


def test_shapes_must_agree(simulated):
    with pytest.raises(causcale.InputError, match="gene names"):
        causalbench(simulated.values, ["non-targeting"], simulated.names)
