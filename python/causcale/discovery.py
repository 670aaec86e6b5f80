"""The main job."""
from __future__ import annotations

import hashlib
import json
import os
import re
import warnings
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from . import _native
from ._native import UsageError
from .inputs import Dataset, DataWarning, check, prepare, sentence
from .knowledge import collect_knowledge
from .progress import Progress, Reporter
from .result import Result

_UNITS = {"": 1, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def parse_bytes(size: Union[int, str]) -> int:
    """``"4GiB"``, ``"800M"`` or a number of bytes."""
    if isinstance(size, str):
        match = re.fullmatch(
            r"\s*([0-9.]+(?:e[0-9]+)?)\s*([KMG]?)(?:I?B)?\s*", size.upper().replace("E", "e")
        )
        if not match:
            raise UsageError(f"max_memory={size!r}: write a size such as '4GiB' or '800M'")
        return int(float(match[1]) * _UNITS[match[2]])
    if size < 0:
        raise UsageError(f"max_memory={size} must not be negative")
    return int(size)


def _whole(options: Dict[str, Any], names: Iterable[str]) -> None:
    for name in names:
        value = options[name]
        if isinstance(value, bool) or not hasattr(value, "__index__") or value < 0:
            raise UsageError(f"{name}={value!r}: a whole number, 0 or more, is expected")
        options[name] = int(value)  # numpy's own are not known to JSON


def discover(
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
    required: Any = (),
    forbidden: Any = (),
    tiers: Union[None, Mapping[Any, int], Iterable[Iterable[Any]]] = None,
    knowledge: Union[None, str, "os.PathLike[str]"] = None,
    model: Optional[str] = None,
    threshold: float = 0.5,
    top: int = 0,
    dag: Union[bool, str] = False,
    acyclic_rule: str = "greedy",
    bootstrap: int = 0,
    device: str = "auto",
    precision: str = "auto",
    prior_scale: str = "auto",
    transform: str = "auto",
    max_samples: int = 0,
    ensemble: int = 0,
    views: int = 0,
    max_memory: Union[int, str] = 0,
    threads: int = 0,
    seed: int = 0,
    progress: Progress = False,
    warn: bool = True,
) -> Result:
    """Finds the causal graph behind a table, with a probability for every edge.

    Parameters
    ----------
    data
        Rows are samples, columns variables: a numpy array, a pandas or polars DataFrame, an AnnData object, a
        :class:`causcale.Dataset`, or the name of a file (.csv .tsv .npy .npz .h5ad).
    interventions
        None: no row was intervened on. Otherwise one of: a list with an entry per row (None, a column's name
        or number, or a list of those); a 0/1 array or frame of the table's shape; the name of a column of the
        frame (AnnData: of ``obs``) that names each row's targets; with a file, another file.
    names
        Of an array's columns; otherwise X0, X1, ...
    columns, exclude
        Which columns to use, by name or number.
    control
        Label(s) of rows without intervention, instead of obs, observational, control, ctrl, non-targeting, none.
    unknown_targets
        A target that is no column: "error", "ignore" (the row counts as observational in it) or "drop" the row.
    mask_inverted
        In the mask, 0 means intervened.
    missing
        Missing values: "error", "drop" the row or fill in the "mean".
    layer
        AnnData: this layer instead of X.
    required, forbidden
        Edges that must (not) be there: pairs (source, target), a frame of two columns, or a networkx graph.
    tiers
        ``{variable: tier}`` or a list of groups, earliest first: no edge from a later to an earlier tier.
    knowledge
        A file in Tetrad's format.
    model
        Name of an installed model (see :func:`causcale.models`) or a weight file.
    threshold, top
        An edge is in the graph when it is more probable than ``threshold``; or the ``top`` most probable ones.
    dag
        Break cycles, by ``acyclic_rule``: "greedy" (the weakest edge of each cycle goes) or "optimal"; or the rule itself.
    bootstrap
        Repetitions on resampled rows, for the stability of every edge.
    device, precision, prior_scale
        "auto", "cpu", "cuda"; "auto", "fp32", "bf16"; "auto", "raw", "standardized".
    transform
        Of the values, before anything else: "none", "log1p", or "auto": logarithms where the model takes those and the values look
        like counts.
    max_samples, ensemble
        Rows per pass, and passes over disjoint rows that are averaged; 0: chosen by the program.
    views
        Times that the network sees the rows, with different columns mirrored (x -> -x), averaged; 0: what the model is used to.
    max_memory
        Limit of the network's working memory in bytes or as "4GiB".
    threads, seed
        0 threads: all cores. The same seed gives the same result whatever the number of threads.
    progress
        True: a bar on standard error. Or a function that is called with (stage, share) between steps, or a bar like
        ``tqdm.tqdm(total=100)``.
    warn
        Issue a :class:`causcale.DataWarning` for whatever the audit finds doubtful.

    Raises
    ------
    causcale.InputError
        The data are not what they should be; also a ValueError.
    causcale.UsageError
        An option is not acceptable; also a ValueError.
    """
    dataset = prepare(
        data,
        interventions,
        names=names,
        columns=columns,
        exclude=exclude,
        control=control,
        unknown_targets=unknown_targets,
        mask_inverted=mask_inverted,
        missing=missing,
        layer=layer,
    )
    if isinstance(dag, str):
        dag, acyclic_rule = True, dag
    options = _options(
        model=model or "",
        threshold=float(threshold),
        top=top,
        dag=bool(dag),
        acyclic_rule=acyclic_rule,
        bootstrap=bootstrap,
        device=device,
        precision=precision,
        prior_scale=prior_scale,
        transform=transform,
        max_samples=max_samples,
        ensemble=ensemble,
        views=views,
        max_memory=max_memory,
        threads=threads,
        seed=seed,
    )
    check(dataset, warn, stacklevel=3)
    known = collect_knowledge(dataset.names, required, forbidden, tiers, knowledge)
    with Reporter(progress, "discover") as callback:
        found = _native.discover(
            dataset.values,
            dataset.names,
            dataset.targets,
            options,
            known.as_dict(),
            record_of("discover", data, dataset, options),
            callback,
        )
    result = Result(found, dataset.findings)
    if warn:
        for remark in result.remarks:
            warnings.warn(sentence(remark), DataWarning, stacklevel=2)
    return result


def _options(**options: Any) -> Dict[str, Any]:
    _whole(options, ("top", "bootstrap", "max_samples", "ensemble", "views", "threads", "seed"))
    options["max_memory"] = parse_bytes(options["max_memory"])
    return options


def record_of(function: str, data: Any, dataset: Dataset, options: Mapping[str, Any]) -> Dict[str, str]:
    """What goes into the JSON output so that the run can be repeated."""
    said = ", ".join(f"{key}={value!r}" for key, value in options.items() if value)
    path = os.fspath(data) if isinstance(data, (str, os.PathLike)) else None
    content = hashlib.sha256(dataset.values.tobytes())
    if path is not None:
        with open(path, "rb") as file:
            content = hashlib.sha256(file.read())
    return {
        "command": f"causcale.{function}({said})",
        "data": path or f"in memory: {type(data).__module__}.{type(data).__name__}",
        "sha256": content.hexdigest(),
        "audit": json.dumps(dataset.findings),
        "options": json.dumps(options),
    }


def models() -> List[Dict[str, Any]]:
    """The installed models: name, path, default, metadata."""
    return _native.models()


def plan(
    shape: Tuple[int, int],
    *,
    model: Optional[str] = None,
    device: str = "auto",
    precision: str = "auto",
    max_samples: int = 0,
    ensemble: int = 0,
    views: int = 0,
    bootstrap: int = 0,
    max_memory: Union[int, str] = 0,
    threads: int = 0,
) -> Dict[str, Any]:
    """What :func:`discover` would do with a table of (rows, columns): passes, memory, arithmetic, time."""
    options = _options(
        model=model or "",
        threshold=0.5,
        top=0,
        dag=False,
        acyclic_rule="greedy",
        bootstrap=bootstrap,
        device=device,
        precision=precision,
        prior_scale="auto",
        transform="auto",
        max_samples=max_samples,
        ensemble=ensemble,
        views=views,
        max_memory=max_memory,
        threads=threads,
        seed=0,
    )
    return _native.plan(shape[0], shape[1], options)
