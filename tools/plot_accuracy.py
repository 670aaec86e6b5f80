#!/usr/bin/env python3
"""Draws accuracy against GPU time for the shipped synthetic model, from the first table of research/training_log.md.

usage: plot_accuracy.py research/training_log.md docs/images/accuracy.svg
A run that starts from another one's weights ("run 2") carries its minutes on. Needs only Python's standard library.
"""
import math
import sys
from html import escape

SERIES = {"nn n=100": "#1b6ca8", "sig n=100": "#2e8b57", "poly n=100": "#d1495b",
          "nn n=1000": "#00798c", "sig n=1000": "#edae49", "poly n=1000": "#6a4c93"}
SHIPPED = ("2", "4", "8", "10", "13", "14", "18")  # the runs that led to the shipped weights, in order
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 900, 460, 60, 190, 40, 60
FIRST, LAST = 3.0, 30000.0  # minutes


def table(path):
    rows = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("|"):
                rows.append([cell.strip().strip("*") for cell in line.strip().strip("|").split("|")])
            elif rows:
                break
    if len(rows) < 3:
        sys.exit(f"{path}: no table found")
    return [dict(zip(rows[0], row)) for row in rows[2:]]


def x_of(minutes):
    share = math.log(minutes / FIRST) / math.log(LAST / FIRST)
    return LEFT + (WIDTH - LEFT - RIGHT) * share


def y_of(score):
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - score / 100)


def curves(rows):
    """name -> ([(minutes, score)], (minutes, score) of the paper)"""
    result = {name: ([], None) for name in SERIES}
    before = 0.0
    for run in SHIPPED:
        ours = [row for row in rows if row["run"].split(",")[0].split(" ")[0] == run]
        for row in ours:
            for name in SERIES:
                if row.get(name):
                    result[name][0].append((before + float(row["GPU min"]), float(row[name])))
        before += max((float(row["GPU min"]) for row in ours), default=0.0)
    for row in rows:
        if row["run"].startswith("paper"):
            minutes = float(row["GPU min"].replace(",", ""))
            result = {name: (points, (minutes, float(row[name]))) for name, (points, _) in result.items()}
    return result


def draw(rows):
    right = WIDTH - RIGHT
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
           f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12" fill="#222222">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
           f'<text x="{LEFT}" y="22" font-weight="bold">mAP (%) against minutes of training on one H200</text>']
    for score in range(0, 101, 20):
        y = y_of(score)
        out.append(f'<line x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e5e5e5"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{score}</text>')
    for minutes, label in ((4.5, "4.5 min"), (20.8, "21 min"), (60, "1 h"), (600, "10 h"), (6000, "100 h"), (19080, "318 h")):
        x = x_of(minutes)
        out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="#f0f0f0"/>')
        out.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{label}</text>')
    labels = []
    for name, (points, paper) in curves(rows).items():
        colour = SERIES[name]
        path = " ".join(f"{x_of(m):.1f},{y_of(s):.1f}" for m, s in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{x_of(m):.1f}" cy="{y_of(s):.1f}" r="3" fill="{colour}"/>' for m, s in points]
        if points and paper:
            out.append(f'<line x1="{x_of(points[-1][0]):.1f}" y1="{y_of(points[-1][1]):.1f}" x2="{x_of(paper[0]):.1f}" '
                       f'y2="{y_of(paper[1]):.1f}" stroke="{colour}" stroke-dasharray="3 5" opacity="0.5"/>')
            out.append(f'<rect x="{x_of(paper[0]) - 4:.1f}" y="{y_of(paper[1]) - 4:.1f}" width="8" height="8" '
                       f'fill="#ffffff" stroke="{colour}" stroke-width="2"/>')
            labels.append([y_of(paper[1]), f"{name}: {points[-1][1]:.1f}, paper {paper[1]:.1f}", colour])
    labels.sort()
    for i, label in enumerate(labels):
        label[0] = max(label[0], labels[i - 1][0] + 16) if i else label[0]
        out.append(f'<text x="{x_of(19080) + 12:.1f}" y="{label[0] + 4:.1f}" fill="{label[2]}">{escape(label[1])}</text>')
    out.append(f'<text x="{LEFT}" y="{HEIGHT - 14}">Dots: ours. Squares: the paper, about 318 H200 hours. '
               'Unseen in training: sig (sigmoid), poly (polynomial).</text>')
    return "\n".join(out + ["</svg>", ""])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    drawing = draw(table(sys.argv[1]))
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(drawing)


if __name__ == "__main__":
    main()
