// The panel beside the graph: what is known about the chosen variable or edge.
import { adjustmentSets, countPaths } from "./causal";
import { isShown, type Edge, type Report } from "./data";
import { amount, announce, byId, make, percent } from "./dom";
import { directionLine } from "./direction";
import { effectLines, signIsOpen, sizeText } from "./effects";
import { edgeTitle, isBetween, meaningOf, reverseText, valueText } from "./marks";
import { certaintyClasses, certaintyOf } from "./palette";
import { variableText } from "./panels";
import type { Choices, Store } from "./store";
import { shownGraph } from "./what_if";

const mostListed = 200;
const mostDoubtful = 8;
const mostAdjusted = 6;
const mentionedFeedback = 0.05; // less is what any pair has

interface Group {
  title: string;
  holds: (edge: Edge, variable: number) => boolean;
  always?: boolean; // listed even when empty
}

const plainGroups: Group[] = [
  { title: "Direct causes", holds: (edge, variable) => edge.target === variable, always: true },
  { title: "Direct effects", holds: (edge, variable) => edge.source === variable, always: true },
];

// By the marks at the other end and at the variable itself.
function markedGroups(report: Report): Group[] {
  const direct = report.method?.graph_class === "PAG" ? "" : "Direct ";
  const title = (word: string) => (direct ? direct + word : word[0].toUpperCase() + word.slice(1));
  const seen = (there: string, here: string) => (edge: Edge, variable: number) =>
    edge.target === variable
      ? edge.sourceMark === there && edge.targetMark === here
      : edge.source === variable && edge.targetMark === there && edge.sourceMark === here;
  return [
    { title: title("causes"), holds: seen("tail", "arrow") },
    { title: title("effects"), holds: seen("arrow", "tail") },
    { title: "May be causes", holds: seen("circle", "arrow") },
    { title: "May be effects", holds: seen("arrow", "circle") },
    { title: "Common cause that was not measured", holds: seen("arrow", "arrow") },
    {
      title: "Linked, direction open",
      holds: (edge, variable) =>
        (edge.source === variable || edge.target === variable) && edge.sourceMark !== "arrow" && edge.targetMark !== "arrow",
    },
  ];
}

export function startDetails(report: Report, store: Store): void {
  const panel = byId("details");
  const { names, knowledge } = report;
  const groups = report.hasMarks ? markedGroups(report) : plainGroups;

  const edgeList = (title: string, edges: Edge[], variable: number): HTMLElement[] => {
    const items = edges.slice(0, mostListed).map((edge) =>
      make(
        "li",
        {},
        make(
          "button",
          { type: "button", click: () => store.set({ selection: { kind: "edge", source: edge.source, target: edge.target } }) },
          make("span", {}, names[edge.source === variable ? edge.target : edge.source] + (edge.required ? " (required)" : "")),
          make("span", {}, valueText(edge) + (edge.effect ? `, ${sizeText(edge.effect)}` : "")),
        ),
      ),
    );
    const rest = edges.length > mostListed ? [make("p", { class: "hint" }, `and ${edges.length - mostListed} more`)] : [];
    const none = edges.length === 0 ? [make("p", { class: "hint" }, "none above the threshold")] : [];
    return [make("h3", {}, `${title} (${edges.length})`), make("ul", {}, ...items), ...rest, ...none];
  };

  // Links of the variable that might as well be otherwise, with the reason.
  const doubtful = (variable: number, threshold: number): { edge: Edge; why: string }[] => {
    if (report.scoresRank || report.hasMarks) return [];
    const found: { edge: Edge; why: string }[] = [];
    for (const edge of report.edges) {
      if (edge.source !== variable && edge.target !== variable) continue;
      const shown = isShown(report, edge, threshold);
      if (edge.struck) found.push({ edge, why: "struck out: no dependence in the data" });
      else if (edge.removed) found.push({ edge, why: "removed: closed a cycle" });
      else if (edge.required) continue;
      else if (shown && edge.reverse > 0.25 && edge.probability - edge.reverse < 0.25) found.push({ edge, why: "direction open" });
      else if (shown && edge.probability < 0.65) found.push({ edge, why: "only a leaning" });
      else if (shown && edge.effect && signIsOpen(edge.effect)) found.push({ edge, why: "sign open" });
      else if (!shown && edge.probability >= 0.35) found.push({ edge, why: "not shown, but not far from it" });
    }
    return found;
  };

  const doubtfulList = (variable: number, threshold: number): HTMLElement[] => {
    const links = doubtful(variable, threshold);
    if (links.length === 0) return [];
    const items = links.slice(0, mostDoubtful).map(({ edge, why }) =>
      make(
        "li",
        {},
        make(
          "button",
          { type: "button", click: () => store.set({ selection: { kind: "edge", source: edge.source, target: edge.target } }) },
          make("span", {}, `${edgeTitle(report, edge)}: ${why}`),
          make("span", {}, valueText(edge)),
        ),
      ),
    );
    const rest = links.length > mostDoubtful ? [make("p", { class: "hint" }, `and ${links.length - mostDoubtful} more`)] : [];
    return [make("h3", {}, `Doubtful links (${links.length})`), make("ul", { class: "doubtful" }, ...items), ...rest];
  };

  // What has to be held fixed to see the effect of the variable on each of its direct effects.
  const adjustments = (variable: number, threshold: number, effects: Edge[]): HTMLElement[] => {
    const graph = effects.length ? shownGraph(report, threshold) : null;
    if (!graph?.order) return [];
    const listed = (set: number[]) => (set.length ? set.map((v) => names[v]).join(", ") : "nothing");
    const parents = graph.causes[variable].map((edge) => edge.source);
    const items = effects.slice(0, mostAdjusted).map((edge) =>
      make("li", {}, `on ${names[edge.target]}: ${listed(adjustmentSets(graph, variable, edge.target).optimal ?? [])}`),
    );
    return [
      make("h3", {}, "To estimate its effects, hold fixed"),
      make("p", {}, `${listed(parents)} (its direct causes; valid for all its effects)`),
      make("p", { class: "hint" }, "or, with the least variance in linear models:"),
      make("ul", { class: "plain" }, ...items),
      ...(effects.length > mostAdjusted ? [make("p", { class: "hint" }, `and ${effects.length - mostAdjusted} more under What if?`)] : []),
    ];
  };

  const kindLine = (variable: number): HTMLElement[] => {
    const known = report.variables?.find((entry) => entry.name === names[variable] && !entry.set_aside);
    return known ? [make("p", { class: "hint" }, variableText(known))] : [];
  };

  const showVariable = (variable: number, threshold: number) => {
    const near = report.edges.filter(
      (edge) => (edge.source === variable || edge.target === variable) && isShown(report, edge, threshold),
    );
    const lists = groups.map((group) => ({ ...group, edges: near.filter((edge) => group.holds(edge, variable)) }));
    const listed = lists.filter((list) => list.always || list.edges.length > 0);
    const tier = knowledge.tiers[variable];
    panel.replaceChildren(
      make("h2", {}, names[variable]),
      ...kindLine(variable),
      ...(report.hasMarks ? [] : [make("p", { class: "hint" }, `place ${report.rank[variable] + 1} of ${names.length} from cause to effect`)]),
      ...(tier !== undefined && tier >= 0 ? [make("p", { class: "hint" }, `tier ${tier} of the given order in time`)] : []),
      ...listed.flatMap((list) => edgeList(list.title, list.edges, variable)),
      ...(listed.length === 0 ? [make("p", { class: "hint" }, "no edge above the threshold")] : []),
      ...doubtfulList(variable, threshold),
      ...(report.hasMarks ? [] : adjustments(variable, threshold, lists[1].edges)),
      make(
        "div",
        { class: "actions" },
        make("button", { type: "button", click: () => store.set({ tab: "what-if", from: variable, to: null }) }, "What if it changes?"),
        make("button", { type: "button", click: () => store.set({ tab: "graph", focus: variable }) }, "Show neighbourhood"),
      ),
    );
    announce(
      report.hasMarks
        ? `${names[variable]}: ${listed.map((list) => `${list.title.toLowerCase()} ${list.edges.length}`).join(", ") || "no edge"}`
        : `${names[variable]}: ${amount(lists[0].edges.length, "cause")}, ${amount(lists[1].edges.length, "effect")}`,
    );
  };

  // How strong an edge is, in the words that its numbers allow.
  const strength = (edge: Edge | undefined, backwards: Edge | undefined): string[] => {
    if (report.hasMarks && !edge) return ["Not joined in this graph."];
    if (!edge && !backwards)
      return [
        report.scoresRank
          ? `Below ${percent(report.floor)} of the highest score; the exact value is not stored in this file.`
          : `Less probable than ${percent(report.floor)}; the exact value is not stored in this file.`,
      ];
    const forth = edge ? valueText(edge) : reverseText(backwards as Edge);
    const back = edge ? reverseText(edge) : valueText(backwards as Edge);
    if (report.scoresRank) return [`Score ${forth}; the other way round ${back}. Scores rank edges; they are no probabilities.`];
    const probability = edge?.probability ?? backwards?.reverse ?? 0;
    const reverse = edge?.reverse ?? backwards?.probability ?? 0;
    const both = edge?.feedback ?? backwards?.feedback ?? 0; // counted by either direction
    const lines = [`Probability ${forth} (${certaintyClasses[certaintyOf(probability)].words}); the other way round ${back}.`];
    if (probability + reverse - both > 0.5 && Math.abs(probability - reverse) < 0.25)
      lines.push("The model sees a link here but is not sure of its direction.");
    return lines;
  };

  const showEdge = (source: number, target: number, threshold: number) => {
    const edge = report.edges.find((candidate) => isBetween(report, candidate, source, target));
    const backwards = report.edges.find((candidate) => candidate.source === target && candidate.target === source);
    const forbidden = knowledge.forbidden.some(([s, t]) => s === source && t === target);
    const lines = strength(edge, backwards);
    if (edge && report.hasMarks) lines.unshift(`${meaningOf(report, edge)}.`.replace(/^./, (first) => first.toUpperCase()));
    if (edge?.required) lines.push("Required by the given knowledge; the data were not asked.");
    if (forbidden) lines.push("Forbidden by the given knowledge.");
    if (edge?.removed) lines.push(`Taken out of the graph because it closed a cycle of ${report.scoresRank ? "stronger" : "more probable"} edges.`);
    if (edge && !edge.removed && !edge.struck && !isShown(report, edge, threshold)) lines.push("Below the threshold: not in the graph as shown.");
    if (edge?.struck && !edge.required) lines.push("Struck out of the graph: the data show no dependence between the two.");
    if (edge?.toldBy) lines.push(directionLine(edge.toldBy));
    if (edge && edge.confounded !== null) lines.push(`A hidden variable that causes both: ${percent(edge.confounded)}.`);
    if (edge && edge.feedback !== null && edge.feedback >= mentionedFeedback) lines.push(`Both act on each other: ${percent(edge.feedback)}.`);
    if (edge?.effect) lines.push(...effectLines(edge.effect));
    if (edge && edge.frequency !== null) lines.push(`Found in ${percent(edge.frequency)} of the repeated runs.`);
    if (edge && edge.deviation !== null) lines.push(`Varies by \u00b1 ${percent(edge.deviation)} between repeated runs.`);
    const go = (variable: number) =>
      make("button", { type: "button", click: () => store.set({ selection: { kind: "variable", variable } }) }, names[variable]);
    const title = edge ? edgeTitle(report, edge) : `${names[source]} ${report.hasMarks ? "," : "\u2192"} ${names[target]}`;
    panel.replaceChildren(
      make("h2", {}, title),
      ...lines.map((line) => make("p", {}, line)),
      make(
        "div",
        { class: "actions" },
        go(source),
        go(target),
        ...(report.hasMarks ? [] : [make("button", { type: "button", click: () => store.set({ tab: "what-if", from: source, to: target }) }, "Paths and total effect")]),
      ),
    );
    announce(`${names[source]} to ${names[target]}: ${lines[0]}`);
  };

  const showPaths = (source: number, target: number, threshold: number) => {
    const graph = shownGraph(report, threshold);
    const count = graph?.order ? countPaths(graph, source, target) : 0;
    panel.replaceChildren(
      make("h2", {}, `${names[source]} \u2192 \u2026 \u2192 ${names[target]}`),
      make("p", {}, count > 0 ? `${amount(count, "directed path")}, drawn in full strength.` : "No directed path in the graph as shown."),
      make(
        "div",
        { class: "actions" },
        make("button", { type: "button", click: () => store.set({ tab: "what-if", from: source, to: target }) }, "Paths and total effect"),
      ),
    );
    announce(`${amount(count, "path")} from ${names[source]} to ${names[target]}`);
  };

  const invitation = () => {
    const found = report.scoresRank ? "scores" : "probabilities";
    const hint = report.hasMarks
      ? "The marks at the ends of an edge say what is known about its direction; the legend explains them."
      : "An arrow leads from a cause to its direct effect." +
        (store.get().paintBy === "effect"
          ? " Colour stands for the sign of the effect, width for its size."
          : report.scoresRank
            ? ""
            : " Strong colour and a thick line mean more probable.");
    return [
      make("h2", {}, "Nothing chosen"),
      make("p", {}, `Choose a variable or an ${report.hasMarks ? "edge" : "arrow"} to see its causes, effects and ${found}. Double-click a variable to see only its neighbourhood.`),
      make("p", { class: "hint" }, hint),
    ];
  };

  const show = (choices: Readonly<Choices>) => {
    const { selection, threshold } = choices;
    if (!selection) panel.replaceChildren(...invitation());
    else if (selection.kind === "variable") showVariable(selection.variable, threshold);
    else if (selection.kind === "paths") showPaths(selection.source, selection.target, threshold);
    else showEdge(selection.source, selection.target, threshold);
  };
  store.listen((choices, changed) => {
    if (changed.has("selection") || changed.has("threshold") || (changed.has("paintBy") && !choices.selection)) show(choices);
  });
  show(store.get());
}
