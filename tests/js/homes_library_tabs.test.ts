// @vitest-environment happy-dom
// One tab for each report of the library, through whichever kernel listed it last.

import type { ILabShell, JupyterFrontEnd } from "@jupyterlab/application";
import { BoxPanel, Widget } from "@lumino/widgets";
import { afterEach, describe, expect, it, vi } from "vitest";
import { notConnected } from "../../js_src/errors";
import type { LibrarySource } from "../../js_src/homes/lab/library";
import { libraryList } from "../../js_src/homes/lab/library_entries";
import { LibraryTabs } from "../../js_src/homes/lab/library_tabs";
import { base85 } from "./base85";

// JupyterLab's own components are no modules that run outside of a bundle.
vi.mock("../../js_src/homes/lab/icons", () => {
  const icon = { bindprops: () => undefined };
  return { recordingIcon: icon, reportIcon: icon };
});
vi.mock("@jupyterlab/apputils", () => ({
  MainAreaWidget: class extends BoxPanel {
    readonly toolbar = new Widget();
    constructor(readonly options: { content: Widget }) {
      super();
      this.addWidget(options.content);
    }
    get content(): Widget {
      return this.options.content;
    }
  },
}));

const FILE = "no report, in pieces";
const PIECE = 6;

/** A kernel that hands over a file that is no report, or has ended. */
function shelfOf(kind: "open" | "ended") {
  const ask = vi.fn((_: null, what: string, { at }: { at: number }) => {
    expect(what).toBe("report");
    if (kind === "ended") return Promise.reject(notConnected());
    const text = base85(Buffer.from(FILE.slice(at, at + PIECE)));
    return Promise.resolve({ text, size: FILE.length });
  });
  const released = vi.fn();
  const kernel = { use: () => released };
  return {
    source: { kernel, link: { ask } } as unknown as LibrarySource,
    ask,
    released,
  };
}

const shown: Widget[] = [];

function tabsOf(): LibraryTabs {
  const labShell = {
    add: (widget: Widget) => {
      shown.push(widget);
      Widget.attach(widget, document.body);
    },
  };
  const app = { shell: { activateById: () => {} } };
  return new LibraryTabs(
    app as unknown as JupyterFrontEnd,
    labShell as unknown as ILabShell,
  );
}

afterEach(() => {
  for (const widget of shown.splice(0)) widget.dispose();
});

const entry = { filename: "a.html", url: "file:///a.html", path: null };
const listed = { reports: [{ ...entry, created: "" }], total: 1 };
const [report] = libraryList(listed, "list").reports;

describe("the tab of a report of the library", () => {
  it("is fetched again, in pieces, when another kernel has listed it", async () => {
    const tabs = tabsOf();
    const [ended, open] = [shelfOf("ended"), shelfOf("open")];
    tabs.show(report!, ended.source);
    await vi.waitFor(() =>
      expect(document.body.textContent).toContain("not connected"),
    );
    expect(ended.released).toHaveBeenCalledOnce();
    tabs.show(report!, open.source);
    await vi.waitFor(() =>
      expect(document.body.textContent).toContain("not a zip file"),
    );
    expect(open.ask).toHaveBeenCalledTimes(Math.ceil(FILE.length / PIECE));
    expect(open.released).toHaveBeenCalledOnce();
    expect(shown).toHaveLength(1);
  });
});
