// The reports that this page holds. Before the page has too many rows, reports in hidden
// tabs are freed; they are opened again when their tab is shown.

import { LIMITS } from "../../schema";

export interface LoadedReport {
  readonly visible: boolean;
  /** Decoded rows of its recording. */
  readonly rows: number;
  /** Free its memory. */
  free(): void;
}

export class LoadedReports {
  /** Least recently shown first. */
  private readonly reports = new Set<LoadedReport>();

  /** `rowsOfPage` also counts the rows of live panels. */
  constructor(private readonly rowsOfPage: () => number) {}

  /** Note that a report was opened or shown again. */
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
      report.free();
    }
  }
}
