// The right end of the toolbar: search, pause, fit, export, help. Without room, they
// are in a menu.

import type { JSX } from "preact";
import { HelpButton, PauseButton } from "../../panel/panel";
import { IconButton } from "../../panel/button";
import {
  ExportIcon,
  FitIcon,
  MoreIcon,
  SearchIcon,
  TableIcon,
} from "../../panel/icons";
import { Menu, MenuItem } from "../../panel/menu";
import { SearchBox } from "../../panel/filter_tools";
import { ChooserMenu } from "../../panel/toolbar";
import { exportAll, exportPicture, exportVisible } from "./export";
import { rowOfTask } from "../../model/query";
import { goToRow } from "./go_to_task";
import { searchFact, searchSummary } from "../../panel/selection";
import type { TaskPlot } from "./plot";
import type { PanelState } from "./panel_state";

function stepSearch(view: PanelState, by: number): void {
  const task = view.step(by);
  const model = view.session.peek()?.model;
  if (!model || task === null) return;
  const row = rowOfTask(model, task);
  if (row) {
    goToRow(view, row);
    return;
  }
  // Unpin the previous match, which is no longer the current one.
  view.pinned.value = null;
  view.showHint("This task is not on this page");
}

function SearchField(props: { view: PanelState }): JSX.Element {
  const { view } = props;
  const search = view.search.value;
  return (
    <SearchBox
      placeholder="Search key or prefix"
      text={search.text}
      found={searchSummary(search)}
      title={searchFact(search, view.host.live)?.text ?? ""}
      asked={view.searchAsked.value}
      onFocus={() => {
        view.searchAsked.value = false;
      }}
      onText={(text) => view.searchFor(text)}
      onStep={(by) => stepSearch(view, by)}
      onLeave={() => {
        view.searchOpen.value = false;
        view.focusPlot();
      }}
    />
  );
}

async function saveWithHint(
  view: PanelState,
  save: () => Promise<string>,
): Promise<void> {
  view.hint.value = "Saving …";
  // Let the browser draw the message first, since saving many rows takes a while.
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  try {
    view.showHint(await save());
  } catch (error) {
    view.showHint(
      `Could not save: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

interface Tool {
  readonly name: string;
  readonly detail: string;
  readonly run: () => void;
}

function Items(props: {
  tools: readonly Tool[];
  close: () => void;
}): JSX.Element {
  return (
    <>
      {props.tools.map(({ name, detail, run }) => (
        <MenuItem
          detail={detail}
          onClick={() => {
            props.close();
            run();
          }}
        >
          {name}
        </MenuItem>
      ))}
    </>
  );
}

function exportsOf(view: PanelState): Tool[] {
  const save = (from: (plot: TaskPlot) => Promise<string>) => () => {
    const plot = view.plot.peek();
    if (plot) void saveWithHint(view, () => from(plot));
  };
  return [
    {
      ...{ name: "PNG", detail: "as it is on the screen" },
      run: save((plot) => exportPicture(view, plot)),
    },
    {
      ...{ name: "CSV", detail: "rows on the screen" },
      run: save((plot) => exportVisible(view, plot)),
    },
    {
      ...{ name: "CSV of all rows", detail: "all rows on this page" },
      run: save(() => exportAll(view)),
    },
  ];
}

/** Whether the search field fits beside "Go to now" and a chooser. */
function hasRoomForField(view: PanelState): boolean {
  const wide = view.breadth.value === "wide";
  return wide || view.environment.width.value >= 760;
}

function isSearching(view: PanelState): boolean {
  const text = view.search.value.text;
  return view.searchOpen.value || text !== "";
}

/** Whether the search field replaces the rest of a short toolbar. */
export function searchCrowds(view: PanelState): boolean {
  return isSearching(view) && !hasRoomForField(view);
}

export function Tools(props: { view: PanelState }): JSX.Element {
  const { view } = props;
  const breadth = view.breadth.value;
  const roomy = breadth === "wide" || breadth === "medium";
  const has = view.session.value !== null && view.arrived.value;
  const field = hasRoomForField(view);
  const searching = isSearching(view);
  const fit: Tool = {
    ...{ name: "Fit the whole run", detail: "F" },
    run: () => view.timeline.window.fit(),
  };
  const table: Tool = {
    ...{ name: "Numbers as a table", detail: "T" },
    run: () => (view.tableOpen.value = !view.tableOpen.peek()),
  };
  const help: Tool = {
    ...{ name: "Keys and gestures", detail: "?" },
    run: () => (view.helpOpen.value = true),
  };
  const button = (
    { name, detail, run }: Tool,
    icon: JSX.Element,
    pressed?: boolean,
  ) => (
    <IconButton label={name} shortcut={detail} pressed={pressed} onClick={run}>
      {icon}
    </IconButton>
  );
  const exports = exportsOf(view);
  const search: Tool = {
    ...{ name: "Search key or prefix", detail: "/" },
    run: () => view.openSearch(),
  };
  return (
    <>
      {!(has && searchCrowds(view)) && <ChooserMenu view={view} />}
      {has && (field || searching) && <SearchField view={view} />}
      {has && !field && !searching && button(search, <SearchIcon />)}
      {has && <PauseButton view={view} />}
      {has && roomy && (
        <>
          {button(fit, <FitIcon />)}
          {button(table, <TableIcon />, view.tableOpen.value)}
          <Menu label="Export" face={<ExportIcon />}>
            {(close) => <Items tools={exports} close={close} />}
          </Menu>
        </>
      )}
      {roomy || !has ? (
        <HelpButton view={view} />
      ) : (
        <Menu label="More" face={<MoreIcon />}>
          {(close) => {
            const saves = exports.map((one) => ({
              ...one,
              name: `Export ${one.name}`,
            }));
            const all = [fit, table, ...saves, help];
            return <Items tools={all} close={close} />;
          }}
        </Menu>
      )}
    </>
  );
}
