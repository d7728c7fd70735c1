// The Dask clients of the open notebooks, as the sidebar lists them.

import type { JSX } from "preact";
import { plural } from "../../base/format";
import { Mark } from "../../panel/toolbar";
import type { SessionEntry } from "../../link/wire";
import { activity, distinctNames } from "./choices";
import type { KernelState } from "./kernel_link";
import type { Notebook, Notebooks } from "./notebooks";

function withoutClient(state: KernelState): string | null {
  switch (state.kind) {
    case "busy":
      return "busy until the cell ends";
    case "loading":
      return "loading daskscope";
    case "missing":
      return "daskscope is not installed in its environment";
    case "failed":
      return state.problem.text;
    case "open":
      return state.recorder ? "no Dask client yet" : "the recorder is off";
    default:
      return null; // kernels without a connection are not listed
  }
}

/** One row per kernel: several notebooks may share it, and each may have several views. */
export function kernelRows(open: readonly Notebook[]) {
  const kernels = new Map<string, Notebook[]>();
  for (const notebook of open) {
    // The id is not a signal, but changes only with the state, which is read below.
    const key = notebook.kernel.id ?? notebook.path.value;
    kernels.set(key, [...(kernels.get(key) ?? []), notebook]);
  }
  return [...kernels].flatMap(([key, notebooks]) => {
    const names = notebooks.map(({ name }) => name);
    const entered =
      notebooks.find(({ kernel }) => kernel.sessions.value.length > 0) ??
      notebooks[0];
    const sessions = entered.kernel.sessions.value;
    const notes = notebooks.map(({ kernel }) =>
      withoutClient(kernel.state.value),
    );
    const note = notes.find((text) => text !== null) ?? null;
    if (sessions.length === 0 && note === null) return [];
    return {
      key,
      /** Path of a notebook that has these sessions. */
      path: entered.path.value,
      notebooks: [...new Set(names)].join(", "),
      sessions,
      /** Why there is no client; null if there is one. */
      note: sessions.length > 0 ? null : note,
    };
  });
}

function Client(props: {
  session: SessionEntry;
  name: string;
  notebooks: string;
  open: () => void;
}): JSX.Element {
  const { address, state, workers, threads } = props.session;
  return (
    <li class="ds-client">
      <button
        type="button"
        class="ds-client-open"
        title="Show its tasks in a panel"
        onClick={props.open}
      >
        <span class="ds-client-head">
          <Mark {...props.session} />
          <span class="ds-client-name">{props.name}</span>
          <span class={state === "lost" ? "ds-error" : "ds-quiet"}>
            {state === "no-client" ? "no client" : state}
          </span>
        </span>
        <span class="ds-client-fact" title={address}>
          {props.notebooks}, {address}
        </span>
        <span class="ds-client-fact">
          {plural(workers, "worker")} · {plural(threads, "thread")}
          {activity(props.session)}
        </span>
      </button>
    </li>
  );
}

export function ClusterList(props: {
  notebooks: Pick<Notebooks, "open">;
  /** False if no kernel is asked for its clients. */
  detects: boolean;
  /** Show a client in the kernel of the notebook at this path. */
  openClient(path: string, session: string): void;
}): JSX.Element {
  const rows = kernelRows(props.notebooks.open.value);
  const entries = rows.flatMap(({ key, path, notebooks, sessions, note }) => {
    const names = distinctNames(sessions);
    if (note === null) {
      return sessions.map((session) => (
        <Client
          key={`${key} ${session.id}`}
          session={session}
          name={names.get(session.id)!}
          notebooks={notebooks}
          open={() => props.openClient(path, session.id)}
        />
      ));
    }
    return [
      <li key={key} class="ds-client">
        <div class="ds-client-note">
          {notebooks}: {note}
        </div>
      </li>,
    ];
  });
  if (entries.length > 0) return <ul class="ds-clients">{entries}</ul>;
  if (!props.detects) {
    return (
      <p class="ds-side-note">
        Detecting clients is off in the settings. Open a panel to connect to the
        active notebook.
      </p>
    );
  }
  return (
    <p class="ds-side-note">
      No Dask client in the open notebooks. Run <code>Client()</code> in one,
      and it appears here.
    </p>
  );
}
