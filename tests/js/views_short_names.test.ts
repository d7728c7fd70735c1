// Names in columns of lists: cut in their middle, and measured once.

import { signal } from "@preact/signals";
import { describe, expect, it, vi } from "vitest";
import { shortNames } from "../../js_src/panel/worker_groups";

const PX_A_LETTER = 7;
const measureText = vi.fn((text: string) => ({
  width: text.length * PX_A_LETTER,
}));
vi.stubGlobal("document", {
  createElement: () => ({ getContext: () => ({ font: "", measureText }) }),
});

const theme = signal({ font: "sans-serif", size_px: 12 });
const printing = signal(false);
const view = { theme, printing } as unknown as Parameters<typeof shortNames>[0];

describe("a name in a list", () => {
  const names = Array.from(
    { length: 500 },
    (_, at) => `gpu-partition-${"node-".repeat(15)}worker-${at}`,
  );

  it("keeps its end, is whole on paper, and has the room of its letters", () => {
    const short = shortNames(view)(names[0]!);
    expect(short).toMatch(/^gpu-.+….+worker-0$/);
    printing.value = true;
    expect(shortNames(view)(names[0]!)).toBe(names[0]);
    printing.value = false;
    theme.value = { ...theme.value, size_px: 18 };
    expect(shortNames(view)(names[0]!).length).toBeGreaterThan(short.length);
    theme.value = { ...theme.value, size_px: 12 };
    expect(shortNames(view)(names[0]!)).toBe(short);
  });

  it("is not measured again with each drawing of hundreds of them", () => {
    const first = names.map(shortNames(view));
    measureText.mockClear();
    expect(names.map(shortNames(view))).toEqual(first);
    expect(measureText).not.toHaveBeenCalled();
  });
});
