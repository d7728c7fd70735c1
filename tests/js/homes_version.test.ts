import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { VERSION } from "../../js_src/version";

it("gives the page the version of the package", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
    version: string;
  };
  expect(VERSION).toBe(manifest.version);
});
