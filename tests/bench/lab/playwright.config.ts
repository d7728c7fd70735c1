// Benchmarks that need a real JupyterLab: the browser tests' set-up, other specs.

import { defineConfig } from "@playwright/test";
import base from "../../../ui-tests/playwright.config";

export default defineConfig({
  ...base,
  testDir: import.meta.dirname,
  outputDir: "../../../bench-results/lab",
  timeout: 300_000,
  workers: 1, // what is measured has the machine for itself
  webServer: [base.webServer!].flat().slice(0, 1),
});
