// Requests to open a report: an address of JupyterLab (its own `lab/tree/…` opens most
// reports as plain HTML), the card below a cell, and `--open`. Each names a path, which is
// checked.

import type { IRouter, JupyterFrontEnd } from "@jupyterlab/application";
import type { Contents, KernelMessage } from "@jupyterlab/services";
import { checkedPath, labAddress, QUERY } from "../report/lab_address";

export const OPEN_REPORT = "daskscope:open-report";
const ROUTE = "daskscope:open-report-of-address";
/** That of jupyter-collaboration, whose files are the server's own. */
const SHARED_DRIVE = "RTC";
/** A notification has no more than 140 characters. */
const REFUSED =
  "Nothing was opened: no report in the server's root folder has this address. Look for it in the file browser.";

/**
 * A page of JupyterLab's also where this one is Notebook 7's, which needs JupyterLab on its
 * server. Null for a file of another drive than the server's.
 */
export function addressOf(
  contents: Pick<Contents.IManager, "driveName" | "localPath">,
  baseUrl: string,
  path: string,
): string | null {
  const drive = contents.driveName(path);
  if (drive !== "" && drive !== SHARED_DRIVE) return null;
  return labAddress(baseUrl, contents.localPath(path));
}

/** What such an address asks for, and the address without it; null where it asks nothing. */
export function askedByAddress({
  path,
  search,
  hash,
}: Pick<IRouter.ILocation, "path" | "search" | "hash">): {
  /** Null where that is refused. */
  readonly report: string | null;
  readonly fragment: string;
  readonly rest: string;
} | null {
  const query = new URLSearchParams(search);
  const wanted = query.get(QUERY);
  if (wanted === null) return null;
  query.delete(QUERY);
  const others = query.toString();
  return {
    report: checkedPath(wanted),
    fragment: hash,
    rest: others ? `${path}?${others}` : path,
  };
}

export function openByAddress(
  app: Pick<JupyterFrontEnd, "commands" | "restored">,
  router: Pick<IRouter, "current" | "navigate" | "register">,
  tell: (text: string) => void,
): void {
  app.commands.addCommand(ROUTE, {
    execute: () => {
      const asked = askedByAddress(router.current);
      if (!asked) return;
      // Or a reload would open it again, over what was opened since.
      router.navigate(asked.rest, { skipRouting: true });
      const { report: path, fragment } = asked;
      void app.restored.then(() => {
        if (path === null) tell(REFUSED);
        else void app.commands.execute(OPEN_REPORT, { path, fragment });
      });
    },
  });
  router.register({
    command: ROUTE,
    pattern: new RegExp(`[?&]${QUERY}=`),
  });
}

/** The path that the card of a cell names, where a click is to open it here; else null. */
export function askedByClick(event: MouseEvent): string | null {
  const { target, button, ctrlKey, metaKey, shiftKey, altKey } = event;
  // Then the browser is to open it, elsewhere.
  if (button !== 0 || ctrlKey || metaKey || shiftKey || altKey) return null;
  if (!(target instanceof Element)) return null;
  const link = target.closest<HTMLElement>(
    ".jp-OutputArea-output [data-daskscope-open]",
  );
  return checkedPath(link?.dataset["daskscopeOpen"] ?? "");
}

/**
 * The path that `--open` in a cell names: it is in what a kernel sends while the cell runs,
 * and in no notebook that is opened later.
 */
export function askedByMessage(
  message: KernelMessage.IIOPubMessage,
): string | null {
  if (message.header.msg_type !== "display_data") return null;
  const { transient } = message.content as {
    transient?: { daskscope?: { open?: unknown } | null };
  };
  const path = transient?.daskscope?.open;
  return typeof path === "string" ? checkedPath(path) : null;
}
