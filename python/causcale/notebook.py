"""What notebooks show of a result."""
from __future__ import annotations

import html
from typing import Any, Dict, Optional

_LARGEST_EMBEDDED_REPORT = 4_000_000


class Picture:
    """A drawing of a graph, which notebooks show by themselves."""

    def __init__(self, svg: str, png: Optional[bytes]) -> None:
        self.svg = svg
        self.png = png
        """None where Cairo is not installed."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Dict[str, Any]:
        return {"image/svg+xml": self.svg, **({"image/png": self.png} if self.png else {})}

    def __repr__(self) -> str:
        return "<causcale.Picture: .svg, .png>"


def with_report(table: str, page: str) -> str:
    """A table with the interactive report folded away below it."""
    if len(page) > _LARGEST_EMBEDDED_REPORT:
        return f"{table}<p>Too large to show here: <code>.save('report.html')</code></p>"
    return (
        f'{table}<details><summary>Interactive report</summary><iframe srcdoc="{html.escape(page)}" '
        "style='width:100%;height:700px;border:1px solid #ccc'></iframe></details>"
    )
