// The reports that this page holds, in tabs that can be seen and others: those that
// nobody looks at give way before all of them add up. A tab that gave its report back
// opens it again when it is shown.

import { LIMITS } from "../../schema";

/** Of files that only hidden tabs hold: what one report may have. */
const MAX_HIDDEN_BYTES = 400_000_000;

export interface LoadedReport {
  readonly visible: boolean;
  /** Of its file. */
  readonly bytes: number;
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
    const hidden = [...this.reports].filter(({ visible }) => !visible);
    let bytes = hidden.reduce((sum, report) => sum + report.bytes, 0);
    let rows = this.rowsOfPage();
    for (const report of hidden) {
      if (bytes <= MAX_HIDDEN_BYTES && rows <= LIMITS.page_rows) return;
      bytes -= report.bytes;
      rows -= report.rows;
      this.reports.delete(report);
      report.letGo();
    }
  }
}
