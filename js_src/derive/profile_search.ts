// Which nodes of a tree match a search, and their share of its samples. Frames that were
// folded into another one count, too.

import { NOWHERE, type Tree } from "./profile_tree";

export interface Found {
  /** By node: 1 if it, or a frame folded into it, matches. */
  readonly hits: Uint8Array;
  readonly samples: number;
  /** Share of the tree's samples; a stack with several matches counts once. */
  readonly share: number;
}

/** `matches` is 1 for each frame that matches. */
export function search(tree: Tree, matches: Uint8Array): Found {
  const samples = matchedSamples(tree, matches);
  const all = tree.total[0];
  const share = all > 0 ? samples / all : 0;
  return { hits: hitsIn(tree, matches), samples, share };
}

function hitsIn(tree: Tree, matches: Uint8Array): Uint8Array {
  const made = [tree];
  for (let at = tree; at.origin;) made.push((at = at.origin.tree));
  let before = new Uint8Array(0);
  for (const { frame, origin } of made.reverse()) {
    const hits = new Uint8Array(frame.length);
    for (let node = 0; node < hits.length; node++) {
      if (matches[frame[node]] === 1) hits[node] = 1;
    }
    if (origin && "into" in origin) {
      for (let node = 0; node < before.length; node++) {
        const place = origin.into[node];
        if (before[node] === 1 && place !== NOWHERE) hits[place] = 1;
      }
    } else if (origin) {
      const { begin, nodes } = origin;
      for (let node = 0; node < hits.length; node++) {
        for (let at = begin[node]; at < begin[node + 1]; at++) {
          if (before[nodes[at]] === 1) hits[node] = 1;
        }
      }
    }
    before = hits;
  }
  return before;
}

/**
 * Counts in the original tree, before folding. In a tree of callers made from a folded tree,
 * a folded frame counts as a whole.
 */
function matchedSamples(tree: Tree, matches: Uint8Array): number {
  let samples = 0;
  let from = tree;
  /** 1 for each node that the shown tree contains; null is all. */
  let inside: Uint8Array | null = null;
  for (let { origin } = from; origin && "into" in origin; { origin } = from) {
    const shown: Uint8Array | null = inside;
    const { into } = origin;
    inside = new Uint8Array(into.length);
    for (let node = 0; node < into.length; node++) {
      const place = into[node];
      const isIn = place !== NOWHERE && (!shown || shown[place] === 1);
      inside[node] = isIn ? 1 : 0;
    }
    from = origin.tree;
  }
  const hits = hitsIn(from, matches);
  const { origin, self, total } = from;
  if (origin && "ends" in origin && !inside) {
    if (hits[0] === 1) return total[0];
    const within = stacksWith(origin.tree, hitsIn(origin.tree, matches));
    for (let at = 0; at < origin.ends.length; at++) {
      if (within[origin.ends[at]] === 1) samples += origin.samples[at];
    }
    return samples;
  }
  if (inside)
    for (let node = 0; node < hits.length; node++) {
      hits[node] &= inside[node];
    }
  const within = stacksWith(from, hits);
  for (let node = 0; node < self.length; node++) {
    const counts = !inside || inside[node] === 1;
    if (counts && within[node] === 1) samples += self[node];
  }
  return samples;
}

/** 1 for each node that is a hit or below one. */
function stacksWith({ parent }: Tree, hits: Uint8Array): Uint8Array {
  const within = hits.slice();
  for (let node = 1; node < within.length; node++) {
    within[node] |= within[parent[node]];
  }
  return within;
}
