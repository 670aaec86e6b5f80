// The table's columns: what was understood of each, and how to correct it. A row is made once and then only brought up
// to date, so that an audit that arrives late takes away neither what is being typed nor the focus.
import { make } from "../src/dom";
import type { Audit, Variable } from "./engine";
import type { LoadedTable, State } from "./state";

const kinds = ["continuous", "count", "binary", "ordered", "unordered", "identifier", "date"];
const heads = ["use", "column", "kind", "why", "missing", "tier", "names the intervention"];

class Row {
  readonly element: HTMLTableRowElement;
  private readonly use: HTMLInputElement;
  private readonly kind: HTMLSelectElement;
  private readonly why = make("td", { class: "why" });
  private readonly missing = make("td");
  private readonly label: HTMLInputElement;
  private readonly unlabel: HTMLButtonElement;
  private readonly asFound = make("option", { value: "" }, "as found"); // what the audit says when the user says nothing

  constructor(private variable: Variable, id: number, private readonly state: State, changed: () => void) {
    const { name } = variable;
    this.use = make("input", { type: "checkbox", "aria-label": `use ${name}` });
    this.use.addEventListener("change", () => {
      if (!this.use.checked) state.left_out.add(name);
      // A column that was set aside by itself is used only as something that can be.
      else if (!state.left_out.delete(name) && this.variable.set_aside) state.kinds.set(name, "unordered");
      changed();
    });
    this.kind = make("select", { "aria-label": `kind of ${name}`, id: `kind-${id}` });
    for (const kind of kinds) this.kind.append(make("option", { value: kind }, kind));
    this.kind.addEventListener("change", () => {
      if (this.kind.value === "") state.kinds.delete(name);
      else state.kinds.set(name, this.kind.value);
      this.mark();
      changed();
    });
    // No audit says anything of tiers: the field is the user's alone.
    const tier = make("input", { type: "number", min: "1", max: "99", class: "tier", "aria-label": `tier of ${name}` });
    tier.value = String(state.tiers.get(name) ?? "");
    tier.addEventListener("change", () => {
      if (tier.value === "") state.tiers.delete(name);
      else state.tiers.set(name, Number(tier.value));
      changed();
    });
    this.label = make("input", { type: "radio", name: "label-column", "aria-label": `${name} names the intervention of each row` });
    this.label.addEventListener("change", () => {
      state.label_column = name;
      state.left_out.delete(name);
      changed();
    });
    const click = () => {
      this.label.focus();
      state.label_column = "";
      changed();
    };
    this.unlabel = make("button", { type: "button", click }, "is a variable");
    const cells = [this.use, this.kind, tier].map((control) => make("td", {}, control));
    const names = make("th", { scope: "row" }, name);
    this.element = make("tr", {}, cells[0], names, cells[1], this.why, this.missing, cells[2], make("td", {}, this.label, " ", this.unlabel));
  }

  get name(): string {
    return this.variable.name;
  }

  // A column that was left out, or names the interventions, is none that the audit speaks of.
  get said(): boolean {
    return this.state.left_out.has(this.name) || this.state.label_column === this.name;
  }

  // What follows from what the user has said, without an audit.
  mark(): void {
    const labels = this.state.label_column === this.name;
    this.label.checked = labels;
    this.unlabel.hidden = !labels;
    this.use.disabled = labels;
    const chosen = this.state.kinds.has(this.name);
    // Stays while it is the one that was chosen: until the audit has said which kind that is.
    if (chosen && !this.asFound.parentElement) this.kind.append(this.asFound);
    else if (!chosen && this.kind.value !== "") this.asFound.remove();
  }

  // With what the newest audit says, or null where it does not speak of the column.
  show(understood: Variable | null): void {
    if (understood) this.variable = understood;
    const { kind, told, reason, missing, set_aside } = this.variable;
    const labels = this.state.label_column === this.name;
    const aside = this.said || set_aside;
    const shown = this.state.kinds.get(this.name) ?? kind;
    if (this.use.checked === aside) this.use.checked = !aside;
    if (![...this.kind.options].some((option) => option.value === shown)) this.kind.prepend(make("option", { value: shown }, shown));
    if (this.kind.value !== shown) this.kind.value = shown;
    this.element.classList.toggle("aside", aside);
    this.why.textContent = labels ? "names the interventions" : this.said ? "left out" : told ? "as you said" : reason;
    this.missing.textContent = missing ? String(missing) : "";
    this.mark();
  }
}

// The rows of one way to read the table's first line.
class Rows {
  readonly element: HTMLElement;
  readonly rows = new Map<string, Row>();
  made = 0;
  private readonly body = make("tbody");

  constructor(private readonly state: State, private readonly said: () => void) {
    this.element = make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))), this.body);
  }

  show(audit: Audit): void {
    const understood = keyed(audit.variables);
    for (const [key, row] of this.rows) {
      if (understood.has(key)) continue;
      if (row.said) row.show(null);
      else {
        row.element.remove();
        this.rows.delete(key);
      }
    }
    // Rows that are there are not moved, which would take the focus from them.
    let before: HTMLElement | null = null;
    for (const [key, variable] of understood) {
      let row = this.rows.get(key);
      if (!row) {
        row = new Row(variable, this.made++, this.state, this.said);
        this.rows.set(key, row);
        if (before) before.after(row.element);
        else this.body.prepend(row.element);
      }
      row.show(variable);
      before = row.element;
    }
  }
}

export class ColumnTable {
  private table: LoadedTable | null = null;
  private views = new Map<boolean, Rows>(); // by what the first line is: the columns have other names then

  constructor(private readonly place: HTMLElement, private readonly state: State, private readonly changed: () => void) {}

  // To be called when there is another table, another way to read its first line, or another audit of it.
  show(): void {
    const { table, header, examined } = this.state;
    if (table !== this.table) {
      this.table = table;
      this.views.clear();
    }
    // Without an audit the columns stay, so that what made the table unreadable can be taken back.
    if (examined?.audit) {
      if (!this.views.has(header)) this.views.set(header, new Rows(this.state, () => this.said()));
      this.views.get(header)?.show(examined.audit);
    }
    const shown = this.views.get(header)?.element;
    if (!shown) this.place.replaceChildren();
    else if (shown.parentElement !== this.place) this.place.replaceChildren(shown);
  }

  private said(): void {
    for (const row of this.views.get(this.state.header)?.rows.values() ?? []) row.mark();
    this.changed();
  }
}

// By name; a table may have, for now, two columns of one name.
function keyed(variables: Variable[]): Map<string, Variable> {
  const found = new Map<string, Variable>();
  for (const variable of variables) {
    let key = variable.name;
    while (found.has(key)) key += "\n";
    found.set(key, variable);
  }
  return found;
}
