// Bundles the widget: js_src/homes/widget.ts and style/ become the two files
// that anywidget loads. One module, no imports left over: a widget must work in
// hosts that cannot fetch a second file.

import { mkdir, rm, stat } from "node:fs/promises";
import { build } from "esbuild";

const OUTPUT = "py_src/daskscope/static";
const MAX_BUNDLE_BYTES = 350_000; // goes from the kernel to the page with each widget

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
]);

for (const name of ["widget.js", "widget.css"]) {
  const { size } = await stat(`${OUTPUT}/${name}`);
  console.log(`${OUTPUT}/${name}: ${(size / 1000).toFixed(1)} kB`);
  if (size > MAX_BUNDLE_BYTES) {
    console.error(`${name} is over its limit of ${MAX_BUNDLE_BYTES} bytes.`);
    process.exitCode = 1;
  }
}
