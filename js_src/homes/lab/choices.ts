// What a panel can show instead: the sessions of its notebook's kernel, what the
// page still holds of kernels before it, and other notebooks.

import type { SessionStore } from "../../session";
import type { Choice } from "../../views/host";
import type { SessionEntry } from "../../wire";

/** What a person picked of the list. */
export type Picked =
  | { readonly kind: "session"; readonly id: string }
  | { readonly kind: "earlier"; readonly store: SessionStore }
  | { readonly kind: "notebook"; readonly path: string }
  | { readonly kind: "follow" };

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

/** What tells two clusters of one name apart: a port, or what ends an address. */
function shortAddress(address: string): string {
  return /:\d+$/.exec(address)?.[0] ?? `#${address.split("/").at(-1) ?? ""}`;
}

/** Names of sessions, by id; those that would look alike get more to them. */
export function distinctNames(
  entries: readonly Pick<SessionEntry, "id" | "name" | "address">[],
): Map<string, string> {
  const nameOf = ({ name }: { name: string }) => name || "Client";
  return new Map(
    entries.map((entry) => {
      const name = nameOf(entry);
      const alike = entries.filter((other) => nameOf(other) === name);
      const more = alike.length > 1 ? ` ${shortAddress(entry.address)}` : "";
      return [entry.id, name + more];
    }),
  );
}

/** `pinned`: a person chose what is shown, and may want it to follow again. */
export function listChoices(
  sessions: readonly SessionEntry[],
  earlier: readonly SessionStore[],
  notebooks: readonly OtherNotebook[],
  pinned: boolean,
): Choice[] {
  const names = distinctNames(sessions);
  return [
    ...sessions.map(({ id, address, state }) => ({
      id,
      name: names.get(id)!,
      address,
      state,
    })),
    ...earlier.map((store) => {
      const { name } = store.info.peek();
      return {
        id: earlierId(store),
        name: `${name || "Client"}, before`,
        address: "of the kernel before, kept on this page",
        state: "stopped",
      };
    }),
    ...notebooks.map(({ path, name, inFront }) => ({
      id: NOTEBOOK + path,
      name,
      address: inFront ? "the notebook in front" : "another notebook",
      state: "",
    })),
    ...(pinned
      ? [
          {
            id: FOLLOW,
            name: "Follow the notebook in front",
            address: "",
            state: "",
          },
        ]
      : []),
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
