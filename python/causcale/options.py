"""The options of the network, as the native module takes them."""
from __future__ import annotations

from typing import Any, Dict, Iterable, Union

from . import _native
from ._native import UsageError

_DEFAULTS: Dict[str, Any] = {
    "model": "",
    "threshold": 0.5,
    "top": 0,
    "dag": False,
    "acyclic_rule": "greedy",
    "bootstrap": 0,
    "evidence": "on",
    "device": "auto",
    "precision": "auto",
    "prior_scale": "auto",
    "transform": "auto",
    "max_samples": 0,
    "ensemble": 0,
    "views": 0,
    "max_memory": 0,
    "threads": 0,
    "seed": 0,
}


def parse_bytes(size: Union[int, str]) -> int:
    """``"4GiB"``, ``"800M"`` or a number of bytes."""
    if isinstance(size, str):
        return _native.parse_byte_size(size, "max_memory")
    if size < 0:
        raise UsageError(f"max_memory={size} must not be negative")
    return int(size)


def _whole(options: Dict[str, Any], names: Iterable[str]) -> None:
    for name in names:
        value = options[name]
        if isinstance(value, bool) or not hasattr(value, "__index__") or value < 0:
            raise UsageError(f"{name}={value!r}: a whole number, 0 or more, is expected")
        options[name] = int(value)  # numpy's own are not known to JSON


def options_of(**given: Any) -> Dict[str, Any]:
    """All of them, those given in place of the defaults, checked for their kind."""
    options = {**_DEFAULTS, **given}
    _whole(options, ("top", "bootstrap", "max_samples", "ensemble", "views", "threads", "seed"))
    options["max_memory"] = parse_bytes(options["max_memory"])
    return options
