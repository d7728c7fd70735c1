// Busy threads over the run by prefix, like the overview of the task stream.

import { Part } from "../../panel/parts";
import { effect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { formatExact } from "../../base/format";
import { toCss } from "../../base/colour";
import type { PanelView } from "../../panel/panel_view";
import { ThreadsBusyArea } from "../../panel/threads_busy";
import { TimeChart } from "../../panel/time_chart";
import { paintCross } from "../../timeline/marks";
import type { PlotArea } from "../../timeline/time_plot";
import { threadAxis } from "../../timeline/value_axis";
import { beforeFirst } from "../../panel/states";
import { makePixelColours } from "../../panel/pixel_colours";
import { isWhole } from "../../panel/narrowing";
import { SharedSelection } from "../../panel/selection";
import { PrefixButton } from "../../panel/prefix_button";
import { isCutOff, type ReportSummary } from "./report_summary";

const HEIGHT_PX = 142;
const MOST_NAMED = 8;
/** Time per frame for applying the filter. */
const WORK_MS = 6;

export function BusyChart(props: {
  view: PanelView;
  summary: ReportSummary;
  /** Name the colours, because no other list does. */
  legend: boolean;
}): JSX.Element | null {
  const { view, summary } = props;
  const store = view.session.value;
  useFilterOf(store);
  const busy = useMemo(() => new ThreadsBusyArea(), []);
  const full = useRef(0);
  const { value: names } = view.namesVersion;
  const { value: rows } = view.dataVersion;
  const { time } = view.table("errors").columns;
  const errors = useMemo(() => Float64Array.from(time).sort(), [time]);
  // If the cluster is unknown, count the threads that ran a task.
  const threads =
    summary.busy?.threads ||
    summary.cluster_facts?.threads ||
    (store?.lanes.length ?? 0);
  const theme = view.theme.value;
  const paints = useMemo(
    () => (store ? makePixelColours(store, theme) : null),
    [store, theme, names],
  );
  const known = view.now.value > 0 ? view.counts.value : null;
  const none = (summary.tasks ?? known)?.captured === 0 && !isCutOff(summary);
  const named = (summary.prefixes ?? []).slice(0, MOST_NAMED);
  const more = (summary.prefixes?.length ?? 0) - named.length;

  return (
    <Part
      class="ds-busy"
      title="Threads busy"
      detail={
        isolates(view)
          ? "selected tasks only, by task prefix"
          : threads > 0
            ? `of ${formatExact(threads)}, by task prefix`
            : "by task prefix"
      }
      tools={
        props.legend && (
          <div class="ds-part-legend">
            {named.map(({ name }) => (
              <PrefixButton view={view} name={name} />
            ))}
            {more > 0 && <span class="ds-quiet">{`and ${more} more`}</span>}
          </div>
        )
      }
    >
      {none ? (
        <p class="ds-sentence">No task finished or failed in this time.</p>
      ) : rows === 0 && !view.host.live ? (
        <p class="ds-sentence ds-chart-wait" role="status">
          {waitingWords(view)}
        </p>
      ) : (
        <TimeChart
          view={view}
          label="Threads busy over the run, by task prefix; the figures are below"
          height_px={HEIGHT_PX}
          content={{
            prepare(width, range) {
              if (!store) return;
              full.current = busy.update(store.model, range, width, threads);
            },
            axis: () => threadAxis(store ? full.current : threads),
            paint(area) {
              if (!store || !paints) return;
              const { compute } = paints;
              // Do not draw data that arrived after a pause.
              const end = area.x(view.present.peek() ?? Infinity);
              const most = area.height / (area.y(0) - area.y(1));
              busy.paint(area, most, compute.paints, compute.other, end);
              paintErrors(area, errors);
              paintExpectedEnd(area, summary);
            },
          }}
        />
      )}
    </Part>
  );
}

function waitingWords(view: PanelView): string {
  const { title, text, trouble } = beforeFirst(false, view.notices.value);
  return trouble ? `${title}. ${text}` : "Unpacking the recording …";
}

function isolates(view: PanelView): boolean {
  return !isWhole({ ...view.focus.value, time: null });
}

/** Applies the filter of the session, since the task stream may not be open to do it. */
function useFilterOf(store: PanelView["session"]["value"]): void {
  const [, redraw] = useState(0);
  useEffect(() => {
    if (!store) return;
    const shared = SharedSelection.acquire(store);
    let frame = 0;
    const work = (): void => {
      frame = store.model.work(WORK_MS) ? requestAnimationFrame(work) : 0;
      redraw(store.model.version);
    };
    const stop = effect(() => {
      void shared.version.value;
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(work);
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
      shared.release();
    };
  }, [store]);
}

function paintExpectedEnd(area: PlotArea, { answer }: ReportSummary): void {
  if (!answer || answer.left === null) return;
  const { context, theme, pixelRatio, top, height } = area;
  const x = Math.round(area.x(answer.time + answer.left));
  if (x > area.left + area.width) return;
  context.fillStyle = context.strokeStyle = toCss(theme.text2);
  context.lineWidth = pixelRatio;
  context.setLineDash([3 * pixelRatio, 3 * pixelRatio]);
  context.beginPath();
  context.moveTo(x, top);
  context.lineTo(x, top + height);
  context.stroke();
  context.setLineDash([]);
  context.font = `${theme.small_px * pixelRatio}px ${theme.font}`;
  context.textAlign = "right";
  context.textBaseline = "middle";
  const words = "expected end";
  const at = x - 4 * pixelRatio;
  const { width } = context.measureText(words);
  if (at - width < area.x(answer.time)) return;
  context.fillText(words, at, top + height / 2);
}

function paintErrors(area: PlotArea, times: Float64Array): void {
  const { context, theme, pixelRatio, top } = area;
  const size = 3.5 * pixelRatio;
  const y = top + 8 * pixelRatio;
  let last = -Infinity;
  context.lineCap = "round";
  for (const time of times) {
    const x = area.x(time);
    if (!(x - last >= 2 * size)) continue;
    last = x;
    for (const [colour, wide] of [
      [theme.panel, 4],
      [theme.error, 1.8],
    ] as const) {
      context.strokeStyle = toCss(colour);
      context.lineWidth = wide * pixelRatio;
      paintCross(context, x, y, size);
    }
  }
}
