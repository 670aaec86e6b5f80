// Opens the sample pages in a headless Chromium and uses them as a reader would.
// LARGE_REPORT, if set, names a report of a real run that is measured instead of the large sample.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { assertClean, canvasPoint, choices, open, picture, samples, settle, shownEdges, startBrowser, stopBrowser, text } from "./page.mjs";

before(startBrowser);
after(stopBrowser);

describe("a report of thousands of variables", () => {
  let page;
  before(async () => (page = await open("wide.html")));
  after(() => page.close());

  test("begins with the search and the surest edges", async () => {
    assert.equal((await choices(page)).tab, "edges");
    assert.equal(await page.evaluate(() => document.activeElement.id), "search");
    assert.match(await text(page, "#search-note"), /5,000 surest edges/);
    assert.equal(await page.evaluate(() => window.causcaleReport.report.edges.length), 5000);
  });

  test("shows the neighbourhood of a variable that was found", async () => {
    await page.type("#search", "gene0005");
    await page.keyboard.press("Enter");
    const { tab, focus } = await choices(page);
    assert.equal(tab, "graph");
    assert.equal(await page.evaluate((variable) => window.causcaleReport.report.names[variable], focus), "gene0005");
  });
});

describe("a small report", () => {
  let page;
  before(async () => (page = await open("small.html")));
  after(() => page.close());

  test("shows the graph of the run at first", async () => {
    assert.equal(await shownEdges(page), 18);
    assert.match(await text(page, "#summary"), /12 variables, 2,000 rows.*18 edges shown/);
    await picture(page, "small-light");
  });

  test("what must be known before a look at the graph stands above it", async () => {
    const seen = await page.evaluate(() => {
      const banner = document.getElementById("banner");
      const box = banner.getBoundingClientRect();
      return { hidden: banner.hidden, top: box.top, bottom: box.bottom, tabs: document.querySelector(".tabs").getBoundingClientRect().top };
    });
    assert.equal(seen.hidden, false);
    assert.ok(seen.top >= 0 && seen.bottom > seen.top && seen.bottom <= seen.tabs, JSON.stringify(seen));
    const words = await text(page, "#banner");
    assert.match(words, /Read these 2 warnings first/);
    assert.match(words, /unlike the training data/);
    assert.match(words, /--method ges/, "the method to use instead");
    assert.match(words, /few rows/, "what the check of the data found");
    assert.equal(await page.$$eval("#banner img, #banner script", (all) => all.length), 0);
    assert.match(await text(page, "#panel-audit"), /Unlike what the model was trained on.*--method ges/s);
  });

  test("a report without warnings has no banner", async () => {
    const plain = await open("plain.html");
    assert.equal(await plain.$eval("#banner", (banner) => banner.hidden), true);
    await plain.close();
  });

  test("the legend covers nothing of the drawing", async () => {
    for (const [width, height] of [[1280, 860], [800, 600], [400, 800]]) {
      const sized = await open("small.html", { width, height });
      await sized.$eval("#legend", (legend) => (legend.open = true));
      await settle(sized);
      const [legend, canvas, keys] = await sized.evaluate(() =>
        ["legend", "graph", "graph-keys"].map((id) => {
          const { left, right, top, bottom } = document.getElementById(id).getBoundingClientRect();
          return { left, right, top, bottom };
        }),
      );
      const apart = legend.top >= canvas.bottom || legend.bottom <= canvas.top || legend.left >= canvas.right || legend.right <= canvas.left;
      assert.ok(apart, `${width} x ${height}: ${JSON.stringify({ legend, canvas })}`);
      assert.ok(legend.bottom <= keys.top, "nor the words below");
      assert.ok(canvas.bottom - canvas.top >= 300, "the drawing keeps its room");
      await sized.close();
    }
  });

  test("the canvas is not empty", async () => {
    const colours = await page.evaluate(() => {
      const canvas = document.getElementById("graph");
      const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      const seen = new Set();
      for (let k = 0; k < data.length; k += 4) seen.add((data[k] << 16) | (data[k + 1] << 8) | data[k + 2]);
      return seen.size;
    });
    assert.ok(colours > 20, `${colours} colours`);
  });

  test("a click on a variable shows its causes and effects", async () => {
    await page.mouse.click(...(await canvasPoint(page, "graph.screenPosition(4)")));
    assert.deepEqual((await choices(page)).selection, { kind: "variable", variable: 4 });
    assert.match(await text(page, "#details"), /gene0005.*Direct causes.*Direct effects/s);
  });

  test("a click on an edge shows its probability", async () => {
    const edge = await page.evaluate(() => {
      const { report, graph } = window.causcaleReport;
      // One that no variable or other edge covers at its middle.
      const found = graph.shownEdges().find((candidate) => {
        const at = graph.edgeScreenPosition(candidate.source, candidate.target);
        return at && graph.variableAt(...at) === null && graph.edgeAt(...at) === candidate;
      });
      return { source: found.source, target: found.target, names: [report.names[found.source], report.names[found.target]] };
    });
    await page.mouse.click(...(await canvasPoint(page, `graph.edgeScreenPosition(${edge.source}, ${edge.target})`)));
    assert.deepEqual((await choices(page)).selection, { kind: "edge", source: edge.source, target: edge.target });
    assert.match(await text(page, "#details"), new RegExp(`${edge.names[0]} \u2192 ${edge.names[1]}.*Probability \\d+\\.\\d %`, "s"));
  });

  test("sliding the threshold changes the graph and the words", async () => {
    await page.focus("#threshold");
    for (let k = 0; k < 35; ++k) await page.keyboard.press("ArrowRight");
    const { threshold } = await choices(page);
    assert.ok(Math.abs(threshold - 0.85) < 1e-9, String(threshold));
    const expected = await page.evaluate(() => window.causcaleReport.report.edges.filter((e) => e.required || (!e.removed && e.probability >= 0.85)).length);
    assert.equal(await shownEdges(page), expected);
    assert.ok(expected < 18);
    assert.match(await text(page, "#summary"), new RegExp(`${expected} edges shown`));
    for (let k = 0; k < 35; ++k) await page.keyboard.press("ArrowLeft");
    assert.equal(await shownEdges(page), 18);
  });

  test("search finds a variable with the keyboard alone", async () => {
    await page.focus("#graph");
    await page.keyboard.press("/");
    await page.keyboard.type("0001");
    assert.equal(await page.$$eval("#search-list li[role=option]", (items) => items.length), 1);
    await page.keyboard.press("Enter");
    assert.deepEqual((await choices(page)).selection, { kind: "variable", variable: 0 });
    assert.equal(await page.$eval("#search-list", (list) => list.hidden), true);
  });

  test("the neighbourhood shows only what is near", async () => {
    await page.focus("#graph");
    await page.keyboard.press("n");
    const near = await page.evaluate(() => {
      const { graph, store } = window.causcaleReport;
      const { focus } = store.get();
      const expected = new Set([focus]);
      for (const e of graph.shownEdges()) {
        if (e.source === focus) expected.add(e.target);
        if (e.target === focus) expected.add(e.source);
      }
      return { shown: graph.scene.shown.map((s, k) => (s ? k : -1)).filter((k) => k >= 0), expected: [...expected].sort((a, b) => a - b) };
    });
    assert.deepEqual(near.shown, near.expected);
    await picture(page, "small-neighbourhood");
    await page.keyboard.press("Escape");
    assert.equal((await choices(page)).focus, null);
  });

  test("layouts can be switched", async () => {
    const before = await page.evaluate(() => [...window.causcaleReport.graph.scene.x]);
    await page.click("#layout-force");
    await page.waitForFunction(() => window.causcaleReport.graph.force?.finished());
    await settle(page);
    const forced = await page.evaluate(() => [...window.causcaleReport.graph.scene.x]);
    assert.notDeepEqual(forced, before);
    assert.equal(await page.$eval("#layout-force", (b) => b.getAttribute("aria-checked")), "true");
    await picture(page, "small-force");
    await page.click("#layout-layered");
    await settle(page);
    assert.deepEqual(await page.evaluate(() => [...window.causcaleReport.graph.scene.x]), before);
  });

  test("keys move, zoom, fit and step through the variables", async () => {
    await page.focus("#graph");
    const view = () => page.evaluate(() => ({ ...window.causcaleReport.graph.transform }));
    const start = await view();
    await page.keyboard.press("ArrowRight");
    assert.ok((await view()).x < start.x);
    await page.keyboard.press("+");
    assert.ok((await view()).k > start.k);
    await page.keyboard.press("0");
    const fitted = await view();
    await page.keyboard.press("0");
    assert.deepEqual(await view(), fitted);
    await page.keyboard.press("Escape");
    await page.keyboard.press("]");
    const first = (await choices(page)).selection.variable;
    await page.keyboard.press("]");
    const second = (await choices(page)).selection.variable;
    assert.deepEqual([first, second], await page.evaluate(() => window.causcaleReport.report.order.slice(0, 2)));
    assert.match(await text(page, "#announcer"), /causes?, .*effects?/);
    await page.keyboard.press("Escape");
    await page.keyboard.press("0");
  });

  test("wheel zooms and dragging pans", async () => {
    const view = () => page.evaluate(() => ({ ...window.causcaleReport.graph.transform }));
    const box = await page.$eval("#graph", (canvas) => ({ ...canvas.getBoundingClientRect().toJSON() }));
    const start = await view();
    await page.mouse.move(box.left + box.width - 30, box.top + 30);
    await page.mouse.wheel({ deltaY: -240 });
    await settle(page);
    assert.ok((await view()).k > start.k);
    const zoomed = await view();
    await page.mouse.down();
    await page.mouse.move(box.left + box.width - 90, box.top + 60, { steps: 4 });
    await page.mouse.up();
    assert.ok((await view()).x < zoomed.x - 40);
    await page.click("#fit");
  });

  test("a variable can be dragged without being chosen", async () => {
    const [x, y] = await canvasPoint(page, "graph.screenPosition(2)");
    const before = await choices(page);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 40, y + 10, { steps: 5 });
    await page.mouse.up();
    const [afterX] = await canvasPoint(page, "graph.screenPosition(2)");
    assert.ok(Math.abs(afterX - x - 40) < 2);
    assert.deepEqual((await choices(page)).selection, before.selection);
  });

  test("tabs follow the arrow keys; the table sorts, filters and marks", async () => {
    await page.focus("#tab-graph");
    await page.keyboard.press("ArrowRight");
    await settle(page);
    await picture(page, "small-heat");
    await page.keyboard.press("ArrowRight");
    assert.equal((await choices(page)).tab, "edges");
    const rows = () => page.$$eval("#edge-table tbody tr", (all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
    assert.equal((await rows()).length, 18);
    const probabilities = (await rows()).map((row) => parseFloat(row[2]));
    assert.deepEqual(probabilities, [...probabilities].sort((a, b) => b - a));
    await page.click("#edge-table th:first-child button");
    const causes = (await rows()).map((row) => row[0]);
    assert.deepEqual(causes, [...causes].sort());
    assert.equal(await page.$eval("#edge-table th:first-child", (head) => head.getAttribute("aria-sort")), "ascending");
    assert.equal((await rows()).filter((row) => row[4] === "required").length, 1);
    await page.type("#edge-filter", `${causes[0]} ->`);
    for (const row of await rows()) assert.equal(row[0], causes[0]);
    await page.click("#edge-visible");
    assert.ok((await rows()).some((row) => row[4] !== "in the graph"));
    await picture(page, "small-edges");
  });

  test("the words say how sure, what was found and how to repeat it", async () => {
    await page.click("#tab-sure");
    assert.match(await text(page, "#panel-sure"), /18 edges above 0.50.*No hidden common causes.*1 required edge, 1 forbidden edge/s);
    await picture(page, "small-sure");
    await page.click("#tab-audit");
    assert.match(await text(page, "#panel-audit"), /warning: few rows/);
    await page.click("#tab-run");
    assert.equal(await text(page, "#command"), "causcale discover data.csv -o report.html");
    assert.match(await text(page, "#run"), /model SHA-256a{64}/);
    assert.match(await text(page, ".licences pre"), /d3-zoom.*Permission to use, copy, modify/s);
    await page.click("#tab-graph");
  });

  test("the theme switches", async () => {
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    await page.click("#theme");
    await settle(page);
    assert.notEqual(await background(), light);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    await picture(page, "small-dark");
    await page.click("#theme");
  });

  test("every control has a name", async () => {
    const nameless = await page.$$eval("button, input, select, canvas[tabindex]", (all) =>
      all
        .filter((element) => !(element.textContent.trim() || element.getAttribute("aria-label") || element.labels?.length))
        .map((element) => element.outerHTML),
    );
    assert.deepEqual(nameless, []);
  });

  test("nothing went wrong and nothing was fetched", () => assertClean(page));
});

describe("a narrow dark screen", () => {
  test("does not scroll sideways", async () => {
    const page = await open("small.html", { width: 375, height: 740, dark: true });
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    const size = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(size[0] <= size[1], `${size[0]} wide on a screen of ${size[1]}`);
    await picture(page, "small-narrow");
    assertClean(page);
    await page.close();
  });
});

describe("a result with repetitions", () => {
  test("has columns for them and says what they are", async () => {
    const page = readFileSync(join(samples, "small.html"), "utf8");
    const opening = '<script type="application/json" id="data">';
    const begin = page.indexOf(opening) + opening.length;
    const end = page.indexOf("</script", begin);
    const data = JSON.parse(page.slice(begin, end));
    data.edges.frequency = data.edges.probability.map((_, k) => (k === 0 ? 8700 : 1200));
    data.edges.deviation = data.edges.probability.map(() => 450);
    data.repetitions = 40;
    data.remarks = [{ message: "more columns than in training", hint: "take fewer" }];
    const json = JSON.stringify(data).replace(/</g, "\\u003c");
    writeFileSync(join(samples, "repeated.html"), page.slice(0, begin) + json + page.slice(end));
    const tab = await open("repeated.html");
    await tab.click("#tab-edges");
    const heads = await tab.$$eval("#edge-table th", (all) => all.map((head) => head.textContent));
    assert.deepEqual(heads.slice(-2), ["Found in", "\u00b1"]);
    const first = await tab.$$eval("#edge-table tbody tr:first-child td", (all) => all.map((cell) => cell.textContent));
    assert.deepEqual(first.slice(-2), ["87.0 %", "4.5 %"]);
    await tab.click("#tab-sure");
    assert.match(await text(tab, "#panel-sure"), /repeated 40 times.*more columns than in training take fewer/s);
    assertClean(tab);
    await tab.close();
  });
});

describe("a graph with marks", () => {
  let page;
  before(async () => (page = await open("pag.html")));
  after(() => page.close());
  // Middles of the ends of an edge as drawn, in device pixels, and what colour is there.
  const colourAt = (x, y) =>
    page.evaluate(
      (px, py) => {
        const canvas = document.getElementById("graph");
        const ratio = canvas.width / canvas.clientWidth;
        return [...canvas.getContext("2d").getImageData(Math.round(px * ratio), Math.round(py * ratio), 1, 1).data.slice(0, 3)];
      },
      x,
      y,
    );

  test("shows every edge once, without a word of probability", async () => {
    assert.equal(await shownEdges(page), 7);
    assert.match(await text(page, "#summary"), /10 variables, 500 rows, method fci \(PAG\)\. 7 edges shown; the numbers rank/);
    for (const tab of ["graph", "heat", "edges", "run"]) {
      await page.click(`#tab-${tab}`);
      const words = await page.$eval("body", (body) => body.innerText);
      assert.doesNotMatch(words.replaceAll("are no probabilities", ""), /probab/i, tab);
    }
    await page.click("#tab-graph");
  });

  test("the legend explains the marks that occur", async () => {
    const rows = await page.$$eval("#legend-rows div", (all) => all.map((row) => row.textContent));
    assert.equal(rows.length, 6);
    assert.equal(rows[1], "a common cause that was not measured");
    const shapes = await page.$$eval("#legend-rows div", (all) => all.map((row) => [row.querySelectorAll("path").length, row.querySelectorAll("circle").length]));
    assert.deepEqual(shapes, [[1, 0], [2, 0], [1, 1], [0, 2], [0, 1], [0, 0]]);
    assert.equal(await text(page, "#legend-title"), "Marks at the ends");
  });

  test("arrowheads are filled, circles are open, plain ends have neither", async () => {
    const ends = await page.evaluate(() => {
      const { graph, report } = window.causcaleReport;
      return report.edges.map((edge) => ({ marks: edge.marks, points: graph.edgeEnds(edge.source, edge.target) }));
    });
    const scale = await page.evaluate(() => window.causcaleReport.graph.transform.k);
    const size = 4.5 * 2.25 * Math.max(0.55, Math.min(1.6, scale)) + 3; // of an arrowhead, in pixels
    const paper = await colourAt(2, 2);
    const dark = (colour) => colour.reduce((sum, c) => sum + c, 0) < paper.reduce((sum, c) => sum + c, 0) - 150;
    for (const { marks, points } of ends) {
      const symbols = [marks[0], marks[2]];
      for (const end of [0, 1]) {
        // In the middle of a circle, and in the broad part of a head beside the line.
        const { tip, inwards } = points[end];
        const at = (along, aside) => colourAt(tip[0] + size * (along * inwards[0] - aside * inwards[1]), tip[1] + size * (along * inwards[1] + aside * inwards[0]));
        const middle = await at(0.34, 0);
        const side = await at(0.85, 0.22);
        const what = `${marks} end ${end}`;
        if (symbols[end] === "o") assert.ok(!dark(middle), `${what}: the circle is open`);
        else assert.ok(dark(middle), `${what}: the line reaches the end`);
        assert.equal(dark(side), "<>".includes(symbols[end]), `${what}: a head is there or not`);
      }
    }
    await picture(page, "pag-light");
  });

  test("a variable tells causes, possible causes, common causes and open links apart", async () => {
    const details = async (variable) => {
      await page.evaluate((v) => window.causcaleReport.store.set({ selection: { kind: "variable", variable: v } }), variable);
      return text(page, "#details");
    };
    assert.match(await details(2), /Effects \(1\)v3.*May be causes \(2\)v00\.95v10\.85/s);
    assert.match(await details(4), /Common cause that was not measured \(1\)v3.*Linked, direction open \(1\)v5/s);
    assert.match(await details(9), /no edge above the threshold/);
    assert.match(await text(page, "#announcer"), /v9: no edge/);
  });

  test("an edge can be chosen from either end", async () => {
    await page.evaluate(() => window.causcaleReport.store.set({ selection: { kind: "edge", source: 4, target: 3 } }));
    assert.match(await text(page, "#details"), /v3 \u2194 v4A common cause that was not measured\.Score 0\.65; the other way round 0\.325/);
    await page.mouse.click(...(await canvasPoint(page, "graph.edgeScreenPosition(0, 2)")));
    assert.match(await text(page, "#details h2"), /v0 \u25cb\u2192 v2/);
    await page.evaluate(() => window.causcaleReport.store.set({ selection: { kind: "edge", source: 0, target: 9 } }));
    assert.match(await text(page, "#details"), /Not joined/);
  });

  test("in the neighbourhood what is open stands side by side", async () => {
    await page.evaluate(() => window.causcaleReport.store.set({ focus: 4, selection: { kind: "variable", variable: 4 } }));
    await settle(page);
    const rows = await page.evaluate(() => [3, 4, 5].map((v) => window.causcaleReport.graph.scene.y[v]));
    assert.deepEqual(rows, [rows[0], rows[0], rows[0]]);
    await page.evaluate(() => window.causcaleReport.store.set({ focus: 2 }));
    await settle(page);
    const [cause, centre, effect] = await page.evaluate(() => [0, 2, 3].map((v) => window.causcaleReport.graph.scene.y[v]));
    assert.ok(cause < centre && centre < effect);
    await picture(page, "pag-neighbourhood");
    await page.evaluate(() => window.causcaleReport.store.set({ focus: null, selection: null }));
  });

  test("the table has marks, meaning and scores; filters work from either end", async () => {
    await page.click("#tab-edges");
    const heads = await page.$$eval("#edge-table th", (all) => all.map((head) => head.textContent.replace(/ .$/, "")));
    assert.deepEqual(heads, ["Variable", "Edge", "Variable", "Meaning", "Score", "Reverse", "Status"]);
    const rows = () => page.$$eval("#edge-table tbody tr", (all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
    assert.deepEqual((await rows())[3].slice(0, 6), ["v3", "\u2194", "v4", "a common cause that was not measured", "0.65", "0.325"]);
    await page.type("#edge-filter", "v4 <-> v3");
    assert.equal((await rows()).length, 1);
    await page.$eval("#edge-filter", (box) => {
      box.value = "";
      box.dispatchEvent(new Event("input"));
    });
    const saved = await page.evaluate(async () => {
      let content = null;
      const make = URL.createObjectURL;
      URL.createObjectURL = (blob) => ((content = blob.text()), make(blob));
      HTMLAnchorElement.prototype.click = () => undefined;
      document.getElementById("edge-csv").click();
      URL.createObjectURL = make;
      return content;
    });
    assert.match(saved, /^source,target,score,score_reverse,edge\nv0,v2,0\.95,0\.475,o->\n/);
    await picture(page, "pag-edges");
  });

  test("the slider takes the weakest edges away", async () => {
    await page.evaluate(() => window.causcaleReport.store.set({ tab: "graph", threshold: 0.78 }));
    assert.equal(await shownEdges(page), 3);
    await page.evaluate(() => window.causcaleReport.store.set({ threshold: window.causcaleReport.report.startThreshold }));
    assert.equal(await shownEdges(page), 7);
  });

  test("the words count the marks and name the method's assumptions", async () => {
    await page.click("#tab-sure");
    const words = await text(page, "#panel-sure");
    assert.match(words, /What fci says.*What the marks say.*1 edge whose direction the data do not tell.*The method assumes: .*12 tests/s);
    assert.doesNotMatch(words, /No hidden common causes|A probability says/);
    await picture(page, "pag-sure");
    await page.click("#tab-run");
    assert.match(await text(page, "#run"), /methodfci \(PAG\)/);
    assert.doesNotMatch(await text(page, "#run"), /SHA-256a{64}/);
  });

  test("nothing went wrong and nothing was fetched", () => assertClean(page));

  test("a CPDAG has lines without heads and speaks of direct causes", async () => {
    const tab = await open("cpdag.html");
    assert.equal(await shownEdges(tab), 4);
    assert.deepEqual(await tab.$$eval("#legend-rows div", (all) => all.map((row) => row.textContent)), ["a direct cause of the other", "linked, direction open"]);
    await tab.evaluate(() => window.causcaleReport.store.set({ selection: { kind: "variable", variable: 3 } }));
    assert.match(await text(tab, "#details"), /Direct causes \(1\)v2.*Linked, direction open \(1\)v4/s);
    assertClean(tab);
    await tab.close();
  });
});

describe("names that try to break out", () => {
  test("are shown as they are", async () => {
    const page = await open("hostile.html");
    const names = await page.evaluate(() => window.causcaleReport.report.names);
    assert.equal(names[0], "</script><img src=x onerror=\"document.title='broken'\">");
    assert.equal(names[1], "\"quoted\" & 'single' <b>bold</b>");
    assert.equal(names[4], "caf\ufffd not UTF-8");
    for (const tab of ["heat", "edges", "sure", "audit", "run", "graph"]) {
      await page.click(`#tab-${tab}`);
      await settle(page);
    }
    await page.evaluate(() => window.causcaleReport.store.set({ selection: { kind: "variable", variable: 0 } }));
    assert.match(await text(page, "#details h2"), /^<\/script><img/);
    await page.type("#search", "<img");
    assert.equal(await text(page, "#search-list li"), names[0]);
    assert.match(await page.title(), /<script>document\.title='broken'<\/script> .*CauScale$/);
    assert.equal(await page.$$eval("img, b:not(.finding b)", (found) => found.length), 0);
    assert.equal(await page.$$eval("script", (found) => found.length), 2);
    await picture(page, "hostile");
    assertClean(page);
    await page.close();
  });
});

describe("a thousand variables and thousands of edges", () => {
  test("stay usable; the times are printed", async () => {
    const page = await open(resolve(process.env.LARGE_REPORT ?? join(samples, "large.html")));
    const { variables, edges, name } = await page.evaluate(() => {
      const { report } = window.causcaleReport;
      return { variables: report.names.length, edges: report.graph_edges, name: report.names[Math.floor(report.names.length / 2)] };
    });
    assert.ok(variables >= 1000 && edges >= 1000, `${variables} variables, ${edges} edges`);
    assert.equal(await shownEdges(page), edges);
    await picture(page, "large-light");
    // Time between frames depends on what else the machine does; processor time of the browser does not.
    const system = await page.browser().target().createCDPSession();
    const processorSeconds = async () =>
      (await system.send("SystemInfo.getProcessInfo")).processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
    const frames = 60;
    const measure = async (action) => {
      const before = await processorSeconds();
      const intervals = await page.evaluate(
        async (kind, count) => {
          const { graph } = window.causcaleReport;
          const canvas = document.getElementById("graph");
          const box = canvas.getBoundingClientRect();
          const act = {
            zoom: (k) => canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: k % 20 < 10 ? -40 : 40, clientX: box.left + 300, clientY: box.top + 300, bubbles: true, cancelable: true })),
            pan: (k) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key: k % 20 < 10 ? "ArrowLeft" : "ArrowRight", bubbles: true })),
            still: () => graph.drawNow(),
            nothing: () => undefined,
          }[kind];
          const list = [];
          let last = performance.now();
          for (let k = 0; k < count; ++k) {
            act(k);
            await new Promise((done) => requestAnimationFrame(done));
            list.push(performance.now() - last);
            last = performance.now();
          }
          return list.sort((a, b) => a - b);
        },
        action,
        frames,
      );
      await page.evaluate(() => document.getElementById("graph").getContext("2d").getImageData(0, 0, 1, 1));
      const processor = (1000 * ((await processorSeconds()) - before)) / frames;
      const between = (share) => intervals[Math.floor(share * (frames - 1))].toFixed(1);
      return `${action}: ${processor.toFixed(1)} of processor; between frames ${between(0.5)} in the middle, ${between(0.95)} for 95 %`;
    };
    console.log(`milliseconds a frame with ${variables} variables and ${edges} edges`);
    for (const action of ["nothing", "pan", "zoom", "still"]) {
      console.log(`  ${await measure(action)}`);
      await page.click("#fit");
      await settle(page);
    }
    const start = Date.now();
    await page.click("#layout-force");
    await page.waitForFunction(() => window.causcaleReport.graph.force?.finished(), { timeout: 120000 });
    console.log(`layout by forces: ${((Date.now() - start) / 1000).toFixed(1)} s, in slices between frames`);
    await settle(page);
    await picture(page, "large-force");
    await page.type("#search", name);
    await page.keyboard.press("Enter");
    await page.click("#neighbourhood");
    await settle(page);
    await picture(page, "large-neighbourhood");
    await page.click("#tab-heat");
    await settle(page);
    await picture(page, "large-heat");
    await page.click("#tab-edges");
    assert.match(await text(page, "#edge-pages"), new RegExp(`page 1 of ${Math.ceil(edges / 100)}`));
    assertClean(page);
    await page.close();
  });
});
