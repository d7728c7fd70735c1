// Bundles the harness into a folder that a browser can open as files.

import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..", "..", "..");

const JUPYTERLAB = `
body.jp { --jp-ui-font-family: Inter, system-ui, sans-serif; --jp-ui-font-size1: 13px;
  --jp-layout-color1: white; --jp-layout-color2: #eee; --jp-ui-font-color0: #000;
  --jp-ui-font-color1: rgba(0,0,0,.87); --jp-ui-inverse-font-color0: #fff;
  --jp-brand-color1: #1976d2; --jp-error-color1: #d32f2f; --jp-warn-color1: #f57c00;
  --jp-success-color1: #388e3c; --jp-border-color2: #e0e0e0; background: #eee; }
body.jp[data-jp-theme-light="false"] { --jp-layout-color1: #212121; --jp-layout-color2: #424242;
  --jp-ui-font-color0: #fff; --jp-ui-font-color1: rgba(255,255,255,.87);
  --jp-ui-inverse-font-color0: #000; --jp-brand-color1: #2196f3; --jp-error-color1: #f44336;
  --jp-warn-color1: #ff9800; --jp-success-color1: #4caf50; --jp-border-color2: #424242;
  background: #111; }
body.plain[data-jp-theme-light="false"] { background: #1b1b1b; }
body { margin: 0; }
`;

/** Returns the address of a page with a panel, and a function that removes it. */
export async function buildHarness() {
  const { script, style } = await bundle("page.ts", "panel.css");
  // Inline: a browser loads no modules from files.
  return writePage(`<!doctype html><meta charset="utf-8"><style>${JUPYTERLAB}${style}</style>
<body><div id="place"></div><script type="module">${script}</script></body>`);
}

/** The same, of a page with a panel that only a test declares. */
export async function buildAddedHarness() {
  const { script, style } = await bundle(
    "added_page.tsx",
    "report.css",
    "scripted.css",
  );
  return writePage(`<!doctype html><meta charset="utf-8"><style>${style}</style>
<body><script type="module">${script}</script></body>`);
}

/** The same for a report: alone on its page, with the rules that a report's page sets. */
export async function buildReportHarness() {
  const { script, style } = await bundle(
    "report_page.ts",
    "report.css",
    "scripted.css",
  );
  const hash = (text) =>
    `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const rules = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`;
  return writePage(`<!doctype html><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${rules}"><title>dask-report</title><style>${style}</style>
<body><main id="daskscope-report">static summary</main><script type="module">${script}</script></body>`);
}

async function bundle(entry, ...sheets) {
  const [scripts, styles] = await Promise.all([
    build({
      entryPoints: [join(here, entry)],
      bundle: true,
      write: false,
      format: "esm",
      target: "es2022",
      minify: true,
      jsx: "automatic",
      jsxImportSource: "preact",
      nodePaths: [join(root, "node_modules")],
      logLevel: "error",
    }),
    build({
      stdin: {
        contents: sheets.map((name) => `@import url("${name}");`).join("\n"),
        resolveDir: join(root, "style"),
        loader: "css",
      },
      bundle: true,
      write: false,
      logLevel: "error",
    }),
  ]);
  const script = scripts.outputFiles[0].text;
  return {
    script: script.replaceAll("</script", "<\\/script"),
    style: styles.outputFiles[0].text,
  };
}

async function writePage(html) {
  const folder = await mkdtemp(join(tmpdir(), "daskscope-harness-"));
  const page = join(folder, "index.html");
  await writeFile(page, html);
  return {
    address: pathToFileURL(page).href,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** What Chromium has ready for the next window and page: no test uses it. */
const RESERVES = [
  "PreloadTopChromeWebUI",
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "SpareRendererForSitePerProcess",
  "MultipleSpareRPHs",
];
/** What Playwright turns off with the same option, of which Chromium reads only the last. */
const AS_PLAYWRIGHT = [
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
];

/** The Chromium of the tests, also of those in JupyterLab. */
export const BROWSER = {
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    `--disable-features=${[...RESERVES, ...AS_PLAYWRIGHT]}`,
  ],
};
