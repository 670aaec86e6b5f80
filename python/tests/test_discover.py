"""The main job through Python: the same answer as the library gives, in every form."""
import io
import json
import signal
import threading

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import causcale
from conftest import EXAMPLES


def test_result(found, simulated):
    n = len(simulated.names)
    assert found.probabilities.shape == (n, n) and (np.diagonal(found.probabilities) == 0).all()
    assert ((found.probabilities >= 0) & (found.probabilities <= 1)).all()
    np.testing.assert_array_equal(found.adjacency, found.probabilities > 0.5)
    assert found.names == simulated.names
    assert causcale.evaluate(found, simulated)["auc"] > 0.8  # an easy table


def test_edges_and_graph_agree(found):
    frame = found.edges
    assert list(frame.columns) == ["source", "target", "probability", "probability_reverse", "feedback", "confounded"]
    assert frame["probability"].is_monotonic_decreasing
    for row in frame.itertuples():
        i, j = found.names.index(row.source), found.names.index(row.target)
        assert (
            row.probability == found.probabilities[i, j]
            and row.probability_reverse == found.probabilities[j, i]
        )
    graph = found.graph()
    assert isinstance(graph, nx.DiGraph) and list(graph.nodes) == found.names
    assert {(s, t): d["probability"] for s, t, d in graph.edges(data=True)} == {
        (row.source, row.target): row.probability for row in frame.itertuples()
    }
    source, target = frame.source[0], frame.target[0]
    assert source in found.parents(target) and target in found.children(source)
    assert len(found.ranked()) == np.count_nonzero(found.probabilities)


def test_evidence_tells_of_every_edge(found, simulated):
    frame = pd.DataFrame(found.evidence)
    kept = frame[~frame.struck_out]
    assert set(zip(kept.source, kept.target)) == set(zip(found.edges.source, found.edges.target))
    words = {"untested", "none", "knowledge", "intervention", "shape", "structure", "reverse"}
    assert set(kept.told_by) <= words
    assert found.at(0.3).evidence == []


def test_same_answer_from_every_form(simulated, found):
    frame = pd.DataFrame(simulated.values, columns=simulated.names)
    names = [row[0] if row else None for row in simulated.target_names()]
    mask = np.zeros_like(simulated.values)
    for row, targets in enumerate(simulated.targets):
        mask[row, targets] = 1
    for data, interventions in ((frame, names), (frame, mask), (simulated.values, simulated.targets)):
        again = causcale.discover(data, interventions, names=simulated.names, warn=False)
        np.testing.assert_array_equal(again.probabilities, found.probabilities)


def test_interventions_and_row_order(simulated, found):
    without = causcale.discover(simulated.values, names=simulated.names, warn=False)
    assert not np.array_equal(without.probabilities, found.probabilities)
    order = np.random.default_rng(0).permutation(len(simulated.values))
    shuffled = causcale.discover(simulated.values[order], [simulated.targets[k] for k in order], warn=False)
    np.testing.assert_array_equal(shuffled.probabilities, found.probabilities)


def test_threads_do_not_matter(simulated, found):
    one = causcale.discover(simulated, threads=1, warn=False)
    np.testing.assert_allclose(one.probabilities, found.probabilities, atol=1e-6)


def test_knowledge(simulated):
    names = simulated.names
    result = causcale.discover(
        simulated, required=[(names[0], names[1])], forbidden=[(2, 3), (names[3], names[2])], warn=False
    )
    assert result.probabilities[0, 1] == 1 and result.probabilities[1, 0] == 0
    assert result.probabilities[2, 3] == 0 and result.probabilities[3, 2] == 0
    assert (names[0], names[1]) in result.graph().edges
    tiers = causcale.discover(simulated, tiers=[names[:3], names[3:]], warn=False)
    assert (tiers.probabilities[3:, :3] == 0).all()
    by_name = causcale.discover(simulated, tiers={name: k // 3 for k, name in enumerate(names)}, warn=False)
    np.testing.assert_array_equal(by_name.probabilities, tiers.probabilities)
    frame = pd.DataFrame({"from": [names[2]], "to": [names[3]]})
    assert causcale.discover(simulated, forbidden=frame, warn=False).probabilities[2, 3] == 0


def test_knowledge_file(tmp_path, simulated):
    path = tmp_path / "knowledge.txt"
    path.write_text(f"/knowledge\nforbiddirect\n{simulated.names[0]} {simulated.names[1]}\n")
    assert causcale.discover(simulated, knowledge=path, warn=False).probabilities[0, 1] == 0


@pytest.mark.parametrize(
    "options, message",
    [
        (dict(required=[("X0", "X1")], forbidden=[("X0", "X1")]), "X0"),
        (dict(required=[("X0", "Q")]), "required: there is no variable 'Q'"),
        (dict(forbidden=["X0"]), "pair"),
        (dict(required=[("X0", "X0")]), "itself"),
        (dict(tiers={"X0": -1}), "tiers count from 0"),
        (dict(model="nonsense"), "no model named 'nonsense'"),
    ],
)
def test_input_errors(simulated, options, message):
    with pytest.raises(causcale.InputError, match=message):
        causcale.discover(simulated, warn=False, **options)


@pytest.mark.parametrize(
    "options, message",
    [
        (dict(threshold=2), "threshold"),
        (dict(device="tpu"), "device='tpu'.*auto, cpu, cuda"),
        (dict(acyclic_rule="best"), "acyclic_rule='best'"),
        (dict(top=-1), "top=-1"),
        (dict(threads="two"), "threads='two'"),
        (dict(max_memory="much"), "max_memory much: not a size"),
        (dict(max_memory="1K"), "max_memory .* too little.*max_samples"),
    ],
)
def test_usage_errors(simulated, options, message):
    with pytest.raises(causcale.UsageError, match=message):
        causcale.discover(simulated, warn=False, **options)
    assert issubclass(causcale.UsageError, ValueError) and issubclass(causcale.InputError, ValueError)


def test_selection_and_cycles(simulated):
    assert len(causcale.discover(simulated, top=2, warn=False).edges) == 2
    dense = causcale.discover(simulated, threshold=0.01, warn=False)
    for rule in ("greedy", "optimal"):
        acyclic = causcale.discover(simulated, threshold=0.01, dag=True, acyclic_rule=rule, warn=False)
        assert nx.is_directed_acyclic_graph(acyclic.graph())
        assert len(acyclic.edges) + len(acyclic.removed_edges) == len(dense.edges)


def test_bootstrap(simulated):
    result = causcale.discover(simulated, bootstrap=3, seed=1, warn=False)
    frame = result.edges
    assert {"bootstrap_mean", "bootstrap_deviation", "selection_frequency"} <= set(frame.columns)
    assert frame["selection_frequency"].between(0, 1).all()
    again = causcale.discover(simulated, bootstrap=3, seed=1, warn=False)
    pd.testing.assert_frame_equal(frame, again.edges)


@pytest.mark.parametrize(
    "extension", ["csv", "json", "dot", "gv", "graphml", "gml", "txt", "npy", "html", "svg"]
)
def test_save(tmp_path, found, extension):
    path = tmp_path / f"result.{extension}"
    found.save(path)
    assert path.stat().st_size > 50
    if extension == "csv":
        pd.testing.assert_frame_equal(
            pd.read_csv(path)[["source", "target"]], found.edges[["source", "target"]]
        )
    if extension == "json":
        manifest = json.loads(path.read_text())["manifest"]
        assert manifest["command"].startswith("causcale.discover(") and len(manifest["data"]["sha256"]) == 64
        assert manifest["options"]["threshold"] == 0.5
    if extension == "npy":
        np.testing.assert_allclose(np.load(path), found.probabilities, rtol=1e-6)
    if extension in ("graphml", "gml"):
        graph = nx.read_graphml(path) if extension == "graphml" else nx.read_gml(path)
        if extension == "graphml":
            graph = nx.relabel_nodes(graph, nx.get_node_attributes(graph, "label"))
        assert set(graph.edges()) == set(found.graph().edges())


def test_save_matrix_and_unknown_format(tmp_path, found):
    found.save_matrix(tmp_path / "p.csv")
    stored = pd.read_csv(tmp_path / "p.csv", index_col=0)
    np.testing.assert_allclose(stored.to_numpy(), found.probabilities, atol=1e-6)
    with pytest.raises(causcale.UsageError, match="docx"):
        found.save(tmp_path / "result.docx")


def test_texts(found):
    assert found.to_dot().startswith("digraph") and "Graph Nodes:" in found.to_tetrad()
    assert found.edges.source[0] in str(found) and "6 variables" in repr(found)
    assert "<html" in found.to_html()


def test_notebook_form(simulated):
    names = [f"<b>&{k}" for k in range(len(simulated.names))]
    page = causcale.discover(simulated.values, simulated.targets, names=names, warn=False)._repr_html_()
    table = page.split("<iframe")[0]
    assert "&lt;b&gt;&amp;0" in table and "<b>&" not in table and "srcdoc" in page


def test_picture(found):
    bundle = found.picture()._repr_mimebundle_()
    assert "<svg" in bundle["image/svg+xml"] and found.names[0] in bundle["image/svg+xml"]
    assert "image/png" not in bundle or bundle["image/png"].startswith(b"\x89PNG")


def test_progress(simulated, capfd):
    calls = []
    causcale.discover(simulated, progress=lambda stage, share: calls.append((stage, share)), warn=False)
    shares = [share for _, share in calls]
    assert shares == sorted(shares) and shares[-1] == 1.0 and ("network" in dict(calls))
    capfd.readouterr()
    causcale.discover(simulated, progress=True, warn=False)
    assert "network" in capfd.readouterr().err
    causcale.discover(simulated, warn=False)
    assert capfd.readouterr().err == ""


class CountingBar:
    """As tqdm's, as far as it is used: not callable, refuses to say whether it is true."""

    def __init__(self, total):
        self.total, self.n, self.stages, self.closed = total, 0, [], False

    def __bool__(self):
        raise TypeError("bool() undefined")

    def reset(self):
        self.n = 0

    def update(self, step):
        self.n += step

    def set_description(self, text, refresh=True):
        self.stages.append(text)


def test_progress_of_a_bar_like_tqdms(simulated):
    for total in (100, 1.0, None):
        bar = CountingBar(total)
        causcale.discover(simulated, progress=bar, warn=False)
        assert bar.n == pytest.approx(total or 1.0) and "network" in bar.stages
    bar = CountingBar(10)
    causcale.compare(simulated, methods=["pc", "corr"], progress=bar, warn=False)
    assert bar.n <= 10
    with pytest.raises(causcale.UsageError, match="progress='yes'"):
        causcale.discover(simulated, progress="yes", warn=False)


def test_progress_of_tqdm(simulated):
    tqdm = pytest.importorskip("tqdm")
    text = io.StringIO()
    with tqdm.tqdm(total=100, file=text, mininterval=0) as bar:
        causcale.discover(simulated, progress=bar, warn=False)
        assert bar.n == 100
    assert "100%" in text.getvalue() and "100/100" in text.getvalue()


def test_exception_in_progress_stops_the_work(simulated):
    def stop(stage, share):
        raise RuntimeError(f"stopped at {stage}")

    with pytest.raises(RuntimeError, match="stopped at model"):
        causcale.discover(simulated, progress=stop, warn=False)


def test_interrupt(simulated):
    stages = []

    def interrupt(stage, share):
        stages.append(stage)
        if stage == "network":
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        causcale.discover(simulated, ensemble=4, progress=interrupt, warn=False)
    assert "done" not in stages


def test_other_threads_run_meanwhile(simulated):
    ticks = []
    done = threading.Event()

    def tick():
        while not done.wait(0.002):
            ticks.append(len(ticks))

    thread = threading.Thread(target=tick)
    thread.start()
    network = []
    causcale.discover(
        simulated, ensemble=4, progress=lambda stage, share: network.append(len(ticks)), warn=False
    )
    done.set()
    thread.join()
    assert network[-1] > network[0]  # the lock was free while the network worked


def test_warnings():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=60), "b": np.ones(60), "c": rng.normal(size=60)})
    with pytest.warns(causcale.DataWarning, match="b"):
        result = causcale.discover(frame)
    assert "constant_column" in {finding["code"] for finding in result.findings}


def test_plan_and_models():
    plan = causcale.plan((100000, 50), max_samples=1000)
    assert plan["rows_per_pass"] <= 1000 and plan["peak_bytes"] > 0
    assert sum(model["default"] for model in causcale.models()) == 1


def test_example(tmp_path):
    folder = EXAMPLES / "sachs"
    frame = pd.read_csv(folder / "data.csv").iloc[::20]
    lines = (folder / "interventions.csv").read_text().split("\n")[:5846:20]
    result = causcale.discover(frame, interventions=lines, dag=True, warn=False)
    assert result.names == list(frame.columns) and nx.is_directed_acyclic_graph(result.graph())


def test_formats_of_other_programs(found, tmp_path):
    arrows = {(row.source, row.target) for row in found.edges.itertuples()}
    assert set(found.to_networkx().edges) == arrows
    lines = found.to_dagitty().splitlines()
    assert {tuple(line.split(" -> ")) for line in lines if " -> " in line} == arrows
    found.save(tmp_path / "edges.caugi.csv")
    table = pd.read_csv(tmp_path / "edges.caugi.csv")
    assert set(zip(table["from"], table["to"])) == arrows and set(table["edge"]) == {"-->"}
    with pytest.raises(causcale.UsageError):
        found.to_text("no-such-format")
