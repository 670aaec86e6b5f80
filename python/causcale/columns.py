"""Columns of frames: numbers, or words that the library reads as it reads those of a file."""
from __future__ import annotations

from typing import Any, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._native import InputError, UsageError

Types = Mapping[Any, Union[str, Sequence[str]]]
ColumnType = Tuple[str, str, List[str]]  # name, kind, the words in their order


class Content(NamedTuple):
    numbers: Optional[np.ndarray]  # NaN: missing; None: words
    words: List[str] = []  # different ones
    codes: List[int] = []  # of every row: which word
    kind: str = ""  # where the column itself says
    order: List[str] = []


def is_nothing(value: Any) -> bool:
    """None, NaN, pandas.NA, NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and np.isnan(value)


def _of_words(texts: Sequence[str], kind: str = "", order: Sequence[str] = ()) -> Content:
    number: dict = {}
    codes = [number.setdefault(text, len(number)) for text in texts]
    return Content(None, list(number), codes, kind, list(order))


def _categorical(column: Any) -> Content:
    categories = [str(category).strip() for category in column.cat.categories]
    codes = np.asarray(column.cat.codes)
    used = [categories[k] for k in sorted(set(codes[codes >= 0].tolist()))]
    kind, order = "", []
    if column.cat.ordered and len(used) > 1:
        kind, order = ("ordered" if len(used) > 2 else "binary"), used
    elif len(used) > 2:
        kind = "unordered"
    return _of_words([categories[k] if k >= 0 else "" for k in codes], kind, order)


def _days(array: np.ndarray) -> np.ndarray:
    gaps = np.isnat(array)
    unit = "datetime64[us]" if array.dtype.kind == "M" else "timedelta64[us]"
    days = array.astype(unit).astype(np.int64) / 86400e6
    days[gaps] = np.nan
    return days


def read_column(column: Any, name: str) -> Content:
    """One column of a frame."""
    dtype = getattr(column, "dtype", None)
    if hasattr(column, "cat") and hasattr(column.cat, "codes"):
        return _categorical(column)
    if getattr(dtype, "tz", None) is not None:
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    if type(dtype).__module__.startswith("pandas.core.arrays") and getattr(dtype, "kind", "O") in "fiub":
        return Content(column.to_numpy(dtype=np.float64, na_value=np.nan))
    array = np.asarray(column)
    if array.dtype.kind in "fiub":
        return Content(array.astype(np.float64))
    if array.dtype.kind == "M":
        return Content(_days(array), kind="date")
    if array.dtype.kind == "m":
        return Content(_days(array))
    if array.dtype.kind not in "OUS":
        raise InputError(f"column '{name}' holds {array.dtype}; numbers, words and dates are accepted")
    return _of_objects(array.tolist(), name)


def _of_objects(values: Sequence[Any], name: str) -> Content:
    values = [None if is_nothing(value) else value for value in values]
    values = [value.decode("utf-8", "replace") if isinstance(value, bytes) else value for value in values]
    if all(value is None or not _is_text(value) for value in values) and any(v is not None for v in values):
        numbers = np.full(len(values), np.nan)
        for row, value in enumerate(values):
            if value is not None:
                try:
                    numbers[row] = float(value)
                except (TypeError, ValueError):
                    raise InputError(
                        f"column '{name}', row {row}: neither a number nor a word: {value!r}"
                    ) from None
        return Content(numbers)
    return _of_words(["" if value is None else str(value).strip() for value in values])


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or hasattr(value, "isoformat")  # dates are written out


def told_types(types: Optional[Types], names: Sequence[str]) -> List[ColumnType]:
    """``{"age": "count", "size": ["small", "medium", "large"], 3: "unordered"}`` by name."""
    told: List[ColumnType] = []
    for column, kind in (types or {}).items():
        if isinstance(column, (int, np.integer)) and 0 <= column < len(names):
            column = names[column]
        if names and column not in names:
            raise InputError(f"types: there is no column {column!r}")
        if not isinstance(kind, str):
            told.append((str(column), "ordered", [str(word) for word in kind]))
            continue
        word, _, order = kind.partition(":")
        if order and word != "ordered":
            raise UsageError(f"types: {kind!r} for {column!r}; only an ordered column has an order")
        told.append((str(column), word, [level.strip() for level in order.split("<")] if order else []))
    return told
