// Where words of the row of events go.

import { describe, expect, it } from "vitest";
import { TakenRow } from "../../js_src/views/task_stream/events_painter";

describe("the taken stretches of the row of events", () => {
  it("gives a free place as it is", () => {
    expect(new TakenRow().place(10, 100, 40)).toBe(10);
  });

  it("moves on behind whatever is in the way", () => {
    const row = new TakenRow();
    row.take(60, 80);
    row.take(5, 20);
    expect(row.place(10, 200, 30)).toBe(20);
    expect(row.place(10, 200, 50)).toBe(80);
  });

  it("says so when there is no room before the end", () => {
    const row = new TakenRow();
    row.take(40, 90);
    expect(row.place(10, 100, 40)).toBeNull();
    row.clear();
    expect(row.place(10, 100, 40)).toBe(10);
  });
});
