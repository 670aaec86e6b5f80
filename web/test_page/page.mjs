// Opens the page in a headless Chromium, for the tests beside it. CAUSCALE names the program, PAGE the folder of the
// page, CHROMIUM the browser, or FIREFOX another one; SCREENSHOTS, if set, where pictures go.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";

export const program = process.env.CAUSCALE;
export const pageFolder = resolve(process.env.PAGE ?? "../build/page");
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const pictures = process.env.SCREENSHOTS;
if (pictures) mkdirSync(pictures, { recursive: true });
export const patience = { timeout: 180_000 };

let browser;
export async function startBrowser() {
  const common = { headless: true, protocolTimeout: 900_000 };
  if (process.env.FIREFOX) {
    browser = await puppeteer.launch({ ...common, browser: "firefox", executablePath: process.env.FIREFOX });
    return;
  }
  const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const args = [...asRoot, "--disable-gpu", "--disable-dev-shm-usage"];
  browser = await puppeteer.launch({ ...common, executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
}
export const stopBrowser = () => browser?.close();
export const newContext = () => browser.createBrowserContext();

// A folder for the files of a test, which is gone when `stop` has been called.
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), "causcale-page-"));
  return { folder, stop: () => rmSync(folder, { recursive: true, force: true }) };
}

// The page as `causcale serve` delivers it.
export async function serveByProgram() {
  const server = spawn(program, ["serve", "--port", "0", "--page", pageFolder, "-q"], { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((done, fail) => {
    server.stdout.once("data", (line) => done(String(line).trim()));
    server.once("exit", (code) => fail(new Error(`the server ended with ${code}`)));
  });
  const ended = new Promise((done) => server.once("exit", done));
  return { address, stop: () => (server.kill("SIGTERM"), ended) };
}

// The page as any web server delivers it, without headers of isolation; `seen` lists what was asked for.
export async function servePlainly() {
  const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".wasm": "application/wasm" };
  const seen = [];
  const server = createServer((request, response) => {
    seen.push(request.url);
    const path = join(pageFolder, new URL(request.url, "http://localhost").pathname.replace(/\/$/, "/index.html"));
    if (!path.startsWith(pageFolder) || !statSync(path, { throwIfNoEntry: false })?.isFile()) return response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": types[extname(path)] ?? "application/octet-stream" }).end(readFileSync(path));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    address: `http://127.0.0.1:${server.address().port}/`,
    seen,
    stop: () => new Promise((done) => (server.close(done), server.closeAllConnections())),
  };
}

export async function open(address, { width = 1280, height = 900, dark = false, context = null } = {}) {
  const page = await (context ?? (await newContext())).newPage();
  page.problems = [];
  page.requests = [];
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
  page.on("dialog", (dialog) => (page.problems.push(`dialog: ${dialog.message()}`), void dialog.dismiss()));
  page.on("request", (request) => page.requests.push(request.url()));
  if (!process.env.FIREFOX) await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }]);
  await page.setViewport({ width, height });
  await page.goto(address);
  await page.waitForSelector("html[data-ready]", patience);
  page.loaded = page.requests.length;
  return page;
}

// Whatever was asked for after the page had been loaded; what is made in memory has no address of a computer.
export const laterRequests = (page) => page.requests.slice(page.loaded).filter((url) => !/^(blob|data|about):/.test(url));

export function assertClean(page) {
  assert.deepEqual(page.problems, []);
  assert.deepEqual(laterRequests(page), [], "nothing may leave the computer");
}

export const text = (page, selector) => page.$eval(selector, (element) => element.textContent);
export const picture = async (page, name) => pictures && page.screenshot({ path: join(pictures, `${name}.png`) });

// Drops a file onto the page and waits until it has been looked over, or was refused at once.
export async function dropTable(page, name, content) {
  const bytes = Buffer.from(content).toString("base64");
  await page.evaluate(
    (name, bytes) => {
      Object.assign(window.causcalePage.state, { examined: null, table: null });
      document.getElementById("status").textContent = "";
      const files = new DataTransfer();
      files.items.add(new File([Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0))], name));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
    },
    name,
    bytes,
  );
  await page.waitForFunction(
    () => window.causcalePage.state.examined !== null || document.getElementById("status").classList.contains("bad"),
    patience,
  );
}

// What the page has done with everything said so far.
export async function looked(page, test, ...values) {
  await page.waitForFunction(test, patience, ...values);
}

export async function run(page) {
  await page.waitForSelector("#discover:not([disabled])", patience);
  await page.click("#discover");
  await page.waitForFunction(() => document.getElementById("working").hidden, patience);
  assert.match(await text(page, "#status"), /^Done in/);
}

export const content = (page, format) =>
  page.evaluate(async (format) => new TextDecoder().decode(await window.causcalePage.engine.format(format)), format);

// A chain of variables; the same numbers on every computer.
export function chain(rows, columns, seed = 5) {
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

// Names and probabilities of a matrix as --matrix FILE.csv writes it.
export function matrixOf(csv) {
  const [head, ...lines] = csv.trim().split("\n").map((line) => line.split(","));
  return { names: head, values: lines.map((line) => line.slice(-lines.length).map(Number)) };
}

export function furthestApart(a, b) {
  assert.deepEqual(a.names, b.names);
  assert.equal(a.values.length, b.values.length);
  return Math.max(...a.values.flatMap((row, i) => row.map((value, j) => Math.abs(value - b.values[i][j]))));
}

// The program's matrix for files in a folder; products in floats, as the page has them.
export function programMatrix(folder, table, options = []) {
  const file = join(folder, "program-matrix.csv");
  execFileSync(program, ["discover", table, ...options, "-q", "--precision", "fp32", "--matrix", file], { cwd: folder });
  return matrixOf(readFileSync(file, "utf8"));
}

export const write = (folder, name, content) => writeFileSync(join(folder, name), content);
