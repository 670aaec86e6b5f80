// What the user has said so far, and the request that it amounts to.
import type { Audit, Examined, Request, Variable } from "./engine";

export interface LoadedTable {
  name: string;
  bytes: Uint8Array;
}

export interface Pair {
  source: string;
  target: string;
  kind: "required" | "forbidden";
}

// What the user has said of columns, by their names.
interface SaidOfColumns {
  kinds: Map<string, string>; // only those that the user has chosen
  left_out: Set<string>;
  label_column: string;
  tiers: Map<string, number>; // from 1 on
  pairs: Pair[];
}

export interface State extends SaidOfColumns {
  table: LoadedTable | null;
  interventions: { name: string; text: string } | null;
  aside: SaidOfColumns; // of the columns as they are called when the first line is read the other way
  missing: string;
  header: boolean;
  dag: string;
  threshold: number;
  bootstrap: number;
  stacking: string;
  examined: Examined | null;
  understood: Audit | null; // the newest audit that could read the table
}

// How to read and what to do, which stays when another table comes.
export function choices({ missing, header, dag, threshold, bootstrap, stacking }: State): Partial<State> {
  return { missing, header, dag, threshold, bootstrap, stacking };
}

function nothingSaid(): SaidOfColumns {
  return { kinds: new Map(), left_out: new Set(), label_column: "", tiers: new Map(), pairs: [] };
}

export function emptyState(): State {
  return {
    table: null,
    interventions: null,
    ...nothingSaid(),
    aside: nothingSaid(),
    missing: "keep",
    header: true,
    dag: "",
    threshold: 0.5,
    bootstrap: 0,
    stacking: "auto",
    examined: null,
    understood: null,
  };
}

// The first line is the columns' names, or data. The columns have other names then: what was said of them is put aside,
// and is there again when the line is read as before.
export function setHeader(state: State, header: boolean): void {
  if (header === state.header) return;
  const { kinds, left_out, label_column, tiers, pairs, aside } = state;
  Object.assign(state, aside, { header, aside: { kinds, left_out, label_column, tiers, pairs }, examined: null, understood: null });
}

// The most that the page lets the network take; modules of 32 bits end at 4 GB, and the table needs room, too.
export const memoryLimit = 1.5 * 2 ** 30;
export const gibibytes = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(2)} GiB`;
export const largestTable = 200 * 2 ** 20;

export function variables(state: State): string[] {
  const used = ({ name, set_aside }: Variable) => !set_aside && !state.left_out.has(name) && state.label_column !== name;
  return (state.understood?.variables ?? []).filter(used).map((variable) => variable.name);
}

interface Knowledge {
  required: string[][];
  forbidden: string[][];
  tiers: string[][];
}

// What was said of columns that are still variables.
function knowledge(state: State): Knowledge {
  const used = new Set(variables(state));
  const tiers: string[][] = [];
  for (const number of [...new Set(state.tiers.values())].sort((a, b) => a - b)) {
    const members = [...state.tiers].filter(([name, tier]) => tier === number && used.has(name)).map(([name]) => name);
    if (members.length) tiers.push(members);
  }
  const pairs = (kind: string) =>
    state.pairs.filter((pair) => pair.kind === kind && used.has(pair.source) && used.has(pair.target)).map((pair) => [pair.source, pair.target]);
  return { required: pairs("required"), forbidden: pairs("forbidden"), tiers };
}

// The files of knowledge that the command names.
export function knowledgeFiles(state: State): string {
  const cell = (text: string) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  const file = (name: string, lines: string[][]) => `\n\n${name}:\n${lines.map((line) => line.map(cell).join(",")).join("\n")}`;
  const { required, forbidden, tiers } = knowledge(state);
  let text = "";
  if (required.length) text += file("required.csv", [["source", "target"], ...required]);
  if (forbidden.length) text += file("forbidden.csv", [["source", "target"], ...forbidden]);
  if (tiers.length) text += file("tiers.csv", tiers.flatMap((members, tier) => members.map((name) => [name, String(tier + 1)])));
  return text;
}

export function request(state: State): Request {
  return {
    name: state.table?.name ?? "table.csv",
    ...(state.interventions && !state.label_column ? { interventions: state.interventions.text } : {}),
    reading: {
      header: state.header,
      missing: state.missing,
      types: Object.fromEntries(state.kinds),
      exclude: [...state.left_out],
      ...(state.label_column ? { label_column: state.label_column } : {}),
    },
    options: { dag: state.dag, threshold: state.threshold, bootstrap: state.bootstrap, stacking: state.stacking },
    knowledge: { ...knowledge(state) },
  };
}

// Why the network cannot run on what there is; null where it can.
export function obstacle(state: State): string | null {
  const { examined } = state;
  if (!state.table) return "Drop a table first.";
  if (!examined) return "The table is being read.";
  if (examined.unreadable) return "The table could not be read.";
  if (examined.audit && examined.audit.errors > 0) return "The check of the data has found errors.";
  if (examined.plan && examined.plan.peak_bytes > memoryLimit)
    return `The network needs ${gibibytes(examined.plan.peak_bytes)} for this table, which is too large for a browser. Run instead: ${examined.command}`;
  return examined.plan ? null : "The table has fewer than two rows or columns.";
}
