// Sizes of effects, struck edges, paths, what-if and ancestry in a headless Chromium, on a sample with such data added.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { assertClean, choices, open, picture, samples, settle, shownEdges, startBrowser, stopBrowser, text } from "./page.mjs";

before(startBrowser);
after(stopBrowser);

// The page `from` with its data changed, under another name.
function withData(from, to, change) {
  const page = readFileSync(join(samples, from), "utf8");
  const open = '<script type="application/json" id="data">';
  const begin = page.indexOf(open) + open.length;
  const end = page.indexOf("</script>", begin);
  const data = JSON.parse(page.slice(begin, end));
  change(data);
  writeFileSync(join(samples, to), page.slice(0, begin) + JSON.stringify(data).replace(/</g, "\\u003c") + page.slice(end));
  return data;
}

// Every edge of the graph gets a size with alternating signs; ancestry is 0.9 along the causal order, 0.2 against it.
function addEffects(data) {
  const { edges, names, order } = data;
  const sizes = edges.source.map((_, k) => (edges.in_graph[k] ? (k % 3 === 0 ? -1 : 1) * (0.15 + 0.05 * (k % 10)) : null));
  edges.effect_kind = sizes.map((size) => (size === null ? null : "standardized_coefficient"));
  edges.effect = sizes;
  edges.effect_low = sizes.map((size) => (size === null ? null : size - 0.2));
  edges.effect_high = sizes.map((size) => (size === null ? null : size + 0.2));
  edges.effect_nonlinear_p = sizes.map((size) => (size === null ? null : 0.001));
  edges.effect_shift = sizes.map((size) => (size === null ? null : 0.5));
  const n = names.length;
  const bytes = Buffer.alloc(n * n);
  order.forEach((a, i) => order.forEach((b, j) => i !== j && (bytes[a * n + b] = i < j ? 230 : 51)));
  data.samples = { count: 1000, exact: false, ancestry: bytes.toString("base64") };
}

describe("a report with sizes, struck edges and samples", () => {
  let page, data, struck;
  before(async () => {
    data = withData("plain.html", "effects.html", (all) => {
      addEffects(all);
      // A probable pair that is not in the graph.
      const k = all.edges.in_graph.findIndex((inside, at) => !inside && all.edges.probability[at] > 500);
      struck = k;
      all.edges.probability[k] = 8800;
      all.struck = [[all.edges.source[k], all.edges.target[k], 8800]];
      all.edges.effect[k] = null;
    });
    page = await open("effects.html");
  });
  after(() => page.close());

  const setThreshold = (value) =>
    page.$eval("#threshold", (input, to) => {
      input.value = String(to);
      input.dispatchEvent(new Event("input"));
    }, value);

  test("a struck edge is no arrow at any threshold unless it is asked for", async () => {
    const [source, target] = [data.edges.source[struck], data.edges.target[struck]];
    const drawn = () => page.evaluate((s, t) => window.causcaleReport.graph.shownEdges().some((edge) => edge.source === s && edge.target === t), source, target);
    const start = await shownEdges(page);
    assert.equal(await drawn(), false);
    await setThreshold(0.3);
    assert.equal(await drawn(), false);
    await setThreshold(0.5);
    assert.equal(await shownEdges(page), start);
    const dots = () => page.evaluate(() => window.causcaleReport.graph.struckEdges().length);
    assert.equal(await dots(), 0);
    await page.click("#showStruck");
    assert.equal(await dots(), 1);
    await page.click("#showStruck");
    await page.evaluate((s, t) => window.causcaleReport.store.set({ selection: { kind: "edge", source: s, target: t } }), source, target);
    assert.match(await text(page, "#details"), /Struck out of the graph: the data show no dependence/);
  });

  test("a chosen variable shows causes, effects, sizes, doubtful links and adjustment sets", async () => {
    const [s, t] = [data.edges.source[0], data.edges.target[0]];
    await page.evaluate((variable) => window.causcaleReport.store.set({ selection: { kind: "variable", variable } }), s);
    const words = await text(page, "#details");
    assert.match(words, new RegExp(`Direct effects.*${data.names[t]}[^%]*%, [+\u2212]0\\.\\d\\d`, "s"));
    assert.match(words, /To estimate its effects, hold fixed/);
    await page.evaluate((variable) => window.causcaleReport.store.set({ selection: { kind: "variable", variable } }), data.edges.source[struck]);
    assert.match(await text(page, "#details"), /Doubtful links \(\d+\).*struck out: no dependence in the data/s);
  });

  test("an edge shows its size and that its sign is open", async () => {
    const k = data.edges.effect.findIndex((size) => size !== null && Math.abs(size) < 0.2);
    await page.evaluate((s, t) => window.causcaleReport.store.set({ selection: { kind: "edge", source: s, target: t } }), data.edges.source[k], data.edges.target[k]);
    assert.match(await text(page, "#details"), /Effect [+\u2212]0\.\d\d \(.*to.*\): standard deviations.*the sign is open.*A straight line does not.*intervened on: a shift of \+0\.50/s);
  });

  test("colours stand for sign and size when asked", async () => {
    const colours = () =>
      page.evaluate(() => {
        const canvas = document.getElementById("graph");
        const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        let orange = 0;
        for (let k = 0; k < pixels.length; k += 4) orange += pixels[k] > 170 && pixels[k + 1] < 110 && pixels[k + 2] < 60;
        return orange;
      });
    await page.evaluate(() => window.causcaleReport.store.set({ selection: null }));
    await settle(page);
    assert.equal(await colours(), 0);
    await page.click("#paint-effect");
    await settle(page);
    assert.ok((await colours()) > 50, "negative effects are drawn in their colour");
    assert.match(await text(page, "#legend"), /sign and size of effects.*positive.*negative.*size 0\.5 and more/s);
    assert.equal(await page.$eval("#paint-effect", (button) => button.getAttribute("aria-checked")), "true");
    await picture(page, "effects-colours");
    await page.click("#paint-probability");
    assert.match(await text(page, "#legend"), /Colours: probability/);
  });

  test("two variables: paths and the total effect, which equals the sum over the paths", async () => {
    const pair = await page.evaluate(() => {
      // The pair with the most paths.
      const { report, graph } = window.causcaleReport;
      const edges = graph.shownEdges();
      let best = null;
      for (const first of edges) for (const second of edges) if (first.target === second.source && first.source !== second.target) best ??= [first.source, second.target];
      return best ?? [edges[0].source, edges[0].target];
    });
    await page.click("#tab-what-if");
    await page.select("#what-if-from", String(pair[0]));
    await page.select("#what-if-to", String(pair[1]));
    const words = await text(page, "#what-if-answer");
    assert.match(words, /Total effect: [+\u2212]\d\.\d\d standard deviations/);
    assert.match(words, /assumes that the graph as shown is right, that effects are linear/);
    assert.match(words, /\d+ directed paths?/);
    assert.match(words, /o-set/);
    const number = (sign, digits) => (sign === "\u2212" ? -1 : 1) * Number(digits);
    const [, sign, digits] = words.match(/Total effect: ([+\u2212])(\d\.\d\d)/);
    const parts = await page.$$eval(".paths .size", (all) => all.map((one) => one.textContent.trim()));
    const sum = parts.reduce((so, part) => so + number(part[0], part.slice(1)), 0);
    assert.ok(Math.abs(sum - number(sign, digits)) < 0.006 * (parts.length + 1), `${sum} ${sign}${digits}`);
    await picture(page, "what-if-light");
    await page.evaluate(() => [...document.querySelectorAll("#what-if-answer button")].find((button) => /paths in the graph/.test(button.textContent)).click());
    assert.deepEqual((await choices(page)).selection, { kind: "paths", source: pair[0], target: pair[1] });
    assert.match(await text(page, "#details"), /directed paths?, drawn in full strength/);
    await settle(page);
    await picture(page, "paths-light");
  });

  test("the slider moves every expected shift in proportion, with the keyboard as well", async () => {
    await page.click("#tab-what-if");
    const shifts = () => page.$$eval("#what-if-answer table tbody tr td:nth-child(2)", (cells) => cells.map((cell) => cell.textContent));
    const one = await page.evaluate(() => {
      window.causcaleReport.store.set({ push: 1 });
      return null;
    }).then(shifts);
    assert.ok(one.length > 0);
    await page.focus("#what-if-push");
    await page.keyboard.press("End");
    assert.equal((await choices(page)).push, 3);
    const three = await shifts();
    const value = (words) => Number(words.replace("\u2212", "-"));
    one.forEach((words, k) => {
      if (/^[+\u2212]/.test(words) && /^[+\u2212]/.test(three[k])) assert.ok(Math.abs(3 * value(words) - value(three[k])) < 0.021, `${words} ${three[k]}`);
    });
    assert.equal(await page.$eval("#what-if-push", (input) => input.getAttribute("aria-valuetext")), "+3.00 standard deviations");
  });

  test("the slider for ancestry cuts the list of causes over any path", async () => {
    const rows = () => page.$$eval('[aria-label="Probability of being a cause"] tbody tr', (all) => all.length);
    const set = (value) =>
      page.$eval("#what-if-surety", (input, to) => {
        input.value = String(to);
        input.dispatchEvent(new Event("input"));
      }, value);
    const others = data.names.length - 1;
    await set(0.5);
    assert.equal(await rows(), others, "one direction of each pair");
    await set(0.1);
    assert.equal(await rows(), 2 * others);
    await set(0.95);
    assert.equal(await rows(), 0);
    await set(0.5);
  });

  test("tables can be saved", async () => {
    const saved = await page.evaluate(async () => {
      const texts = {};
      const make = URL.createObjectURL;
      URL.createObjectURL = (blob) => {
        texts.pending = blob.text();
        return make.call(URL, blob);
      };
      HTMLAnchorElement.prototype.click = function () {
        texts[this.download] = texts.pending;
      };
      for (const button of document.querySelectorAll("#what-if-answer button")) if (/CSV/.test(button.textContent)) button.click();
      window.causcaleReport.store.set({ tab: "edges" });
      document.getElementById("edge-csv").click();
      const done = {};
      for (const [name, promise] of Object.entries(texts)) done[name] = await promise;
      return done;
    });
    assert.match(saved["paths.csv"], /^path,edges,product,least_probability\n.+ -> .+,\d,/);
    assert.match(saved["shifts.csv"], /^variable,shift\n\w+,-?\d/);
    assert.match(saved["ancestry.csv"], /^cause,effect,probability\n/);
    assert.match(saved["edges.csv"], /^source,target,probability,probability_reverse,effect,effect_low,effect_high\n/);
  });

  test("everything that can be operated has a name for screen readers", async () => {
    await page.click("#tab-what-if");
    const nameless = await page.$$eval("#panel-what-if button, #panel-what-if select, #panel-what-if input", (all) =>
      all.filter((one) => !(one.textContent.trim() && one.tagName === "BUTTON") && !one.labels?.length && !one.getAttribute("aria-label")).map((one) => one.id),
    );
    assert.deepEqual(nameless, []);
    const tree = await page.accessibility.snapshot();
    const found = [];
    const walk = (node) => {
      found.push(`${node.role} ${node.name}`);
      node.children?.forEach(walk);
    };
    walk(tree);
    assert.ok(found.some((line) => /^slider Set it this many standard deviations/.test(line)), found.filter((line) => /slider/.test(line)).join());
    assert.ok(found.some((line) => /^combobox Change/.test(line)), found.filter((line) => /combobox/.test(line)).join());
    assertClean(page);
  });

  test("dark and on a phone nothing sticks out", async () => {
    const phone = await open("effects.html", { width: 390, height: 800, dark: true });
    await phone.evaluate((from) => window.causcaleReport.store.set({ tab: "what-if", from, to: null }), data.edges.source[0]);
    await settle(phone);
    await picture(phone, "what-if-phone");
    const [inner, outer] = await phone.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    assert.ok(inner <= outer, `${inner} > ${outer}`);
    assertClean(phone);
    await phone.close();
  });
});

test("without sizes the paths are there and the total is not made up", async () => {
  const page = await open("plain.html");
  const edge = await page.evaluate(() => window.causcaleReport.graph.shownEdges()[0]);
  await page.evaluate((from, to) => window.causcaleReport.store.set({ tab: "what-if", from, to }), edge.source, edge.target);
  const words = await text(page, "#what-if-answer");
  assert.match(words, /holds no sizes of effects/);
  assert.match(words, /directed path/);
  assert.equal(await page.$eval("#what-if-push-box", (box) => box.hidden), true);
  assert.equal(await page.$eval("#paint-by", (box) => box.hidden), true);
  assertClean(page);
  await page.close();
});

test("open directions and cycles are said instead of computed", async () => {
  const page = await open("cpdag.html");
  await page.evaluate(() => window.causcaleReport.store.set({ tab: "what-if", from: 0, to: 1 }));
  assert.match(await text(page, "#what-if-answer"), /directions of this graph are open/);
  await page.close();
  withData("plain.html", "cycle.html", (data) => {
    const k = data.edges.in_graph.indexOf(1);
    const back = data.edges.source.findIndex((s, at) => s === data.edges.target[k] && data.edges.target[at] === data.edges.source[k]);
    data.edges.in_graph[back] = 1;
  });
  const cycle = await open("cycle.html");
  await cycle.evaluate(() => window.causcaleReport.store.set({ tab: "what-if", from: 0, to: 1 }));
  assert.match(await text(cycle, "#what-if-answer"), /has a directed cycle/);
  await cycle.close();
});

test("1000 variables with 5000 edges: every variable can be chosen and pushed", async () => {
  withData("large.html", "large_effects.html", addEffects);
  const page = await open("large_effects.html");
  const result = await page.evaluate(() => {
    const { report, store } = window.causcaleReport;
    const shown = report.edges.filter((edge) => edge.inGraph);
    store.set({ tab: "what-if", from: report.order[0], to: null });
    const before = document.querySelectorAll("#what-if-answer tr").length;
    for (let k = 0; k < 10; ++k) store.set({ push: 0.1 * k });
    return { rows: before, edges: shown.length, options: document.querySelectorAll("#what-if-from option").length };
  });
  assert.ok(result.rows > 1);
  assert.equal(result.options, 1001);
  assert.equal(result.edges, 5000);
  assertClean(page);
  await page.close();
});
