// The Errors and events panel: errors, logged events, changes of workers, and gaps.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { plural } from "../../base/format";
import { panelIcon } from "../../panel/host";
import { makePanel } from "../../panel/panel";
import type { PanelView } from "../../panel/panel_view";
import {
  countFact,
  droppedFact,
  erredFacts,
  isCut,
} from "../../panel/status_line";
import { WithTable } from "../../panel/states";
import { workerNames } from "../../panel/worker_groups";
import { ErrorsSection, focusOn } from "../../panel/errors";
import { EventList } from "./table";
import { eventList } from "./event_list";
import { Lanes } from "./lanes";

const ENTRIES = ["errors", "events", "workers", "gaps"] as const;

export const EVENTS = makePanel(
  {
    id: "events",
    title: "Errors and events",
    caption: "what failed, what was logged",
    icon: panelIcon(
      '<path d="M8 1.2l7.2 13.1H.8zM8 4.1L3 13h10zM7.3 6.6h1.4v3.6H7.3zM7.3 11h1.4v1.3H7.3z"/>',
    ),
    group: "Cluster",
    tables: [...ENTRIES, "cells", "computations"],
  },
  {
    Body: Events,
    facts: (view) => {
      const tables = ENTRIES.map((name) => view.table(name));
      const sum = (of: "rows" | "dropped"): number =>
        tables.reduce((all, table) => all + table[of], 0);
      const errors = view.table("errors").rows;
      return [
        countFact(sum("rows"), "entry", "entries"),
        ...erredFacts(errors, plural(errors, "error")),
        droppedFact(view.notices.value, sum("dropped")),
      ];
    },
    filters: true,
    charts: true,
    gestures: [
      "Click an error for its traceback, and from there to its place in the task stream.",
    ],
  },
);

function Events(props: { view: PanelView }): JSX.Element {
  const { view } = props;
  const cut = isCut(view.notices.value);
  const errors = view.table("errors");
  const nameOf = workerNames(view);
  const [events, workers, gaps] = [
    view.table("events"),
    view.table("workers"),
    view.table("gaps"),
  ];
  const all = useMemo(
    () => eventList({ events, workers, gaps }, nameOf),
    [events, workers, gaps, nameOf],
  );
  const ready = [errors, events, workers, gaps].every(
    ({ state }) => state === "ready",
  );
  return (
    <>
      {ready && errors.rows + all.length > 0 && (
        <Lanes view={view} errors={errors} happened={all} />
      )}
      <WithTable view={view} name="errors" noun="errors">
        {(table) => (
          <ErrorsSection
            view={view}
            table={table}
            cut={cut}
            taskAction={(row) => {
              const { show } = view;
              if (!show || !Number.isFinite(table.columns.time[row]))
                return null;
              return () =>
                void focusOn(view, table, row).then((focus) =>
                  show("task-stream", focus),
                );
            }}
          />
        )}
      </WithTable>
      <WithTable view={view} name="events" noun="events">
        {() => (
          <WithTable view={view} name="workers" noun="changes of workers">
            {() => (
              <WithTable view={view} name="gaps" noun="gaps">
                {() => <EventList view={view} all={all} cut={cut} />}
              </WithTable>
            )}
          </WithTable>
        )}
      </WithTable>
    </>
  );
}
