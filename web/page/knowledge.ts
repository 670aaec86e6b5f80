// What is known beforehand: edges that must or must not be there, drawn from variable to variable or chosen by name.
import { announce, byId, make } from "../src/dom";
import { variables, type Pair, type State } from "./state";

const size = 360;

export class KnowledgePanel {
  private from: string | null = null;
  private drawn = "";
  private listed = "";

  constructor(private readonly state: State, private readonly changed: () => void) {
    byId("add-pair").addEventListener("click", () => {
      const source = byId<HTMLSelectElement>("pair-source").value, target = byId<HTMLSelectElement>("pair-target").value;
      this.add(source, target);
    });
  }

  show(): void {
    const names = variables(this.state);
    if (this.from !== null && !names.includes(this.from)) this.from = null;
    for (const id of ["pair-source", "pair-target"]) {
      const select = byId<HTMLSelectElement>(id);
      // What has not changed is left alone: it may be open, or have the focus.
      if ([...select.options].map((option) => option.value).join("\n") === names.join("\n")) continue;
      const kept = select.value;
      select.replaceChildren(...names.map((name) => make("option", { value: name }, name)));
      if (names.includes(kept)) select.value = kept;
      else if (id === "pair-target" && names.length > 1) select.selectedIndex = 1; // not the source again
    }
    this.list();
    if (this.drawn !== this.picture(names)) this.draw(names);
  }

  private picture(names: string[]): string {
    return JSON.stringify([names, this.state.pairs, this.from]);
  }

  private list(): void {
    const said = JSON.stringify(this.state.pairs);
    if (this.listed === said) return;
    this.listed = said;
    byId("pairs").replaceChildren(
      ...this.state.pairs.map((pair) =>
        make(
          "li",
          { class: pair.kind },
          `${pair.source} \u2192 ${pair.target} ${pair.kind === "required" ? "must be there" : "must not be there"} `,
          make("button", { type: "button", "aria-label": `forget ${pair.source} to ${pair.target}`, click: () => this.remove(pair) }, "\u00d7"),
        ),
      ),
    );
  }

  private kind(): Pair["kind"] {
    return byId<HTMLSelectElement>("pair-kind").value === "required" ? "required" : "forbidden";
  }

  private add(source: string, target: string): void {
    const refused = !source || !target || source === target;
    byId("pair-said").textContent = refused ? "Choose two different variables." : "";
    if (refused) return announce("Choose two different variables");
    this.state.pairs = this.state.pairs.filter((pair) => pair.source !== source || pair.target !== target);
    this.state.pairs.push({ source, target, kind: this.kind() });
    announce(`${source} to ${target} ${this.kind()}`);
    this.changed();
  }

  private remove(pair: Pair): void {
    this.state.pairs = this.state.pairs.filter((other) => other.source !== pair.source || other.target !== pair.target);
    this.changed();
  }

  // Variables on a circle; from one, then to another. Only for tables small enough to be drawn so.
  private draw(names: string[]): void {
    const svg = byId("knowledge-drawing") as unknown as SVGSVGElement;
    const focused = svg.contains(document.activeElement) ? document.activeElement?.getAttribute("data-name") : null;
    this.drawn = this.picture(names);
    svg.replaceChildren();
    svg.toggleAttribute("hidden", names.length < 2 || names.length > 40);
    if (names.length < 2 || names.length > 40) return;
    const element = (tag: string, attributes: Record<string, string | number>, words = "") => {
      const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
      made.textContent = words;
      return made;
    };
    const marker = element("marker", { id: "arrow", viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 7, markerHeight: 7, orient: "auto" });
    marker.append(element("path", { d: "M0 0L10 5L0 10z", fill: "context-stroke" }));
    svg.append(marker);
    const place = (k: number) => {
      const angle = (2 * Math.PI * k) / names.length - Math.PI / 2;
      return [size / 2 + (size / 2 - 60) * Math.cos(angle), size / 2 + (size / 2 - 30) * Math.sin(angle)];
    };
    for (const { source, target, kind } of this.state.pairs) {
      const a = names.indexOf(source), b = names.indexOf(target);
      if (a < 0 || b < 0) continue;
      const [x1, y1] = place(a), [x2, y2] = place(b);
      const length = Math.hypot(x2 - x1, y2 - y1), cut = 14 / length;
      svg.append(element("line", { class: kind, x1, y1, x2: x2 - (x2 - x1) * cut, y2: y2 - (y2 - y1) * cut, "marker-end": "url(#arrow)" }));
    }
    names.forEach((name, k) => {
      const [x, y] = place(k);
      const group = element("g", { tabindex: 0, role: "button", "data-name": name, "aria-label": `${this.from === null ? "from" : "to"} ${name}`, class: this.from === name ? "chosen" : "" });
      group.append(element("circle", { cx: x, cy: y, r: 9 }), element("text", { x, y: y - 13, "text-anchor": "middle" }, name.length > 12 ? `${name.slice(0, 11)}\u2026` : name));
      const pick = () => {
        if (this.from === null || this.from === name) this.from = this.from === name ? null : name;
        else {
          const source = this.from;
          this.from = null;
          return this.add(source, name);
        }
        announce(this.from === null ? "nothing chosen" : `from ${name}: choose where to`);
        this.draw(names);
        (svg.querySelectorAll("g")[k] as SVGGElement).focus();
      };
      // Drawn with the pointer held, or with two clicks; a second click on the first takes it back.
      group.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        (event.target as Element).releasePointerCapture?.((event as PointerEvent).pointerId);
        if (this.from === null || this.from === name) pick();
      });
      group.addEventListener("pointerup", () => {
        if (this.from !== null && this.from !== name) pick();
      });
      group.addEventListener("keydown", (event) => {
        const { key } = event as KeyboardEvent;
        if (key !== "Enter" && key !== " ") return;
        event.preventDefault();
        pick();
      });
      svg.append(group);
      if (name === focused) group.focus({ preventScroll: true });
    });
  }
}
