// The banner: the gravest thing that the kernel has to say, until it is hidden;
// a code that was hidden stays so, also where its figures change.

import type { JSX } from "preact";
import { formatClock } from "../../base/format";
import type { Notice } from "../../model/types";
import { Banner } from "../../panel/states";
import { isAlarming } from "./panel_state";
import type { ViewState } from "./view_state";

/**
 * The notice that the banner shows; it need not stand in the status line too. Reads
 * signals.
 */
export function bannerNotice(view: ViewState): Notice | null {
  const all = view.session.value?.notices.value ?? [];
  const { value: dismissed } = view.dismissed;
  const notices = all.filter(({ code }) => !dismissed.has(code));
  return (
    notices.find((notice) => notice.level === "error") ??
    notices.find((notice) => notice.level === "warn") ??
    null
  );
}

export function Notices(props: { view: ViewState }): JSX.Element | null {
  const { view } = props;
  const notice = bannerNotice(view);
  const session = view.session.value;
  if (notice) {
    return (
      <Banner
        level={notice.level === "error" ? "error" : "warn"}
        title={notice.text}
        text={notice.next}
        actions={view.host.actionsFor?.(notice.code) ?? []}
        onClose={() => {
          const { value: dismissed } = view.dismissed;
          view.dismissed.value = new Set([...dismissed, notice.code]);
        }}
      />
    );
  }
  const state = session?.state.value;
  // Of a session that was cut off the home knows why.
  const why = view.host.emptyState.value;
  if (why && (state === "lost" || state === "stopped") && view.held.value > 0) {
    return (
      <Banner
        level={isAlarming(why) ? "error" : "info"}
        title={why.title}
        text={why.text}
        actions={why.actions ?? []}
      />
    );
  }
  if (!session || state !== "lost") return null;
  return (
    <Banner
      level="error"
      title="The connection was lost"
      text={`All until ${formatClock(session.now.value, 0)} is kept; trying again.`}
      actions={view.host.actionsFor?.("lost") ?? []}
    />
  );
}
