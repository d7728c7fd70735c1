// How much of a summary is laid out: more is not readable, and a forged page could block
// the browser. The page without scripts has the same bounds (report/static_page.py).

export const MAX_ROWS = 100;
export const MAX_CHARACTERS = 20_000;

export interface Some<T> {
  readonly shown: readonly T[];
  /** How many are not shown. */
  readonly more: number;
}

export function someOf<T>(all: readonly T[], most = MAX_ROWS): Some<T> {
  return { shown: all.slice(0, most), more: Math.max(0, all.length - most) };
}

export function cutText(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  return `${text.slice(0, MAX_CHARACTERS - 1)}…`;
}

/** As the agent cuts what it keeps: whole characters, and a mark that is one more. */
export function cut(text: string, most: number): string {
  if (text.length <= most + 1) return text;
  // Of text of any length no more is looked at than this many characters can take.
  const characters = [...text.slice(0, 2 * (most + 2))];
  if (characters.length <= most + 1) return text;
  return `${characters.slice(0, most).join("")}…`;
}
