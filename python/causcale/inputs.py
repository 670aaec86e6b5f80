"""From whatever holds a table and its interventions to the one form that the library takes."""
from __future__ import annotations

import os
import warnings
from dataclasses import dataclass, field
from typing import Any, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _native
from ._native import InputError, UsageError
from .targets import resolve_interventions

PathLike = Union[str, "os.PathLike[str]"]


class DataWarning(UserWarning):
    """Something about the data that makes results less trustworthy."""


@dataclass
class Dataset:
    """A table of observations with its interventions, ready for :func:`causcale.discover`.

    ``targets`` lists for every row the columns that were intervened on (empty: observational); None: no row
    was. ``truth`` is the adjacency matrix of the true graph, row -> column, where it is known.
    """

    values: np.ndarray
    names: List[str]
    targets: Optional[List[List[int]]] = None
    truth: Optional[np.ndarray] = None
    findings: List[dict] = field(default_factory=list)
    noticed: List[dict] = field(default_factory=list, repr=False)  # while a file was read

    @property
    def shape(self) -> Tuple[int, int]:
        return self.values.shape  # type: ignore[return-value]

    def frame(self) -> Any:
        """The table as a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(self.values, columns=self.names)

    def target_names(self) -> List[List[str]]:
        """The names of the variables intervened on, row by row."""
        return [[self.names[t] for t in row] for row in self.targets or [[]] * len(self.values)]

    def graph(self) -> Any:
        """The true graph as a networkx.DiGraph."""
        import networkx

        if self.truth is None:
            raise UsageError("the true graph of this data set is not known")
        graph = networkx.DiGraph()
        graph.add_nodes_from(self.names)
        graph.add_edges_from((self.names[i], self.names[j]) for i, j in zip(*np.nonzero(self.truth)))
        return graph

    def __repr__(self) -> str:
        intervened = sum(bool(row) for row in self.targets or [])
        edges = "" if self.truth is None else f", {int(np.count_nonzero(self.truth))} true edges"
        return f"<causcale.Dataset: {self.shape[0]} rows, {self.shape[1]} variables, {intervened} intervened rows{edges}>"


def is_anndata(data: Any) -> bool:
    return all(hasattr(data, name) for name in ("X", "var_names", "obs"))


def _anndata_matrix(data: Any, layer: Optional[str]) -> Any:
    """X or a layer; of a file that was opened without loading it ("backed") in memory where it is sparse."""
    if layer is not None and layer not in data.layers:
        raise InputError(
            f"there is no layer '{layer}'; there are: {', '.join(map(str, data.layers)) or 'none'}"
        )
    matrix = data.X if layer is None else data.layers[layer]
    if matrix is None:
        layers = ", ".join(map(str, data.layers))
        raise InputError("X is empty" + (f"; choose a layer with layer=...: {layers}" if layers else ""))
    return matrix.to_memory() if hasattr(matrix, "to_memory") else matrix


def is_frame(data: Any) -> bool:
    return hasattr(data, "columns") and hasattr(data, "to_numpy")


def _choose(names: Sequence[str], columns: Optional[Iterable], exclude: Iterable) -> List[int]:
    """The columns to use, ascending."""
    numbers = {name: k for k, name in enumerate(names)}

    def number(column: Any, option: str) -> int:
        if isinstance(column, str) and column in numbers:
            return numbers[column]
        if (
            isinstance(column, (int, np.integer))
            and not isinstance(column, bool)
            and 0 <= column < len(names)
        ):
            return int(column)
        known = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
        raise InputError(f"{option}: there is no column {column!r}; there are: {known}")

    kept = range(len(names)) if columns is None else sorted({number(c, "columns") for c in columns})
    left_out = {number(c, "exclude") for c in exclude}
    return [k for k in kept if k not in left_out]


def _numbers(column: Any, name: str) -> np.ndarray:
    """One column of a frame as doubles; NaN where a value is missing."""
    array = np.asarray(column)
    if array.dtype.kind in "fiub":
        return array.astype(np.float64)
    if array.dtype.kind in "OUS":
        result = np.empty(len(array))
        for row, value in enumerate(array):
            if value is None or type(value).__name__ in ("NAType", "NaTType"):
                result[row] = np.nan
            elif isinstance(value, (str, bytes)):
                raise InputError(
                    f"column '{name}', row {row}: text where a number is expected: {value!r}; "
                    "turn it into numbers or leave the column out with exclude=..."
                )
            else:
                try:
                    result[row] = float(value)
                except (TypeError, ValueError):
                    raise InputError(f"column '{name}', row {row}: not a number: {value!r}") from None
        return result
    raise InputError(f"column '{name}' holds {array.dtype}; only numbers are accepted")


def _dense(matrix: Any) -> np.ndarray:
    """AnnData's X may be sparse."""
    if hasattr(matrix, "collect"):
        raise InputError("the table has not been computed yet: give what .collect() returns")
    if hasattr(matrix, "toarray"):
        matrix = matrix.toarray()
    if isinstance(matrix, np.ma.MaskedArray):
        matrix = matrix.astype(np.float64).filled(np.nan)
    array = np.asarray(matrix)
    if array.dtype.kind not in "fiub":
        raise InputError(f"the array holds {array.dtype}; only numbers are accepted")
    return array.astype(np.float64)


def _check_names(names: Sequence[str]) -> None:
    seen = set()
    for name in names:
        if name in seen:
            raise InputError(f"two columns are called '{name}'; names must differ")
        seen.add(name)


def _treat_missing(dataset: Dataset, missing: str) -> Dataset:
    if missing not in ("error", "drop", "mean"):
        raise UsageError(f"missing='{missing}' is not known; accepted: drop, error, mean")
    gaps = np.isnan(dataset.values)
    if missing == "error" or not gaps.any():
        return dataset
    if missing == "drop":
        return _take_rows(dataset, ~gaps.any(axis=1))
    counts = (~gaps).sum(axis=0)
    for k in np.flatnonzero(counts == 0):
        raise InputError(f"column '{dataset.names[k]}' holds no value at all; leave it out with exclude=...")
    means = np.where(gaps, 0.0, dataset.values).sum(axis=0) / counts
    dataset.values = np.where(gaps, means, dataset.values)
    return dataset


def _take_rows(dataset: Dataset, kept: np.ndarray) -> Dataset:
    dataset.values = dataset.values[kept]
    if dataset.targets is not None:
        dataset.targets = [row for row, keep in zip(dataset.targets, kept) if keep]
    return dataset


def prepare(
    data: Any,
    interventions: Any = None,
    *,
    names: Optional[Sequence[str]] = None,
    columns: Optional[Iterable] = None,
    exclude: Iterable = (),
    control: Union[None, str, Iterable[str]] = None,
    unknown_targets: str = "error",
    mask_inverted: bool = False,
    missing: str = "error",
    layer: Optional[str] = None,
) -> Dataset:
    """See :func:`causcale.discover` for what the arguments may be."""
    if isinstance(data, Dataset):
        return _from_dataset(
            data, interventions, columns, exclude, control, unknown_targets, mask_inverted, missing
        )
    if isinstance(data, (str, os.PathLike)):
        return _from_path(
            data, interventions, columns, exclude, control, unknown_targets, mask_inverted, missing, layer
        )

    if hasattr(data, "__dataframe__") and not is_frame(data):
        # Arrow tables and other frames that are handed over by the interchange protocol.
        from pandas.api.interchange import from_dataframe

        data = from_dataframe(data)
    labels = None  # a column that names the targets
    if is_anndata(data):
        all_names = [str(name) for name in data.var_names]
        if isinstance(interventions, str):
            if interventions not in data.obs:
                raise InputError(
                    f"obs has no column '{interventions}'; it has: {', '.join(map(str, data.obs))}"
                )
            labels = data.obs[interventions]
        matrix = _anndata_matrix(data, layer)
        _check_names(all_names)
        kept = _choose(all_names, columns, exclude)
        values = _dense(matrix if len(kept) == len(all_names) else matrix[:, kept])
    elif is_frame(data):
        keys = list(data.columns)
        if isinstance(interventions, str):
            if interventions not in keys:
                raise InputError(
                    f"the table has no column '{interventions}'; it has: {', '.join(map(str, keys))}"
                )
            labels = data[interventions]
            keys.remove(interventions)
        all_names = [str(key) for key in keys]
        _check_names(all_names)
        kept = _choose(all_names, columns, exclude)
        values = np.empty((len(data), len(kept)))
        for k, column in enumerate(kept):
            values[:, k] = _numbers(data[keys[column]], all_names[column])
    else:
        matrix = _dense(data)
        if matrix.ndim != 2:
            raise InputError(f"a table has two dimensions, rows and columns; found {matrix.ndim}")
        if isinstance(interventions, str):
            raise InputError("an array has no column names, so interventions cannot name a column")
        all_names = (
            [f"X{k}" for k in range(matrix.shape[1])] if names is None else [str(name) for name in names]
        )
        if len(all_names) != matrix.shape[1]:
            raise InputError(f"there are {len(all_names)} names for {matrix.shape[1]} columns")
        _check_names(all_names)
        kept = _choose(all_names, columns, exclude)
        values = matrix[:, kept]

    targets, dropped, unknown = resolve_interventions(
        interventions if labels is None else labels,
        len(values),
        all_names,
        control,
        unknown_targets,
        mask_inverted,
    )
    dataset = Dataset(values, [all_names[k] for k in kept], _remap(targets, kept, all_names))
    _warn_unknown(unknown, len(dropped))
    if dropped:
        keep = np.ones(len(values), dtype=bool)
        keep[dropped] = False
        dataset = _take_rows(dataset, keep)
    return _treat_missing(dataset, missing)


def _remap(
    targets: Optional[List[List[int]]], kept: List[int], names: Sequence[str]
) -> Optional[List[List[int]]]:
    """Column numbers of the whole table become those of the chosen columns."""
    if targets is None or len(kept) == len(names):
        return targets
    position = {column: k for k, column in enumerate(kept)}
    lost = sorted({t for row in targets for t in row if t not in position})
    if lost:
        warnings.warn(
            "interventions on columns that are left out have no effect: "
            + ", ".join(names[t] for t in lost[:10]),
            DataWarning,
            stacklevel=4,
        )
    return [[position[t] for t in row if t in position] for row in targets]


def _warn_unknown(unknown: Sequence[str], dropped: int) -> None:
    if unknown:
        what = f"{dropped} rows were dropped" if dropped else "they were ignored"
        shown = ", ".join(unknown[:10]) + (", ..." if len(unknown) > 10 else "")
        warnings.warn(f"targets that are no variables: {shown}; {what}", DataWarning, stacklevel=4)


def _from_dataset(
    data: Dataset,
    interventions: Any,
    columns: Optional[Iterable],
    exclude: Iterable,
    control: Any,
    unknown_targets: str,
    mask_inverted: bool,
    missing: str,
) -> Dataset:
    given = data.targets if interventions is None else interventions
    prepared = prepare(
        data.values,
        given,
        names=data.names,
        columns=columns,
        exclude=exclude,
        control=control,
        unknown_targets=unknown_targets,
        mask_inverted=mask_inverted,
        missing=missing,
    )
    if data.truth is not None and prepared.names == data.names:
        prepared.truth = data.truth
    prepared.noticed = [finding for finding in data.noticed if finding["severity"] != "error"]
    return prepared


def _from_path(
    path: PathLike,
    interventions: Any,
    columns: Optional[Iterable],
    exclude: Iterable,
    control: Any,
    unknown_targets: str,
    mask_inverted: bool,
    missing: str,
    layer: Optional[str],
) -> Dataset:
    if interventions is not None and not isinstance(interventions, (str, os.PathLike)):
        # Rows and columns stay as they are in the file until the interventions, which count them, are settled.
        whole = _whole_file(path, layer)
        kept = {whole.names[k] for k in _choose(whole.names, columns, exclude)}
        for finding in whole.noticed:
            if finding["code"] == "text_cell" and kept.intersection(finding["columns"]):
                raise InputError(f"{os.fspath(path)}: {sentence(finding)}")
        return prepare(
            whole,
            interventions,
            columns=columns,
            exclude=exclude,
            control=control,
            unknown_targets=unknown_targets,
            mask_inverted=mask_inverted,
            missing=missing,
        )
    is_file = interventions is not None and os.path.exists(interventions)
    return read(
        path,
        interventions=interventions if is_file else None,
        label_column=None if is_file or interventions is None else str(interventions),
        control=control,
        mask_inverted=mask_inverted,
        unknown_targets=unknown_targets,
        missing=missing,
        columns=columns,
        exclude=exclude,
        layer=layer,
    )


def read(
    path: PathLike,
    *,
    interventions: Optional[PathLike] = None,
    label_column: Optional[str] = None,
    control: Union[None, str, Iterable[str]] = None,
    mask_inverted: bool = False,
    unknown_targets: str = "error",
    missing: str = "error",
    columns: Optional[Iterable] = None,
    exclude: Iterable = (),
    header: bool = True,
    transpose: bool = False,
    layer: Optional[str] = None,
) -> Dataset:
    """Reads a table (.csv .tsv .txt .npy .npz .h5ad) with the readers of the command line.

    ``interventions`` is a file in any form of docs/input_formats.md; ``label_column`` names the column of the
    table (.h5ad: of obs) that holds each row's targets. ``header=False``: the first line of a text is data.
    """
    content = _native.read(
        os.fspath(path),
        "" if interventions is None else os.fspath(interventions),
        label_column or "",
        control_labels(control),
        mask_inverted,
        unknown_targets,
        missing,
        [str(c) for c in columns] if columns is not None else [],
        [str(c) for c in exclude],
        header,
        transpose,
        layer or "",
        False,
    )
    return Dataset(content["values"], content["names"], content["targets"], noticed=content["findings"])


def _whole_file(path: PathLike, layer: Optional[str]) -> Dataset:
    """Every row and column; where a cell is no number, NaN, and an error among what was noticed."""
    content = _native.read(
        os.fspath(path), "", "", None, False, "error", "error", [], [], True, False, layer or "", True
    )
    return Dataset(content["values"], content["names"], content["targets"], noticed=content["findings"])


def control_labels(control: Union[None, str, Iterable[str]]) -> Optional[List[str]]:
    if control is None:
        return None
    return [control] if isinstance(control, str) else [str(label) for label in control]


def audit(data: Any, interventions: Any = None, **options: Any) -> List[dict]:
    """What is wrong or doubtful about a table: a list of dicts with severity, code, columns, message and hint.

    Takes the same data, interventions and input options as :func:`causcale.discover`.
    """
    return _findings(prepare(data, interventions, **options))


def _findings(dataset: Dataset) -> List[dict]:
    """Of the table, and of the file that it was read from; errors first."""
    found = _native.findings(dataset.values, dataset.names, dataset.targets)
    known = {finding["code"] for finding in found}
    found += [finding for finding in dataset.noticed if finding["code"] not in known]
    return sorted(found, key=lambda finding: ("error", "warning", "note").index(finding["severity"]))


def sentence(finding: Mapping[str, Any]) -> str:
    """A finding or remark with its hint."""
    return finding["message"] + (f"; {finding['hint']}" if finding["hint"] else "")


def check(dataset: Dataset, warn: bool, stacklevel: int) -> None:
    """Raises InputError for errors of the audit; warnings become Python warnings."""
    dataset.findings = _findings(dataset)
    errors = [finding for finding in dataset.findings if finding["severity"] == "error"]
    if errors:
        text = sentence(errors[0])
        more = f" ({len(errors) - 1} more: see causcale.audit)" if len(errors) > 1 else ""
        raise InputError(text + more)
    if warn:
        for finding in dataset.findings:
            if finding["severity"] == "warning":
                warnings.warn(sentence(finding), DataWarning, stacklevel=stacklevel)
