"""From whatever holds a table and its interventions to the one form that the library takes."""
from __future__ import annotations

import inspect
import os
import warnings
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _native
from ._native import InputError
from .columns import ColumnType, Types, read_column, told_types
from .dataset import Dataset, DataWarning
from .targets import resolve_interventions

PathLike = Union[str, "os.PathLike[str]"]
Labels = Union[None, str, Iterable[str]]


class Source(NamedTuple):
    """A table before it is settled: all its names, and what the chosen columns hold."""

    names: List[str]
    kept: List[int]
    values: np.ndarray
    words: List[Tuple[int, List[str], List[int]]] = []
    types: List[ColumnType] = []
    levels: List[List[str]] = []
    labels: Any = None  # a column that names the targets


def is_anndata(data: Any) -> bool:
    return all(hasattr(data, name) for name in ("X", "var_names", "obs"))


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
        raise InputError(f"the array holds {array.dtype}; only numbers are accepted: give a frame instead")
    return array.astype(np.float64)


def _check_names(names: Sequence[str]) -> None:
    seen = set()
    for name in names:
        if name in seen:
            raise InputError(f"two columns are called '{name}'; names must differ")
        seen.add(name)


def _of_frame(
    data: Any,
    keys: List[Any],
    columns: Optional[Iterable],
    exclude: Iterable,
    labels: Any,
    first: Optional[np.ndarray] = None,
) -> Source:
    """``first``: numbers of the first columns, which are not in the frame; their names lead ``keys``."""
    names = [str(key) for key in keys]
    _check_names(names)
    kept = _choose(names, columns, exclude)
    width = 0 if first is None else first.shape[1]
    source = Source(names, kept, np.full((len(data), len(kept)), np.nan), [], [], [], labels)
    for place, k in enumerate(kept):
        if first is not None and k < width:
            source.values[:, place] = first[:, k]
            continue
        content = read_column(data[keys[k]], names[k])
        if content.numbers is not None:
            source.values[:, place] = content.numbers
        else:
            source.words.append((place, content.words, content.codes))
        if content.kind:
            source.types.append((names[k], content.kind, content.order))
    return source


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


def _obs_column(data: Any, name: str) -> Any:
    if name not in data.obs:
        raise InputError(f"obs has no column '{name}'; it has: {', '.join(map(str, data.obs))}")
    return data.obs[name]


def _of_anndata(
    data: Any,
    interventions: Any,
    columns: Optional[Iterable],
    exclude: Iterable,
    layer: Optional[str],
    obs_columns: Sequence[str],
) -> Source:
    labels = _obs_column(data, interventions) if isinstance(interventions, str) else None
    genes = [str(name) for name in data.var_names]
    matrix = _anndata_matrix(data, layer)
    if obs_columns:
        for name in obs_columns:
            _obs_column(data, name)
        return _of_frame(data.obs, [*genes, *obs_columns], columns, exclude, labels, _dense(matrix))
    _check_names(genes)
    kept = _choose(genes, columns, exclude)
    values = _dense(matrix if len(kept) == len(genes) else matrix[:, kept])
    return Source(genes, kept, values, labels=labels)


def _of_array(
    data: Any, names: Optional[Sequence[str]], columns: Optional[Iterable], exclude: Iterable
) -> Source:
    matrix = _dense(data)
    if matrix.ndim != 2:
        raise InputError(f"a table has two dimensions, rows and columns; found {matrix.ndim}")
    all_names = [f"X{k}" for k in range(matrix.shape[1])] if names is None else [str(name) for name in names]
    if len(all_names) != matrix.shape[1]:
        raise InputError(f"there are {len(all_names)} names for {matrix.shape[1]} columns")
    _check_names(all_names)
    kept = _choose(all_names, columns, exclude)
    return Source(all_names, kept, matrix[:, kept])


def _of_dataset(data: Dataset, columns: Optional[Iterable], exclude: Iterable) -> Source:
    source = _of_array(data.values, data.names, columns, exclude)
    kinds = [(data.names[k], data.kinds[k], []) for k in source.kept] if data.kinds else []
    levels = [data.levels[k] for k in source.kept] if data.levels else []
    return source._replace(types=[t for t in kinds if t[1] != "constant"], levels=levels)


def prepare(
    data: Any,
    interventions: Any = None,
    *,
    names: Optional[Sequence[str]] = None,
    columns: Optional[Iterable] = None,
    exclude: Iterable = (),
    control: Labels = None,
    unknown_targets: str = "error",
    mask_inverted: bool = False,
    missing: str = "keep",
    missing_markers: Iterable = (),
    types: Optional[Types] = None,
    groups: Optional[Mapping[str, Sequence[str]]] = None,
    dates: str = "aside",
    layer: Optional[str] = None,
    obs_columns: Sequence[str] = (),
) -> Dataset:
    """See :func:`causcale.discover` for what the arguments may be."""
    reading = _reading(missing, missing_markers, types, groups, dates)
    meaning = (control, unknown_targets, mask_inverted)
    if isinstance(data, (str, os.PathLike)):
        if interventions is None or isinstance(interventions, (str, os.PathLike)):
            return _of_path(data, interventions, columns, exclude, layer, reading, types, meaning)
        return _of_whole_file(data, interventions, columns, exclude, layer, reading, types, meaning)
    if isinstance(data, Dataset):
        source = _of_dataset(data, columns, exclude)
        given = data.targets if interventions is None else interventions
        if "date" in data.kinds:
            reading["dates"] = "number"
        prepared = _settle(source, given, reading, types, meaning)
        if data.truth is not None and prepared.names == data.names:
            prepared.truth = data.truth
        _recall(prepared, [finding for finding in data.noticed if finding["severity"] != "error"])
        return prepared
    if hasattr(data, "__dataframe__") and not is_frame(data):
        # Arrow tables and other frames that are handed over by the interchange protocol.
        from pandas.api.interchange import from_dataframe

        data = from_dataframe(data)
    if is_anndata(data):
        source = _of_anndata(data, interventions, columns, exclude, layer, list(obs_columns))
    elif is_frame(data):
        keys, labels = list(data.columns), None
        if isinstance(interventions, str):
            if interventions not in keys:
                raise InputError(
                    f"the table has no column '{interventions}'; it has: {', '.join(map(str, keys))}"
                )
            labels = data[interventions]
            keys.remove(interventions)
        source = _of_frame(data, keys, columns, exclude, labels)
    else:
        source = _of_array(data, names, columns, exclude)
        if isinstance(interventions, str):
            raise InputError("an array has no column names, so interventions cannot name a column")
    return _settle(source, interventions, reading, types, meaning)


INPUT_OPTIONS = [name for name, p in inspect.signature(prepare).parameters.items() if p.kind == p.KEYWORD_ONLY]


def _reading(
    missing: str,
    missing_markers: Iterable,
    types: Optional[Types],
    groups: Optional[Mapping[str, Sequence[str]]],
    dates: str,
) -> Dict[str, Any]:
    """The options of every table, as the native module takes them; types need the columns' names."""
    markers = [missing_markers] if isinstance(missing_markers, str) else missing_markers
    return {
        "missing": missing,
        "missing_markers": [str(marker) for marker in markers],
        "types": [],
        "groups": [(name, [str(m) for m in members]) for name, members in (groups or {}).items()],
        "dates": dates,
    }


def _settle(
    source: Source, interventions: Any, reading: Dict[str, Any], types: Optional[Types], meaning: Tuple
) -> Dataset:
    """Targets become numbers of columns, words become values, gaps are treated, and the table is audited."""
    control, unknown_targets, mask_inverted = meaning
    targets, dropped, unknown = resolve_interventions(
        interventions if source.labels is None else source.labels,
        len(source.values),
        source.names,
        control,
        unknown_targets,
        mask_inverted,
    )
    names = [source.names[k] for k in source.kept]
    raw = Dataset(source.values, names, _remap(targets, source.kept, source.names), levels=source.levels)
    _warn_unknown(unknown, len(dropped))
    told = {column: (column, kind, order) for column, kind, order in source.types}
    told.update({t[0]: t for t in told_types(types, source.names) if t[0] in names})
    reading = {**reading, "types": list(told.values())}
    dataset = Dataset.of_content(_native.settle(raw.content(), source.words, dropped, reading))
    if targets is None:
        dataset.targets = None
    return dataset


def _recall(dataset: Dataset, noticed: List[dict]) -> None:
    """What was noticed when the table was read counts as well; errors first."""
    known = {finding["code"] for finding in dataset.findings}
    dataset.findings += [finding for finding in noticed if finding["code"] not in known]
    dataset.findings.sort(key=lambda finding: ("error", "warning", "note").index(finding["severity"]))
    dataset.noticed = noticed


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
            stacklevel=5,
        )
    return [[position[t] for t in row if t in position] for row in targets]


def _warn_unknown(unknown: Sequence[str], dropped: int) -> None:
    if unknown:
        what = f"{dropped} rows were dropped" if dropped else "they were ignored"
        shown = ", ".join(unknown[:10]) + (", ..." if len(unknown) > 10 else "")
        warnings.warn(f"targets that are no variables: {shown}; {what}", DataWarning, stacklevel=5)


def _of_path(
    path: PathLike,
    interventions: Optional[PathLike],
    columns: Optional[Iterable],
    exclude: Iterable,
    layer: Optional[str],
    reading: Mapping[str, Any],
    types: Optional[Types],
    meaning: Tuple,
) -> Dataset:
    is_file = interventions is not None and os.path.exists(interventions)
    return _read(
        path,
        reading,
        types,
        meaning,
        strict=False,
        interventions=os.fspath(interventions) if is_file and interventions is not None else "",
        label_column="" if is_file or interventions is None else str(interventions),
        columns=[str(c) for c in columns] if columns is not None else [],
        exclude=[str(c) for c in exclude],
        layer=layer or "",
    )


def _of_whole_file(
    path: PathLike,
    interventions: Any,
    columns: Optional[Iterable],
    exclude: Iterable,
    layer: Optional[str],
    reading: Dict[str, Any],
    types: Optional[Types],
    meaning: Tuple,
) -> Dataset:
    """Rows and columns stay as they are in the file until the interventions, which count them, are settled."""
    keep = {**reading, "missing": "keep"}
    whole = _read(path, keep, types, (None, "error", False), strict=False, layer=layer or "")
    names = [column["name"] for column in whole.columns]  # also those set aside
    place = {name: k for k, name in enumerate(whole.names)}
    chosen = [names[k] for k in _choose(names, columns, exclude)]
    aside = [column for column in whole.columns if column["set_aside"] and column["name"] in chosen]
    inside = _of_dataset(whole, [name for name in chosen if name in place], ())
    source = inside._replace(names=names, kept=[names.index(whole.names[k]) for k in inside.kept])
    later = {**reading, "groups": [], "dates": "number"}
    prepared = _settle(source, interventions, later, None, meaning)
    bad = [f for f in whole.noticed if f["code"] == "text_cell" and set(f["columns"]) & set(chosen)]
    notes = {c for finding in bad for c in finding["columns"]}
    prepared.findings = [
        f for f in prepared.findings if f["code"] != "missing_value" or not notes & set(f["columns"])
    ]
    _recall(prepared, bad + [f for f in whole.noticed if f["severity"] != "error" and _about(f, chosen)])
    prepared.columns += aside
    return prepared


def _about(finding: Mapping[str, Any], chosen: Sequence[str]) -> bool:
    """Gaps are kept only until the interventions are settled."""
    if finding["code"] == "missing_kept":
        return False
    return not finding["columns"] or bool(set(finding["columns"]) & set(chosen))


def _read(
    path: PathLike,
    reading: Mapping[str, Any],
    types: Optional[Types],
    meaning: Tuple,
    strict: bool,
    **options: Any,
) -> Dataset:
    control, unknown_targets, mask_inverted = meaning
    given = {
        **reading,
        "types": told_types(types, ()),
        "interventions": "",
        "label_column": "",
        "columns": [],
        "exclude": [],
        "header": True,
        "row_names": "auto",
        "transpose": False,
        "layer": "",
        "npz_key": "",
        "control": control_labels(control),
        "unknown_targets": unknown_targets,
        "mask_inverted": mask_inverted,
        **options,
    }
    return Dataset.of_content(_native.read(os.fspath(path), given, strict))


def read(
    path: PathLike,
    *,
    interventions: Optional[PathLike] = None,
    label_column: Optional[str] = None,
    control: Labels = None,
    mask_inverted: bool = False,
    unknown_targets: str = "error",
    missing: str = "keep",
    missing_markers: Iterable = (),
    types: Optional[Types] = None,
    groups: Optional[Mapping[str, Sequence[str]]] = None,
    dates: str = "aside",
    columns: Optional[Iterable] = None,
    exclude: Iterable = (),
    header: bool = True,
    row_names: str = "auto",
    transpose: bool = False,
    layer: Optional[str] = None,
    npz_key: Optional[str] = None,
) -> Dataset:
    """Reads a table (.csv .tsv .txt .npy .npz .h5ad) with the readers of the command line.

    ``interventions`` is a file in any form of docs/input_formats.md; ``label_column`` names the column of the
    table (.h5ad: of obs) that holds each row's targets. ``header=False``: the first line of a text is data.
    The result's ``columns`` say what was understood of each column, and which were set aside.
    """
    return _read(
        path,
        _reading(missing, missing_markers, types, groups, dates),
        types,
        (control, unknown_targets, mask_inverted),
        strict=True,
        interventions="" if interventions is None else os.fspath(interventions),
        label_column=label_column or "",
        columns=[str(c) for c in columns] if columns is not None else [],
        exclude=[str(c) for c in exclude],
        header=header,
        row_names=row_names,
        transpose=transpose,
        layer=layer or "",
        npz_key=npz_key or "",
    )


def control_labels(control: Labels) -> Optional[List[str]]:
    if control is None:
        return None
    return [control] if isinstance(control, str) else [str(label) for label in control]


def audit(data: Any, interventions: Any = None, **options: Any) -> List[dict]:
    """What is wrong or doubtful about a table: a list of dicts with severity, code, columns, message and hint.

    Takes the same data, interventions and input options as :func:`causcale.discover`.
    """
    return prepare(data, interventions, **options).findings


def sentence(finding: Mapping[str, Any]) -> str:
    """A finding or remark with its hint."""
    return finding["message"] + (f"; {finding['hint']}" if finding["hint"] else "")


def check(dataset: Dataset, warn: bool, stacklevel: int) -> None:
    """Raises InputError for errors of the audit; warnings become Python warnings."""
    errors = [finding for finding in dataset.findings if finding["severity"] == "error"]
    if errors:
        text = sentence(errors[0])
        more = f" ({len(errors) - 1} more: see causcale.audit)" if len(errors) > 1 else ""
        raise InputError(text + more)
    if warn:
        for finding in dataset.findings:
            if finding["severity"] == "warning":
                warnings.warn(sentence(finding), DataWarning, stacklevel=stacklevel)
