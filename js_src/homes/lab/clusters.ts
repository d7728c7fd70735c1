// The Dask clients in the kernels of open notebooks, for the sidebar. Looks only
// while the sidebar can be seen, and loads nothing into a kernel without Dask.

import { effect, type ReadonlySignal, signal } from "@preact/signals";
import type { Notebook, Notebooks } from "./notebooks";

export class Clusters {
  private readonly visible = signal(false);
  private readonly held = new Map<Notebook, () => void>();
  private readonly asking = new Set<Notebook>();
  private readonly stops: (() => void)[];

  constructor(notebooks: Notebooks, detect: ReadonlySignal<boolean>) {
    this.stops = [
      effect(() => {
        const open = notebooks.open.value;
        for (const notebook of this.held.keys()) {
          if (!open.includes(notebook)) this.release(notebook);
        }
        if (!this.visible.value || !detect.value) this.releaseAll();
        else for (const notebook of open) void this.look(notebook);
      }),
      notebooks.onRan((notebook) => {
        if (this.visible.peek() && detect.peek()) void this.look(notebook);
      }),
    ];
  }

  setVisible(visible: boolean): void {
    this.visible.value = visible;
  }

  dispose(): void {
    for (const stop of this.stops) stop();
    this.releaseAll();
  }

  private async look(notebook: Notebook): Promise<void> {
    if (this.held.has(notebook) || this.asking.has(notebook)) return;
    this.asking.add(notebook);
    try {
      await notebook.panel.sessionContext.ready;
      const wanted = await notebook.kernel.hasDask();
      if (!wanted || !this.visible.peek() || notebook.panel.isDisposed) return;
      this.held.set(notebook, notebook.kernel.use());
    } catch {
      // The kernel went away while it was asked: the next cell asks again.
    } finally {
      this.asking.delete(notebook);
    }
  }

  private release(notebook: Notebook): void {
    this.held.get(notebook)?.();
    this.held.delete(notebook);
  }

  private releaseAll(): void {
    for (const notebook of [...this.held.keys()]) this.release(notebook);
  }
}
