// The address at which JupyterLab opens a report. It works wherever it is pasted, unlike
// one under /files/, which a Jupyter server sends only to its own pages.

/** As Python writes it, too (report/address.py). */
export const QUERY = "daskscope-report";

const LONGEST = 4_096;

/**
 * A report or a recording somewhere below the root, as JupyterLab is asked for it; anything
 * else is refused. Python has the rule for what it hands out (report/address.py).
 */
export function checkedPath(text: string): string | null {
  if (text.length > LONGEST || !/\.(html?|daskscope)$/i.test(text)) return null;
  if (/[\u0000-\u001f\\]/.test(text)) return null;
  const parts = text.split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..")) {
    return null;
  }
  // Of another drive, or no path at all.
  return /^[a-z][\w+.-]*:/i.test(text) ? null : text;
}

/** By its name alone, as JupyterLab knows files. */
export const isRecordingName = (name: string): boolean =>
  /\.daskscope$/i.test(name);

/** `https://host/lab?daskscope-report=runs/a.html`; a fragment may follow. */
export function labAddress(baseUrl: string, path: string): string {
  const parts = path.split("/").map(encodeURIComponent);
  return `${baseUrl}lab?${QUERY}=${parts.join("/")}`;
}

/**
 * The same for a file that a Jupyter server shows below its /files/; null elsewhere, and
 * where JupyterLab would refuse it.
 */
export function labAddressOfServed(url: URL): string | null {
  if (!/^https?:$/.test(url.protocol)) return null;
  const parts = url.pathname.split("/");
  const at = parts.indexOf("files");
  if (at < 0 || at === parts.length - 1) return null;
  const base = `${url.origin}${parts.slice(0, at).join("/")}/`;
  const below = parts.slice(at + 1).map(decoded);
  const path = checkedPath(below.join("/"));
  return path === null ? null : labAddress(base, path);
}

export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // `100%.html`, as somebody typed it
  }
}
