// What the reader has chosen; every part of the page listens to it.

export type Selection = { kind: "variable"; variable: number } | { kind: "edge"; source: number; target: number } | { kind: "paths"; source: number; target: number } | null;

export interface Choices {
  threshold: number;
  layout: "layered" | "force";
  focus: number | null; // centre of the neighbourhood view
  hops: number;
  selection: Selection;
  showRemoved: boolean;
  showForbidden: boolean;
  showStruck: boolean;
  paintBy: "probability" | "effect"; // what colour and width of edges stand for
  from: number | null; // what is changed, in the tab for that
  to: number | null;
  push: number; // by how many standard deviations
  surety: number; // least probability of being a cause
  theme: "light" | "dark";
  tab: string;
}

type Listener = (choices: Choices, changed: Set<keyof Choices>) => void;

export class Store {
  private listeners: Listener[] = [];

  constructor(private choices: Choices) {}

  get(): Readonly<Choices> {
    return this.choices;
  }

  set(update: Partial<Choices>): void {
    const changed = new Set<keyof Choices>();
    for (const name of Object.keys(update) as (keyof Choices)[])
      if (this.choices[name] !== update[name]) changed.add(name);
    if (changed.size === 0) return;
    this.choices = { ...this.choices, ...update };
    for (const listener of this.listeners) listener(this.choices, changed);
  }

  listen(listener: Listener): void {
    this.listeners.push(listener);
  }
}
