// What was measured, as bars: by function, each stacked by activity, and by activity.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { formatExact, formatShare } from "../../base/format";
import { activityName } from "../../panel/action_words";
import { LinkButton } from "../../panel/button";
import { useOrder } from "../../panel/order";
import { Part } from "../../panel/parts";
import { activityColours } from "../../panel/metric_rows";
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
const MOST_SHOWN = 500;

export function ByFunction(props: {
  view: PanelView;
  scope: Scope;
}): JSX.Element {
  const { view, scope } = props;
  return (
    <Bars
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
  const colour = activityColours(view);
  const of = (title: string, detail: string, bars: readonly Bar[]) => (
    <Bars
      key={`${title} ${orderOf(view)}`}
      {...{ view, title, detail, bars }}
      name={(bar) => (
        <span class="ds-prefix">
          <span class="ds-swatch" style={{ background: colour(bar.name) }} />
          <span class="ds-prefix-name">{activityName(bar.name)}</span>
        </span>
      )}
    />
  );
  return (
    <div class="ds-fine-pair">
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

/** With another choice rows are sorted at once. */
function orderOf(view: PanelView): string {
  const { time, prefixes, spans, cells } = view.focus.value;
  const { unit, activities } = choicesOf(view);
  const chosen = [unit.value, activities.value];
  return JSON.stringify([time, prefixes, spans, cells, chosen]);
}

function Bars(props: {
  view: PanelView;
  title: string;
  detail: string;
  bars: readonly Bar[];
  name: (bar: Bar) => JSX.Element;
}): JSX.Element {
  const { view } = props;
  const choices = choicesOf(view);
  const [all, setAll] = useState(false);
  const colour = activityColours(view);
  const unit = choices.unit.value;
  const share = choices.share.value;
  const sorted = heaviestFirst(props.bars);
  const { ids, hands } = useOrder(
    view,
    sorted.map(({ name }) => name),
  );
  const bars = new Map(sorted.map((bar) => [bar.name, bar]));
  const most = sorted[0]?.total ?? 0;
  const total = sorted.reduce((sum, bar) => sum + bar.total, 0);
  const count = all || view.printing.value ? MOST_SHOWN : SHOWN;
  const text = (value: number): string => formatUnit(unit, value, most);
  return (
    <Part title={props.title} detail={props.detail}>
      {ids.length === 0 && (
        <p class="ds-sentence">{`Nothing was measured in ${unit || "this unit"} here.`}</p>
      )}
      <ul class="ds-bars" aria-label={props.title} {...hands}>
        {ids.slice(0, count).map((id) => {
          const bar = bars.get(id);
          if (!bar) return null;
          const whole = share ? bar.total : most;
          return (
            <li key={id}>
              {props.name(bar)}
              <span
                class="ds-bar"
                title={bar.parts
                  .map(
                    ({ name, value }) => `${activityName(name)} ${text(value)}`,
                  )
                  .join("\n")}
              >
                {bar.parts.map(({ name, value }) => (
                  <i
                    style={{
                      width: `${whole > 0 ? (value / whole) * 100 : 0}%`,
                      background: colour(name),
                    }}
                  />
                ))}
              </span>
              <span class="ds-bar-value">{text(bar.total)}</span>
              <span class="ds-bar-share">
                {formatShare(bar.total / total, 1)}
              </span>
            </li>
          );
        })}
      </ul>
      {ids.length > SHOWN && !view.printing.value && (
        <p class="ds-part-note">
          <LinkButton onClick={() => setAll(!all)}>
            {all
              ? "Show the heaviest only"
              : `Show ${ids.length > MOST_SHOWN ? "the first " : "all "}${formatExact(Math.min(ids.length, MOST_SHOWN))}`}
          </LinkButton>
        </p>
      )}
    </Part>
  );
}
