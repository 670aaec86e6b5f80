// Small helpers for elements. Text always enters as text, never as markup: names come from users' files.

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page lacks #${id}`);
  return found as T;
}

type Child = Node | string | number | null;

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | (() => void)> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value);
  }
  for (const child of children)
    if (child !== null) element.append(child instanceof Node ? child : String(child));
  return element;
}

export function announce(text: string): void {
  byId("announcer").textContent = text;
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

export function amount(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

// An expected number, not more exact than it is.
export function about(number: number): string {
  return number < 20 ? number.toFixed(1) : Math.round(number).toLocaleString("en");
}

// Bytes of the canvas follow its size on screen. Returns the ratio of device to CSS pixels.
export function fitCanvas(canvas: HTMLCanvasElement): number {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  return ratio;
}

export function showTip(tip: HTMLElement, text: string | null, x: number, y: number): void {
  tip.hidden = text === null;
  if (text === null) return;
  tip.textContent = text;
  const box = tip.parentElement as HTMLElement;
  tip.style.left = `${Math.max(4, Math.min(x + 14, box.clientWidth - tip.offsetWidth - 4))}px`;
  tip.style.top = `${Math.max(4, Math.min(y + 14, box.clientHeight - tip.offsetHeight - 4))}px`;
}
