// The edges as a table that can be sorted, filtered and saved.
import { isShown, statusOf, type Edge, type Report, type Status } from "./data";
import { amount, byId, make, percent } from "./dom";
import { effectText } from "./effects";
import { edgeSymbol, isBetween, meaningOf, reverseText, valueText } from "./marks";
import { csvText, saveText } from "./save";
import type { Store } from "./store";

const rowsAPage = 100;

const statusWords: Record<Status, string> = {
  found: "in the graph",
  required: "required",
  removed: "removed: closed a cycle",
  struck: "struck out: no dependence in the data",
  doubtful: "below the threshold",
};

interface Column {
  title: string;
  key: (edge: Edge) => number | string;
  cell: (edge: Edge) => Node | string;
  number: boolean;
}

export class EdgeTable {
  private body = byId("edge-table").querySelector("tbody") as HTMLElement;
  private filter = byId<HTMLInputElement>("edge-filter");
  private onlyShown = byId<HTMLInputElement>("edge-visible");
  private columns: Column[];
  private sortBy: number;
  private falling = true;
  private page = 0;
  private rows: Edge[] = [];

  constructor(private report: Report, private store: Store) {
    const name = (variable: number) => report.names[variable];
    const variableButton = (variable: number) =>
      make("button", { type: "button", click: () => store.set({ selection: { kind: "variable", variable } }) }, name(variable));
    const share = (title: string, of: (edge: Edge) => number | null): Column => ({
      title,
      key: (edge) => of(edge) ?? -1,
      cell: (edge) => {
        const value = of(edge);
        return value === null ? "" : percent(value);
      },
      number: true,
    });
    const word = (title: string, of: (edge: Edge) => string): Column => ({ title, key: of, cell: of, number: false });
    const end = (title: string, of: (edge: Edge) => number): Column => ({
      title,
      key: (edge) => name(of(edge)),
      cell: (edge) => variableButton(of(edge)),
      number: false,
    });
    const strength: Column = {
      title: report.scoresRank ? "Score" : "Probability",
      key: (edge) => edge.score ?? edge.probability,
      cell: (edge) => {
        const bar = make("span", { class: "bar", "aria-hidden": "true" });
        bar.style.width = `${Math.round(70 * edge.probability)}px`;
        return make("span", {}, bar, valueText(edge));
      },
      number: true,
    };
    const reverse: Column = { title: "Reverse", key: (edge) => edge.scoreReverse ?? edge.reverse, cell: reverseText, number: true };
    const status = word("Status", (edge) => this.status(edge));
    this.columns = report.hasMarks
      ? [
          end("Variable", (edge) => edge.source),
          word("Edge", (edge) => edgeSymbol(edge.marks)),
          end("Variable", (edge) => edge.target),
          word("Meaning", (edge) => meaningOf(report, edge)),
          strength,
          reverse,
          status,
        ]
      : [end("Cause", (edge) => edge.source), end("Effect", (edge) => edge.target), strength, reverse, status];
    this.sortBy = this.columns.indexOf(strength);
    if (report.hasMarks) this.filter.placeholder = "name, or name -> name";
    if (report.edges.some((edge) => edge.effect !== null))
      this.columns.push({
        title: "Effect",
        key: (edge) => edge.effect?.size ?? -Infinity,
        cell: (edge) => (edge.effect ? effectText(edge.effect) : ""),
        number: true,
      });
    if (report.edges.some((edge) => edge.frequency !== null)) this.columns.push(share("Found in", (edge) => edge.frequency));
    if (report.edges.some((edge) => edge.mean !== null)) this.columns.push(share("Mean", (edge) => edge.mean));
    if (report.edges.some((edge) => edge.deviation !== null)) this.columns.push(share("\u00b1", (edge) => edge.deviation));

    this.filter.addEventListener("input", () => this.refresh());
    this.onlyShown.addEventListener("change", () => this.refresh());
    byId("edge-csv").addEventListener("click", () => this.save());
    store.listen((choices, changed) => {
      if (changed.has("threshold") || changed.has("tab")) this.refresh();
      else if (changed.has("selection") && choices.tab === "edges") this.fillPage();
    });
    this.refresh();
  }

  private status(edge: Edge): string {
    return statusWords[statusOf(this.report, edge, this.store.get().threshold)];
  }

  // "a -> b" asks for both ends; a single word for either.
  private matcher(): (edge: Edge) => boolean {
    const wanted = this.filter.value.trim().toLowerCase();
    if (wanted === "") return () => true;
    const has = (variable: number, part: string) => this.report.names[variable].toLowerCase().includes(part);
    const parts = wanted.split(/\s+[<o-]-[>o-]\s+|\s*(?:->|\u2192)\s*/);
    const joins = (source: number, target: number) => has(source, parts[0]) && has(target, parts[1]);
    // Marked edges have no first and second end that a reader could know beforehand.
    if (parts.length === 2)
      return (edge) => joins(edge.source, edge.target) || (this.report.hasMarks && joins(edge.target, edge.source));
    return (edge) => has(edge.source, wanted) || has(edge.target, wanted);
  }

  private refresh(): void {
    if (this.store.get().tab !== "edges") return;
    const { threshold } = this.store.get();
    const matches = this.matcher();
    this.rows = this.report.edges.filter(
      (edge) => (!this.onlyShown.checked || isShown(this.report, edge, threshold)) && matches(edge),
    );
    const { key } = this.columns[this.sortBy];
    const sign = this.falling ? -1 : 1;
    this.rows.sort((a, b) => {
      const [left, right] = [key(a), key(b)];
      const order =
        typeof left === "number" ? left - (right as number) : left.localeCompare(right as string, "en", { numeric: true });
      return sign * order || a.index - b.index;
    });
    this.page = 0;
    byId("edge-count").textContent =
      `${amount(this.rows.length, "edge")} of ${this.report.edges.length.toLocaleString("en")} stored` +
      (this.report.hasMarks ? "" : ` (all above ${this.report.floor.toFixed(3)}${this.report.scoresRank ? " of the highest score" : ""})`);
    this.fillHead();
    this.fillPage();
  }

  private fillHead(): void {
    const row = make("tr");
    this.columns.forEach((column, k) => {
      const sorted = k === this.sortBy;
      const mark = sorted ? (this.falling ? " \u25be" : " \u25b4") : "";
      const head = make("th", { scope: "col", "aria-sort": sorted ? (this.falling ? "descending" : "ascending") : "none" });
      head.append(
        make("button", { type: "button", click: () => this.sort(k) }, column.title + mark),
      );
      row.append(head);
    });
    const head = byId("edge-table").querySelector("thead") as HTMLElement;
    const focused = head.contains(document.activeElement);
    head.replaceChildren(row);
    if (focused) (row.children[this.sortBy].firstChild as HTMLElement).focus();
  }

  private sort(column: number): void {
    this.falling = column === this.sortBy ? !this.falling : this.columns[column].number;
    this.sortBy = column;
    this.refresh();
  }

  private fillPage(): void {
    const selection = this.store.get().selection;
    const rows = this.rows.slice(this.page * rowsAPage, (this.page + 1) * rowsAPage).map((edge) => {
      const row = make("tr");
      for (const column of this.columns) {
        const cell = make("td", column.number ? { class: "number" } : {});
        cell.append(column.cell(edge));
        row.append(cell);
      }
      if (selection?.kind === "edge" && isBetween(this.report, edge, selection.source, selection.target))
        row.classList.add("chosen");
      row.addEventListener("click", (event) => {
        if ((event.target as HTMLElement).closest("button")) return;
        this.store.set({ selection: { kind: "edge", source: edge.source, target: edge.target } });
      });
      return row;
    });
    if (rows.length === 0) {
      const cell = make("td", { colspan: String(this.columns.length) }, "No edge fits. Lower the threshold or change the filter.");
      rows.push(make("tr", {}, cell));
    }
    this.body.replaceChildren(...rows);
    const pages = Math.max(1, Math.ceil(this.rows.length / rowsAPage));
    const turn = (by: number) => () => {
      this.page += by;
      this.fillPage();
      (document.querySelector(".table-box") as HTMLElement).scrollTop = 0;
    };
    const previous = make("button", { type: "button", click: turn(-1) }, "Previous");
    const next = make("button", { type: "button", click: turn(1) }, "Next");
    previous.disabled = this.page === 0;
    next.disabled = this.page >= pages - 1;
    byId("edge-pages").replaceChildren(previous, make("span", { class: "hint" }, `page ${this.page + 1} of ${pages}`), next);
  }

  private save(): void {
    const number = (share: number, score: number | null) => (score === null ? share.toFixed(4) : String(score));
    const word = this.report.scoresRank ? "score" : "probability";
    const sized = this.report.edges.some((edge) => edge.effect !== null);
    const head = ["source", "target", word, `${word}_reverse`];
    if (this.report.hasMarks) head.push("edge");
    if (sized) head.push("effect", "effect_low", "effect_high");
    const rows = this.rows.map((edge) => [
      this.report.names[edge.source],
      this.report.names[edge.target],
      number(edge.probability, edge.score),
      number(edge.reverse, edge.scoreReverse),
      ...(this.report.hasMarks ? [edge.marks] : []),
      ...(sized ? [edge.effect?.size ?? "", edge.effect?.low ?? "", edge.effect?.high ?? ""] : []),
    ]);
    saveText("edges.csv", csvText([head, ...rows]));
  }
}
