// The help sheet of a panel, with its keys and gestures.

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { IconButton, Key } from "./button";
import { CloseIcon } from "./icons";

export interface Shortcut {
  readonly keys: readonly string[];
  readonly does: string;
}

export function Help(props: {
  title: string;
  shortcuts: readonly Shortcut[];
  notes: readonly string[];
  onClose: () => void;
}): JSX.Element {
  const sheet = useRef<HTMLDivElement>(null);
  useEffect(() => {
    sheet.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div
      ref={sheet}
      class="ds-help"
      role="dialog"
      aria-label={props.title}
      tabIndex={-1}
      onKeyDown={keepScrolling}
    >
      <div class="ds-help-head">
        <h3>{props.title}</h3>
        <IconButton label="Close" shortcut="Escape" onClick={props.onClose}>
          <CloseIcon />
        </IconButton>
      </div>
      <dl class="ds-help-keys">
        {props.shortcuts.map((shortcut) => (
          <>
            <dt>
              {shortcut.keys.map((key) => (
                <Key>{key}</Key>
              ))}
            </dt>
            <dd>{shortcut.does}</dd>
          </>
        ))}
      </dl>
      {props.notes.map((note) => (
        <p class="ds-help-note">{note}</p>
      ))}
    </div>
  );
}

const SCROLLING = new Set([
  ...["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"],
  ...["PageUp", "PageDown", "Home", "End", " "],
]);

/** For `onKeyDown`: keeps scroll keys from moving or pausing the plot behind the sheet. */
export function keepScrolling(event: KeyboardEvent): void {
  if (SCROLLING.has(event.key)) event.stopPropagation();
}
