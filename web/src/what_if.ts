// The tab in which one variable is changed: paths, adjustment sets and total effect on another, expected shifts of
// all that follows from it, and how probable it is as a cause of anything over any path.
import { adjustmentSets, causalGraph, countPaths, directedPaths, linearShifts, type CausalGraph } from "./causal";
import { isShown, type Edge, type Report } from "./data";
import { amount, announce, byId, make, percent } from "./dom";
import { isLinear, signed } from "./effects";
import { csvText, saveText } from "./save";
import type { Choices, Store } from "./store";

const mostPaths = 50;
const mostRows = 200;

// The arrows that are shown; null where what is shown is more than arrows.
export function shownGraph(report: Report, threshold: number): CausalGraph | null {
  if (report.hasMarks) return null;
  return causalGraph(report.names.length, report.edges.filter((edge) => isShown(report, edge, threshold)));
}

export function startWhatIf(report: Report, store: Store): void {
  const panel = byId("what-if-answer");
  const from = byId<HTMLSelectElement>("what-if-from");
  const to = byId<HTMLSelectElement>("what-if-to");
  const push = byId<HTMLInputElement>("what-if-push");
  const surety = byId<HTMLInputElement>("what-if-surety");
  const { names } = report;
  const sized = report.edges.some((edge) => edge.effect && isLinear(edge.effect));
  const inOrder = [...report.order];
  const fill = (select: HTMLSelectElement, none: string) => {
    select.replaceChildren(make("option", { value: "" }, none));
    for (const variable of inOrder) select.append(make("option", { value: String(variable) }, names[variable]));
  };
  fill(from, "choose a variable");
  fill(to, "all that follows");
  const chosen = (select: HTMLSelectElement) => (select.value === "" ? null : Number(select.value));
  from.addEventListener("change", () => store.set({ from: chosen(from) }));
  to.addEventListener("change", () => store.set({ to: chosen(to) }));
  push.addEventListener("input", () => store.set({ push: Number(push.value) }));
  surety.addEventListener("input", () => store.set({ surety: Number(surety.value) }));
  byId("what-if-push-box").hidden = !sized;
  byId("what-if-surety-box").hidden = report.ancestry === null;

  let graph: CausalGraph | null = null;
  let graphAt = Number.NaN;
  const current = (threshold: number) => {
    if (threshold !== graphAt) {
      graph = shownGraph(report, threshold);
      graphAt = threshold;
    }
    return graph;
  };

  const nameList = (variables: number[]) => (variables.length ? variables.map((v) => names[v]).join(", ") : "nothing");
  const paragraph = (text: string, kind = "") => make("p", kind ? { class: kind } : {}, text);
  const download = (title: string, file: string, rows: () => (string | number)[][]) =>
    make("button", { type: "button", click: () => saveText(file, csvText(rows())) }, title);
  const table = (caption: string, head: string[], rows: (string | HTMLElement)[][]) => {
    const body = rows.map((row) => make("tr", {}, ...row.map((cell, k) => make("td", k > 0 && typeof cell === "string" ? { class: "number" } : {}, cell))));
    return make(
      "div",
      { class: "table-box short", tabindex: "0", role: "region", "aria-label": caption },
      make("table", {}, make("caption", {}, caption), make("thead", {}, make("tr", {}, ...head.map((title) => make("th", { scope: "col" }, title)))), make("tbody", {}, ...body)),
    );
  };
  const variableButton = (variable: number) =>
    make("button", { type: "button", click: () => store.set({ selection: { kind: "variable", variable }, tab: "graph" }) }, names[variable]);

  const product = (path: Edge[]) => path.reduce<number | null>((so, edge) => (so === null || !edge.effect || !isLinear(edge.effect) ? null : so * edge.effect.size), 1);

  const pathsAndTotal = (shown: CausalGraph, x: number, y: number, k: number): HTMLElement[] => {
    const parts: HTMLElement[] = [make("h2", {}, `${names[x]} on ${names[y]}`)];
    const sets = adjustmentSets(shown, x, y);
    if (!sets.isCause) {
      parts.push(paragraph(`No directed path leads from ${names[x]} to ${names[y]} in the graph as shown: changing ${names[x]} would not change ${names[y]}.`));
    } else {
      const { shift, unknown } = linearShifts(shown, x);
      if (sized && !unknown.has(y)) {
        parts.push(
          paragraph(`Total effect: ${signed(shift[y])} standard deviations of ${names[y]} per standard deviation of ${names[x]}; with the slider at ${signed(k)}: ${signed(k * shift[y])}.`, "answer"),
          paragraph("This adds up the products of the sizes along all directed paths. It assumes that the graph as shown is right, that effects are linear, and that no common cause was left out; the uncertainty of graph and sizes is not in it."),
        );
      } else {
        parts.push(paragraph(sized ? "Some edge on the way has no standardised coefficient, so that the total effect cannot be told here; causcale effects may tell it from the data." : "This file holds no sizes of effects, so that the total effect cannot be told."));
      }
      const count = countPaths(shown, x, y);
      const paths = directedPaths(shown, x, y, mostPaths);
      parts.push(make("h3", {}, `${amount(count, "directed path")}${paths.length < count ? `, of which ${paths.length} are listed` : ""}`));
      parts.push(
        make(
          "ul",
          { class: "paths" },
          ...paths.map((path) => {
            const value = product(path);
            const words = [names[x], ...path.map((edge) => names[edge.target])].join(" \u2192 ");
            return make("li", {}, words, value === null ? "" : make("span", { class: "size" }, ` ${signed(value)}`));
          }),
        ),
        make(
          "div",
          { class: "actions" },
          make("button", { type: "button", click: () => store.set({ tab: "graph", focus: null, selection: { kind: "paths", source: x, target: y } }) }, "Show the paths in the graph"),
          download("Save paths as CSV", "paths.csv", () => [
            ["path", "edges", "product", "least_probability"],
            ...directedPaths(shown, x, y, 1000).map((path) => [
              [names[x], ...path.map((edge) => names[edge.target])].join(" -> "),
              path.length,
              product(path) ?? "",
              Math.min(...path.map((edge) => edge.probability)),
            ]),
          ]),
        ),
      );
    }
    parts.push(make("h3", {}, "What to hold fixed when estimating it"));
    const lines: string[] = [];
    if (sets.parents) lines.push(`The direct causes of ${names[x]}: ${nameList(sets.parents)}.`);
    else lines.push(`${names[y]} is itself a direct cause of ${names[x]}; its direct causes are no valid set.`);
    if (sets.optimal) lines.push(`The set with the least variance in linear models (o-set): ${nameList(sets.optimal)}.`);
    parts.push(make("ul", {}, ...lines.map((line) => make("li", {}, line))));
    return parts;
  };

  const shiftTable = (shown: CausalGraph, x: number, k: number): HTMLElement[] => {
    const { shift, unknown } = linearShifts(shown, x);
    const moved: number[] = [];
    for (let v = 0; v < names.length; ++v) if (v !== x && (shift[v] !== 0 || unknown.has(v))) moved.push(v);
    moved.sort((a, b) => Math.abs(shift[b]) - Math.abs(shift[a]) || a - b);
    if (moved.length === 0) return [paragraph(`Nothing follows from ${names[x]} in the graph as shown.`)];
    const value = (v: number) => (unknown.has(v) ? null : k * shift[v]);
    const bar = (v: number) => {
      const size = value(v) ?? 0;
      const strip = make("span", { class: `shift-bar ${size < 0 ? "down" : "up"}`, "aria-hidden": "true" });
      strip.style.width = `${Math.min(50, 25 * Math.abs(size))}%`;
      return make("span", { class: "shift-strip" }, strip);
    };
    const rows = moved.slice(0, mostRows).map((v) => [variableButton(v), value(v) === null ? "unknown" : signed(value(v) as number), bar(v)]);
    return [
      make("h2", {}, `If ${names[x]} is set ${signed(k)} standard deviations from its mean`),
      table("Expected shifts", ["Variable", "Shift (SD)", ""], rows),
      ...(moved.length > mostRows ? [paragraph(`and ${moved.length - mostRows} more in the CSV`, "hint")] : []),
      make(
        "div",
        { class: "actions" },
        download("Save shifts as CSV", "shifts.csv", () => [["variable", "shift"], ...moved.map((v) => [names[v], value(v) ?? ""])]),
      ),
      paragraph("Sums of products of standardised coefficients along the arrows as shown: linear effects, the right graph and no left-out common cause are assumed.", "hint"),
    ];
  };

  const followers = (shown: CausalGraph, x: number): HTMLElement[] => {
    const { unknown } = linearShifts(shown, x);
    const list = report.order.filter((v) => v !== x && unknown.has(v));
    return [
      make("h2", {}, `What follows from ${names[x]}`),
      paragraph(list.length ? `${amount(list.length, "variable")}: ${nameList(list.slice(0, mostRows))}.` : "Nothing, in the graph as shown."),
      paragraph("This file holds no sizes of effects, so that shifts cannot be told.", "hint"),
    ];
  };

  const ancestryTable = (x: number, least: number): HTMLElement[] => {
    const ancestry = report.ancestry;
    if (!ancestry) return [];
    const n = names.length;
    const rows: { cause: number; effect: number; probability: number }[] = [];
    for (let v = 0; v < n; ++v) {
      if (v === x) continue;
      if (ancestry[x * n + v] >= least) rows.push({ cause: x, effect: v, probability: ancestry[x * n + v] });
      if (ancestry[v * n + x] >= least) rows.push({ cause: v, effect: x, probability: ancestry[v * n + x] });
    }
    rows.sort((a, b) => b.probability - a.probability || a.effect - b.effect);
    return [
      make("h2", {}, "Causes over any path"),
      paragraph(`From ${amount(report.samples?.count ?? 0, "sampled graph")}: how often one is a cause of the other, directly or not. ${amount(rows.length, "pair")} with ${names[x]} at ${percent(least)} or more.`),
      table("Probability of being a cause", ["Cause", "Effect", "Probability"], rows.slice(0, mostRows).map((row) => [variableButton(row.cause), variableButton(row.effect), percent(row.probability)])),
      make(
        "div",
        { class: "actions" },
        download("Save as CSV", "ancestry.csv", () => [["cause", "effect", "probability"], ...rows.map((row) => [names[row.cause], names[row.effect], row.probability.toFixed(4)])]),
      ),
    ];
  };

  const show = (choices: Readonly<Choices>) => {
    if (choices.tab !== "what-if") return;
    from.value = choices.from === null ? "" : String(choices.from);
    to.value = choices.to === null ? "" : String(choices.to);
    push.value = String(choices.push);
    surety.value = String(choices.surety);
    byId("what-if-push-value").textContent = signed(choices.push);
    push.setAttribute("aria-valuetext", `${signed(choices.push)} standard deviations`);
    byId("what-if-surety-value").textContent = percent(choices.surety);
    surety.setAttribute("aria-valuetext", percent(choices.surety));
    const x = choices.from;
    if (x === null) return panel.replaceChildren(paragraph("Choose the variable that is changed, and, for paths and the total effect, the one it acts on."));
    const shown = current(choices.threshold);
    const parts: HTMLElement[] = [];
    if (!shown) parts.push(paragraph("The directions of this graph are open, so that there is no single answer to what a change does. Its edges are in the other tabs."));
    else if (!shown.order) parts.push(paragraph("The graph as shown has a directed cycle, in which causes cannot be told from effects. Raise the threshold, or run discover with --dag.", "notice"));
    else {
      if (choices.to !== null && choices.to !== x) parts.push(...pathsAndTotal(shown, x, choices.to, choices.push));
      parts.push(...(sized ? shiftTable(shown, x, choices.push) : followers(shown, x)));
    }
    parts.push(...ancestryTable(x, choices.surety));
    panel.replaceChildren(...parts);
  };
  store.listen((choices, changed) => {
    if (["tab", "from", "to", "push", "surety", "threshold"].some((name) => changed.has(name as keyof Choices))) show(choices);
    if (choices.tab === "what-if" && (changed.has("from") || changed.has("to"))) {
      const answer = panel.querySelector(".answer") ?? panel.querySelector("p");
      announce(answer?.textContent ?? "");
    }
  });
  show(store.get());
}

