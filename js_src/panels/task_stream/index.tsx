// The task stream as a PanelKind.

import { mountPanel } from "../../panel/mount";
import { panelIcon, type PanelKind } from "../../panel/kind";
import { pressKey } from "./keyboard";
import { TaskStreamPanel, TITLE, type PanelParts } from "./panel";
import { ViewState } from "./view_state";

export const TASK_STREAM: PanelKind = {
  id: "task-stream",
  title: TITLE,
  caption: "every task on every thread",
  icon: panelIcon(
    '<path d="M1 2h6v3H1zM8 2h4v3H8zM3 6.5h4v3H3zM8 6.5h7v3H8zM1 11h3v3H1zM5 11h7v3H5z"/>',
  ),
  group: "Tasks",
  tables: ["tasks", "errors", "workers", "gaps"],
  mount: (element, props) =>
    mountPanel(element, props, TASK_STREAM, (root, environment) => {
      const view = new ViewState(environment, props.host);
      const parts: PanelParts = { handle: null };
      view.focusPlot = () =>
        (parts.handle?.hit ?? root).focus({ preventScroll: true });
      return {
        content: <TaskStreamPanel view={view} root={root} parts={parts} />,
        use: (store) => view.use(store),
        press: (key, shift) =>
          pressKey(key, shift, view, {
            pointerTime: () => parts.handle?.plot.pointerTime ?? null,
            scrollLanes: (pages) => {
              const stage = parts.handle?.stage;
              if (!stage) return false;
              const page = stage.map.height / stage.plot.size.pixelRatio;
              stage.scrollLanes(pages * page * 0.9);
              return true;
            },
          }),
        focusHome: () => view.focusPlot(),
        dispose: () => view.dispose(),
      };
    }),
};
