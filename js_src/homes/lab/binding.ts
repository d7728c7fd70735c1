// Binds a panel to a notebook and to one of the sessions in its kernel, through restarts,
// renames and reloads. A panel follows the active notebook, once it has a client, until
// the user chooses another.

import {
  computed,
  effect,
  type ReadonlySignal,
  type Signal,
  signal,
  untracked,
} from "@preact/signals";
import type { SessionStore } from "../../session/session";
import { thePage } from "../../session/page";
import type { Chooser, EmptyState } from "../../panel/host";
import {
  chooseSession,
  earlierId,
  listChoices,
  type ChooserTarget,
} from "./choices";
import {
  closedNotebookState,
  emptyStateFor,
  OF_EARLIER_KERNEL,
  pictureKept,
} from "./empty_state";
import type { Notebook, Notebooks } from "./notebooks";

export class Binding {
  /** Null until there is a session; the last one stays when its kernel ends. */
  readonly session = signal<SessionStore | null>(null);
  readonly notebook = signal<Notebook | null>(null);
  readonly emptyState: ReadonlySignal<EmptyState | null>;
  readonly chooser: ReadonlySignal<Chooser | null>;
  /** Path of the notebook, also while it is closed; null before the first. */
  readonly path = signal<string | null>(null);
  /** Whether the user chose what is shown, so that it stays when another notebook is active. */
  readonly chosen: Signal<boolean>;
  private readonly wanted: Signal<string | null>;
  /** The sessions that existed before the shown one was lost. */
  private beforeLoss: ReadonlySet<string> = new Set();
  private readonly stores: ReadonlySignal<readonly SessionStore[]> =
    thePage().sessions;
  private readonly stops: (() => void)[] = [];

  constructor(
    private readonly notebooks: Notebooks,
    path: string | null,
    chosen = false,
    /** Id of the session to show; null chooses one. */
    session: string | null = null,
  ) {
    this.path.value = path;
    this.chosen = signal(chosen);
    this.wanted = signal(session);
    this.emptyState = computed(() => this.describeEmpty());
    this.chooser = computed(() => this.choices());
    this.stops.push(
      effect(() => this.findNotebook()),
      // Connect to the kernel while the panel exists.
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

  /** Whether it shows this session, or will when the session is found. */
  shows(session: string): boolean {
    return (this.session.peek()?.id ?? this.wanted.peek()) === session;
  }

  /** Show the active notebook and follow it from now on. */
  followFront(): void {
    this.wanted.value = null;
    this.chosen.value = false;
    this.show(this.notebooks.front.peek());
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
    const hasClient = (front?.kernel.sessions.value.length ?? 0) > 0;
    const follow = !this.chosen.value && (hasClient || path === null);
    const next = (follow ? front : null) ?? kept ?? null;
    this.notebook.value = next;
    if (next) this.path.value = next.path.value;
  }

  private findSession(): void {
    const kernel = this.notebook.value?.kernel;
    const state = kernel?.state.value;
    const sessions = kernel?.sessions.value ?? [];
    const wanted = this.wanted.value;
    if (state?.kind !== "open") return; // the shown session stays readable
    const shown = this.session.peek();
    if (shown && wanted === earlierId(shown)) return; // the user went back to it
    const current = shown?.kernelId === state.link.kernelId ? shown.id : null;
    if (sessions.find(({ id }) => id === current)?.state !== "lost") {
      this.beforeLoss = new Set(sessions.map(({ id }) => id));
    }
    const { beforeLoss } = this;
    const id = chooseSession(sessions, current, wanted, beforeLoss);
    if (id === null || id === current) return;
    this.session.value = untracked(() => thePage().session(state.link, id));
  }

  /** Sessions of this notebook's earlier kernels, oldest first. */
  private earlier(): readonly SessionStore[] {
    const kernels = this.notebook.value?.kernel.earlierKernels.value ?? [];
    return this.stores.value.filter(
      ({ listed, kernelId }) => listed && kernels.includes(kernelId),
    );
  }

  private describeEmpty(): EmptyState | null {
    const shown = this.session.value;
    const notebook = this.notebook.value;
    const path = this.path.value;
    const kernel = notebook?.kernel.state.value ?? { kind: "no-kernel" };
    if (shown && kernel.kind === "open") {
      if (shown.kernelId === kernel.link.kernelId) return null;
      if (this.wanted.value === earlierId(shown)) return OF_EARLIER_KERNEL;
    }
    const why =
      !notebook && path !== null
        ? closedNotebookState(path)
        : emptyStateFor(kernel, notebook?.name ?? null, {
            insertClientCode: () => notebook?.insertClientCode(),
            retry: () => notebook?.kernel.reconnect(),
            reload: () => location.reload(),
          });
    const died = notebook?.kernel.died.value ?? false;
    return shown ? pictureKept(why, kernel, died) : why;
  }

  private choices(): Chooser | null {
    const notebook = this.notebook.value;
    const sessions = notebook?.kernel.sessions.value ?? [];
    const front = this.notebooks.front.value;
    const others = this.notebooks.open.value
      .filter(
        (other) =>
          other.path.value !== notebook?.path.value &&
          (other === front || other.kernel.sessions.value.length > 0),
      )
      .map((other) => ({
        path: other.path.value,
        name: other.name,
        inFront: other === front,
      }));
    const pinned = this.chosen.value && this.notebooks.open.value.length > 1;
    const state = notebook?.kernel.state.value;
    const kernelId = state?.kind === "open" ? state.link.kernelId : null;
    const ofKernel = this.stores.value.filter(
      (store) => store.kernelId === kernelId,
    );
    const list = listChoices(
      sessions,
      ofKernel,
      this.earlier(),
      others,
      pinned,
    );
    if (list.length < 2) return null;
    const shown = this.session.value;
    const now = sessions.some(({ id }) => id === shown?.id);
    return {
      sessions: list,
      chosen: shown && (now ? shown.id : earlierId(shown)),
      choose: (id) => {
        const entry = list.find((choice) => choice.id === id);
        if (entry) this.choose(entry.target);
      },
    };
  }

  private choose(target: ChooserTarget): void {
    if (target.kind === "follow") {
      this.followFront();
      return;
    }
    this.chosen.value = true;
    if (target.kind === "notebook") {
      this.show(this.notebooks.find(target.path));
      return;
    }
    if (target.kind === "session") this.wanted.value = target.id;
    else {
      this.wanted.value = earlierId(target.store);
      this.session.value = target.store;
    }
  }

  private show(notebook: Notebook | null | undefined): void {
    if (!notebook || notebook === this.notebook.peek()) return;
    this.wanted.value = null;
    this.session.value = null;
    this.path.value = notebook.path.peek();
    this.notebook.value = notebook;
  }
}
