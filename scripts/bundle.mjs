// Bundles the widget and the report: a script and a style sheet each, and the script
// that loads the report's. No imports are left over: a widget must work in hosts that
// cannot fetch a second file, and a report is one file that fetches nothing.

import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { deflateRawSync } from "node:zlib";
import { build } from "esbuild";

const OUTPUT = "py_src/daskscope/static";
// Of scripts and styles, in each report: an empty one has some 3 kB more and stays under
// 220 kB (tests/py/test_report_page.py).
const MAX_REPORT_BYTES = 215_000;

const shared = {
  bundle: true,
  minify: true,
  legalComments: "none",
  logLevel: "warning",
};

await rm(OUTPUT, { recursive: true, force: true });
await mkdir(OUTPUT, { recursive: true });
await Promise.all([
  build({
    ...shared,
    entryPoints: ["js_src/homes/widget.ts"],
    outfile: `${OUTPUT}/widget.js`,
    format: "esm",
    target: "es2022",
  }),
  build({
    ...shared,
    entryPoints: ["style/index.css"],
    outfile: `${OUTPUT}/widget.css`,
  }),
  build({
    ...shared,
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
  sizes["report.js, packed"] = deflated.toString("base64").length;
}
for (const [name, bytes] of Object.entries(sizes)) {
  console.log(`${OUTPUT}/${name}: ${(bytes / 1000).toFixed(1)} kB`);
}
const carried =
  sizes["report.css"] + sizes["report_loader.js"] + sizes["report.js, packed"];
if (carried > MAX_REPORT_BYTES) {
  console.error(
    `Scripts and styles of a report take ${carried} bytes: over the limit of ${MAX_REPORT_BYTES}.`,
  );
  process.exitCode = 1;
}
