// One function between its callers and its callees, summed over all its places.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { formatSeconds, formatShare, plural } from "../../base/format";
import { Flame, rowHeight } from "./flame";
import { MATCH, moduleLooks, modulePaints } from "./looks";
import type { ProfileState, Shown } from "./state";

/** Maximum number of rows of callers. */
const MOST_ROWS = 9;

export function Sandwich({ state }: { state: ProfileState }): JSX.Element {
  const sandwich = state.sandwich.value;
  const theme = state.view.theme.value;
  const found = state.found.value;
  const frames = state.frames.value;
  const looks = useMemo(
    () => moduleLooks(theme, found !== null),
    [theme, found !== null],
  );
  const paints = useMemo(() => {
    if (!sandwich) return null;
    const paints = (shown: Shown): Uint8Array =>
      modulePaints(
        shown,
        frames,
        (node) => found?.frames[shown.tree.frame[node]] === 1,
      );
    const callees = paints(sandwich.callees);
    callees[0] = MATCH;
    return { callers: paints(sandwich.callers), callees };
  }, [sandwich, found, frames]);
  if (!sandwich || !paints) {
    return (
      <p class="ds-sentence ds-profile-none">
        Choose a function in the graph or in the table to see its callers above
        it and its callees below.
      </p>
    );
  }
  const { frame, total, callers, callees } = sandwich;
  if (total === 0) {
    return (
      <p class="ds-sentence ds-profile-none">
        {`${frames.nameOf(frame)} has no samples in the selection.`}
      </p>
    );
  }
  const [own] = callees.tree.self;
  const direct = (callers.layout.rows[2] ?? 1) - 1;
  const interval = state.interval_s.value;
  const part = (shown: Shown, above: boolean): JSX.Element => (
    <Flame
      {...{ state, shown, looks, zooms: false }}
      paints={above ? paints.callers : paints.callees}
      label={above ? "Callers" : "Callees"}
      flipped={above}
      firstRow={above ? 1 : 0}
      {...(above && { most_px: MOST_ROWS * rowHeight(state) })}
      detailOf={(node) => frames.placeOf(shown.tree.frame[node])}
      chosen={null}
      onChoose={(path) => path.length > 0 && state.chooseFunction(path.at(-1)!)}
    />
  );
  return (
    <div class="ds-profile-sandwich">
      <p class="ds-columns ds-part-note">
        <span>
          <b>Callers above, callees below</b>{" "}
          {`${plural(direct, "caller")}; itself ${formatSeconds(own * interval)}, ${formatShare(own / total, 1)}`}
        </span>
        <span>{`width: time in ${frames.nameOf(frame)}`}</span>
      </p>
      {part(callers, true)}
      {part(callees, false)}
    </div>
  );
}
