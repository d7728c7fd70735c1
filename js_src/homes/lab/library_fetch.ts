// The file of a report in the library, by way of one kernel.

import { effect, type ReadonlySignal } from "@preact/signals";
import { decode } from "../../archive/bytes";
import { count, record, str } from "../../base/check";
import { asProblem, DaskscopeError } from "../../errors";
import type { KernelLink } from "../../stream";
import { emptyStateFor } from "./empty_state";
import type { KernelState, NotebookKernel } from "./kernel_link";
import { MAX_FILE_BYTES, tooLarge } from "./server_file";

/** A library may lie on a slow disk, or in a bucket. */
export const ANSWER_MS = 30_000;

const IN_PYTHON =
  "`daskscope.load` opens it in Python, by the url that `daskscope.list_performance_reports(kind=None)` has.";

const piece = record({ base64: str, size: count });

/**
 * Fetch it in pieces, of which one is under way at a time. The kernel is held as long as
 * that takes, and all pieces come from it, whichever notebook is in front meanwhile.
 */
export async function fetchOfLibrary(
  kernel: Pick<NotebookKernel, "state" | "use">,
  filename: string,
  signal: AbortSignal,
): Promise<Blob> {
  const release = kernel.use();
  try {
    const link = await entered(kernel, signal);
    const parts: BlobPart[] = [];
    let at = 0;
    for (;;) {
      const answer = await ask(link, filename, at);
      signal.throwIfAborted();
      const { base64, size } = piece(answer, "answer");
      if (size > MAX_FILE_BYTES) throw tooLarge(filename, IN_PYTHON);
      const bytes = decode(base64);
      // A browser keeps a large Blob outside of the page's memory.
      parts.push(new Blob([bytes]));
      at += bytes.length;
      if (at >= size || bytes.length === 0) return new Blob(parts);
    }
  } finally {
    release();
  }
}

async function ask(
  link: KernelLink,
  filename: string,
  at: number,
): Promise<unknown> {
  try {
    return await link.ask(null, "report", { filename, at }, ANSWER_MS);
  } catch (error) {
    const { code } = asProblem(error);
    throw code === "not-connected" ? ended(filename) : error;
  }
}

/** The way into a kernel that is in use; rejects in words where there is none. */
async function entered(
  { state }: Pick<NotebookKernel, "state">,
  signal: AbortSignal,
): Promise<KernelLink> {
  for (;;) {
    const now = state.peek();
    if (now.kind === "open") return now.link;
    if (!ON_THE_WAY.has(now.kind)) throw noKernel(now);
    await changed(state, signal);
  }
}

const ON_THE_WAY = new Set<KernelState["kind"]>([
  "starting",
  "busy",
  "loading",
]);

function changed(
  state: ReadonlySignal<KernelState>,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const before = state.peek();
    const over = (): void => {
      stop();
      signal.removeEventListener("abort", over);
      if (signal.aborted) reject(signal.reason as Error);
      else resolve();
    };
    const stop = effect(() => {
      if (state.value !== before) over();
    });
    signal.addEventListener("abort", over);
  });
}

function noKernel(state: KernelState): DaskscopeError {
  const nothing = (): void => {};
  const { title } = emptyStateFor(state, "", {
    insertClientCode: nothing,
    again: nothing,
    reload: nothing,
  });
  return new DaskscopeError({
    code: "no-kernel",
    text: `A report of the library comes through the notebook's kernel. ${title}.`,
    next: "When a kernel with daskscope runs there, try again.",
  });
}

const ended = (filename: string): DaskscopeError =>
  new DaskscopeError({
    code: "not-connected",
    text: `The kernel that handed over ${filename} has ended, or this page has lost it.`,
    next: "When a kernel runs in its notebook, try again; or open it from the sidebar's Reports with another notebook in front.",
  });
