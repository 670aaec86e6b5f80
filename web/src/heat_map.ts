// All probabilities at once: rows are causes, columns effects, both in causal order.
import { select } from "d3-selection";
import { zoom, zoomIdentity, type D3ZoomEvent, type ZoomTransform } from "d3-zoom";
import type { Report } from "./data";
import { announce, byId, fitCanvas, percent, showTip } from "./dom";
import { heatColors, readColors } from "./palette";
import type { Store } from "./store";

const labelRoom = 120;
const leastLabelled = 11; // pixels a row

export class HeatMap {
  private canvas = byId<HTMLCanvasElement>("heat");
  private context = this.canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
  private tip = byId("heat-tip");
  private image = document.createElement("canvas");
  private transform: ZoomTransform = zoomIdentity;
  private behaviour = zoom<HTMLCanvasElement, unknown>();
  private cursor: [number, number] = [0, 0];
  private pending = 0;
  private fitted = false;

  constructor(private report: Report, private store: Store) {
    const { cells, block } = report.heat;
    const meaning = report.scoresRank
      ? "Scores as shares of the highest; they rank the pairs and are no probabilities. " + (report.hasMarks ? "Where a direction is open, both ways have a score. " : "")
      : "";
    byId("heat-note").textContent =
      (report.hasMarks
        ? "Rows are causes, columns effects, in the order of the drawing. "
        : "Rows are causes, columns effects; both run from causes to effects, so that a graph without cycles lies above the diagonal. ") +
      meaning +
      "Values are rounded to 1/255." +
      (block > 1 ? ` Each cell stands for ${block} x ${block} pairs and shows the highest value.` : "");
    if (report.scoresRank)
      this.canvas.setAttribute("aria-label", "Score of every ordered pair; arrow keys move from cell to cell, Enter selects");
    this.cursor = [0, Math.min(1, cells - 1)];
    this.image.width = this.image.height = cells;
    this.behaviour
      .scaleExtent([0.2, 60])
      .on("zoom", (event: D3ZoomEvent<HTMLCanvasElement, unknown>) => {
        this.transform = event.transform;
        this.draw();
      });
    select(this.canvas).call(this.behaviour).on("dblclick.zoom", null);
    this.canvas.addEventListener("pointermove", (event) => {
      const cell = this.cellAt(event.offsetX, event.offsetY);
      showTip(this.tip, cell && this.describe(cell), event.offsetX, event.offsetY);
    });
    this.canvas.addEventListener("pointerleave", () => showTip(this.tip, null, 0, 0));
    this.canvas.addEventListener("click", (event) => {
      const cell = event.defaultPrevented ? null : this.cellAt(event.offsetX, event.offsetY);
      if (cell) this.choose(cell);
    });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.colorize();
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    store.listen((_, changed) => {
      if (changed.has("theme")) this.colorize();
      if (changed.has("theme") || changed.has("selection") || changed.has("tab")) this.resize();
    });
  }

  private colorize(): void {
    const { cells, values } = this.report.heat;
    const colors = heatColors(this.store.get().theme);
    const context = this.image.getContext("2d") as CanvasRenderingContext2D;
    const pixels = context.createImageData(cells, cells);
    const words = new Uint32Array(pixels.data.buffer);
    for (let k = 0; k < values.length; ++k) words[k] = colors[values[k]];
    context.putImageData(pixels, 0, 0);
  }

  private resize(): void {
    if (this.canvas.clientWidth === 0) return;
    if (!this.fitted) {
      const room = Math.min(this.canvas.clientWidth, this.canvas.clientHeight) - labelRoom - 12;
      const scale = Math.min(48, room / this.report.heat.cells);
      this.fitted = true;
      select(this.canvas).call(this.behaviour.transform, zoomIdentity.translate(labelRoom, labelRoom).scale(scale));
    }
    this.draw();
  }

  private draw(): void {
    if (!this.pending) this.pending = requestAnimationFrame(() => this.drawNow());
  }

  private drawNow(): void {
    this.pending = 0;
    if (this.canvas.clientWidth === 0) return;
    const { context, transform } = this;
    const { cells } = this.report.heat;
    const colors = readColors();
    const ratio = fitCanvas(this.canvas);
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = colors.paper;
    context.fillRect(0, 0, width, height);
    context.imageSmoothingEnabled = transform.k < 1;
    context.drawImage(this.image, transform.x, transform.y, cells * transform.k, cells * transform.k);
    context.strokeStyle = colors.line;
    context.strokeRect(transform.x, transform.y, cells * transform.k, cells * transform.k);
    this.drawDiagonal();
    this.drawSelection(colors.required);
    this.drawLabels(colors.text, colors.paper, width, height);
    if (document.activeElement === this.canvas) {
      context.strokeStyle = colors.required;
      context.lineWidth = 2;
      const size = Math.max(4, transform.k);
      context.strokeRect(transform.x + this.cursor[1] * transform.k, transform.y + this.cursor[0] * transform.k, size, size);
    }
  }

  private drawDiagonal(): void {
    const { context, transform } = this;
    const { cells } = this.report.heat;
    context.strokeStyle = "#8888";
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(transform.x, transform.y);
    context.lineTo(transform.x + cells * transform.k, transform.y + cells * transform.k);
    context.stroke();
  }

  private drawSelection(color: string): void {
    const { context, transform } = this;
    const selection = this.store.get().selection;
    if (!selection) return;
    const { cells, block } = this.report.heat;
    const place = (variable: number) => Math.floor(this.report.rank[variable] / block);
    const row = place(selection.kind === "variable" ? selection.variable : selection.source);
    const column = place(selection.kind === "variable" ? selection.variable : selection.target);
    const size = Math.max(2, transform.k);
    context.strokeStyle = color;
    context.lineWidth = 1.5;
    context.strokeRect(transform.x, transform.y + row * transform.k, cells * transform.k, size);
    context.strokeRect(transform.x + column * transform.k, transform.y, size, cells * transform.k);
  }

  private drawLabels(text: string, paper: string, width: number, height: number): void {
    const { context, transform } = this;
    const { cells, block } = this.report.heat;
    context.fillStyle = paper;
    context.fillRect(0, 0, labelRoom - 4, height);
    context.fillRect(0, 0, width, labelRoom - 4);
    context.fillStyle = text;
    context.font = '12px system-ui, "DejaVu Sans", sans-serif';
    context.textBaseline = "middle";
    context.textAlign = "right";
    context.fillText("cause \u2193   effect \u2192", labelRoom - 10, labelRoom - 14);
    this.drawKey(text);
    if (block > 1 || transform.k < leastLabelled) return;
    const cut = (name: string) => ([...name].length > 14 ? `${[...name].slice(0, 13).join("")}\u2026` : name);
    context.textAlign = "right";
    for (let k = 0; k < cells; ++k) {
      const name = cut(this.report.names[this.report.order[k]]);
      const y = transform.y + (k + 0.5) * transform.k;
      if (y > labelRoom && y < height) context.fillText(name, labelRoom - 10, y);
      const x = transform.x + (k + 0.5) * transform.k;
      if (x <= labelRoom || x >= width) continue;
      context.save();
      context.translate(x, labelRoom - 28);
      context.rotate(-Math.PI / 2);
      context.textAlign = "left";
      context.fillText(name, 0, 0);
      context.restore();
    }
  }

  private drawKey(text: string): void {
    const { context } = this;
    const colors = heatColors(this.store.get().theme);
    const left = 12, top = 22, width = 84;
    for (let k = 0; k < width; ++k) {
      const color = colors[Math.round((255 * k) / (width - 1))];
      context.fillStyle = `rgb(${color & 255} ${(color >> 8) & 255} ${(color >> 16) & 255})`;
      context.fillRect(left + k, top, 1.5, 10);
    }
    context.strokeStyle = "#8888";
    context.lineWidth = 1;
    context.strokeRect(left, top, width, 10);
    context.fillStyle = text;
    context.textAlign = "left";
    context.fillText(this.report.scoresRank ? "share of highest" : "probability", left, top - 10);
    context.fillText("0", left, top + 20);
    context.textAlign = "right";
    context.fillText("1", left + width, top + 20);
  }

  private cellAt(px: number, py: number): [number, number] | null {
    const [x, y] = this.transform.invert([px, py]);
    const { cells } = this.report.heat;
    if (x < 0 || y < 0 || x >= cells || y >= cells || px < labelRoom - 4 || py < labelRoom - 4) return null;
    return [Math.floor(y), Math.floor(x)];
  }

  private describe([row, column]: [number, number]): string {
    const { cells, block, values } = this.report.heat;
    const { names, order } = this.report;
    const probability = percent(values[row * cells + column] / 255) + (this.report.scoresRank ? " of the highest score" : "");
    if (block > 1) {
      const range = (k: number) => `${names[order[k * block]]} \u2026 ${names[order[Math.min(order.length, (k + 1) * block) - 1]]}`;
      return `${range(row)} \u2192 ${range(column)}: at most ${probability}`;
    }
    return row === column ? names[order[row]] : `${names[order[row]]} \u2192 ${names[order[column]]}: ${probability}`;
  }

  private choose([row, column]: [number, number]): void {
    this.cursor = [row, column];
    const { block } = this.report.heat;
    const source = this.report.order[row * block], target = this.report.order[column * block];
    if (block > 1 || source === target) this.store.set({ selection: { kind: "variable", variable: source } });
    else this.store.set({ selection: { kind: "edge", source, target } });
    this.draw();
  }

  private key(event: KeyboardEvent): void {
    const moves: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const move = moves[event.key];
    if (!move && event.key !== "Enter") return;
    event.preventDefault();
    if (!move) return this.choose(this.cursor);
    const last = this.report.heat.cells - 1;
    const clamp = (value: number) => Math.max(0, Math.min(last, value));
    this.cursor = [clamp(this.cursor[0] + move[0]), clamp(this.cursor[1] + move[1])];
    announce(this.describe(this.cursor));
    const [x, y] = this.transform.apply([this.cursor[1] + 0.5, this.cursor[0] + 0.5]);
    showTip(this.tip, this.describe(this.cursor), x, y);
    this.draw();
  }
}
