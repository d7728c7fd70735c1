// The card beside the pointer: describes what is under it, name and value first.

import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

export interface PlotPlace {
  readonly left: number;
  readonly top: number;
}

export function Card(props: {
  target: CardTarget;
  plot: PlotPlace;
  sign?: ComponentChildren;
  title: string;
  value: string;
  foot: readonly string[];
  children: ComponentChildren;
}): JSX.Element {
  const { target, plot, foot } = props;
  const card = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (card.current) placeCard(card.current, target, plot.left, plot.top);
  });
  return (
    <div ref={card} class="ds-card" role="tooltip">
      <div class="ds-card-head">
        {props.sign}
        <b class="ds-card-title">{props.title}</b>
        <b class="ds-card-value">{props.value}</b>
      </div>
      {props.children}
      {foot.length > 0 && (
        <div class="ds-card-foot">
          {foot.map((words) => (
            <span>{words}</span>
          ))}
        </div>
      )}
    </div>
  );
}

export const Swatch = (props: { colour: string }): JSX.Element => (
  <span class="ds-swatch" style={{ background: props.colour }} />
);

const AWAY_PX = 14;
const EDGE_PX = 4;

interface CardTarget {
  readonly pointerX: number;
  readonly top: number;
  readonly height: number;
}

/** Places the card beside the pointer, inside its parent, not over its subject. */
function placeCard(
  card: HTMLElement,
  target: CardTarget,
  plotLeft: number,
  plotTop: number,
): void {
  const stage = card.parentElement;
  if (!stage) return;
  const width = stage.clientWidth;
  const height = stage.clientHeight;
  const cardHeight = card.offsetHeight;
  const cardWidth = card.offsetWidth;
  const pointer = plotLeft + target.pointerX;
  let left = pointer + AWAY_PX;
  if (left + cardWidth > width - EDGE_PX) left = pointer - AWAY_PX - cardWidth;
  left = Math.max(EDGE_PX, Math.min(left, width - cardWidth - EDGE_PX));
  const targetTop = plotTop + target.top;
  let top = targetTop + target.height + 8;
  if (top + cardHeight > height - EDGE_PX) {
    const above = targetTop - 8 - cardHeight;
    top = above >= EDGE_PX ? above : height - cardHeight - EDGE_PX;
  }
  top = Math.max(EDGE_PX, top);
  card.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
}
