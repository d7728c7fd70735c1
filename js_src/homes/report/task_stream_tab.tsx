// The task stream as a tab: the same panel as in JupyterLab, with a host of its own.

import { computed } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { PanelHost } from "../../panel/host";
import { mountTaskStream } from "../../panels/task_stream";
import type { ReportState } from "./report_state";
import { cannotSave, maySave } from "./sandbox";

export function TaskStreamTab(props: {
  state: ReportState;
  /** Says what the page may not do. */
  onRefused: (text: string) => void;
}): JSX.Element {
  const { state, onRefused } = props;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!place.current) return;
    const host: PanelHost = {
      inline: false,
      live: false,
      emptyState: state.emptyState,
      capturesWheel: true,
      visible: computed(() => state.tab.value === "task-stream"),
      ...(maySave()
        ? {}
        : {
            save: () => {
              onRefused(cannotSave(state.source.name));
              return false;
            },
          }),
    };
    return mountTaskStream(place.current, { session: state.session, host });
  }, [state]);
  return <div ref={place} class="ds-report-stream" />;
}
