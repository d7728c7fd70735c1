// Browser tests: a real JupyterLab, a real kernel, a real Dask cluster.
// `TEST_ALL=1` adds the specs tagged @all, which are too many for every change.

import { defineConfig, type LaunchOptions } from "@playwright/test";
// @ts-expect-error: a plain script, shared with those that take pictures
import { BROWSER } from "../tests/js/harness/build.mjs";
import { PORTS } from "./ports";

const { executablePath, args } = BROWSER as LaunchOptions;

export default defineConfig({
  testDir: ".",
  outputDir: "test-results",
  timeout: 120_000,
  expect: { timeout: 30_000 },
  workers: PORTS.length,
  retries: 1, // the output names what passed at the second try
  reporter: "list",
  grepInvert: process.env["TEST_ALL"] ? /@picture/ : /@all|@picture/,
  ...(process.env["PICTURE"] ? { grep: /@picture/, grepInvert: /@all/ } : {}),
  use: {
    viewport: { width: 1400, height: 900 },
    video: "off",
    trace: "off",
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath,
      args: [
        ...args!,
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
  webServer: PORTS.map((port) => ({
    command: "jupyter lab --config jupyter_server_test_config.py",
    cwd: import.meta.dirname,
    url: `http://localhost:${port}/lab`,
    env: { ...process.env, DASKSCOPE_TEST_PORT: String(port) },
    timeout: 120_000,
    reuseExistingServer: false,
    gracefulShutdown: { signal: "SIGTERM", timeout: 10_000 },
  })),
});
