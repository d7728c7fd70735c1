// Mounts a task stream in an element. What it shows comes from a session, what
// surrounds it from a host; it holds the session's stream open while mounted.

import { effect } from "@preact/signals";
import { render } from "preact";
import { watchEnvironment } from "../../panel/environment";
import { Guarded } from "../../panel/guarded";
import { panelIcon, type PanelKind, type PanelProps } from "../../panel/kind";
import { keepFocus, returnFocus } from "./keyboard_focus";
import { isTyping, pressesButton, pressKey } from "./keyboard";
import { TaskStreamPanel, TITLE, type PanelParts } from "./panel";
import { ViewState } from "./view_state";

export const TASK_STREAM: PanelKind = {
  id: "task-stream",
  title: TITLE,
  caption: "every task on every thread",
  icon: panelIcon(
    '<path d="M1 2h6v3H1zM8 2h4v3H8zM3 6.5h4v3H3zM8 6.5h7v3H8zM1 11h3v3H1zM5 11h7v3H5z"/>',
  ),
  group: "Tasks",
  tables: ["tasks", "errors", "workers", "gaps"],
  mount: mountTaskStream,
};

/** Returns what undoes it: no listener, observer or frame stays behind. */
export function mountTaskStream(
  element: HTMLElement,
  props: PanelProps,
): () => void {
  const { host } = props;
  const { inline } = host;
  const root = document.createElement("div");
  root.className = inline ? "ds-root ds-inline" : "ds-root";
  // A notebook must not take `d d` for "delete this cell".
  if (inline) root.setAttribute("data-lm-suppress-shortcuts", "true");
  root.tabIndex = -1;
  element.append(root);

  const environment = watchEnvironment(root, host);
  const view = new ViewState(environment, host);
  const parts: PanelParts = { handle: null };
  view.focusPlot = () =>
    (parts.handle?.hit ?? root).focus({ preventScroll: true });

  let release: (() => void) | undefined;
  const stops = [
    effect(() => {
      const classes = root.classList;
      classes.toggle("ds-dark", environment.theme.value.dark);
      for (const name of ["wide", "medium", "narrow", "small", "tiny"]) {
        classes.toggle(`ds-${name}`, view.breadth.value === name);
      }
    }),
    props.session.subscribe((store) => {
      release?.();
      release = store?.watch(environment.visible);
      view.use(store);
    }),
    listenToKeys(root, view, parts, inline),
    keepFocus(root, view.focusPlot),
    returnFocus(root, view.focusPlot),
  ];
  render(
    <Guarded name={TITLE}>
      <TaskStreamPanel view={view} root={root} parts={parts} />
    </Guarded>,
    root,
  );

  return () => {
    render(null, root);
    for (const stop of stops) stop();
    release?.();
    view.dispose();
    environment.dispose();
    root.remove();
  };
}

/** Every key inside the panel is the panel's; inline, none goes further. */
function listenToKeys(
  root: HTMLElement,
  view: ViewState,
  parts: PanelParts,
  inline: boolean,
): () => void {
  const abort = new AbortController();
  const { signal } = abort;
  const down = (event: KeyboardEvent): void => {
    if (inline) event.stopPropagation();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.isComposing || isTyping(event.target)) return;
    if (pressesButton(event.target, event.key)) return;
    if (!view.session.peek()) return;
    const taken = pressKey(event.key, event.shiftKey, view, {
      pointerTime: () => parts.handle?.plot.pointerTime ?? null,
      scrollLanes: (pages) => {
        const stage = parts.handle?.stage;
        if (!stage) return false;
        const page = stage.map.height / stage.plot.size.pixelRatio;
        stage.scrollLanes(pages * page * 0.9);
        return true;
      },
    });
    if (!taken) return;
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
