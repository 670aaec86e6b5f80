// Starts the page: reads the data, makes the parts, joins them to the controls.
import { readReport, type Report } from "./data";
import { about, amount, announce, byId, fitCanvas, make } from "./dom";
import { startDetails } from "./details";
import { EdgeTable } from "./edge_table";
import { GraphView } from "./graph_view";
import { HeatMap } from "./heat_map";
import { fillLegend } from "./legend";
import { readColors } from "./palette";
import { certaintyAt, fillAudit, fillBanner, fillCertainty, fillRun } from "./panels";
import { startSearch } from "./search";
import { Store } from "./store";
import { startWhatIf } from "./what_if";

const tabs = ["graph", "heat", "edges", "what-if", "sure", "audit", "run"];

function preferredTheme(): "light" | "dark" {
  try {
    const kept = localStorage.getItem("causcale-theme");
    if (kept === "light" || kept === "dark") return kept;
  } catch {
    // Files opened from disk may not be allowed to keep anything.
  }
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function applyTheme(theme: "light" | "dark"): void {
  document.documentElement.dataset.theme = theme;
  byId("theme").textContent = theme === "dark" ? "Light" : "Dark";
}

function drawHistogram(report: Report, store: Store): void {
  const canvas = byId<HTMLCanvasElement>("histogram");
  if (canvas.clientWidth === 0) return;
  const ratio = fitCanvas(canvas);
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  const colors = readColors();
  const counts = report.certainty.histogram;
  const { threshold } = store.get();
  // Most pairs are near zero: heights grow with the logarithm.
  const highest = Math.log1p(Math.max(1, ...counts));
  const width = canvas.clientWidth - 16, height = canvas.clientHeight;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, canvas.clientWidth, height);
  const least = Number(byId<HTMLInputElement>("threshold").min);
  const place = (share: number) => 8 + (width * (share - least)) / (1 - least);
  counts.forEach((count, k) => {
    const begin = place(k / counts.length), end = place((k + 1) / counts.length);
    const bar = (height * Math.log1p(count)) / highest;
    context.fillStyle = (k + 0.5) / counts.length > threshold ? colors.edges[3] : colors.line;
    context.fillRect(begin + 0.5, height - bar, end - begin - 1, bar);
  });
}

function fillSummary(report: Report, store: Store): void {
  const { threshold } = store.get();
  const { run } = report;
  const certainty = certaintyAt(report, threshold);
  byId("summary").textContent =
    `${amount(report.names.length, "variable")}, ${amount(run.data.rows, "row")}${run.rows_seen < run.data.rows ? ` (${run.rows_seen.toLocaleString("en")} seen by the network)` : ""}, ` +
    (report.method ? `method ${report.method.name} (${report.method.graph_class}). ` : `model ${run.model.name || "unknown"}. `) +
    `${amount(certainty.shown, "edge")} shown` +
    (report.scoresRank
      ? "; the numbers rank the edges and are no probabilities."
      : `; if the model's probabilities are right, about ${about(certainty.expectedFalse)} of them are false.`);
}

function startThreshold(report: Report, store: Store): void {
  const input = byId<HTMLInputElement>("threshold");
  input.min = String(Math.min(0.99, Math.ceil(report.floor * 100) / 100));
  input.value = String(report.startThreshold);
  if (report.scoresRank) byId("threshold-words").textContent = "Show edges above this share of the highest score: ";
  const show = () => {
    const { threshold } = store.get();
    byId("threshold-value").textContent = threshold.toFixed(2);
    input.setAttribute("aria-valuetext", `${threshold.toFixed(2)}, ${amount(certaintyAt(report, threshold).shown, "edge")}`);
  };
  input.addEventListener("input", () => {
    const value = Number(input.value);
    // Coming back to where the run was means its very graph.
    store.set({ threshold: Math.abs(value - report.startThreshold) < 0.005 ? report.startThreshold : value });
  });
  store.listen((_, changed) => {
    if (changed.has("threshold")) show();
    if (changed.has("threshold") || changed.has("theme")) drawHistogram(report, store);
  });
  new ResizeObserver(() => drawHistogram(report, store)).observe(byId("histogram"));
  show();
}

function startTabs(store: Store): void {
  const show = () => {
    const { tab } = store.get();
    for (const name of tabs) {
      const button = byId(`tab-${name}`);
      button.setAttribute("aria-selected", String(name === tab));
      button.tabIndex = name === tab ? 0 : -1;
      byId(`panel-${name}`).hidden = name !== tab;
    }
  };
  tabs.forEach((name, k) => {
    const button = byId(`tab-${name}`);
    button.addEventListener("click", () => store.set({ tab: name }));
    button.addEventListener("keydown", (event) => {
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? tabs.length - 1 : 0;
      if (step === 0) return;
      event.preventDefault();
      const next = tabs[(k + step) % tabs.length];
      store.set({ tab: next });
      byId(`tab-${next}`).focus();
    });
  });
  byId("skip-link").addEventListener("click", (event) => {
    event.preventDefault();
    store.set({ tab: "edges" });
    byId("panel-edges").focus();
  });
  store.listen((_, changed) => {
    if (changed.has("tab")) show();
  });
  show();
}

function startToolbar(report: Report, store: Store, graph: GraphView): void {
  for (const name of ["layered", "force"] as const)
    byId(`layout-${name}`).addEventListener("click", () => store.set({ layout: name, focus: null }));
  byId("fit").addEventListener("click", () => graph.fit());
  byId("zoom-in").addEventListener("click", () => graph.zoomBy(1.4));
  byId("zoom-out").addEventListener("click", () => graph.zoomBy(1 / 1.4));
  byId("hops").addEventListener("change", (event) => store.set({ hops: Number((event.target as HTMLSelectElement).value) }));
  byId("neighbourhood").addEventListener("click", () => {
    const { focus, selection } = store.get();
    if (focus !== null) return store.set({ focus: null });
    if (selection?.kind === "variable") return store.set({ focus: selection.variable });
    if (selection?.kind === "edge") return store.set({ focus: selection.target });
    announce("Choose a variable first");
    byId("search").focus();
  });
  byId("paint-by").hidden = !report.edges.some((edge) => edge.effect !== null);
  for (const name of ["probability", "effect"] as const)
    byId(`paint-${name}`).addEventListener("click", () => store.set({ paintBy: name }));
  const mark = (title: string, name: "showForbidden" | "showRemoved" | "showStruck") => {
    const box = make("input", { type: "checkbox", id: name });
    box.checked = store.get()[name];
    box.addEventListener("change", () => store.set({ [name]: box.checked }));
    byId("marks").append(make("label", { class: "inline" }, box, title));
  };
  if (report.knowledge.forbidden.length) mark("forbidden edges", "showForbidden");
  if (report.removed.length) mark("edges removed from cycles", "showRemoved");
  if (report.struck?.length) mark("edges struck out", "showStruck");
  const show = () => {
    const { layout, focus, paintBy } = store.get();
    for (const name of ["probability", "effect"]) byId(`paint-${name}`).setAttribute("aria-checked", String(name === paintBy));
    for (const name of ["layered", "force"]) byId(`layout-${name}`).setAttribute("aria-checked", String(name === layout && focus === null));
    byId("neighbourhood").setAttribute("aria-pressed", String(focus !== null));
  };
  store.listen(show);
  show();
}

function start(): void {
  const report = readReport(byId("data").textContent ?? "");
  const store = new Store({
    threshold: report.startThreshold,
    layout: "layered",
    focus: null,
    hops: 1,
    selection: null,
    showRemoved: report.removed.length > 0 && report.removed.length <= 50,
    showForbidden: report.knowledge.forbidden.length <= 50,
    showStruck: false,
    paintBy: "probability",
    from: null,
    to: null,
    push: 1,
    surety: 0.5,
    theme: preferredTheme(),
    tab: report.search_first ? "edges" : "graph",
  });
  applyTheme(store.get().theme);
  store.listen((choices, changed) => {
    if (changed.has("theme")) applyTheme(choices.theme);
  });
  byId("title").textContent = report.run.data.file || "Causal graph";
  byId("theme").addEventListener("click", () => {
    const theme = store.get().theme === "dark" ? "light" : "dark";
    store.set({ theme });
    try {
      localStorage.setItem("causcale-theme", theme);
    } catch {
      // Not kept, then.
    }
  });
  startTabs(store);
  startThreshold(report, store);
  fillLegend(report);
  // On a narrow screen it would push the graph out of sight.
  byId<HTMLDetailsElement>("legend").open = window.innerWidth > 760;
  fillAudit(report);
  fillBanner(report, store);
  fillRun(report);
  fillSummary(report, store);
  const graph = new GraphView(report, store);
  new HeatMap(report, store);
  new EdgeTable(report, store);
  startDetails(report, store);
  startWhatIf(report, store);
  startToolbar(report, store, graph);
  startSearch(report, (variable) => {
    const focus = report.search_first ? variable : null;
    store.set({ tab: store.get().tab === "heat" ? "heat" : "graph", focus, selection: { kind: "variable", variable } });
    if (focus === null) graph.centreOn(variable);
  });
  if (report.search_first) {
    byId("search-note").hidden = false;
    byId("search-note").textContent = `So many variables are not drawn at once: find one to see its neighbourhood. The list holds the ${amount(report.edges.length, "surest edge")}.`;
    byId("search").focus();
  }
  store.listen((choices, changed) => {
    if (changed.has("threshold")) fillSummary(report, store);
    if (changed.has("paintBy")) fillLegend(report, choices.paintBy);
    if (choices.tab === "sure" && (changed.has("tab") || changed.has("threshold"))) fillCertainty(report, store);
  });
  // For scripts and tests that look at the page from outside.
  Object.assign(window, { causcaleReport: { report, store, graph } });
}

start();
