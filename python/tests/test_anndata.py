"""Real AnnData objects, in memory, as views and on disk; skipped where the package is not installed."""
import inspect
import warnings

import numpy as np
import pandas as pd
import pytest

import causcale
from causcale.inputs import prepare

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    anndata = pytest.importorskip("anndata")
    sparse = pytest.importorskip("scipy.sparse")

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Variable names are not unique"),
]

KINDS = {"dense": np.asarray, "csr": sparse.csr_matrix, "csc": sparse.csc_matrix}


def keep_type(dtype):
    """Old versions turn everything into single precision unless told otherwise; new ones do not know the argument."""
    known = inspect.signature(anndata.AnnData.__init__).parameters
    return {"dtype": dtype} if "dtype" in known else {}


def cells_of(simulated, kind="dense", dtype=np.float64):
    labels = [",".join(simulated.names[t] for t in row) or "control" for row in simulated.targets]
    rows = [f"cell{k}" for k in range(len(labels))]
    data = anndata.AnnData(
        X=KINDS[kind](simulated.values.astype(dtype)),
        obs=pd.DataFrame({"perturbation": pd.Categorical(labels), "depth": np.arange(len(rows))}, index=rows),
        var=pd.DataFrame({"chromosome": "1"}, index=simulated.names),
        **keep_type(dtype),
    )
    data.layers["doubled"] = data.X * 2
    return data


def same(dataset, simulated, columns=slice(None)):
    assert dataset.names == simulated.names[columns]
    np.testing.assert_allclose(dataset.values, simulated.values[:, columns], rtol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_in_memory(simulated, kind, dtype):
    data = cells_of(simulated, kind, dtype)
    dataset = prepare(data, "perturbation")
    same(dataset, simulated)
    assert dataset.targets == simulated.targets
    np.testing.assert_allclose(prepare(data, layer="doubled").values, 2 * simulated.values, rtol=1e-6)
    chosen = prepare(data, columns=[simulated.names[3], simulated.names[1]])
    np.testing.assert_allclose(chosen.values, simulated.values[:, [1, 3]], rtol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_views(simulated, kind):
    part = cells_of(simulated, kind)[10:90, simulated.names[:4]]
    assert part.is_view
    with pytest.warns(causcale.DataWarning, match="no variables"):
        dataset = prepare(part, "perturbation", unknown_targets="ignore")
    np.testing.assert_array_equal(dataset.values, simulated.values[10:90, :4])
    assert dataset.targets == [[t for t in row if t < 4] for row in simulated.targets[10:90]]


@pytest.mark.parametrize("kind", KINDS)
def test_files(simulated, kind, tmp_path):
    path = tmp_path / "cells.h5ad"
    cells_of(simulated, kind).write(path)
    read = causcale.read(path, label_column="perturbation")
    same(read, simulated)
    assert read.targets == simulated.targets
    backed = anndata.read_h5ad(path, backed="r")
    try:
        dataset = prepare(backed, "perturbation")
        same(dataset, simulated)
        assert dataset.targets == simulated.targets
        same(prepare(backed, columns=simulated.names[:2]), simulated, slice(0, 2))
    finally:
        backed.file.close()


def test_the_same_graph_as_from_arrays(simulated, found):
    result = causcale.discover(cells_of(simulated, "csr"), "perturbation", warn=False)
    np.testing.assert_array_equal(result.probabilities, found.probabilities)


def test_errors_say_what_is_wrong(simulated):
    data = cells_of(simulated)
    with pytest.raises(causcale.InputError, match="no column 'gene'; it has: perturbation, depth"):
        prepare(data, "gene")
    with pytest.raises(causcale.InputError, match="no layer 'counts'; there are: doubled"):
        prepare(data, layer="counts")
    empty = anndata.AnnData(obs=data.obs, var=data.var)
    with pytest.raises(causcale.InputError, match="X is empty"):
        prepare(empty)
    empty.layers["log"] = simulated.values
    with pytest.raises(causcale.InputError, match="X is empty; choose a layer with layer=...: log"):
        prepare(empty)
    same(prepare(empty, layer="log"), simulated)
    twice = anndata.AnnData(X=np.ones((3, 2)), var=pd.DataFrame(index=["g", "g"]), **keep_type(float))
    with pytest.raises(causcale.InputError, match="two columns are called 'g'"):
        prepare(twice)
