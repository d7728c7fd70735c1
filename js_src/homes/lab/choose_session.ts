// Which of a kernel's sessions a panel shows.

import type { SessionEntry } from "../../wire";

const over = ({ state }: SessionEntry) =>
  state === "stopped" || state === "lost";

/**
 * What a person chose counts while it exists. Otherwise a panel stays with its
 * session while that one lives, then goes to the newest living one.
 */
export function chooseSession(
  sessions: readonly SessionEntry[],
  current: string | null,
  wanted: string | null,
): string | null {
  const find = (id: string | null) => sessions.find((entry) => entry.id === id);
  if (find(wanted)) return wanted;
  const now = find(current);
  if (now && !over(now)) return now.id;
  const alive = sessions.filter((entry) => !over(entry));
  return (alive.at(-1) ?? now ?? sessions.at(-1))?.id ?? null;
}
