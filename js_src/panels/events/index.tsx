// The tab of what went wrong and what happened beside the tasks.

import type { JSX } from "preact";
import type { RecordingView } from "../../panel/recording_view";
import { WithTable } from "../../panel/table_wait";
import { ErrorsSection } from "./errors";
import { Timeline } from "./timeline";

export function Events(props: {
  view: RecordingView;
  /** How many tasks erred, as far as anybody counted. */
  erred: number;
  /** The end of the recording is missing, and with it its small tables. */
  cut: boolean;
}): JSX.Element {
  const { view, cut } = props;
  return (
    <div class="ds-events">
      <WithTable view={view} name="errors" noun="the errors">
        {(table) => (
          <ErrorsSection
            view={view}
            table={table}
            total={props.erred}
            cut={cut}
          />
        )}
      </WithTable>
      <WithTable view={view} name="events" noun="the events">
        {(events) => (
          <WithTable view={view} name="workers" noun="changes of workers">
            {(workers) => (
              <WithTable view={view} name="gaps" noun="gaps">
                {(gaps) => (
                  <Timeline
                    view={view}
                    tables={{ events, workers, gaps }}
                    cut={cut}
                  />
                )}
              </WithTable>
            )}
          </WithTable>
        )}
      </WithTable>
    </div>
  );
}
