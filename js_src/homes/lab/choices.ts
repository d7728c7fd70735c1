// What a panel can show instead: the sessions of its notebook's kernel, what the
// page still holds of kernels before it, and other notebooks.

import { plural } from "../../base/format";
import type { SessionStore } from "../../session";
import type { Choice } from "../../panel/host";
import type { SessionEntry } from "../../wire";

/** What a person picked of the list. */
export type Picked =
  | { readonly kind: "session"; readonly id: string }
  | { readonly kind: "earlier"; readonly store: SessionStore }
  | { readonly kind: "notebook"; readonly path: string }
  | { readonly kind: "follow" };

/** A notebook beside the one that is shown, or one view of it. */
export interface OtherNotebook {
  readonly path: string;
  readonly name: string;
  readonly inFront: boolean;
}

const EARLIER = "earlier:";
const NOTEBOOK = "notebook:";
const FOLLOW = "follow";

export function earlierId(store: SessionStore): string {
  return `${EARLIER}${store.kernelId} ${store.id}`;
}

/**
 * The end of an address, by which one knows a cluster: `:8786`; in a kernel's own
 * process, that process and a count, `inproc/4711/1`: the count alone begins anew in each.
 */
function shortAddress(address: string): string {
  const port = /:\d+$/.exec(address)?.[0];
  if (port !== undefined || address === "") return port ?? "";
  const [scheme] = address.split("://");
  return `${scheme}/${address.split("/").slice(-2).join("/")}`;
}

type Named = Pick<SessionEntry, "id" | "name" | "address">;

/** What to say of an address, the next one while clusters would look alike. */
const SPELLINGS: readonly ((address: string) => string)[] = [
  shortAddress,
  (address) => address.split("://").at(-1)!,
  (address) => address,
];

/** A name with what tells its cluster from those at other addresses. */
function fullName({ name, address }: Named, among: readonly Named[]): string {
  const others = among.filter(
    (other) => other.name === name && other.address !== address,
  );
  const spelling = SPELLINGS.find((spell) =>
    others.every((other) => spell(other.address) !== spell(address)),
  )!;
  return `${name || "Client"} ${spelling(address)}`.trimEnd();
}

/** Names of sessions, by id; those that would look alike get more to them. */
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

/** How many tasks this page knows of a session; none if it never showed it. */
function tasksKept(store: SessionStore | undefined): string {
  const kept = store?.counts.value.kept ?? 0;
  return kept > 0 ? `, ${plural(kept, "task")} kept` : "";
}

/** Whether tasks finish just now: a mark alone says too little. */
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

/** `pinned`: a person chose what is shown, and may want it to follow again. */
export function listChoices(
  sessions: readonly SessionEntry[],
  held: readonly SessionStore[],
  earlier: readonly SessionStore[],
  notebooks: readonly OtherNotebook[],
  pinned: boolean,
): Choice[] {
  const follow: Choice = {
    id: FOLLOW,
    name: "Follow the notebook in front",
    detail: "",
    state: null,
  };
  const paths = [...new Set(notebooks.map(({ path }) => path))];
  const all = [...sessions, ...earlier.map(({ info }) => info.value)];
  return [
    ...sessions.map((entry) => ({
      id: entry.id,
      name: fullName(entry, all),
      detail: describe(
        entry,
        held.find(({ id }) => id === entry.id),
      ),
      state: entry.state,
      active: entry.active,
    })),
    ...earlier.map((store) => ({
      id: earlierId(store),
      name: fullName(store.info.value, all),
      detail: `of the kernel before${tasksKept(store)}`,
      state: "stopped" as const,
    })),
    ...paths.map((path) => {
      const views = notebooks.filter((view) => view.path === path);
      const inFront = views.some((view) => view.inFront);
      return {
        id: NOTEBOOK + path,
        name: views[0].name,
        detail: inFront ? "the notebook in front" : "another notebook",
        state: null,
      };
    }),
    ...(pinned ? [follow] : []),
  ];
}

/** What the id of a choice stands for; undefined when it has gone meanwhile. */
export function pickedBy(
  id: string,
  earlier: readonly SessionStore[],
): Picked | undefined {
  if (id.startsWith(NOTEBOOK)) {
    return { kind: "notebook", path: id.slice(NOTEBOOK.length) };
  }
  if (id === FOLLOW) return { kind: "follow" };
  if (!id.startsWith(EARLIER)) return { kind: "session", id };
  const store = earlier.find((held) => earlierId(held) === id);
  return store && { kind: "earlier", store };
}
