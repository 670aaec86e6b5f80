// Answers that arrive late: none replaces what the user has said since, or is typing, and none takes the focus away.
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
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
  await page.evaluate(() => (document.getElementById("knowledge").open = true));
});
afterEach(async () => {
  assertClean(page);
  await page.close();
});

// Keeps back what the worker says, until `answer` lets it through.
const hold = () =>
  page.evaluate(() => {
    const { engine } = window.causcalePage;
    window.held = [];
    engine.receive = (data) => window.held.push(data);
  });
const arrived = () => looked(page, () => window.held.some((data) => data.stage === undefined));
const answer = () =>
  page.evaluate(() => {
    const { engine } = window.causcalePage;
    delete engine.receive;
    for (const data of window.held) engine.receive(data);
  });

// Keeps back the content of one file, until `deliver`.
const holdFile = (name) =>
  page.evaluate((name) => {
    window.deliver = () => { throw new Error("nobody has asked for the file"); };
    for (const way of ["arrayBuffer", "text"]) {
      const read = Blob.prototype[way];
      Blob.prototype[way] = async function () {
        if (this.name === name) await new Promise((go) => (window.deliver = go));
        return read.call(this);
      };
    }
  }, name);
// Long enough for what a file that arrives sets off.
const deliver = () => page.evaluate(() => (window.deliver(), new Promise((done) => setTimeout(done, 300))));

const drop = (name, content) =>
  page.evaluate(
    (name, bytes) => {
      const files = new DataTransfer();
      files.items.add(new File([Uint8Array.from(bytes)], name));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
    },
    name,
    [...Buffer.from(content)],
  );

const tier = (name) => `input[aria-label="tier of ${name}"]`;
const kind = (name) => `select[aria-label="kind of ${name}"]`;
const use = (name) => `input[aria-label="use ${name}"]`;
const commandSays = (words) => looked(page, (words) => document.getElementById("command").textContent.includes(words), words);
const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
const value = (selector) => page.$eval(selector, (control) => control.value);
const said = () => page.evaluate(() => [...window.causcalePage.state.tiers]);

describe("an audit that arrives late", () => {
  test("leaves a tier that is being typed, with its focus and caret", async () => {
    await hold();
    await page.select(kind("v0"), "ordered");
    await arrived();
    await page.type(tier("v2"), "13");
    await page.keyboard.press("ArrowLeft");
    await answer();
    await commandSays("--types v0=ordered");
    assert.equal(await focused(), "tier of v2");
    await page.keyboard.type("2");
    assert.equal(await value(tier("v2")), "123");
    await page.keyboard.press("Tab");
    assert.deepEqual(await said(), [["v2", 123]]);
    await commandSays("--tiers");
  });

  test("and could not read the table leaves it, too", async () => {
    await hold();
    write(files.folder, "short.csv", "v0\n\n");
    await (await page.$("#interventions-file")).uploadFile(`${files.folder}/short.csv`);
    await arrived();
    await page.type(tier("v1"), "7");
    await answer();
    await looked(page, () => window.causcalePage.state.examined.unreadable);
    assert.equal(await focused(), "tier of v1");
    assert.equal(await value(tier("v1")), "7");
    await page.keyboard.press("Tab");
    await page.click("#forget-interventions");
    await commandSays("--tiers");
  });

  test("leaves kinds and columns as they were set, also where an edge is added meanwhile", async () => {
    await hold();
    await page.select(kind("v0"), "ordered");
    await page.click(use("v1"));
    await page.select("#pair-target", "v0");
    await page.click("#add-pair"); // from v0 to v0, which is refused
    assert.match(await text(page, "#pair-said"), /two different/);
    await page.select("#pair-target", "v3");
    await page.click("#add-pair");
    assert.equal(await text(page, "#pair-said"), "");
    const set = async () => [await value(kind("v0")), await page.$eval(use("v1"), (box) => box.checked), await value("#pair-target")];
    assert.deepEqual(await set(), ["ordered", false, "v3"]);
    await page.focus(use("v1"));
    await answer();
    await commandSays("--exclude v1");
    assert.deepEqual(await set(), ["ordered", false, "v3"]);
    assert.equal(await focused(), "use v1");
    await page.keyboard.press(" ");
    await looked(page, () => !document.getElementById("command").textContent.includes("--exclude"));
    assert.equal(await focused(), "use v1");
    assert.equal(await page.$eval(use("v1"), (box) => box.checked), true);
    assert.match(await text(page, "#command"), /--types v0=ordered.*--required/);
  });

  test("leaves the focus in the drawing and in the list of edges", async () => {
    await hold();
    await page.select(kind("v0"), "ordered");
    await arrived();
    await page.$eval('#knowledge-drawing g[aria-label="from v1"]', (variable) => variable.focus());
    await page.keyboard.press("Enter");
    await answer();
    await commandSays("--types v0=ordered");
    assert.equal(await focused(), "to v1");
    await page.$eval('#knowledge-drawing g[aria-label="to v2"]', (variable) => variable.focus());
    await hold();
    await page.keyboard.press("Enter");
    assert.equal(await focused(), "from v2");
    await page.focus("#pairs button");
    await answer();
    await commandSays("--required");
    assert.equal(await focused(), "forget v1 to v2");
  });

  test("does not bring back a table in whose place another was refused", async () => {
    await hold();
    await page.select(kind("v0"), "ordered");
    await arrived();
    await drop("cells.h5ad", "\x89HDF");
    await answer();
    await page.evaluate(() => new Promise((done) => setTimeout(done, 300)));
    assert.match(await text(page, "#status"), /are left to the program/);
    assert.equal(await page.evaluate(() => window.causcalePage.state.examined), null);
    assert.equal(await page.$eval("#checked", (section) => section.hidden), true);
  });
});

describe("a run", () => {
  test("that begins before the audit has arrived knows which columns were left out", async () => {
    await page.type(tier("v2"), "1");
    await page.keyboard.press("Tab");
    await commandSays("--tiers");
    await hold();
    await page.click(use("v2"));
    await page.click("#discover");
    await arrived();
    await answer();
    await looked(page, () => document.getElementById("working").hidden);
    assert.match(await text(page, "#status"), /^Done in/);
    assert.ok(!(await text(page, "#command")).includes("--tiers"), "of a column that was left out nothing is known");
    await page.click(use("v2"));
    await commandSays("--tiers");
  });

  test("that is cancelled before the audit has arrived leaves what was said", async () => {
    await hold();
    await page.select(kind("v0"), "ordered");
    await page.click("#discover");
    await page.type(tier("v1"), "2");
    await page.click("#cancel");
    await looked(page, () => document.getElementById("working").hidden);
    assert.equal(await text(page, "#status"), "Cancelled.");
    assert.equal(await text(page, "#findings li.error").catch(() => null), null);
    assert.equal(await value(kind("v0")), "ordered");
    assert.equal(await value(tier("v1")), "2");
    await answer();
    await commandSays("--types v0=ordered");
    assert.deepEqual(await said(), [["v1", 2]]);
    await run(page);
  });

  test("that ends while something is typed does not take the focus", async () => {
    await hold();
    await page.click("#discover");
    await arrived();
    await page.type(tier("v1"), "1");
    await answer();
    await looked(page, () => document.getElementById("working").hidden);
    assert.match(await text(page, "#status"), /^Done in/);
    assert.equal(await focused(), "tier of v1");
    await page.keyboard.type("2");
    await page.keyboard.press("Tab");
    await looked(page, () => window.causcalePage.state.tiers.get("v1") === 12);
  });
});

describe("a file that arrives late", () => {
  test("does not take the place of a newer table", async () => {
    await holdFile("slow.csv");
    await drop("slow.csv", chain(50, 3));
    await dropTable(page, "quick.csv", chain(40, 4));
    await page.type(tier("v1"), "1");
    await deliver();
    assert.equal(await page.evaluate(() => window.causcalePage.state.table.name), "quick.csv");
    assert.equal(await focused(), "tier of v1");
  });

  test("is not refused in the place of a newer table", async () => {
    await holdFile("cut.csv.gz");
    await drop("cut.csv.gz", gzipSync(chain(100, 3)).subarray(0, 400));
    await dropTable(page, "quick.csv", chain(40, 4));
    await deliver();
    assert.equal(await page.evaluate(() => window.causcalePage.state.table?.name), "quick.csv");
    assert.equal(await text(page, "#status"), "");
  });

  test("with interventions is not taken when they were forgotten, nor for another table", async () => {
    const upload = async (name) => {
      write(files.folder, name, "v0\n".repeat(60));
      await (await page.$("#interventions-file")).uploadFile(`${files.folder}/${name}`);
    };
    const none = async () => {
      await deliver();
      assert.equal(await page.evaluate(() => window.causcalePage.state.interventions), null);
      assert.equal(await text(page, "#interventions-name"), "none");
    };
    await upload("early.csv");
    await looked(page, () => window.causcalePage.state.examined?.audit?.intervened_rows > 0);
    await holdFile("late.csv");
    await upload("late.csv");
    await page.click("#forget-interventions");
    await none();
    await upload("late.csv");
    await dropTable(page, "second.csv", chain(60, 3));
    await none();
  });
});
