// Prints how long the page takes from the click to the graph, with threads and without, with the model's second stage
// and without, and the seconds of processor time that the browser's processes took meanwhile. Not a test.
//   CAUSCALE=PROGRAM PAGE=FOLDER node test_page/measure.mjs [ROWS COLUMNS]
import { readdirSync, readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { chain, dropTable, looked, open, patience, serveByProgram, servePlainly, startBrowser, stopBrowser } from "./page.mjs";

// Of this process's descendants that live, as Linux counts it.
function processorSeconds() {
  const processes = readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name)).flatMap((name) => {
    try {
      const fields = readFileSync(`/proc/${name}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
      return [{ id: Number(name), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }];
    } catch {
      return []; // it has ended
    }
  });
  const family = new Set([process.pid]);
  for (let before = 0; before < family.size; ) {
    before = family.size;
    for (const { id, parent } of processes) if (family.has(parent)) family.add(id);
  }
  return processes.filter(({ id }) => family.has(id)).reduce((sum, { ticks }) => sum + ticks, 0) / 100;
}

const [rows, columns] = process.argv.length > 3 ? process.argv.slice(2).map(Number) : [1000, 20];
await startBrowser();
for (const serve of [serveByProgram, servePlainly]) {
  const server = await serve();
  const page = await open(server.address);
  await dropTable(page, "chain.csv", chain(rows, columns));
  for (const stacking of ["auto", "off"]) {
    await page.select("#stacking", stacking);
    await looked(page, (off) => document.getElementById("command").textContent.includes("--stacking off") === off, stacking === "off");
    await page.waitForSelector("#discover:not([disabled])", patience);
    const begin = Date.now(), used = processorSeconds();
    await page.click("#discover");
    await page.waitForFunction(() => document.getElementById("working").hidden, { timeout: 900_000 });
    const frame = await (await page.$("#report")).contentFrame();
    await frame.waitForFunction(() => window.causcaleReport?.graph.frames.length > 0, patience);
    const seconds = (Date.now() - begin) / 1000;
    const threads = await page.evaluate(() => window.causcalePage.engine.threads);
    console.log(
      `${rows} rows, ${columns} columns, ${threads} threads, second stage ${stacking}: ${seconds.toFixed(1)} s from click to graph, ` +
        `${(processorSeconds() - used).toFixed(1)} s of processor time (load of the machine ${loadavg()[0].toFixed(1)})`,
    );
  }
  await page.close();
  await server.stop();
}
await stopBrowser();
