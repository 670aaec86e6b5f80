"""Columns that are no plain numbers: categories, nullable types, booleans, words, dates; and the words of messages."""
import datetime
import pickle

import numpy as np
import pandas as pd
import pytest

import causcale
from causcale.inputs import prepare
from fakes import AnnDataLike

ROWS = 60


def table(**columns):
    rng = np.random.default_rng(3)
    return pd.DataFrame({"x": rng.normal(size=ROWS), "y": rng.normal(size=ROWS), **columns})


def one(column, **options):
    """What becomes of a column: (kind, levels, values)."""
    dataset = prepare(table(c=column), **options)
    return dataset.kinds[2], dataset.levels[2] if dataset.levels else [], dataset.values[:, 2]


SIZES = ["small", "large", "medium"] * 20


def test_categories():
    kind, levels, values = one(pd.Categorical(SIZES))
    assert kind == "unordered" and levels == ["large", "medium", "small"]
    assert values[:3].tolist() == [2, 0, 1]
    kind, levels, values = one(pd.Categorical(SIZES, ["small", "medium", "large", "huge"], ordered=True))
    assert kind == "ordered" and levels == ["small", "medium", "large"] and values[:3].tolist() == [0, 2, 1]
    kind, levels, values = one(pd.Categorical([3, 1, 2] * 20))
    assert kind == "unordered" and levels == ["1", "2", "3"] and values[:3].tolist() == [2, 0, 1]
    kind, levels, values = one(pd.Categorical(["yes", "no", None] * 20), missing="keep")
    assert kind == "binary" and levels == ["no", "yes"] and values[:2].tolist() == [1, 0] and np.isnan(values[2])


@pytest.mark.parametrize(
    "column, kind",
    [
        ([True, False] * 30, "binary"),
        (pd.array([True, False, None] * 20, dtype="boolean"), "binary"),
        (pd.array([1, 0, None] * 20, dtype="Int64"), "binary"),
        (pd.array([1.5, 2.25, None] * 20, dtype="Float64"), "binary"),
        ([True, False, None] * 20, "binary"),
        (["1.5", "2.5", None] * 20, "binary"),
    ],
)
def test_nullable_and_boolean(column, kind):
    found, levels, values = one(column, missing="keep")
    assert found == kind and not any(levels)
    wanted = [np.nan if value is None or value is pd.NA else float(value) for value in list(column)]
    np.testing.assert_array_equal(values, wanted)


def test_words():
    for column in (SIZES, pd.array(SIZES, dtype="string"), np.array(SIZES)):
        kind, levels, values = one(column)
        assert kind == "unordered" and levels == ["large", "medium", "small"] and values[0] == 2
    kind, levels, values = one(SIZES, types={"c": ["small", "medium", "large"]})
    assert kind == "ordered" and values[:3].tolist() == [0, 2, 1]
    assert one(SIZES, types={2: "ordered:small<medium<large"})[2][:3].tolist() == [0, 2, 1]
    filled = one(["a", "a", "b", None] * 15, missing="mean")
    assert filled[2][:4].tolist() == [0, 0, 1, 0]  # the most frequent word
    with pytest.raises(causcale.UsageError, match="types"):
        one(SIZES, types={"c": "sorted"})
    with pytest.raises(causcale.InputError, match="no column 'z'"):
        one(SIZES, types={"z": "ordered"})
    back = prepare(table(c=SIZES)).frame()
    assert back["c"].tolist() == SIZES


def test_what_is_no_variable_is_set_aside():
    days = pd.date_range("2020-01-01", periods=ROWS)
    frame = table(
        who=[f"patient {k}" for k in range(ROWS)],
        day=days,
        zone=days.tz_localize("Europe/Berlin"),
        date=[datetime.date(2020, 1, 1) + datetime.timedelta(days=k) for k in range(ROWS)],
    )
    dataset = prepare(frame)
    assert dataset.names == ["x", "y"]
    assert [column["name"] for column in dataset.columns if column["set_aside"]] == ["who", "day", "zone", "date"]
    numbers = prepare(frame, dates="number")
    assert numbers.names == ["x", "y", "day", "zone", "date"]
    assert numbers.values[0, 2] == 18262 == numbers.values[0, 4]
    assert numbers.values[1, 3] - numbers.values[0, 3] == 1


def test_set_aside_columns_move_targets():
    frame = table(c=np.arange(ROWS) % 7)
    frame.insert(0, "who", [f"w{k}" for k in range(ROWS)])
    targets = [[1], [3], ["c", "x"]] + [None] * (ROWS - 3)
    assert prepare(frame, targets).targets[:4] == [[0], [2], [0, 2], []]


def test_discover_with_categories():
    frame = table(c=SIZES, who=[f"patient {k}" for k in range(ROWS)])
    result = causcale.discover(frame, warn=False)
    assert result.names == ["x", "y", "c"]
    assert "unordered_column" in {finding["code"] for finding in result.findings}
    found = causcale.run_method("corr", frame, warn=False)
    assert found.names == ["x", "y", "c"]


def test_gaps_need_no_preparation(tmp_path):
    frame = table(c=["a", "a", "b", None] * 15, who=[f"patient {k}" for k in range(ROWS)])
    frame.loc[::9, "x"] = np.nan
    with pytest.warns(causcale.DataWarning, match="missing cells: filled in by regression"):
        result = causcale.discover(frame)
    assert result.info["missing_cells"] == 22 and "filled in" in result.info["missing_rule"]
    kinds = {column["name"]: (column["kind"], column["levels"]) for column in result.variables}
    assert kinds["c"] == ("binary", ["a", "b"]) and kinds["who"][0] == "identifier"
    result.save(tmp_path / "r.json")
    loaded = causcale.load(tmp_path / "r.json")
    assert loaded.variables == result.variables and loaded.info["missing_cells"] == 22
    for method in ("pc", "ges", "corr", "direct-lingam"):
        found = causcale.run_method(method, frame, warn=False)
        assert any("missing cell" in line for line in found.log)
        assert found.variables == result.variables


def test_bootstrap_and_agreement_of_methods(tmp_path):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=200), rng.normal(size=200)
    frame = pd.DataFrame({"x": x, "y": y, "z": x + y + 0.3 * rng.normal(size=200)})
    found = causcale.run_method("pc", frame, bootstrap=5, warn=False)
    edges = found.edges.set_index(["source", "target"])
    assert edges.loc[("x", "z"), "selection_frequency"] > 0.7
    assert {"bootstrap_mean", "bootstrap_deviation"} <= set(edges.columns)
    again = pickle.loads(pickle.dumps(found))
    pd.testing.assert_frame_equal(again.edges, found.edges)
    assert again.variables == found.variables

    both = causcale.run_method(
        ["pc", "ges", "causcale"], frame, settings={"pc": {"alpha": 0.01}}, warn=False
    )
    assert both.method == "pc+ges+causcale" and both.score_kind == "probability"
    assert both.scores[0, 2] + both.scores[2, 0] == pytest.approx(1.0)
    assert both.edges.iloc[0]["edge"] == "-->"
    both.save(tmp_path / "both.json")
    with pytest.raises(causcale.UsageError, match="at least two"):
        causcale.run_method(["pc"], frame)
    with pytest.raises(causcale.UsageError, match="boss"):
        causcale.run_method(["pc", "ges"], frame, settings={"boss": {}})


def test_audit_lists_instead_of_raising():
    numbers = [str(k / 7) for k in range(ROWS - 1)]
    frame = table(who=[f"w{k}" for k in range(ROWS)], bad=[*numbers, "oops"], gap=[None, *range(ROWS - 1)])
    found = {finding["code"]: finding for finding in causcale.audit(frame, missing="error")}
    assert found["identifier_column"]["columns"] == ["who"]
    assert found["text_cell"]["severity"] == "error" and f"row {ROWS}" in found["text_cell"]["message"]
    assert found["missing_value"]["columns"] == ["gap"]
    with pytest.raises(causcale.InputError, match="bad.*oops"):
        causcale.discover(frame)


def test_audit_of_files_lists_as_well(tmp_path):
    frame = table(bad=[*[str(k / 7) for k in range(ROWS - 1)], "oops"])
    frame.to_csv(tmp_path / "t.csv", index=False)
    for targets in (None, [None] * ROWS):
        assert "text_cell" in {finding["code"] for finding in causcale.audit(tmp_path / "t.csv", targets)}
        with pytest.raises(causcale.InputError, match="oops"):
            causcale.discover(tmp_path / "t.csv", targets)


def test_obs_columns():
    frame = table()
    obs = pd.DataFrame({"sex": pd.Categorical(["f", "m"] * 30), "age": pd.array(range(ROWS), dtype="Int64")})
    obs["gene"] = pd.array(["control", "x"] * 30, dtype="string")
    data = AnnDataLike(frame.to_numpy(), pd.Index(["x", "y"]), obs, {})
    dataset = prepare(data, "gene", obs_columns=["sex", "age"])
    assert dataset.names == ["x", "y", "sex", "age"] and dataset.kinds[2] == "binary"
    assert dataset.targets[:2] == [[], [0]] and dataset.values[5].tolist()[2:] == [1, 5]
    with pytest.raises(causcale.InputError, match="obs has no column 'q'"):
        prepare(data, obs_columns=["q"])


def test_groups_and_markers():
    red = np.arange(ROWS) % 3 == 0
    frame = table(red=red, blue=~red, v=[-999.0, *range(1, ROWS)])
    dataset = prepare(frame, groups={"colour": ["red", "blue"]}, missing_markers=[-999], missing="drop")
    assert dataset.names == ["x", "y", "colour", "v"] and len(dataset.values) == ROWS - 1


def test_messages_speak_python():
    def texts(frame, **options):
        for finding in causcale.audit(frame, **options):
            yield finding["message"] + " " + finding["hint"]

    frame = table(one=np.ones(ROWS), gap=[None, *range(ROWS - 1)], size=SIZES, day=pd.date_range("2020", periods=ROWS))
    frame["bad"] = [*[str(k / 7) for k in range(ROWS - 1)], "oops"]
    said = " ".join(texts(frame, missing="error"))
    assert "--" not in said
    for word in ("exclude=...", "missing='drop'", "missing='mean'", "dates='number'", "types={'NAME': 'unordered'}"):
        assert word in said
    for options in (dict(views=-1), dict(bootstrap=1), dict(max_memory="1K"), dict(views=10**6)):
        with pytest.raises(causcale.UsageError) as caught:
            causcale.discover(table(), warn=False, **options)
        assert "--" not in str(caught.value) and list(options)[0] in str(caught.value)
