// A prefix's colour and name; a click isolates it in all panels, a second click undoes it.

import type { JSX } from "preact";
import type { PanelView } from "./panel_view";
import { isolate } from "./narrowing";
import { prefixColours } from "./pixel_colours";

const OTHERS =
  "repeating-linear-gradient(135deg, var(--ds-text2) 0 2px, transparent 2px 4px)";

/** CSS background of a prefix; hatched for a sum of several. */
export function prefixCss(view: PanelView, name: string): string {
  const store = view.session.value;
  void view.namesVersion.value;
  const at = store?.prefixes.indexOf(name) ?? -1;
  if (!store || at < 0) return OTHERS;
  const { dark } = view.theme.value;
  return prefixColours(store, dark)(at);
}

export const PrefixSwatch = (props: {
  view: PanelView;
  name: string;
}): JSX.Element => (
  <span
    class="ds-swatch"
    style={{ background: prefixCss(props.view, props.name) }}
  />
);

export function PrefixButton(props: {
  view: PanelView;
  name: string;
}): JSX.Element {
  const { view, name } = props;
  const focus = view.focus.value;
  const isolated = focus.prefixes.includes(name);
  const known = view.session.value?.prefixes ?? [];
  const face = (
    <>
      <PrefixSwatch view={view} name={name} />
      <span class="ds-prefix-name">{name === "" ? "(no name)" : name}</span>
    </>
  );
  // Not a prefix, but for instance the sum of all others: it cannot be isolated.
  if (view.namesVersion.value > 0 && !known.includes(name)) {
    return (
      <span class="ds-prefix" title={name}>
        {face}
      </span>
    );
  }
  const dimmed = focus.prefixes.length > 0 && !isolated;
  return (
    <button
      type="button"
      class={dimmed ? "ds-prefix ds-dimmed" : "ds-prefix"}
      aria-pressed={isolated}
      title={`${name}\nClick to isolate it in every panel, Shift-click to add it`}
      onClick={(event) =>
        view.setFocus({
          ...focus,
          prefixes: isolate(focus.prefixes, name, event.shiftKey),
        })
      }
    >
      {face}
    </button>
  );
}
