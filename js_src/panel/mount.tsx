// Mounts a panel: creates its root with theme and layout, handles keys, and keeps the
// session's stream open while the panel is mounted.

import { effect } from "@preact/signals";
import { type JSX, render, Component, type ComponentChildren } from "preact";
import type { SessionStore } from "../session/session";
import {
  type PanelEnvironment,
  watchEnvironment,
  breadthOf,
} from "./environment";
import type { PanelKind, PanelProps, EmptyState } from "./host";
import { Empty } from "./states";

interface PanelContent {
  readonly content: JSX.Element;
  use?(store: SessionStore | null): void;
  /** Handles a key; returns whether the panel uses it. */
  press(key: string, shift: boolean): boolean;
  focusHome(): void;
  dispose?(): void;
}

/** Returns a function that removes the panel and all listeners, observers and frames. */
export function mountPanel(
  element: HTMLElement,
  { session, host }: PanelProps,
  kind: Pick<PanelKind, "id" | "title" | "tables">,
  make: (root: HTMLElement, environment: PanelEnvironment) => PanelContent,
): () => void {
  const { inline } = host;
  const root = document.createElement("div");
  root.className = inline ? "ds-root ds-inline" : "ds-root";
  // Otherwise a notebook treats `d d` as "delete this cell".
  if (inline) root.setAttribute("data-lm-suppress-shortcuts", "true");
  root.dataset["kind"] = kind.id;
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

/** Handles all keys inside the panel; inline, the notebook does not receive any of them. */
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

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.matches("input, textarea, select") || target.isContentEditable)
  );
}

function pressesButton(target: EventTarget | null, key: string): boolean {
  return (
    target instanceof HTMLElement &&
    (key === " " || key === "Enter") &&
    target.closest("button") !== null
  );
}

interface Props {
  readonly name: string;
  readonly children: ComponentChildren;
}

interface State {
  readonly thrown: string | null;
}

/** Maximum length of an error message; more does not help. */
const MAX_CHARACTERS = 300;

export class Guarded extends Component<Props, State> {
  override state: State = { thrown: null };

  static override getDerivedStateFromError(error: unknown): State {
    return { thrown: String(error).slice(0, MAX_CHARACTERS) };
  }

  /** Logs the stack, since Preact does not rethrow the error. */
  override componentDidCatch(error: unknown): void {
    console.error(`daskscope: ${this.props.name} cannot be drawn`, error);
  }

  override render(): JSX.Element {
    const { name, children } = this.props;
    const { thrown } = this.state;
    if (thrown === null) return <>{children}</>;
    const state: EmptyState = {
      state: "stopped",
      trouble: true,
      title: `${name} cannot be drawn`,
      text: `This panel crashed (${thrown}); your data is unaffected. Try again, and please report it if it happens again.`,
      actions: [
        { label: "Try again", run: () => this.setState({ thrown: null }) },
      ],
    };
    return (
      <div class="ds-guarded" role="alert">
        <Empty state={state} />
      </div>
    );
  }
}

/**
 * When the focused element is removed (a sheet closes, a chip is removed), the
 * browser focuses the page, and the notebook would receive the next keys.
 */
function keepFocus(root: HTMLElement, focusPlot: () => void): () => void {
  let last: Element | null = null;
  const abort = new AbortController();
  const { signal } = abort;
  root.addEventListener(
    "focusin",
    (event) => {
      last = event.target instanceof Element ? event.target : null;
    },
    { signal },
  );
  root.addEventListener(
    "focusout",
    (event) => {
      if (event.relatedTarget !== null) last = null;
    },
    { signal },
  );
  const observer = new MutationObserver(() => {
    if (!last || last.isConnected || !root.isConnected) return;
    last = null;
    if (isNowhere(activeIn(root))) focusPlot();
  });
  observer.observe(root, { childList: true, subtree: true });
  return () => {
    abort.abort();
    observer.disconnect();
  };
}

/** Elements with their own keys, which keep the focus after a click. */
const KEEPING = ".ds-menu-list, .ds-pinned, [role=dialog]";

/**
 * Moves the focus from a button to the plot after a mouse click: otherwise Space would
 * press the button again instead of pausing. Keyboard users keep the focus.
 */
function returnFocus(root: HTMLElement, focusPlot: () => void): () => void {
  const onClick = (event: MouseEvent): void => {
    // Clicks by keyboard have `detail` 0.
    if (event.detail === 0 || !(event.target instanceof Element)) return;
    const button = event.target.closest("button");
    if (!button || button.closest(KEEPING)) return;
    const active = activeIn(root);
    // Some browsers focus the surrounding element instead of a clicked button.
    if (active === button || active === root || isNowhere(active)) focusPlot();
  };
  root.addEventListener("click", onClick);
  return () => root.removeEventListener("click", onClick);
}

function activeIn(root: HTMLElement): Element | null {
  return (root.getRootNode() as Document | ShadowRoot).activeElement;
}

const isNowhere = (active: Element | null): boolean =>
  active === null || active === document.body;
