// Bundles the widget (its code with the styles, and the loader of it) and the report (a
// script, the script that loads it, and a style sheet). No imports are left over: a widget
// must work in hosts that cannot fetch a second file, and a report fetches nothing.

import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { deflateRawSync } from "node:zlib";
import { build } from "esbuild";
import hash from "./build_hash.cjs";

const OUTPUT = "py_src/daskscope/static";
/**
 * Of scripts and styles, in each report: an empty one has some 20 kB more and stays under
 * 320 kB (tests/py/test_report_page.py).
 */
const MAX_REPORT_BYTES = 300_000;
/** Each saved notebook has the loader once a panel. */
const MAX_LOADER_BYTES = 2_000;

const shared = {
  bundle: true,
  minify: true,
  legalComments: "none",
  logLevel: "warning",
  define: { DASKSCOPE_BUILD: JSON.stringify(hash) },
};

await rm(OUTPUT, { recursive: true, force: true });
await mkdir(OUTPUT, { recursive: true });
/** Styles that a script brings. */
async function withStyles(entry) {
  const styles = await build({ ...shared, entryPoints: [entry], write: false });
  const text = JSON.stringify(styles.outputFiles[0].text);
  return { ...shared.define, DASKSCOPE_STYLES: text };
}
await Promise.all([
  writeFile(`${OUTPUT}/build.txt`, hash),
  build({
    ...shared,
    entryPoints: ["js_src/homes/loader.ts"],
    outfile: `${OUTPUT}/loader.js`,
    format: "esm",
    target: "es2022",
  }),
  build({
    ...shared,
    define: await withStyles("style/panel.css"),
    entryPoints: ["js_src/homes/widget_code.ts"],
    outfile: `${OUTPUT}/widget.js`,
    format: "esm",
    target: "es2022",
  }),
  build({
    ...shared,
    define: await withStyles("style/scripted.css"),
    entryPoints: ["js_src/homes/report.ts"],
    outfile: `${OUTPUT}/report.js`,
    format: "iife", // a script that is written into a page is no module
    target: "es2022",
  }),
  build({
    ...shared,
    entryPoints: ["js_src/homes/report_loader.ts"],
    outfile: `${OUTPUT}/report_loader.js`,
    format: "iife",
    target: "es2017", // also browsers that cannot unpack the script must say so
  }),
  build({
    ...shared,
    entryPoints: ["style/report.css"],
    outfile: `${OUTPUT}/report.css`,
  }),
]);

const sizes = {};
for (const name of await readdir(OUTPUT)) {
  const content = await readFile(`${OUTPUT}/${name}`);
  sizes[name] = content.length;
  if (name !== "report.js") continue;
  // As Python packs it (report/html.py).
  const deflated = deflateRawSync(content, { level: 9 });
  sizes["report.js, packed"] = Math.ceil((5 / 4) * deflated.length);
}
for (const [name, bytes] of Object.entries(sizes)) {
  console.log(`${OUTPUT}/${name}: ${(bytes / 1000).toFixed(1)} kB`);
}
const carried =
  sizes["report.css"] + sizes["report_loader.js"] + sizes["report.js, packed"];
for (const [what, bytes, most] of [
  ["Scripts and styles of a report", carried, MAX_REPORT_BYTES],
  ["The loader of widgets", sizes["loader.js"], MAX_LOADER_BYTES],
]) {
  if (bytes <= most) continue;
  console.error(`${what}: ${bytes} bytes, over the limit of ${most}.`);
  process.exitCode = 1;
}
