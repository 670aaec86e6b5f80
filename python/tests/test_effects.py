"""Sizes of effects: of every edge of a result, and in total."""
import dataclasses
import math
import pickle

import numpy as np
import pandas as pd
import pytest

import causcale


@pytest.fixture(scope="module")
def chain():
    """a -> b -> c, b = a + noise, c = -2 b + noise; the graph is required, whatever the network says."""
    random = np.random.default_rng(3)
    a = random.normal(size=400)
    b = a + random.normal(size=400)
    c = -2 * b + random.normal(size=400)
    frame = pd.DataFrame({"a": a, "b": b, "c": c})
    return causcale.discover(
        frame,
        required=[("a", "b"), ("b", "c")],
        forbidden=[("a", "c"), ("c", "a"), ("b", "a"), ("c", "b")],
        transform="none",
        warn=False,
    )


def test_every_edge_has_a_size(chain):
    effects = {(effect.source, effect.target): effect for effect in chain.effects}
    assert set(effects) == {("a", "b"), ("b", "c")}
    first = effects["a", "b"]
    assert isinstance(first, causcale.EdgeEffect) and first.kind == "standardized_coefficient"
    assert first.low < math.sqrt(0.5) < first.high and first.rows == 400
    assert effects["b", "c"].size < -0.8 and effects["b", "c"].high < 0
    assert math.isnan(first.shift) and math.isnan(first.graph_low)
    frame = pd.DataFrame(chain.effects)
    assert list(frame.columns) == [field.name for field in dataclasses.fields(causcale.EdgeEffect)]
    again = pickle.loads(pickle.dumps(chain))
    assert [e.size for e in again.effects] == [e.size for e in chain.effects]
    assert "effect" in chain.to_graphml() and "effect=" in chain.to_dot()


def test_total_effect(chain):
    effect = chain.effect("a", "c")
    assert isinstance(effect, causcale.TotalEffect) and effect.identification == "adjustment"
    assert effect.parents == [] and effect.front_door == ["b"] and effect.minimal_sets == [[]]
    linear = effect.estimates[0]
    assert linear.estimator == "linear" and linear.low < -2 < linear.high
    assert "Total effect of a on c" in str(effect)
    assert chain.effect("c", "a").identification == "zero"
    assert chain.effect("a", "c", seed=1).estimates[0] == linear
    with pytest.raises(causcale.UsageError, match="no variable 'x'"):
        chain.effect("x", "c")


def test_total_effect_of_other_data(chain, tmp_path):
    chain.save(tmp_path / "result.json")
    loaded = causcale.load(tmp_path / "result.json")
    with pytest.raises(causcale.UsageError, match="data"):
        loaded.effect("a", "c")
    random = np.random.default_rng(4)
    a = random.normal(size=300)
    frame = pd.DataFrame({"a": a, "b": a, "c": 5 * a + 0.1 * random.normal(size=300)})
    found = loaded.effect("a", "c", frame)
    assert abs(found.estimates[0].size - 5) < 0.1
    with pytest.raises(causcale.InputError, match="variables"):
        loaded.effect("a", "c", frame[["a", "b"]])


def test_another_threshold_has_no_sizes_but_total_effects(chain):
    other = chain.at(top=2)
    assert other.effects == []
    assert other.effect("a", "c").estimates[0].size == chain.effect("a", "c").estimates[0].size


def test_experiments_are_used():
    random = np.random.default_rng(5)
    a = np.concatenate([random.normal(size=300), np.full(100, 4.0)])
    frame = pd.DataFrame({"a": a, "b": 0.5 * a + random.normal(size=400)})
    result = causcale.discover(
        frame,
        interventions=[None] * 300 + ["a"] * 100,
        required=[("a", "b")],
        forbidden=[("b", "a")],
        warn=False,
    )
    (effect,) = result.effects
    assert effect.shift_low < 2 / math.sqrt(1.25) < effect.shift_high
    experiment = next(e for e in result.effect("a", "b").estimates if e.estimator == "experiment")
    assert abs(experiment.size - 0.5) < 0.1


def test_cycles_are_named():
    random = np.random.default_rng(6)
    frame = pd.DataFrame(random.normal(size=(100, 3)), columns=["a", "b", "c"])
    result = causcale.discover(frame, threshold=0, evidence="off", warn=False)
    assert result.adjacency.sum() == 6
    refused = result.effect("a", "c")
    assert refused.identification == "none" and "acyclic=True" in refused.reason and not refused.estimates
    assert result.effect("a", "c", acyclic=True).identification in ("adjustment", "zero")


def test_doubt_about_rows_and_graph(chain):
    plain = chain.effect("a", "c")
    assert plain.graphs is None and plain.bootstrap is None
    doubtful = chain.effect("a", "c", samples=50, bootstrap=100)
    # All edges are known: every graph is the same.
    assert doubtful.graphs.count == 50 and doubtful.graphs.share == 1.0
    assert doubtful.graphs.low < -2 < doubtful.graphs.high
    assert doubtful.bootstrap.count == 100 and doubtful.bootstrap.low < -2 < doubtful.bootstrap.high
    with pytest.raises(causcale.UsageError, match="samples=-1"):
        chain.effect("a", "c", samples=-1)
    # b -> c: given b, nothing of a may be left in c.
    controls = chain.effect("b", "c").negative_controls
    assert [(control.cause, control.outcome, control.adjustment) for control in controls] == [("a", "c", ["b"])]
    assert isinstance(controls[0], causcale.NegativeControl) and not controls[0].against


def test_check(chain):
    check = chain.check(permutations=50)
    assert isinstance(check, causcale.GraphCheck)
    assert check.claims == 1 and check.violated == 0 and check.verdict == "unclear"
    assert check.rows == 400 and check.edges_without_dependence == [] and check.violated_share == 0
    assert check.message in str(check)
    # c no longer goes with b, but with a alone.
    random = np.random.default_rng(8)
    a = random.normal(size=400)
    other = pd.DataFrame({"a": a, "b": random.normal(size=400), "c": a + 0.1 * random.normal(size=400)})
    wrong = chain.check(other)
    assert wrong.violated == 1 and wrong.edges_without_dependence
    assert (wrong.violations[0].x, wrong.violations[0].y) in {("a", "c"), ("c", "a")}
    assert wrong.violations[0].given == ["b"] and wrong.violations[0].strength > 1
    with pytest.raises(causcale.UsageError, match="alpha"):
        chain.check(alpha=2)
    with pytest.raises(causcale.UsageError, match="data"):
        pickle.loads(pickle.dumps(chain)).check()


def test_other_methods_have_effects(chain):
    frame = chain._dataset.frame()
    found = causcale.run_method("pc", frame, warn=False)
    assert found.graph_class == "CPDAG"
    # a - b - c without direction: nothing can be told of single edges, and only bounds of the total.
    effect = found.effect("a", "c")
    assert effect.identification == "bounds" and len(effect.estimates) == 2
    again = pickle.loads(pickle.dumps(found))
    with pytest.raises(causcale.UsageError, match="data"):
        again.effect("a", "c")
    assert again.effect("a", "c", frame).estimates == effect.estimates
    ordered = causcale.run_method("pc", frame, tiers={"a": 0, "b": 1, "c": 2}, warn=False)
    sizes = {(e.source, e.target): e.size for e in ordered.effects}
    assert set(sizes) == {("a", "b"), ("b", "c")} and sizes["b", "c"] < -0.8
