// The address at which JupyterLab opens a report. It works wherever it is pasted, unlike
// one under /files/, which a Jupyter server sends only to its own pages.

/** Must match report/address.py. */
export const QUERY = "daskscope-report";

const LONGEST = 4_096;

/**
 * Return a path of a report or recording below the server's root, else null. Python
 * checks the paths in its links in the same way (report/address.py).
 */
export function checkedPath(text: string): string | null {
  if (text.length > LONGEST || !/\.(html?|daskscope)$/i.test(text)) return null;
  if (/[\u0000-\u001f\\]/.test(text)) return null;
  const parts = text.split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..")) {
    return null;
  }
  // Paths with a scheme are on another drive, or no paths.
  return /^[a-z][\w+.-]*:/i.test(text) ? null : text;
}

/** By name alone, as JupyterLab recognises files. */
export const isRecordingName = (name: string): boolean =>
  /\.daskscope$/i.test(name);

/** `https://host/lab?daskscope-report=runs/a.html`; a fragment may follow. */
export function labAddress(baseUrl: string, path: string): string {
  const parts = path.split("/").map(encodeURIComponent);
  return `${baseUrl}lab?${QUERY}=${parts.join("/")}`;
}

/**
 * The same for a file that a Jupyter server shows below its /files/; null for other
 * addresses, and if JupyterLab would refuse the path.
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
    return part; // for instance `100%.html`, typed by hand
  }
}
