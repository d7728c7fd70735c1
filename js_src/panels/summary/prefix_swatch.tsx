// A prefix's colour and name; a click isolates it in every tab, a second one frees it.

import type { JSX } from "preact";
import type { RecordingView } from "../../panel/recording_view";
import { isolate } from "../task_stream/legend_entries";
import { prefixColours } from "../task_stream/prefix_colour";

/** CSS colour of a prefix; neutral until the recording says which one it has. */
export function prefixCss(view: RecordingView, name: string): string {
  const store = view.session.value;
  void store?.namesVersion.value;
  const at = store?.prefixes.indexOf(name) ?? -1;
  if (!store || at < 0) return "var(--ds-text2)";
  const { dark } = view.theme.value;
  return prefixColours(store, dark)(at);
}

export function PrefixButton(props: {
  view: RecordingView;
  name: string;
}): JSX.Element {
  const { view, name } = props;
  const focus = view.focus.value;
  const isolated = focus.prefixes.includes(name);
  const store = view.session.value;
  const face = (
    <>
      <span class="ds-swatch" style={{ background: prefixCss(view, name) }} />
      <span class="ds-prefix-name">{name === "" ? "(no name)" : name}</span>
    </>
  );
  // Such as the rest of many prefixes: there is nothing to isolate.
  if (store && !store.prefixes.includes(name)) {
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
      title={`${name}\nClick: only this one, in every tab. Shift and click: add it.`}
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
