// Prints how long the page takes from the click to the graph, with threads and without. Not a test.
//   CAUSCALE=PROGRAM PAGE=FOLDER node test_page/measure.mjs [ROWS COLUMNS]
import { loadavg } from "node:os";
import { chain, dropTable, open, patience, serveByProgram, servePlainly, startBrowser, stopBrowser } from "./page.mjs";

const [rows, columns] = process.argv.length > 3 ? process.argv.slice(2).map(Number) : [1000, 20];
await startBrowser();
for (const serve of [serveByProgram, servePlainly]) {
  const server = await serve();
  const page = await open(server.address);
  await dropTable(page, "chain.csv", chain(rows, columns));
  await page.waitForSelector("#discover:not([disabled])", patience);
  const begin = Date.now();
  await page.click("#discover");
  await page.waitForFunction(() => document.getElementById("working").hidden, { timeout: 900_000 });
  const frame = await (await page.$("#report")).contentFrame();
  await frame.waitForFunction(() => window.causcaleReport?.graph.frames.length > 0, patience);
  const seconds = (Date.now() - begin) / 1000;
  const threads = await page.evaluate(() => window.causcalePage.engine.threads);
  console.log(`${rows} rows, ${columns} columns, ${threads} threads: ${seconds.toFixed(1)} s from click to graph (load of the machine ${loadavg()[0].toFixed(1)})`);
  await page.close();
  await server.stop();
}
await stopBrowser();
