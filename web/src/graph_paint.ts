// Draws the graph on a canvas. Edges of one colour go into one path: five thousand cost a few milliseconds.
import type { Edge, Report } from "./data";
import { hasSign, sizeClassOf, sizeClasses } from "./effects";
import type { Mark } from "./marks";
import { certaintyClasses, certaintyOf, rankedClass, type Colors } from "./palette";

export interface Scene {
  report: Report;
  colors: Colors;
  x: Float64Array;
  y: Float64Array;
  shown: boolean[] | null;
  widths: Float64Array; // of the boxes
  labels: string[];
  edges: Edge[];
  removed: Edge[];
  struck: Edge[];
  paintBy: "probability" | "effect";
  forbidden: [number, number][];
  useBends: boolean; // the placement is the one the bends belong to
  emphasis: { variables: Set<number>; edges: Set<Edge> } | null; // the rest is dimmed
  chosen: Set<number>;
  scale: number;
  shiftX: number;
  shiftY: number;
  width: number;
  height: number;
  ratio: number; // device pixels a CSS pixel
  hurried: boolean; // in motion: leave out what takes long
}

export const boxHeight = 24;
const fontSize = 12;
const leastReadable = 6.5; // pixels
const manyEdges = 1500;
const edgesAStroke = 200; // in a crowd: what is drawn in one stroke does not add up where lines cross

export function isCrowded(scene: Scene): boolean {
  return scene.edges.length > manyEdges;
}

export function boxesAreReadable(scale: number): boolean {
  return fontSize * scale >= leastReadable;
}

function dotRadius(scale: number): number {
  return Math.max(2.2, Math.min(6, 11 * scale)) / scale;
}

// Half extents of what stands for a variable.
function extent(scene: Scene, variable: number): [number, number] {
  if (boxesAreReadable(scene.scale)) return [scene.widths[variable] / 2, boxHeight / 2];
  const radius = dotRadius(scene.scale);
  return [radius, radius];
}

// From the centre of a box towards (dx, dy): the part of that vector inside the box.
function insideShare(dx: number, dy: number, halfWidth: number, halfHeight: number): number {
  return Math.min(halfWidth / Math.max(1e-9, Math.abs(dx)), halfHeight / Math.max(1e-9, Math.abs(dy)), 1);
}

// The edge as cubic pieces: x0, y0, then six numbers a piece. Null: hidden behind its own ends.
export function edgeCurve(scene: Scene, source: number, target: number, bends: number[] | null): number[] | null {
  const { x, y } = scene;
  if (scene.useBends && bends) return bentCurve(scene, source, target, bends);
  let dx = x[target] - x[source];
  let dy = y[target] - y[source];
  const length = Math.hypot(dx, dy);
  if (length < 1e-6) return null;
  // A slight bow to the right keeps the two directions of a pair apart.
  let bow = Math.min(26, 0.12 * length);
  // Between boxes of one row it must lead around what stands between them.
  if (Math.abs(dy) < boxHeight && boxesAreReadable(scene.scale)) bow = Math.max(bow, Math.min(60, 20 + 0.08 * length));
  const mx = (x[source] + x[target]) / 2 - (dy / length) * bow;
  const my = (y[source] + y[target]) / 2 + (dx / length) * bow;
  const [sw, sh] = extent(scene, source);
  const [tw, th] = extent(scene, target);
  const gap = 2;
  const leave = insideShare(mx - x[source], my - y[source], sw + gap, sh + gap);
  const arrive = insideShare(mx - x[target], my - y[target], tw + gap, th + gap);
  const ax = x[source] + leave * (mx - x[source]);
  const ay = y[source] + leave * (my - y[source]);
  const bx = x[target] + arrive * (mx - x[target]);
  const by = y[target] + arrive * (my - y[target]);
  dx = mx;
  dy = my;
  return [ax, ay, ax + (2 / 3) * (dx - ax), ay + (2 / 3) * (dy - ay), bx + (2 / 3) * (dx - bx), by + (2 / 3) * (dy - by), bx, by];
}

function bentCurve(scene: Scene, source: number, target: number, bends: number[]): number[] {
  const { x, y } = scene;
  const points = [x[source], y[source], ...bends, x[target], y[target]];
  const last = points.length / 2 - 1;
  const trim = (node: number, towardX: number, towardY: number): [number, number] => {
    const [halfWidth, halfHeight] = extent(scene, node);
    const share = insideShare(towardX - x[node], towardY - y[node], halfWidth + 2, halfHeight + 2);
    return [x[node] + share * (towardX - x[node]), y[node] + share * (towardY - y[node])];
  };
  [points[0], points[1]] = trim(source, points[2], points[3]);
  [points[2 * last], points[2 * last + 1]] = trim(target, points[2 * last - 2], points[2 * last - 1]);
  const curve = [points[0], points[1]];
  // Monotone between bends in both axes, so that the curve never swings beyond them.
  const tangent = (k: number, axis: number): number => {
    const before = k > 0 ? points[2 * k + axis] - points[2 * k - 2 + axis] : 0;
    const after = k < last ? points[2 * k + 2 + axis] - points[2 * k + axis] : 0;
    if (k === 0) return after;
    if (k === last) return before;
    return before * after <= 0 ? 0 : (2 * before * after) / (before + after);
  };
  for (let k = 0; k < last; ++k)
    curve.push(
      points[2 * k] + tangent(k, 0) / 3,
      points[2 * k + 1] + tangent(k, 1) / 3,
      points[2 * k + 2] - tangent(k + 1, 0) / 3,
      points[2 * k + 3] - tangent(k + 1, 1) / 3,
      points[2 * k + 2],
      points[2 * k + 3],
    );
  return curve;
}

function outside(scene: Scene, source: number, target: number): boolean {
  const left = -scene.shiftX / scene.scale;
  const top = -scene.shiftY / scene.scale;
  const right = left + scene.width / scene.scale;
  const bottom = top + scene.height / scene.scale;
  const { x, y } = scene;
  return (
    (x[source] < left && x[target] < left) ||
    (x[source] > right && x[target] > right) ||
    (y[source] < top && y[target] < top) ||
    (y[source] > bottom && y[target] > bottom)
  );
}

function traceCurve(path: Path2D, curve: number[]): void {
  path.moveTo(curve[0], curve[1]);
  for (let k = 2; k < curve.length; k += 6)
    path.bezierCurveTo(curve[k], curve[k + 1], curve[k + 2], curve[k + 3], curve[k + 4], curve[k + 5]);
}

// The mark at the end of a curve, or at its start; a plain end has none.
function traceMark(heads: Path2D, circles: Path2D, curve: number[], atEnd: boolean, mark: Mark, size: number): void {
  if (mark === "tail") return;
  const tip = atEnd ? curve.length - 2 : 0;
  const before = atEnd ? tip - 2 : 2;
  const tipX = curve[tip];
  const tipY = curve[tip + 1];
  let dx = tipX - curve[before];
  let dy = tipY - curve[before + 1];
  const length = Math.hypot(dx, dy) || 1;
  dx *= size / length;
  dy *= size / length;
  if (mark === "arrow") return traceArrow(heads, tipX, tipY, dx, dy);
  const radius = 0.34 * size;
  const x = tipX - 0.34 * dx;
  const y = tipY - 0.34 * dy;
  circles.moveTo(x + radius, y);
  circles.arc(x, y, radius, 0, 2 * Math.PI);
}

function traceArrow(path: Path2D, tipX: number, tipY: number, dx: number, dy: number): void {
  path.moveTo(tipX, tipY);
  path.lineTo(tipX - dx - 0.42 * dy, tipY - dy + 0.42 * dx);
  path.lineTo(tipX - dx + 0.42 * dy, tipY - dy - 0.42 * dx);
  path.closePath();
}

interface Pen {
  color: string;
  width: number;
  dash: number[];
  alpha: number;
}

interface Line {
  source: number;
  target: number;
  bends: number[] | null;
  sourceMark?: Mark;
  targetMark?: Mark;
}

function paintBatch(context: CanvasRenderingContext2D, scene: Scene, batch: Line[], pen: Pen): void {
  if (batch.length === 0) return;
  const crowded = isCrowded(scene);
  const straight = crowded && (scene.hurried || !boxesAreReadable(scene.scale));
  const arrows = !crowded || !scene.hurried;
  const lines = new Path2D();
  const heads = new Path2D();
  const circles = new Path2D();
  // Lines stay visible when zoomed out and do not grow without bound when zoomed in. From afar a crowd gets thin ones.
  const far = crowded && !boxesAreReadable(scene.scale);
  let width = ((far ? Math.min(1.2, pen.width) : pen.width) * Math.max(0.55, Math.min(1.6, scene.scale))) / scene.scale;
  // Up to one device pixel a line is drawn as a hairline, many times faster where no GPU helps.
  if (crowded && scene.hurried) width = Math.min(width, 0.98 / (scene.scale * scene.ratio));
  const size = (crowded ? 3 : 4.5) * width + (crowded ? 2 : 3) / scene.scale;
  for (const { source, target, bends, sourceMark = "tail", targetMark = "arrow" } of batch) {
    if (scene.shown && !(scene.shown[source] && scene.shown[target])) continue;
    if (!(scene.useBends && bends) && outside(scene, source, target)) continue;
    if (straight && !arrows) {
      lines.moveTo(scene.x[source], scene.y[source]);
      lines.lineTo(scene.x[target], scene.y[target]);
      continue;
    }
    const curve = edgeCurve(scene, source, target, bends);
    if (!curve) continue;
    if (straight) {
      lines.moveTo(curve[0], curve[1]);
      lines.lineTo(curve[curve.length - 2], curve[curve.length - 1]);
    } else {
      traceCurve(lines, curve);
    }
    if (!arrows) continue;
    traceMark(heads, circles, curve, false, sourceMark, size);
    traceMark(heads, circles, curve, true, targetMark, size);
  }
  context.globalAlpha = pen.alpha;
  context.strokeStyle = pen.color;
  context.fillStyle = pen.color;
  context.lineWidth = width;
  context.setLineDash(pen.dash.map((length) => length / scene.scale));
  context.stroke(lines);
  context.setLineDash([]);
  if (!arrows) return;
  context.fill(heads);
  context.globalAlpha = 1;
  context.fillStyle = scene.colors.paper;
  context.fill(circles);
  context.globalAlpha = pen.alpha;
  context.lineWidth = Math.min(width, 1.4 / scene.scale);
  context.stroke(circles);
}

function paintEdges(context: CanvasRenderingContext2D, scene: Scene): void {
  const { colors, emphasis } = scene;
  const bySize = scene.paintBy === "effect";
  // By certainty, or by sign and size with a last group for what has no size.
  const pens: { color: string; width: number }[] = bySize
    ? [
        ...[colors.negative, colors.positive].flatMap((color) => sizeClasses.map(({ width }) => ({ color, width }))),
        ...sizeClasses.map(({ width }) => ({ color: colors.faint, width })), // without a sign
        { color: colors.edges[0], width: 0.8 },
      ]
    : certaintyClasses.map((_, k) => ({ color: colors.edges[k], width: 0.9 + 0.45 * k }));
  const groupOf = (edge: Edge) => {
    if (!bySize) return scene.report.scoresRank ? rankedClass : certaintyOf(edge.probability);
    if (!edge.effect) return pens.length - 1;
    const sign = !hasSign(edge.effect) ? 2 : edge.effect.size < 0 ? 0 : 1;
    return sign * sizeClasses.length + sizeClassOf(edge.effect.size);
  };
  const groups = pens.map(() => [[], []] as [Edge[], Edge[]]); // dimmed, plain
  const required: [Edge[], Edge[]] = [[], []];
  for (const edge of scene.edges) {
    const strong = !emphasis || emphasis.edges.has(edge) ? 1 : 0;
    (edge.required && !bySize ? required : groups[groupOf(edge)])[strong].push(edge);
  }
  // In a crowd lines are let through, so that density shows and hubs stand out.
  const crowd = isCrowded(scene) && !emphasis ? Math.max(0.15, Math.min(0.45, 900 / scene.edges.length)) : 1;
  const dimmed = isCrowded(scene) ? 0.06 : 0.13;
  for (const strong of [0, 1]) {
    groups.forEach((group, k) => {
      const pen = { ...pens[k], dash: [], alpha: strong ? crowd : dimmed };
      const batch = group[strong];
      const step = isCrowded(scene) && !scene.hurried ? edgesAStroke : Math.max(1, batch.length);
      for (let begin = 0; begin < batch.length; begin += step) paintBatch(context, scene, batch.slice(begin, begin + step), pen);
    });
    paintBatch(context, scene, required[strong], { color: colors.required, width: 2.6, dash: [], alpha: strong ? 1 : 0.2 });
  }
  paintBatch(context, scene, scene.removed, { color: colors.removed, width: 1.4, dash: [2, 4], alpha: 1 });
  paintBatch(context, scene, scene.struck, { color: colors.removed, width: 1.1, dash: [1, 5], alpha: 0.9 });
  const forbidden = scene.forbidden.map(([source, target]) => ({ source, target, bends: null }));
  paintBatch(context, scene, forbidden, { color: colors.forbidden, width: 1.2, dash: [7, 5], alpha: 0.9 });
}

function paintVariables(context: CanvasRenderingContext2D, scene: Scene): void {
  const { colors, emphasis, scale } = scene;
  const readable = boxesAreReadable(scale);
  const left = -scene.shiftX / scale;
  const top = -scene.shiftY / scale;
  const right = left + scene.width / scale;
  const bottom = top + scene.height / scale;
  context.font = `${fontSize}px system-ui, "DejaVu Sans", sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  const radius = dotRadius(scale);
  for (let k = 0; k < scene.labels.length; ++k) {
    if (scene.shown && !scene.shown[k]) continue;
    const [halfWidth, halfHeight] = extent(scene, k);
    const x = scene.x[k];
    const y = scene.y[k];
    if (x + halfWidth < left || x - halfWidth > right || y + halfHeight < top || y - halfHeight > bottom) continue;
    const chosen = scene.chosen.has(k);
    context.globalAlpha = !emphasis || emphasis.variables.has(k) ? 1 : 0.25;
    context.fillStyle = chosen ? colors.selected : readable ? colors.node : colors.nodeLine;
    context.strokeStyle = colors.nodeLine;
    context.lineWidth = (chosen ? 2 : 1) / Math.max(0.6, scale);
    context.beginPath();
    if (readable) context.roundRect(x - halfWidth, y - halfHeight, 2 * halfWidth, 2 * halfHeight, 8);
    else context.arc(x, y, chosen ? 1.8 * radius : radius, 0, 2 * Math.PI);
    context.fill();
    if (readable || chosen) context.stroke();
    if (!readable) continue;
    context.fillStyle = chosen ? colors.selectedText : colors.text;
    context.fillText(scene.labels[k], x, y + 0.5);
  }
  // When zoomed out, the names of what is chosen and of its neighbours are written at a readable size.
  if (readable || !emphasis) return;
  context.globalAlpha = 1;
  context.font = `${fontSize / scale}px system-ui, "DejaVu Sans", sans-serif`;
  context.textBaseline = "bottom";
  context.lineWidth = 3 / scale;
  context.strokeStyle = colors.paper;
  context.fillStyle = colors.text;
  let written = 0;
  for (const k of [...scene.chosen, ...emphasis.variables]) {
    if (++written > 40 || (scene.shown && !scene.shown[k])) continue;
    context.strokeText(scene.labels[k], scene.x[k], scene.y[k] - 1.6 * radius);
    context.fillText(scene.labels[k], scene.x[k], scene.y[k] - 1.6 * radius);
  }
}

export function paint(context: CanvasRenderingContext2D, scene: Scene): void {
  const { ratio } = scene;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.globalAlpha = 1;
  context.fillStyle = scene.colors.paper;
  context.fillRect(0, 0, context.canvas.width, context.canvas.height);
  context.setTransform(ratio * scene.scale, 0, 0, ratio * scene.scale, ratio * scene.shiftX, ratio * scene.shiftY);
  paintEdges(context, scene);
  paintVariables(context, scene);
}
