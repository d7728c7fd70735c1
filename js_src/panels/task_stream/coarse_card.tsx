// The card over a stretch whose tasks are not here in detail, or not any more:
// what is known of them.

import type { JSX } from "preact";
import { formatShare, plural } from "../../base/format";
import type { TaskModel } from "../../model/tasks";
import { Card, Swatch, type PlotPlace } from "./card";
import { moreComes } from "./more_comes";
import { prefixColoursOf } from "../../panel/prefix_colour";
import type { ViewState } from "./view_state";
import { placeOf } from "../../panel/worker_groups";

export function CoarseCard(props: {
  view: ViewState;
  plot: PlotPlace;
}): JSX.Element | null {
  const { view } = props;
  const stretch = view.coarseHover.value;
  const store = view.session.value?.store;
  if (!stretch || !store) return null;
  const colour = prefixColoursOf(view, store)(stretch.prefix);
  const name = store.prefixes[stretch.prefix] || "(no name)";
  return (
    <Card
      target={stretch}
      plot={props.plot}
      sign={<Swatch colour={colour} />}
      title={`Mostly ${name}`}
      value={plural(stretch.rows, "row")}
      foot={[whyCoarse(store.model, moreComes(view))]}
    >
      <dl class="ds-facts">
        <dt>Worker</dt>
        <dd>{placeOf(view.workers.placed.value, stretch.lane)}</dd>
        <dt>Busy</dt>
        <dd>{formatShare(stretch.busyShare)}</dd>
        {stretch.erred && (
          <>
            <dt>Result</dt>
            <dd>some erred</dd>
          </>
        )}
      </dl>
    </Card>
  );
}

/** Stretches stand for rows that will come, or for rows that had to go. */
function whyCoarse(model: TaskModel, moreComes: boolean): string {
  if (model.fadedRows > 0 && !model.isCoarse) {
    return "Older than what this page keeps in detail";
  }
  return model.fadedRows === 0 && moreComes
    ? "Tasks on the way, newest first"
    : "No detail of these tasks here";
}
