// Lints what the compiler does not see: promises nobody waits for, floating
// `any`, and markup made from text. Import arrows are checked by
// scripts/check_imports.py, for both languages at once.

import tseslint from "typescript-eslint";

const MARKUP =
  "Names and keys are text and stay text: use textContent or JSX, never markup.";

const LOOKBEHIND =
  "Safari before 16.4 cannot read a script with this at all, and so cannot say that it is too old: match what is before, too.";

export default tseslint.config(
  {
    ignores: [
      "node_modules/",
      "lib/",
      "dist/",
      "coverage/",
      "py_src/",
      ".venv/",
      ".envs/",
      "bench-results/",
      "ui-tests/test-results/",
      "ui-tests/playwright-report/",
      "**/*.js",
      "**/*.mjs",
      "**/*.cjs",
    ],
  },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: "./tsconfig.test.json",
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-console": ["error", { allow: ["warn", "error"] }],
      "no-eval": "error",
      "no-implied-eval": "off",
      "@typescript-eslint/no-implied-eval": "error",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_" },
      ],
      "@typescript-eslint/switch-exhaustiveness-check": "off",
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: MARKUP },
        { property: "outerHTML", message: MARKUP },
        { property: "insertAdjacentHTML", message: MARKUP },
        { property: "dangerouslySetInnerHTML", message: MARKUP },
        { object: "document", property: "write", message: MARKUP },
      ],
      "no-restricted-syntax": [
        "error",
        {
          selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
          message: MARKUP,
        },
        {
          selector: "Literal[regex.pattern=/\\(\\?<[!=]/]",
          message: LOOKBEHIND,
        },
      ],
    },
  },
  {
    files: ["tests/**", "ui-tests/**"],
    rules: {
      "no-console": "off",
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/no-unnecessary-type-assertion": "off",
      "@typescript-eslint/unbound-method": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-return": "off",
    },
  },
);
