// What a plot of samples knows: its own time, which no other panel shares, and what is
// chosen in it.

import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { slotColour } from "../../base/palette";
import type { PanelEnvironment } from "../../panel/environment";
import type { PanelProps } from "../../panel/host";
import { PanelView } from "../../panel/panel_view";
import { MEASURES } from "../../schema";
import { growingAxis, type Range } from "../../timeline/window";
import {
  type By,
  type Figures,
  figuresOf,
  measured,
  type Run,
  runsOf,
} from "./runs";

/** A run as it is drawn. */
export interface Drawn {
  readonly run: Run;
  readonly colour: string;
  readonly figures: Figures;
}

const NONE: ReadonlySet<string> = new Set();

export class PlotView extends PanelView {
  readonly measure = signal<string>(MEASURES[0]);
  readonly aligned = signal(false);
  readonly by = signal<By>("cluster");
  /** Labels that are shown alone; empty: all are. */
  readonly isolated = signal(NONE);
  /** The label that is pointed at. */
  readonly pointedAt = signal<string | null>(null);
  readonly tableOpen = signal(false);
  readonly runs: ReadonlySignal<readonly Run[]> = computed(() =>
    runsOf(this.table("samples").rings, this.measure.value, this.aligned.value),
  );
  readonly all: ReadonlySignal<readonly Drawn[]> = computed(() =>
    this.runs.value.map((run) => ({
      run,
      colour: slotColour(run.slot, this.theme.value.dark),
      figures: figuresOf(measured(run, this.by.value)),
    })),
  );
  /** Those that are drawn. */
  readonly lines = computed(() => {
    const { value: isolated } = this.isolated;
    const some = this.all.value.filter(({ run }) => isolated.has(run.label));
    return some.length > 0 ? some : this.all.value;
  });
  /** Of all workers together: of one of them none is known. */
  readonly limit = computed(() => {
    const limits = this.lines.value.map(({ run }) => figuresOf(run.limit).peak);
    const known = limits.filter((limit) => limit > 0);
    const shows = this.by.value === "cluster" && known.length > 0;
    return shows ? Math.max(...known) : NaN;
  });
  /** The run that is being sampled. */
  readonly sampled = computed(() => {
    const runs = this.state.value === "live" ? this.runs.value : [];
    const last = Math.max(...runs.map(({ zero, stop }) => zero + stop));
    return runs.find(({ zero, stop }) => zero + stop === last) ?? null;
  });
  /** Times are those of the runs. */
  override readonly origin = signal(0);
  override readonly crosshair = signal<number | null>(null);
  override readonly selected = computed(() => null);
  override readonly present = computed(() => {
    const run = this.sampled.value;
    return run && run.stop >= latest(this.runs.value) ? run.stop : null;
  });

  constructor(props: PanelProps, environment: PanelEnvironment) {
    super(props, environment);
    const { measure, align } = props.host.options ?? {};
    const known: readonly unknown[] = MEASURES;
    if (known.includes(measure)) this.measure.value = String(measure);
    this.aligned.value = align === true;
  }

  /** Time is another one: what is shown of it begins anew. */
  align(aligned: boolean): void {
    this.timeline.reset();
    this.aligned.value = aligned;
  }

  toggle(label: string, adds: boolean): void {
    const before = this.isolated.peek();
    const others = adds ? before : NONE;
    const alone = before.has(label) && (adds || before.size === 1);
    const next = new Set(others).add(label);
    if (alone) next.delete(label);
    this.isolated.value = next;
  }

  override point(time: number | null): void {
    this.crosshair.value = time;
  }

  override get pointerTime(): number | null {
    return this.crosshair.peek();
  }

  /** What is selected is of no other panel: it is zoomed to. */
  override select(time: Range | null): void {
    if (time) this.timeline.window.show(time[0], time[1], true);
  }

  protected override wholeRange(): Range {
    const stop = this.present.value;
    return [
      0,
      stop === null ? latest(this.runs.value) || 1 : growingAxis(stop),
    ];
  }
}

const latest = (runs: readonly Run[]): number =>
  Math.max(0, ...runs.map(({ stop }) => stop));
