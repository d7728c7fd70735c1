// Fetches the bytes of a file from the server. The contents API would send base64 in
// JSON, which is a third larger and is held in the page's memory as a whole.

import { type Contents, ServerConnection } from "@jupyterlab/services";
import { DaskscopeError } from "../../errors";

/** Larger files are not opened in a page. */
export const MAX_FILE_BYTES = 2_000_000_000;

export async function fetchFile(
  contents: Contents.IManager,
  settings: ServerConnection.ISettings,
  path: string,
  signal: AbortSignal,
  maxBytes = MAX_FILE_BYTES,
): Promise<Blob> {
  const url = await contents.getDownloadUrl(path);
  const name = path.split("/").pop() ?? path;
  try {
    const response = await ServerConnection.makeRequest(
      url,
      { signal, cache: "no-store" },
      settings,
    );
    const size = Number(response.headers.get("Content-Length") ?? 0);
    if (!response.ok || size > maxBytes) await response.body?.cancel();
    if (response.status === 404 || response.status === 410) {
      throw notFetched(name, "it no longer exists");
    }
    if (!response.ok) throw notFetched(name, `${response.status}`);
    if (size > maxBytes) throw tooLarge(name);
    // A browser keeps a large Blob outside of the page's memory.
    const file = await response.blob();
    if (file.size > maxBytes) throw tooLarge(name);
    return file;
  } catch (error) {
    if (error instanceof DaskscopeError) throw error;
    throw notFetched(name, textOf(error));
  }
}

const textOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

const notFetched = (name: string, why: string): DaskscopeError =>
  new DaskscopeError({
    code: "not-fetched",
    text: `The server did not send ${name}: ${why}.`,
    next: "Check that the file exists and that the server is running, then try again.",
  });

export const tooLarge = (
  name: string,
  next = `\`daskscope.load("${name}")\` opens it in Python.`,
): DaskscopeError =>
  new DaskscopeError({
    code: "too-large",
    text: `${name} is too large for a page (limit 2 GB).`,
    next,
  });
