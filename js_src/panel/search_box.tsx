// The search field of a panel, and what it found. Enter goes to the next
// match, Shift+Enter to the one before, Escape clears and gives the focus back.

import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Key } from "./button";
import { CloseIcon, SearchIcon } from "./icons";

export function SearchBox(props: {
  placeholder: string;
  text: string;
  /** "3 of 41", "no match": shown inside the field. */
  found: string;
  title: string;
  /** A shortcut asks for the field: it takes the focus, once. */
  asked: boolean;
  onFocus: () => void;
  onText: (text: string) => void;
  onStep: (by: number) => void;
  onLeave: () => void;
}): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  // Before the next key: an effect waits for a frame, and what is typed until
  // then would be commands of the plot.
  useLayoutEffect(() => {
    if (!props.asked) return;
    input.current?.focus({ preventScroll: true });
    input.current?.select();
    props.onFocus();
  }, [props.asked]);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter") {
      props.onStep(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      props.onText("");
      props.onLeave();
    } else {
      return;
    }
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
        <Key>/</Key>
      ) : (
        <>
          <span class="ds-search-found" title={props.title} role="status">
            {props.found}
          </span>
          <button
            type="button"
            class="ds-chip-close"
            aria-label="Clear the search"
            onClick={() => {
              props.onText("");
              props.onLeave();
            }}
          >
            <CloseIcon />
          </button>
        </>
      )}
    </div>
  );
}
