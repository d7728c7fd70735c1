// The frame of every card beside the pointer, and where it goes.

import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { placeCard, type CardTarget } from "./place_card";

/** Where the plot begins on the stage, in CSS pixels. */
export interface PlotPlace {
  readonly left: number;
  readonly top: number;
}

export function Card(props: {
  target: CardTarget;
  plot: PlotPlace;
  /** Before the title: a colour, an icon. */
  sign: ComponentChildren;
  title: string;
  value: string;
  /** What a click does, and the like. */
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

/** The colour of what a card is about. */
export const Swatch = (props: { colour: string }): JSX.Element => (
  <span class="ds-swatch" style={{ background: props.colour }} />
);
