// A tree of cells, spans and prefixes, made from the received task groups.

import type { Group } from "../../model/groups";
import type { Focus, Span } from "../../model/types";
import {
  badgeOf,
  type Cell,
  firstLine,
  type NoCell,
  type SenderOf,
} from "../../panel/cells";
import { chainsOf, DEEPEST } from "../../panel/span_chains";
import { rowsOf, type TableView } from "../../session/tables";

export type Mode = "cells" | "spans";
export type SpanTimes = TableView<"span_times">;

export interface Node {
  /** Path of keys from the root, equal in every rebuild of the tree. */
  readonly id: string;
  readonly kind: "cell" | "span" | "prefix" | "rest";
  readonly name: string;
  readonly depth: number;
  /** The cell itself; for other nodes, the cell that sent the earliest tasks. */
  cell: Cell | null;
  /** Index of the prefix. */
  readonly prefix: number;
  /** Index of the span; 0 for other nodes. */
  readonly span: number;
  /** What a click isolates; null if no focus selects these tasks. */
  readonly focus: Pick<Focus, "cells" | "spans" | "prefixes"> | null;
  readonly groups: Group[];
  readonly children: Map<string, Node>;
  tasks: number;
  erred: number;
  nbytes: number;
  seconds: number;
  /** `stop` is Infinity for a running cell. */
  start: number;
  stop: number;
}

export interface Sources {
  readonly mode: Mode;
  readonly groups: Iterable<Group>;
  readonly cells: readonly Cell[];
  readonly senderOf: SenderOf;
  readonly spans: readonly Span[];
  readonly prefixes: readonly string[];
  readonly spanTimes: SpanTimes;
}

/** The roots of the tree, sorted by start; tasks without cell or span are last. */
export function treeOf(sources: Sources): Node[] {
  const { mode, cells, senderOf, spans, prefixes } = sources;
  const chainOf = chainsOf(spans, sources.spanTimes);
  const root = nodeOf("", "rest", "", -1);
  if (mode === "cells") {
    for (const cell of cells) cellNode(root, cell);
  } else {
    for (const { span } of rowsOf(sources.spanTimes, "time")) {
      spanNodes(root, chainOf(span), spans);
    }
  }
  for (const group of sources.groups) {
    const sender = senderOf(group.computation);
    const chain = chainOf(group.span);
    const within =
      mode === "cells"
        ? typeof sender === "string"
          ? restNode(root, sender)
          : cellNode(root, sender)
        : chain.length === 0
          ? child(root, "rest", "rest", "(no span)")
          : root;
    const inner = spanNodes(within, chain, spans);
    const name = prefixes[group.prefix] ?? "(unknown)";
    const leaf = child(inner, "prefix", `prefix ${name}`, name, {
      prefix: group.prefix,
      focus: inner.focus && { ...inner.focus, prefixes: [name] },
    });
    const cell = typeof sender === "string" ? null : sender;
    for (const node of pathTo(root, leaf)) add(node, group, cell);
  }
  return sorted(root);
}

function nodeOf(
  id: string,
  kind: Node["kind"],
  name: string,
  depth: number,
): Node {
  return {
    ...{ id, kind, name, depth, cell: null, prefix: -1, span: 0 },
    focus: { cells: [], spans: [], prefixes: [] },
    groups: [],
    children: new Map(),
    ...{ tasks: 0, erred: 0, nbytes: 0, seconds: 0 },
    ...{ start: Infinity, stop: -Infinity },
  };
}

const parents = new WeakMap<Node, Node>();

function child(
  parent: Node,
  kind: Node["kind"],
  key: string,
  name: string,
  more: Partial<Node> = {},
): Node {
  const known = parent.children.get(key);
  if (known) return known;
  const id = `${parent.id}/${key}`;
  const made = { ...nodeOf(id, kind, name, parent.depth + 1), ...more };
  parent.children.set(key, made);
  parents.set(made, parent);
  return made;
}

const cellNode = (root: Node, cell: Cell): Node =>
  child(root, "cell", cell.name, `${badgeOf(cell)} ${firstLine(cell.code)}`, {
    cell,
    focus: { cells: [cell.name], spans: [], prefixes: [] },
    ...{ start: cell.start, stop: cell.stop },
  });

const restNode = (root: Node, name: NoCell): Node =>
  child(root, "rest", name, name, { focus: null });

function spanNodes(
  parent: Node,
  chain: readonly number[],
  spans: readonly Span[],
): Node {
  let at = parent;
  for (const span of chain) {
    const { id = "", name = [] } = spans[span] ?? {};
    // Only this span: a click adds the spans inside (`spansIn`).
    at = child(at, "span", `span ${id}`, name.at(-1) ?? id, {
      span,
      focus: at.focus && { ...at.focus, spans: [id] },
    });
  }
  return at;
}

function pathTo(root: Node, leaf: Node): Node[] {
  const path: Node[] = [];
  for (let at = leaf; at !== root; at = parents.get(at)!) path.push(at);
  return path;
}

function add(node: Node, group: Group, cell: Cell | null): void {
  node.groups.push(group);
  node.tasks += group.tasks;
  node.erred += group.erred;
  node.nbytes += group.nbytes;
  node.seconds += group.seconds;
  if (node.kind === "cell") return;
  if (group.start < node.start) node.cell = cell;
  node.start = Math.min(node.start, group.start);
  node.stop = Math.max(node.stop, group.stop);
}

function sorted(node: Node): Node[] {
  const all = [...node.children.values()];
  const last = ({ kind }: Node): number => Number(kind === "rest");
  all.sort((a, b) => last(a) - last(b) || a.start - b.start || 0);
  if (node.depth < DEEPEST) {
    for (const one of all) {
      const inside = sorted(one);
      one.children.clear();
      for (const each of inside) one.children.set(each.id, each);
    }
  }
  return all;
}

/** Ids of the spans of a node's tasks, including its own. */
export function spansIn(node: Node, spans: readonly Span[]): string[] {
  const all = new Set([node.span, ...node.groups.map(({ span }) => span)]);
  return [...all].flatMap((span) => (span > 0 ? (spans[span]?.id ?? []) : []));
}

/** Nodes that contain spans, and all spans, are open until the user closes them. */
const opensItself = ({ kind, children }: Node): boolean =>
  kind === "span" || [...children.values()].some((one) => one.kind === "span");

/** The nodes to show as rows, each after its parent. */
export function rowsShown(
  roots: readonly Node[],
  toggled: ReadonlySet<string>,
  has: ((text: string) => boolean) | null,
): Node[] {
  const rows: Node[] = [];
  const found = new Set<Node>();
  const matches = (node: Node): boolean => {
    const inside = [...node.children.values()].filter(matches).length > 0;
    const code = node.kind === "cell" ? (node.cell?.code ?? "") : "";
    const itself = has?.(`${node.name}\n${code}`) ?? true;
    if (itself || inside) found.add(node);
    return itself || inside;
  };
  if (has) roots.forEach(matches);
  const visit = (node: Node, all: boolean): void => {
    if (!all && !found.has(node)) return;
    rows.push(node);
    if (!isOpen(node, toggled) && !(has && !all)) return;
    const whole =
      all || ![...node.children.values()].some((one) => found.has(one));
    for (const one of node.children.values()) visit(one, whole);
  };
  for (const node of roots) visit(node, has === null);
  return rows;
}

export const isOpen = (node: Node, toggled: ReadonlySet<string>): boolean =>
  node.children.size > 0 && opensItself(node) !== toggled.has(node.id);
