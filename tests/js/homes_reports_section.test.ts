// @vitest-environment happy-dom
// The sidebar's list of reports, of whichever notebook is in front.

import { signal } from "@preact/signals";
import { h, render } from "preact";
import { afterEach, describe, expect, it, vi } from "vitest";
import { DaskscopeError } from "../../js_src/errors";
import { Library } from "../../js_src/homes/lab/library";
import type { Notebook, Notebooks } from "../../js_src/homes/lab/notebooks";
import { ReportsSection } from "../../js_src/homes/lab/reports_section";

const entry = (filename: string) => ({
  ...{ filename, url: `file:///library/${filename}`, path: null },
  ...{ created: "2026-11-18T14:02:31+00:00", title: filename },
  ...{ duration: 12.5, tasks: 700, erred: 1 },
});

/** A notebook whose kernel lists these, when it comes to it. */
function notebookWith(...filenames: string[]) {
  let answer = (): void => {};
  const ready = new Promise<void>((resolve) => (answer = resolve));
  const ask = async (_: null, what: string): Promise<unknown> => {
    if (what === "delete-report") {
      const [text, next] = ["The disk is full.", "Make room."];
      throw new DaskscopeError({ code: "library", text, next });
    }
    await ready;
    const reports = filenames.map(entry);
    return { reports, total: reports.length };
  };
  const state = signal({ kind: "open", link: { ask } });
  const kernel = { state, use: () => () => {} };
  return { notebook: { kernel } as unknown as Notebook, answer };
}

let library: Library;
afterEach(() => {
  render(null, document.body);
  library.dispose();
});

const listed = (): (string | null)[] =>
  [...document.querySelectorAll(".ds-side-report-title")].map(
    ({ textContent }) => textContent,
  );
const search = (): HTMLInputElement =>
  document.querySelector<HTMLInputElement>(".ds-search input")!;

describe("what was searched in the library, and what went wrong there", () => {
  it("stays when another notebook comes to the front", async () => {
    const one = notebookWith("taxi.html", "flights.html");
    const other = notebookWith("taxi-2.html", "trains.html");
    const front = signal(one.notebook);
    library = new Library({
      ...{ front, onRan: () => () => {} },
    } as unknown as Notebooks);
    const props = {
      ...{ library, open: () => {}, linkOf: () => "" },
      confirmDelete: () => Promise.resolve(true),
    };
    render(h(ReportsSection, props), document.body);
    library.setVisible(true);
    library.setOpen(true);
    one.answer();
    await vi.waitFor(() => expect(listed()).toHaveLength(2));
    const facts = document.querySelector(".ds-client-fact")!.textContent;
    expect(facts).toMatch(/ · 12\.5\u00a0s · 700\u00a0tasks · 1\u00a0error$/);
    search().value = "taxi";
    search().dispatchEvent(new Event("input", { bubbles: true }));
    await vi.waitFor(() => expect(listed()).toEqual(["taxi.html"]));
    document
      .querySelector<HTMLElement>("[aria-label='Delete: taxi.html']")!
      .click();
    const alert = () => document.querySelector("[role=alert]")?.textContent;
    await vi.waitFor(() => expect(alert()).toContain("The disk is full."));

    front.value = other.notebook;
    await vi.waitFor(() =>
      expect(document.body.textContent).toContain("Reading the library"),
    );
    other.answer();
    await vi.waitFor(() => expect(listed()).toEqual(["taxi-2.html"]));
    expect(search().value).toBe("taxi");
    expect(alert()).toContain("The disk is full.");
  });
});
