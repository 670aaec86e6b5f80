// Tables that are wrong: the page says what the program says, and goes on as if they had not been.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import {
  assertClean, chain, dropTable, looked, open, program, run, serveByProgram, startBrowser, stopBrowser, temporaryFolder, text, write,
} from "./page.mjs";

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

const npy = (header, body) => {
  const text = Buffer.from(`${header.padEnd(117)}\n`);
  return Buffer.concat([Buffer.from("\x93NUMPY\x01\x00", "latin1"), Buffer.from([text.length & 255, text.length >> 8]), text, body]);
};
const shaped = (type, shape, body = Buffer.alloc(8)) => npy(`{'descr': '${type}', 'fortran_order': False, 'shape': ${shape}, }`, body);

const unreadable = {
  "empty.csv": "",
  "header.csv": "a,b\n",
  "ragged.csv": "a,b\n1,2\n3\n",
  "open_quote.csv": 'a,b\n"1,2\n3,4\n',
  "zero_bytes.csv": "a,b\n1,\0\n",
  "utf16.csv": Buffer.from("\ufeffa,b\n1,2\n", "utf16le"),
  "mac.csv": "a,b\r1,2\r3,4\r",
  "cut.npy": shaped("<f8", "(100, 3)"),
  "objects.npy": shaped("|O", "(100, 3)"),
  "cube.npy": shaped("<f8", "(1, 1, 1)"),
  "absurd.npy": shaped("<f8", "(99999999999, 99999999999)"),
  "magic.npy": "no numbers",
  "junk.npz": "PK",
  "nothing.npz": "",
  "sheet.xlsx": "PK\x03\x04 and then nothing",
  "sheet.csv": Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 1, 2, 3]),
  "table.csv": "PAR1 and more",
  "paper.csv": "%PDF-1.7\n",
  "cut.csv.gz": gzipSync(chain(100, 3)).subarray(0, 400),
};

// Tables that are read and fail the audit.
const flawed = {
  "twice.csv": "a,b,a\n1,2,3\n4,5,6\n",
  "infinite.csv": "a,b\n1,inf\n2,3\n4,5\n",
};

// What the program says, without its name.
function programSays(...words) {
  const done = spawnSync(program, words, { cwd: files.folder, encoding: "utf8" });
  assert.equal(done.status, 1, done.stderr);
  return done.stderr.replace(/^causcale: /, "").trim();
}

async function pageSays() {
  return (await page.$eval("#status", ({ textContent, classList }) => (classList.contains("bad") ? textContent : ""))) || (await text(page, "#findings"));
}

// The first error of the audit, as the program puts it into one line.
async function pageErrors(name) {
  const [message, hint] = await page.$eval("#findings li.error", (item) => [...item.childNodes].slice(1).map((node) => node.textContent.trim()));
  return `${name}: ${message} (${hint})`;
}

async function goesOn() {
  await dropTable(page, "good.csv", chain(50, 3));
  assert.match(await text(page, "#audit-summary"), /good.csv: 50 rows, 3 columns/);
  await page.waitForSelector("#discover:not([disabled])");
}

describe("tables that cannot be read", () => {
  for (const [name, content] of Object.entries(unreadable))
    test(name, async () => {
      write(files.folder, name, content);
      await dropTable(page, name, content);
      assert.equal(await pageSays(), programSays("discover", name, "-q", "-o", "-"));
      assert.equal(await page.$eval("#discover", (button) => button.disabled), true);
      await goesOn();
    });

  for (const [name, content] of Object.entries(flawed))
    test(name, async () => {
      write(files.folder, name, content);
      await dropTable(page, name, content);
      assert.equal(await pageErrors(name), programSays("discover", name, "-q", "-o", "-"));
      assert.equal(await page.$eval("#discover", (button) => button.disabled), true);
      await goesOn();
    });

  test("an .h5ad file is left to the program", async () => {
    await dropTable(page, "cells.h5ad", "\x89HDF\r\n\x1a\n");
    assert.match(await pageSays(), /cells\.h5ad.*causcale discover cells\.h5ad/s);
    await goesOn();
  });
});

describe("what is said of a table and does not fit it", () => {
  test("interventions", async () => {
    const table = chain(4, 3);
    write(files.folder, "good.csv", table);
    for (const [name, content] of [["short.csv", "v0\n\n"], ["strangers.csv", "v0\nnobody\n\n\n"], ["cut.json", '[{"targets": ["v0"']]) {
      write(files.folder, name, content);
      await dropTable(page, "good.csv", table);
      await (await page.$("#interventions-file")).uploadFile(`${files.folder}/${name}`);
      await looked(page, () => window.causcalePage.state.examined?.unreadable || window.causcalePage.state.examined?.audit?.errors > 0);
      const said = (await page.evaluate(() => window.causcalePage.state.examined.unreadable)) ?? (await pageErrors("good.csv"));
      assert.equal(said.replaceAll("the interventions", name), programSays("discover", "good.csv", "--interventions", name, "-q", "-o", "-"));
      assert.equal(await page.$eval("#discover", (button) => button.disabled), true);
      await page.click("#forget-interventions");
      await looked(page, () => window.causcalePage.state.examined?.audit?.errors === 0);
    }
  });

  test("knowledge that contradicts itself", async () => {
    await dropTable(page, "good.csv", chain(30, 3));
    await page.evaluate(() => {
      window.causcalePage.state.pairs.push({ source: "v0", target: "v1", kind: "required" }, { source: "v0", target: "v1", kind: "forbidden" });
    });
    await page.click("#discover");
    await looked(page, () => document.getElementById("working").hidden && document.getElementById("status").classList.contains("bad"));
    write(files.folder, "good.csv", chain(30, 3));
    write(files.folder, "pairs.csv", "source,target\nv0,v1\n");
    assert.equal(await text(page, "#status"), programSays("discover", "good.csv", "--required", "pairs.csv", "--forbidden", "pairs.csv", "-q", "-o", "-"));
    await goesOn();
  });

  test("a threshold that is no number", async () => {
    await page.$eval("#threshold", (input) => ((input.value = "-3"), input.dispatchEvent(new Event("change"))));
    assert.equal(await page.evaluate(() => window.causcalePage.state.threshold), 0);
    await page.$eval("#threshold", (input) => ((input.value = "0.5"), input.dispatchEvent(new Event("change"))));
  });
});

describe("what is too large", () => {
  test("is refused with the command to run instead", async () => {
    await dropTable(page, "wide.csv", chain(3, 1500));
    assert.equal(await page.$eval("#discover", (button) => button.disabled), true);
    assert.match(await text(page, "#obstacle"), /needs [\d.]+ GiB.*too large for a browser. Run instead: causcale discover wide.csv/);
    await goesOn();
  });

  test("before it is read, where the file alone says so", async () => {
    await page.evaluate(() => {
      const files = new DataTransfer();
      const part = new Uint8Array(2 ** 24);
      files.items.add(new File(Array(13).fill(part), "it's large.csv"));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
    });
    await looked(page, () => document.getElementById("status").classList.contains("bad"));
    assert.equal(await text(page, "#status"), "it's large.csv has 208 MiB, and the page takes 200 MiB. Run instead: causcale discover 'it'\\''s large.csv' -o report.html");
    await goesOn();
  });

  test("when it unpacks to too much", async () => {
    await dropTable(page, "bomb.csv.gz", gzipSync(Buffer.alloc(210 * 2 ** 20, "0,0\n")));
    assert.match(await text(page, "#status"), /bomb.csv.gz unpacks to more, and the page takes 200 MiB. Run instead: causcale discover bomb.csv.gz/);
    await goesOn();
  });

  test("names are text, whatever is in them", async () => {
    const name = '<img src=x onerror="document.title=1">';
    await dropTable(page, `${name}.csv`, `"${name.replaceAll('"', '""')}",b,c\n${chain(40, 3).split("\n").slice(1).join("\n")}`);
    assert.ok((await text(page, "#columns")).includes(name));
    await run(page);
    assert.equal(await page.title(), "CauScale");
  });
});

test("nothing stays behind", async () => {
  const kept = await page.evaluate(async () => [localStorage.length, sessionStorage.length, (await caches.keys()).join(), (await indexedDB.databases()).length, document.cookie]);
  assert.deepEqual(kept, [0, 0, "causcale", 0, ""], "only the page's own files are kept");
  const files = await page.evaluate(async () => (await (await caches.open("causcale")).keys()).map(({ url }) => new URL(url).pathname));
  assert.ok(files.every((file) => /\.(js|wasm|safetensors)$/.test(file)), files.join());
  assertClean(page);
});
