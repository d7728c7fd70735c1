// Texts that are too long, cut.

/** As the agent cuts what it keeps: whole characters, and a mark that is one more. */
export function cut(text: string, most: number): string {
  if (text.length <= most + 1) return text;
  // Of text of any length no more is looked at than this many characters can take.
  const characters = [...text.slice(0, 2 * (most + 2))];
  if (characters.length <= most + 1) return text;
  return `${characters.slice(0, most).join("")}…`;
}
