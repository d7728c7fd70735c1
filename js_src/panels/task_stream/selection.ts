// One panel's sight of a session and of what its panels isolated and searched.

import type { ReadonlySignal } from "@preact/signals";
import type { SessionStore } from "../../session";
import {
  seenSession,
  type SeenSession,
  whileVisible,
} from "../../panel/seen_session";
import type { SearchState } from "../../panel/search";
import { SharedSelection } from "../../panel/shared_selection";

export class Selection {
  readonly session: SeenSession;
  /** Isolated actions, as the legend names them; prefixes are in the focus. */
  readonly actions: ReadonlySignal<readonly string[]>;
  readonly search: ReadonlySignal<SearchState>;
  /** Grows when the model got another filter. */
  readonly version: ReadonlySignal<number>;
  /** Actions that the legend has listed: they stay, whatever a filter leaves. */
  readonly listedActions = new Set<string>();
  private readonly shared: SharedSelection;

  constructor(
    readonly store: SessionStore,
    visible: ReadonlySignal<boolean>,
  ) {
    const shared = (this.shared = SharedSelection.acquire(store));
    this.session = seenSession(store, visible);
    this.actions = whileVisible(shared.actions, visible);
    this.search = whileVisible(shared.search.state, visible);
    this.version = whileVisible(shared.version, visible);
  }

  dispose(): void {
    this.shared.release();
  }

  isolateActions(actions: readonly string[]): void {
    this.shared.actions.value = actions;
  }

  searchFor(text: string): void {
    this.shared.search.set(text);
  }

  /** The next or previous match; null when there is none. */
  step(by: number): number | null {
    return this.shared.search.step(by);
  }
}
