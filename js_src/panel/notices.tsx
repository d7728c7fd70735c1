// The banner: the gravest thing that the kernel has to say, until it is hidden;
// a code that was hidden stays so, also where its figures change.

import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { formatClock } from "../base/format";
import type { Notice } from "../model/types";
import type { State } from "../schema";
import type { PanelHost } from "./host";
import { isAlarming } from "./panel_state";
import { Banner } from "./states";

/** The notice that the banner shows; the status line leaves it out. */
export function bannerNotice(
  all: readonly Notice[],
  dismissed: ReadonlySet<string>,
): Notice | null {
  const notices = all.filter(({ code }) => !dismissed.has(code));
  return (
    notices.find(({ level }) => level === "error") ??
    notices.find(({ level }) => level === "warn") ??
    null
  );
}

export function Notices(props: {
  host: PanelHost;
  notices: readonly Notice[];
  /** Codes of those that were hidden. */
  dismissed: Signal<ReadonlySet<string>>;
  state: State | null;
  /** The scheduler's clock at the last status. */
  now: number;
  /** The panel shows something of the session. */
  shows: boolean;
}): JSX.Element | null {
  const { host, dismissed, state } = props;
  const notice = bannerNotice(props.notices, dismissed.value);
  if (notice) {
    return (
      <Banner
        level={notice.level === "error" ? "error" : "warn"}
        title={notice.text}
        text={notice.next}
        actions={host.actionsFor?.(notice.code) ?? []}
        onClose={() => {
          dismissed.value = new Set([...dismissed.peek(), notice.code]);
        }}
      />
    );
  }
  // Of a session that was cut off the home knows why.
  const why = host.emptyState.value;
  if (why && (state === "lost" || state === "stopped") && props.shows) {
    return (
      <Banner
        level={isAlarming(why) ? "error" : "info"}
        title={why.title}
        text={why.text}
        actions={why.actions ?? []}
      />
    );
  }
  if (state !== "lost") return null;
  return (
    <Banner
      level="error"
      title="The connection was lost"
      text={`All until ${formatClock(props.now, 0)} is kept; trying again.`}
      actions={host.actionsFor?.("lost") ?? []}
    />
  );
}
