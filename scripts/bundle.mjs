// Bundles the widget and the report: two files each, a script and a style sheet. No
// imports are left over: a widget must work in hosts that cannot fetch a second file,
// and a report is one file that fetches nothing.

import { mkdir, rm, stat } from "node:fs/promises";
import { build } from "esbuild";

const OUTPUT = "py_src/daskscope/static";
// Script and styles together: they go from the kernel to the page with each widget, and
// stand in each report.
const MAX_BUNDLE_BYTES = 350_000;

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
    entryPoints: ["style/report.css"],
    outfile: `${OUTPUT}/report.css`,
  }),
]);

for (const bundle of ["widget", "report"]) {
  let bytes = 0;
  for (const name of [`${bundle}.js`, `${bundle}.css`]) {
    const { size } = await stat(`${OUTPUT}/${name}`);
    console.log(`${OUTPUT}/${name}: ${(size / 1000).toFixed(1)} kB`);
    bytes += size;
  }
  if (bytes > MAX_BUNDLE_BYTES) {
    console.error(
      `The ${bundle} has ${bytes} bytes: over its limit of ${MAX_BUNDLE_BYTES}.`,
    );
    process.exitCode = 1;
  }
}
