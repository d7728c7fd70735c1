// Keys that scroll what lies over a plot or beside it, and so are not the plot's.

const SCROLLING = new Set([
  ...["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"],
  ...["PageUp", "PageDown", "Home", "End", " "],
]);

/** For `onKeyDown`: else they would move or pause a plot that nobody looks at. */
export function keepScrolling(event: KeyboardEvent): void {
  if (SCROLLING.has(event.key)) event.stopPropagation();
}
