// Compares the selection with the rest of the run, another time or another recording. A frame
// is coloured only if the difference is more than chance.

import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { mix, toCss } from "../../base/colour";
import { DIFFERENCE_COLOURS } from "../../base/palette";
import {
  formatExact,
  formatSeconds,
  formatSecondsAmong,
  formatShare,
  formatRange,
  plural,
} from "../../base/format";
import type { Theme } from "../../base/theme";
import type { Differences } from "../../derive/profile_compare";
import { asProblem } from "../../errors";
import { Button } from "../../panel/button";
import { Swatch } from "../../panel/card";
import { Kinds } from "../../panel/filter_tools";
import { CloseIcon } from "../../panel/icons";
import { Menu, MenuItem } from "../../panel/menu";
import { Pager, usePages } from "../../panel/paging";
import { Table, useSort } from "../../panel/parts";
import type { PanelView } from "../../panel/panel_view";
import type { Range } from "../../timeline/window";
import { Flame } from "./flame";
import { type Look, lookOf } from "./flame_canvas";
import { FADED } from "./looks";
import { PAPER_ROWS } from "./table";
import type { Compared, ProfileState, Unit } from "./state";

/** Differences above these shares of the frame's time get a stronger colour. */
const STEPS = [0.1, 0.3];
const NO_DIFFERENCE = 3;

/** Opacity of names that do not match a search: still readable. */
const FADED_TEXT = 0.75;

/** Looks by difference, then the same looks faded, for frames that do not match a search. */
function differenceLooks(theme: Theme): Look[] {
  const colours = DIFFERENCE_COLOURS[theme.dark ? "dark" : "light"];
  const text = toCss(mix(theme.text2, theme.panel, FADED_TEXT));
  return [
    ...colours.map((colour) => lookOf(colour, theme)),
    ...colours.map((colour) => ({
      ...lookOf(colour, theme, FADED),
      ...{ text, text2: text },
    })),
  ];
}

function differencePaints(
  { sign, before, after }: Differences,
  hits: Uint8Array | null = null,
): Uint8Array {
  return Uint8Array.from(sign, (one, node) => {
    const first = hits?.[node] === 0 ? 2 * NO_DIFFERENCE + 1 : 0;
    if (one === 0) return first + NO_DIFFERENCE;
    const mean = (before[node] + after[node]) / 2;
    const part = Math.abs(after[node] - before[node]) / mean;
    const steps = 1 + STEPS.filter((step) => part > step).length;
    return first + NO_DIFFERENCE + one * steps;
  });
}

/** Formats amounts in the unit of the comparison. */
export function amountsOf(
  by: Unit,
  interval_s: number,
  /** The maximum of a column, whose values all use one unit. */
  most?: number,
): {
  amount: (of: number) => string;
  change: (a: number, b: number) => string;
} {
  const amount = (of: number): string =>
    by === "share"
      ? formatShare(of, 1)
      : most === undefined
        ? formatSeconds(of * interval_s)
        : formatSecondsAmong(of * interval_s, most * interval_s);
  return {
    amount,
    change: (a, b) =>
      a === b ? "–" : `${b < a ? "−" : "+"}${amount(Math.abs(b - a))}`,
  };
}

const timeWords = (view: PanelView, [start, stop]: Range): string => {
  const origin = view.origin.value;
  return formatRange(start - origin, stop - origin);
};

/** If a callee has more than this share of a frame's difference, name only the callee. */
const MOSTLY = 0.8;
const NAMED = 3;

/** The functions where differences originate, largest first, each once. */
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
  const hits = state.found.value?.hits ?? null;
  const paints = useMemo(() => of && differencePaints(of, hits), [of, hits]);
  const other = state.other.value;
  useEffect(
    () => other?.session.watch(view.environment.visible, READ),
    [other],
  );
  if (!of || !paints) {
    const reference = state.reference.value;
    const what = reference
      ? `A is ${timeWords(view, reference)}. Now drag over the time below to select B.`
      : "Drag over the time below to compare a part of it with the rest of the run, or choose another recording.";
    return (
      <div class="ds-profile-none">
        <p class="ds-sentence" role="status">
          {state.refused.value ?? what}
        </p>
        <Sides state={state} />
      </div>
    );
  }
  const { amount, change } = amountsOf(of.by, state.interval_s.value);
  return (
    <>
      <Head state={state} of={of} />
      <Flame
        {...{ state, looks, paints, shown: of.shown, zooms: true }}
        label="Flame graph of the differences"
        detailOf={(node) =>
          of.sign[node] === 0 ? "" : change(of.before[node], of.after[node])
        }
        share={of.by === "share"}
        chosen={state.chosen.value}
        onChoose={(path, pins) => state.choose(path, pins)}
      >
        {(node) => [
          ["A", amount(of.before[node])],
          ["B", amount(of.after[node])],
          ["B − A", change(of.before[node], of.after[node])],
          ["chance", `± ${amount(of.bound[node])}`],
        ]}
      </Flame>
    </>
  );
}

/** Tables that the comparison reads from the other recording. */
const READ = ["profile_counts", "profiled"];

/** The choice of the two sides. */
function Sides({ state }: { state: ProfileState }): JSX.Element {
  const { view } = state;
  const { host } = view;
  const file = useRef<HTMLInputElement>(null);
  const other = state.other.value;
  const reference = state.reference.value;
  const time = view.focus.value.time;
  const others = host.others?.() ?? [];
  const open = async (chosen: File): Promise<void> => {
    try {
      state.compareWith(await host.openFile!(chosen));
    } catch (error) {
      const { text, next } = asProblem(error);
      state.unread.value = `${text} ${next}`.trim();
    }
  };
  const chip = (text: string, drop: () => void): JSX.Element => (
    <span class="ds-chip" title={text}>
      <span class="ds-chip-text">
        <b>A</b> {text}
      </span>
      <button
        type="button"
        class="ds-chip-close"
        aria-label={`Do not compare with ${text}`}
        onClick={drop}
      >
        <CloseIcon />
      </button>
    </span>
  );
  return (
    <span class="ds-profile-actions">
      {state.unread.value && (
        <Button onClick={() => (state.unread.value = null)}>Close</Button>
      )}
      {other && chip(other.name, () => state.compareWith(null))}
      {!other &&
        reference &&
        chip(timeWords(view, reference), () => (state.reference.value = null))}
      {time && !other && (
        <Button
          hint="Then select another time to compare it with this one"
          onClick={() => {
            state.reference.value = time;
            view.select(null);
          }}
        >
          Keep as A
        </Button>
      )}
      {(others.length > 0 || host.openFile) && (
        <Menu
          label="Another recording"
          class="ds-filter"
          face="Another recording …"
          align="left"
        >
          {(close) => (
            <>
              {others.map((one) => (
                <MenuItem
                  checked={one.session === other?.session}
                  onClick={() => {
                    state.compareWith(one);
                    close();
                  }}
                >
                  {one.name}
                </MenuItem>
              ))}
              {host.openFile && (
                <MenuItem
                  onClick={() => {
                    file.current?.click();
                    close();
                  }}
                >
                  A file on this computer …
                </MenuItem>
              )}
            </>
          )}
        </Menu>
      )}
      <input
        ref={file}
        type="file"
        hidden
        accept=".daskscope,.html"
        aria-label="A recording or report to compare with"
        onChange={({ currentTarget }) => {
          const [chosen] = currentTarget.files ?? [];
          if (chosen) void open(chosen);
          currentTarget.value = "";
        }}
      />
    </span>
  );
}

function Head(props: { state: ProfileState; of: Compared }): JSX.Element {
  const { state, of } = props;
  const { view } = state;
  const frames = state.frames.value;
  const { amount } = amountsOf(of.by, state.interval_s.value);
  const { sign, before, after } = of.functions;
  const seen = before.map((count, frame) => count + after[frame]);
  const functions = seen.filter((count, frame) => frame > 0 && count > 0);
  const differing = sign.filter((one, frame) => frame > 0 && one !== 0).length;
  const rest = functions.length - differing;
  const most = mostDifferent(of).map((node) => {
    const name = frames.nameOf(of.tree.frame[node]);
    const [a, b] = [of.before[node], of.after[node]];
    if (of.by === "share") {
      return `${name} ${(a * 100).toFixed(1)} → ${(b * 100).toFixed(1)} %`;
    }
    return `${name} ${amount(Math.abs(b - a))} ${b < a ? "less" : "more"}`;
  });
  const seconds = (samples: number): string =>
    formatSeconds(samples * state.interval_s.value);
  const [a, b] = of.samples.map(seconds);
  const by = of.samples[1] - of.samples[0];
  const less =
    a === b ? "" : `: ${seconds(Math.abs(by))} ${by < 0 ? "less" : "more"}`;
  const totals = `B took ${b} of threads, A ${a}${less}. `;
  const aIs =
    of.other ??
    (of.reference ? timeWords(view, of.reference) : "the rest of the run");
  const bIs = of.time ? timeWords(view, of.time) : "this run";
  return (
    <div class="ds-profile-compare">
      <div>
        <p>
          <b>
            {of.by === "samples" && totals}
            {most.length > 0
              ? `${of.by === "share" ? "Shares of the time in A → B: " : ""}${most.join(", ")}.`
              : "No function differs by more than chance."}
          </b>
        </p>
        <p class="ds-quiet">
          {`B is ${bIs} (${b}), A is ${aIs} (${a}). `}
          {rest > 0 &&
            `${differing > 0 ? `${formatExact(rest)} of ${plural(functions.length, "function")}` : `All ${plural(rest, "function")}`} differ by no more than chance (95 %) and are grey.`}
        </p>
      </div>
      <Scale dark={view.theme.value.dark} />
      <span class="ds-profile-actions">
        <Kinds
          label="Unit"
          chosen={of.by}
          onChoose={(unit) => (state.unit.value = unit)}
          kinds={[
            { kind: "samples", name: "Seconds" },
            { kind: "share", name: "Percent" },
          ]}
        />
        <Sides state={state} />
      </span>
    </div>
  );
}

/** Table of all functions; by default, those that differ most are first. */
export function DifferenceTable(props: {
  state: ProfileState;
  of: Compared;
}): JSX.Element {
  const { state, of } = props;
  const frames = state.frames.value;
  const most = Math.max(...of.samples);
  const { amount, change } = amountsOf(of.by, state.interval_s.value, most);
  const { dark } = state.view.theme.value;
  const colours = DIFFERENCE_COLOURS[dark ? "dark" : "light"];
  const { by, heads } = useSort(
    COLUMNS,
    "B − A",
    (column) => column === "Function",
  );
  const found = state.found.value;
  const rows = useMemo(() => {
    const some = differences(of).filter(
      ({ frame }) => !found || found.frames[frame] === 1,
    );
    if (by.column === "A") some.sort((x, y) => y.a - x.a);
    if (by.column === "B") some.sort((x, y) => y.b - x.b);
    if (by.column === "Function") {
      const { compare } = new Intl.Collator("en");
      const name = ({ frame }: Difference): string => frames.nameOf(frame);
      some.sort((x, y) => compare(name(x), name(y)));
    }
    return by.back ? some.reverse() : some;
  }, [of, found, frames, by]);
  const key = JSON.stringify([by, found?.text, of.by, of.time, of.other]);
  const paged = usePages(rows, key, state.view, "never", PAPER_ROWS);
  return (
    <div class="ds-profile-table">
      <Table label="Functions that differ" columns={heads}>
        {paged.rows.map(({ frame, a, b, paint }) => (
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
            <td>{amount(a)}</td>
            <td>{amount(b)}</td>
            <td class={paint === NO_DIFFERENCE ? "ds-quiet" : undefined}>
              {change(a, b)}
            </td>
          </tr>
        ))}
      </Table>
      {rows.length === 0 && found && (
        <p class="ds-quiet ds-part-note">
          {`No function matches ${found.text}.`}
        </p>
      )}
      <Pager paged={paged} noun="functions" />
    </div>
  );
}

const COLUMNS = ["Function", "A", "B", "B − A"] as const;

interface Difference {
  readonly frame: number;
  readonly a: number;
  readonly b: number;
  readonly paint: number;
}

function differences({ functions }: Compared): Difference[] {
  const { before, after } = functions;
  const paints = differencePaints(functions);
  return Array.from(before, (a, frame) => ({
    ...{ frame, a, b: after[frame] },
    paint: paints[frame],
  }))
    .filter(({ frame, a, b }) => frame > 0 && a + b > 0)
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
