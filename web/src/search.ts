// The search box: a combobox over the names of the variables.
import type { Report } from "./data";
import { announce, amount, byId, make } from "./dom";

const mostListed = 12;

export function findVariables(names: string[], text: string): number[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  const grade = (name: string) => {
    const lower = name.toLowerCase();
    return lower === wanted ? 0 : lower.startsWith(wanted) ? 1 : lower.includes(wanted) ? 2 : 3;
  };
  return names
    .map((name, variable) => ({ variable, grade: grade(name) }))
    .filter((found) => found.grade < 3)
    .sort((a, b) => a.grade - b.grade || a.variable - b.variable)
    .map((found) => found.variable);
}

export function startSearch(report: Report, choose: (variable: number) => void): void {
  const input = byId<HTMLInputElement>("search");
  const list = byId("search-list");
  let found: number[] = [];
  let active = 0;

  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const pick = (variable: number) => {
    input.value = report.names[variable];
    close();
    choose(variable);
  };
  const show = () => {
    const items = found.slice(0, mostListed).map((variable, k) => {
      const item = make("li", { role: "option", id: `found-${k}`, "aria-selected": String(k === active) }, report.names[variable]);
      // Before the input loses its focus.
      item.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        pick(variable);
      });
      return item;
    });
    if (found.length === 0) items.push(make("li", { class: "none" }, "No variable has this in its name."));
    if (found.length > mostListed) items.push(make("li", { class: "none" }, `and ${found.length - mostListed} more`));
    list.replaceChildren(...items);
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    if (found.length > 0) input.setAttribute("aria-activedescendant", `found-${active}`);
  };
  input.addEventListener("input", () => {
    found = findVariables(report.names, input.value);
    active = 0;
    if (input.value.trim() === "") return close();
    show();
    announce(`${amount(found.length, "variable")} found`);
  });
  input.addEventListener("keydown", (event) => {
    const listed = Math.min(found.length, mostListed);
    if (event.key === "Escape") return close();
    if (listed === 0) return;
    if (event.key === "Enter") return pick(found[active]);
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    active = (active + (event.key === "ArrowDown" ? 1 : listed - 1)) % listed;
    show();
  });
  input.addEventListener("blur", close);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || (event.target as HTMLElement).closest("input, select, textarea")) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
}
