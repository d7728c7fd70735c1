// The banner: the gravest thing that the kernel has to say, until it is hidden.

import type { JSX } from "preact";
import { formatClock } from "../../base/format";
import type { Notice } from "../../model/types";
import { Banner } from "../panel/states";
import { isAlarming } from "./panel_state";
import type { ViewState } from "./view_state";

/** The notice that the banner shows; it need not stand in the status line too. */
export function useBannerNotice(view: ViewState): Notice | null {
  const notices = view.session.value?.notices.value ?? [];
  const grave =
    notices.find((notice) => notice.level === "error") ??
    notices.find((notice) => notice.level === "warn");
  if (!grave || view.dismissed.value === grave.code + grave.text) return null;
  return grave;
}

export function Notices(props: { view: ViewState }): JSX.Element | null {
  const { view } = props;
  const notice = useBannerNotice(view);
  const session = view.session.value;
  if (notice) {
    return (
      <Banner
        level={notice.level === "error" ? "error" : "warn"}
        title={notice.text}
        text={notice.next}
        actions={view.host.actionsFor?.(notice.code) ?? []}
        onClose={() => {
          view.dismissed.value = notice.code + notice.text;
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
