#!/usr/bin/env python3
"""Draws a training log (metrics.jsonl) as an SVG: loss, mAP per validation setting, graphs per second.

usage: plot_training.py RUN/metrics.jsonl OUT.svg
Needs nothing but Python's standard library.
"""
import json
import math
import sys
from html import escape

WIDTH, PANEL, LEFT, RIGHT, TOP, GAP = 900, 220, 70, 230, 30, 50
COLOURS = ["#1b6ca8", "#d1495b", "#2e8b57", "#edae49", "#6a4c93", "#00798c", "#8d5524", "#444444", "#c71585"]


def read(path):
    steps, scores = {}, {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                entry = json.loads(line)
            except ValueError:
                sys.exit(f"{path}, line {number}: not JSON")
            # A resumed run may repeat a step: the later line counts.
            if "loss" in entry:
                steps[entry["step"]] = entry
            if "map" in entry:
                scores[entry["step"]] = entry
    return [steps[key] for key in sorted(steps)], [scores[key] for key in sorted(scores)]


def smooth(points, parts=200):
    """Means of neighbouring points, so that at most `parts` remain."""
    size = max(1, math.ceil(len(points) / parts))
    groups = [points[i:i + size] for i in range(0, len(points), size)]
    return [(sum(x for x, _ in g) / len(g), sum(y for _, y in g) / len(g)) for g in groups]


def panel(title, series, top, end, low=None, high=None, logarithmic=False):
    values = [y for _, points in series for _, y in points]
    if not values:
        return []
    scale = (lambda y: math.log10(max(y, 1e-12))) if logarithmic else (lambda y: y)
    low = scale(min(values)) if low is None else low
    high = scale(max(values)) if high is None else high
    high = high if high > low else low + 1.0
    right = WIDTH - RIGHT

    def place(x, y):
        return (LEFT + (right - LEFT) * x / end, top + PANEL * (1.0 - (scale(y) - low) / (high - low)))

    out = [f'<text x="{LEFT}" y="{top - 8}" font-weight="bold">{escape(title)}</text>',
           f'<rect x="{LEFT}" y="{top}" width="{right - LEFT}" height="{PANEL}" fill="none" stroke="#999"/>']
    for tick in range(5):
        level = low + (high - low) * tick / 4
        y = top + PANEL * (1 - tick / 4)
        label = 10 ** level if logarithmic else level
        out.append(f'<line x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e5e5e5"/>')
        out.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{label:.3g}</text>')
        out.append(f'<text x="{LEFT + (right - LEFT) * tick / 4:.1f}" y="{top + PANEL + 16}" '
                   f'text-anchor="middle">{end * tick / 4:.3g} min</text>')
    for i, (name, points) in enumerate(series):
        colour = COLOURS[i % len(COLOURS)]
        path = " ".join("%.1f,%.1f" % place(x, y) for x, y in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        if len(points) < 40:
            out += ['<circle cx="%.1f" cy="%.1f" r="2.5" fill="%s"/>' % (*place(x, y), colour) for x, y in points]
        out.append(f'<text x="{right + 8}" y="{top + 14 + 16 * i}" fill="{colour}">'
                   f'{escape(name)} {points[-1][1]:.4g}</text>')
    return out


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    steps, scores = read(sys.argv[1])
    if not steps:
        sys.exit(f"{sys.argv[1]}: no training step in this log")
    end = max(steps[-1]["seconds"], 1e-9) / 60

    def curve(key):
        return smooth([(e["seconds"] / 60, e[key]) for e in steps if e.get(key) is not None])

    names = sorted({name for entry in scores for name in entry["map"]})
    maps = [(name, [(e["seconds"] / 60, 100 * e["map"][name]) for e in scores if name in e["map"]]) for name in names]
    panels = [("loss (logarithmic)", [("loss", curve("loss"))], dict(logarithmic=True)),
              ("mAP on validation data, %", maps, dict(low=0, high=100)),
              ("graphs per second", [("graphs/s", curve("graphs_per_second"))], dict(low=0)),
              ("learning rate", [("AdamW", curve("learning_rate")), ("Muon", curve("muon_learning_rate"))],
               dict(low=0))]
    body, top = [], TOP
    for title, series, settings in panels:
        drawn = panel(title, [(n, p) for n, p in series if p], top, end, **settings)
        if drawn:
            body += drawn
            top += PANEL + GAP
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{top}" '
                   'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>\n'
                   + "\n".join(body) + "\n</svg>\n")


if __name__ == "__main__":
    main()
