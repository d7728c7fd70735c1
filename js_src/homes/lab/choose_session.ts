// Which of a kernel's sessions a panel shows.

import type { SessionEntry } from "../../wire";

const living = ({ state }: SessionEntry) =>
  state !== "stopped" && state !== "lost";

/**
 * What a person chose counts while it exists. Otherwise a panel stays with its
 * session until that has stopped, then goes to the newest living one. A lost
 * scheduler may come back; if it does not, Dask closes the client, which stops it.
 * That takes half a minute: a client that was made meanwhile, unlike those of
 * `beforeLoss`, is wanted sooner.
 */
export function chooseSession(
  sessions: readonly SessionEntry[],
  current: string | null,
  wanted: string | null,
  beforeLoss: ReadonlySet<string>,
): string | null {
  const find = (id: string | null) => sessions.find((entry) => entry.id === id);
  if (find(wanted)) return wanted;
  const now = find(current);
  if (now?.state === "lost") {
    const since = ({ id }: SessionEntry) => !beforeLoss.has(id);
    return sessions.filter(living).filter(since).at(-1)?.id ?? now.id;
  }
  if (now && now.state !== "stopped") return now.id;
  const next = sessions.filter(living).at(-1) ?? now ?? sessions.at(-1);
  return next?.id ?? null;
}
