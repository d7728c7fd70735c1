// Filters of a list: words that a row must contain, and kinds of rows.

import { useLayoutEffect, useRef } from "preact/hooks";
import { Key } from "./button";
import type { JSX } from "preact";
import { formatExact } from "../base/format";
import { CloseIcon, SearchIcon } from "./icons";

/** Enter goes to the next match, Shift+Enter to the previous one, Escape clears. */
export function SearchBox(props: {
  placeholder: string;
  text: string;
  onText: (text: string) => void;
  /** Shown inside the field, such as "3 of 41" or "no match". */
  found?: string;
  title?: string;
  /** Set by a shortcut: the field takes the focus once. */
  asked?: boolean;
  onFocus?: () => void;
  /** Goes to the next or previous match; without it the text filters a list. */
  onStep?: (by: number) => void;
  onLeave?: () => void;
}): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  // Focus before the next key press: a normal effect runs a frame later, and keys
  // typed until then would be shortcuts of the plot.
  useLayoutEffect(() => {
    if (!props.asked) return;
    input.current?.focus({ preventScroll: true });
    input.current?.select();
    props.onFocus?.();
  }, [props.asked]);

  const clear = (): void => {
    props.onText("");
    props.onLeave?.();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter") props.onStep?.(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") clear();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class="ds-search" role="search">
      <SearchIcon />
      <input
        ref={input}
        type="text"
        aria-label={props.placeholder}
        placeholder={props.placeholder}
        spellcheck={false}
        autocomplete="off"
        value={props.text}
        onInput={(event) => props.onText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {props.text === "" ? (
        props.onStep && <Key>/</Key>
      ) : (
        <>
          {props.onStep && (
            <span class="ds-search-found" title={props.title} role="status">
              {props.found}
            </span>
          )}
          <button
            type="button"
            class="ds-chip-close"
            aria-label="Clear"
            onClick={clear}
          >
            <CloseIcon />
          </button>
        </>
      )}
    </div>
  );
}

/** A choice of one kind or all, optionally with the number of rows of each kind. */
export function Kinds<K extends string>(props: {
  label: string;
  chosen: K | null;
  kinds: readonly { kind: K | null; name: string; count?: number }[];
  onChoose: (kind: K | null) => void;
}): JSX.Element {
  return (
    <div class="ds-kinds" role="group" aria-label={props.label}>
      {props.kinds.map(({ kind, name, count }) => (
        <button
          type="button"
          aria-pressed={kind === props.chosen}
          onClick={() => props.onChoose(kind)}
        >
          {name}
          {count !== undefined && (
            <span class="ds-kind-count">{` ${formatExact(count)}`}</span>
          )}
        </button>
      ))}
    </div>
  );
}

/** Limits the options: hundreds of thousands would freeze the page. */
const MOST_OPTIONS = 1_000;

export function Select(props: {
  label: string;
  value: string;
  options: readonly { readonly value: string; readonly text: string }[];
  onChange: (value: string) => void;
}): JSX.Element {
  const more = props.options.length - MOST_OPTIONS;
  return (
    <select
      class="ds-select"
      aria-label={props.label}
      value={props.value}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    >
      {props.options.slice(0, MOST_OPTIONS).map(({ value, text }) => (
        <option value={value} selected={value === props.value}>
          {text}
        </option>
      ))}
      {more > 0 && <option disabled>{`and ${formatExact(more)} more`}</option>}
    </select>
  );
}

/** A test whether a text has all words, ignoring case and order; null without words. */
export function hasWords(filter: string): ((text: string) => boolean) | null {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  return (text) => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
}
