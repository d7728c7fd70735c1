// Which build a copy of the code is of: a hash of the sources. The labextension, the code
// that kernels send and Python all carry it, and a page keeps one copy for each.

const { createHash } = require("node:crypto");
const { readdirSync, readFileSync, statSync } = require("node:fs");
const { join } = require("node:path");

const ROOT = join(__dirname, "..");
const FOLDERS = ["js_src", "style"];

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true })
    .map((name) => join(folder, name))
    .filter((path) => statSync(join(ROOT, path)).isFile()),
);
const hash = createHash("sha256");
for (const path of [...files, "package-lock.json"].sort()) {
  hash.update(path.replaceAll("\\", "/")).update("\0");
  hash.update(readFileSync(join(ROOT, path))).update("\0");
}

module.exports = hash.digest("hex").slice(0, 12);
