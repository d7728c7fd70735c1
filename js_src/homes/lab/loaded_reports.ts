// The reports that this page holds. Those in hidden tabs are given up before the page has too
// many rows, and are opened again when their tab is shown.

import { LIMITS } from "../../schema";

export interface LoadedReport {
  readonly visible: boolean;
  /** Of its recording, as far as it was decoded. */
  readonly rows: number;
  /** Give everything back. */
  letGo(): void;
}

export class LoadedReports {
  /** Those that were shown longest ago first. */
  private readonly reports = new Set<LoadedReport>();

  /** `rowsOfPage` counts those of live panels, too. */
  constructor(private readonly rowsOfPage: () => number) {}

  /** It was opened, or is looked at again. */
  touch(report: LoadedReport): void {
    this.reports.delete(report);
    this.reports.add(report);
    this.makeRoom();
  }

  remove(report: LoadedReport): void {
    this.reports.delete(report);
  }

  makeRoom(): void {
    let rows = this.rowsOfPage();
    for (const report of [...this.reports]) {
      if (rows <= LIMITS.page_rows) return;
      if (report.visible) continue;
      rows -= report.rows;
      this.reports.delete(report);
      report.letGo();
    }
  }
}
