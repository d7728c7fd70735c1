// Handles requests to open a report: an address of JupyterLab (its own `lab/tree/…` opens
// most reports as plain HTML), the card below a cell, and `--open`. The path in each
// request is checked.

import type { IRouter, JupyterFrontEnd } from "@jupyterlab/application";
import type { Contents, KernelMessage } from "@jupyterlab/services";
import { checkedPath, labAddress, QUERY } from "../report/lab_address";

export const OPEN_REPORT = "daskscope:open-report";
const ROUTE = "daskscope:open-report-of-address";
/** The drive of jupyter-collaboration, whose files are the server's own. */
const SHARED_DRIVE = "RTC";
/** At most 140 characters, the limit of a notification. */
const REFUSED =
  "Nothing was opened: no report in the server's root folder has this address. Look for it in the file browser.";

/**
 * The address at which JupyterLab opens a file, even if this page is Notebook 7's, which
 * needs JupyterLab on its server. Null for a file of another drive than the server's.
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

/** The report that an address asks for, and the address without it; null if there is none. */
export function requestInAddress({
  path,
  search,
  hash,
}: Pick<IRouter.ILocation, "path" | "search" | "hash">): {
  /** Null if the path is refused. */
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
  notify: (text: string) => void,
): void {
  app.commands.addCommand(ROUTE, {
    execute: () => {
      const request = requestInAddress(router.current);
      if (!request) return;
      // Otherwise a reload would open it again, over what was opened since.
      router.navigate(request.rest, { skipRouting: true });
      const { report: path, fragment } = request;
      void app.restored.then(() => {
        if (path === null) notify(REFUSED);
        else void app.commands.execute(OPEN_REPORT, { path, fragment });
      });
    },
  });
  router.register({
    command: ROUTE,
    pattern: new RegExp(`[?&]${QUERY}=`),
  });
}

/** The path that the card of a cell names; null if the click is not to open it here. */
export function pathInClick(event: MouseEvent): string | null {
  const { target, button, ctrlKey, metaKey, shiftKey, altKey } = event;
  // The browser opens these clicks in another tab or window.
  if (button !== 0 || ctrlKey || metaKey || shiftKey || altKey) return null;
  if (!(target instanceof Element)) return null;
  const link = target.closest<HTMLElement>(
    ".jp-OutputArea-output [data-daskscope-open]",
  );
  return checkedPath(link?.dataset["daskscopeOpen"] ?? "");
}

/**
 * The path that `--open` in a cell names. It is transient data, so a notebook that is
 * opened later does not have it.
 */
export function pathInMessage(
  message: KernelMessage.IIOPubMessage,
): string | null {
  if (message.header.msg_type !== "display_data") return null;
  const { transient } = message.content as {
    transient?: { daskscope?: { open?: unknown } | null };
  };
  const path = transient?.daskscope?.open;
  return typeof path === "string" ? checkedPath(path) : null;
}
