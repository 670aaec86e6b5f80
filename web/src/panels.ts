// The parts in words: how sure the model is, what it assumes, what the data check found, how to repeat the run.
import { isShown, type Edge, type Report, type Variable } from "./data";
import { about, amount, byId, make, percent } from "./dom";
import { edgeSymbol, isOpen } from "./marks";
import { certaintyClasses, certaintyOf, rankedClass } from "./palette";
import type { Store } from "./store";

const mostPairs = 12; // listed one by one
const mostColumns = 200;
const alwaysTrained = 100; // variables that every shipped model has seen in training

export interface Certainty {
  shown: number;
  expectedFalse: number;
  shares: number[]; // by class of certainty
}

export function certaintyAt(report: Report, threshold: number): Certainty {
  const result: Certainty = { shown: 0, expectedFalse: 0, shares: certaintyClasses.map(() => 0) };
  for (const edge of report.edges) {
    if (!isShown(report, edge, threshold)) continue;
    result.shown++;
    result.shares[certaintyOf(edge.probability)]++;
    result.expectedFalse += 1 - edge.probability;
  }
  return result;
}

const rowsApart =
  "Rows are separate draws. Time series, repeated measurements of one subject and batches make any method too sure of itself.";

function knownText(report: Report): string[] {
  const { knowledge } = report;
  const known: string[] = [];
  if (knowledge.required.length) known.push(amount(knowledge.required.length, "required edge"));
  if (knowledge.forbidden_count) known.push(amount(knowledge.forbidden_count, "forbidden edge"));
  if (knowledge.tiers.some((tier) => tier >= 0)) known.push("an order in time (tiers)");
  return known.length ? [`Given as known, and not questioned: ${known.join(", ")}.`] : [];
}

// Names of pairs that lead to the edge in the graph.
function pairList(report: Report, store: Store, edges: Edge[], remark: (edge: Edge) => string): HTMLElement {
  const items = edges.slice(0, mostPairs).map((edge) =>
    make(
      "li",
      {},
      make(
        "button",
        { type: "button", click: () => store.set({ tab: "graph", selection: { kind: "edge", source: edge.source, target: edge.target } }) },
        `${report.names[edge.source]} \u2013 ${report.names[edge.target]}`,
      ),
      remark(edge),
    ),
  );
  return make("ul", {}, ...items);
}

// Shares of the whole as bars with a word before and a number behind.
function barRows(rows: { words: string; count: number; color: number }[], total: number): HTMLElement {
  const cells: Node[] = [];
  for (const { words, count, color } of rows) {
    const bar = make("span", { class: "bar" });
    bar.style.width = `${total ? (100 * count) / total : 0}%`;
    bar.style.background = `var(--edge${color})`;
    cells.push(make("span", {}, words), make("span", {}, bar), make("span", {}, count.toLocaleString("en")));
  }
  return make("div", { class: "shares" }, ...cells);
}

export function fillCertainty(report: Report, store: Store): void {
  if (report.scoresRank || report.method) fillRanking(report, store);
  else fillProbabilities(report, store);
}

// What can be said where a method ranks edges and gives no probabilities, or several agree on them.
function fillRanking(report: Report, store: Store): void {
  const { threshold } = store.get();
  const shown = report.edges.filter((edge) => isShown(report, edge, threshold));
  const method = report.method;
  const open = shown.filter((edge) => isOpen(report, edge));
  const marks = report.legend?.length
    ? [
        make("h2", {}, "What the marks say"),
        barRows(
          report.legend.map((entry) => ({
            words: `${edgeSymbol(entry.edge)} ${entry.meaning}`,
            count: shown.filter((edge) => edge.marks === entry.edge).length,
            color: rankedClass,
          })),
          shown.length,
        ),
        make("h2", {}, "Linked, but which way?"),
        open.length === 0
          ? make("p", {}, "No edge leaves both ends open.")
          : make("p", {}, `${amount(open.length, "edge")} whose direction the data do not tell${open.length > mostPairs ? `; the first ${mostPairs}` : ""}. An intervention on either end would.`),
        pairList(report, store, open, () => ""),
      ]
    : [];
  const rests = [rowsApart, ...knownText(report)];
  if (method?.assumptions) rests.unshift(`The method assumes: ${method.assumptions}.`);
  if (method?.interventions && method.interventions !== "used") rests.push("The method takes all rows as observational; interventions are not used.");
  byId("panel-sure").replaceChildren(
    make("h2", {}, `What ${method?.name ?? "the method"} says`),
    make(
      "p",
      {},
      `${amount(shown.length, "edge")}${method?.summary ? `. ${method.name}: ${method.summary}` : ""}. ` +
        (report.scoresRank
          ? "It ranks edges: a higher score is surer, but the numbers are no probabilities. The slider and the heat map take them as shares of the highest."
          : "The numbers are shares of the methods that find an edge; where one leaves the direction open, it counts half for either."),
    ),
    ...marks,
    ...(report.repetitions
      ? [
          make("h2", {}, "Repeated on resampled rows"),
          make("p", {}, `The run was repeated ${report.repetitions} times on rows drawn anew from the table. The list of edges says in which share of the repetitions each edge was found; where a direction is open, it counts half for either.`),
        ]
      : []),
    make("h2", {}, "What this rests on"),
    make("ul", {}, ...rests.map((text) => make("li", {}, text))),
    ...(method?.log.length ? [make("h2", {}, "Remarks of the method"), make("ul", {}, ...method.log.map((line) => make("li", {}, line)))] : []),
    make("p", {}, "None of this is a proof of cause and effect; an experiment is."),
    ...(method?.citation ? [make("p", { class: "hint" }, method.citation)] : []),
  );
}

function fillProbabilities(report: Report, store: Store): void {
  const { threshold } = store.get();
  const certainty = certaintyAt(report, threshold);
  const classes = certaintyClasses
    .map((entry, k) => ({ words: `${entry.words} (${entry.name})`, count: certainty.shares[k], color: k }))
    .reverse();
  const unsure = report.edges.filter(
    (edge) =>
      edge.probability >= edge.reverse &&
      edge.probability + edge.reverse - (edge.feedback ?? 0) > 0.5 &&
      edge.probability - edge.reverse < 0.25,
  );
  const { run } = report;
  const assumptions = [
    report.edges.some((edge) => edge.confounded !== null)
      ? "Hidden common causes are possible: every edge says how probable one is. Where it is, the arrow may not be there."
      : "No hidden common causes: two measured variables that share an unmeasured cause can be joined by an arrow that is not there.",
    report.edges.some((edge) => edge.feedback !== null)
      ? "Feedback is possible between two variables; longer loops come out as one direction or the other."
      : "No feedback: the model learned from graphs without cycles. Loops in the real system come out as one direction or the other.",
    rowsApart,
    "The data look like those the model was trained on. Mechanisms, noise or scales unlike anything simulated for training make the probabilities less trustworthy.",
    "\"Direct\" means: not through another variable of this table. What was not measured may lie between.",
  ];
  if (report.names.length > alwaysTrained)
    assumptions.push(`This table has ${report.names.length.toLocaleString("en")} variables. The card of the model says on how many it was trained; beyond that its answers get worse.`);
  if (run.prior_scale === "raw") assumptions.push("The prior was computed from raw values, so units of measurement matter: other units can give another answer.");
  if (run.passes > 1) assumptions.push(`Probabilities are averages over ${run.passes} passes, each over up to ${run.rows_per_pass.toLocaleString("en")} of the ${run.data.rows.toLocaleString("en")} rows.`);
  if (run.rows_seen < run.data.rows) assumptions.push(`The network saw ${run.rows_seen.toLocaleString("en")} of the ${run.data.rows.toLocaleString("en")} rows; the covariances it starts from are of all rows.`);
  assumptions.push(...knownText(report));

  const repeated = report.repetitions
    ? [
        make("h2", {}, "Repeated on resampled rows"),
        make("p", {}, `The run was repeated ${report.repetitions} times on rows drawn anew from the table. The list of edges says in how many of the repetitions each edge was found, and how much its probability varied.`),
      ]
    : [];
  const remarks = report.remarks?.length
    ? [
        make("h2", {}, "Unlike what the model was trained on"),
        make("ul", {}, ...report.remarks.map((remark) => make("li", {}, remark.message, remark.hint ? ` ${remark.hint}` : ""))),
      ]
    : [];

  byId("panel-sure").replaceChildren(
    make("h2", {}, "How sure is the model?"),
    make(
      "p",
      {},
      `${amount(certainty.shown, "edge")} above ${threshold.toFixed(2)}. If the probabilities are right, about ` +
        `${about(certainty.expectedFalse)} of them are false. Over all ${amount(report.names.length * (report.names.length - 1), "ordered pair")} ` +
        `the model expects about ${about(report.certainty.expected_edges)} edges.`,
    ),
    barRows(classes, certainty.shown),
    make("h2", {}, "Linked, but which way?"),
    unsure.length === 0
      ? make("p", {}, "No pair has two directions of similar probability.")
      : make("p", {}, `${amount(unsure.length, "pair")} with both directions about equally probable${unsure.length > mostPairs ? `; the first ${mostPairs}` : ""}:`),
    pairList(report, store, unsure, (edge) => ` ${percent(edge.probability)} one way, ${percent(edge.reverse)} the other`),
    ...repeated,
    ...remarks,
    make("h2", {}, "What this rests on"),
    make("ul", {}, ...assumptions.map((text) => make("li", {}, text))),
    make("p", {}, "A probability says how often, among simulated worlds that give data like these, the arrow is there. It is not a proof of cause and effect; an experiment is."),
  );
}

const mostWarnings = 3; // in the banner

export interface Warning {
  message: string;
  hint: string;
}

// What a reader has to know before the first look at the graph: how the table differs from what the model was
// trained on, and what the check of the data found, notes aside.
export function warningsOf(report: Report): Warning[] {
  const found = report.audit.findings.filter((finding) => finding.severity === "warning" || finding.severity === "error");
  return [...(report.remarks ?? []), ...found.map(({ message, hint }) => ({ message, hint: hint ?? "" }))];
}

export function fillBanner(report: Report, store: Store): void {
  const warnings = warningsOf(report);
  const banner = byId("banner");
  banner.hidden = warnings.length === 0;
  if (banner.hidden) return;
  const items = warnings
    .slice(0, mostWarnings)
    .map(({ message, hint }) => make("li", {}, message, hint ? make("div", { class: "hint" }, hint) : null));
  const more = warnings.length - mostWarnings;
  const rest =
    more > 0
      ? [make("button", { type: "button", id: "more-warnings", click: () => store.set({ tab: "audit" }) }, `${more} more`)]
      : [];
  banner.replaceChildren(
    make("h2", {}, warnings.length === 1 ? "Read this first" : `Read these ${warnings.length.toLocaleString("en")} warnings first`),
    make("ul", {}, ...items),
    ...rest,
  );
}

export function fillAudit(report: Report): void {
  const { audit } = report;
  const children: Node[] = [make("h2", {}, "What the check of the data found")];
  if (!audit.done) children.push(make("p", {}, "The data were not checked in this run."));
  else if (audit.count === 0) children.push(make("p", {}, "Nothing to remark."));
  for (const finding of audit.findings) {
    const severity = ["error", "warning", "note"].includes(finding.severity) ? finding.severity : "note";
    children.push(
      make("div", { class: `finding ${severity}` }, make("b", {}, severity), `: ${finding.message}`, finding.hint ? make("div", { class: "hint" }, finding.hint) : null),
    );
  }
  if (audit.count > audit.findings.length) children.push(make("p", {}, `and ${audit.count - audit.findings.length} more: causcale audit lists all.`));
  if (report.remarks?.length) {
    children.push(make("h2", {}, "Unlike what the model was trained on"));
    for (const remark of report.remarks)
      children.push(make("div", { class: "finding warning" }, remark.message, remark.hint ? make("div", { class: "hint" }, remark.hint) : null));
  }
  byId("panel-audit").replaceChildren(...children, ...columnList(report));
}

const mostWords = 12; // of a column, listed one by one

// "unordered (text), words: blue, green, red; 12 cells missing"
export function variableText(variable: Variable): string {
  const { kind, reason, levels, missing } = variable;
  const words = levels?.length ? `; words: ${levels.slice(0, mostWords).join(", ")}${levels.length > mostWords ? ` and ${levels.length - mostWords} more` : ""}` : "";
  const gaps = missing ? `; ${amount(missing, "cell")} missing` : "";
  return `${kind}${reason ? ` (${reason})` : ""}${words}${gaps}${variable.set_aside ? "; set aside" : ""}`;
}

// The columns and what they were taken for.
function columnList(report: Report): HTMLElement[] {
  if (!report.variables?.length) return [];
  const shown = report.variables.slice(0, mostColumns);
  const rest = report.variables.length - shown.length;
  return [
    make("h2", {}, "What the columns are"),
    definitions(shown.map((variable): [string, string] => [variable.name, variableText(variable)])),
    ...(rest > 0 ? [make("p", { class: "hint" }, `and ${rest.toLocaleString("en")} more`)] : []),
  ];
}

function definitions(entries: [string, string][]): HTMLElement {
  return make("dl", {}, ...entries.flatMap(([term, value]) => [make("dt", {}, term), make("dd", {}, value)]));
}

export function fillRun(report: Report): void {
  const { run } = report;
  const copy = make("button", { type: "button" }, "Copy");
  copy.addEventListener("click", () => {
    void navigator.clipboard?.writeText(run.command).then(() => (copy.textContent = "Copied"));
  });
  const held = report.hasMarks
    ? `This file holds the ${amount(report.edges.length, "edge")} of the graph`
    : `This file holds the ${amount(report.edges.length, "edge")} above ${report.floor.toFixed(3)}${report.scoresRank ? " of the highest score" : ""} to four digits`;
  const stored = `${held}${report.graphIsWhole ? "" : " (even edges of the graph had to be left out)"}, and the heat map of all pairs rounded to 1/255` +
    `${report.heat.block > 1 ? ` in blocks of ${report.heat.block} x ${report.heat.block}` : ""}. ` +
    "For every value in full: --matrix FILE.npy or -o FILE.json.";
  const { method } = report;
  const means: [string, string][] = method
    ? [["method", `${method.name} (${method.graph_class})`]]
    : [
        ["model", run.model.name],
        ["model SHA-256", run.model.sha256 || "(not recorded)"],
        ["passes", `${run.passes} of up to ${run.rows_per_pass.toLocaleString("en")} rows`],
        ["prior", run.prior_scale],
        ["values", run.transform === "log1p" ? "log(1 + x)" : "as they are"],
      ];
  byId("run").replaceChildren(
    make("h2", {}, "The command"),
    make("pre", { id: "command" }, run.command || "(not recorded)"),
    copy,
    make("h2", {}, "With what"),
    definitions([
      ["causcale", run.version],
      ...means,
      ["data", run.data.file || "(not recorded)"],
      ["data SHA-256", run.data.sha256 || "(not recorded)"],
      ["table", `${run.data.rows.toLocaleString("en")} rows, ${run.data.columns.toLocaleString("en")} variables`],
      ["device", [run.device, run.precision].filter(Boolean).join(", ")],
      ["removed cycles", report.removed.length ? amount(report.removed.length, "edge") : "none"],
      ...Object.entries(run.options).map(([name, value]): [string, string] => [`option ${name}`, typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "(none)")]),
      ...Object.entries(run.seconds).map(([stage, seconds]): [string, string] => [`time: ${stage}`, `${seconds.toFixed(2)} s`]),
    ]),
    make("h2", {}, "What is in this file"),
    make("p", {}, stored),
  );
}
