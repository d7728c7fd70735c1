// What of our code goes on in a page by itself, so that tests can look whether it ends.

export interface Remaining {
  /** Listeners, timers and frames that have not ended, each with where it was asked for. */
  daskscopePending?: Map<string, string>;
}

/**
 * Run in a page before its first script: `ours` is what a line of ours looks like in a
 * stack. It sees listeners of what outlives a panel, intervals, frames, and short
 * time-outs; a long one waits for somebody who may come back, and ends by itself.
 */
export function noteWhatRemains(ours: string): void {
  const LONG_MS = 10_000;
  const pending = new Map<string, string>();
  (window as Remaining).daskscopePending = pending;
  const isOurs = new RegExp(ours);
  const note = (id: string): void => {
    const stack = new Error().stack ?? "";
    if (isOurs.test(stack)) pending.set(id, `${id} ${stack}`);
  };

  const numbers = new WeakMap<object, number>();
  let count = 0;
  const numberOf = (thing: object): number => {
    if (!numbers.has(thing)) numbers.set(thing, ++count);
    return numbers.get(thing)!;
  };
  const nameOf = (target: EventTarget): string | null => {
    if (target === window) return "window";
    if (target === document) return "document";
    if (target === document.documentElement) return "html";
    if (target === document.body) return "body";
    return target instanceof MediaQueryList ? "media query" : null;
  };
  const idOf = (
    target: EventTarget,
    type: string,
    listener: object | null,
    options?: boolean | EventListenerOptions,
  ): string | null => {
    const name = nameOf(target);
    if (!name || !listener) return null;
    const captures =
      typeof options === "object" ? options.capture === true : options === true;
    const parts = [numberOf(target), numberOf(listener), captures];
    return `listener ${name} ${type} ${parts.join(" ")}`;
  };
  const { addEventListener: listen, removeEventListener: unlisten } =
    EventTarget.prototype;
  EventTarget.prototype.addEventListener = function (
    this: EventTarget | undefined,
    type,
    listener,
    options,
  ) {
    const target = this ?? window;
    listen.call(target, type, listener, options);
    const id = idOf(target, type, listener, options);
    const { signal, once } =
      typeof options === "object" ? options : ({} as AddEventListenerOptions);
    if (!id || signal?.aborted) return;
    note(id);
    const ended = (): void => void pending.delete(id);
    if (signal) listen.call(signal, "abort", ended);
    if (once) listen.call(target, type, ended, options);
  };
  EventTarget.prototype.removeEventListener = function (
    this: EventTarget | undefined,
    type,
    listener,
    options,
  ) {
    const target = this ?? window;
    unlisten.call(target, type, listener, options);
    const id = idOf(target, type, listener, options);
    if (id) pending.delete(id);
  };

  const { setInterval: repeat, setTimeout: wait } = window;
  const { clearInterval: stop, clearTimeout: forget } = window;
  const { requestAnimationFrame: ask, cancelAnimationFrame: cancel } = window;
  window.setInterval = ((...args: Parameters<typeof repeat>) => {
    const id = repeat(...args);
    note(`interval ${String(id)}`);
    return id;
  }) as typeof repeat;
  window.setTimeout = ((
    run: TimerHandler,
    delay_ms?: number,
    ...args: unknown[]
  ) => {
    if (typeof run !== "function") return wait(run, delay_ms, ...args);
    const id = wait(() => {
      pending.delete(`timeout ${String(id)}`);
      (run as (...args: unknown[]) => void)(...args);
    }, delay_ms);
    if ((delay_ms ?? 0) < LONG_MS) note(`timeout ${String(id)}`);
    return id;
  }) as typeof wait;
  window.clearInterval = (id) => {
    pending.delete(`interval ${String(id)}`);
    stop(id);
  };
  window.clearTimeout = (id) => {
    pending.delete(`timeout ${String(id)}`);
    forget(id);
  };
  window.requestAnimationFrame = (draw) => {
    const id = ask((time) => {
      pending.delete(`frame ${id}`);
      draw(time);
    });
    note(`frame ${id}`);
    return id;
  };
  window.cancelAnimationFrame = (id) => {
    pending.delete(`frame ${id}`);
    cancel(id);
  };
}
