// The result as the C++ side stores it, and the form the page works with.
import { parseMarks, type Mark } from "./marks";

export interface Finding {
  severity: string;
  code: string;
  message: string;
  hint?: string;
}

// What was understood of a column of the table.
export interface Variable {
  name: string;
  kind: string; // continuous, count, binary, ordered, unordered, constant, identifier, date
  reason?: string;
  set_aside?: boolean; // not in the graph
  missing?: number; // cells
  levels?: string[]; // the words of its values, in their order
}

interface StoredReport {
  names: string[];
  variables?: Variable[]; // those set aside included
  graph_edges: number;
  search_first?: boolean; // so many variables that only neighbourhoods are drawn
  edges: {
    source: number[];
    target: number[];
    probability: number[]; // in 1/10000
    reverse: number[];
    in_graph: number[];
    floor: number;
    graph_is_whole: boolean;
    // From repeated runs, where there were any; in 1/10000 as well.
    frequency?: number[];
    mean?: number[];
    deviation?: number[];
    // Where the numbers only rank: as the method gave them.
    score?: number[];
    score_reverse?: number[];
    // Where edges are more than arrows: "o->", read from source to target. Then each pair stands there once.
    marks?: string[];
    // Sizes of effects, where they were estimated; null for edges without one.
    effect_kind?: (string | null)[];
    effect?: (number | null)[];
    effect_low?: (number | null)[];
    effect_high?: (number | null)[];
    effect_graph_low?: (number | null)[]; // over repeated runs, each with a graph of its own
    effect_graph_high?: (number | null)[];
    effect_nonlinear_p?: (number | null)[];
    effect_shift?: (number | null)[]; // measured where the cause was intervened on
    effect_shift_low?: (number | null)[];
    effect_shift_high?: (number | null)[];
    told_by?: (string | null)[]; // what in the data tells the direction
    feedback?: number[]; // that both act on each other
    confounded?: number[]; // that a hidden variable causes both
  };
  legend?: { edge: string; meaning: string }[]; // what the marks mean
  // The method, where it was not the network.
  method?: {
    name: string;
    graph_class: string;
    log: string[];
    summary?: string;
    assumptions?: string;
    interventions?: string;
    citation?: string;
  };
  remarks?: { message: string; hint: string }[]; // how the table differs from what the model was trained on
  repetitions?: number; // of the bootstrap
  score_kind?: string; // "probability" unless the numbers only rank
  layered: { x: number[]; y: number[]; bends?: Record<string, number[]> };
  order: number[];
  heat_map: { cells: number; block: number; values: string };
  certainty: { histogram: number[]; expected_edges: number };
  removed: [number, number, number][];
  struck?: [number, number, number][]; // selected, but without any dependence in the data
  samples?: { count: number; exact: boolean; ancestry: string }; // bytes, row by row: 255 times the probability
  knowledge: {
    required: [number, number][];
    forbidden: [number, number][];
    forbidden_count: number;
    tiers: number[];
    closed_tiers: number[];
  };
  audit: { done: boolean; count: number; findings: Finding[] };
  run: {
    version: string;
    command: string;
    data: { file: string; sha256: string; rows: number; columns: number };
    model: { name: string; sha256: string };
    device: string;
    precision: string;
    prior_scale: string;
    transform: string;
    rows_per_pass: number;
    rows_seen: number;
    passes: number;
    options: Record<string, unknown>;
    seconds: Record<string, number>;
  };
}

export type Status = "found" | "required" | "removed" | "struck" | "doubtful";

export interface Effect {
  kind: string;
  size: number;
  low: number | null;
  high: number | null;
  graphLow: number | null;
  graphHigh: number | null;
  nonlinearP: number | null;
  shift: number | null;
  shiftLow: number | null;
  shiftHigh: number | null;
}

export interface Edge {
  index: number; // in Report.edges, by falling probability
  source: number;
  target: number;
  probability: number;
  reverse: number;
  inGraph: boolean;
  required: boolean;
  removed: boolean; // taken out to break a cycle
  struck: boolean; // taken out because the data show no dependence
  effect: Effect | null;
  toldBy: string | null; // what in the data tells the direction
  feedback: number | null; // that both act on each other; null where the model does not tell
  confounded: number | null; // that a hidden variable causes both
  bends: number[] | null; // x, y, x, y, ...
  frequency: number | null;
  mean: number | null;
  deviation: number | null;
  score: number | null; // where the numbers only rank
  scoreReverse: number | null;
  marks: string;
  sourceMark: Mark;
  targetMark: Mark;
}

export interface Report extends Omit<StoredReport, "edges" | "heat_map"> {
  edges: Edge[];
  floor: number;
  graphIsWhole: boolean;
  scoresRank: boolean; // the numbers order the edges but are no probabilities
  hasMarks: boolean; // edges are more than arrows
  heat: { cells: number; block: number; values: Uint8Array };
  rank: number[]; // place of every variable in the causal order
  startThreshold: number;
  ancestry: Float32Array | null; // row by row: that the row is a cause of the column, over any path
}

const unit = 10000;

function decodeBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; ++k) bytes[k] = binary.charCodeAt(k);
  return bytes;
}

export function readReport(text: string): Report {
  const stored = JSON.parse(text) as StoredReport;
  const n = stored.names.length;
  const key = (source: number, target: number) => source * n + target;
  const required = new Set(stored.knowledge.required.map(([s, t]) => key(s, t)));
  const removed = new Set(stored.removed.map(([s, t]) => key(s, t)));
  const struck = new Set((stored.struck ?? []).map(([s, t]) => key(s, t)));
  const effectOf = (k: number): Effect | null => {
    const given = stored.edges;
    const size = given.effect?.[k] ?? null;
    if (size === null) return null;
    return {
      kind: given.effect_kind?.[k] ?? "standardized_coefficient",
      size,
      low: given.effect_low?.[k] ?? null,
      high: given.effect_high?.[k] ?? null,
      graphLow: given.effect_graph_low?.[k] ?? null,
      graphHigh: given.effect_graph_high?.[k] ?? null,
      nonlinearP: given.effect_nonlinear_p?.[k] ?? null,
      shift: given.effect_shift?.[k] ?? null,
      shiftLow: given.effect_shift_low?.[k] ?? null,
      shiftHigh: given.effect_shift_high?.[k] ?? null,
    };
  };
  const { source, target, probability, reverse, in_graph, frequency, mean, deviation, score, score_reverse } = stored.edges;
  const share = (values: number[] | undefined, k: number) => (values ? values[k] / unit : null);
  const edges = source.map((s, k): Edge => {
    const pair = key(s, target[k]);
    const marks = stored.edges.marks?.[k] ?? "-->";
    const [sourceMark, targetMark] = parseMarks(marks);
    return {
      index: k,
      source: s,
      target: target[k],
      probability: probability[k] / unit,
      reverse: reverse[k] / unit,
      inGraph: in_graph[k] === 1,
      required: required.has(pair),
      removed: removed.has(pair),
      struck: struck.has(pair),
      effect: effectOf(k),
      toldBy: stored.edges.told_by?.[k] ?? null,
      feedback: stored.edges.feedback?.[k] ?? null,
      confounded: stored.edges.confounded?.[k] ?? null,
      bends: stored.layered.bends?.[String(k)] ?? null,
      frequency: share(frequency, k),
      mean: share(mean, k),
      deviation: share(deviation, k),
      score: score?.[k] ?? null,
      scoreReverse: score_reverse?.[k] ?? null,
      marks,
      sourceMark,
      targetMark,
    };
  });
  const rank = new Array<number>(n);
  stored.order.forEach((variable, place) => (rank[variable] = place));

  // With --top and with scores that only rank there is no threshold; the least probable edge of the graph stands for it.
  const options = stored.run.options;
  let startThreshold = typeof options.threshold === "number" ? options.threshold : 0.5;
  const scoresRank = (stored.score_kind ?? "probability") !== "probability";
  if (scoresRank || (typeof options.top === "number" && options.top > 0)) {
    startThreshold = 1;
    for (const edge of edges)
      if (edge.inGraph && !edge.required) startThreshold = Math.min(startThreshold, edge.probability);
    // Rounded down to a step of the slider; what lies between is not in the graph and is left out by isShown.
    startThreshold = Math.floor(startThreshold * 100) / 100;
  }
  return {
    ...stored,
    edges,
    floor: stored.edges.floor,
    graphIsWhole: stored.edges.graph_is_whole,
    scoresRank,
    hasMarks: stored.edges.marks !== undefined,
    heat: { ...stored.heat_map, values: decodeBase64(stored.heat_map.values) },
    rank,
    startThreshold,
    ancestry: stored.samples ? Float32Array.from(decodeBase64(stored.samples.ancestry), (byte) => byte / 255) : null,
  };
}

// At the threshold of the run exactly its graph is shown; other thresholds add or take away by probability.
export function isShown(report: Report, edge: Edge, threshold: number): boolean {
  if (edge.removed) return false;
  if (edge.required) return true;
  if (edge.struck) return false;
  if (threshold === report.startThreshold) return edge.inGraph;
  return edge.inGraph ? edge.probability >= threshold : edge.probability > threshold;
}

export function statusOf(report: Report, edge: Edge, threshold: number): Status {
  if (edge.required) return "required";
  if (edge.removed) return "removed";
  if (edge.struck) return "struck";
  return isShown(report, edge, threshold) ? "found" : "doubtful";
}
