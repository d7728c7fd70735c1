// Keys as agents keep them: cut. In a hostile file one may be as long as a
// member of it, and would be so in every card, table and search.

import { cut } from "../base/bounds";
import { KEY_SEPARATOR, MAX_KEY_CHARACTERS } from "../schema";

export const cutKey = (key: string): string => cut(key, MAX_KEY_CHARACTERS);

/** Keys with separators between, each of them cut; nearly always what was given. */
export function cutKeys(text: string): string {
  if (!hasLongKey(text)) return text;
  return text.split(KEY_SEPARATOR).map(cutKey).join(KEY_SEPARATOR);
}

/** Looks from the end of a key at the separators within reach, and goes on at the last. */
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
