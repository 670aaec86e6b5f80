// Builds dist/report.html: page, style, script and the licences of the bundled libraries in one file.
// The C++ side puts title and data at the marks @@TITLE@@ and @@DATA@@.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const read = (name) => readFileSync(join(here, name), "utf8");

export async function buildPage() {
  const bundle = await esbuild.build({
    entryPoints: [join(here, "src/main.ts")],
    absWorkingDir: here,
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2020",
    charset: "ascii",
    legalComments: "none",
    metafile: true,
  });
  const script = bundle.outputFiles[0].text.trim();
  if (script.toLowerCase().includes("</script")) throw new Error("the script would end its own element");
  const style = (await esbuild.transform(read("src/style.css"), { loader: "css", minify: true, charset: "utf8" })).code.trim();

  const packages = new Set();
  for (const input of Object.keys(bundle.metafile.inputs)) {
    const found = input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//);
    if (found) packages.add(found[1]);
  }
  const licences = [...packages].sort().map((name) => {
    const { version } = JSON.parse(read(`node_modules/${name}/package.json`));
    return `${name} ${version}\n\n${read(`node_modules/${name}/LICENSE`).trim()}`;
  });
  const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const parts = {
    "@@STYLE@@": style,
    "@@SCRIPT@@": script,
    "@@SCRIPT_HASH@@": createHash("sha256").update(script).digest("base64"),
    "@@LICENCES@@": escape(licences.join(`\n\n${"-".repeat(60)}\n\n`)),
  };
  let page = read("src/page.html");
  for (const [mark, text] of Object.entries(parts)) page = page.replace(mark, () => text);
  return page;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const page = await buildPage();
  mkdirSync(join(here, "dist"), { recursive: true });
  writeFileSync(join(here, "dist/report.html"), page);
  console.log(`dist/report.html: ${(page.length / 1024).toFixed(0)} KiB`);
}
