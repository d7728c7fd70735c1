// Browser tests: a real JupyterLab, a real kernel, a real Dask cluster.
// `TEST_ALL=1` adds the specs tagged @all, which are too many for every change.

import { defineConfig } from "@playwright/test";
import { PORT_STEP } from "./ports";

const first = Number(process.env["DASKSCOPE_TEST_PORT"] ?? "8889");
/** A server for each of the processes that run tests: kernels of one are not seen in another. */
const ports = [first, first + PORT_STEP];

export default defineConfig({
  testDir: ".",
  outputDir: "test-results",
  timeout: 120_000,
  expect: { timeout: 30_000 },
  workers: ports.length,
  retries: 1, // the output names what passed at the second try
  reporter: "list",
  grepInvert: process.env["TEST_ALL"] ? /@picture/ : /@all|@picture/,
  ...(process.env["PICTURE"] ? { grep: /@picture/, grepInvert: /@all/ } : {}),
  use: {
    baseURL: `http://localhost:${first}`,
    viewport: { width: 1400, height: 900 },
    video: "off",
    trace: "off",
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
  webServer: ports.map((port) => ({
    command: "jupyter lab --config jupyter_server_test_config.py",
    cwd: import.meta.dirname,
    url: `http://localhost:${port}/lab`,
    env: { ...process.env, DASKSCOPE_TEST_PORT: String(port) },
    timeout: 120_000,
    reuseExistingServer: false,
    gracefulShutdown: { signal: "SIGTERM", timeout: 10_000 },
  })),
});
