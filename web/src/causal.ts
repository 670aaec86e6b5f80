// What a graph of arrows implies: paths, adjustment sets, and effects of a linear model along its arrows. Nothing
// here touches the page.
import type { Edge } from "./data";
import { isLinear } from "./effects";

export interface CausalGraph {
  size: number;
  causes: Edge[][]; // arrows into each variable
  effects: Edge[][]; // arrows out of it
  order: number[] | null; // causes before effects; null where arrows form a cycle
}

export function causalGraph(size: number, edges: Edge[]): CausalGraph {
  const causes: Edge[][] = Array.from({ length: size }, () => []);
  const effects: Edge[][] = Array.from({ length: size }, () => []);
  for (const edge of edges) {
    causes[edge.target].push(edge);
    effects[edge.source].push(edge);
  }
  const waiting = causes.map((list) => list.length);
  const order: number[] = [];
  for (let k = 0; k < size; ++k) if (waiting[k] === 0) order.push(k);
  for (let at = 0; at < order.length; ++at)
    for (const edge of effects[order[at]]) if (--waiting[edge.target] === 0) order.push(edge.target);
  return { size, causes, effects, order: order.length === size ? order : null };
}

function reached(graph: CausalGraph, start: number, forwards: boolean): Set<number> {
  const found = new Set<number>([start]);
  const todo = [start];
  for (let at = todo.pop(); at !== undefined; at = todo.pop())
    for (const edge of forwards ? graph.effects[at] : graph.causes[at]) {
      const next = forwards ? edge.target : edge.source;
      if (!found.has(next)) {
        found.add(next);
        todo.push(next);
      }
    }
  return found;
}

// Both count the variable itself.
export const descendants = (graph: CausalGraph, variable: number): Set<number> => reached(graph, variable, true);
export const ancestors = (graph: CausalGraph, variable: number): Set<number> => reached(graph, variable, false);

// The variables on directed paths from one to the other, both ends included; empty where there is no path.
export function between(graph: CausalGraph, from: number, to: number): Set<number> {
  const upwards = ancestors(graph, to);
  const found = new Set<number>();
  if (!upwards.has(from)) return found;
  for (const variable of descendants(graph, from)) if (upwards.has(variable)) found.add(variable);
  return found;
}

// How many directed paths there are; exact up to 2^53. The graph must be acyclic.
export function countPaths(graph: CausalGraph, from: number, to: number): number {
  const count = new Float64Array(graph.size);
  count[from] = 1;
  for (const variable of graph.order ?? [])
    if (count[variable] > 0) for (const edge of graph.effects[variable]) count[edge.target] += count[variable];
  return from === to ? 0 : count[to];
}

// Directed paths, shortest first, at most `most` of them. The graph must be acyclic.
export function directedPaths(graph: CausalGraph, from: number, to: number, most: number): Edge[][] {
  const useful = between(graph, from, to);
  const paths: Edge[][] = [];
  let rim: Edge[][] = useful.size > 0 && from !== to ? [[]] : [];
  while (rim.length > 0 && paths.length < most) {
    const next: Edge[][] = [];
    for (const path of rim) {
      const at = path.length ? path[path.length - 1].target : from;
      for (const edge of graph.effects[at]) {
        if (!useful.has(edge.target)) continue;
        if (edge.target === to) {
          if (paths.length < most) paths.push([...path, edge]);
        } else if (next.length < 20 * most) next.push([...path, edge]); // wide graphs have too many to keep
      }
    }
    rim = next;
  }
  return paths;
}

export interface Shifts {
  shift: Float64Array; // expected, in standard deviations, per standard deviation of the cause
  unknown: Set<number>; // reached by an arrow without a standardised coefficient
}

// What a linear model expects when a variable is set one standard deviation higher: sums of products along paths.
export function linearShifts(graph: CausalGraph, from: number): Shifts {
  const shift = new Float64Array(graph.size);
  const unknown = new Set<number>();
  const moved = descendants(graph, from);
  shift[from] = 1;
  for (const variable of graph.order ?? []) {
    if (!moved.has(variable) || variable === from) continue;
    for (const edge of graph.causes[variable]) {
      if (!moved.has(edge.source)) continue;
      if (!edge.effect || !isLinear(edge.effect) || unknown.has(edge.source)) unknown.add(variable);
      else shift[variable] += edge.effect.size * shift[edge.source];
    }
  }
  return { shift, unknown };
}

export interface Adjustment {
  isCause: boolean; // a directed path leads from the cause to the effect
  parents: number[] | null; // the direct causes of the cause; null where the effect is among them
  optimal: number[] | null; // of the valid sets the one of least variance; null where there is no path
}

// Sets that, held fixed, leave the total effect of one variable on another. The graph must be acyclic.
export function adjustmentSets(graph: CausalGraph, from: number, to: number): Adjustment {
  const parents = graph.causes[from].map((edge) => edge.source).sort((a, b) => a - b);
  const path = between(graph, from, to);
  const isCause = path.size > 0 && from !== to;
  const result: Adjustment = { isCause, parents: parents.includes(to) ? null : parents, optimal: null };
  if (!isCause) return result;
  path.delete(from);
  // Neither what lies on the paths nor what follows from it may be held fixed.
  const barred = new Set<number>([from]);
  for (const variable of path) for (const later of descendants(graph, variable)) barred.add(later);
  const optimal = new Set<number>();
  for (const variable of path)
    for (const edge of graph.causes[variable]) if (!barred.has(edge.source)) optimal.add(edge.source);
  result.optimal = [...optimal].sort((a, b) => a - b);
  return result;
}
