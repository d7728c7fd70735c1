// The version of this page's code; a test compares it with package.json.
export const VERSION = "0.1.0";
