// What narrows a list: words that it must contain, kinds that can be switched off.

import type { JSX } from "preact";
import { formatExact } from "../base/format";
import { CloseIcon, SearchIcon } from "./icons";

export function FilterText(props: {
  label: string;
  text: string;
  onText: (text: string) => void;
}): JSX.Element {
  return (
    <div class="ds-search" role="search">
      <SearchIcon />
      <input
        type="text"
        aria-label={props.label}
        placeholder={props.label}
        spellcheck={false}
        autocomplete="off"
        value={props.text}
        onInput={(event) => props.onText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") props.onText("");
        }}
      />
      {props.text !== "" && (
        <button
          type="button"
          class="ds-chip-close"
          aria-label="Clear the filter"
          onClick={() => props.onText("")}
        >
          <CloseIcon />
        </button>
      )}
    </div>
  );
}

/** One of a few kinds of rows, or all, each with how many there are. */
export function Kinds<K extends string>(props: {
  label: string;
  chosen: K | null;
  kinds: readonly { kind: K | null; name: string; count: number }[];
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
          {`${name} ${formatExact(count)}`}
        </button>
      ))}
    </div>
  );
}

/** Nobody looks through more; a page with hundreds of thousands stands still. */
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

/** Whether a text has all of some words, in any case and order; null where there are none. */
export function hasWords(filter: string): ((text: string) => boolean) | null {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  return (text) => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
}
