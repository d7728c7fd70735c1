// The row of events of one plot: its marks, merged for the scale at hand, and
// which of them is under the pointer.

import { rowsOf } from "../../session_tables";
import { changesInFocus, errorsInFocus } from "./events_in_focus";
import type { AxisPicture } from "./axis_painter";
import {
  eventMarks,
  markAt,
  MergedMarks,
  type EventMark,
  type Shown,
} from "./event_marks";
import { paintEvents, paintGaps } from "./events_painter";
import type { PlotRows } from "./geometry";
import type { ViewState } from "./view_state";

/** Events nearer than this become one mark. */
const MARK_PX = 10;
/** A narrower plot has short words. */
const SHORT_PX = 560;

export class EventsRow {
  private readonly merging = new MergedMarks();
  private marks: readonly EventMark[] = [];
  private merged: readonly Shown[] = [];

  /** Reads the session's signals: call it in an effect. */
  read(view: ViewState): void {
    const session = view.session.value;
    const groups = view.workers.placed.value;
    if (!session) {
      this.marks = [];
      return;
    }
    void session.namesVersion.value;
    // The time in focus cuts nothing off: beside it lanes are drawn, too.
    const focus = { ...view.focus.value, time: null };
    const { prefixes } = session.store;
    const errors = errorsInFocus(
      rowsOf(session.table("errors").value, "time"),
      focus,
      prefixes,
    );
    const gaps = rowsOf(session.table("gaps").value, "start");
    const changes = changesInFocus(
      rowsOf(session.table("workers").value, "time"),
      focus,
    );
    const names = new Map(groups.map(({ address, name }) => [address, name]));
    const nameOf = (worker: string): string => names.get(worker) ?? worker;
    this.marks = eventMarks(errors, gaps, changes, nameOf);
  }

  paint(picture: AxisPicture, gridColumns: Iterable<number>): void {
    const { pixelRatio, secondsPerPixel, width } = picture;
    const near_s = MARK_PX * pixelRatio * secondsPerPixel;
    this.merged = this.merging.update(this.marks, near_s);
    const short = width / pixelRatio < SHORT_PX;
    paintEvents(picture, this.merged, gridColumns, short);
  }

  /** Over the lanes, in pixels of the canvas. */
  paintGaps(picture: AxisPicture, top: number, bottom: number): void {
    paintGaps(picture, this.merged, top, bottom);
  }

  /** What is at a point of the plot, in CSS pixels. */
  at(
    x_px: number,
    y_px: number,
    rows: PlotRows,
    pixelRatio: number,
  ): Shown | null {
    if (y_px < rows.axis || y_px > rows.lanesTop) return null;
    return markAt(this.merged, x_px * pixelRatio);
  }
}
