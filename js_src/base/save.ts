// Files and the clipboard, as far as a page may use them.

/** Offers `content` as a download named `name`. */
export function download(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = name;
  anchor.style.display = "none";
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  // Chromium reads the address after the click has returned.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Copies text; false where the page may not. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyAsSelected(text);
  }
}

/** As where a hub is reached without TLS: there pages have no clipboard of their own. */
function copyAsSelected(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.style.cssText = "position:fixed;top:0;opacity:0";
  const focused = document.activeElement;
  document.body.append(field);
  field.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    field.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}

/**
 * One field of a CSV file. A spreadsheet runs a cell that begins with one of
 * `= + - @`, and task keys come from anywhere, so such text gets a quote mark.
 */
export function csvField(value: string | number): string {
  if (typeof value === "number") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

/** A row at a time: a million rows of fields would be too many at once. */
export function csvText(
  header: readonly string[],
  rows: Iterable<readonly (string | number)[]>,
): string {
  const lines = [header.join(",")];
  for (const row of rows) lines.push(row.map(csvField).join(","));
  return `${lines.join("\n")}\n`;
}
