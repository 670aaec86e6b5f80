// The table's columns: what was understood of each, and how to correct it.
import { make } from "../src/dom";
import type { State } from "./state";

const kinds = ["continuous", "count", "binary", "ordered", "unordered", "identifier", "date"];

export function showColumns(place: HTMLElement, state: State, changed: () => void): void {
  const audit = state.examined?.audit;
  place.replaceChildren();
  if (!audit) return;
  const heads = ["use", "column", "kind", "why", "missing", "tier", "names the intervention"];
  const rows = audit.variables.map((variable, k) => {
    const use = make("input", { type: "checkbox", "aria-label": `use ${variable.name}` });
    use.checked = !variable.set_aside;
    use.addEventListener("change", () => {
      if (use.checked) state.left_out.delete(variable.name);
      else state.left_out.add(variable.name);
      // A column that was set aside by itself is used only as something that can be.
      if (use.checked && variable.set_aside && !state.left_out.has(variable.name)) state.kinds.set(variable.name, "unordered");
      changed();
    });
    const kind = make("select", { "aria-label": `kind of ${variable.name}`, id: `kind-${k}` });
    for (const name of kinds.includes(variable.kind) ? kinds : [variable.kind, ...kinds]) kind.append(make("option", { value: name }, name));
    kind.value = variable.kind;
    kind.addEventListener("change", () => {
      state.kinds.set(variable.name, kind.value);
      changed();
    });
    const tier = make("input", { type: "number", min: "1", max: "99", class: "tier", "aria-label": `tier of ${variable.name}` });
    tier.value = String(state.tiers.get(variable.name) ?? "");
    tier.addEventListener("change", () => {
      if (tier.value === "") state.tiers.delete(variable.name);
      else state.tiers.set(variable.name, Number(tier.value));
      changed();
    });
    const label = make("input", { type: "radio", name: "label-column", "aria-label": `${variable.name} names the intervention of each row` });
    label.addEventListener("change", () => {
      state.label_column = variable.name;
      changed();
    });
    return make(
      "tr",
      variable.set_aside ? { class: "aside" } : {},
      make("td", {}, use),
      make("th", { scope: "row" }, variable.name),
      make("td", {}, kind),
      make("td", { class: "why" }, variable.told ? "as you said" : variable.reason),
      make("td", {}, variable.missing || ""),
      make("td", {}, tier),
      make("td", {}, label),
    );
  });
  const left = [...state.left_out].filter((name) => !audit.variables.some((variable) => variable.name === name) && name !== state.label_column);
  for (const name of left)
    rows.push(
      make("tr", { class: "aside" }, make("td", {}, make("button", { type: "button", click: () => (state.left_out.delete(name), changed()) }, "use")), make("th", { scope: "row" }, name), make("td", {}, "left out")),
    );
  if (state.label_column)
    rows.push(
      make("tr", { class: "aside" }, make("td"), make("th", { scope: "row" }, state.label_column), make("td", {}, "names the interventions"), make("td", {}, make("button", { type: "button", click: () => ((state.label_column = ""), changed()) }, "is a variable"))),
    );
  place.append(make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))), make("tbody", {}, ...rows)));
}
