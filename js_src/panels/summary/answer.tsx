// States in a few words whether the computation has finished.

import type { JSX } from "preact";
import {
  formatClock,
  formatDuration,
  formatExact,
  formatMoment,
  plural,
} from "../../base/format";
import type { ReportSummary } from "./report_summary";

export interface AnswerWords {
  readonly above: string;
  readonly title: string;
  readonly level?: "warn" | "error";
  readonly below: string;
  /** How much is done, for panels without room for figures. */
  readonly brief: string;
}

/** `live`: the computation may continue; otherwise the recording has ended. */
export function answerWords(
  { answer, progress }: Pick<ReportSummary, "answer" | "progress">,
  live: boolean,
): AnswerWords {
  if (!answer || answer.state === "idle") {
    return { above: "", title: "Nothing has run yet", below: "", brief: "" };
  }
  const { done, total, erred, running, waiting } = progress?.all ?? NO_TASKS;
  const { state, time, since, ended, left, exception } = answer;
  const quiet = time - Math.max(ended ?? 0, since ?? 0);
  const took = formatDuration((ended ?? time) - (since ?? time));
  const ago = ended === null ? "" : `${shortTime(time - ended)} ago`;
  const soFar = [
    ...(since === null ? [] : [`${formatDuration(time - since)} so far`]),
    ...(ago === "" ? [] : [`last task ended ${ago}`]),
  ].join(" · ");
  const of = total === null ? "" : ` of ${formatExact(total)}`;
  const raised = erred > 0 ? `, ${formatExact(erred)} erred` : "";
  const words = (
    title: string,
    below: string,
    more: Partial<AnswerWords> = {},
  ): AnswerWords => ({
    above: since === null ? "" : `Since ${formatClock(since, 0)}`,
    ...{ title, below, brief: `${formatExact(done)}${of} done${raised}` },
    ...more,
  });
  switch (state) {
    case "finished":
      return words(`Finished in ${took}`, live ? ago : "");
    case "cancelled":
      return words(`Cancelled after ${took}`, live ? ago : "", {
        brief: `${formatExact(done)} done, ${formatExact(answer.cancelled)} cancelled${raised}`,
      });
    case "failed": {
      const when = live ? `after ${took}, ${ago}` : `after ${took}`;
      const why = exception === "" ? "" : `: ${exception}`;
      return words(`Failed${why}`, when, { level: "error" });
    }
    default: {
      if (!live || state === "interrupted") {
        const tasks = plural((running ?? 0) + waiting, "task");
        const when = live ? "the connection ended" : "the recording ended";
        return words(`Not finished: ${tasks} left`, `when ${when}`);
      }
      if (state === "stuck") {
        const title = `Stuck: nothing ended for ${formatDuration(quiet)}`;
        return words(title, soFar, { level: "warn" });
      }
      const about = left === null ? "" : `, about ${roundTime(left)} left`;
      return words(`Running${about}`, soFar);
    }
  }
}

const NO_TASKS = { done: 0, total: null, erred: 0, running: 0, waiting: 0 };

/** An estimate: `8 s`, `2 m 29 s`. */
const roundTime = (seconds: number): string =>
  seconds < 119.5 ? `${Math.ceil(seconds)} s` : formatDuration(seconds);

/** `0.1 s`, `2 m 29 s`: never in ms, since a changing unit is hard to read. */
export const shortTime = (seconds: number): string =>
  seconds < 119.95 ? formatMoment(seconds, 1) : formatDuration(seconds);

export function Answer(props: { words: AnswerWords }): JSX.Element {
  const { above, title, level, below, brief } = props.words;
  return (
    <div class="ds-answer" role="status" aria-live="off">
      <div class="ds-figure-below">{above}</div>
      <div class={level ? `ds-answer-title ds-${level}` : "ds-answer-title"}>
        {title}
      </div>
      <div class="ds-answer-brief">{brief}</div>
      <div class="ds-figure-below">{below}</div>
    </div>
  );
}
