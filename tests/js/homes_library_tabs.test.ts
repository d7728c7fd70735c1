// @vitest-environment happy-dom
// One tab for each report of the library, through whichever kernel hands it over.

import type { ILabShell, JupyterFrontEnd } from "@jupyterlab/application";
import { signal } from "@preact/signals";
import { BoxPanel, Widget } from "@lumino/widgets";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { KernelState } from "../../js_src/homes/lab/kernel_link";
import { LibraryTabs } from "../../js_src/homes/lab/library_tabs";
import type { KernelLink } from "../../js_src/stream";

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

/** How often a kernel was asked, and held, for a file that is no report. */
function kernelStub(kind: "busy" | "open") {
  const asked = vi.fn(() =>
    Promise.resolve({ base64: btoa("no report"), size: 9 }),
  );
  const link = { ask: asked } as unknown as KernelLink;
  const open: KernelState = { kind: "open", link, recorder: true };
  const state = signal<KernelState>(kind === "open" ? open : { kind });
  const released = vi.fn();
  const use = vi.fn(() => released);
  return { state, use, asked, released };
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

const report = { filename: "a.html", title: "A", place: null };

describe("the tab of a report of the library", () => {
  it("that waits for a busy kernel is fetched through another one that is asked for it", async () => {
    const tabs = tabsOf();
    const [busy, idle] = [kernelStub("busy"), kernelStub("open")];
    tabs.show({ ...report, kernel: busy });
    await vi.waitFor(() => expect(busy.use).toHaveBeenCalledOnce());
    expect(document.body.textContent).toContain("Opening a.html");
    tabs.show({ ...report, kernel: busy });
    expect(busy.released, "it is waited for once").not.toHaveBeenCalled();
    tabs.show({ ...report, kernel: idle });
    await vi.waitFor(() =>
      expect(document.body.textContent).toContain("a.html cannot be opened"),
    );
    expect(idle.asked).toHaveBeenCalledOnce();
    expect(busy.released).toHaveBeenCalledOnce();
    expect([busy.asked.mock.calls.length, shown.length]).toEqual([0, 1]);
  });
});
