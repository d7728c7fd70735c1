// The place where a page keeps the code of one build, for all widgets. The labextension
// puts its copy here; in hosts without it the first widget loads one.

import type { AnyModel } from "@anywidget/types";
import type { Page } from "../session/page";
import { BUILD } from "../version";

/** A panel with anywidget's interface. Both functions return their cleanup. */
export interface Widget<T extends object = object> {
  initialize(props: { model: AnyModel<T> }): () => void;
  render(props: { model: AnyModel<T>; el: HTMLElement }): () => void;
}

export interface Code {
  /** Called once for each model. */
  widget(): Widget;
  readonly page: Page;
}

export interface CodeSlot {
  readonly code: Promise<Code>;
  arrived(code: Code): void;
  failed(error: unknown): void;
  /** How often the page has evaluated the code. */
  copies: number;
  /** Whether a message with the code has arrived. */
  loading: boolean;
  /** When a loader last asked the kernel for it, in milliseconds. */
  asked: number;
}

export function codeSlot(): CodeSlot {
  const slots = globalThis as { [name: symbol]: CodeSlot | undefined };
  return (slots[Symbol.for(`daskscope.code.${BUILD}`)] ??= newSlot());
}

function newSlot(): CodeSlot {
  const slot = { copies: 0, loading: false, asked: -Infinity } as {
    -readonly [K in keyof CodeSlot]: CodeSlot[K];
  };
  slot.code = new Promise((arrived, failed) => {
    slot.arrived = arrived;
    slot.failed = failed;
  });
  return slot;
}

export function provideCode(code: Code): void {
  const slot = codeSlot();
  slot.copies += 1;
  slot.arrived(code);
}
