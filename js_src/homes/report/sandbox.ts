// What this page may do. A server may show a report in a sandbox, as Jupyter does with
// its /files/: scripts run there, but nothing is stored, copied or downloaded.

export function maySave(): boolean {
  if (self.origin !== "null") return true;
  // A file on the disk has no origin either; of the two only it may store something.
  const alone = location.protocol === "file:" && window.parent === window;
  if (alone) return true;
  try {
    return window.localStorage !== null;
  } catch {
    return false;
  }
}

export const cannotSave = (name: string): string =>
  `This page may not save files: it is shown in a sandbox. Download the report and open it from your disk, or run \`daskscope extract ${name}\`.`;
