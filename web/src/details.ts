// The panel beside the graph: what is known about the chosen variable or edge.
import { isShown, type Edge, type Report } from "./data";
import { amount, announce, byId, make, percent } from "./dom";
import { certaintyClasses, certaintyOf } from "./palette";
import type { Choices, Store } from "./store";

const mostListed = 200;

export function startDetails(report: Report, store: Store): void {
  const panel = byId("details");
  const { names, knowledge } = report;

  const edgeList = (title: string, edges: Edge[], other: (edge: Edge) => number): HTMLElement[] => {
    const items = edges.slice(0, mostListed).map((edge) =>
      make(
        "li",
        {},
        make(
          "button",
          { type: "button", click: () => store.set({ selection: { kind: "edge", source: edge.source, target: edge.target } }) },
          make("span", {}, names[other(edge)] + (edge.required ? " (required)" : "")),
          make("span", {}, percent(edge.probability)),
        ),
      ),
    );
    const rest = edges.length > mostListed ? [make("p", { class: "hint" }, `and ${edges.length - mostListed} more`)] : [];
    const none = edges.length === 0 ? [make("p", { class: "hint" }, "none above the threshold")] : [];
    return [make("h3", {}, `${title} (${edges.length})`), make("ul", {}, ...items), ...rest, ...none];
  };

  const showVariable = (variable: number, threshold: number) => {
    const shown = report.edges.filter((edge) => isShown(report, edge, threshold));
    const causes = shown.filter((edge) => edge.target === variable);
    const effects = shown.filter((edge) => edge.source === variable);
    const tier = knowledge.tiers[variable];
    panel.replaceChildren(
      make("h2", {}, names[variable]),
      make("p", { class: "hint" }, `place ${report.rank[variable] + 1} of ${names.length} from cause to effect`),
      ...(tier !== undefined && tier >= 0 ? [make("p", { class: "hint" }, `tier ${tier} of the given order in time`)] : []),
      ...edgeList("Direct causes", causes, (edge) => edge.source),
      ...edgeList("Direct effects", effects, (edge) => edge.target),
      make(
        "div",
        { class: "actions" },
        make("button", { type: "button", click: () => store.set({ tab: "graph", focus: variable }) }, "Show neighbourhood"),
      ),
    );
    announce(`${names[variable]}: ${amount(causes.length, "cause")}, ${amount(effects.length, "effect")}`);
  };

  const showEdge = (source: number, target: number, threshold: number) => {
    const edge = report.edges.find((candidate) => candidate.source === source && candidate.target === target);
    const backwards = report.edges.find((candidate) => candidate.source === target && candidate.target === source);
    const forbidden = knowledge.forbidden.some(([s, t]) => s === source && t === target);
    const probability = edge?.probability ?? backwards?.reverse ?? 0;
    const reverse = edge?.reverse ?? backwards?.probability ?? 0;
    const lines: string[] = [];
    if (!edge && !backwards) lines.push(`Less probable than ${percent(report.floor)}; the exact value is not stored in this file.`);
    else lines.push(`Probability ${percent(probability)} (${certaintyClasses[certaintyOf(probability)].words}); the other way round ${percent(reverse)}.`);
    if (probability + reverse > 0.5 && Math.abs(probability - reverse) < 0.25)
      lines.push("The model sees a link here but is not sure of its direction.");
    if (edge?.required) lines.push("Required by the given knowledge; the data were not asked.");
    if (forbidden) lines.push("Forbidden by the given knowledge.");
    if (edge?.removed) lines.push("Taken out of the graph because it closed a cycle of more probable edges.");
    if (edge && !edge.removed && !isShown(report, edge, threshold)) lines.push("Below the threshold: not in the graph as shown.");
    if (edge && edge.frequency !== null) lines.push(`Found in ${percent(edge.frequency)} of the repeated runs.`);
    if (edge && edge.deviation !== null) lines.push(`Varies by \u00b1 ${percent(edge.deviation)} between repeated runs.`);
    const go = (variable: number) =>
      make("button", { type: "button", click: () => store.set({ selection: { kind: "variable", variable } }) }, names[variable]);
    panel.replaceChildren(
      make("h2", {}, `${names[source]} \u2192 ${names[target]}`),
      ...lines.map((line) => make("p", {}, line)),
      make("div", { class: "actions" }, go(source), go(target)),
    );
    announce(`${names[source]} to ${names[target]}: ${lines[0]}`);
  };

  const show = (choices: Readonly<Choices>) => {
    const { selection, threshold } = choices;
    if (!selection)
      panel.replaceChildren(
        make("h2", {}, "Nothing chosen"),
        make("p", {}, "Choose a variable or an arrow to see its causes, effects and probabilities. Double-click a variable to see only its neighbourhood."),
        make("p", { class: "hint" }, "An arrow leads from a cause to its direct effect. Strong colour and a thick line mean more probable."),
      );
    else if (selection.kind === "variable") showVariable(selection.variable, threshold);
    else showEdge(selection.source, selection.target, threshold);
  };
  store.listen((choices, changed) => {
    if (changed.has("selection") || changed.has("threshold")) show(choices);
  });
  show(store.get());
}
