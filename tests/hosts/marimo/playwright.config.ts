// A marimo server instead of JupyterLab; the browser as in the other tests.

import { defineConfig } from "@playwright/test";
import base from "../../../ui-tests/playwright.config";

const port = process.env["DASKSCOPE_TEST_PORT"] ?? "8891";
const url = `http://localhost:${port}`;

export default defineConfig({
  ...base,
  testDir: import.meta.dirname,
  outputDir: "../../../ui-tests/test-results/marimo",
  workers: 1,
  use: { ...base.use, baseURL: url },
  webServer: {
    command: `marimo run notebook.py --headless --no-token --port ${port}`,
    cwd: import.meta.dirname,
    url,
    timeout: 60_000,
    reuseExistingServer: false,
    gracefulShutdown: { signal: "SIGTERM", timeout: 10_000 },
  },
});
