// An address of JupyterLab that opens a report: its own `lab/tree/…` opens a file by its
// name, which says of few reports that they are one.

import type { IRouter, JupyterFrontEnd } from "@jupyterlab/application";
import type { Contents } from "@jupyterlab/services";
import { checkedPath, labAddress, QUERY } from "../report/lab_address";

export const OPEN_REPORT = "daskscope:open-report";
const ROUTE = "daskscope:open-report-of-address";
/** That of jupyter-collaboration, whose files are the server's own. */
const SHARED_DRIVE = "RTC";
const MAX_TOLD_CHARACTERS = 24;

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
  readonly wanted: string;
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
    wanted,
    report: checkedPath(wanted),
    fragment: hash,
    rest: others ? `${path}?${others}` : path,
  };
}

/** `tell` shows a text, of no more than the 140 characters that a notification has. */
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
        if (path === null) tell(refused(asked.wanted));
        else void app.commands.execute(OPEN_REPORT, { path, fragment });
      });
    },
  });
  router.register({
    command: ROUTE,
    pattern: new RegExp(`[?&]${QUERY}=`),
  });
}

function refused(wanted: string): string {
  const characters = [...wanted];
  const end = characters.slice(1 - MAX_TOLD_CHARACTERS).join("");
  const told = characters.length > MAX_TOLD_CHARACTERS ? `…${end}` : wanted;
  return `Nothing was opened: “${told}” is no report below the server's root. Find it in the file browser, or copy its link again.`;
}
