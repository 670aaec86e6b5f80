// The interactive graph: placement, view, pointer and keyboard.
import { select } from "d3-selection";
import { zoom, zoomIdentity, type D3ZoomEvent, type ZoomTransform } from "d3-zoom";
import { between, causalGraph } from "./causal";
import { curvePoint, distanceToCurve } from "./curves";
import { isShown, type Edge, type Report } from "./data";
import { announce, byId, fitCanvas, showTip } from "./dom";
import { sizeText } from "./effects";
import { boxesAreReadable, boxHeight, edgeCurve, isCrowded, paint, type Scene } from "./graph_paint";
import { edgeTitle, isBetween, valueText } from "./marks";
import { readColors } from "./palette";
import { ForcePlacement, layeredPlacement, neighbourhoodPlacement, type Placement } from "./placements";
import { Snapshot } from "./snapshot";
import type { Choices, Store } from "./store";

const settleMilliseconds = 140; // after the last movement the full drawing is made
const moveMilliseconds = 350;
const hitPixels = 6;

export class GraphView {
  private canvas = byId<HTMLCanvasElement>("graph");
  private context = this.canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
  private tip = byId("graph-tip");
  private transform: ZoomTransform = zoomIdentity;
  private behaviour = zoom<HTMLCanvasElement, unknown>();
  private snapshot = new Snapshot();
  private scene: Scene;
  private layered: Placement;
  private force: ForcePlacement | null = null;
  private target: Placement;
  private pending = 0;
  private settling = 0;
  private moving = 0;
  private dragged: { variable: number; x: number; y: number; moved: boolean } | null = null;
  private justDragged = false;
  private wantsFit = true;
  frames: number[] = []; // milliseconds spent in the last drawings

  constructor(private report: Report, private store: Store) {
    const n = report.names.length;
    const labels = report.names.map((name) => {
      const points = [...name];
      return points.length > 28 ? `${points.slice(0, 27).join("")}\u2026` : name;
    });
    this.context.font = '12px system-ui, "DejaVu Sans", sans-serif';
    const widths = Float64Array.from(labels, (label) => Math.max(36, this.context.measureText(label).width + 18));
    this.layered = layeredPlacement(report);
    this.target = this.layered;
    this.scene = {
      report,
      colors: readColors(),
      x: Float64Array.from(this.layered.x),
      y: Float64Array.from(this.layered.y),
      shown: null,
      widths,
      labels,
      edges: [],
      removed: [],
      struck: [],
      paintBy: "probability",
      forbidden: [],
      useBends: true,
      emphasis: null,
      chosen: new Set(),
      scale: 1,
      shiftX: 0,
      shiftY: 0,
      width: 1,
      height: 1,
      ratio: 1,
      hurried: false,
    };
    this.canvas.setAttribute("aria-label", `Causal graph of ${n} variables`);
    this.behaviour
      .scaleExtent([0.01, 6])
      .filter((event: Event) => {
        const mouse = event as MouseEvent;
        if (event.type === "mousedown" && this.variableAt(mouse.offsetX, mouse.offsetY) !== null) return false;
        return !mouse.button && event.type !== "dblclick";
      })
      .on("zoom", (event: D3ZoomEvent<HTMLCanvasElement, unknown>) => {
        this.transform = event.transform;
        this.hurry(true);
      });
    select(this.canvas).call(this.behaviour);
    this.listenToPointer();
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    store.listen((choices, changed) => this.update(choices, changed));
    this.update(store.get(), new Set(["threshold"]));
  }

  private update(choices: Readonly<Choices>, changed: Set<keyof Choices>): void {
    const scene = this.scene;
    this.snapshot.forget();
    if (changed.has("theme")) scene.colors = readColors();
    if (changed.has("threshold"))
      scene.edges = this.report.edges.filter((edge) => isShown(this.report, edge, choices.threshold));
    scene.removed = choices.showRemoved ? this.report.edges.filter((edge) => edge.removed) : [];
    scene.struck = choices.showStruck ? this.report.edges.filter((edge) => edge.struck) : [];
    scene.paintBy = choices.paintBy;
    scene.forbidden = choices.showForbidden ? this.report.knowledge.forbidden : [];
    if (changed.has("threshold") || changed.has("selection") || changed.has("focus")) this.emphasise(choices);
    const placing = changed.has("layout") || changed.has("focus") || (choices.focus !== null && (changed.has("hops") || changed.has("threshold")));
    if (placing) this.place(choices);
    if (changed.has("tab") && choices.tab === "graph") this.resize();
    this.draw();
  }

  private emphasise(choices: Readonly<Choices>): void {
    const scene = this.scene;
    scene.chosen = new Set();
    scene.emphasis = null;
    const selection = choices.selection;
    if (!selection) return;
    const edges =
      selection.kind === "variable"
        ? scene.edges.filter((edge) => edge.source === selection.variable || edge.target === selection.variable)
        : selection.kind === "paths"
          ? this.edgesOfPaths(selection.source, selection.target)
          : scene.edges.filter((edge) => isBetween(this.report, edge, selection.source, selection.target));
    const variables = new Set(edges.flatMap((edge) => [edge.source, edge.target]));
    if (selection.kind === "variable") scene.chosen.add(selection.variable);
    else scene.chosen.add(selection.source).add(selection.target);
    // The neighbourhood is small enough to be seen whole.
    if (choices.focus !== null && scene.chosen.has(choices.focus)) return;
    for (const variable of scene.chosen) variables.add(variable);
    scene.emphasis = { variables, edges: new Set(edges) };
  }

  private edgesOfPaths(source: number, target: number): Edge[] {
    const members = between(causalGraph(this.report.names.length, this.scene.edges), source, target);
    return this.scene.edges.filter((edge) => members.has(edge.source) && members.has(edge.target));
  }

  private place(choices: Readonly<Choices>): void {
    this.force?.stop();
    if (choices.focus !== null) {
      this.moveTo(neighbourhoodPlacement(this.report, this.scene.edges, this.scene.widths, choices.focus, choices.hops));
    } else if (choices.layout === "layered") {
      this.moveTo(this.layered);
    } else {
      this.force ??= new ForcePlacement(this.report, this.scene.widths, this.scene.edges);
      const force = this.force;
      this.moveTo(force.placement);
      if (force.finished()) return;
      force.start((done) => {
        this.stopMoving();
        this.scene.x.set(force.placement.x);
        this.scene.y.set(force.placement.y);
        this.fitNow();
        this.hurry();
        if (done) announce("Layout by forces finished");
      });
    }
  }

  // Variables glide to their places, unless the reader prefers no motion.
  private moveTo(placement: Placement): void {
    this.stopMoving();
    this.target = placement;
    this.scene.shown = placement.shown;
    this.scene.useBends = false;
    const arrive = () => {
      this.scene.x.set(placement.x);
      this.scene.y.set(placement.y);
      this.scene.useBends = placement === this.layered;
      this.fitNow();
      this.hurry();
    };
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return arrive();
    const fromX = Float64Array.from(this.scene.x);
    const fromY = Float64Array.from(this.scene.y);
    const begin = performance.now();
    const step = (now: number) => {
      const share = Math.min(1, Math.max(0, now - begin) / moveMilliseconds);
      if (share >= 1) {
        this.moving = 0;
        return arrive();
      }
      const eased = share * share * (3 - 2 * share);
      for (let k = 0; k < fromX.length; ++k) {
        this.scene.x[k] = fromX[k] + eased * (placement.x[k] - fromX[k]);
        this.scene.y[k] = fromY[k] + eased * (placement.y[k] - fromY[k]);
      }
      this.fitNow();
      this.hurry();
      this.moving = requestAnimationFrame(step);
    };
    this.moving = requestAnimationFrame(step);
  }

  private stopMoving(): void {
    if (this.moving) cancelAnimationFrame(this.moving);
    this.moving = 0;
  }

  private fitNow(): void {
    const { x, y, shown, widths } = this.scene;
    let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
    for (let k = 0; k < x.length; ++k) {
      if (shown && !shown[k]) continue;
      left = Math.min(left, x[k] - widths[k] / 2);
      right = Math.max(right, x[k] + widths[k] / 2);
      top = Math.min(top, y[k] - boxHeight / 2);
      bottom = Math.max(bottom, y[k] + boxHeight / 2);
    }
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    if (!Number.isFinite(left) || width === 0) return;
    const margin = 24;
    const scale = Math.min(1.6, (width - 2 * margin) / (right - left + 1), (height - 2 * margin) / (bottom - top + 1));
    const transform = zoomIdentity
      .translate(width / 2 - (scale * (left + right)) / 2, height / 2 - (scale * (top + bottom)) / 2)
      .scale(scale);
    select(this.canvas).call(this.behaviour.transform, transform);
    this.wantsFit = false;
  }

  fit(): void {
    this.fitNow();
    this.draw();
  }

  zoomBy(factor: number): void {
    select(this.canvas).call(this.behaviour.scaleBy, factor);
  }

  centreOn(variable: number): void {
    if (this.scene.shown && !this.scene.shown[variable]) return;
    const scale = Math.max(this.transform.k, 0.8);
    const x = this.target.x[variable], y = this.target.y[variable];
    const transform = zoomIdentity
      .translate(this.canvas.clientWidth / 2 - scale * x, this.canvas.clientHeight / 2 - scale * y)
      .scale(scale);
    select(this.canvas).call(this.behaviour.transform, transform);
  }

  private resize(): void {
    if (this.canvas.clientWidth === 0) return;
    if (this.wantsFit) this.fitNow();
    this.draw();
  }

  // `sameScene`: only the view has moved, the last drawing can stand in.
  private hurry(sameScene = false): void {
    this.scene.hurried = true;
    if (!sameScene) this.snapshot.forget();
    clearTimeout(this.settling);
    this.settling = window.setTimeout(() => {
      this.scene.hurried = false;
      this.draw();
    }, settleMilliseconds);
    this.draw();
  }

  private draw(): void {
    if (!this.pending) this.pending = requestAnimationFrame(() => this.drawNow());
  }

  drawNow(): void {
    this.pending = 0;
    if (this.canvas.clientWidth === 0) return;
    const begin = performance.now();
    this.scene.ratio = fitCanvas(this.canvas);
    this.scene.scale = this.transform.k;
    this.scene.shiftX = this.transform.x;
    this.scene.shiftY = this.transform.y;
    this.scene.width = this.canvas.clientWidth;
    this.scene.height = this.canvas.clientHeight;
    const crowded = isCrowded(this.scene);
    const standsIn =
      crowded && this.scene.hurried && this.snapshot.show(this.context, this.transform, this.scene.ratio, this.scene.colors.paper);
    if (!standsIn) paint(this.context, this.scene);
    if (crowded && !standsIn) this.snapshot.take(this.canvas, this.transform);
    this.frames.push(performance.now() - begin);
    if (this.frames.length > 600) this.frames.shift();
  }

  // Place of a variable in CSS pixels of the canvas.
  screenPosition(variable: number): [number, number] {
    return this.transform.apply([this.scene.x[variable], this.scene.y[variable]]);
  }

  // The middle of an edge in CSS pixels of the canvas.
  edgeScreenPosition(source: number, target: number): [number, number] | null {
    const edge = this.scene.edges.find((candidate) => candidate.source === source && candidate.target === target);
    const curve = edge && edgeCurve(this.scene, source, target, edge.bends);
    if (!curve) return null;
    return this.transform.apply(curvePoint(curve, Math.floor((curve.length - 2) / 12), 0.5));
  }

  // Where an edge ends on the canvas, first at its source, in CSS pixels, and the direction inwards from there.
  edgeEnds(source: number, target: number): { tip: [number, number]; inwards: [number, number] }[] {
    const edge = this.scene.edges.find((candidate) => candidate.source === source && candidate.target === target);
    const curve = edge && edgeCurve(this.scene, source, target, edge.bends);
    if (!curve) return [];
    return [0, curve.length - 2].map((at) => {
      const next = at === 0 ? 2 : at - 2;
      const [dx, dy] = [curve[next] - curve[at], curve[next + 1] - curve[at + 1]];
      const length = Math.hypot(dx, dy) || 1;
      return { tip: this.transform.apply([curve[at], curve[at + 1]]), inwards: [dx / length, dy / length] as [number, number] };
    });
  }

  struckEdges(): Edge[] {
    return this.scene.struck;
  }

  shownEdges(): Edge[] {
    return this.scene.edges;
  }

  private variableAt(px: number, py: number): number | null {
    const [x, y] = this.transform.invert([px, py]);
    const { scene } = this;
    const readable = boxesAreReadable(this.transform.k);
    let best: number | null = null;
    let nearest = readable ? Infinity : (hitPixels + 2) / this.transform.k;
    for (let k = scene.labels.length - 1; k >= 0; --k) {
      if (scene.shown && !scene.shown[k]) continue;
      const dx = Math.abs(scene.x[k] - x), dy = Math.abs(scene.y[k] - y);
      if (readable) {
        if (dx <= scene.widths[k] / 2 && dy <= boxHeight / 2) return k;
      } else if (Math.hypot(dx, dy) < nearest) {
        nearest = Math.hypot(dx, dy);
        best = k;
      }
    }
    return best;
  }

  private edgeAt(px: number, py: number): Edge | null {
    const [x, y] = this.transform.invert([px, py]);
    let nearest = hitPixels / this.transform.k;
    let best: Edge | null = null;
    for (const edge of this.scene.edges) {
      if (this.scene.shown && !(this.scene.shown[edge.source] && this.scene.shown[edge.target])) continue;
      const curve = edgeCurve(this.scene, edge.source, edge.target, edge.bends);
      if (!curve) continue;
      const distance = distanceToCurve(curve, x, y, nearest);
      if (distance < nearest) {
        nearest = distance;
        best = edge;
      }
    }
    return best;
  }

  private listenToPointer(): void {
    const canvas = this.canvas;
    canvas.addEventListener("pointerdown", (event) => {
      const variable = event.button === 0 ? this.variableAt(event.offsetX, event.offsetY) : null;
      if (variable === null || event.pointerType === "touch") return;
      this.dragged = { variable, x: event.offsetX, y: event.offsetY, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (this.dragged) return this.drag(event);
      if (event.buttons) return showTip(this.tip, null, 0, 0);
      const variable = this.variableAt(event.offsetX, event.offsetY);
      const edge = variable === null ? this.edgeAt(event.offsetX, event.offsetY) : null;
      canvas.style.cursor = variable !== null || edge ? "pointer" : "grab";
      const text = variable !== null ? this.report.names[variable] : edge ? this.edgeText(edge) : null;
      showTip(this.tip, text, event.offsetX, event.offsetY);
    });
    canvas.addEventListener("pointerleave", () => showTip(this.tip, null, 0, 0));
    canvas.addEventListener("pointerup", () => {
      const dragged = this.dragged;
      this.dragged = null;
      // A drag ends in a click event as well; it must not change the selection.
      this.justDragged = dragged?.moved ?? false;
      setTimeout(() => (this.justDragged = false));
    });
    canvas.addEventListener("click", (event) => {
      if (event.defaultPrevented || this.justDragged) return;
      canvas.focus({ preventScroll: true });
      const variable = this.variableAt(event.offsetX, event.offsetY);
      if (variable !== null) return this.store.set({ selection: { kind: "variable", variable } });
      const edge = this.edgeAt(event.offsetX, event.offsetY);
      this.store.set({ selection: edge ? { kind: "edge", source: edge.source, target: edge.target } : null });
    });
    canvas.addEventListener("dblclick", (event) => {
      const variable = this.variableAt(event.offsetX, event.offsetY);
      if (variable !== null) this.store.set({ focus: variable, selection: { kind: "variable", variable } });
    });
  }

  private drag(event: PointerEvent): void {
    const dragged = this.dragged;
    if (!dragged) return;
    if (!dragged.moved && Math.hypot(event.offsetX - dragged.x, event.offsetY - dragged.y) < 4) return;
    dragged.moved = true;
    const [x, y] = this.transform.invert([event.offsetX, event.offsetY]);
    this.scene.x[dragged.variable] = x;
    this.scene.y[dragged.variable] = y;
    // Bends belong to the old place; the moved variable's edges go straight from now on.
    for (const edge of this.report.edges)
      if (edge.source === dragged.variable || edge.target === dragged.variable) edge.bends = null;
    this.hurry();
  }

  private edgeText(edge: Edge): string {
    return `${edgeTitle(this.report, edge)}: ${edge.score === null ? "" : "score "}${valueText(edge)}${edge.effect ? `, effect ${sizeText(edge.effect)}` : ""}`;
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const pan = (dx: number, dy: number) => select(this.canvas).call(this.behaviour.translateBy, dx / this.transform.k, dy / this.transform.k);
    const choices = this.store.get();
    const actions: Record<string, () => void> = {
      ArrowLeft: () => pan(60, 0),
      ArrowRight: () => pan(-60, 0),
      ArrowUp: () => pan(0, 60),
      ArrowDown: () => pan(0, -60),
      "+": () => this.zoomBy(1.3),
      "=": () => this.zoomBy(1.3),
      "-": () => this.zoomBy(1 / 1.3),
      "0": () => this.fit(),
      "]": () => this.step(1),
      "[": () => this.step(-1),
      n: () => {
        if (choices.selection?.kind === "variable") this.store.set({ focus: choices.selection.variable });
      },
      Escape: () => this.store.set(choices.focus !== null ? { focus: null } : { selection: null }),
    };
    const action = actions[event.key] ?? actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  }

  private step(by: number): void {
    const { order, rank, names } = this.report;
    const selection = this.store.get().selection;
    const shown = this.scene.shown;
    const at = selection?.kind === "variable" ? rank[selection.variable] : by > 0 ? -1 : names.length;
    for (let place = at + by; place >= 0 && place < names.length; place += by) {
      const variable = order[place];
      if (shown && !shown[variable]) continue;
      this.store.set({ selection: { kind: "variable", variable } });
      this.centreOn(variable);
      return;
    }
  }
}
