// Bars of the metrics: by function, stacked by activity, and by activity.

import type { JSX } from "preact";
import { formatShare } from "../../base/format";
import { activityName } from "../../panel/action_words";
import { Bars, Named } from "../../panel/bars";
import { useOrder } from "../../panel/order";
import { Part } from "../../panel/parts";
import { activityFills } from "../../panel/metric_rows";
import type { PanelView } from "../../panel/panel_view";
import { PrefixButton } from "../../panel/prefix_button";
import {
  type Bar,
  barsOf,
  choicesOf,
  EXECUTE,
  heaviestFirst,
  isNarrowed,
  otherContexts,
  type Scope,
} from "./data";
import { contextName, contextNote, formatUnit } from "./words";

const SHOWN = 20;

export function ByFunction(props: {
  view: PanelView;
  scope: Scope;
}): JSX.Element {
  const { view, scope } = props;
  return (
    <Chart
      key={orderOf(view)}
      view={view}
      title="Execution by function"
      detail="stacked by activity"
      bars={barsOf(view, scope, "prefix", EXECUTE)}
      name={(bar) => <PrefixButton view={view} name={bar.name} />}
    />
  );
}

export function ByActivity(props: {
  view: PanelView;
  scope: Scope;
}): JSX.Element {
  const { view, scope } = props;
  const others = otherContexts(view, scope);
  const narrowed = isNarrowed(scope);
  const colour = activityFills(view);
  const of = (title: string, detail: string, bars: readonly Bar[]) => (
    <Chart
      key={`${title} ${orderOf(view)}`}
      {...{ view, title, detail, bars }}
      name={(bar) => (
        <Named colour={colour(bar.name)}>{activityName(bar.name)}</Named>
      )}
    />
  );
  return (
    <div class="ds-pair">
      {of(
        "Execution by activity",
        narrowed ? "what is selected" : "all functions",
        barsOf(view, scope, "activity", EXECUTE),
      )}
      {others.map((context) =>
        of(
          contextName(context),
          `${contextNote(context)}${narrowed ? "; of all functions, spans and cells" : ""}`,
          barsOf(view, scope, "activity", context),
        ),
      )}
    </div>
  );
}

/** Key of the order: rows are sorted at once if a choice changes. */
function orderOf(view: PanelView): string {
  const { time, prefixes, spans, cells } = view.focus.value;
  const { unit, activities } = choicesOf(view);
  const chosen = [unit.value, activities.value];
  return JSON.stringify([time, prefixes, spans, cells, chosen]);
}

function Chart(props: {
  view: PanelView;
  title: string;
  detail: string;
  bars: readonly Bar[];
  name: (bar: Bar) => JSX.Element;
}): JSX.Element {
  const { view, title } = props;
  const choices = choicesOf(view);
  const colour = activityFills(view);
  const unit = choices.unit.value;
  const share = choices.share.value;
  const sorted = heaviestFirst(props.bars);
  const { ids, handlers } = useOrder(
    view,
    sorted.map(({ name }) => name),
  );
  const bars = new Map(sorted.map((bar) => [bar.name, bar]));
  const most = sorted[0]?.total ?? 0;
  const total = sorted.reduce((sum, bar) => sum + bar.total, 0);
  const text = (value: number): string => formatUnit(unit, value, most);
  return (
    <Part title={title} detail={props.detail}>
      {ids.length === 0 && (
        <p class="ds-sentence">{`No metrics in ${unit || "this unit"}.`}</p>
      )}
      <Bars
        {...{ view, handlers }}
        label={title}
        first={SHOWN}
        bars={ids.flatMap((id) => bars.get(id) ?? [])}
        make={(bar) => {
          const { parts } = bar;
          return {
            id: bar.name,
            name: props.name(bar),
            title: parts
              .map(({ name, value }) => `${activityName(name)} ${text(value)}`)
              .join("\n"),
            parts: parts.map(({ name, value }) => ({
              width: value / (share ? bar.total : most),
              background: colour(name),
            })),
            value: text(bar.total),
            share: formatShare(bar.total / total, 1),
          };
        }}
      />
    </Part>
  );
}
