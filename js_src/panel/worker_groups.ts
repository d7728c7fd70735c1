// The lanes of a plot, grouped by worker, and names of workers in three lengths.

import type { Lane, Worker } from "../model/types";
import type { SessionStore } from "../session/session";
import type { TableView } from "../session/tables";
import type { PanelView } from "./panel_view";
import { shortenMiddle, textWidth } from "../base/text_width";

export interface WorkerGroup {
  readonly address: string;
  readonly name: string;
  /** Two or three characters, for a gutter of 32 px. */
  readonly short: string;
  /** Lanes with tasks, then -1 for each thread that has not run any. */
  readonly lanes: readonly number[];
  /** As last reported by the scheduler; null if the worker has left. */
  readonly info: Worker | null;
}

export function plainAddress(address: string): string {
  return address.replace(/^[a-z+]+:\/\//i, "");
}

/** LocalCluster names its workers 0, 1, 2…; unnamed workers have their address as name. */
function nameOf(given: string, address: string): string {
  if (given === "" || given === address) return plainAddress(address);
  return /^\d+$/.test(given) ? `worker-${given}` : given;
}

function shortOf(name: string, at: number): string {
  const number = /(\d+)$/.exec(name);
  const isAddress = /[:.]\d+$/.test(name);
  return number && !isAddress ? `w${number[1]}` : `w${at}`;
}

const natural = new Intl.Collator("en", { numeric: true });

/**
 * `onlyWorkers`: addresses isolated by the focus; empty means all. Workers that
 * have left keep their lanes, after the present ones, and their names (`names`,
 * by address).
 */
export function groupLanes(
  lanes: readonly Lane[],
  workers: readonly Worker[],
  onlyWorkers: readonly string[] = [],
  names: ReadonlyMap<string, string> = new Map(),
): WorkerGroup[] {
  const byAddress = new Map<string, number[]>();
  for (const worker of workers) byAddress.set(worker.address, []);
  for (let lane = 0; lane < lanes.length; lane++) {
    const address = lanes[lane].worker;
    const known = byAddress.get(address);
    if (known) known.push(lane);
    else byAddress.set(address, [lane]);
  }
  const infos = new Map(workers.map((worker) => [worker.address, worker]));
  const wanted = new Set(onlyWorkers);
  const groups = [...byAddress]
    .filter(([address]) => wanted.size === 0 || wanted.has(address))
    .map(([address, seen]) => {
      const info = infos.get(address) ?? null;
      const given = info?.name ?? names.get(address) ?? "";
      const name = nameOf(given, address);
      const idle = Math.max(0, (info?.threads ?? 0) - seen.length);
      return {
        address,
        name,
        short: "",
        lanes: [...seen, ...new Array<number>(Math.min(idle, 4096)).fill(-1)],
        info,
      };
    });
  groups.sort(
    (one, other) =>
      Number(one.info === null) - Number(other.info === null) ||
      natural.compare(one.name, other.name),
  );
  return groups.map((group, at) => ({
    ...group,
    short: shortOf(group.name, at),
  }));
}

/** Whether groups have the same layout; ignores `info`, such as memory. */
export function haveSameLayout(
  some: readonly WorkerGroup[],
  others: readonly WorkerGroup[],
): boolean {
  return (
    some.length === others.length &&
    some.every((one, at) => {
      const other = others[at];
      return (
        one.address === other.address &&
        one.name === other.name &&
        one.short === other.short &&
        one.lanes.length === other.lanes.length &&
        one.lanes.every((lane, thread) => lane === other.lanes[thread])
      );
    })
  );
}

export function placeOf(groups: readonly WorkerGroup[], lane: number): string {
  for (const group of groups) {
    const thread = group.lanes.indexOf(lane);
    if (thread >= 0) return `${group.name} · thread ${thread}`;
  }
  return "–";
}

export type NameOf = (address: string) => string;

const SCHEDULER = "scheduler";

interface Known {
  readonly from: readonly unknown[];
  readonly nameOf: NameOf;
}

/** Cached, since typing into a filter redraws lists with each key. */
const known = new WeakMap<PanelView, Known>();

/**
 * Reads signals, so a calling component is redrawn when names change. Returns the same
 * function until then.
 */
export function workerNames(view: PanelView): NameOf {
  const store = view.session.value;
  const changes = view.table("workers");
  const from = [store, view.namesVersion.value, view.workers.value, changes];
  const last = known.get(view);
  if (last?.from.every((one, at) => one === from[at])) return last.nameOf;
  const names = namesByAddress(store, changes);
  const nameOf = (address: string): string =>
    names.get(address) ??
    (address === "" || address === SCHEDULER ? address : plainAddress(address));
  known.set(view, { from, nameOf });
  return nameOf;
}

function namesByAddress(
  store: SessionStore | null,
  { rows, columns: { worker, name } }: TableView<"workers">,
): Map<string, string> {
  const given = new Map<string, string>();
  for (let row = 0; row < rows; row++) {
    if (worker[row] && name[row]) given.set(worker[row], name[row]);
  }
  const workers = store?.workers.peek() ?? [];
  for (const { address, name } of workers) given.set(address, name);
  // Include workers that never ran a task and so have no lanes.
  const lanes = [...given.keys()].map((worker) => ({ worker, thread: "" }));
  const groups = groupLanes(
    [...(store?.lanes ?? []), ...lanes],
    workers,
    [],
    given,
  );
  return new Map(groups.map(({ address, name }) => [address, name]));
}

/** In multiples of the text size; longer names are cut in the middle, as their ends differ. */
const ROOM_EM = 15;
/** Bounds the cache: it is cleared when it holds more names than this. */
const MOST_KNOWN = 4000;

/** Cache by font and name, since shortening a name takes dozens of measurements. */
const knownShort = new Map<string, string>();

/**
 * Reads signals, so a calling component is redrawn with the theme. Printed names are not
 * shortened: paper has more room and no tooltips.
 */
export function shortNames(
  view: Pick<PanelView, "theme" | "printing">,
): (name: string) => string {
  const { font, size_px } = view.theme.value;
  if (view.printing.value) return (name) => name;
  const css = `${size_px}px ${font}`;
  const widthOf = (text: string): number => textWidth(text, css);
  return (name) => {
    const id = `${css}\n${name}`;
    const before = knownShort.get(id);
    if (before !== undefined) return before;
    const short = shortenMiddle(name, ROOM_EM * size_px, widthOf);
    if (knownShort.size >= MOST_KNOWN) knownShort.clear();
    knownShort.set(id, short);
    return short;
  };
}
