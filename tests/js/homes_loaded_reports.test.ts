import { describe, expect, it } from "vitest";
import {
  type LoadedReport,
  LoadedReports,
} from "../../js_src/homes/lab/loaded_reports";
import { LIMITS } from "../../js_src/schema";

class Tab implements LoadedReport {
  visible = false;
  gone = false;

  constructor(readonly rows: number) {}

  free(): void {
    this.gone = true;
  }
}

describe("reports in tabs that nobody looks at", () => {
  const gone = (tabs: Tab[]) => tabs.map((tab) => tab.gone);

  it("give way by what the page holds, shown longest ago first, and only as many as must", () => {
    const live = LIMITS.page_rows / 2;
    const tabs = [1, 2, 3].map(() => new Tab(LIMITS.page_rows / 4));
    const reports = new LoadedReports(() =>
      tabs.reduce((sum, tab) => sum + (tab.gone ? 0 : tab.rows), live),
    );
    for (const tab of tabs) reports.touch(tab);
    expect(gone(tabs)).toEqual([true, false, false]);
  });

  it("are those alone: what can be seen stays", () => {
    const reports = new LoadedReports(() => 2 * LIMITS.page_rows);
    const [seen, hidden] = [new Tab(1), new Tab(1)];
    seen.visible = true;
    reports.touch(seen);
    reports.touch(hidden);
    expect([seen.gone, hidden.gone]).toEqual([false, true]);
  });
});
