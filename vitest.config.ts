import { defineConfig } from "vitest/config";

// The environment of a test that needs a DOM stands on its first line:
// `// @vitest-environment happy-dom`. Everything else runs without one, which
// keeps the model, the derivations and the wire honest about not needing it.
export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: {
    include: ["tests/js/**/*.test.{ts,tsx}", "js_src/**/*.test.{ts,tsx}"],
    environment: "node",
    passWithNoTests: true,
    restoreMocks: true,
    // Several browsers at once on two cores: what is waited for may take a while.
    expect: { poll: { timeout: 5_000 } },
  },
});
