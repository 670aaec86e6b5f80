// The page as a visitor uses it: drop, correct, run, cancel, explore, save; light, dark, phone, keyboard.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  assertClean, chain, content, dropTable, looked, open, patience, picture, run, serveByProgram, startBrowser, stopBrowser,
  temporaryFolder, text,
} from "./page.mjs";

let server, files;
before(async () => {
  files = temporaryFolder();
  server = await serveByProgram();
  await startBrowser();
});
after(async () => {
  await stopBrowser();
  await server?.stop();
  files?.stop();
});

describe("a visitor with a mouse", () => {
  let page;
  before(async () => (page = await open(server.address)));
  after(() => page.close());

  test("pastes a table and finds a graph", async () => {
    await page.click("details summary");
    await page.$eval("#pasted", (area, table) => (area.value = table), chain(150, 5));
    await page.click("#use-pasted");
    await looked(page, () => window.causcalePage.state.examined?.audit);
    assert.match(await text(page, "#audit-summary"), /pasted.csv: 150 rows, 5 columns/);
    await run(page);
  });

  test("explores the program's report", async () => {
    const frame = await (await page.$("#report")).contentFrame();
    await frame.waitForFunction(() => window.causcaleReport?.graph.frames.length > 0, patience);
    // The graph fills its place from the beginning, so that the names of its variables can be read.
    const scale = () => frame.evaluate(() => window.causcaleReport.graph.scene.scale);
    const first = await scale();
    await frame.click("#fit");
    await frame.evaluate(() => new Promise((done) => setTimeout(done, 300)));
    assert.ok(Math.abs(first / (await scale()) - 1) < 0.1, `${first} where ${await scale()} fits`);
    assert.match(await frame.$eval("#summary", (element) => element.textContent), /5 variables, 150 rows/);
    for (const tab of ["edges", "heat", "what-if"]) {
      await frame.click(`#tab-${tab}`);
      assert.equal(await frame.$eval(`#panel-${tab}`, (panel) => panel.hidden), false, tab);
    }
    await frame.click("#tab-graph");
    await picture(page, "page-light");
  });

  test("saves every format", async () => {
    const saves = await page.$$eval("#downloads button", (buttons) => buttons.map(({ dataset, title }) => [dataset.format, title]));
    for (const format of ["html", "csv", "pairs", "matrix", "npy", "json", "svg", "dot", "graphml", "gml", "tetrad", "dagitty"])
      assert.ok(saves.some(([name]) => name === format), format);
    const session = await page.createCDPSession();
    await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: files.folder, browserContextId: page.browserContext().id });
    for (const [format, file] of saves) {
      // A graph of these may have no form in some format; then the page says why.
      const message = await page.evaluate(async (format) => window.causcalePage.engine.format(format).then(() => null, (error) => error.message), format);
      await page.click(`#downloads button[data-format="${format}"]`);
      if (message !== null) {
        await looked(page, (message) => document.getElementById("status").textContent === message, message);
        continue;
      }
      // Chromium drops what a page saves beyond ten files a second.
      await new Promise((done) => setTimeout(done, 150));
      const path = join(files.folder, file);
      for (let k = 0; k < 200 && !existsSync(path); ++k) await new Promise((done) => setTimeout(done, 50));
      const expected = await page.evaluate(async (format) => [...(await window.causcalePage.engine.format(format))], format);
      assert.ok(expected.length > 0, format);
      assert.ok(readFileSync(path).equals(Buffer.from(expected)), file);
    }
    assert.equal(JSON.parse(await content(page, "json")).data?.rows ?? 150, 150);
    assert.match(await content(page, "svg"), /<svg/);
    assert.match(await content(page, "html"), /<!DOCTYPE html>/i);
  });

  test("draws what is known, with the pointer held", async () => {
    await dropTable(page, "more.csv", chain(120, 5));
    assert.equal(await page.$eval("#result", (section) => section.hidden), true, "the old result is gone");
    await page.evaluate(() => {
      document.getElementById("knowledge").open = true;
      document.getElementById("knowledge-drawing").scrollIntoView({ block: "center" });
    });
    await page.select("#pair-kind", "forbidden");
    const centre = (k) => page.$$eval("#knowledge-drawing circle", (circles, k) => {
      const { x, y, width, height } = circles[k].getBoundingClientRect();
      return [x + width / 2, y + height / 2];
    }, k);
    await page.mouse.move(...(await centre(0)));
    await page.mouse.down();
    await page.mouse.move(...(await centre(1)), { steps: 4 });
    await page.mouse.up();
    assert.match(await text(page, "#pairs"), /v0 \u2192 v1 must not be there/);
    assert.equal(await page.$$eval("#knowledge-drawing line.forbidden", (lines) => lines.length), 1);
    await looked(page, () => document.getElementById("command").textContent.includes("--forbidden"));
    assert.match(await text(page, "#command"), /forbidden\.csv:\nsource,target\nv0,v1/);
    await picture(page, "page-knowledge");
    await page.click("#pairs button");
    assert.equal(await text(page, "#pairs"), "");
    await looked(page, () => !document.getElementById("command").textContent.includes("--forbidden"));
  });

  test("watches the progress, cancels at once and goes on", async () => {
    await dropTable(page, "long.csv", chain(1000, 40));
    await page.waitForSelector("#discover:not([disabled])", patience);
    await page.click("#discover");
    await looked(page, () => document.getElementById("progress").value > 0);
    assert.match(await text(page, "#stage"), /\d %$/);
    // Another table has to wait.
    await page.click("#examples button");
    assert.match(await text(page, "#status"), /cancel first/);
    const begin = Date.now();
    await page.click("#cancel");
    await looked(page, () => document.getElementById("working").hidden);
    assert.ok(Date.now() - begin < 10_000);
    assert.equal(await text(page, "#status"), "Cancelled.");
    assert.equal(await page.$eval("#result", (section) => section.hidden), true);
    assert.equal(await page.evaluate(() => window.causcalePage.state.table.name), "long.csv");
    await dropTable(page, "short.csv", chain(60, 4));
    await run(page);
  });

  test("meets no request and no complaint of the browser", () => assertClean(page));
});

test("everything is done with the keyboard", async () => {
  const page = await open(server.address);
  const tabTo = async (selector) => {
    for (let k = 0; k < 200; ++k) {
      await page.keyboard.press("Tab");
      if (await page.evaluate((selector) => document.activeElement?.matches(selector), selector)) return;
    }
    assert.fail(`the Tab key does not reach ${selector}`);
  };
  await tabTo("#file");
  await tabTo("summary");
  await page.keyboard.press("Enter");
  await tabTo("#pasted");
  await page.keyboard.sendCharacter(chain(60, 3));
  await tabTo("#use-pasted");
  await page.keyboard.press("Enter");
  await looked(page, () => window.causcalePage.state.examined?.audit);
  await tabTo("#kind-1");
  await page.keyboard.type("ordered");
  await looked(page, () => document.getElementById("command").textContent.includes("--types v1=ordered"));
  await tabTo("#knowledge summary");
  await page.keyboard.press("Enter");
  await tabTo('#knowledge-drawing g[aria-label="from v0"]');
  await page.keyboard.press("Enter");
  await tabTo('#knowledge-drawing g[aria-label="to v2"]');
  await page.keyboard.press(" ");
  assert.match(await text(page, "#pairs"), /v0 \u2192 v2 must be there/);
  await looked(page, () => document.getElementById("command").textContent.includes("--required"));
  await tabTo("#discover");
  await page.keyboard.press("Enter");
  await looked(page, () => /^Done/.test(document.getElementById("status").textContent));
  assert.equal(await page.evaluate(() => document.activeElement.id), "report");
  assert.match(await content(page, "csv"), /v0,v2,1/);
  assertClean(page);
  await page.close();
});

test("fits a phone, in the dark", async () => {
  const page = await open(server.address, { width: 390, height: 800, dark: true });
  const beyond = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok((await beyond()) <= 0, "empty page");
  await page.click("#examples button");
  await looked(page, () => window.causcalePage.state.examined !== null);
  assert.match(await text(page, "#audit-summary"), /5,846 rows, 11 columns, 4,091 rows intervened on/);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  const [paper, ink] = await page.evaluate(() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]);
  const light = (colour) => colour.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
  assert.ok(light(paper) < 200 && light(ink) > 500, `${ink} on ${paper}`);
  assert.ok((await beyond()) <= 0, `${await beyond()} pixels too wide`);
  await picture(page, "page-phone");
  await page.click("#examples button:nth-of-type(2)");
  await looked(page, () => window.causcalePage.state.table?.name === "untidy.csv" && window.causcalePage.state.examined?.audit);
  await run(page);
  assert.ok((await beyond()) <= 0, "with a result");
  await page.click("#theme");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
  assertClean(page);
  await page.close();
});
