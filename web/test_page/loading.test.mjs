// How the page comes and what it asks for: isolation, threads, the cache, nothing afterwards.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  assertClean, chain, content, dropTable, furthestApart, matrixOf, newContext, open, pageFolder, patience, run, serveByProgram,
  servePlainly, startBrowser, stopBrowser,
} from "./page.mjs";

const manifest = JSON.parse(readFileSync(join(pageFolder, "manifest.json"), "utf8"));

before(startBrowser);
after(stopBrowser);

test("the program's server isolates the page, which then has threads; other servers need not", { skip: !manifest.threads && "the module with threads has not been built" }, async () => {
  const [program, plain] = [await serveByProgram(), await servePlainly()];
  const table = chain(150, 5), found = [];
  for (const [server, isolated] of [[program, true], [plain, false]]) {
    const page = await open(server.address);
    assert.equal(await page.evaluate(() => self.crossOriginIsolated), isolated);
    const { threads, cores } = await page.evaluate(() => ({ threads: window.causcalePage.engine.threads, cores: navigator.hardwareConcurrency }));
    assert.equal(threads, isolated ? Math.min(cores, 16) : 1);
    await dropTable(page, "chain.csv", table);
    await run(page);
    found.push(matrixOf(await content(page, "matrix")));
    assertClean(page);
    await page.close();
  }
  assert.ok(furthestApart(...found) < 1e-6, "threads change nothing");
  await program.stop();
  await plain.stop();
});

test("works when the server has gone, and the browser itself refuses requests", async () => {
  const server = await servePlainly();
  const page = await open(server.address);
  const asked = server.seen.length;
  await server.stop();
  await page.setOfflineMode(true);
  await page.click("#examples button:nth-of-type(2)");
  await page.waitForFunction(() => window.causcalePage.state.examined?.audit, patience);
  await page.waitForSelector("#discover:not([disabled])", patience);
  await page.click("#discover");
  await page.waitForFunction(() => document.getElementById("progress").value > 0, patience);
  await page.click("#cancel");
  await page.waitForFunction(() => document.getElementById("working").hidden, patience);
  await run(page);
  assertClean(page);
  assert.equal(server.seen.length, asked);
  await page.setOfflineMode(false);
  // With the network there again, a script in the page could still send nothing.
  const attempts = {
    fetch: () => fetch("manifest.json").then(() => "sent"),
    elsewhere: () => fetch("https://example.org/", { mode: "no-cors" }).then(() => "sent"),
    image: () => new Promise((done, fail) => Object.assign(new Image(), { onload: () => done("sent"), onerror: fail, src: "picture.png" })),
    beacon: () => Promise.resolve(navigator.sendBeacon("/beacon", "x")).then(() => Promise.reject(new Error("queued"))),
  };
  for (const [name, attempt] of Object.entries(attempts))
    assert.notEqual(await page.evaluate(`(${attempt})().catch(() => "refused")`), "sent", name);
  assert.ok(page.problems.filter((problem) => /Content.Security.Policy/.test(problem)).length >= 3, page.problems.join("\n"));
  await page.close();
});

test("the second visit takes everything that is large from the browser's cache", async () => {
  const server = await servePlainly();
  const context = await newContext();
  const first = await open(server.address, { context });
  assert.ok(server.seen.some((path) => path.includes("safetensors")));
  await first.close();
  server.seen.length = 0;
  const second = await open(server.address, { context });
  assert.ok(server.seen.length > 0);
  assert.deepEqual(server.seen.filter((path) => /safetensors|wasm/.test(path)), []);
  await dropTable(second, "short.csv", chain(40, 3));
  await run(second);
  await context.close();
  await server.stop();
});

test("what is loaded stays small", () => {
  const bytes = (file) => statSync(join(pageFolder, file)).size;
  assert.ok(bytes(manifest.model.file) < 16.5e6, "weights");
  for (const set of [manifest.plain, manifest.threads].filter(Boolean)) assert.ok(bytes(set.module.file) < 8e6, set.module.file);
});
