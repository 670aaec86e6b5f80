// Uses the page as a visitor would. CAUSCALE names the program, PAGE the folder of the page, CHROMIUM the browser;
// SCREENSHOTS, if set, where pictures go.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import puppeteer from "puppeteer-core";

const program = process.env.CAUSCALE;
const pictures = process.env.SCREENSHOTS;
if (pictures) mkdirSync(pictures, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), "causcale-page-"));
const patience = { timeout: 240_000 };

let server, address, browser;
before(async () => {
  server = spawn(program, ["serve", "--port", "0", "--page", resolve(process.env.PAGE), "-q"], { stdio: ["ignore", "pipe", "inherit"] });
  address = await new Promise((done, fail) => {
    server.stdout.once("data", (line) => done(String(line).trim()));
    server.once("exit", (code) => fail(new Error(`the server ended with ${code}`)));
  });
  const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM, headless: true, protocolTimeout: 600_000, args: [...asRoot, "--disable-gpu", "--disable-dev-shm-usage"] });
});
after(async () => {
  await browser?.close();
  server?.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
});

async function open({ width = 1280, height = 900, dark = false } = {}) {
  const page = await (await browser.createBrowserContext()).newPage();
  page.problems = [];
  page.requests = [];
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
  page.on("request", (request) => page.requests.push(request.url()));
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }]);
  await page.setViewport({ width, height });
  await page.goto(address);
  await page.waitForSelector("html[data-ready]", patience);
  page.loaded = page.requests.length;
  return page;
}

const text = (page, selector) => page.$eval(selector, (element) => element.textContent);
const examined = (page) => page.waitForFunction(() => window.causcalePage.state.examined !== null, patience);
const picture = async (page, name) => pictures && page.screenshot({ path: join(pictures, `${name}.png`) });

async function dropTable(page, name, content) {
  await page.evaluate(
    (name, content) => {
      window.causcalePage.state.examined = null;
      const files = new DataTransfer();
      files.items.add(new File([content], name));
      document.getElementById("drop").dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
    },
    name,
    content,
  );
  await page.waitForFunction((name) => window.causcalePage.state.table?.name === name && window.causcalePage.state.examined !== null, patience, name);
}

async function run(page) {
  await page.waitForSelector("#discover:not([disabled])", patience);
  await page.click("#discover");
  await page.waitForFunction(() => document.getElementById("working").hidden, patience);
  assert.match(await text(page, "#status"), /^Done in/);
}

const content = (page, format) => page.evaluate(async (format) => new TextDecoder().decode(await window.causcalePage.engine.format(format)), format);

// A request that carries data away, or any at all, once the page is there.
const laterRequests = (page) => page.requests.slice(page.loaded).filter((url) => !url.startsWith("blob:") && !url.startsWith("data:") && url !== "about:srcdoc");

function table(rows, columns) {
  let seed = 5;
  const uniform = () => ((seed = (seed * 48271) % 2147483647) / 2147483647);
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const lines = [Array.from({ length: columns }, (_, c) => `v${c}`).join(",")];
  for (let r = 0; r < rows; ++r) {
    const row = [];
    for (let c = 0; c < columns; ++c) row.push((c > 0 ? 0.8 * row[c - 1] : 0) + normal());
    lines.push(row.map((value) => value.toFixed(4)).join(","));
  }
  return `${lines.join("\n")}\n`;
}

describe("the page", () => {
  let page;
  before(async () => (page = await open()));
  after(() => page.close());

  test("finds the same probabilities as the program", async () => {
    const data = table(200, 6);
    writeFileSync(join(folder, "chain.csv"), data);
    execFileSync(program, ["discover", join(folder, "chain.csv"), "-q", "--precision", "fp32", "--matrix", join(folder, "p.csv")]);
    await dropTable(page, "chain.csv", data);
    assert.match(await text(page, "#audit-summary"), /chain.csv: 200 rows, 6 columns, no interventions.*Working memory/);
    await run(page);
    const numbers = (csv) => csv.trim().split("\n").slice(1).map((line) => line.split(",").slice(-6).map(Number)).flat();
    const expected = numbers(readFileSync(join(folder, "p.csv"), "utf8")), found = numbers(await content(page, "matrix"));
    assert.equal(found.length, 36);
    const furthest = Math.max(...found.map((value, k) => Math.abs(value - expected[k])));
    assert.ok(furthest < 1e-3, `furthest apart: ${furthest}`);
  });

  test("shows the program's report, which can be explored", async () => {
    const frame = await (await page.$("#report")).contentFrame();
    await frame.waitForFunction(() => window.causcaleReport?.graph.frames.length > 0, patience);
    assert.match(await frame.$eval("#summary", (element) => element.textContent), /6 variables, 200 rows/);
    await frame.click("#tab-edges");
    assert.equal(await frame.$eval("#panel-edges", (panel) => panel.hidden), false);
  });

  test("saves every format", async () => {
    const saves = await page.$$eval("#downloads button", (buttons) => buttons.map((button) => button.dataset.format));
    for (const format of ["html", "csv", "json", "svg", "graphml", "npy", "dagitty"]) assert.ok(saves.includes(format), format);
    assert.match(await content(page, "csv"), /^source,target,probability/);
    assert.match(await content(page, "svg"), /<svg/);
    const session = await page.createCDPSession();
    await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder, browserContextId: page.browserContext().id });
    await page.click('#downloads button[data-format="json"]');
    for (let k = 0; k < 100 && !existsSync(join(folder, "result.json")); ++k) await new Promise((done) => setTimeout(done, 100));
    assert.equal(JSON.parse(readFileSync(join(folder, "result.json"), "utf8")).data.file ?? "chain.csv", "chain.csv");
  });

  test("takes corrections of kinds, columns and knowledge", async () => {
    await dropTable(page, "more.csv", table(120, 5));
    await page.select("#kind-1", "ordered");
    await page.waitForFunction(() => window.causcalePage.state.examined?.audit?.variables[1].told, patience);
    assert.match(await text(page, "#command"), /--types v1=ordered/);
    await page.evaluate(() => (document.getElementById("knowledge").open = true));
    await page.select("#pair-source", "v4");
    await page.select("#pair-target", "v0");
    await page.select("#pair-kind", "required");
    await page.click("#add-pair");
    await page.waitForFunction(() => document.getElementById("command").textContent.includes("--required"), patience);
    assert.match(await text(page, "#pairs"), /v4 \u2192 v0 must be there/);
    // Drawn with the keyboard.
    await page.select("#pair-kind", "forbidden");
    await page.focus("#knowledge-drawing g:nth-of-type(1)");
    await page.keyboard.press("Enter");
    await page.focus("#knowledge-drawing g:nth-of-type(2)");
    await page.keyboard.press("Enter");
    assert.match(await text(page, "#pairs"), /v0 \u2192 v1 must not be there/);
    await page.waitForFunction(() => document.getElementById("command").textContent.includes("--forbidden"), patience);
    await run(page);
    const edges = (await content(page, "csv")).split("\n");
    assert.ok(edges.some((line) => line.startsWith("v4,v0,1")), edges.join("\n"));
    assert.ok(!edges.some((line) => line.startsWith("v0,v1,")), edges.join("\n"));
  });

  test("says what is wrong with a table, in the program's words", async () => {
    await dropTable(page, "ragged.csv", "a,b\n1,2\n3\n");
    assert.match(await text(page, "#findings"), /ragged\.csv.*line 3/s);
    assert.equal(await page.$eval("#discover", (button) => button.disabled), true);
    await dropTable(page, "empty.csv", "");
    assert.match(await text(page, "#findings"), /empty/);
  });

  test("refuses what is too large, with the command to run instead", async () => {
    await dropTable(page, "wide.csv", table(3, 1500));
    assert.equal(await page.$eval("#discover", (button) => button.disabled), true);
    assert.match(await text(page, "#obstacle"), /too large for a browser. Run instead: causcale discover wide.csv/);
  });

  test("is cancelled at once and can go on", async () => {
    await dropTable(page, "long.csv", table(1000, 30));
    await page.waitForSelector("#discover:not([disabled])", patience);
    await page.click("#discover");
    await page.waitForFunction(() => document.getElementById("progress").value > 0, patience);
    await page.click("#cancel");
    await page.waitForFunction(() => document.getElementById("working").hidden, patience);
    assert.equal(await text(page, "#status"), "Cancelled.");
    await dropTable(page, "short.csv", table(60, 4));
    await run(page);
  });

  test("asks the network for nothing once it is loaded", () => {
    assert.deepEqual(laterRequests(page), []);
    assert.deepEqual(page.problems, []);
  });
});

test("the example of Sachs is found, in the dark and on a phone", async () => {
  const page = await open({ width: 400, height: 800, dark: true });
  await page.click("#examples button");
  await examined(page);
  assert.match(await text(page, "#audit-summary"), /5,846 rows, 11 columns, 4,091 rows intervened on/);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(beyond <= 0, `the page is ${beyond} pixels wider than the screen`);
  await picture(page, "page-phone");
  if (process.env.WITH_SACHS) {
    await page.setViewport({ width: 1280, height: 900 });
    await run(page);
    const frame = await (await page.$("#report")).contentFrame();
    await frame.waitForFunction(() => window.causcaleReport?.graph.frames.length > 0, patience);
    console.log(await text(page, "#status"));
    await picture(page, "page-sachs");
  }
  assert.deepEqual(laterRequests(page), []);
  await page.close();
});

test("the second visit takes the weights from the browser's cache", async () => {
  const context = await browser.createBrowserContext();
  const first = await context.newPage();
  await first.goto(address);
  await first.waitForSelector("html[data-ready]", patience);
  const second = await context.newPage();
  const asked = [];
  second.on("request", (request) => asked.push(request.url()));
  await second.goto(address);
  await second.waitForSelector("html[data-ready]", patience);
  assert.ok(!asked.some((url) => url.includes("safetensors")), asked.join("\n"));
  await context.close();
});
