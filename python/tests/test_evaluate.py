"""Simulation, metrics and comparison."""
import networkx as nx
import numpy as np
import pandas as pd
import pytest

import causcale


def test_simulation_is_a_function_of_its_seed():
    first = causcale.simulate(nodes=8, rows=100, mechanism=["nn", "linear"], seed=3, index=2)
    again = causcale.simulate(nodes=8, rows=100, mechanism="nn,linear", seed=3, index=2)
    other = causcale.simulate(nodes=8, rows=100, mechanism="nn,linear", seed=4, index=2)
    np.testing.assert_array_equal(first.values, again.values)
    assert not np.array_equal(first.values, other.values)
    assert first.shape == (100, 8) and first.truth.shape == (8, 8)
    assert nx.is_directed_acyclic_graph(first.graph())


def test_sergio():
    cells = causcale.simulate("sergio", nodes=5, rows=40, wild_type=10, seed=1)
    assert cells.shape == (50, 5) and cells.names[0] == "G0"
    assert [len(row) for row in cells.targets] == [1] * 40 + [0] * 10


@pytest.mark.parametrize(
    "arguments, message",
    [
        (dict(kind="weather"), "kind='weather'"),
        (dict(colour="red"), "unknown option 'colour'.*nodes"),
        (dict(nodes="many"), "nodes='many'"),
        (dict(mechanism="magic"), "unknown mechanism 'magic'"),
        (dict(nodes=-1), "nodes"),
    ],
)
def test_simulation_errors(arguments, message):
    with pytest.raises(causcale.UsageError, match=message):
        causcale.simulate(**arguments)


def test_metrics_by_hand():
    truth = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    scores = np.array([[0, 0.9, 0.1], [0.2, 0, 0.3], [0.1, 0.7, 0]])
    metrics = causcale.evaluate(scores, truth)
    assert metrics["shd"] == 1 and metrics["true_edges"] == 2 and metrics["orientation_accuracy"] == 0.5
    assert causcale.evaluate(truth, truth)["average_precision"] == 1.0
    assert causcale.evaluate(scores, truth, threshold=0.25)["predicted_edges"] == 3


def test_forms_of_graphs(tmp_path):
    names = ["a", "b", "c"]
    truth = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    square = pd.DataFrame(truth, index=names, columns=names)
    edges = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"]})
    turned = pd.DataFrame({"from": ["b", "a"], "to": ["c", "b"], "strength": [1.0, 1.0]})
    graph = nx.DiGraph()
    graph.add_nodes_from(["c", "b", "a"])
    graph.add_edges_from([("b", "c"), ("a", "b")])
    edges.to_csv(tmp_path / "truth.csv", index=False)
    np.save(tmp_path / "truth.npy", truth)
    named = [square, edges, turned, graph, [("b", "c"), ("a", "b")], tmp_path / "truth.csv"]
    for prediction in named:
        for true in named:
            assert causcale.evaluate(prediction, true)["shd"] == 0
    for unnamed in (truth, tmp_path / "truth.npy", str(tmp_path / "truth.npy")):
        assert causcale.evaluate(unnamed, square)["shd"] == 0
        assert causcale.evaluate(square, unnamed)["shd"] == 0
        assert causcale.evaluate(unnamed, truth)["shd"] == 0


def test_a_cut_list_has_no_ranking(tmp_path):
    truth = pd.DataFrame([[0, 1, 0], [0, 0, 1], [0, 0, 0]], index=list("abc"), columns=list("abc"))
    cut = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "probability": [0.9, 0.8]})
    cut.to_csv(tmp_path / "cut.csv", index=False)
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([("a", "b", 0.9), ("b", "c", 0.8)], weight="probability")
    for prediction in (cut, tmp_path / "cut.csv", [("a", "b", 0.9), ("b", "c", 0.8)], graph):
        metrics = causcale.evaluate(prediction, truth)
        assert metrics["average_precision"] is None and metrics["auc"] is None and metrics["calibration"] is None
        assert metrics["shd"] == 0 and metrics["orientation_accuracy"] == 1.0
        assert metrics["listed"]["scored_pairs"] == 2 and metrics["listed"]["all_pairs"] == 6
    pairs = [(s, t, 0.9 if truth.loc[s, t] else 0.1) for s in "abc" for t in "abc" if s != t]
    metrics = causcale.evaluate(pairs, truth)
    assert metrics["average_precision"] == 1.0 and metrics["listed"] is None


def test_numbers_and_frames_in_another_order(tmp_path):
    scores = np.zeros((3, 3))
    scores[0, 1] = scores[1, 2] = 0.9
    np.save(tmp_path / "scores.npy", scores)
    (tmp_path / "edges.csv").write_text("source,target\n1,2\n0,1\n")
    for prediction in (scores, tmp_path / "scores.npy", pd.DataFrame(scores)):
        for truth in (tmp_path / "edges.csv", [("1", "2"), ("0", "1")], nx.DiGraph([(1, 2), (0, 1)])):
            assert causcale.evaluate(prediction, truth)["shd"] == 0
    named = pd.DataFrame(scores, index=list("ABC"), columns=list("ABC"))
    assert causcale.evaluate(named, tmp_path / "edges.csv")["shd"] == 0
    assert causcale.evaluate(named.loc[list("CBA")], [("B", "C"), ("A", "B")])["shd"] == 0
    with pytest.raises(causcale.InputError, match="has no names"):
        causcale.evaluate(scores, [("B", "C"), ("A", "B")])
    with pytest.raises(causcale.InputError, match="different names"):
        causcale.evaluate(named.rename(index={"A": "D"}), named)


def test_graphs_that_do_not_match():
    square = pd.DataFrame(np.zeros((2, 2)), columns=["a", "b"])
    with pytest.raises(causcale.InputError, match="does not have: c"):
        causcale.evaluate(square, [("a", "c")])
    with pytest.raises(causcale.InputError, match="2 variables, truth has 3"):
        causcale.evaluate(square, np.zeros((3, 3)))
    with pytest.raises(causcale.InputError, match="square"):
        causcale.evaluate(np.zeros((2, 3)), np.zeros((2, 2)))
    with pytest.raises(causcale.InputError, match="itself"):
        causcale.evaluate(np.zeros((2, 2)), np.eye(2))


def test_methods_and_run_method(simulated, tmp_path):
    listed = {method["name"]: method for method in causcale.methods()}
    assert "alpha" in listed["pc"]["settings"]
    result = causcale.run_method("pc", simulated, settings={"alpha": 0.01}, warn=False)
    assert result.graph_class == "CPDAG" and set(result.graph().nodes) == set(simulated.names)
    assert {"-->", "---"} >= set(result.edges["edge"])
    result.save(tmp_path / "pc.csv")
    assert "score" in (tmp_path / "pc.csv").read_text().splitlines()[0]
    with pytest.raises(causcale.UsageError, match="nonsense"):
        causcale.run_method("nonsense", simulated, warn=False)
    with pytest.raises(causcale.UsageError, match="beta"):
        causcale.run_method("pc", simulated, settings={"beta": 1}, warn=False)
    with pytest.raises(causcale.UsageError, match="unknown option 'modle'"):
        causcale.run_method("pc", simulated, modle="x")


def test_a_pag_in_notebooks_and_files(tmp_path):
    hidden = causcale.simulate(nodes=12, edges_per_node=2, hidden=3, rows=600, interventions="none", seed=4)
    names = [f"<b>{name}" for name in hidden.names]
    result = causcale.run_method("fci", hidden.values, names=names, warn=False)
    marks = list(result.edges["edge"])
    assert result.graph_class == "PAG" and "<->" in marks and any("o" in mark for mark in marks)
    table = result._repr_html_().split("<iframe")[0]
    assert "&lt;-&gt;" in table and "&lt;b&gt;" in table and "<b>" not in table
    assert "PAG" in table and "probabilit" not in table.replace("are no probabilities", "")
    assert "srcdoc" in result._repr_html_()
    bundle = result.picture()._repr_mimebundle_()
    # The legend repeats each kind once.
    circles = sum(mark.count("o") for mark in marks) + sum(mark.count("o") for mark in set(marks))
    assert bundle["image/svg+xml"].count("<circle") == circles
    result.save(tmp_path / "pag.graphml")
    read = nx.read_graphml(tmp_path / "pag.graphml")
    assert sum(data["edge"] == "<->" for _, _, data in read.edges(data=True)) == 2 * marks.count("<->")
    result.save(tmp_path / "pag.csv")
    assert (tmp_path / "pag.csv").read_text().count("<->") == marks.count("<->")
    assert '"marks"' in result.to_html()


def test_knowledge_in_a_method(simulated):
    free = causcale.run_method("pc", simulated, warn=False)
    source, target = free.edges.source[0], free.edges.target[0]
    bound = causcale.run_method("pc", simulated, forbidden=[(source, target), (target, source)], warn=False)
    assert not bound.graph().has_edge(source, target) and not bound.graph().has_edge(target, source)


def test_compare(simulated):
    comparison = causcale.compare(simulated, methods=["causcale", "pc", "corr"], warn=False)
    assert list(comparison.table.index) == ["causcale", "pc", "corr"]
    assert {"edges", "seconds", "average_precision", "shd", "f1"} <= set(comparison.table.columns)
    ours = causcale.evaluate(comparison.results["causcale"], simulated)
    assert comparison.table.loc["causcale", "average_precision"] == ours["average_precision"]
    assert comparison.table.loc["causcale", "shd"] == ours["shd"]
    edges = comparison.edges
    assert edges["methods"].is_monotonic_decreasing and edges["methods"].max() <= 3
    assert "<table" in comparison._repr_html_()
    usual = causcale.compare(simulated, warn=False).table.index
    assert {"causcale", "corr", "pc", "fci", "ges", "notears"} <= set(usual) and "diffan" not in usual
    blind = causcale.compare(simulated.values, simulated.targets, methods=["corr"], warn=False)
    assert "shd" not in blind.table.columns
    with pytest.raises(causcale.UsageError, match="lingam"):
        causcale.compare(simulated, methods=["corr"], settings={"lingam": {}}, warn=False)
    with pytest.raises(causcale.UsageError, match="unknown method 'lingam'"):
        causcale.compare(simulated, methods=["corr", "lingam"], warn=False)
    with pytest.raises(causcale.UsageError, match="named twice"):
        causcale.compare(simulated, methods=["corr", "corr"], warn=False)


def test_compare_goes_on_without_methods_that_fail(simulated):
    comparison = causcale.compare(simulated, methods=["corr", "notears"], method_timeout=1e-9, warn=False)
    assert comparison.table.loc["corr", "problem"] == ""  # done in one step
    assert "no answer within" in comparison.table.loc["notears", "problem"]
    assert list(comparison.results) == ["corr"]
    assert list(comparison.edges.columns) == ["source", "target", "corr", "methods"]
    none = causcale.compare(simulated, methods=["notears"], method_timeout=1e-9, warn=False)
    assert none.results == {} and none.edges.empty and "notears" in repr(none)
    with pytest.raises(causcale.InputError, match="no answer within"):
        causcale.run_method("notears", simulated, timeout=1e-9, warn=False)
    with pytest.raises(causcale.UsageError, match="timeout"):
        causcale.run_method("notears", simulated, timeout=-1, warn=False)


def test_interrupt_in_a_method(simulated):
    def stop(stage, share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        causcale.run_method("pc", simulated, progress=stop, warn=False)
