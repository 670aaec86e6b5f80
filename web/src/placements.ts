// Where the variables stand: as the program placed them in layers, by forces, or around one of them.
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from "d3-force";
import type { Edge, Report } from "./data";

export interface Placement {
  x: Float64Array;
  y: Float64Array;
  shown: boolean[] | null; // null: all variables
}

export function layeredPlacement(report: Report): Placement {
  return { x: Float64Array.from(report.layered.x), y: Float64Array.from(report.layered.y), shown: null };
}

interface Body {
  index?: number;
  x?: number;
  y?: number;
}

const millisecondsASlice = 10;

// Forces are let to work in slices between frames, so that the page stays responsive with a thousand variables.
export class ForcePlacement {
  readonly placement: Placement;
  private running = 0;

  constructor(report: Report, widths: Float64Array, edges: Edge[]) {
    const n = report.names.length;
    this.placement = { x: new Float64Array(n), y: new Float64Array(n), shown: null };
    // A spiral in causal order is a start without chance in it.
    const bodies: Body[] = report.names.map((_, k) => {
      const angle = report.rank[k] * 2.399963;
      const radius = 22 * Math.sqrt(report.rank[k] + 0.5);
      return { x: radius * Math.cos(angle), y: radius * Math.sin(angle) };
    });
    const degree = new Float64Array(n);
    for (const edge of edges) {
      degree[edge.source]++;
      degree[edge.target]++;
    }
    const links = edges.map((edge) => ({ source: edge.source, target: edge.target, strength: edge.probability }));
    this.simulation = forceSimulation<Body>(bodies)
      .force("charge", forceManyBody<Body>().strength(-260).distanceMax(900))
      .force(
        "link",
        forceLink<Body, (typeof links)[number]>(links)
          .distance(n > 300 ? 60 : 110)
          .strength((link) => {
            const source = (link.source as Body).index ?? 0;
            const target = (link.target as Body).index ?? 0;
            return link.strength / Math.max(1, Math.min(degree[source], degree[target]));
          }),
      )
      .force("collide", forceCollide<Body>((body) => 6 + widths[body.index ?? 0] / 2.4).iterations(1))
      .force("x", forceX<Body>(0).strength(0.04))
      .force("y", forceY<Body>(0).strength(0.06))
      .alphaDecay(n > 300 ? 0.035 : 0.0228)
      .stop();
    this.bodies = bodies;
    this.copy();
  }

  private simulation;
  private bodies: Body[];

  private copy(): void {
    this.bodies.forEach((body, k) => {
      this.placement.x[k] = body.x ?? 0;
      this.placement.y[k] = body.y ?? 0;
    });
  }

  // Calls `moved` after every slice, with true the last time.
  start(moved: (done: boolean) => void): void {
    this.stop();
    const slice = () => {
      const begin = performance.now();
      do this.simulation.tick();
      while (performance.now() - begin < millisecondsASlice && this.simulation.alpha() > 0.005);
      this.copy();
      const done = this.simulation.alpha() <= 0.005;
      this.running = done ? 0 : requestAnimationFrame(slice);
      moved(done);
    };
    this.running = requestAnimationFrame(slice);
  }

  stop(): void {
    if (this.running) cancelAnimationFrame(this.running);
    this.running = 0;
  }

  finished(): boolean {
    return this.simulation.alpha() <= 0.005;
  }
}

const mostInARow = 9;

// Causes above, effects below, by the number of steps from the centre.
export function neighbourhoodPlacement(
  report: Report,
  edges: Edge[],
  widths: Float64Array,
  centre: number,
  hops: number,
): Placement {
  const n = report.names.length;
  const level = new Map<number, number>([[centre, 0]]);
  let border = [centre];
  for (let step = 1; step <= hops; ++step) {
    const members = new Set(border);
    const next: number[] = [];
    const reach = (variable: number, at: number) => {
      if (level.has(variable)) return;
      level.set(variable, at);
      next.push(variable);
    };
    for (const edge of edges) {
      // What neither end of an edge decides stands side by side.
      const down = edge.sourceMark === edge.targetMark ? 0 : 1;
      if (members.has(edge.target)) reach(edge.source, (level.get(edge.target) ?? 0) - down);
      if (members.has(edge.source)) reach(edge.target, (level.get(edge.source) ?? 0) + down);
    }
    border = next;
  }
  const rows = new Map<number, number[]>();
  for (const [variable, at] of level) rows.set(at, [...(rows.get(at) ?? []), variable]);

  const placement: Placement = { x: new Float64Array(n), y: new Float64Array(n), shown: new Array(n).fill(false) };
  const levels = [...rows.keys()].sort((a, b) => a - b);
  let y = 0;
  for (const at of levels) {
    const row = (rows.get(at) as number[]).sort((a, b) => report.rank[a] - report.rank[b]);
    for (let begin = 0; begin < row.length; begin += mostInARow) {
      const part = row.slice(begin, begin + mostInARow);
      const total = part.reduce((sum, variable) => sum + widths[variable] + 24, -24);
      let x = -total / 2;
      for (const variable of part) {
        placement.x[variable] = x + widths[variable] / 2;
        placement.y[variable] = y;
        (placement.shown as boolean[])[variable] = true;
        x += widths[variable] + 24;
      }
      y += begin + mostInARow < row.length ? 46 : 0;
    }
    y += 100;
  }
  return placement;
}
