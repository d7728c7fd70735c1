// What narrows the view of a panel, and what to call its parts.

import type { Focus } from "../model/types";
import type { SessionStore } from "../session";

/** The focus, and actions, which only this page isolates. */
export interface Narrowing extends Focus {
  readonly actions: readonly string[];
}

export function narrows({ actions, ...focus }: Narrowing): boolean {
  return actions.length > 0 || !isWhole(focus);
}

export function isWhole(focus: Focus): boolean {
  return (
    focus.time === null &&
    focus.prefixes.length === 0 &&
    focus.workers.length === 0 &&
    focus.spans.length === 0
  );
}

/** A span is called by the spans that it lies in, too: outermost first. */
export const spanName = (name: readonly string[]): string => name.join(" › ");

/** Names of spans by their ids; one that is not known here is called by its id. */
export function spanNames(
  store: Pick<SessionStore, "spans"> | null,
  ids: readonly string[],
): string[] {
  return ids.map((id) => {
    const known = store?.spans.find((span) => span.id === id);
    return known ? spanName(known.name) : id;
  });
}

/** Click isolates, a second click frees; shift adds and takes away. */
export function isolate(
  isolated: readonly string[],
  name: string,
  adds: boolean,
): string[] {
  const has = isolated.includes(name);
  if (adds) {
    return has
      ? isolated.filter((other) => other !== name)
      : [...isolated, name];
  }
  return has && isolated.length === 1 ? [] : [name];
}
