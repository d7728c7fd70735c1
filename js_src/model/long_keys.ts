// Cuts task keys as agents do. A hostile file may have keys as long as the file itself,
// which would slow down every card, table and search.

import { cut } from "../base/bounds";
import { KEY_SEPARATOR, MAX_KEY_CHARACTERS } from "../schema";

export const cutKey = (key: string): string => cut(key, MAX_KEY_CHARACTERS);

/** Cuts each of the separated keys; nearly always returns the text unchanged. */
export function cutKeys(text: string): string {
  if (!hasLongKey(text)) return text;
  return text.split(KEY_SEPARATOR).map(cutKey).join(KEY_SEPARATOR);
}

/** Jumps to the last separator within the allowed length, so it need not visit each key. */
function hasLongKey(text: string): boolean {
  const longest = MAX_KEY_CHARACTERS + 1; // with the mark of what was cut
  let end = -1;
  while (text.length - end - 1 > longest) {
    const next = text.lastIndexOf(KEY_SEPARATOR, end + 1 + longest);
    if (next <= end) return true;
    end = next;
  }
  return false;
}
