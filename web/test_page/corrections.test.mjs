// What the visitor says of columns can be taken back, and does not stand in the way of reading the table otherwise.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import {
  assertClean, chain, dropTable, looked, open, run, serveByProgram, startBrowser, stopBrowser, temporaryFolder, text, write,
} from "./page.mjs";

let server, page, files;
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
beforeEach(async () => {
  page = await open(server.address);
  await dropTable(page, "first.csv", chain(60, 4));
});
afterEach(async () => {
  assertClean(page);
  await page.close();
});

const kind = (name) => `select[aria-label="kind of ${name}"]`;
const use = (name) => `input[aria-label="use ${name}"]`;
const tier = (name) => `input[aria-label="tier of ${name}"]`;
const value = (selector) => page.$eval(selector, (control) => control.value);
const names = () => page.$$eval("#columns tbody th", (heads) => heads.map((head) => head.textContent));
const commandSays = (words) => looked(page, (words) => document.getElementById("command").textContent.includes(words), words);
const commandIsSilentOf = (words) => looked(page, (words) => {
  const said = document.getElementById("command").textContent;
  return said !== "" && !said.includes(words);
}, words);
const rows = (number) => looked(page, (number) => window.causcalePage.state.examined?.audit?.rows === number, number);
const unreadable = () => page.evaluate(() => window.causcalePage.state.examined?.unreadable ?? null);

describe("the first line", () => {
  test("can be read as data after kinds were chosen, and as names again with all that was said", async () => {
    assert.equal(await value("#pair-target"), "v1", "another variable than the source is proposed");
    await page.select(kind("v0"), "ordered");
    await page.click(use("v1"));
    await page.type(tier("v2"), "2");
    await page.evaluate(() => (document.getElementById("knowledge").open = true));
    await page.select("#pair-target", "v3");
    await page.click("#add-pair");
    await commandSays("--exclude v1");
    await commandSays("--required");
    await page.select("#header", "no");
    // Nothing of the other names is to be seen, not even before the audit is there, or sent.
    const strangers = async () => (await names()).filter((name) => !/^X\d$/.test(name));
    assert.deepEqual(await strangers(), []);
    await rows(61);
    assert.equal(await unreadable(), null);
    assert.deepEqual(await strangers(), []);
    assert.equal((await names()).length, 4);
    assert.equal(await text(page, "#pairs"), "");
    for (const option of ["--types", "--exclude", "--tiers", "--required"]) assert.ok(!(await text(page, "#command")).includes(option), option);
    await page.select("#header", "yes");
    await rows(60);
    assert.equal(await unreadable(), null);
    assert.deepEqual(await names(), ["v0", "v1", "v2", "v3"]);
    assert.equal(await value(kind("v0")), "ordered");
    assert.equal(await value(tier("v2")), "2");
    assert.equal(await page.$eval(use("v1"), (box) => box.checked), false);
    await commandSays("--required");
    assert.match(await text(page, "#command"), /--exclude v1/);
    assert.match(await text(page, "#pairs"), /v0 \u2192 v3/);
    await page.click(use("v1"));
    await commandIsSilentOf("--exclude");
    await run(page);
  });

  test("has choices of its own when it is data", async () => {
    // Numbers throughout: a table that can be read either way.
    await dropTable(page, "numbers.csv", chain(60, 3).replace("v0,v1,v2", "1,2,3"));
    await page.select(kind("1"), "ordered");
    await page.select("#header", "no");
    await rows(61);
    const [first] = await names();
    await page.select(kind(first), "unordered");
    await commandSays(`${first}=unordered`);
    await page.select("#header", "yes");
    await rows(60);
    assert.equal(await value(kind("1")), "ordered");
    await page.select("#header", "no");
    await rows(61);
    assert.equal(await value(kind(first)), "unordered");
    assert.equal(await unreadable(), null);
    // Nothing of it is left for another table.
    await dropTable(page, "other.csv", chain(50, 3).replace("v0,v1,v2", "1,2,3"));
    await rows(51);
    await commandIsSilentOf("--types");
  });
});

describe("a kind", () => {
  test("that was chosen can be put back to what was found", async () => {
    const offered = () => page.$eval(kind("v0"), (select) => [...select.options].some((option) => option.value === ""));
    const found = await value(kind("v0"));
    assert.equal(await offered(), false, "there is nothing to put back");
    await page.select(kind("v0"), "ordered");
    assert.equal(await offered(), true);
    await commandSays("--types v0=ordered");
    await page.select(kind("v0"), "");
    await commandIsSilentOf("--types");
    assert.equal(await value(kind("v0")), found);
    assert.equal(await offered(), false);
    await run(page);
  });

  test("is put back with the keyboard, and the focus stays", async () => {
    const found = await value(kind("v0"));
    await page.focus(kind("v0"));
    await page.keyboard.type("unord");
    await commandSays("--types v0=unordered");
    await page.keyboard.press("End");
    await commandIsSilentOf("--types");
    assert.equal(await value(kind("v0")), found);
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "kind of v0");
  });
});

test("the same file of interventions is taken again after it was corrected", async () => {
  const file = `${files.folder}/interventions.csv`;
  const choose = async (content) => {
    write(files.folder, "interventions.csv", content);
    const [chooser] = await Promise.all([page.waitForFileChooser(), page.click("#interventions-file")]);
    await chooser.accept([file]);
  };
  await choose("v0\n\n");
  await looked(page, () => window.causcalePage.state.examined?.unreadable);
  await choose("v0\n".repeat(60));
  await looked(page, () => window.causcalePage.state.examined?.audit?.intervened_rows === 60);
  await page.click("#forget-interventions");
  await looked(page, () => window.causcalePage.state.examined?.audit?.intervened_rows === 0);
  await choose("v0\n".repeat(60));
  await looked(page, () => window.causcalePage.state.examined?.audit?.intervened_rows === 60);
});
