declare const DASKSCOPE_BUILD: string | undefined;

// The version of this page's code; a test compares it with package.json.
export const VERSION = "0.1.0";

/** The hash of the sources (scripts/build_hash.cjs); tests run without a build. */
export const BUILD =
  typeof DASKSCOPE_BUILD === "string" ? DASKSCOPE_BUILD : "source";
