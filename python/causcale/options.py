"""The options of the network. The native module has their list: names, kinds, ranges, words, defaults."""
from __future__ import annotations

from typing import Any, Dict, List, Union

from . import _native
from ._native import UsageError


def option_list() -> List[Dict[str, Any]]:
    """Every option of :func:`causcale.discover` that concerns the network: name, kind, default, words, help."""
    return _native.option_list()


def options_of(**given: Any) -> Dict[str, Any]:
    """All of them, those given in place of the defaults, checked."""
    return _native.checked_options(given)


def acyclic_word(dag: Union[bool, str], rule: str) -> str:
    """The one word that stands for both arguments; empty: cycles may stay."""
    words = next(option["words"] for option in option_list() if option["name"] == "dag")
    if rule not in words:
        raise UsageError(f"acyclic_rule={rule!r} is not known; accepted: {', '.join(words)}")
    if isinstance(dag, str):
        return dag
    return rule if dag else ""
