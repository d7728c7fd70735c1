// A filter menu: any number of names can be chosen, with a search.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { formatExact } from "../base/format";
import { hasWords, SearchBox } from "./filter_tools";
import { ChevronIcon } from "./icons";
import { Menu, MenuItem } from "./menu";
import { isolate } from "./narrowing";

export interface Option {
  readonly id: string;
  readonly text: string;
}

/** Maximum number of listed names; the search finds the others. */
const LISTED = 200;

export function FilterMenu(props: {
  label: string;
  options: readonly Option[];
  chosen: readonly string[];
  /** Names that are included by the chosen ones. */
  implied?: ReadonlySet<string>;
  onChoose: (ids: readonly string[]) => void;
}): JSX.Element {
  const { label, options, chosen } = props;
  const first = options.find(({ id }) => id === chosen[0])?.text ?? chosen[0];
  const face =
    chosen.length === 0
      ? `all ${formatExact(options.length)}`
      : chosen.length === 1
        ? first
        : `${chosen.length} of ${formatExact(options.length)}`;
  return (
    <Menu
      class="ds-filter"
      label={`${label}: ${face}`}
      align="left"
      face={
        <>
          <span class="ds-quiet">{label}</span>
          <span class="ds-filter-face">{face}</span>
          <ChevronIcon />
        </>
      }
    >
      {() => <Options {...props} />}
    </Menu>
  );
}

function Options(props: {
  label: string;
  options: readonly Option[];
  chosen: readonly string[];
  implied?: ReadonlySet<string>;
  onChoose: (ids: readonly string[]) => void;
}): JSX.Element {
  const { options, chosen, implied, onChoose } = props;
  const [text, setText] = useState("");
  const has = hasWords(text);
  const found = options.filter((one) => !has || has(one.text));
  return (
    <>
      <SearchBox
        placeholder={`Find ${props.label.toLowerCase()}`}
        text={text}
        onText={setText}
      />
      <MenuItem checked={chosen.length === 0} onClick={() => onChoose([])}>
        All
      </MenuItem>
      {found.slice(0, LISTED).map((one) => (
        <MenuItem
          key={one.id}
          checked={chosen.includes(one.id) || implied?.has(one.id)}
          onClick={() => onChoose(isolate(chosen, one.id, true))}
        >
          {one.text}
        </MenuItem>
      ))}
      {found.length > LISTED && (
        <p class="ds-quiet ds-part-note">{`and ${formatExact(found.length - LISTED)} more`}</p>
      )}
    </>
  );
}
