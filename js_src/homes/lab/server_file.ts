// The bytes of a file that the server has, as they are: not as base64 within JSON, which
// takes a third more and all of it in the page's memory.

import { type Contents, ServerConnection } from "@jupyterlab/services";
import { DaskscopeError } from "../../errors";

/** More than this is not for a page. */
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
  let response: Response;
  try {
    response = await ServerConnection.makeRequest(
      url,
      { signal, cache: "no-store" },
      settings,
    );
  } catch (error) {
    throw notFetched(name, textOf(error));
  }
  if (!response.ok) {
    await response.body?.cancel();
    const gone = response.status === 404 || response.status === 410;
    throw notFetched(
      name,
      gone ? "it is not there any more" : `${response.status}`,
    );
  }
  const size = Number(response.headers.get("Content-Length") ?? 0);
  if (size > maxBytes) {
    await response.body?.cancel();
    throw tooLarge(name);
  }
  return bodyOf(response, name, maxBytes);
}

/** What is sent in chunks, or packed, does not say before how much it is. */
async function bodyOf(
  response: Response,
  name: string,
  maxBytes: number,
): Promise<Blob> {
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw tooLarge(name); // which stops the server, too
      controller.enqueue(chunk);
    },
  });
  try {
    // A browser keeps a large Blob outside of the page's memory.
    return await new Response(response.body?.pipeThrough(counted)).blob();
  } catch (error) {
    throw bytes > maxBytes ? tooLarge(name) : notFetched(name, textOf(error));
  }
}

const textOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

const notFetched = (name: string, why: string): DaskscopeError =>
  new DaskscopeError({
    code: "not-fetched",
    text: `The server did not hand over ${name}: ${why}.`,
    next: "Check that the file is there and that the server runs, then try again.",
  });

export const tooLarge = (
  name: string,
  next = `\`daskscope.load("${name}")\` opens it in Python.`,
): DaskscopeError =>
  new DaskscopeError({
    code: "too-large",
    text: `${name} is larger than a page can take in (2 GB).`,
    next,
  });
