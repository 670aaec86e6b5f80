// Opens pages in a headless Chromium, for the tests beside it.
// SAMPLES names the folder that write_samples filled; CHROMIUM the browser; SCREENSHOTS, if set, where pictures go.
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

export const samples = resolve(process.env.SAMPLES ?? "samples");
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const pictures = process.env.SCREENSHOTS;
if (pictures) mkdirSync(pictures, { recursive: true });

let browser;
export async function startBrowser() {
  assert.ok(existsSync(executablePath), `no browser at ${executablePath}`);
  const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  browser = await puppeteer.launch({ executablePath, headless: true, args: [...asRoot, "--disable-gpu", "--disable-dev-shm-usage"] });
}
export const stopBrowser = () => browser?.close();

export async function open(name, { width = 1280, height = 860, dark = false } = {}) {
  // A context of its own, so that a kept theme does not travel from page to page.
  const page = await (await browser.createBrowserContext()).newPage();
  page.problems = [];
  page.requests = [];
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
  page.on("dialog", (dialog) => {
    page.problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => request.url().startsWith("file:") || request.url().startsWith("blob:") || page.requests.push(request.url()));
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: dark ? "dark" : "light" },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
  await page.setViewport({ width, height });
  await page.goto(pathToFileURL(resolve(samples, name)).href);
  // What begins with a search draws nothing yet.
  await page.waitForFunction(() => window.causcaleReport && (window.causcaleReport.report.search_first || window.causcaleReport.graph.frames.length > 0));
  await settle(page);
  return page;
}

export const settle = (page) => page.evaluate(() => new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 250)));
export const text = (page, selector) => page.$eval(selector, (element) => element.textContent);
export const choices = (page) => page.evaluate(() => window.causcaleReport.store.get());
export const shownEdges = (page) => page.evaluate(() => window.causcaleReport.graph.shownEdges().length);
export const picture = async (page, name) => pictures && page.screenshot({ path: join(pictures, `${name}.png`) });

export async function canvasPoint(page, expression) {
  return page.evaluate((code) => {
    const box = document.getElementById("graph").getBoundingClientRect();
    const [x, y] = new Function("graph", "report", `return ${code}`)(window.causcaleReport.graph, window.causcaleReport.report);
    return [box.left + x, box.top + y];
  }, expression);
}

export function assertClean(page) {
  assert.deepEqual(page.problems, []);
  assert.deepEqual(page.requests, [], "the page must not ask the network for anything");
}
