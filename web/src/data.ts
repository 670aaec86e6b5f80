// The result as the C++ side stores it, and the form the page works with.
import { parseMarks, type Mark } from "./marks";

export interface Finding {
  severity: string;
  code: string;
  message: string;
  hint?: string;
}

interface StoredReport {
  names: string[];
  graph_edges: number;
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

export type Status = "found" | "required" | "removed" | "doubtful";

export interface Edge {
  index: number; // in Report.edges, by falling probability
  source: number;
  target: number;
  probability: number;
  reverse: number;
  inGraph: boolean;
  required: boolean;
  removed: boolean; // taken out to break a cycle
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
  };
}

// At the threshold of the run exactly its graph is shown; other thresholds add or take away by probability.
export function isShown(report: Report, edge: Edge, threshold: number): boolean {
  if (edge.removed) return false;
  if (edge.required) return true;
  if (threshold === report.startThreshold) return edge.inGraph;
  return edge.inGraph ? edge.probability >= threshold : edge.probability > threshold;
}

export function statusOf(report: Report, edge: Edge, threshold: number): Status {
  if (edge.required) return "required";
  if (edge.removed) return "removed";
  return isShown(report, edge, threshold) ? "found" : "doubtful";
}
