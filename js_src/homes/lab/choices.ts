// Chooses which of a kernel's sessions a panel shows, and lists the alternatives: other
// sessions, also of earlier kernels if the page still holds them, and other notebooks.

import { plural } from "../../base/format";
import type { SessionStore } from "../../session/session";
import type { Choice } from "../../panel/host";
import type { SessionEntry } from "../../link/wire";

/** What the user picked in the list. */
export type ChooserTarget =
  | { readonly kind: "session"; readonly id: string }
  | { readonly kind: "earlier"; readonly store: SessionStore }
  | { readonly kind: "notebook"; readonly path: string }
  | { readonly kind: "follow" };

/** An entry of the list, and what it selects. */
export type ChooserEntry = Choice & { readonly target: ChooserTarget };

/** A notebook other than the shown one, or one of its views. */
export interface OtherNotebook {
  readonly path: string;
  readonly name: string;
  readonly inFront: boolean;
}

export function earlierId(store: SessionStore): string {
  return `earlier:${store.kernelId} ${store.id}`;
}

/**
 * The part of an address that identifies a cluster: the port (`:8786`), or inside a kernel
 * the process id and a count (`inproc/4711/1`), since each process counts from 1.
 */
function shortAddress(address: string): string {
  const port = /:\d+$/.exec(address)?.[0];
  if (port !== undefined || address === "") return port ?? "";
  const [scheme] = address.split("://");
  return `${scheme}/${address.split("/").slice(-2).join("/")}`;
}

type Named = Pick<SessionEntry, "id" | "name" | "address">;

/** A name with as much of the address as distinguishes it from the others. */
function fullName({ name, address }: Named, among: readonly Named[]): string {
  const short = shortAddress(address);
  const isAlike = among.some(
    (other) =>
      other.name === name &&
      other.address !== address &&
      shortAddress(other.address) === short,
  );
  return `${name || "Client"} ${isAlike ? address : short}`.trimEnd();
}

/** Names of sessions by id; equal names get an address. */
export function distinctNames(entries: readonly Named[]): Map<string, string> {
  return new Map(
    entries.map((entry) => {
      const alike = entries.filter(({ name }) => name === entry.name);
      const distinct =
        alike.length > 1 ? fullName(entry, entries) : entry.name || "Client";
      return [entry.id, distinct];
    }),
  );
}

/** The number of kept tasks, if this page has shown the session. */
function tasksKept(store: SessionStore | undefined): string {
  const kept = store?.counts.value.kept ?? 0;
  return kept > 0 ? `, ${plural(kept, "task")} kept` : "";
}

/** The text for running tasks, because a mark alone is not clear enough. */
export function activity({ active }: SessionEntry): string {
  return active ? " · running tasks" : "";
}

function describe(
  entry: SessionEntry,
  store: SessionStore | undefined,
): string {
  const { state, workers } = entry;
  if (state === "stopped" || state === "lost") return state + tasksKept(store);
  return `${state} · ${plural(workers, "worker")}${activity(entry)}`;
}

/** `pinned`: the user chose what is shown, so the list offers to follow again. */
export function listChoices(
  sessions: readonly SessionEntry[],
  stores: readonly SessionStore[],
  earlier: readonly SessionStore[],
  notebooks: readonly OtherNotebook[],
  pinned: boolean,
): ChooserEntry[] {
  const follow: ChooserEntry = {
    target: { kind: "follow" },
    id: "follow",
    name: "Follow the active notebook",
    detail: "",
    state: null,
  };
  const paths = [...new Set(notebooks.map(({ path }) => path))];
  const all = [...sessions, ...earlier.map(({ info }) => info.value)];
  return [
    ...sessions.map((entry) => ({
      target: { kind: "session", id: entry.id } as const,
      id: entry.id,
      name: fullName(entry, all),
      detail: describe(
        entry,
        stores.find(({ id }) => id === entry.id),
      ),
      state: entry.state,
      active: entry.active,
    })),
    ...earlier.map((store) => ({
      target: { kind: "earlier", store } as const,
      id: earlierId(store),
      name: fullName(store.info.value, all),
      detail: `of the previous kernel${tasksKept(store)}`,
      state: "stopped" as const,
    })),
    ...paths.map((path) => {
      const views = notebooks.filter((view) => view.path === path);
      const inFront = views.some((view) => view.inFront);
      return {
        target: { kind: "notebook", path } as const,
        id: `notebook:${path}`,
        name: views[0].name,
        detail: inFront ? "the active notebook" : "another notebook",
        state: null,
      };
    }),
    ...(pinned ? [follow] : []),
  ];
}

const living = ({ state }: SessionEntry) =>
  state !== "stopped" && state !== "lost";

/**
 * Choose the session to show. The user's choice counts while it exists. Otherwise a panel
 * stays with its session until it has stopped, then shows the newest running one. A lost
 * scheduler may come back; if not, Dask closes its client after half a minute, which
 * stops the session. A client that was created since the loss, so is not in `beforeLoss`,
 * is shown at once.
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
