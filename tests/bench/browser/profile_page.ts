// Runs in the page of the benchmark of profiles: trees of many nodes, and what the panel makes
// of them. `window.profileBench` is what the benchmark calls.

import {
  callersAndCallees,
  inverted,
} from "../../../js_src/derive/profile_callers";
import { compared } from "../../../js_src/derive/profile_compare";
import { ProfileCounts } from "../../../js_src/derive/profile_counts";
import { layoutOf, visible } from "../../../js_src/derive/profile_layout";
import { search } from "../../../js_src/derive/profile_search";
import {
  collapsed,
  functionsOf,
  type Tree,
  treeOf,
  without,
} from "../../../js_src/derive/profile_tree";
import { readTheme } from "../../../js_src/base/theme";
import {
  FlameCanvas,
  lookOf,
} from "../../../js_src/panels/profile/flame_canvas";
import { Frames } from "../../../js_src/panels/profile/frames";
import { madeRun, type MadeStacks, madeStacks } from "../../js/harness/profile";

const WIDTH_PX = 1600;
const FRAMES = 3_000;

let stacks: MadeStacks;
let tree: Tree;
const ranks = Float64Array.from(
  { length: FRAMES },
  (_, frame) => (frame * 7_919) % FRAMES,
);

const matches = new Uint8Array(FRAMES);
const library = (frame: number): boolean => frame % 3 === 0;

/** What the panel does with a tree, by name. */
const STEPS = {
  filter: () => treeOf(stacks, stacks.counts),
  layout: () => layoutOf(tree, ranks),
  "layout by weight": () => layoutOf(tree, null),
  invert: () => inverted(tree, { least: tree.total[0]! / (4 * WIDTH_PX) }),
  sandwich: () => callersAndCallees(tree, 33),
  hide: () => without(tree, 33),
  collapse: () => collapsed(tree, { recursion: true, library }),
  search: () => search(tree, matches),
  table: () => functionsOf(tree),
  draw: () => drawn(),
} as const;
type Step = keyof typeof STEPS;

/** All nodes, or runs of nodes below a pixel, of all rows. */
function drawn(): { shapes: number; nodes: number } {
  const layout = layoutOf(tree, null);
  const window = {
    from: 0,
    to: tree.total[0]!,
    least: tree.total[0]! / WIDTH_PX,
  };
  let [shapes, nodes] = [0, 0];
  for (let row = 0; row + 1 < layout.rows.length; row++) {
    visible(layout, row, window, (first, end) => {
      shapes += 1;
      nodes += end - first;
    });
  }
  return { shapes, nodes };
}

const bench = {
  make(nodes: number): { nodes: number; drawn: number; found: number } {
    // Few samples each, so that there are many stacks with some.
    stacks = madeStacks(nodes, { frames: FRAMES });
    tree = treeOf(stacks, stacks.counts);
    matches.fill(0);
    // A search for each single frame finds it.
    const seen = new Uint8Array(FRAMES);
    for (const frame of tree.frame) seen[frame] = 1;
    const some = [...seen.keys()].filter(
      (frame) => seen[frame] === 1 && frame % 97 === 1,
    );
    const found = some.filter((frame) => {
      matches.fill(0);
      matches[frame] = 1;
      return search(tree, matches).samples > 0;
    });
    matches.fill(0);
    for (let frame = 1; frame < FRAMES; frame += 50) matches[frame] = 1;
    return {
      nodes: tree.total.length,
      drawn: drawn().nodes,
      found: found.length / some.length,
    };
  },

  steps: (): Step[] => Object.keys(STEPS) as Step[],

  /** Milliseconds that it took each time. */
  run(step: Step, rounds: number): number[] {
    return Array.from({ length: rounds }, () => {
      const began = performance.now();
      STEPS[step]();
      return performance.now() - began;
    });
  },

  /** From frame to frame in ms, while the graph is zoomed into and moved. */
  async zoom(frames: number): Promise<number[]> {
    const element = document.createElement("div");
    element.style.cssText = "position: fixed; inset: 0; display: grid";
    document.body.append(element);
    const theme = readTheme(element);
    const names = Array.from({ length: FRAMES }, (_, at) => `function_${at}`);
    const zeros = new Uint32Array(FRAMES);
    const known = new Frames(
      {
        ...{ name: names, file: names.map(() => "/home/ada/job.py") },
        ...{ source: names, first_line: zeros, line: zeros },
      },
      "all workers",
    );
    const layout = layoutOf(tree, ranks);
    const picture = {
      ...{ tree, layout, frames: known, theme, row_px: 22, firstRow: 0 },
      ...{ flipped: false, hovered: -1, chosen: -1 },
      paints: tree.frame.map((frame) => frame % 6) as unknown as Uint8Array,
      looks: [
        "#a8cefe",
        "#ead5ab",
        "#b3e6c4",
        "#e5ccf8",
        "#aae3ed",
        "#d7d7d7",
      ].map((colour) => lookOf(colour, theme)),
      detailOf: () => "ada/job.py:1",
    };
    const canvas = new FlameCanvas(element);
    const all = tree.total[0]!;
    const next = (): Promise<number> =>
      new Promise((came) => requestAnimationFrame(came));
    const gaps: number[] = [];
    let before = await next();
    for (let frame = 0; frame < frames; frame++) {
      const width = all * 0.97 ** (frame % 100);
      const from = (all - width) * 0.3;
      canvas.show(picture, [from, from + width], false);
      const now = await next();
      gaps.push(now - before);
      before = now;
    }
    canvas.dispose();
    element.remove();
    return gaps;
  },

  /** Of two halves of one run the share of nodes that are coloured, by seed. */
  halves(seeds: number): number[] {
    const some = madeStacks(2_000, { frames: 200 });
    return Array.from({ length: seeds }, (_, seed) => {
      const { columns } = madeRun(some, { seed: seed + 1, seconds: 120 });
      const counts = new ProfileCounts();
      counts.update([{ step: 0, columns }]);
      const [start] = columns.time as unknown as [number];
      const [before, after] = [0, 60].map((from) =>
        counts.slices({
          scope: 0,
          start: start + from,
          stop: start + from + 60,
        }),
      );
      const all = { scope: 0, start: -Infinity, stop: Infinity };
      const both = treeOf(some, counts.in(all));
      const { sign } = compared(both, before!, after!, { by: "share" });
      return sign.filter((one) => one !== 0).length / sign.length;
    });
  },
};

declare global {
  interface Window {
    profileBench: typeof bench;
  }
}
window.profileBench = bench;
