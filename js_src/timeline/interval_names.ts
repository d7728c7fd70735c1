// Names on the intervals of lanes, where they fit.

import { LabelList, type NameWidths, placeLabels } from "../derive/labels";
import { shorten, TextMeasure } from "../render/text";
import type { LaneGroup, Lanes } from "./lanes";
import type { PlotArea } from "./time_plot";

const LEAST_CHARACTERS = 5;
const LONGEST_NAME = 200;

/** Names on intervals that have room for them. */
export class IntervalNames implements NameWidths {
  private readonly labels = new LabelList();
  private readonly measure: TextMeasure;
  private names: readonly string[] = [];
  private mayName: (name: string) => boolean = () => true;

  constructor(context: CanvasRenderingContext2D) {
    this.measure = new TextMeasure(context);
  }

  paint<G extends LaneGroup>(
    { context, theme, pixelRatio }: PlotArea,
    { map, window, top }: Lanes<G>,
    lanes: readonly number[],
    model: Parameters<typeof placeLabels>[0],
    names: readonly string[],
    colours: {
      readonly labels: readonly string[];
      readonly erredLabel: string;
    },
    mayName: (name: string) => boolean,
  ): void {
    const { labels, measure } = this;
    Object.assign(this, { names, mayName });
    const font = `${theme.small_px * pixelRatio}px ${theme.font}`;
    measure.setFont(font);
    labels.clear();
    for (const lane of lanes) {
      placeLabels(model, lane, window, this, pixelRatio, labels);
    }
    if (labels.count === 0) return;
    context.save();
    context.beginPath();
    context.rect(0, top, window.width_px, map.height);
    context.clip();
    context.font = font;
    context.textBaseline = "middle";
    context.textAlign = "left";
    for (let at = 0; at < labels.count; at++) {
      const prefix = labels.prefix[at];
      const position = map.positionOf(labels.lane[at]);
      context.fillStyle =
        labels.erred[at] === 1
          ? colours.erredLabel
          : (colours.labels[prefix] ?? "#000000");
      context.fillText(
        shorten(names[prefix] ?? "", labels.room[at], measure),
        Math.round(labels.x[at]),
        top + map.topOf(position) + map.layout.height / 2,
      );
    }
    context.restore();
  }

  whole(prefix: number): number {
    const name = this.nameOf(prefix);
    if (name === null || name.length > LONGEST_NAME) return Infinity;
    return this.measure.width(name);
  }

  least(prefix: number): number {
    const name = this.nameOf(prefix);
    if (name === null) return Infinity;
    if (name.length <= LEAST_CHARACTERS + 1) return this.measure.width(name);
    return this.measure.width(this.measure.cut(name, LEAST_CHARACTERS));
  }

  private nameOf(prefix: number): string | null {
    const name = this.names[prefix];
    return name !== undefined && this.mayName(name) ? name : null;
  }
}
