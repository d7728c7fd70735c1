// An address of JupyterLab that opens a report: its own `lab/tree/…` opens a file by its
// name, which says of few reports that they are one.

import type { IRouter, JupyterFrontEnd } from "@jupyterlab/application";
import { checkedPath } from "./asked_report";

export const OPEN_REPORT = "daskscope:open-report";
const ROUTE = "daskscope:open-report-of-address";
/** As Python writes it, too (magics/card.py). */
const QUERY = "daskscope-report";

/** `https://host/lab?daskscope-report=runs/a.html`; a fragment may follow. */
export function addressOf(baseUrl: string, path: string): string {
  const parts = path.split("/").map(encodeURIComponent);
  return `${baseUrl}lab?${QUERY}=${parts.join("/")}`;
}

/** What such an address asks for, and the address without it; null where it asks nothing. */
export function askedByAddress({
  path,
  search,
  hash,
}: Pick<IRouter.ILocation, "path" | "search" | "hash">): {
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

export function openByAddress(app: JupyterFrontEnd, router: IRouter): void {
  app.commands.addCommand(ROUTE, {
    execute: () => {
      const asked = askedByAddress(router.current);
      if (!asked) return;
      // Or a reload would open it again, over what was opened since.
      router.navigate(asked.rest, { skipRouting: true });
      const { report: path, fragment } = asked;
      if (path === null) return;
      void app.restored.then(() =>
        app.commands.execute(OPEN_REPORT, { path, fragment }),
      );
    },
  });
  router.register({
    command: ROUTE,
    pattern: new RegExp(`[?&]${QUERY}=`),
  });
}
