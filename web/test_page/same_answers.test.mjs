// The page and the program answer alike: audits, probabilities, formats.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import {
  assertClean, chain, content, dropTable, furthestApart, looked, matrixOf, open, patience, program, programMatrix, root, run,
  serveByProgram, startBrowser, stopBrowser, temporaryFolder, text, write,
} from "./page.mjs";

const allowed = 1e-3; // between probabilities

let server, page, files;
before(async () => {
  files = temporaryFolder();
  server = await serveByProgram();
  await startBrowser();
  page = await open(server.address);
});
after(async () => {
  await stopBrowser();
  await server?.stop();
  files?.stop();
});

const lines = (name) => readFileSync(join(root, "examples/sachs", name), "utf8").replace(/\n$/, "").split("\n"); // empty lines say something

// Every 30th cell of the example.
function someSachs() {
  const [head, ...rows] = lines("data.csv"), targets = lines("interventions.csv");
  const few = (list) => list.filter((_, k) => k % 30 === 0);
  assert.equal(targets.length, rows.length);
  return { table: `${[head, ...few(rows)].join("\n")}\n`, interventions: `${few(targets).join("\n")}\n`, targets: few(targets), head, rows: few(rows) };
}

// Words in two and more kinds, a column of names, dates, gaps in numbers and words.
function untidy() {
  const [, ...rows] = chain(150, 3).trim().split("\n");
  const body = rows.map((row, k) => {
    const [a, b, c] = row.split(",");
    const size = Number(b) > 0.7 ? "large" : Number(b) < -0.7 ? "small" : "middle";
    const day = `2024-03-${String(1 + (k % 28)).padStart(2, "0")}`;
    return [`row-${k}`, day, a, k % 40 === 7 ? "" : b, k % 50 === 9 ? "NA" : size, Number(c) > 0 ? "yes" : "no"].join(",");
  });
  return `${["who,day,a,b,size,flag", ...body].join("\n")}\n`;
}

async function sameAudit(name, options = []) {
  const [audit, command] = await page.evaluate(() => [window.causcalePage.state.examined.audit, window.causcalePage.state.examined.command]);
  assert.ok(audit, await text(page, "#findings"));
  assert.match(command, /^causcale discover /);
  const printed = execFileSync(program, ["audit", name, ...options, "--json"], { cwd: files.folder, encoding: "utf8" });
  assert.deepEqual(audit, JSON.parse(printed));
}

async function sameProbabilities(name, options = []) {
  await run(page);
  const found = matrixOf(await content(page, "matrix"));
  const distance = furthestApart(found, programMatrix(files.folder, name, options));
  assert.ok(distance < allowed, `furthest apart: ${distance}`);
  console.log(`${name}: ${found.values.length} variables, at most ${distance.toExponential(1)} apart`);
  return found;
}

describe("the same answers as the program", () => {
  test("numbers", async () => {
    const table = chain(200, 6);
    write(files.folder, "chain.csv", table);
    await dropTable(page, "chain.csv", table);
    assert.match(await text(page, "#audit-summary"), /chain.csv: 200 rows, 6 columns, no interventions.*Working memory of the network: 0\.\d+ GiB of at most/);
    await sameAudit("chain.csv");
    const { values } = await sameProbabilities("chain.csv");
    assert.ok(values.flat().some((p) => p > 0.5) && values.flat().some((p) => p < 0.1), "probabilities that say something");
  });

  test("the network without its second stage", async () => {
    const stacked = matrixOf(await content(page, "matrix"));
    await page.select("#stacking", "off");
    await looked(page, () => document.getElementById("command").textContent.includes("--stacking off"));
    const alone = await sameProbabilities("chain.csv", ["--stacking", "off"]);
    assert.ok(furthestApart(alone, stacked) > allowed, "the second stage says something");
    await page.select("#stacking", "auto");
    await looked(page, () => !document.getElementById("command").textContent.includes("--stacking"));
  });

  test("words, gaps, names and dates", async () => {
    write(files.folder, "untidy.csv", untidy());
    await dropTable(page, "untidy.csv", untidy());
    await sameAudit("untidy.csv");
    const { values } = await sameProbabilities("untidy.csv");
    assert.equal(values.length, 4, "names and dates are set aside");
  });

  test("gaps filled in, kinds corrected, columns left out", async () => {
    await page.select("#missing", "mean");
    await looked(page, () => document.getElementById("command").textContent.includes("--missing mean"));
    const row = await page.evaluate(() => window.causcalePage.state.examined.audit.variables.findIndex(({ name }) => name === "size"));
    await page.select(`#kind-${row}`, "unordered");
    await looked(page, () => document.getElementById("command").textContent.includes("--types size=unordered"));
    await page.click('#columns input[aria-label="use flag"]');
    await looked(page, () => document.getElementById("command").textContent.includes("--exclude flag"));
    const options = ["--missing", "mean", "--types", "size=unordered", "--exclude", "flag"];
    await sameAudit("untidy.csv", options);
    await sameProbabilities("untidy.csv", options);
    await page.select("#missing", "keep");
  });

  test("interventions from a file", async () => {
    const { table, interventions } = someSachs();
    write(files.folder, "cells.csv", table);
    write(files.folder, "interventions.csv", interventions);
    await dropTable(page, "cells.csv", table);
    await (await page.$("#interventions-file")).uploadFile(join(files.folder, "interventions.csv"));
    await looked(page, () => window.causcalePage.state.examined?.audit?.intervened_rows > 0);
    await sameAudit("cells.csv", ["--interventions", "interventions.csv"]);
    await sameProbabilities("cells.csv", ["--interventions", "interventions.csv"]);
  });

  test("interventions from a column, chosen by a click", async () => {
    const { head, rows, targets } = someSachs();
    const table = `${[`${head},target`, ...rows.map((row, k) => `${row},${targets[k] || "control"}`)].join("\n")}\n`;
    write(files.folder, "labelled.csv", table);
    await dropTable(page, "labelled.csv", table);
    await page.click('input[aria-label="target names the intervention of each row"]');
    await looked(page, () => window.causcalePage.state.examined?.audit?.intervened_rows > 0);
    assert.match(await text(page, "#audit-summary"), /rows intervened on \(5 variables\)/);
    await sameAudit("labelled.csv", ["--label-column", "target"]);
    await sameProbabilities("labelled.csv", ["--label-column", "target"]);
  });

  test("packed files: .gz, .npz", async () => {
    const packed = gzipSync(chain(80, 4));
    write(files.folder, "packed.csv.gz", packed);
    await dropTable(page, "packed.csv.gz", packed);
    await sameAudit("packed.csv.gz");
    execFileSync("python3", ["-c", "import sys, zipfile, struct\nh = b\"{'descr': '<f8', 'fortran_order': False, 'shape': (60, 3), }\"\nh += b' ' * (63 - (len(h) + 10) % 64) + b'\\n'\nv = [((7 * k * k + 3 * k) % 101) / 10 + (k % 3) for k in range(180)]\nz = zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED)\nz.writestr('data.npy', b'\\x93NUMPY\\x01\\x00' + struct.pack('<H', len(h)) + h + struct.pack('<180d', *v))", join(files.folder, "packed.npz")]);
    await dropTable(page, "packed.npz", readFileSync(join(files.folder, "packed.npz")));
    await sameAudit("packed.npz");
  });

  test("knowledge, thresholds and cycles", async () => {
    write(files.folder, "known.csv", chain(120, 5));
    write(files.folder, "required.csv", "source,target\nv4,v0\n");
    write(files.folder, "forbidden.csv", "source,target\nv0,v1\n");
    write(files.folder, "tiers.csv", "v3,1\nv2,2\n");
    await dropTable(page, "known.csv", chain(120, 5));
    await page.evaluate(() => (document.getElementById("knowledge").open = true));
    for (const [kind, source, target] of [["required", "v4", "v0"], ["forbidden", "v0", "v1"]]) {
      await page.select("#pair-kind", kind);
      await page.select("#pair-source", source);
      await page.select("#pair-target", target);
      await page.click("#add-pair");
      await looked(page, (kind) => document.getElementById("command").textContent.includes(`--${kind}`), kind);
    }
    for (const [name, tier] of [["v3", "1"], ["v2", "2"]]) {
      await page.type(`input[aria-label="tier of ${name}"]`, tier);
      await page.keyboard.press("Tab");
      await looked(page, (name) => window.causcalePage.state.tiers.has(name), name);
    }
    await looked(page, () => document.getElementById("command").textContent.includes("--tiers"));
    await page.select("#dag", "greedy");
    await looked(page, () => document.getElementById("command").textContent.includes("--dag"));
    const options = ["--required", "required.csv", "--forbidden", "forbidden.csv", "--tiers", "tiers.csv", "--dag"];
    const { values } = await sameProbabilities("known.csv", options);
    assert.deepEqual([values[4][0], values[0][1], values[2][3]], [1, 0, 0]);
    const edges = execFileSync(program, ["discover", "known.csv", ...options, "-q", "--precision", "fp32", "-o", "-"], { cwd: files.folder, encoding: "utf8" });
    const pairs = (csv) => csv.trim().split("\n").slice(1).map((line) => line.split(",").slice(0, 2).join(" ")).sort();
    assert.deepEqual(pairs(await content(page, "csv")), pairs(edges));
    await page.select("#dag", "");
  });

  test("without a request or a complaint of the browser", () => assertClean(page));
});
