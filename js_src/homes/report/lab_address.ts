// The address at which JupyterLab opens a report. It works wherever it is pasted: below
// its /files/ a Jupyter server gives a file only to who comes from one of its own pages.

/** As Python writes it, too (report/address.py). */
export const QUERY = "daskscope-report";

/** `https://host/lab?daskscope-report=runs/a.html`; a fragment may follow. */
export function labAddress(baseUrl: string, path: string): string {
  const parts = path.split("/").map(encodeURIComponent);
  return `${baseUrl}lab?${QUERY}=${parts.join("/")}`;
}

/** The same for a file that a Jupyter server shows below its /files/; null elsewhere. */
export function labAddressOfServed(url: URL): string | null {
  if (!/^https?:$/.test(url.protocol)) return null;
  const parts = url.pathname.split("/");
  const at = filesPart(parts);
  if (at < 0) return null;
  const base = `${url.origin}${parts.slice(0, at).join("/")}/`;
  return labAddress(
    base,
    parts
      .slice(at + 1)
      .map(decoded)
      .join("/"),
  );
}

/**
 * The part with which the server's own address ends. Folders below it may be called so, too,
 * and so may a user of a hub, whose server is at `/user/NAME/`.
 */
function filesPart(parts: readonly string[]): number {
  const found = [...parts.keys()].filter(
    (at) => parts[at] === "files" && at < parts.length - 1,
  );
  return found.find((at) => parts[at - 1] !== "user") ?? found[0] ?? -1;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // `100%.html`, as somebody typed it
  }
}
