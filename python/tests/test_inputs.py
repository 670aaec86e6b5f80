"""Every form of table and interventions ends in the same data set."""
import numpy as np
import pandas as pd
import pytest

import causcale
from causcale.inputs import prepare
from fakes import AnnDataLike, InterchangeOnly, LazyLike, PolarsLike, PolarsSeriesLike, SparseLike


def same(dataset, small):
    values, names, targets = small
    np.testing.assert_array_equal(dataset.values, values)
    assert dataset.names == names
    assert dataset.targets == targets


@pytest.mark.parametrize(
    "interventions",
    [
        [None, "A", ["B", "C"], None],
        [None, 0, [1, 2], []],
        [[], ["A"], ("C", "B"), []],
        ["", "A", "B,C", "control"],
        ["obs", "A", "B+C", np.nan],
        ["non-targeting", "0", "2;1", "CTRL"],
        [None, np.int64(0), {1, "C"}, None],
        np.array([[0, 0, 0], [1, 0, 0], [0, 1, 1], [0, 0, 0]]),
        np.array([[0, 0, 0], [1, 0, 0], [0, 1, 1], [0, 0, 0]], dtype=bool),
        pd.DataFrame({"C": [0, 0, 1, 0], "A": [0, 1, 0, 0], "B": [0, 0, 1, 0]}),
        SparseLike(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 1], [0, 0, 0]])),
        pd.Series([None, "A", "B,C", None]),
        np.array(["", "A", "B,C", "none"]),
    ],
)
def test_forms_of_interventions(small, interventions):
    values, names, _ = small
    same(prepare(values, interventions, names=names), small)


def test_inverted_mask(small):
    values, names, _ = small
    mask = np.array([[1, 1, 1], [0, 1, 1], [1, 0, 0], [1, 1, 1]])
    same(prepare(values, mask, names=names, mask_inverted=True), small)


def test_no_interventions(small):
    values, names, _ = small
    assert prepare(values, names=names).targets is None


def test_frame_with_label_column(small):
    values, names, _ = small
    frame = pd.DataFrame(values, columns=names)
    frame["what"] = ["untreated", "A", "B,C", "untreated"]
    same(prepare(frame, "what", control="untreated"), small)


def test_polars_like(small):
    values, names, _ = small
    columns = {name: values[:, k] for k, name in enumerate(names)}
    columns["what"] = ["control", "A", "B,C", None]
    same(prepare(PolarsLike(columns), "what"), small)
    columns["what"] = [[], ["A"], ["B", "C"], None]
    same(prepare(PolarsLike(columns), "what"), small)
    del columns["what"]
    same(prepare(PolarsLike(columns), PolarsSeriesLike(["control", "A", "B,C", None])), small)
    same(prepare(PolarsLike(columns), PolarsSeriesLike([[], ["A"], [1, 2], None])), small)
    mask = PolarsLike({"C": [0, 0, 1, 0], "A": [0, 1, 0, 0], "B": [False, False, True, False]})
    same(prepare(PolarsLike(columns), mask), small)


def test_polars_like_kinds_of_columns():
    frame = PolarsLike(
        {"a": [1, None, 3], "b": [True, None, False], "c": [0.5, 1.5, None], "d": ["x", "y", None]}
    )
    dataset = prepare(frame, missing="keep")
    assert dataset.names == ["a", "b", "c", "d"] and dataset.levels[3] == ["x", "y"]
    gap = np.nan
    np.testing.assert_array_equal(dataset.values, [[1, 1, 0.5, 0], [gap, gap, 1.5, 1], [3, 0, gap, gap]])
    with pytest.raises(causcale.InputError, match=r"\.collect\(\)"):
        prepare(LazyLike())


def test_interchange_protocol(small):
    values, names, _ = small
    frame = pd.DataFrame(values, columns=names)
    frame["what"] = ["control", "A", "B,C", "control"]
    same(prepare(InterchangeOnly(frame), "what"), small)


def test_anndata_like(small):
    values, names, _ = small
    obs = pd.DataFrame({"gene": pd.Categorical(["control", "A", "B,C", "control"])})
    data = AnnDataLike(values, pd.Index(names), obs, {"log": values + 1})
    same(prepare(data, "gene"), small)
    np.testing.assert_array_equal(prepare(data, "gene", layer="log").values, values + 1)
    with pytest.warns(causcale.DataWarning, match="left out"):
        chosen = prepare(data, "gene", columns=["C", "A"])
    assert chosen.names == ["A", "C"]
    np.testing.assert_array_equal(chosen.values, values[:, [0, 2]])


def test_files(tmp_path, small):
    values, names, _ = small
    pd.DataFrame(values, columns=names).to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "targets.csv").write_text("\nA\nB,C\n\n")
    same(prepare(str(tmp_path / "data.csv"), str(tmp_path / "targets.csv")), small)
    same(prepare(tmp_path / "data.csv", [None, "A", ["B", "C"], None]), small)
    same(causcale.read(tmp_path / "data.csv", interventions=tmp_path / "targets.csv"), small)


def test_options_count_for_files_too(tmp_path, small):
    values, names, _ = small
    frame = pd.DataFrame(values, columns=names)
    frame.to_csv(tmp_path / "data.csv", index=False)
    inverted = np.array([[1, 1, 1], [0, 1, 1], [1, 0, 0], [1, 1, 1]])
    np.savetxt(tmp_path / "mask.csv", inverted, delimiter=",", fmt="%d")
    same(prepare(tmp_path / "data.csv", inverted, mask_inverted=True), small)
    same(prepare(tmp_path / "data.csv", tmp_path / "mask.csv", mask_inverted=True), small)
    targets = [None, "A", ["B", "C"], None]
    frame.assign(id=list("wxyz")).to_csv(tmp_path / "text.csv", index=False)
    same(prepare(tmp_path / "text.csv", targets, exclude=["id"]), small)
    aside = prepare(tmp_path / "text.csv", targets)
    same(aside, small)
    assert [column["name"] for column in aside.columns if column["set_aside"]] == ["id"]
    frame.mask(frame == values[0, 0]).to_csv(tmp_path / "gap.csv", index=False)
    assert prepare(tmp_path / "gap.csv", targets, missing="drop").targets == [[0], [1, 2], []]


def test_what_a_file_shows_is_not_forgotten(tmp_path, small):
    values, names, _ = small
    np.savetxt(tmp_path / "plain.csv", values, delimiter=",")
    assert "numeric_header" in [finding["code"] for finding in causcale.audit(tmp_path / "plain.csv")]
    np.testing.assert_array_equal(causcale.read(tmp_path / "plain.csv", header=False).values, values)
    for data in (tmp_path / "plain.csv", causcale.read(tmp_path / "plain.csv")):
        assert "numeric_header" in [finding["code"] for finding in causcale.audit(data, [None, [0], None])]


def test_masked_arrays(small):
    values, names, _ = small
    masked = np.ma.masked_equal(values, values[1, 2])
    assert np.isnan(prepare(masked, names=names).values[1, 2])


def test_targets_of_a_file_with_columns_set_aside(tmp_path, small):
    values, names, _ = small
    frame = pd.DataFrame(values, columns=names)
    frame.insert(0, "id", list("wxyz"))
    frame.to_csv(tmp_path / "first.csv", index=False)
    # Numbers count the columns of the file; those behind the one that is set aside move.
    same(prepare(tmp_path / "first.csv", [None, 1, [2, 3], None]), small)
    same(prepare(tmp_path / "first.csv", [None, "A", ["B", "C"], None]), small)
    mask = np.array([[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 0]])
    same(prepare(tmp_path / "first.csv", mask), small)
    with pytest.warns(causcale.DataWarning, match="left out have no effect: id"):
        assert prepare(tmp_path / "first.csv", [0, None, None, None]).targets == [[], [], [], []]


def test_left_out_columns_take_their_interventions_along(small):
    values, names, targets = small
    with pytest.warns(causcale.DataWarning, match="left out have no effect: B"):
        dataset = prepare(values, targets, names=names, exclude=["B"])
    assert dataset.names == ["A", "C"]
    assert dataset.targets == [[], [0], [1], []]


def test_unknown_targets(small):
    values, names, _ = small
    labels = ["control", "A", "Q", "control"]
    with pytest.raises(causcale.InputError, match="Q"):
        prepare(values, labels, names=names)
    with pytest.warns(causcale.DataWarning, match="Q; 1 rows were dropped"):
        assert prepare(values, labels, names=names, unknown_targets="drop").targets == [[], [0], []]
    with pytest.warns(causcale.DataWarning, match="ignored"):
        assert prepare(values, labels, names=names, unknown_targets="ignore").targets == [[], [0], [], []]
    with pytest.warns(causcale.DataWarning, match="Q; 1 rows were dropped"):
        dropped = prepare(values, [None, 0, ["B", "Q"], None], names=names, unknown_targets="drop")
    assert len(dropped.values) == len(dropped.targets) == 3


def test_missing_values(small):
    values, names, targets = small
    values = values.copy()
    values[1, 2] = np.nan
    frame = pd.DataFrame(values, columns=names)
    dropped = prepare(frame, targets, missing="drop")
    assert dropped.targets == [[], [1, 2], []] and not np.isnan(dropped.values).any()
    filled = prepare(frame, targets, missing="mean")
    assert filled.values[1, 2] == pytest.approx((0.3 + 0.0 + 0.1) / 3)
    with pytest.raises(causcale.InputError, match="C"):
        causcale.discover(frame, targets, missing="error")
    assert np.isnan(prepare(frame, targets).values[1, 2])
    with pytest.raises(causcale.UsageError, match="missing='median'"):
        prepare(frame, missing="median")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (dict(interventions=[None, "A"]), "given for 2 rows; the table has 4"),
        (dict(interventions=[None, 3, None, None]), "row 1: there is no column 3"),
        (dict(interventions=[None, -1, None, None]), "row 1: there is no column -1"),
        (dict(interventions=[None, 0.5, None, None]), "row 1: 0.5 is neither"),
        (dict(interventions=[None, [True], None, None]), "neither the name nor the number"),
        (dict(interventions=np.zeros((4, 2))), "4 rows and 2 columns; the table has 4 and 3"),
        (dict(interventions=np.full((4, 3), 2)), "a mask holds 0 and 1"),
        (dict(interventions=pd.DataFrame(np.zeros((4, 1)), columns=["Z"])), "column 'Z'"),
        (dict(interventions="what"), "no column names"),
        (dict(names=["A", "B"]), "2 names for 3 columns"),
        (dict(names=["A", "B", "A"]), "two columns are called 'A'"),
        (dict(columns=["Z"]), "columns: there is no column 'Z'"),
    ],
)
def test_errors_say_what_is_wrong(small, arguments, message):
    values, names, _ = small
    with pytest.raises(causcale.InputError, match=message):
        prepare(values, **{"names": names, **arguments})


def test_other_shapes_are_refused():
    with pytest.raises(causcale.InputError, match="two dimensions"):
        prepare(np.zeros(5))
    with pytest.raises(causcale.InputError, match="only numbers"):
        prepare(np.array([["a", "b"]]))
    with pytest.raises(causcale.InputError, match="no column 'q'; it has: a"):
        prepare(pd.DataFrame({"a": [1.0]}), "q")


def test_audit():
    frame = pd.DataFrame({"a": np.arange(60.0), "b": np.ones(60), "c": np.sin(np.arange(60.0))})
    codes = {finding["code"]: finding for finding in causcale.audit(frame)}
    assert codes["constant_column"]["columns"] == ["b"]
