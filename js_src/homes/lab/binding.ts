// Ties one panel to a notebook and to one of the sessions in its kernel, and
// keeps the tie through restarts, renames and reloads. A panel follows the
// notebook in front, once that one has a client, until a person chooses.

import {
  computed,
  effect,
  type ReadonlySignal,
  type Signal,
  signal,
  untracked,
} from "@preact/signals";
import type { SessionStore } from "../../session";
import { thePage } from "../../session_page";
import type { Chooser, EmptyState } from "../../views/host";
import { chooseSession } from "./choose_session";
import { closedNotebookState, emptyStateFor } from "./empty_state";
import type { Notebook, Notebooks } from "./notebooks";

const NOTEBOOK = "notebook:";

export class Binding {
  /** Null until there is something to show; then it keeps the last session. */
  readonly session = signal<SessionStore | null>(null);
  readonly notebook = signal<Notebook | null>(null);
  readonly emptyState: ReadonlySignal<EmptyState | null>;
  readonly chooser: ReadonlySignal<Chooser | null>;
  /** Path of the notebook, also while it is closed; null before the first. */
  readonly path = signal<string | null>(null);
  /** A person chose what is shown: it stays, whatever is in front. */
  readonly chosen: Signal<boolean>;
  private readonly wanted = signal<string | null>(null);
  private readonly stops: (() => void)[] = [];

  constructor(
    private readonly notebooks: Notebooks,
    path: string | null,
    chosen = false,
  ) {
    this.path.value = path;
    this.chosen = signal(chosen);
    this.emptyState = computed(() => this.describeEmpty());
    this.chooser = computed(() => this.choices());
    this.stops.push(
      effect(() => this.findNotebook()),
      // The kernel is entered while the panel is there.
      effect(() => {
        const kernel = this.notebook.value?.kernel;
        return kernel && untracked(() => kernel.use());
      }),
      effect(() => this.findSession()),
    );
  }

  dispose(): void {
    for (const stop of this.stops.splice(0)) stop();
    this.session.value = null;
  }

  private findNotebook(): void {
    const open = this.notebooks.open.value;
    const front = this.notebooks.front.value;
    const path = this.path.peek();
    const bound = this.notebook.peek();
    const kept =
      bound && open.includes(bound)
        ? bound
        : open.find((other) => other.path.value === path);
    const news = (front?.kernel.sessions.value.length ?? 0) > 0;
    const follow = !this.chosen.value && (news || path === null);
    const next = (follow ? front : null) ?? kept ?? null;
    this.notebook.value = next;
    if (next) this.path.value = next.path.value;
  }

  private findSession(): void {
    const kernel = this.notebook.value?.kernel;
    const state = kernel?.state.value;
    const sessions = kernel?.sessions.value ?? [];
    const wanted = this.wanted.value;
    if (state?.kind !== "open") return; // what was shown stays readable
    const shown = this.session.peek();
    const current = shown?.kernelId === state.link.kernelId ? shown.id : null;
    const id = chooseSession(sessions, current, wanted);
    if (id === null || id === current) return;
    this.session.value = untracked(() => thePage().session(state.link, id));
  }

  private describeEmpty(): EmptyState | null {
    if (this.session.value) return null;
    const notebook = this.notebook.value;
    const path = this.path.value;
    if (!notebook && path !== null) return closedNotebookState(path);
    const kernel = notebook?.kernel.state.value ?? { kind: "no-kernel" };
    return emptyStateFor(kernel, notebook?.name ?? null, {
      insertClientCode: () => notebook?.insertClientCode(),
      again: () => notebook?.kernel.again(),
      reload: () => location.reload(),
    });
  }

  private choices(): Chooser | null {
    const notebook = this.notebook.value;
    const sessions = notebook?.kernel.sessions.value ?? [];
    const front = this.notebooks.front.value;
    const others = this.notebooks.open.value.filter(
      (other) =>
        other !== notebook &&
        (other === front || other.kernel.sessions.value.length > 0),
    );
    if (sessions.length + others.length < 2) return null;
    return {
      sessions: [
        ...sessions.map(({ id, name, address, state }) => ({
          id,
          name: name || "Client",
          address,
          state,
        })),
        ...others.map((other) => ({
          id: NOTEBOOK + other.path.value,
          name: other.name,
          address:
            other === front ? "the notebook in front" : "another notebook",
          state: "",
        })),
      ],
      chosen: this.session.value?.id ?? null,
      choose: (id) => this.choose(id),
    };
  }

  private choose(id: string): void {
    this.chosen.value = true;
    if (!id.startsWith(NOTEBOOK)) {
      this.wanted.value = id;
      return;
    }
    const next = this.notebooks.find(id.slice(NOTEBOOK.length));
    if (!next) return;
    this.wanted.value = null;
    this.session.value = null;
    this.path.value = next.path.peek();
    this.notebook.value = next;
  }
}
