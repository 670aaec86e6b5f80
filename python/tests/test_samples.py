"""Graphs drawn from a result, and what they say."""
import networkx as nx
import numpy as np
import pytest

import causcale


@pytest.fixture(scope="module")
def samples(found):
    return found.samples(400, seed=1)


def test_graphs(found, samples):
    assert len(samples) == 400 and samples.names == found.names and samples.exact
    adjacency = samples.adjacency
    assert adjacency.shape == (400, 6, 6) and adjacency.dtype == np.uint8
    for number in (0, 399):
        graph = samples.graph(number)
        assert nx.is_directed_acyclic_graph(graph) and list(graph) == found.names
        np.testing.assert_array_equal(nx.to_numpy_array(graph), adjacency[number])
    assert sum(1 for _ in samples) == 400
    np.testing.assert_allclose(samples.edge_probabilities, adjacency.mean(axis=0))
    with pytest.raises(causcale.UsageError):
        samples.graph(400)
    np.testing.assert_array_equal(found.samples(400, seed=1, threads=1).adjacency, adjacency)
    assert (found.samples(400, seed=2).adjacency != adjacency).any()


def test_ancestry_and_paths(found, samples):
    reached = np.zeros((6, 6))
    for graph in samples:
        closure = nx.to_numpy_array(nx.transitive_closure(graph), nodelist=found.names)
        reached += closure / len(samples)
    np.testing.assert_allclose(samples.ancestry, reached, atol=1e-12)
    assert found.ancestry.shape == (6, 6) and found.ancestry is found.ancestry
    source, target = np.unravel_index(np.argmax(reached), reached.shape)
    a, b = found.names[source], found.names[target]
    assert samples.cause_probability(a, b) == pytest.approx(reached[source, target])
    paths = samples.paths(a, b, most=3)
    assert list(paths.columns) == ["path", "probability"] and 1 <= len(paths) <= 3
    first = paths.path[0]
    assert first[0] == a and first[-1] == b
    share = np.mean([all(g.has_edge(u, v) for u, v in zip(first, first[1:])) for g in samples])
    assert paths.probability[0] == pytest.approx(share)
    assert 0 <= samples.adjustment_probability(a, b) <= 1
    with pytest.raises(causcale.UsageError):
        samples.adjustment_probability(a, b, [a])
    with pytest.raises(causcale.UsageError, match="nobody"):
        samples.paths("nobody", b)
    with pytest.raises(causcale.UsageError, match="count"):
        found.samples(0)


def test_knowledge_holds(simulated):
    a, b, c = simulated.names[:3]
    result = causcale.discover(simulated, required=[(a, b)], forbidden=[(b, c), (c, b)], warn=False)
    for graph in result.samples(100):
        assert graph.has_edge(a, b) and not graph.has_edge(b, c) and not graph.has_edge(c, b)


def test_next(found):
    frame = found.next(500)
    assert sorted(frame.variable) == sorted(found.names)
    assert (frame.information.diff().dropna() <= 1e-12).all() and (frame.information >= 0).all()
    assert (frame.share <= 1 + 1e-9).all()
    for _, row in frame.iterrows():
        assert sum(gain for _, _, gain, _ in row.settles) <= row.information + 1e-9


def test_saved_for_numpy(found, samples, tmp_path):
    samples.save(tmp_path / "graphs.npz")
    with np.load(tmp_path / "graphs.npz") as stored:
        assert list(stored["names"]) == found.names and int(stored["count"].item()) == 400
        adjacency = np.zeros((400, 6, 6), dtype=np.uint8)
        adjacency[tuple(stored["edges"].T)] = 1
        np.testing.assert_array_equal(adjacency, samples.adjacency)
        np.testing.assert_array_equal(stored["ancestry"], samples.ancestry)
    with pytest.raises(causcale.UsageError, match="npz"):
        samples.save(tmp_path / "graphs.csv")
    distance = samples.expected_distance(found)
    assert 0 <= distance < 15


def test_what_further_rows_would_tell(found, samples):
    information, doubt, pairs = samples.observation()
    assert 0 <= information <= doubt + 1e-9
    assert list(pairs.columns) == ["a", "b", "information", "doubt"]
    assert (pairs.information <= pairs.doubt + 1e-9).all() and pairs.information.is_monotonic_decreasing
    rows = found.next_rows(count=400, seed=1)
    assert list(rows.a) == list(pairs.a)
    assert {"rows", "partial_correlation", "further_rows"} <= set(rows.columns)
    assert (rows.rows <= 140).all() and (rows.further_rows.dropna() >= 0).all()
