"""Results that are kept: pickle, deepcopy, JSON; other graphs of the same probabilities; models that stay loaded."""
import copy
import json
import pickle

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import causcale


@pytest.fixture(scope="module")
def rich(simulated):
    """With everything that a result can hold."""
    names = simulated.names
    return causcale.discover(
        simulated,
        bootstrap=2,
        dag=True,
        threshold=0.3,
        required=[(names[0], names[1])],
        tiers={names[0]: 0},
        warn=False,
    )


def assert_same(one, other):
    assert one.names == other.names and one.info == other.info and one.remarks == other.remarks
    np.testing.assert_array_equal(one.probabilities, other.probabilities)
    pd.testing.assert_frame_equal(one.edges, other.edges)
    pd.testing.assert_frame_equal(one.removed_edges, other.removed_edges)
    assert one.findings == other.findings
    assert one.to_json() == other.to_json() and one.to_html() == other.to_html()
    assert one.to_dot() == other.to_dot()


def test_pickle_and_copy(found, rich):
    for result in (found, rich):
        assert_same(pickle.loads(pickle.dumps(result)), result)
        assert_same(copy.deepcopy(result), result)


def test_load(tmp_path, found, rich):
    for result in (found, rich):
        result.save(tmp_path / "result.json")
        loaded = causcale.load(tmp_path / "result.json")
        assert_same(loaded, result)
        assert nx.utils.graphs_equal(loaded.graph(), result.graph())


def test_sparse(tmp_path, simulated, found):
    sparse_module = pytest.importorskip("scipy.sparse")
    kept = np.where(found.probabilities >= 0.2, found.probabilities, 0.0)
    np.testing.assert_array_equal(found.sparse(0.2).toarray(), kept)
    np.testing.assert_array_equal(
        found.sparse().toarray(), np.where(found.probabilities >= 0.01, found.probabilities, 0.0)
    )
    assert found.sparse(2.0).nnz == 0
    few = causcale.discover(simulated, min_probability=0.2, warn=False)
    few.save_matrix(tmp_path / "p.npz")
    np.testing.assert_array_equal(sparse_module.load_npz(tmp_path / "p.npz").toarray(), few.sparse().toarray())
    assert list(np.load(tmp_path / "p.npz")["names"]) == few.names
    few.save_matrix(tmp_path / "p.mtx")
    mmread = pytest.importorskip("scipy.io").mmread
    np.testing.assert_allclose(mmread(tmp_path / "p.mtx").toarray(), few.sparse().toarray(), rtol=1e-8)
    assert (tmp_path / "p.names.txt").read_text().split("\n")[:-1] == few.names
    few.save(tmp_path / "g.npz")
    np.testing.assert_array_equal(sparse_module.load_npz(tmp_path / "g.npz").toarray() > 0, few.adjacency > 0)
    truth = simulated.truth
    scores = causcale.evaluate(tmp_path / "p.npz", simulated)
    assert scores["predicted_edges"] == int((few.probabilities > 0.5).sum()) and truth is not None
    # Text leaves pairs out, copies do not.
    few.save(tmp_path / "few.json")
    assert "probabilities" not in json.loads((tmp_path / "few.json").read_text())
    assert causcale.load(tmp_path / "few.json").adjacency.tolist() == few.adjacency.tolist()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(few)).probabilities, few.probabilities)


def test_pickle_keeps_what_a_floor_leaves_out(simulated):
    few = causcale.discover(simulated, min_probability=0.4, bootstrap=3, warn=False)
    again = pickle.loads(pickle.dumps(few))
    np.testing.assert_array_equal(again.probabilities, few.probabilities)
    assert set(again._found.stability) == {"bootstrap_mean", "bootstrap_deviation", "selection_frequency"}
    for name, values in few._found.stability.items():
        np.testing.assert_array_equal(again._found.stability[name], values)
        assert (values[few.probabilities < 0.4] > 0).any()


def test_load_says_what_is_wrong(tmp_path, simulated, found):
    path = tmp_path / "r.json"
    path.write_text("[1")
    with pytest.raises(causcale.InputError, match="r.json"):
        causcale.load(path)
    path.write_text('{"format": "other"}')
    with pytest.raises(causcale.InputError, match="no result of discover"):
        causcale.load(path)
    content = json.loads(found.to_json())
    content["probabilities"].pop()
    path.write_text(json.dumps(content))
    with pytest.raises(causcale.InputError, match="5 rows for 6 variables"):
        causcale.load(path)
    content = json.loads(found.to_json())
    content["names"][0] = "other"
    path.write_text(json.dumps(content))
    with pytest.raises(causcale.InputError, match="no variable"):
        causcale.load(path)
    causcale.run_method("corr", simulated, warn=False).save(path)
    with pytest.raises(causcale.InputError, match="method"):
        causcale.load(path)
    with pytest.raises(FileNotFoundError):
        causcale.load(tmp_path / "none.json")


def test_at(simulated, found):
    choices = (dict(threshold=0.001), dict(threshold=0.0001, dag=True), dict(top=3), dict(threshold=0.0001, dag="optimal"))
    for options in choices:
        again = causcale.discover(simulated, warn=False, evidence="off", **options)
        changed = found.at(**options)
        pd.testing.assert_frame_equal(changed.edges, again.edges)
        pd.testing.assert_frame_equal(changed.removed_edges, again.removed_edges)
        pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(found)).at(**options).edges, again.edges)
    assert len(found.at(0.001).edges) > len(found.edges)
    assert nx.is_directed_acyclic_graph(found.at(0.01, dag=True).at(0.02).graph())  # what is not given stays
    assert len(found.at(top=2).at(threshold=0.5).edges) == len(found.edges)
    assert json.loads(found.at(0.05).to_json())["manifest"]["options"]["threshold"] == 0.05


def test_at_respects_knowledge(tmp_path, rich):
    rich.save(tmp_path / "r.json")
    for result in (rich, causcale.load(tmp_path / "r.json"), copy.deepcopy(rich)):
        assert result.at(0.999, dag=True).graph().has_edge(rich.names[0], rich.names[1])


def test_methods_are_stored_as_well(simulated):
    for name in ("pc", "corr"):
        result = causcale.run_method(name, simulated, warn=False)
        for other in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
            pd.testing.assert_frame_equal(other.edges, result.edges)
            np.testing.assert_array_equal(other.scores, result.scores)
            assert other.to_dot() == result.to_dot() and other.to_html() == result.to_html()
            assert (other.method, other.graph_class, other.log) == (result.method, result.graph_class, result.log)
    comparison = causcale.compare(simulated, methods=["causcale", "corr"], warn=False)
    pd.testing.assert_frame_equal(copy.deepcopy(comparison).edges, comparison.edges)


def test_model_stays_loaded(simulated, found):
    model = causcale.Model()
    for _ in range(2):
        result = model.discover(simulated, warn=False)
        np.testing.assert_array_equal(result.probabilities, found.probabilities)
        assert result.info["model"] == found.info["model"] == model.name
    assert model.sha256 == found.info["model_sha256"] and model.name in repr(model)
    other = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(other.discover(simulated, warn=False).probabilities, found.probabilities)
    with pytest.raises(causcale.UsageError, match="causcale.Model"):
        model.discover(simulated, precision="fp32")
    with pytest.raises(causcale.InputError, match="no such model"):
        causcale.Model("no such model")
