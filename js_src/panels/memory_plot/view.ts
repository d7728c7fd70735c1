// The state of a plot of samples: its choices, and a time axis that no other panel shares.

import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { slotColour } from "../../base/palette";
import type { Series } from "../../derive/series";
import type { PanelEnvironment } from "../../panel/environment";
import type { PanelProps } from "../../panel/host";
import { PanelView } from "../../panel/panel_view";
import { MEASURES } from "../../schema";
import type { PlotArea } from "../../timeline/time_plot";
import { growingAxis, type Range } from "../../timeline/window";
import { type Figures, figuresOf, type Run, runsOf } from "./runs";

/** A run as it is drawn. */
export interface Drawn {
  readonly run: Run;
  readonly colour: string;
  readonly line: Series;
  readonly figures: Figures;
}

const NONE: ReadonlySet<string> = new Set();

export class PlotView extends PanelView {
  readonly measure = signal<string>(MEASURES[0]);
  readonly aligned = signal(false);
  /** Whether a line shows the median worker instead of all workers together. */
  readonly perWorker = signal(false);
  /** Labels that are shown alone; empty means all. */
  readonly isolated = signal(NONE);
  /** The label under the pointer. */
  readonly pointedAt = signal<string | null>(null);
  readonly tableOpen = signal(false);
  /** The area of the latest drawing. */
  area: PlotArea | null = null;
  private known: readonly Run[] = [];
  readonly runs = computed(() => {
    const { rings } = this.table("samples");
    const chosen = [this.measure.value, this.aligned.value] as const;
    return (this.known = runsOf(rings, ...chosen, this.known));
  });
  readonly all: ReadonlySignal<readonly Drawn[]> = computed(() =>
    this.runs.value.map((run) => {
      const { value: perWorker } = this.perWorker;
      return {
        run,
        colour: slotColour(run.slot, this.theme.value.dark),
        line: perWorker ? run.median : run.cluster,
        figures: figuresOf(perWorker ? run.workers : run.cluster),
      };
    }),
  );
  /** The lines that are drawn. */
  readonly lines = computed(() => {
    const { value: isolated } = this.isolated;
    const some = this.all.value.filter(({ run }) => isolated.has(run.label));
    return some.length > 0 ? some : this.all.value;
  });
  /** The limit of all workers together; NaN if there is none, or `perWorker`. */
  readonly limit = computed(() => {
    if (this.perWorker.value) return NaN;
    const limits = this.lines.value.map(({ run }) => figuresOf(run.limit).peak);
    return Math.max(...limits.filter((limit) => limit > 0)) || NaN;
  });
  /** The run that is being sampled. */
  readonly sampled = computed(() => {
    const runs = this.state.value === "live" ? this.runs.value : [];
    const ends = runs.map(({ zero, stop }) => zero + stop);
    return runs[ends.indexOf(Math.max(...ends))] ?? null;
  });
  /** Runs have times relative to their own zero. */
  override readonly origin = signal(0);
  override readonly crosshair = signal<number | null>(null);
  override readonly selected = signal(null);
  override readonly present = computed(() => {
    const stop = this.sampled.value?.stop ?? -1;
    return stop >= latest(this.runs.value) ? stop : null;
  });

  constructor(props: PanelProps, environment: PanelEnvironment) {
    super(props, environment);
    const { measure, align } = props.host.options ?? {};
    this.measure.value = MEASURES.find((one) => one === measure) ?? MEASURES[0];
    this.aligned.value = align === true;
  }

  /** Changes the time axis, so the window is reset. */
  align(aligned: boolean): void {
    this.timeline.reset();
    this.aligned.value = aligned;
  }

  isolate(label: string, adds: boolean): void {
    const before = this.isolated.peek();
    const next = new Set(adds ? before : NONE).add(label);
    if (before.has(label) && (adds || before.size === 1)) next.delete(label);
    this.isolated.value = next;
  }

  override point(time: number | null): void {
    this.crosshair.value = time;
  }

  override get pointerTime(): number | null {
    return this.crosshair.peek();
  }

  /** Zooms instead, since no other panel shares this time axis. */
  override select(time: Range | null): void {
    if (time) this.timeline.window.show(time[0], time[1], true);
  }

  protected override wholeRange(): Range {
    const stop = this.present.value;
    const end = stop === null ? latest(this.runs.value) : growingAxis(stop);
    return [0, end || 1];
  }
}

const latest = (runs: readonly Run[]): number =>
  Math.max(0, ...runs.map(({ stop }) => stop));
