// The committed page must be what the sources build to.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { buildPage } from "../build.mjs";

const file = (name) => new URL(`../${name}`, import.meta.url);

test("dist/report.html is up to date", async () => {
  assert.ok((await buildPage()) === readFileSync(file("dist/report.html"), "utf8"), "run 'npm run build' in web/ and commit dist/report.html");
});

test("texts never enter the page as markup", () => {
  for (const name of readdirSync(file("src")))
    assert.doesNotMatch(readFileSync(file(`src/${name}`), "utf8"), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(/, name);
});
