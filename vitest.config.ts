import { defineConfig } from "vitest/config";

const BROWSER = "tests/js/**/*_browser.test.ts";
/** They replace modules of JupyterLab, so each file needs modules of its own. */
const HOMES = "tests/js/**/homes_*.test.{ts,tsx}";

// The environment of a test that needs a DOM stands on its first line:
// `// @vitest-environment happy-dom`. Everything else runs without one, which
// keeps the model, the derivations and the wire honest about not needing it.
export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: {
    environment: "node",
    passWithNoTests: true,
    restoreMocks: true,
    retry: 1, // beside others a browser may be late
    // Tests that run beside each other on two cores may wait a while.
    expect: { poll: { timeout: 15_000 } },
    setupFiles: "tests/js/harness/patience.ts",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 3,
    // As in the browser stories, `@all` tags what is too slow for every change.
    ...(process.env["TEST_ALL"] ? {} : { testNamePattern: /^(?!.*@all$)/ }),
    projects: [
      {
        extends: true,
        test: {
          name: "node",
          include: ["tests/js/**/*.test.{ts,tsx}", "js_src/**/*.test.{ts,tsx}"],
          exclude: [BROWSER, HOMES],
          // One process for several files: a fourth less of processor time.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: "homes", include: [HOMES], exclude: [BROWSER] },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: [BROWSER],
          globalSetup: "tests/js/harness/setup.ts",
        },
      },
    ],
  },
});
