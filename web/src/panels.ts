// The parts in words: how sure the model is, what it assumes, what the data check found, how to repeat the run.
import { isShown, type Report } from "./data";
import { about, amount, byId, make, percent } from "./dom";
import { certaintyClasses, certaintyOf } from "./palette";
import type { Store } from "./store";

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

export function fillCertainty(report: Report, store: Store): void {
  const { threshold } = store.get();
  const certainty = certaintyAt(report, threshold);
  const rows: Node[] = [];
  certaintyClasses.forEach((_, k) => {
    const at = certaintyClasses.length - 1 - k;
    const bar = make("span", { class: "bar" });
    bar.style.width = `${certainty.shown ? (100 * certainty.shares[at]) / certainty.shown : 0}%`;
    bar.style.background = `var(--edge${at})`;
    rows.push(
      make("span", {}, `${certaintyClasses[at].words} (${certaintyClasses[at].name})`),
      make("span", {}, bar),
      make("span", {}, certainty.shares[at].toLocaleString("en")),
    );
  });
  const unsure = report.edges.filter(
    (edge) => edge.probability >= edge.reverse && edge.probability + edge.reverse > 0.5 && edge.probability - edge.reverse < 0.25,
  );
  const unsureItems = unsure.slice(0, 12).map((edge) =>
    make(
      "li",
      {},
      make(
        "button",
        { type: "button", click: () => store.set({ tab: "graph", selection: { kind: "edge", source: edge.source, target: edge.target } }) },
        `${report.names[edge.source]} \u2013 ${report.names[edge.target]}`,
      ),
      ` ${percent(edge.probability)} one way, ${percent(edge.reverse)} the other`,
    ),
  );
  const { run } = report;
  const assumptions = [
    "No hidden common causes: two measured variables that share an unmeasured cause can be joined by an arrow that is not there.",
    "No feedback: the model learned from graphs without cycles. Loops in the real system come out as one direction or the other.",
    "Rows are separate draws. Time series, repeated measurements of one subject and batches make the model too sure of itself.",
    "The data look like those the model was trained on. Mechanisms, noise or scales unlike anything simulated for training make the probabilities less trustworthy.",
    "\"Direct\" means: not through another variable of this table. What was not measured may lie between.",
  ];
  if (report.names.length > alwaysTrained)
    assumptions.push(`This table has ${report.names.length.toLocaleString("en")} variables. The card of the model says on how many it was trained; beyond that its answers get worse.`);
  if (run.prior_scale === "raw") assumptions.push("The prior was computed from raw values, so units of measurement matter: other units can give another answer.");
  if (run.passes > 1) assumptions.push(`Probabilities are averages over ${run.passes} passes, each over up to ${run.rows_per_pass.toLocaleString("en")} of the ${run.data.rows.toLocaleString("en")} rows.`);
  if (run.passes * run.rows_per_pass < run.data.rows) assumptions.push(`Only about ${(run.passes * run.rows_per_pass).toLocaleString("en")} of ${run.data.rows.toLocaleString("en")} rows were used.`);
  const knowledge = report.knowledge;
  const known: string[] = [];
  if (knowledge.required.length) known.push(amount(knowledge.required.length, "required edge"));
  if (knowledge.forbidden_count) known.push(amount(knowledge.forbidden_count, "forbidden edge"));
  if (knowledge.tiers.some((tier) => tier >= 0)) known.push("an order in time (tiers)");
  if (known.length) assumptions.push(`Given as known, and not questioned: ${known.join(", ")}.`);

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
      report.scoresRank
        ? `${amount(certainty.shown, "edge")} above ${threshold.toFixed(2)}. The numbers come from a method that ranks edges: higher is surer, but they are no probabilities. They are shown as shares of the highest.`
        : `${amount(certainty.shown, "edge")} above ${threshold.toFixed(2)}. If the probabilities are right, about ` +
        `${about(certainty.expectedFalse)} of them are false. Over all ${amount(report.names.length * (report.names.length - 1), "ordered pair")} ` +
        `the model expects about ${about(report.certainty.expected_edges)} edges.`,
    ),
    make("div", { class: "shares" }, ...rows),
    make("h2", {}, "Linked, but which way?"),
    unsure.length === 0
      ? make("p", {}, "No pair has two directions of similar probability.")
      : make("p", {}, `${amount(unsure.length, "pair")} with both directions about equally probable${unsure.length > 12 ? "; the first 12" : ""}:`),
    make("ul", {}, ...unsureItems),
    ...repeated,
    ...remarks,
    make("h2", {}, "What this rests on"),
    make("ul", {}, ...assumptions.map((text) => make("li", {}, text))),
    make("p", {}, "A probability says how often, among simulated worlds that give data like these, the arrow is there. It is not a proof of cause and effect; an experiment is."),
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
  byId("panel-audit").replaceChildren(...children);
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
  const stored = `This file holds the ${amount(report.edges.length, "edge")} above ${report.floor.toFixed(3)} to four digits` +
    `${report.graphIsWhole ? "" : " (even edges of the graph had to be left out)"}, and the heat map of all pairs rounded to 1/255` +
    `${report.heat.block > 1 ? ` in blocks of ${report.heat.block} x ${report.heat.block}` : ""}. ` +
    "For every value in full: --matrix FILE.npy or -o FILE.json.";
  byId("run").replaceChildren(
    make("h2", {}, "The command"),
    make("pre", { id: "command" }, run.command || "(not recorded)"),
    copy,
    make("h2", {}, "With what"),
    definitions([
      ["causcale", run.version],
      ["model", run.model.name],
      ["model SHA-256", run.model.sha256 || "(not recorded)"],
      ["data", run.data.file || "(not recorded)"],
      ["data SHA-256", run.data.sha256 || "(not recorded)"],
      ["table", `${run.data.rows.toLocaleString("en")} rows, ${run.data.columns.toLocaleString("en")} variables`],
      ["passes", `${run.passes} of up to ${run.rows_per_pass.toLocaleString("en")} rows`],
      ["device", [run.device, run.precision].filter(Boolean).join(", ")],
      ["prior", run.prior_scale],
      ["removed cycles", report.removed.length ? amount(report.removed.length, "edge") : "none"],
      ...Object.entries(run.options).map(([name, value]): [string, string] => [`option ${name}`, String(value)]),
      ...Object.entries(run.seconds).map(([stage, seconds]): [string, string] => [`time: ${stage}`, `${seconds.toFixed(2)} s`]),
    ]),
    make("h2", {}, "What is in this file"),
    make("p", {}, stored),
  );
}
