// Builds the page's folder: node page/build.mjs OUTPUT MODULES
// MODULES is the folder with the WebAssembly modules as web/wasm built them.
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const [output, modules] = process.argv.slice(2).map((folder) => join(folder, "."));
if (!modules) {
  console.error("node page/build.mjs OUTPUT MODULES");
  process.exit(2);
}
const missing = ["causcale.wasm", "causcale-threads.wasm"].find((file) => !existsSync(join(modules, file)));
if (missing) {
  console.error(`${join(modules, missing)} is not there: tools/build_page.sh builds it`);
  process.exit(1);
}
rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });

const bundle = (entry) =>
  esbuild.build({
    entryPoints: [join(here, entry)],
    absWorkingDir: join(here, ".."),
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2020",
    charset: "ascii",
    legalComments: "none",
    loader: { ".csv": "text" },
  });
for (const [entry, file] of [["main.ts", "page.js"], ["worker.ts", "worker.js"]])
  writeFileSync(join(output, file), (await bundle(entry)).outputFiles[0].text);

// The report is shown in a frame, which is bound by the rules of the page, too.
const report = readFileSync(join(root, "web/dist/report.html"), "utf8");
const hash = report.match(/script-src 'sha256-([^']+)'/)[1];
writeFileSync(join(output, "index.html"), readFileSync(join(here, "index.html"), "utf8").replace("@@REPORT_SCRIPT_HASH@@", () => hash));
writeFileSync(join(output, "page.css"), readFileSync(join(root, "web/src/style.css"), "utf8") + readFileSync(join(here, "page.css"), "utf8"));

const asset = (from) => {
  const file = basename(from);
  if (dirname(from) !== output) cpSync(from, join(output, file));
  const bytes = readFileSync(from);
  return { file, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
};
const version = readFileSync(join(root, "include/causcale/version.h"), "utf8").match(/CAUSCALE_VERSION "([0-9.]+)"/)[1];
const built = (file) => asset(join(modules, file));
const manifest = {
  version,
  model: asset(join(root, "models/general.safetensors")),
  worker: asset(join(output, "worker.js")),
  plain: { script: built("causcale.js"), module: built("causcale.wasm") },
  threads: {
    script: built("causcale-threads.js"),
    module: built("causcale-threads.wasm"),
    helper: built("causcale-threads.worker.js"),
  },
};
writeFileSync(join(output, "manifest.json"), JSON.stringify(manifest, null, 1));
const sizes = [manifest.model, manifest.worker, ...Object.values(manifest.plain), ...Object.values(manifest.threads)];
for (const { file, bytes } of sizes) console.log(`${file.padEnd(28)} ${(bytes / 1024).toFixed(0)} KiB`);
