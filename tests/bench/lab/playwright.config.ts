// Benchmarks that need a real JupyterLab: the browser tests' set-up, other specs.

import { defineConfig } from "@playwright/test";
import base from "../../../ui-tests/playwright.config";

export default defineConfig({
  ...base,
  testDir: import.meta.dirname,
  outputDir: "../../../bench-results/lab",
  timeout: 300_000,
});
