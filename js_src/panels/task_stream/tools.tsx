// The right end of the toolbar: search, pause, fit, export, help; in a menu
// where there is no room.

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
  // What was pinned is another match than the one that is counted now.
  view.pinned.value = null;
  view.say("The rows of this task are not on this page");
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

async function tell(
  view: PanelState,
  save: () => Promise<string>,
): Promise<void> {
  view.hint.value = "Saving …";
  // Many rows take a while: first that is drawn.
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  try {
    view.say(await save());
  } catch (error) {
    view.say(
      `Could not save: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function ExportItems(props: {
  view: PanelState;
  close: () => void;
  /** Says what the items do, in a menu that is not of exports alone. */
  verb?: boolean;
}): JSX.Element {
  const { view, close } = props;
  const verb = props.verb ? "Export " : "";
  const run = (save: (plot: TaskPlot) => Promise<string>) => () => {
    const plot = view.plot.peek();
    close();
    if (plot) void tell(view, () => save(plot));
  };
  return (
    <>
      <MenuItem
        detail="as it is on the screen"
        onClick={run((plot) => exportPicture(view, plot))}
      >
        {`${verb}PNG`}
      </MenuItem>
      <MenuItem
        detail="rows on the screen"
        onClick={run((plot) => exportVisible(view, plot))}
      >
        {`${verb}CSV`}
      </MenuItem>
      <MenuItem
        detail="all that have arrived here"
        onClick={run(() => exportAll(view))}
      >
        {`${verb}CSV of all rows`}
      </MenuItem>
    </>
  );
}

/** Wide enough for the search field beside "Go to now" and a chooser. */
function hasRoomForField(view: PanelState): boolean {
  const wide = view.breadth.value === "wide";
  return wide || view.environment.width.value >= 760;
}

function isSearching(view: PanelState): boolean {
  const text = view.search.value.text;
  return view.searchOpen.value || text !== "";
}

/** The field takes the place of what else is on the line, where that is short. */
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
  const actions = [
    {
      ...{ label: "Fit the whole run", key: "F", icon: <FitIcon /> },
      pressed: undefined,
      run: () => view.timeline.window.fit(),
    },
    {
      ...{ label: "Numbers as a table", key: "T", icon: <TableIcon /> },
      pressed: view.tableOpen.value,
      run: () => {
        view.tableOpen.value = !view.tableOpen.peek();
      },
    },
  ];
  return (
    <>
      {!(has && searchCrowds(view)) && <ChooserMenu view={view} />}
      {has && (field || searching) && <SearchField view={view} />}
      {has && !field && !searching && (
        <IconButton
          label="Search key or prefix"
          shortcut="/"
          onClick={() => view.openSearch()}
        >
          <SearchIcon />
        </IconButton>
      )}
      {has && <PauseButton view={view} />}
      {has && roomy && (
        <>
          {actions.map(({ label, key, icon, pressed, run }) => (
            <IconButton
              label={label}
              shortcut={key}
              pressed={pressed}
              onClick={run}
            >
              {icon}
            </IconButton>
          ))}
          <Menu label="Export" face={<ExportIcon />}>
            {(close) => <ExportItems {...props} close={close} />}
          </Menu>
        </>
      )}
      {roomy || !has ? (
        <HelpButton view={view} />
      ) : (
        <Menu label="More" face={<MoreIcon />}>
          {(close) => {
            const item = (detail: string, run: () => void, words: string) => (
              <MenuItem
                detail={detail}
                onClick={() => {
                  close();
                  run();
                }}
              >
                {words}
              </MenuItem>
            );
            const help = () => (view.helpOpen.value = true);
            return (
              <>
                {actions.map(({ label, key, run }) => item(key, run, label))}
                <ExportItems {...props} close={close} verb />
                {item("?", help, "Keys and gestures")}
              </>
            );
          }}
        </Menu>
      )}
    </>
  );
}
