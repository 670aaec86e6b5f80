// What a graph implies, on graphs small enough to check by hand, and against a plain enumeration.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const source = join(dirname(fileURLToPath(import.meta.url)), "../src");
const built = await esbuild.build({ entryPoints: [join(source, "causal.ts")], bundle: true, format: "esm", write: false });
const { adjustmentSets, between, causalGraph, countPaths, directedPaths, linearShifts } = await import(
  `data:text/javascript;base64,${Buffer.from(built.outputFiles[0].text).toString("base64")}`
);

const arrow = (source, target, size = null) => ({ source, target, effect: size === null ? null : { kind: "standardized_coefficient", size, low: null, high: null } });

// 0 -> 1 -> 3, 0 -> 2 -> 3, 4 -> 0, 4 -> 3, 5 -> 1, 3 -> 6
const diamond = causalGraph(7, [arrow(0, 1, 0.5), arrow(1, 3, 0.4), arrow(0, 2, -0.3), arrow(2, 3, 0.2), arrow(4, 0, 0.7), arrow(4, 3, 0.1), arrow(5, 1, 0.6), arrow(3, 6, 2)]);

test("paths are found, counted and sorted by length", () => {
  const words = (paths) => paths.map((path) => [path[0].source, ...path.map((edge) => edge.target)].join(">"));
  assert.deepEqual(words(directedPaths(diamond, 0, 3, 50)), ["0>1>3", "0>2>3"]);
  assert.deepEqual(words(directedPaths(diamond, 4, 3, 50)), ["4>3", "4>0>1>3", "4>0>2>3"]);
  assert.equal(countPaths(diamond, 4, 6), 3);
  assert.equal(countPaths(diamond, 3, 0), 0);
  assert.deepEqual(directedPaths(diamond, 3, 0, 50), []);
  assert.equal(directedPaths(diamond, 4, 3, 2).length, 2);
  assert.deepEqual([...between(diamond, 0, 3)].sort(), [0, 1, 2, 3]);
});

test("total effects are sums of products along all paths", () => {
  const { shift, unknown } = linearShifts(diamond, 0);
  const close = (a, b) => assert.ok(Math.abs(a - b) < 1e-12, `${a} ${b}`);
  close(shift[3], 0.5 * 0.4 - 0.3 * 0.2);
  close(shift[6], 2 * shift[3]);
  close(shift[4], 0);
  assert.equal(unknown.size, 0);
  const gap = causalGraph(4, [arrow(0, 1), arrow(1, 2, 0.5), arrow(0, 3, 0.5)]);
  assert.deepEqual([...linearShifts(gap, 0).unknown], [1, 2], "an edge without a size makes all that follows unknown");
  gap.effects[0].forEach((edge) => (edge.effect = { ...arrow(0, 1, 0.3).effect, kind: "risk_difference" }));
  assert.deepEqual([...linearShifts(gap, 0).unknown].sort(), [1, 2, 3], "other kinds of sizes do not multiply");
});

test("random graphs: the propagated total equals the enumerated one", () => {
  let state = 12345;
  const random = () => ((state = (1103515245 * state + 12345) % 2147483648) / 2147483648);
  for (let round = 0; round < 20; ++round) {
    const edges = [];
    for (let i = 0; i < 9; ++i) for (let j = i + 1; j < 9; ++j) if (random() < 0.4) edges.push(arrow(i, j, random() - 0.5));
    const graph = causalGraph(9, edges);
    const paths = directedPaths(graph, 0, 8, 100000);
    assert.equal(paths.length, countPaths(graph, 0, 8));
    const total = paths.reduce((sum, path) => sum + path.reduce((product, edge) => product * edge.effect.size, 1), 0);
    assert.ok(Math.abs(total - linearShifts(graph, 0).shift[8]) < 1e-12);
  }
});

test("adjustment sets: parents and the o-set", () => {
  assert.deepEqual(adjustmentSets(diamond, 0, 3), { isCause: true, parents: [4], optimal: [4, 5] });
  assert.deepEqual(adjustmentSets(diamond, 3, 0), { isCause: false, parents: [1, 2, 4], optimal: null });
  assert.deepEqual(adjustmentSets(diamond, 0, 4), { isCause: false, parents: null, optimal: null });
  // A mediator's child and a common effect are never held fixed.
  const trap = causalGraph(4, [arrow(0, 1), arrow(1, 2), arrow(1, 3), arrow(2, 3)]);
  assert.deepEqual(adjustmentSets(trap, 0, 2).optimal, []);
});

test("a cycle leaves no order", () => {
  assert.equal(causalGraph(3, [arrow(0, 1), arrow(1, 2), arrow(2, 0)]).order, null);
  assert.deepEqual(diamond.order.length, 7);
});
