"""Interventions in the forms in which Python users hold them."""
from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _native
from ._native import InputError
from .columns import is_nothing

Targets = List[List[int]]


def resolve_interventions(
    interventions: Any,
    rows: int,
    names: Sequence[str],
    control: Union[None, str, Iterable[str]],
    unknown: str,
    mask_inverted: bool,
) -> Tuple[Optional[Targets], List[int], List[str]]:
    """The columns intervened on in every row (None: no interventions), rows to drop, unknown targets."""
    if interventions is None:
        return None, [], []
    if is_mask(interventions):
        return _from_mask(interventions, rows, names, mask_inverted), [], []
    # A column of lists becomes lists, whatever its frame makes of them one by one.
    listed = interventions.to_list() if hasattr(interventions, "to_list") else interventions
    entries = [None if is_nothing(entry) else entry for entry in listed]
    if len(entries) != rows:
        raise InputError(f"interventions are given for {len(entries)} rows; the table has {rows}")
    controls = (
        None if control is None else [control] if isinstance(control, str) else [str(c) for c in control]
    )
    if all(entry is None or isinstance(entry, str) for entry in entries):
        labels = [entry or "" for entry in entries]
        return _native.targets_of_labels(labels, list(names), controls, unknown, "interventions")
    return _from_entries(entries, names, controls, unknown)


def is_mask(interventions: Any) -> bool:
    """Two-dimensional: an array, a frame or a sparse matrix. Lists of lists are lists of targets."""
    return not isinstance(interventions, (list, tuple)) and len(getattr(interventions, "shape", ())) == 2


def _from_mask(mask: Any, rows: int, names: Sequence[str], inverted: bool) -> Targets:
    numbers: List[int] = list(range(len(names)))
    if hasattr(mask, "columns"):
        positions = {name: k for k, name in enumerate(names)}
        columns = [str(column) for column in mask.columns]
        strangers = [column for column in columns if column not in positions]
        if strangers:
            raise InputError(f"the mask has a column '{strangers[0]}' that the table does not have")
        numbers = [positions[column] for column in columns]
        mask = mask.to_numpy()
    elif hasattr(mask, "toarray"):
        mask = mask.toarray()
    array = np.asarray(mask)
    if array.shape != (rows, len(numbers)):
        raise InputError(
            f"the mask has {array.shape[0]} rows and {array.shape[1]} columns; the table has {rows} and {len(names)}"
        )
    wrong = ~np.isin(array, (0, 1))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise InputError(
            f"mask, row {row}, column '{names[numbers[column]]}': {array[row, column]!r}; a mask holds 0 and 1"
        )
    acted = array == (0 if inverted else 1)
    order = np.asarray(numbers)
    return [sorted(order[np.flatnonzero(row)].tolist()) for row in acted]


def _from_entries(
    entries: Sequence[Any], names: Sequence[str], controls: Optional[List[str]], unknown: str
) -> Tuple[Targets, List[int], List[str]]:
    """Numbers, names and collections of both; each distinct name is looked up once."""
    positions = {name: k for k, name in enumerate(names)}
    looked_up: Dict[str, Tuple[List[int], bool]] = {}
    strangers: List[str] = []
    dropped: List[int] = []

    def look_up(text: str, row: int) -> Tuple[List[int], bool]:
        if text not in looked_up:
            found, drop, odd = _native.targets_of_labels(
                [text], list(names), controls, unknown, f"interventions of row {row}"
            )
            looked_up[text] = (found[0], bool(drop))
            strangers.extend(name for name in odd if name not in strangers)
        return looked_up[text]

    targets: Targets = []
    for row, entry in enumerate(entries):
        if entry is None:
            targets.append([])
            continue
        chosen = set()
        for target in entry if isinstance(entry, (list, tuple, set, frozenset, np.ndarray)) else [entry]:
            if isinstance(target, str):
                found, drop = ([positions[target]], False) if target in positions else look_up(target, row)
                chosen.update(found)
                if drop and row not in dropped[-1:]:
                    dropped.append(row)
            elif isinstance(target, (int, np.integer)) and not isinstance(target, (bool, np.bool_)):
                if not 0 <= target < len(names):
                    raise InputError(
                        f"interventions, row {row}: there is no column {target}; columns are 0 to {len(names) - 1}"
                    )
                chosen.add(int(target))
            else:
                raise InputError(
                    f"interventions, row {row}: {target!r} is neither the name nor the number of a column"
                )
        targets.append(sorted(chosen))
    return targets, dropped, strangers
