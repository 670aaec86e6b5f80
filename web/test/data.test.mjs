// The rules of which edges are shown, without a browser.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const source = join(dirname(fileURLToPath(import.meta.url)), "../src");
async function load(name) {
  const built = await esbuild.build({ entryPoints: [join(source, name)], bundle: true, format: "esm", write: false });
  return import(`data:text/javascript;base64,${Buffer.from(built.outputFiles[0].text).toString("base64")}`);
}
const { isShown, readReport, statusOf } = await load("data.ts");
const { findVariables } = await load("search.ts");
const { edgeSymbol, isBetween, isOpen, parseMarks, valueText } = await load("marks.ts");

function stored(options, changes = {}) {
  return JSON.stringify({
    names: ["a", "b", "c"],
    edges: {
      source: [0, 1, 0, 2],
      target: [1, 2, 2, 0],
      probability: [9000, 5000, 4999, 3000],
      reverse: [100, 0, 3000, 4999],
      in_graph: [1, 1, 0, 0],
      floor: 0.001,
      graph_is_whole: true,
    },
    layered: { x: [0, 0, 0], y: [0, 1, 2] },
    order: [0, 1, 2],
    heat_map: { cells: 3, block: 1, values: "AAAAAAAAAAAA" },
    removed: [],
    knowledge: { required: [], forbidden: [], tiers: [] },
    run: { options },
    ...changes,
  });
}
const shown = (report, threshold) => report.edges.filter((edge) => isShown(report, edge, threshold)).map((edge) => edge.index);

test("at the threshold of the run its graph is shown, whatever rounding did", () => {
  const report = readReport(stored({ threshold: 0.5, top: 0 }));
  assert.equal(report.startThreshold, 0.5);
  assert.deepEqual(shown(report, 0.5), [0, 1]);
  assert.deepEqual(shown(report, 0.4), [0, 1, 2]);
  assert.deepEqual(shown(report, 0.6), [0]);
});

test("with --top the least probable edge of the graph stands for the threshold", () => {
  const report = readReport(stored({ threshold: 0.5, top: 2 }));
  assert.equal(report.startThreshold, 0.5);
  assert.deepEqual(shown(report, report.startThreshold), [0, 1]);
});

test("required edges stay, removed ones do not come back", () => {
  const knowledge = { required: [[2, 0]], forbidden: [], tiers: [] };
  const report = readReport(stored({ threshold: 0.5 }, { knowledge, removed: [[0, 2, 4999]] }));
  assert.deepEqual(shown(report, 0.95), [3]);
  assert.deepEqual(shown(report, 0.1), [0, 1, 3]);
  assert.equal(statusOf(report, report.edges[2], 0.1), "removed");
  assert.equal(statusOf(report, report.edges[3], 0.1), "required");
  assert.equal(statusOf(report, report.edges[1], 0.6), "doubtful");
});

test("without marks every edge is an arrow with a probability", () => {
  const report = readReport(stored({ threshold: 0.5 }));
  assert.equal(report.hasMarks, false);
  const [edge] = report.edges;
  assert.deepEqual([edge.marks, edge.sourceMark, edge.targetMark, edge.score], ["-->", "tail", "arrow", null]);
  assert.equal(valueText(edge), "90.0 %");
  assert.ok(isBetween(report, edge, 0, 1) && !isBetween(report, edge, 1, 0));
});

test("marks and scores are read; scores set the slider at the weakest edge", () => {
  const edges = {
    source: [0, 1, 0], target: [1, 2, 2], probability: [10000, 5000, 2566], reverse: [2500, 5000, 2566], in_graph: [1, 1, 1],
    score: [12.5, 6.25, 3.207], score_reverse: [3.125, 6.25, 3.207], marks: ["o->", "---", "<->"], floor: 0, graph_is_whole: true,
  };
  const report = readReport(stored({ threshold: null }, { edges, score_kind: "ranking", method: { name: "fci", graph_class: "CPDAG", log: [] } }));
  assert.ok(report.hasMarks && report.scoresRank);
  assert.equal(report.startThreshold, 0.25);
  assert.deepEqual(shown(report, 0.25), [0, 1, 2]);
  assert.deepEqual(shown(report, 0.4), [0, 1]);
  assert.deepEqual(report.edges.map(valueText), ["12.5", "6.25", "3.207"]);
  assert.deepEqual(report.edges.map((edge) => isOpen(report, edge)), [false, true, false]);
  assert.ok(isBetween(report, report.edges[0], 1, 0));
  assert.deepEqual(parseMarks("--o"), ["tail", "circle"]);
  assert.equal(edgeSymbol("<->"), "\u2194");
});

test("search puts whole names first, then beginnings, then parts", () => {
  assert.deepEqual(findVariables(["xab", "ab1", "AB", "c"], "ab"), [2, 1, 0]);
  assert.deepEqual(findVariables(["a"], "  "), []);
});
