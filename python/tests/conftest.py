"""Small data for all tests: a simulated table that every form of input is made from."""
import pathlib

import numpy as np
import pytest

import causcale

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="session")
def simulated():
    return causcale.simulate(nodes=6, edges_per_node=1.5, rows=140, mechanism="linear", seed=7)


@pytest.fixture(scope="session")
def found(simulated):
    return causcale.discover(simulated, warn=False)


@pytest.fixture
def small():
    """Four rows of A, B, C with interventions on none, A, B and C, none."""
    values = np.array([[0.5, 1.2, 0.3], [0.0, 1.1, 0.2], [0.4, 0.0, 0.0], [0.6, 1.3, 0.1]])
    return values, ["A", "B", "C"], [[], [0], [1, 2], []]
