"""The installed models, one that stays loaded, and what a run would take."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Union

from . import _native
from .options import options_of

if TYPE_CHECKING:
    from .result import Result


class Model:
    """A model that is loaded once for any number of tables, from any number of threads.

    ``name`` is an installed model or a weight file; without it, the default model.
    """

    def __init__(self, name: Optional[str] = None, *, device: str = "auto", precision: str = "auto") -> None:
        self._given = (name, device, precision)
        self.native = _native.load_model(options_of(model=name, device=device, precision=precision))

    @property
    def name(self) -> str:
        return self.native.name

    @property
    def sha256(self) -> str:
        """Of the weight file."""
        return self.native.sha256

    def discover(self, data: Any, interventions: Any = None, **options: Any) -> "Result":
        """As :func:`causcale.discover`, by this model."""
        from .discovery import discover

        return discover(data, interventions, model=self, **options)

    def __reduce__(self) -> Tuple[Any, ...]:
        return _load, self._given

    def __repr__(self) -> str:
        return f"<causcale.Model: {self.name}, {self.native.precision} on {self.native.device}>"


def _load(name: Optional[str], device: str, precision: str) -> Model:
    return Model(name, device=device, precision=precision)


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
    blocks: Union[str, int] = "auto",
    bootstrap: int = 0,
    max_memory: Union[int, str] = 0,
    threads: int = 0,
) -> Dict[str, Any]:
    """What :func:`discover` would do with a table of (rows, columns): passes, memory, arithmetic, time."""
    options = options_of(
        model=model,
        bootstrap=bootstrap,
        device=device,
        precision=precision,
        max_samples=max_samples,
        ensemble=ensemble,
        views=views,
        blocks=str(blocks),
        max_memory=max_memory,
        threads=threads,
    )
    return _native.plan(shape[0], shape[1], options)
