// The JupyterLab plugin: commands, sidebar, restored panels. Only wiring.

import {
  type ILabShell,
  ILabShell as LabShellToken,
  ILayoutRestorer,
  IRouter,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin,
} from "@jupyterlab/application";
import { ICommandPalette, WidgetTracker } from "@jupyterlab/apputils";
import { INotebookTracker } from "@jupyterlab/notebook";
import { ISettingRegistry } from "@jupyterlab/settingregistry";
import { computed, effect, signal } from "@preact/signals";
import type { ReadonlyPartialJSONObject } from "@lumino/coreutils";
import type { PanelKind } from "../../panel/host";
import { panelKind, PANELS } from "../../panels";
import { TASK_STREAM } from "../../panels/task_stream";
import { thePage } from "../../session/page";
import { provideCode } from "../code";
import { makeWidget } from "../widget";
import { Binding } from "./binding";
import { Clusters } from "./clusters";
import { kindIcon } from "./icons";
import { Library } from "./library";
import { Notebooks } from "./notebooks";
import {
  addAside,
  besideLargest,
  besideNotebook,
  keepingCurrent,
} from "./dock";
import { type PanelArgs, PanelWidget } from "./panel_widget";
import { setUpReports } from "./reports";
import { showPictures } from "./saved_pictures";
import { followSettings } from "./settings";
import { Sidebar } from "./sidebar";

const OPEN = "daskscope:open";
const PALETTE_CATEGORY = "Daskscope";
/** Below the file browser and the running kernels, like other extensions. */
const SIDEBAR_RANK = 550;

const plugin: JupyterFrontEndPlugin<void> = {
  id: "daskscope:plugin",
  description: "Live panels of the Dask clients in your notebooks.",
  autoStart: true,
  requires: [INotebookTracker],
  optional: [
    LabShellToken,
    ILayoutRestorer,
    IRouter,
    ICommandPalette,
    ISettingRegistry,
  ],
  activate,
};

function argsOf(args: ReadonlyPartialJSONObject): {
  kind: PanelKind;
  id: string | null;
  notebook: string | null;
  chosen: boolean;
} {
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  const kind = panelKind(text(args["panel"]) ?? "") ?? PANELS[0];
  return {
    kind,
    id: text(args["id"]),
    notebook: text(args["notebook"]),
    chosen: args["chosen"] === true,
  };
}

function activate(
  app: JupyterFrontEnd,
  notebookTracker: INotebookTracker,
  labShell: ILabShell | null,
  restorer: ILayoutRestorer | null,
  router: IRouter | null,
  palette: ICommandPalette | null,
  registry: ISettingRegistry | null,
): void {
  const notebooks = new Notebooks(notebookTracker);
  // JupyterLab has loaded the styles with this module.
  const widget = () =>
    makeWidget(
      () => {},
      true,
      (panel, id) => notebooks.around(panel)?.goToCell(id) ?? null,
    );
  provideCode({ widget, page: thePage() });
  showPictures(notebookTracker);
  const settings = followSettings(registry, plugin.id);
  const tracker = new WidgetTracker<PanelWidget>({ namespace: "daskscope" });
  const openKinds = signal<ReadonlySet<string>>(new Set());

  const updateOpen = () => {
    const kinds = new Set<string>();
    tracker.forEach(({ kind, isDisposed }) => {
      if (!isDisposed) kinds.add(kind.id);
    });
    openKinds.value = kinds;
  };

  const create = (
    kind: PanelKind,
    notebook: string | null = null,
    chosen = false,
    id = `daskscope-${kind.id}-${crypto.getRandomValues(new Uint32Array(1))[0]}`,
    session: string | null = null,
  ): PanelWidget => {
    const binding = new Binding(notebooks, notebook, chosen, session);
    const { wheelZooms } = settings;
    const widget = new PanelWidget(
      ...([kind, binding, id, wheelZooms, showBeside] as const),
      ({ panel }) => app.shell.activateById(panel.id),
    );
    void tracker.add(widget).then(updateOpen);
    widget.disposed.connect(updateOpen);
    // Save the notebook's path, so that a reload finds it again.
    effect(() => {
      void binding.path.value;
      void binding.chosen.value;
      void tracker.save(widget);
    });
    return widget;
  };

  /** Place a panel in a tab after `behind`, or beside the largest panel or the notebook. */
  const place = (widget: PanelWidget, behind?: PanelWidget): void => {
    if (labShell) {
      const front = notebooks.front.peek()?.panel;
      const options = behind
        ? { mode: "tab-after" as const, ref: behind.id }
        : (besideLargest(tracker) ?? besideNotebook(front));
      labShell.add(widget, "main", options);
    } else {
      addAside(app.shell, widget);
    }
    app.shell.activateById(widget.id);
  };

  const showBeside = (panel: string, from: PanelWidget): void => {
    const kind = panelKind(panel);
    if (!kind) return;
    const { binding } = from;
    const session = binding.session.peek()?.id ?? null;
    const there = tracker.find(
      (widget) =>
        widget.kind === kind &&
        widget.isAttached &&
        widget.binding.session.peek() === binding.session.peek(),
    );
    const [path, chosen] = [binding.path.peek(), binding.chosen.peek()];
    if (there) app.shell.activateById(there.id);
    else place(create(kind, path, chosen, undefined, session), from);
  };

  app.commands.addCommand(OPEN, {
    label: (args) => {
      const { title } = argsOf(args).kind;
      return args["isPalette"] ? `Daskscope: ${title}` : title;
    },
    caption: (args) => `Open the panel: ${argsOf(args).kind.caption}`,
    icon: (args) => kindIcon(argsOf(args).kind),
    execute: (args) => {
      const { kind, id, notebook, chosen } = argsOf(args);
      const widget = create(kind, notebook, chosen, id ?? undefined);
      place(widget);
      return widget;
    },
  });
  for (const { id } of PANELS) {
    const args = { panel: id, isPalette: true };
    palette?.addItem({ command: OPEN, args, category: PALETTE_CATEGORY });
  }

  const openOrShow = (kind: PanelKind) => {
    const path = notebooks.front.peek()?.path.peek() ?? null;
    const attached = ({ kind: its, isAttached }: PanelWidget) =>
      its === kind && isAttached;
    const there = tracker.find(
      (widget) => attached(widget) && widget.binding.path.peek() === path,
    );
    const follower = tracker.find(
      (widget) => attached(widget) && !widget.binding.chosen.peek(),
    );
    if (there) {
      app.shell.activateById(there.id);
    } else if (follower) {
      follower.binding.followFront();
      app.shell.activateById(follower.id);
    } else {
      void app.commands.execute(OPEN, { panel: kind.id });
    }
  };
  const openClient = (path: string, session: string) => {
    const kind = TASK_STREAM; // the panel that shows what is running
    const there = tracker.find(
      (widget) =>
        widget.kind === kind &&
        widget.isAttached &&
        widget.binding.shows(session),
    );
    if (there) app.shell.activateById(there.id);
    else place(create(kind, path, true, undefined, session));
  };
  const library = new Library(notebooks);
  const reports = setUpReports(app, labShell, restorer, router, notebooks);
  const { detectClients } = settings;
  const sidebar = new Sidebar(
    {
      ...{ notebooks, library, reports, openKinds, detectClients },
      create,
      dropping: (dropped) => void keepingCurrent(labShell, () => dropped),
      open: (kind) => void keepingCurrent(labShell, () => openOrShow(kind)),
      openClient: (path, session) =>
        void keepingCurrent(labShell, () => openClient(path, session)),
    },
    new Clusters(
      notebooks,
      detectClients,
      computed(() => openKinds.value.size > 0),
    ),
  );
  app.shell.add(sidebar, "left", { rank: SIDEBAR_RANK });
  restorer?.add(sidebar, sidebar.id);
  void restorer?.restore(tracker, {
    command: OPEN,
    args: ({ args }) => ({ ...args }) satisfies PanelArgs,
    name: ({ id }) => id,
  });
}

export default plugin;
