// What Python asks to be opened: by a card below a cell that is clicked on, or by
// `--open`. It is text of a notebook or of a kernel: checked, and only ever used as a name.

import type { KernelMessage } from "@jupyterlab/services";
import { checkedPath } from "../report/lab_address";

export type AskedReport =
  /** Below the root of the server. */
  | { readonly kind: "path"; readonly path: string }
  /** In the library of the notebook's kernel. */
  | { readonly kind: "library"; readonly filename: string };

const IN_OUTPUT = ".jp-OutputArea-output";
const OPENS = `${IN_OUTPUT} [data-daskscope-open], ${IN_OUTPUT} [data-daskscope-library]`;

/** The element of a card that a click is on, and what it wants opened here; else null. */
export function askedByClick(
  event: MouseEvent,
): { readonly asked: AskedReport; readonly element: Element } | null {
  const { target, button, ctrlKey, metaKey, shiftKey, altKey } = event;
  // Then the browser is to open it, elsewhere.
  if (button !== 0 || ctrlKey || metaKey || shiftKey || altKey) return null;
  if (!(target instanceof Element)) return null;
  const element = target.closest<HTMLElement>(OPENS);
  if (!element) return null;
  const { daskscopeOpen, daskscopeLibrary } = element.dataset;
  const asked = checked(daskscopeOpen, daskscopeLibrary);
  return asked && { asked, element };
}

/**
 * What `--open` in a cell wants opened: it is in what a kernel sends while the cell runs,
 * and in no notebook that is opened later.
 */
export function askedByMessage(
  message: KernelMessage.IIOPubMessage,
): AskedReport | null {
  if (message.header.msg_type !== "display_data") return null;
  const { transient } = message.content as { transient?: unknown };
  if (!isObject(transient) || !isObject(transient["daskscope"])) return null;
  const { open, library } = transient["daskscope"];
  return checked(open, library);
}

function checked(path: unknown, filename: unknown): AskedReport | null {
  if (typeof path === "string") {
    const known = checkedPath(path);
    return known === null ? null : { kind: "path", path: known };
  }
  if (typeof filename !== "string") return null;
  const name = checkedPath(filename);
  if (name === null || name.includes("/")) return null;
  return { kind: "library", filename: name };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
