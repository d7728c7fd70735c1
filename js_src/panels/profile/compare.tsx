// What is selected next to the rest of the run, or to a time that was kept: a frame is
// coloured only where the difference is more than chance.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { DIFFERENCE_COLOURS } from "../../base/palette";
import {
  formatExact,
  formatSeconds,
  formatShare,
  formatStretch,
  plural,
} from "../../base/format";
import type { Theme } from "../../base/theme";
import { functionsOf } from "../../derive/profile_tree";
import { Button } from "../../panel/button";
import { Swatch } from "../../panel/card";
import { AndMore } from "../../panel/parts";
import type { PanelView } from "../../panel/panel_view";
import type { Range } from "../../timeline/window";
import { Flame } from "./flame";
import { type Look, lookOf } from "./flame_canvas";
import { type Compared, type ProfileState } from "./state";

/** Of the frame's own time: from here on a difference has the next colour. */
const STEPS = [0.1, 0.3];
const NO_DIFFERENCE = 3;

const differenceLooks = (theme: Theme): Look[] =>
  DIFFERENCE_COLOURS[theme.dark ? "dark" : "light"].map((colour) =>
    lookOf(colour, theme),
  );

function differencePaints(of: Compared): Uint8Array {
  const { sign, before, after } = of;
  return Uint8Array.from(sign, (one, node) => {
    if (one === 0) return NO_DIFFERENCE;
    const mean = (before[node] + after[node]) / 2;
    const part = Math.abs(after[node] - before[node]) / mean;
    return (
      NO_DIFFERENCE + one * (1 + STEPS.filter((step) => part > step).length)
    );
  });
}

const timeWords = (view: PanelView, [start, stop]: Range): string => {
  const origin = view.origin.value;
  return formatStretch(start - origin, stop - origin);
};

/** `31.2 → 19.4 %`. */
const change = (before: number, after: number): string =>
  `${(before * 100).toFixed(1)} → ${(after * 100).toFixed(1)} %`;

/** So much of what a frame differs by is in one that it calls: that one is named. */
const MOSTLY = 0.8;
const NAMED = 3;

/** Those where the difference arises, the largest first, each function once. */
function mostDifferent(of: Compared): number[] {
  const { tree, sign, before, after } = of;
  const by = after.map((share, node) => share - before[node]);
  const nodes = new Set<number>();
  for (let node = sign.length - 1; node > 0; node--) {
    if (sign[node] !== 0) nodes.add(node);
  }
  for (let node = 1; node < sign.length; node++) {
    const above = tree.parent[node];
    const part = by[node] / by[above];
    if (sign[node] !== 0 && part > MOSTLY) nodes.delete(above);
  }
  const sorted = [...nodes].sort(
    (one, other) => Math.abs(by[other]) - Math.abs(by[one]),
  );
  const seen = new Set<number>();
  return sorted
    .filter((node) => {
      const frame = tree.frame[node];
      return !seen.has(frame) && seen.add(frame);
    })
    .slice(0, NAMED);
}

export function Compare({ state }: { state: ProfileState }): JSX.Element {
  const { view } = state;
  const of = state.compared.value;
  const theme = view.theme.value;
  const looks = useMemo(() => differenceLooks(theme), [theme]);
  const paints = useMemo(() => of && differencePaints(of), [of]);
  const reference = state.reference.value;
  if (!of || !paints) {
    return (
      <div class="ds-profile-none">
        <p class="ds-sentence">
          {reference
            ? `A is ${timeWords(view, reference)}. Now drag over the time below to select B.`
            : "Drag over the time below to select some of it: that is compared with the rest of the run."}
        </p>
        {reference && (
          <Button onClick={() => (state.reference.value = null)}>
            Forget A
          </Button>
        )}
      </div>
    );
  }
  const [a, b] = of.samples;
  if (a === 0 || b === 0) {
    return (
      <p class="ds-sentence ds-profile-none">
        {`${a === 0 ? "A" : "B"} has no samples: there is nothing to compare with.`}
      </p>
    );
  }
  return (
    <>
      <Head state={state} of={of} />
      <Flame
        {...{ state, looks, paints, shown: of.shown, zooms: true }}
        label="Flame graph of the differences"
        detailOf={(node) =>
          of.sign[node] === 0 ? "" : change(of.before[node], of.after[node])
        }
        share
        chosen={state.chosen.value}
        onChoose={(path, pins) => state.choose(path, pins)}
      >
        {(node) => [
          ["A → B", change(of.before[node], of.after[node])],
          ["chance", `± ${formatShare(Math.min(1, of.bound[node]), 1)}`],
        ]}
      </Flame>
    </>
  );
}

function Head(props: { state: ProfileState; of: Compared }): JSX.Element {
  const { state, of } = props;
  const { view } = state;
  const frames = state.frames.value;
  const functions = new Set(of.tree.frame.subarray(1));
  const differing = new Set(
    of.tree.frame.filter((_, node) => node > 0 && of.sign[node] !== 0),
  );
  const most = mostDifferent(of).map(
    (node) =>
      `${frames.nameOf(of.tree.frame[node])} ${change(of.before[node], of.after[node])}`,
  );
  const rest = functions.size - differing.size;
  const seconds = (samples: number): string =>
    formatSeconds(samples * state.interval_s.value);
  const [a, b] = of.samples;
  const aIs = of.reference
    ? timeWords(view, of.reference)
    : "the rest of the run";
  return (
    <div class="ds-profile-compare">
      <div>
        <p>
          <b>
            {most.length > 0
              ? `Shares of the time in A → B: ${most.join(", ")}.`
              : "No function differs by more than chance."}
          </b>
        </p>
        <p class="ds-quiet">
          {`B is ${timeWords(view, of.time)} (${seconds(b)} of threads), A is ${aIs} (${seconds(a)}). `}
          {rest > 0 &&
            `${differing.size > 0 ? "The other " : "All "}${plural(rest, "function")}${differing.size > 0 ? ` of ${formatExact(functions.size)}` : ""} differ by less than each of them varies by itself (95 %), and stay grey.`}
        </p>
      </div>
      <Scale dark={view.theme.value.dark} />
      <span class="ds-profile-actions">
        <Button
          hint="Then select another time: it is compared with this one"
          onClick={() => {
            state.reference.value = of.time;
            view.select(null);
          }}
        >
          Keep as A
        </Button>
        {of.reference && (
          <Button onClick={() => (state.reference.value = null)}>
            With the rest
          </Button>
        )}
      </span>
    </div>
  );
}

/** Nobody reads on; the graph has them all. */
const MOST_FUNCTIONS = 100;

/** Functions by what differs most, wherever they were called. */
export function DifferenceTable(props: {
  state: ProfileState;
  of: Compared;
}): JSX.Element {
  const { state, of } = props;
  const frames = state.frames.value;
  const { dark } = state.view.theme.value;
  const colours = DIFFERENCE_COLOURS[dark ? "dark" : "light"];
  const rows = useMemo(() => differences(of), [of]);
  return (
    <div class="ds-profile-table">
      <table class="ds-table" aria-label="Functions that differ">
        <thead>
          <tr>
            {["Function", "A", "B", "B − A"].map((name) => (
              <th scope="col">{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MOST_FUNCTIONS).map(({ frame, a, b, paint }) => (
            <tr key={frame}>
              <th scope="row">
                <button
                  type="button"
                  title={`${frames.nameOf(frame)}\n${frames.fileOf(frame)}`}
                  onClick={() => state.chooseFunction(frame)}
                >
                  <Swatch colour={colours[paint]} />
                  <span>{frames.nameOf(frame)}</span>
                  <span class="ds-quiet">{frames.briefPlaceOf(frame)}</span>
                </button>
              </th>
              <td>{formatShare(a, 1)}</td>
              <td>{formatShare(b, 1)}</td>
              <td class={paint === NO_DIFFERENCE ? "ds-quiet" : undefined}>
                {`${b < a ? "−" : "+"}${formatShare(Math.abs(b - a), 1)}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <AndMore count={Math.max(0, rows.length - MOST_FUNCTIONS)} />
    </div>
  );
}

interface Difference {
  readonly frame: number;
  readonly a: number;
  readonly b: number;
  /** That of its node with the largest difference beyond chance. */
  readonly paint: number;
}

function differences(of: Compared): Difference[] {
  const { tree, before, after } = of;
  const one = functionsOf({ ...tree, total: before });
  const other = functionsOf({ ...tree, total: after });
  const paints = differencePaints(of);
  const colours = new Map<number, number>();
  paints.forEach((paint, node) => {
    const known = colours.get(tree.frame[node]) ?? NO_DIFFERENCE;
    const isMore =
      Math.abs(paint - NO_DIFFERENCE) > Math.abs(known - NO_DIFFERENCE);
    if (isMore) colours.set(tree.frame[node], paint);
  });
  const shares = new Map<number, [number, number]>();
  one.frame.forEach((frame, at) => shares.set(frame, [one.total[at], 0]));
  other.frame.forEach((frame, at) => {
    shares.set(frame, [shares.get(frame)?.[0] ?? 0, other.total[at]]);
  });
  return [...shares]
    .map(([frame, [a, b]]) => ({
      ...{ frame, a, b },
      paint: colours.get(frame) ?? NO_DIFFERENCE,
    }))
    .sort((x, y) => Math.abs(y.b - y.a) - Math.abs(x.b - x.a));
}

function Scale({ dark }: { dark: boolean }): JSX.Element {
  return (
    <div class="ds-profile-scale" aria-label="Colours of differences">
      <span>less in B</span>
      <span>within chance</span>
      <span>more in B</span>
      {DIFFERENCE_COLOURS[dark ? "dark" : "light"].map((colour) => (
        <i style={{ background: colour }} />
      ))}
      <small>−30 %</small>
      <small>−10 %</small>
      <small />
      <small>+10 %</small>
      <small>+30 %</small>
    </div>
  );
}
