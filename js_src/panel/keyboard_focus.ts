// Where the keyboard goes when somebody has used the mouse or something that had
// the focus went away: to the plot, whose keys move, zoom and pause.

/**
 * When what had the focus goes away (a sheet closes, a chip is removed), the
 * browser gives it to the page, and the next keys would reach the notebook.
 */
export function keepFocus(
  root: HTMLElement,
  focusPlot: () => void,
): () => void {
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

/** Parts whose own keys go on counting after a click in them. */
const KEEPING = ".ds-menu-list, .ds-pinned, [role=dialog]";

/**
 * After a click with the mouse on a button Space would press it again, instead of
 * pausing. Who came to it by keyboard stays there.
 */
export function returnFocus(
  root: HTMLElement,
  focusPlot: () => void,
): () => void {
  const onClick = (event: MouseEvent): void => {
    // A key clicks, too, but counts no clicks.
    if (event.detail === 0 || !(event.target instanceof Element)) return;
    const button = event.target.closest("button");
    if (!button || button.closest(KEEPING)) return;
    const active = activeIn(root);
    // Some browsers give a clicked button no focus, but what is around it.
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
