"""The main job."""
from __future__ import annotations

import hashlib
import json
import os
import warnings
from typing import Any, Dict, Iterable, Mapping, Optional, Sequence, Union

from . import _native
from ._native import UsageError
from .columns import Types
from .dataset import Dataset, DataWarning
from .inputs import check, prepare, sentence
from .knowledge import Knowledge, collect_knowledge
from .model import Model
from .options import acyclic_word, option_list, options_of
from .progress import Progress, Reporter
from .result import Result

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
    missing: str = "keep",
    missing_markers: Iterable = (),
    types: Optional[Types] = None,
    groups: Optional[Mapping[str, Sequence[str]]] = None,
    dates: str = "aside",
    layer: Optional[str] = None,
    obs_columns: Sequence[str] = (),
    required: Any = (),
    forbidden: Any = (),
    tiers: Union[None, Mapping[Any, int], Iterable[Iterable[Any]]] = None,
    knowledge: Union[None, str, "os.PathLike[str]"] = None,
    model: Union[None, str, Model] = None,
    threshold: float = 0.5,
    top: int = 0,
    min_probability: float = 0.0,
    dag: Union[bool, str] = False,
    acyclic_rule: str = "greedy",
    bootstrap: int = 0,
    samples: int = 0,
    evidence: str = "on",
    stacking: str = "auto",
    device: str = "auto",
    precision: str = "auto",
    prior_scale: str = "auto",
    transform: str = "auto",
    max_samples: int = 0,
    ensemble: int = 0,
    views: int = 0,
    blocks: Union[str, int] = "auto",
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
    missing, missing_markers
        Missing values: "keep" them for the method, which says what it does with them, "drop" the row, fill in the "mean"
        (of words the most frequent), or "error". Values that stand for a missing one, such as -999.
    types
        What columns are, where it is to be another than is found: ``{"rank": "ordered", "size": ["S", "M", "L"]}``;
        kinds: continuous, count, binary, ordered, unordered, identifier, date. A list is an order, least first.
    groups
        0/1 columns that together are one variable: ``{"colour": ["red", "green", "blue"]}``.
    dates
        Columns of dates: "aside" sets them aside, "number" takes them as days.
    layer, obs_columns
        AnnData: this layer instead of X; columns of ``obs`` that are variables, too.
    required, forbidden
        Edges that must (not) be there: pairs (source, target), a frame of two columns, or a networkx graph.
    tiers
        ``{variable: tier}`` or a list of groups, earliest first: no edge from a later to an earlier tier.
    knowledge
        A file in Tetrad's format.
    model
        Name of an installed model (see :func:`causcale.models`), a weight file, or a :class:`causcale.Model`, which
        stays loaded.
    threshold, top
        An edge is in the graph when it is more probable than ``threshold``; or the ``top`` most probable ones.
    min_probability
        Less probable pairs are no edges, and :meth:`Result.save` leaves them out of .json and sparse files. 0: nothing is left
        out of .json of up to 2000 variables, and what is below 0.01 of larger and of sparse files.
    dag
        Break cycles, by ``acyclic_rule``: "greedy" (the weakest edge of each cycle goes) or "optimal"; or the rule itself.
    bootstrap
        Repetitions on resampled rows, for the stability of every edge.
    samples
        Whole acyclic graphs to draw for what :meth:`Result.save` writes as .json; :meth:`Result.samples` draws them later.
    evidence
        "on": edges between columns that do not depend on each other in the data are struck out; "off": they stay.
    stacking
        "auto": the network's answer is joined with statistics of every pair, where the model has a second stage for that; "off": not.
    device, precision, prior_scale
        "auto", "cpu", "cuda"; "auto", "fp32", "bf16"; "auto", "raw", "standardized".
    transform
        Of the values, before anything else: "none", "log1p", or "auto": logarithms where the model takes those and the values look
        like counts.
    max_samples, ensemble
        Rows per pass, and passes over disjoint rows that are averaged; 0: chosen by the program.
    views
        Times that the network sees the rows, with different columns mirrored (x -> -x), averaged; 0: what the model is used to.
    blocks
        Of a table of more columns than this the network sees overlapping blocks of so many, each variable with those that it is
        likeliest joined to; "auto": where the table is far wider than those of the model's training; "off": never.
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
    given = dict(locals())
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
        missing_markers=missing_markers,
        types=types,
        groups=groups,
        dates=dates,
        layer=layer,
        obs_columns=obs_columns,
    )
    loaded = model if isinstance(model, Model) else None
    if loaded and (device, precision) != ("auto", "auto"):
        raise UsageError("device and precision are settled when a model is loaded: give them to causcale.Model")
    given.update(model=loaded.name if loaded else model, dag=acyclic_word(dag, acyclic_rule), blocks=str(blocks))
    options = options_of(**{option["name"]: given[option["name"]] for option in option_list()})
    check(dataset, warn, stacklevel=3)
    known = collect_knowledge(dataset.names, required, forbidden, tiers, knowledge)
    with Reporter(progress, "discover") as callback:
        found = _native.discover(
            dataset.content(),
            options,
            known.as_dict(),
            record_of("discover", data, dataset, options, known),
            callback,
            loaded.native if loaded else None,
        )
    result = Result(found, dataset.findings, dataset)
    if warn:
        for remark in result.remarks:
            warnings.warn(sentence(remark), DataWarning, stacklevel=2)
    return result


def record_of(
    function: str, data: Any, dataset: Dataset, options: Mapping[str, Any], known: Knowledge
) -> Dict[str, str]:
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
        "variables": json.dumps(dataset.columns) if dataset.columns else "",
        "options": json.dumps({**options, **({"knowledge": known.as_dict()} if known else {})}),
    }
