// Buttons of a panel: with a word, with an icon and a label, or for copying.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { copyText } from "../base/save";

export function Button(props: {
  children: ComponentChildren;
  onClick: () => void;
  primary?: boolean;
  hint?: string;
  /** Does nothing, but stays in place, so that the user who pressed it keeps the focus. */
  idle?: boolean;
}): JSX.Element {
  return (
    <button
      type="button"
      class={props.primary ? "ds-button ds-primary" : "ds-button"}
      title={props.hint}
      aria-disabled={props.idle}
      onClick={() => props.idle || props.onClick()}
    >
      {props.children}
    </button>
  );
}

export function IconButton(props: {
  label: string;
  children: ComponentChildren;
  onClick: () => void;
  shortcut?: string;
  pressed?: boolean;
}): JSX.Element {
  const hint = props.shortcut
    ? `${props.label} (${props.shortcut})`
    : props.label;
  return (
    <button
      type="button"
      class="ds-icon-button"
      aria-label={props.label}
      aria-keyshortcuts={props.shortcut}
      aria-pressed={props.pressed}
      title={hint}
      onClick={props.onClick}
    >
      {props.children}
    </button>
  );
}

export function LinkButton(props: {
  children: ComponentChildren;
  onClick: () => void;
  /** Name for screen readers, if the text beside the button is not enough. */
  label?: string;
}): JSX.Element {
  return (
    <button
      type="button"
      class="ds-link"
      aria-label={props.label}
      onClick={props.onClick}
    >
      {props.children}
    </button>
  );
}

export function Key(props: { children: ComponentChildren }): JSX.Element {
  return <kbd class="ds-key">{props.children}</kbd>;
}

const SHOWN_MS = 2000;

export function useCopied(label: string): [string, (text: string) => void] {
  const [result, setResult] = useState("");
  useEffect(() => {
    if (result === "") return;
    const timer = setTimeout(() => setResult(""), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [result]);
  const copy = (text: string): void => {
    void copyText(text).then((done) =>
      setResult(done ? "Copied" : "No access to the clipboard"),
    );
  };
  return [result || label, copy];
}
