// The row of tabs. The Tab key reaches only the open one; arrows, Home and End move to
// the others, as usual.

import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { formatExact } from "../../base/format";
import type { PanelKind } from "../../panel/host";

/** Ids of elements, different for each report, since a page may show several. */
export const tabElement = (tab: string, report: string): string =>
  `ds-tab-${tab}${report}`;
export const panelElement = (tab: string, report: string): string =>
  `ds-tabpanel-${tab}${report}`;

export function Tabs(props: {
  panels: readonly PanelKind[];
  tab: string;
  errors: number;
  report: string;
  onTab: (tab: string) => void;
}): JSX.Element {
  const { panels, tab, errors, report, onTab } = props;
  const row = useRef<HTMLDivElement>(null);
  const byKey = useRef(false);
  // A layout effect, so that the focus moves before the next key is handled.
  useLayoutEffect(() => {
    const chosen = row.current?.querySelector<HTMLElement>(
      "[aria-selected=true]",
    );
    chosen?.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (byKey.current) chosen?.focus();
    byKey.current = false;
  }, [tab]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const at = panels.findIndex(({ id }) => id === tab);
    const to =
      event.key === "ArrowRight"
        ? at + 1
        : event.key === "ArrowLeft"
          ? at - 1
          : event.key === "Home"
            ? 0
            : event.key === "End"
              ? panels.length - 1
              : null;
    if (to === null || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    byKey.current = true;
    onTab(panels[(to + panels.length) % panels.length].id);
  };

  return (
    <div
      ref={row}
      class="ds-tabs"
      role="tablist"
      aria-label="Parts of the report"
      onKeyDown={onKeyDown}
    >
      {panels.map(({ id, title }) => (
        <button
          type="button"
          class="ds-tab"
          role="tab"
          id={tabElement(id, report)}
          aria-selected={id === tab}
          aria-controls={panelElement(id, report)}
          tabIndex={id === tab ? 0 : -1}
          onClick={() => onTab(id)}
        >
          {title}
          {id === "events" && errors > 0 && (
            <span class="ds-tab-count">
              {formatExact(errors)}
              <span class="ds-unseen">
                {errors === 1 ? " error" : " errors"}
              </span>
            </span>
          )}
        </button>
      ))}
    </div>
  );
}
