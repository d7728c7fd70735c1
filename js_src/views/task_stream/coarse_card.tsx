// The card over a stretch whose tasks have not come yet: what is known of them.

import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { slotColour } from "../../base/palette";
import { toCss } from "../../base/colour";
import { plural } from "../../base/format";
import { placeCard } from "./place_card";
import type { ViewState } from "./view_state";
import { placeOf } from "./worker_groups";

/** `left` and `top` are where the plot begins on the stage. */
export function CoarseCard(props: {
  view: ViewState;
  left: number;
  top: number;
}): JSX.Element | null {
  const { view } = props;
  const card = useRef<HTMLDivElement>(null);
  const stretch = view.coarseHover.value;
  const store = view.session.value?.store;
  useLayoutEffect(() => {
    if (card.current && stretch) {
      placeCard(card.current, stretch, props.left, props.top);
    }
  });
  if (!stretch || !store) return null;
  const { dark, text2 } = view.environment.theme.value;
  const colour = slotColour(store.slots[stretch.prefix], dark, toCss(text2));
  const name = store.prefixes[stretch.prefix] || "(no name)";
  return (
    <div ref={card} class="ds-card" role="tooltip">
      <div class="ds-card-head">
        <span class="ds-swatch" style={{ background: colour }} />
        <b class="ds-card-title">{`Mostly ${name}`}</b>
        <b class="ds-card-value">{plural(stretch.rows, "row")}</b>
      </div>
      <dl class="ds-facts">
        <dt>Worker</dt>
        <dd>{placeOf(view.groups.value, stretch.lane)}</dd>
        <dt>Busy</dt>
        <dd>{`${Math.round(stretch.busyShare * 100)} %`}</dd>
        {stretch.erred && (
          <>
            <dt>Result</dt>
            <dd>some erred</dd>
          </>
        )}
      </dl>
      <div class="ds-card-foot">
        <span>Tasks on the way, newest first</span>
      </div>
    </div>
  );
}
