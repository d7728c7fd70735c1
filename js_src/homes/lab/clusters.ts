// Connects to the kernels of open notebooks to find their Dask clients, while the sidebar
// or a panel is open. The active notebook's kernel loads daskscope at once, so that its
// next cell is recorded from its first task; other kernels load it only after they have
// loaded Dask.

import {
  computed,
  effect,
  type ReadonlySignal,
  signal,
  untracked,
} from "@preact/signals";
import type { Notebook, Notebooks } from "./notebooks";

export class Clusters {
  private readonly visible = signal(false);
  private readonly wanted: ReadonlySignal<boolean>;
  private readonly connected = new Map<Notebook, () => void>();
  private readonly asking = new Set<Notebook>();
  private readonly stops: (() => void)[];

  constructor(
    private readonly notebooks: Notebooks,
    detect: ReadonlySignal<boolean>,
    panelsOpen: ReadonlySignal<boolean>,
  ) {
    this.wanted = computed(
      () => detect.value && (this.visible.value || panelsOpen.value),
    );
    this.stops = [
      effect(() => {
        const open = notebooks.open.value;
        void notebooks.front.value; // subscribe: the active notebook is always entered
        for (const notebook of this.connected.keys()) {
          if (!open.includes(notebook)) this.release(notebook);
        }
        if (!this.wanted.value) this.releaseAll();
        else for (const notebook of open) void this.connectIfDask(notebook);
      }),
      notebooks.onRan((notebook) => {
        if (this.wanted.peek()) void this.connectIfDask(notebook);
      }),
    ];
  }

  /** Set whether the sidebar is visible. */
  setVisible(visible: boolean): void {
    this.visible.value = visible;
  }

  dispose(): void {
    for (const stop of this.stops) stop();
    this.releaseAll();
  }

  private async connectIfDask(notebook: Notebook): Promise<void> {
    if (this.connected.has(notebook) || this.asking.has(notebook)) return;
    this.asking.add(notebook);
    try {
      await notebook.panel.sessionContext.ready;
      const isFront = () => this.notebooks.front.peek() === notebook;
      const enter = isFront() || (await notebook.kernel.hasDask()) || isFront();
      if (!enter || !this.wanted.peek() || notebook.panel.isDisposed) return;
      this.hold(notebook);
    } catch {
      // The kernel ended during the request; the next cell triggers another one.
    } finally {
      this.asking.delete(notebook);
    }
  }

  private hold(notebook: Notebook): void {
    const { kernel } = notebook;
    const start = kernel.starts.peek();
    const stopUsing = kernel.use();
    const stop = effect(() => {
      if (kernel.starts.value === start) return;
      // The new kernel has not loaded Dask yet; the next cell triggers another check.
      const behind = this.notebooks.front.peek() !== notebook;
      if (behind) untracked(() => this.release(notebook));
    });
    this.connected.set(notebook, () => {
      stop();
      stopUsing();
    });
  }

  private release(notebook: Notebook): void {
    this.connected.get(notebook)?.();
    this.connected.delete(notebook);
  }

  private releaseAll(): void {
    for (const notebook of [...this.connected.keys()]) this.release(notebook);
  }
}
