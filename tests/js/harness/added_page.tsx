// A page whose panel and tables only this test declares: live in a widget, and in a report.

import { signal } from "@preact/signals";
import { openReportFile } from "../../../js_src/homes/report/report_file";
import { mountReport } from "../../../js_src/homes/report/mount";
import { makeWidget } from "../../../js_src/homes/widget";
import { type PanelKind, panelIcon } from "../../../js_src/panel/host";
import { makePanel } from "../../../js_src/panel/panel";
import type { PanelView } from "../../../js_src/panel/panel_view";
import { PANELS } from "../../../js_src/panels";
import { type TableName, TABLES } from "../../../js_src/schema";
import { SharedSession } from "../../../js_src/session/session";
import { thePage } from "../../../js_src/session/page";
import { FakeModel } from "../fake_model";

interface Said {
  message: Record<string, unknown>;
  buffers: string[];
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

/** Lists who said what in which mood, and the beats. */
function Chatter(props: { view: PanelView }) {
  const { view } = props;
  const rowsOf = (name: string) => {
    const { rows, columns } = view.table(name as TableName);
    const cells = columns as unknown as Record<string, ArrayLike<unknown>>;
    return { rows: [...Array(rows).keys()], cells };
  };
  const chatter = rowsOf("chatter");
  const pulse = rowsOf("pulse");
  const moods = view.session.value!.names("moods");
  return (
    <ul>
      {chatter.rows.map((row) => (
        <li>
          {[
            chatter.cells["who"]![row],
            moods[chatter.cells["mood"]![row] as number],
          ].join(": ")}
        </li>
      ))}
      {pulse.rows.map((row) => (
        <li>{[pulse.cells["beats"]![row], "beats"].join(" ")}</li>
      ))}
    </ul>
  );
}

const CHATTER = makePanel(
  {
    id: "chatter",
    title: "Chatter",
    caption: "who says what",
    icon: panelIcon(""),
    group: "Cluster",
    tables: ["chatter", "pulse"],
  },
  { Body: Chatter, facts: () => [], gestures: [] },
);

/** The two things that a new panel adds to the page. */
function declare(tables: Record<string, unknown>): void {
  Object.assign(TABLES, tables);
  (PANELS as unknown as PanelKind[]).push(CHATTER);
}

/** Shows the panel in a widget, and hands it what a kernel says once it is asked. */
async function live(welcome: Said, said: readonly Said[]): Promise<void> {
  const model = new FakeModel({ _kind: "chatter", session: "session-1" });
  const { initialize, render } = makeWidget(() => {});
  initialize({ model } as never);
  const el = document.createElement("div");
  el.style.height = "400px";
  document.body.replaceChildren(el);
  render({ model, el } as never);
  const hear = ({ message, buffers }: Said): void => {
    const mine = { ...message, page: thePage().id };
    model.emit("msg:custom", mine, buffers.map(bytesOf));
  };
  hear(welcome);
  while (!model.sent.some(({ type }) => type === "watch")) {
    await new Promise((frame) => requestAnimationFrame(frame));
  }
  said.forEach(hear);
}

async function report(base64: string): Promise<void> {
  const el = document.createElement("div");
  document.body.replaceChildren(el);
  const source = await openReportFile(
    new Blob([bytesOf(base64)]),
    "declared.daskscope",
    {
      storeOf: (link) =>
        new SharedSession(link, "file", signal(true), () => {}),
      link: () => null,
    },
  );
  mountReport(el, source);
}

Object.assign(window, { added: { declare, live, report } });
document.body.dataset["ready"] = "true";
