// Signals of another bundle, copied into signals of this one.
//
// What panels share on a page may have been made by another bundle (the
// extension makes it, a widget shows it), with its own copy of the signals
// library, and reading a foreign signal in a computed value or a component
// subscribes to nothing. `subscribe` works across copies.

import { batch, signal, type ReadonlySignal } from "@preact/signals";

interface Source<T> {
  peek(): T;
  subscribe(listener: (value: T) => void): () => void;
}

export class SignalCopies {
  private readonly starts: (() => () => void)[] = [];
  private stops: (() => void)[] = [];

  /** Nobody looks: nothing follows from what changes, until `resume`. */
  pause(): void {
    for (const stop of this.stops.splice(0)) stop();
  }

  /** Takes what was missed, at once. */
  resume(): void {
    if (this.stops.length > 0) return;
    batch(() => {
      this.stops = this.starts.map((start) => start());
    });
  }

  dispose(): void {
    this.pause();
    this.starts.length = 0;
  }

  protected copy<T>(source: Source<T>): ReadonlySignal<T> {
    const own = signal(source.peek());
    const start = () =>
      source.subscribe((value) => {
        own.value = value;
      });
    this.starts.push(start);
    this.stops.push(start());
    return own;
  }
}
