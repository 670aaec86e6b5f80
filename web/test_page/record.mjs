// Makes the pictures of docs/page.md: the page finds the graph of the Sachs example. Not a test.
//   CAUSCALE=PROGRAM PAGE=FOLDER node test_page/record.mjs OUTPUT
// Writes page.png (at the end) and page-recording.png (an animated PNG); prints the time from click to graph.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { looked, open, patience, serveByProgram, startBrowser, stopBrowser, text } from "./page.mjs";

const output = process.argv[2] ?? ".";
mkdirSync(output, { recursive: true });

// The checksum of PNG's chunks; zlib of older Node versions does not offer it.
const table = Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; ++bit) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

function crc32(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = table[(value ^ byte) & 255] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

// The chunks of a PNG, as type and content.
function chunks(png) {
  const list = [];
  for (let at = 8; at < png.length; ) {
    const size = png.readUInt32BE(at);
    list.push([png.toString("latin1", at + 4, at + 8), png.subarray(at + 8, at + 8 + size)]);
    at += size + 12;
  }
  return list;
}

function chunk(type, content) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const ends = [Buffer.alloc(4), Buffer.alloc(4)];
  ends[0].writeUInt32BE(content.length);
  ends[1].writeUInt32BE(crc32(body));
  return Buffer.concat([ends[0], body, ends[1]]);
}

// Frames [png, milliseconds] of one size as one animated PNG, which begins anew when it has ended.
function animation(frames) {
  const number = (...values) => Buffer.concat(values.map(([bytes, value]) => {
    const place = Buffer.alloc(bytes);
    place.writeUIntBE(value, 0, bytes);
    return place;
  }));
  const head = chunks(frames[0][0]).find(([type]) => type === "IHDR")[1];
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const parts = [Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", head), chunk("acTL", number([4, frames.length], [4, 0]))];
  let sequence = 0;
  frames.forEach(([png, milliseconds], k) => {
    const own = chunks(png);
    if (!own.find(([type]) => type === "IHDR")[1].equals(head)) throw new Error(`frame ${k} has another form: ${chunks(png)[0][1].toString("hex")}, not ${head.toString("hex")}`);
    parts.push(chunk("fcTL", number([4, sequence++], [4, width], [4, height], [4, 0], [4, 0], [2, milliseconds], [2, 1000], [1, 0], [1, 0])));
    for (const [, content] of own.filter(([type]) => type === "IDAT"))
      parts.push(k === 0 ? chunk("IDAT", content) : chunk("fdAT", Buffer.concat([number([4, sequence++]), content])));
  });
  parts.push(chunk("IEND", Buffer.alloc(0)));
  return Buffer.concat(parts);
}

const server = await serveByProgram();
await startBrowser();
try {
  const page = await open(server.address, { width: 900, height: 860 });
  const frames = [];
  const shoot = async (milliseconds) => frames.push([Buffer.from(await page.screenshot({ captureBeyondViewport: false })), milliseconds]);
  await shoot(1200);
  await page.click("#examples button");
  await looked(page, () => window.causcalePage.state.examined?.audit);
  await page.evaluate(() => document.getElementById("checked").scrollIntoView());
  await shoot(2000);
  await page.select("#dag", "greedy");
  await looked(page, () => document.getElementById("command").textContent.includes("--dag"));
  await page.evaluate(() => document.getElementById("discover").scrollIntoView({ block: "center" }));
  const begin = Date.now();
  await page.click("#discover");
  for (const share of [0.1, 0.5, 0.85]) {
    await looked(page, (share) => document.getElementById("progress").value >= share || document.getElementById("working").hidden, share);
    await shoot(500);
  }
  await looked(page, () => document.getElementById("working").hidden);
  const frame = await (await page.$("#report")).contentFrame();
  await frame.waitForFunction(() => window.causcaleReport?.graph.frames.length > 0, patience);
  console.log(`from click to graph: ${((Date.now() - begin) / 1000).toFixed(1)} s (${await text(page, "#loading")} ${await text(page, "#status")})`);
  const settled = () => new Promise((done) => setTimeout(done, 1500));
  await settled();
  await frame.click("#fit");
  await settled();
  await shoot(2500);
  await frame.click("#tab-edges");
  await shoot(2000);
  await frame.click("#tab-graph");
  writeFileSync(join(output, "page-recording.png"), animation(frames));
  await page.setViewport({ width: 1280, height: 1150 });
  await page.evaluate(() => document.getElementById("result").scrollIntoView());
  await settled();
  await frame.click("#fit");
  await settled();
  await page.screenshot({ path: join(output, "page.png") });
} finally {
  await stopBrowser();
  await server.stop();
}
