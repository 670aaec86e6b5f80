// What stands at the ends of an edge, and how edges and their numbers are written.
import type { Edge, Report } from "./data";
import { percent } from "./dom";

export type Mark = "tail" | "arrow" | "circle";

const marks: Record<string, Mark> = { "-": "tail", "<": "arrow", ">": "arrow", o: "circle" };

// "o->": the marks at source and target.
export function parseMarks(text: string): [Mark, Mark] {
  return [marks[text[0]] ?? "tail", marks[text[2]] ?? "arrow"];
}

const symbols: Record<string, string> = {
  "-->": "\u2192",
  "<->": "\u2194",
  "o->": "\u25cb\u2192",
  "o-o": "\u25cb\u2013\u25cb",
  "--o": "\u2013\u25cb",
  "---": "\u2013\u2013",
};

export function edgeSymbol(marks: string): string {
  return symbols[marks] ?? marks;
}

// "a \u2192 b"
export function edgeTitle(report: Report, edge: Edge): string {
  return `${report.names[edge.source]} ${edgeSymbol(edge.marks)} ${report.names[edge.target]}`;
}

export function scoreText(score: number): string {
  return score === 0 || (Math.abs(score) >= 1e-3 && Math.abs(score) < 1e5) ? String(Number(score.toPrecision(4))) : score.toExponential(2);
}

// A probability as a percentage; what only ranks as it is.
export function valueText(edge: Edge): string {
  return edge.score === null ? percent(edge.probability) : scoreText(edge.score);
}

export function reverseText(edge: Edge): string {
  return edge.scoreReverse === null ? percent(edge.reverse) : scoreText(edge.scoreReverse);
}

export function meaningOf(report: Report, edge: Edge): string {
  return report.legend?.find((entry) => entry.edge === edge.marks)?.meaning ?? "a direct cause of the other";
}

// Neither end says more than the other. Two tails of a PAG do: how rows were selected joins them.
export function isOpen(report: Report, edge: Edge): boolean {
  const { sourceMark, targetMark } = edge;
  if (sourceMark !== targetMark || sourceMark === "arrow") return false;
  return sourceMark === "circle" || report.method?.graph_class !== "PAG";
}

// An edge of a graph with marks may be asked for from either end.
export function isBetween(report: Report, edge: Edge, source: number, target: number): boolean {
  return (edge.source === source && edge.target === target) || (report.hasMarks && edge.source === target && edge.target === source);
}
