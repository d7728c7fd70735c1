// What JupyterLab's builder (jupyter builder build) is told of our labextension: how large it
// may become, and of which package those are a part that bring no licence of their own.

const { readFileSync } = require("node:fs");
const { dirname, join } = require("node:path");
const hash = require("./build_hash.cjs");

const MAX_BYTES = 550_000; // each user of JupyterLab loads it with the page
const LICENSES = "third-party-licenses.json";
/** Folders of preact, with a package.json each; its licence stands beside them. */
const PARTS_OF_PREACT = ["jsx-runtime", "preact-hooks"];
/** As the builder writes its own list, and behind it. */
const BEHIND_THE_LIST = 5_002;

const licenseOfPreact = () => {
  const folder = dirname(require.resolve("preact/package.json"));
  return readFileSync(join(folder, "LICENSE"), "utf-8");
};

/** Gives the parts of preact in the list of licences the text that holds for them. */
const completeLicenses = {
  apply({ hooks, rspack }) {
    hooks.thisCompilation.tap("licenses", (compilation) => {
      const when = { name: "licenses", stage: BEHIND_THE_LIST };
      compilation.hooks.processAssets.tap(when, (assets) => {
        if (!assets[LICENSES]) return; // a build for development has no such list
        const listed = JSON.parse(assets[LICENSES].source());
        for (const one of listed.packages) {
          if (PARTS_OF_PREACT.includes(one.name) && !one.extractedText) {
            one.extractedText = licenseOfPreact();
          }
        }
        const text = JSON.stringify(listed, null, 2);
        const { RawSource } = rspack.sources;
        compilation.updateAsset(LICENSES, new RawSource(text));
      });
    });
  },
};

/** Tells our code of which build it is. */
const defineBuild = {
  apply(compiler) {
    const { DefinePlugin } = compiler.rspack;
    const build = JSON.stringify(hash);
    new DefinePlugin({ DASKSCOPE_BUILD: build }).apply(compiler);
  },
};

module.exports = {
  performance: {
    hints: "error",
    maxAssetSize: MAX_BYTES,
    maxEntrypointSize: MAX_BYTES,
  },
  plugins: [completeLicenses, defineBuild],
  // Of those alone whose text was put in.
  ignoreWarnings: PARTS_OF_PREACT.map(
    (name) => new RegExp(`could not find any license file for ${name}\\.`),
  ),
};
