// The right end of the toolbar: search, pause, fit, export, help; in a menu
// where there is no room.

import type { JSX } from "preact";
import { IconButton } from "../../panel/button";
import {
  ExportIcon,
  FitIcon,
  HelpIcon,
  MoreIcon,
  PauseIcon,
  PlayIcon,
  SearchIcon,
  TableIcon,
} from "../../panel/icons";
import { Menu, MenuItem } from "../../panel/menu";
import { SearchBox } from "../../panel/search_box";
import { ChooserMenu } from "../../panel/chooser";
import { exportAll, exportPicture, exportVisible } from "./export";
import { rowOfTask } from "../../derive/task_place";
import { goToRow } from "./go_to_task";
import { searchFact, searchSummary } from "./search_words";
import type { Stage } from "./stage";
import type { ViewState } from "./view_state";

interface ToolsProps {
  view: ViewState;
  stage: () => Stage | null;
}

/** Goes to the next match and pins it. */
function stepSearch(view: ViewState, by: number): void {
  const selection = view.selection.peek();
  const task = selection?.step(by);
  if (!selection || task === null || task === undefined) return;
  const row = rowOfTask(selection.store.model, task);
  if (row) {
    goToRow(view, row);
    return;
  }
  // What was pinned is another match than the one that is counted now.
  view.pinned.value = null;
  view.say("The rows of this task are not on this page");
}

function SearchField(props: { view: ViewState }): JSX.Element | null {
  const { view } = props;
  const selection = view.selection.value;
  if (!selection) return null;
  const search = selection.search.value;
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
      onText={(text) => selection.searchFor(text)}
      onStep={(by) => stepSearch(view, by)}
      onLeave={() => {
        view.searchOpen.value = false;
        view.focusPlot();
      }}
    />
  );
}

async function tell(
  view: ViewState,
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

function ExportItems(
  props: ToolsProps & {
    close: () => void;
    /** Says what the items do, in a menu that is not of exports alone. */
    verb?: boolean;
  },
): JSX.Element {
  const { view, close } = props;
  const verb = props.verb ? "Export " : "";
  const run = (save: (stage: Stage) => Promise<string>) => () => {
    const stage = props.stage();
    close();
    if (stage) void tell(view, () => save(stage));
  };
  return (
    <>
      <MenuItem
        detail="as it is on the screen"
        onClick={run((stage) => exportPicture(view, stage))}
      >
        {`${verb}PNG`}
      </MenuItem>
      <MenuItem
        detail="rows on the screen"
        onClick={run((stage) => exportVisible(view, stage))}
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

function PauseButton(props: { view: ViewState }): JSX.Element | null {
  const { view } = props;
  const paused = view.paused.value !== null;
  if (!paused && !view.growing.value) return null;
  return (
    <IconButton
      label={paused ? "Resume" : "Pause"}
      shortcut="Space"
      pressed={paused}
      onClick={() => view.togglePause()}
    >
      {paused ? <PlayIcon /> : <PauseIcon />}
    </IconButton>
  );
}

/** Wide enough for the search field beside "Go to now" and a chooser. */
function hasRoomForField(view: ViewState): boolean {
  const wide = view.breadth.value === "wide";
  return wide || view.environment.width.value >= 760;
}

function isSearching(view: ViewState): boolean {
  const text = view.selection.value?.search.value.text ?? "";
  return view.searchOpen.value || text !== "";
}

/** The field takes the place of what else is on the line, where that is short. */
export function searchCrowds(view: ViewState): boolean {
  return isSearching(view) && !hasRoomForField(view);
}

export function Tools(props: ToolsProps): JSX.Element {
  const { view } = props;
  const breadth = view.breadth.value;
  const roomy = breadth === "wide" || breadth === "medium";
  const has = view.session.value !== null && view.arrived.value;
  const field = hasRoomForField(view);
  const searching = isSearching(view);
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
          <IconButton
            label="Fit the whole run"
            shortcut="F"
            onClick={() => view.fit()}
          >
            <FitIcon />
          </IconButton>
          <IconButton
            label="Numbers as a table"
            shortcut="T"
            pressed={view.tableOpen.value}
            onClick={() => {
              view.tableOpen.value = !view.tableOpen.peek();
            }}
          >
            <TableIcon />
          </IconButton>
          <Menu label="Export" face={<ExportIcon />}>
            {(close) => <ExportItems {...props} close={close} />}
          </Menu>
        </>
      )}
      {roomy || !has ? (
        <IconButton
          label="Keys and gestures"
          shortcut="?"
          pressed={view.helpOpen.value}
          onClick={() => {
            view.helpOpen.value = !view.helpOpen.peek();
          }}
        >
          <HelpIcon />
        </IconButton>
      ) : (
        <Menu label="More" face={<MoreIcon />}>
          {(close) => <MoreItems {...props} close={close} />}
        </Menu>
      )}
    </>
  );
}

function MoreItems(props: ToolsProps & { close: () => void }): JSX.Element {
  const { view, close } = props;
  const run = (action: () => void) => () => {
    close();
    action();
  };
  return (
    <>
      <MenuItem detail="F" onClick={run(() => view.fit())}>
        Fit the whole run
      </MenuItem>
      <MenuItem
        detail="T"
        onClick={run(() => {
          view.tableOpen.value = true;
        })}
      >
        Numbers as a table
      </MenuItem>
      <ExportItems {...props} verb />
      <MenuItem
        detail="?"
        onClick={run(() => {
          view.helpOpen.value = true;
        })}
      >
        Keys and gestures
      </MenuItem>
    </>
  );
}
