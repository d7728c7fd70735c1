// Signals of another bundle, copied into signals of this one.
//
// What panels share on a page may have been made by another bundle (the
// extension makes it, a widget shows it), with its own copy of the signals
// library, and reading a foreign signal in a computed value or a component
// subscribes to nothing. `subscribe` works across copies.

import { signal, type ReadonlySignal } from "@preact/signals";

interface Source<T> {
  peek(): T;
  subscribe(listener: (value: T) => void): () => void;
}

export class SignalCopies {
  private readonly stops: (() => void)[] = [];

  dispose(): void {
    for (const stop of this.stops.splice(0)) stop();
  }

  protected copy<T>(source: Source<T>): ReadonlySignal<T> {
    const own = signal(source.peek());
    this.stops.push(
      source.subscribe((value) => {
        own.value = value;
      }),
    );
    return own;
  }
}
