// Findings that the user should look at, each with a link to the panel that shows more.

import type { JSX } from "preact";
import { formatExact } from "../../base/format";
import type { Focus } from "../../model/types";
import { LinkButton } from "../../panel/button";
import { CloseIcon, InfoIcon, WarningIcon } from "../../panel/icons";
import { withRoom } from "../../panel/narrowing";
import type { PanelView } from "../../panel/panel_view";
import type { Range } from "../../timeline/window";
import { AndMore, Part } from "../../panel/parts";
import { someOf } from "../../base/bounds";
import type { ReportSummary } from "./report_summary";

type Look = NonNullable<ReportSummary["needs_a_look"]>[number];

const LEVEL_WORDS: Record<Look["level"], string> = {
  error: "Error:",
  warn: "Warning:",
  info: "For information:",
};

export function NeedsALook(props: {
  view: PanelView;
  looks: readonly Look[];
}): JSX.Element {
  const { view, looks } = props;
  const { shown, more } = someOf(looks);
  return (
    <Part
      class="ds-second"
      title="Needs a look"
      detail={looks.length > 0 ? formatExact(looks.length) : ""}
    >
      {looks.length === 0 ? (
        <p class="ds-quiet">Nothing stands out in this run.</p>
      ) : (
        <ul class="ds-looks">
          {shown.map((look) => (
            <li>
              <span
                class={look.level === "info" ? "ds-quiet" : `ds-${look.level}`}
              >
                <Mark level={look.level} />
                <span class="ds-unseen">{LEVEL_WORDS[look.level]}</span>
              </span>
              <div class="ds-look-words">
                <div class="ds-look-title">{look.title}</div>
                <div class="ds-quiet">{look.text}</div>
              </div>
              <ShowButton view={view} look={look} />
            </li>
          ))}
        </ul>
      )}
      <AndMore count={more} />
    </Part>
  );
}

function Mark(props: { level: Look["level"] }): JSX.Element {
  if (props.level === "error") return <CloseIcon />;
  return props.level === "warn" ? <WarningIcon /> : <InfoIcon />;
}

function ShowButton(props: {
  view: PanelView;
  look: Look;
}): JSX.Element | null {
  const { view, look } = props;
  const { show } = view;
  // A link to the summary itself is useless.
  const others = view.host.panels?.filter((id) => id !== "summary") ?? [];
  if (!show || !others.includes(look.tab)) return null;
  const onClick = (): void =>
    show(look.tab, focusOn(look, view.focus.peek(), view.whole.peek()));
  return <LinkButton onClick={onClick}>Show</LinkButton>;
}

/**
 * Selects the time of a finding. Errors are listed first on their panel, so no time is
 * selected for them; a selected time that hides some of them is removed.
 */
function focusOn(look: Look, focus: Focus, range: Range): Focus {
  if (!look.time) return focus;
  if (look.code !== "errors") {
    return { ...focus, time: withRoom(look.time, range) };
  }
  const [first, last] = look.time;
  const { time } = focus;
  const shows = time !== null && time[0] <= first && last <= time[1];
  return shows ? focus : { ...focus, time: null };
}
