// A flame graph: its canvas with mouse and keyboard handling.

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatSeconds, formatShare } from "../../base/format";
import { Card, Swatch } from "../../panel/card";
import { isOfCallers, type Tree } from "../../derive/profile_tree";
import { withText } from "../../timeline/time_plot";
import { FlameCanvas, type FlamePicture, type Look } from "./flame_canvas";
import {
  exactNode,
  nodeOf,
  pathOf,
  type Path,
  type ProfileState,
  type Shown,
} from "./state";

interface Hovered {
  readonly path: Path;
  /** CSS pixels from the left edge of the graph. */
  readonly x: number;
}

/** Maximum depth of Dask's stacks; those in files may be deeper than a canvas can be. */
const MOST_PAPER_ROWS = 101;

export const rowHeight = ({ view }: ProfileState): number => {
  const narrow = view.environment.width.value < 620;
  return withText(narrow ? 18 : 22, view.theme.value);
};

export function Flame(props: {
  state: ProfileState;
  shown: Shown;
  label: string;
  paints: Uint8Array;
  looks: readonly Look[];
  detailOf: (node: number) => string;
  /** More lines for the card of a node, below its figures. */
  children?: (node: number) => readonly (readonly [string, string])[];
  flipped?: boolean;
  firstRow?: number;
  zooms: boolean;
  /** Its numbers are shares instead of samples. */
  share?: boolean;
  /** As high as its rows, up to this; without it, it fills the available height. */
  most_px?: number;
  chosen: Path | null;
  onChoose: (path: Path, pins: boolean) => void;
}): JSX.Element {
  const { state, shown, flipped = false, firstRow = 0 } = props;
  const { view } = state;
  const place = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<FlameCanvas | null>(null);
  const [hovered, setHovered] = useState<Hovered | null>(null);
  const row_px = rowHeight(state);
  const { layout, tree } = shown;
  const rows = Math.max(0, layout.rows.length - 1 - firstRow);
  const zoomed = props.zooms ? nodeOf(shown, state.zoom.value) : 0;
  const chosen = props.chosen ? exactNode(shown, props.chosen) : -1;
  const under = hovered ? exactNode(shown, hovered.path) : -1;

  useLayoutEffect(() => {
    if (!place.current) return;
    const made = (canvas.current = new FlameCanvas(place.current));
    return () => {
      canvas.current = null;
      state.pointed.value = false;
      made.dispose();
    };
  }, [state]);

  const picture: FlamePicture = {
    ...{ tree, layout, row_px, flipped, firstRow, chosen },
    ...{ paints: props.paints, looks: props.looks, detailOf: props.detailOf },
    frames: state.frames.value,
    theme: view.theme.value,
    hovered: under,
  };
  const moves = !view.environment.reducedMotion.value;
  const printing = view.printing.value;
  useLayoutEffect(() => {
    const { current } = canvas;
    if (!current) return;
    const [from, to] = [layout.x0[zoomed], layout.x1[zoomed]];
    current.show(picture, [from, to > from ? to : from + 1], moves);
    current.view.onPaper = printing;
    if (printing) current.view.drawAtOnce();
  });

  /** Distance from the top of all rows. */
  const y = (node: number): number => {
    const row = tree.depth[node] - firstRow;
    return (flipped ? rows - 1 - row : row) * row_px;
  };

  // Scroll to a node chosen by keyboard.
  useEffect(() => {
    const { current } = scroller;
    if (!current || chosen < 0) return;
    const top = y(chosen);
    if (top < current.scrollTop) current.scrollTop = top;
    else if (top + row_px > current.scrollTop + current.clientHeight) {
      current.scrollTop = top + row_px - current.clientHeight;
    }
  }, [chosen]);

  const scrolled = (): void => {
    const { current } = canvas;
    const element = scroller.current;
    if (!current || !element) return;
    const { scrollTop, clientHeight, scrollHeight } = element;
    current.scroll = flipped
      ? scrollHeight - clientHeight - scrollTop
      : scrollTop;
    current.view.request();
    setHovered(null);
  };
  useLayoutEffect(() => {
    if (flipped && scroller.current) {
      scroller.current.scrollTop = scroller.current.scrollHeight;
    }
  }, [flipped, rows]);

  const nodeAt = ({ clientX, clientY }: MouseEvent): number => {
    const box = scroller.current?.getBoundingClientRect();
    if (!box || !canvas.current) return -1;
    return canvas.current.nodeAt(clientX - box.left, clientY - box.top);
  };
  const move = (event: PointerEvent): void => {
    state.pointed.value = true;
    const node = nodeAt(event);
    const path = node < 0 ? null : pathOf(tree, node);
    setHovered(path && { path, x: event.clientX - boxLeft(event) });
  };
  const leave = (): void => {
    state.pointed.value = false;
    setHovered(null);
  };
  const click = (event: MouseEvent): void => {
    const node = nodeAt(event);
    if (node < 0) return;
    props.onChoose(pathOf(tree, node), event.shiftKey);
    scroller.current?.focus({ preventScroll: true });
  };

  const { most_px = Infinity } = props;
  const own = printing || most_px < Infinity;
  const most = printing ? MOST_PAPER_ROWS * row_px : most_px;
  const height = Math.min(rows * row_px, most);
  return (
    <div
      class="ds-flame"
      style={own ? { flex: "none", height: `${height}px` } : undefined}
    >
      <div ref={place} class="ds-flame-canvas" />
      <div
        ref={scroller}
        class="ds-flame-hit"
        role="img"
        aria-label={props.label}
        tabIndex={0}
        onScroll={scrolled}
        onPointerMove={move}
        onPointerLeave={leave}
        onClick={click}
      >
        <div style={{ height: `${rows * row_px}px` }} />
      </div>
      {hovered && under >= 0 && (
        <FlameCard
          {...{ state, tree, row_px }}
          node={under}
          x={hovered.x}
          y={y(under) - (scroller.current?.scrollTop ?? 0)}
          place={place.current}
          facts={props.children?.(under) ?? []}
          isShare={props.share === true}
          colour={props.looks[props.paints[under]]?.css ?? ""}
        />
      )}
    </div>
  );
}

const boxLeft = ({ currentTarget }: PointerEvent): number =>
  (currentTarget as HTMLElement).getBoundingClientRect().left;

/** Rendered above the whole panel, since a graph may be lower than the card. */
function FlameCard(props: {
  state: ProfileState;
  tree: Tree;
  node: number;
  x: number;
  y: number;
  row_px: number;
  place: HTMLElement | null;
  colour: string;
  isShare: boolean;
  facts: readonly (readonly [string, string])[];
}): JSX.Element {
  const { state, tree, node, facts } = props;
  const frames = state.frames.value;
  const box = props.place?.getBoundingClientRect();
  const body = props.place?.closest(".ds-panel-body")?.getBoundingClientRect();
  const left = (box?.left ?? 0) - (body?.left ?? 0);
  const top = (box?.top ?? 0) - (body?.top ?? 0);
  const frame = tree.frame[node];
  const { isShare } = props;
  const seconds = (count: number): string =>
    formatSeconds(count * state.interval_s.value);
  const share = (count: number): string =>
    formatShare(count / tree.total[0], 1);
  const source = frames.sourceOf(frame);
  return (
    <div class="ds-card-layer">
      <Card
        target={{ pointerX: props.x, top: props.y, height: props.row_px }}
        plot={{ left, top }}
        sign={<Swatch colour={props.colour} />}
        title={frames.nameOf(frame)}
        value={(isShare ? share : seconds)(tree.total[node])}
        foot={["Click: zoom", "Shift-click: pin"]}
      >
        <dl class="ds-facts">
          {!isShare && (
            <>
              <dt>total</dt>
              <dd>{`${seconds(tree.total[node])}, ${share(tree.total[node])}`}</dd>
            </>
          )}
          {!isShare && !isOfCallers(tree) && (
            <>
              <dt>self</dt>
              <dd>{`${seconds(tree.self[node])}, ${share(tree.self[node])}`}</dd>
            </>
          )}
          {facts.map(([name, value]) => (
            <>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </>
          ))}
          {frames.fileOf(frame) !== "" && (
            <>
              <dt>seen at</dt>
              <dd>{frames.placeOf(frame)}</dd>
            </>
          )}
        </dl>
        {source !== "" && <code class="ds-flame-source">{source}</code>}
      </Card>
    </div>
  );
}
