// Bundles the widget (its code with the styles, and the loader of it) and the report (a
// script and a style sheet). No imports are left over: a widget must work in hosts that
// cannot fetch a second file, and a report is one file that fetches nothing.

import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { build } from "esbuild";
import hash from "./build_hash.cjs";

const OUTPUT = "py_src/daskscope/static";
/** In a script and its styles: a kernel sends them to pages, and each report has them. */
const MAX_BUNDLE_BYTES = 350_000;
/** In the loader: each saved notebook has it once a panel. */
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
const styles = await build({
  ...shared,
  entryPoints: ["style/panel.css"],
  write: false,
});
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
    define: {
      ...shared.define,
      DASKSCOPE_STYLES: JSON.stringify(styles.outputFiles[0].text),
    },
    entryPoints: ["js_src/homes/widget_code.ts"],
    outfile: `${OUTPUT}/widget.js`,
    format: "esm",
    target: "es2022",
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

for (const [most, ...names] of [
  [MAX_LOADER_BYTES, "loader.js"],
  [MAX_BUNDLE_BYTES, "widget.js"],
  [MAX_BUNDLE_BYTES, "report.js", "report.css"],
]) {
  let bytes = 0;
  for (const name of names) {
    const { size } = await stat(`${OUTPUT}/${name}`);
    console.log(`${OUTPUT}/${name}: ${(size / 1000).toFixed(1)} kB`);
    bytes += size;
  }
  if (bytes > most) {
    console.error(
      `${names.join(" and ")}: ${bytes} bytes, over the limit of ${most}.`,
    );
    process.exitCode = 1;
  }
}
