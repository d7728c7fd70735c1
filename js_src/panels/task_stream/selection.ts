// One panel's sight of a session and of what its panels isolated and searched,
// in signals of this bundle.

import type { ReadonlySignal } from "@preact/signals";
import type { SessionStore } from "../../session";
import { SessionMirror } from "../../panel/session_mirror";
import { SignalCopies } from "../../panel/signal_copies";
import type { SearchState } from "../../panel/search";
import { SharedSelection } from "../../panel/shared_selection";

export class Selection extends SignalCopies {
  readonly mirror: SessionMirror;
  /** Isolated actions, as the legend names them; prefixes are in the focus. */
  readonly actions: ReadonlySignal<readonly string[]>;
  readonly search: ReadonlySignal<SearchState>;
  /** Grows when the model got another filter. */
  readonly version: ReadonlySignal<number>;
  /** Actions that the legend has listed: they stay, whatever a filter leaves. */
  readonly listedActions = new Set<string>();
  private readonly shared: SharedSelection;

  constructor(readonly store: SessionStore) {
    super();
    this.mirror = new SessionMirror(store);
    this.shared = SharedSelection.acquire(store);
    this.actions = this.copy(this.shared.actions);
    this.search = this.copy(this.shared.search.state);
    this.version = this.copy(this.shared.version);
  }

  override pause(): void {
    super.pause();
    this.mirror.pause();
  }

  override resume(): void {
    super.resume();
    this.mirror.resume();
  }

  override dispose(): void {
    super.dispose();
    this.mirror.dispose();
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
