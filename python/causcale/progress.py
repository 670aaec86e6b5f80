"""Progress of long work on standard error, without dependencies."""
from __future__ import annotations

import sys
import time
from typing import Any, Callable, Optional, TextIO, Union

from ._native import UsageError

ProgressCallback = Callable[[str, float], None]
Progress = Union[bool, ProgressCallback, Any, None]


class Bar:
    """A bar that redraws itself on a terminal or in a notebook, and writes one line per stage elsewhere."""

    WIDTH = 28

    def __init__(self, label: str, stream: Optional[TextIO] = None) -> None:
        self._label = label
        self._stream = stream or sys.stderr
        self._redraws = bool(getattr(self._stream, "isatty", lambda: False)()) or "ipykernel" in sys.modules
        self._start = time.monotonic()
        self._stage = ""
        self._drawn = False

    def __call__(self, stage: str, share: float) -> None:
        share = min(max(share, 0.0), 1.0)
        if self._redraws:
            full = int(share * self.WIDTH)
            bar = "#" * full + "." * (self.WIDTH - full)
            line = f"\r{self._label} {share:4.0%}|{bar}| {self._elapsed()} {stage:<12.12}"
            self._stream.write(line)
            self._drawn = True
        elif stage != self._stage:
            self._stream.write(f"{self._label} {share:4.0%} {stage}\n")
        self._stage = stage
        self._stream.flush()

    def close(self) -> None:
        """Leaves the cursor on a fresh line."""
        if self._drawn:
            self._stream.write("\n")
            self._stream.flush()
            self._drawn = False

    def _elapsed(self) -> str:
        seconds = int(time.monotonic() - self._start)
        return f"{seconds // 60:02d}:{seconds % 60:02d}"


class _Counter:
    """Moves a bar of the kind that tqdm makes, which counts up to ``total``; closing it is left to its owner."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar
        if hasattr(bar, "reset"):  # it may have served before, as in a comparison of several methods
            bar.reset()
        self._total = getattr(bar, "total", None) or 1.0
        self._done = 0.0

    def __call__(self, stage: str, share: float) -> None:
        if hasattr(self._bar, "set_description"):
            self._bar.set_description(stage, refresh=False)
        done = min(max(share, 0.0), 1.0) * self._total
        # Whole steps for a bar that counts things; tqdm shows n as it stands.
        step = done - self._done if isinstance(self._total, float) else int(done) - int(self._done)
        if step > 0:
            self._bar.update(step)
            self._done = done


class Reporter:
    """Turns the argument ``progress`` (False, True, a function or a bar like tqdm's) into what the library calls."""

    def __init__(self, progress: Progress, label: str) -> None:
        self.callback: Optional[ProgressCallback] = None
        self._bar: Optional[Bar] = None
        if progress is True:
            self._bar = Bar(label)
            self.callback = self._bar
        elif hasattr(progress, "update") and not callable(progress):
            self.callback = _Counter(progress)
        elif progress is not None and progress is not False:
            if not callable(progress):
                raise UsageError(
                    f"progress={progress!r}: True, a function of (stage, share), or a bar with update()"
                )
            self.callback = progress

    def __enter__(self) -> Optional[ProgressCallback]:
        return self.callback

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.close()
