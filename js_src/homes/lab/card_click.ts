// Clicks on what Python puts below a cell: `data-daskscope-open` names a file below the
// server's root. It is text of a notebook: checked, and only ever used as a path.

const OPENS = ".jp-OutputArea-output [data-daskscope-open]";
const LONGEST = 4_096;

/** The path that a click wants opened here; null where it is none of ours. */
export function pathOfClick(event: MouseEvent): string | null {
  const { target, button, ctrlKey, metaKey, shiftKey, altKey } = event;
  // Then the browser is to open it, elsewhere.
  if (button !== 0 || ctrlKey || metaKey || shiftKey || altKey) return null;
  if (!(target instanceof Element)) return null;
  const element = target.closest<HTMLElement>(OPENS);
  return element ? checkedPath(element.dataset["daskscopeOpen"] ?? "") : null;
}

/** A report or a recording somewhere below the root; anything else is refused. */
export function checkedPath(text: string): string | null {
  if (text.length > LONGEST || !/\.(html?|daskscope)$/i.test(text)) return null;
  if (/[\u0000-\u001f\\]/.test(text)) return null;
  const parts = text.split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..")) {
    return null;
  }
  return /^[a-z][\w+.-]*:/i.test(text) ? null : text;
}
