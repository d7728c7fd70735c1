// What must be gone when a test has closed what it opened: in the page nothing of
// ours may listen, repeat or draw, and in the kernel no comm, page or thread of
// ours may be left.

import { expect } from "@jupyterlab/galata";
import type { BrowserContext, Page } from "@playwright/test";
import { noteWhatRemains, type Remaining } from "../tests/js/harness/remaining";

/** The labextension's bundle, and a widget's module. */
const OURS = "daskscope/static|blob:";
/** How the page's one store hears that the page is hidden, or goes: as long as that is there. */
const OF_THE_PAGE = [
  "listener document visibilitychange",
  "listener window pagehide",
];

/** Note what of ours listens, repeats or waits, from the page's first script on. */
export async function watchRepeating(context: BrowserContext): Promise<void> {
  await context.addInitScript(noteWhatRemains, OURS);
  await context.addInitScript(findCopies);
}

/** Close panels, notebooks and the sidebar, without questions. */
async function closeAll(page: Page): Promise<void> {
  await page.evaluate(() => {
    const shell = window.jupyterapp.shell as unknown as {
      widgets(area: string): Iterable<{ id: string; dispose(): void }>;
      collapseLeft(): void;
    };
    for (const widget of [...shell.widgets("main")]) widget.dispose();
    shell.collapseLeft();
  });
}

/** The parts of a page's store that tell who still uses it. */
export interface Store {
  links: Map<string, { channels: { port: { kind: string } }[] }>;
  stores: Map<string, { idle: boolean; subscriptions: { size: number } }>;
}

/** One copy of our code, with the store that is its own. */
export interface Copy {
  copies: number;
  code: Promise<{ page: Store }>;
}

/** Lets tests find, as `daskscopeCopies`, the copies of our code: one for each build. */
export function findCopies(): void {
  const found = globalThis as unknown as Record<symbol, Copy>;
  Object.assign(globalThis, {
    daskscopeCopies: (): Copy[] =>
      Object.getOwnPropertySymbols(found)
        .filter(({ description }) => description?.startsWith("daskscope.code."))
        .map((key) => found[key]!)
        .filter(({ copies }) => copies > 0),
  });
}

declare global {
  function daskscopeCopies(): Copy[];
}

function leftInPage(page: Page): Promise<string[]> {
  return page.evaluate(async (ofThePage) => {
    const pending = (window as Remaining).daskscopePending;
    const left = [...(pending?.values() ?? [])];
    for (const once of ofThePage) {
      const at = left.findIndex((one) => one.startsWith(once));
      if (at >= 0) left.splice(at, 1);
    }
    for (const { code } of daskscopeCopies()) {
      const { links, stores } = (await code).page;
      for (const { channels } of links.values()) {
        left.push(...channels.map(({ port }) => `channel: ${port.kind}`));
      }
      for (const [id, { idle }] of stores) {
        if (!idle) left.push(`watched: ${id}`);
      }
    }
    return left;
  }, OF_THE_PAGE);
}

/** Close widgets and sessions, as a person can; then say what is still there. */
const LEFT_IN_KERNEL = `
def _left():
    import sys, threading
    if "daskscope" not in sys.modules:
        return []
    import comm, daskscope, ipywidgets
    from daskscope import kernel
    ipywidgets.Widget.close_all()
    for session in daskscope.sessions():
        session.close()
    comms = comm.get_comm_manager().comms.values()
    left = [f"comm: {one.target_name}" for one in comms if one.target_name == "daskscope"]
    hub = kernel._hub
    if hub is not None:
        left += [f"page: {page}" for page in hub._pages]
        left += ["channel" for _ in hub._channels]
    left += [one.name for one in threading.enumerate() if one.name.startswith("daskscope")]
    return left
`;

/** Of all kernels that run; a kernel that is busy is waited for. */
function leftInKernels(page: Page): Promise<string[]> {
  return page.evaluate(async (code) => {
    const { kernels } = window.jupyterapp.serviceManager;
    await kernels.refreshRunning();
    const left: string[] = [];
    for (const model of [...kernels.running()]) {
      const kernel = kernels.connectTo({ model, handleComms: false });
      const reply = await kernel.requestExecute({
        code,
        silent: true,
        user_expressions: { left: "'\\n'.join(_left())" },
      }).done;
      kernel.dispose();
      const { content } = reply as unknown as {
        content: {
          user_expressions?: Record<string, { data?: Record<string, string> }>;
        };
      };
      const text = content.user_expressions?.["left"]?.data?.["text/plain"];
      // Python's repr: '' when nothing is left.
      if (text !== "''") left.push(text ?? JSON.stringify(content));
    }
    return left;
  }, LEFT_IN_KERNEL);
}

/** Close everything and wait until nothing of ours is left. */
export async function expectNothingLeft(page: Page): Promise<void> {
  const nothing = { timeout: 15_000 };
  const closed = async (): Promise<string[]> => {
    await closeAll(page); // each time: JupyterLab may restore a notebook late
    return leftInPage(page);
  };
  await expect.poll(closed, { ...nothing, message: "in the page" }).toEqual([]);
  await expect
    .poll(() => leftInKernels(page), { ...nothing, message: "in the kernel" })
    .toEqual([]);
}
