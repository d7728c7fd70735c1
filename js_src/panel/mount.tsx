// What surrounds every panel: its root, the theme and breadth of that, its keys, and the
// session's stream, which it holds open while it is mounted.

import { effect } from "@preact/signals";
import { type JSX, render } from "preact";
import type { SessionStore } from "../session";
import { type PanelEnvironment, watchEnvironment } from "./environment";
import { breadthOf } from "./environment";
import { Guarded } from "./guarded";
import { keepFocus, returnFocus } from "./keyboard_focus";
import type { PanelKind, PanelProps } from "./kind";

export interface PanelContent {
  readonly content: JSX.Element;
  /** Another session is shown, or none. */
  use?(store: SessionStore | null): void;
  /** What a key does; true when it was one of the panel's. */
  press(key: string, shift: boolean): boolean;
  /** Gives the keyboard to the plot, or to what scrolls. */
  focusHome(): void;
  dispose?(): void;
}

/** Returns what undoes it: no listener, observer or frame stays behind. */
export function mountPanel(
  element: HTMLElement,
  { session, host }: PanelProps,
  kind: Pick<PanelKind, "title" | "tables">,
  make: (root: HTMLElement, environment: PanelEnvironment) => PanelContent,
): () => void {
  const { inline } = host;
  const root = document.createElement("div");
  root.className = inline ? "ds-root ds-inline" : "ds-root";
  // A notebook must not take `d d` for "delete this cell".
  if (inline) root.setAttribute("data-lm-suppress-shortcuts", "true");
  root.tabIndex = -1;
  element.append(root);

  const environment = watchEnvironment(root, host);
  const made = make(root, environment);
  const focusHome = (): void => made.focusHome();
  let release: (() => void) | undefined;
  const stops = [
    effect(() => {
      const breadth = breadthOf(environment.width.value);
      const classes = root.classList;
      classes.toggle("ds-dark", environment.theme.value.dark);
      for (const name of ["wide", "medium", "narrow", "small", "tiny"]) {
        classes.toggle(`ds-${name}`, breadth === name);
      }
    }),
    session.subscribe((store) => {
      release?.();
      release = store?.watch(environment.visible, kind.tables);
      made.use?.(store);
    }),
    listenToKeys(root, inline, (key, shift) =>
      session.peek() ? made.press(key, shift) : false,
    ),
    keepFocus(root, focusHome),
    returnFocus(root, focusHome),
  ];
  render(<Guarded name={kind.title}>{made.content}</Guarded>, root);

  return () => {
    render(null, root);
    for (const stop of stops) stop();
    release?.();
    made.dispose?.();
    environment.dispose();
    root.remove();
  };
}

/** Every key inside the panel is the panel's; inline, none goes further. */
function listenToKeys(
  root: HTMLElement,
  inline: boolean,
  press: (key: string, shift: boolean) => boolean,
): () => void {
  const abort = new AbortController();
  const { signal } = abort;
  const down = (event: KeyboardEvent): void => {
    if (inline) event.stopPropagation();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.isComposing || isTyping(event.target)) return;
    if (pressesButton(event.target, event.key)) return;
    if (!press(event.key, event.shiftKey)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  root.addEventListener("keydown", down, { signal });
  if (inline) {
    const swallow = (event: Event): void => event.stopPropagation();
    for (const type of ["keyup", "keypress", "input", "paste", "copy"]) {
      root.addEventListener(type, swallow, { signal });
    }
  }
  return () => abort.abort();
}

/** Typing belongs to the field it goes to. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.matches("input, textarea, select") || target.isContentEditable)
  );
}

/** Enter and Space on a button press the button. */
function pressesButton(target: EventTarget | null, key: string): boolean {
  return (
    target instanceof HTMLElement &&
    (key === " " || key === "Enter") &&
    target.closest("button") !== null
  );
}
