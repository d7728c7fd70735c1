import { describe, expect, it, vi } from "vitest";
import { MAX_KEY_CHARACTERS } from "../../js_src/schema";
import { KeyStore } from "../../js_src/session/keys";
import { keysBuffer } from "./samples";

const nothing = {
  fetch: () => Promise.reject(new Error("the kernel is busy")),
  have: (): [number, number][] => [],
  total: () => 0,
};

/** A kernel that answers when it is told to. */
function silent() {
  let answer = (): void => {};
  const answers = new Promise<void>((done) => {
    answer = done;
  });
  return { answers, answer: () => answer() };
}

function filled(): KeyStore {
  const store = new KeyStore(nothing);
  store.add(4, 2, keysBuffer(["Sum-4", "sum-5"]));
  store.add(0, 3, keysBuffer(["inc-0", "('x', 1)", "<b>inc</b>\n🦋"]));
  return store;
}

describe("the keys of a session", () => {
  it("are opened when asked for, then at hand", async () => {
    const store = filled();
    expect(await store.text(2)).toBe("<b>inc</b>\n🦋");
    expect(store.text(1)).toBe("('x', 1)");
    expect(await store.text(4)).toBe("Sum-4");
  });

  it("are null where nobody has them", async () => {
    expect(await filled().text(3)).toBeNull();
    expect(await filled().text(99)).toBeNull();
  });

  describe("of many tasks", () => {
    /** A kernel that has `k0`, `k1` …, and stops answering after some questions. */
    function kernel(answers: number) {
      const asked: [number, number][] = [];
      const store: KeyStore = new KeyStore({
        ...nothing,
        fetch: async (first, tasks) => {
          asked.push([first, tasks]);
          if (asked.length > answers) throw new Error("the kernel is busy");
          const keys = Array.from({ length: tasks }, (_, i) => `k${first + i}`);
          store.add(first, tasks, keysBuffer(keys));
        },
      });
      return { store, asked };
    }
    const even = Array.from({ length: 20_000 }, (_, at) => 2 * at);

    it("are asked for by range, not one by one", async () => {
      const { store, asked } = kernel(Infinity);
      store.add(0, 3, keysBuffer(["k0", "k1", "k2"]));
      const keys = await store.texts(even);
      expect(keys.size).toBe(20_000);
      expect(keys.get(39_998)).toBe("k39998");
      expect(asked).toEqual([
        [4, 16_379],
        [16_384, 16_383],
        [32_768, 7_231],
      ]);
    });

    it("are those that are here once the kernel has stopped answering", async () => {
      const { store, asked } = kernel(1);
      store.add(39_998, 1, keysBuffer(["k39998"]));
      const keys = await store.texts(even);
      expect(asked).toHaveLength(2);
      expect(keys.size).toBe(8192 + 1);
      expect(keys.get(39_998)).toBe("k39998");
    });
  });

  it("are cut as agents cut them, however long one is, and found as far as they are shown", async () => {
    const store = new KeyStore(nothing);
    const long = `${"é🐍".repeat(MAX_KEY_CHARACTERS / 2)}needle${"x".repeat(3_000_000)}`;
    const whole = `${"🐍".repeat(MAX_KEY_CHARACTERS)}…`; // as an agent has cut it
    store.add(0, 4, keysBuffer(["needle-0", long, whole, "needle-3"]));
    expect(await store.text(1)).toBe(
      `${"é🐍".repeat(MAX_KEY_CHARACTERS / 2)}…`,
    );
    expect(await store.text(2)).toBe(whole);
    expect(await store.text(3)).toBe("needle-3");
    expect([...(await store.search("needle")).tasks]).toEqual([0, 3]);
    expect([...(await store.search("É🐍")).tasks]).toEqual([1]);
  });

  it.each([0, 1, 2])(
    "are cut where number %d of them is long",
    async (long) => {
      const store = new KeyStore(nothing);
      const keys = ["a", "b", "c"];
      keys[long] = keys[long]!.repeat(MAX_KEY_CHARACTERS + 2);
      store.add(0, 3, keysBuffer(keys));
      keys[long] = `${keys[long].slice(0, MAX_KEY_CHARACTERS)}…`;
      const found = await store.texts([0, 1, 2]);
      expect([...found.values()]).toEqual(keys);
    },
  );

  it("are stored once when a block comes twice", () => {
    const store = filled();
    const bytes = store.byteLength;
    store.add(0, 3, keysBuffer(["inc-0", "x", "y"]));
    expect(store.byteLength).toBe(bytes);
  });

  it("are found where blocks overlap, in whatever order they came", async () => {
    const store = new KeyStore(nothing);
    store.add(5, 2, keysBuffer(["k5", "k6"]));
    store.add(2, 4, keysBuffer(["k2", "k3", "k4", "k5"]));
    store.add(0, 8, keysBuffer([0, 1, 2, 3, 4, 5, 6, 7].map((i) => `k${i}`)));
    store.add(7, 3, keysBuffer(["k7", "k8", "k9"]));
    for (let task = 0; task < 10; task++) {
      expect(await store.text(task)).toBe(`k${task}`);
    }
    const { tasks, searched } = await store.search("k");
    expect([...tasks]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(searched).toBe(10);
  });

  it("take only so many bytes, and are asked for again", async () => {
    const block = (i: number) => keysBuffer([`key-${i}`]);
    const limit = 5 * block(0).byteLength;
    const asked: number[] = [];
    const store: KeyStore = new KeyStore(
      {
        ...nothing,
        fetch: async (first, tasks) => {
          asked.push(first);
          for (let i = first; i < first + tasks; i++) store.add(i, 1, block(i));
        },
        have: () => [[0, 9]],
        total: () => 9,
      },
      limit,
    );
    for (let i = 0; i < 5; i++) store.add(i, 1, block(i));
    expect(await store.text(0)).toBe("key-0"); // used, so it stays longest
    for (let i = 5; i < 9; i++) store.add(i, 1, block(i));
    expect(store.byteLength).toBeLessThanOrEqual(limit);
    expect(await store.text(0)).toBe("key-0");
    expect(asked).toEqual([]);
    expect(await store.text(2)).toBe("key-2");
    expect(asked).toEqual([2]);
    const { tasks, searched } = await store.search("key");
    expect([...tasks]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(searched).toBe(9);
    expect(store.byteLength).toBeLessThanOrEqual(limit);
  });

  it("are asked for once when they have not come yet", async () => {
    let asked = 0;
    const store: KeyStore = new KeyStore({
      ...nothing,
      fetch: async (first) => {
        asked += 1;
        await Promise.resolve();
        store.add(first, 1, keysBuffer(["late"]));
      },
    });
    const answers = await Promise.all([store.text(8), store.text(8)]);
    expect(answers).toEqual(["late", "late"]);
    expect(asked).toBe(1);
  });

  it("may be 10,000 characters long", async () => {
    const store = new KeyStore(nothing);
    const key = "k".repeat(10_000);
    store.add(0, 1, keysBuffer([key]));
    expect(await store.text(0)).toBe(key);
  });

  it.each([
    { what: "many short ones", tasks: 200_000, length: 6 },
    { what: "few long ones", tasks: 2_000, length: 5_000 },
  ])(
    "are at hand within a bound of bytes: $what",
    async ({ tasks, length }) => {
      const store = new KeyStore(nothing);
      const key = (i: number) => String(i).padStart(length, "k");
      const block = keysBuffer(Array.from({ length: tasks }, (_, i) => key(i)));
      for (let i = 0; i < 8; i++) store.add(i * tasks, tasks, block);
      for (let i = 0; i < 8; i++) await store.text(i * tasks);
      const texts = Array.from({ length: 8 }, (_, i) => store.text(i * tasks));
      const here = texts.map((text) => !(text instanceof Promise));
      expect(here.slice(-2), "those looked at last").toEqual([true, true]);
      const kept = here.filter(Boolean).length;
      expect(2 * kept * tasks * length).toBeLessThanOrEqual(64_000_000);
      expect(kept).toBeLessThan(8);
      for (const text of texts) expect(await text).toBe(key(0));
    },
  );
});

describe("searching keys", () => {
  it("finds parts of keys in any case and says how far it looked", async () => {
    vi.spyOn(performance, "now").mockReturnValue(0);
    const progress: number[] = [];
    const result = await filled().search("SUM", ({ searched }) =>
      progress.push(searched),
    );
    expect([...result.tasks]).toEqual([4, 5]);
    expect(result).toMatchObject({ searched: 5, of: 5 });
    expect(progress).toEqual([2]);
  });

  it("passes the many small blocks of a live run without telling of each", async () => {
    const store = new KeyStore(nothing);
    for (let i = 0; i < 500; i++) store.add(i, 1, keysBuffer([`key-${i}`]));
    const told: number[] = [];
    const began_ms = performance.now();
    const { tasks } = await store.search("key", ({ searched }) =>
      told.push(searched),
    );
    const most = 2 + (performance.now() - began_ms) / 100;
    expect(tasks).toHaveLength(500);
    expect(told.length).toBeLessThanOrEqual(most);
  });

  it("fails on a broken block instead of leaving it out in silence", async () => {
    const store = new KeyStore(nothing);
    store.add(0, 1, new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]));
    await expect(store.search("key")).rejects.toThrow();
    await expect(store.text(0)).rejects.toThrow();
  });

  it("finds a key once, however often it matches, and never across keys", async () => {
    const store = new KeyStore(nothing);
    store.add(7, 4, keysBuffer(["aa-aa", "b", "", "xaa"]));
    expect([...(await store.search("aa")).tasks]).toEqual([7, 10]);
    expect([...(await store.search("b\0")).tasks]).toEqual([]);
  });

  it("stops where it is told to and says so", async () => {
    const store = filled();
    const stop = new AbortController();
    const search = store.search("inc", () => stop.abort(), stop.signal);
    expect(await search).toMatchObject({ searched: 2 });
  });

  it("asks for what it needs, also while a part of it is asked for", async () => {
    const asked: [number, number][] = [];
    const kernel = silent();
    const store: KeyStore = new KeyStore({
      fetch: async (first, tasks) => {
        asked.push([first, tasks]);
        await kernel.answers;
        const keys = Array.from({ length: tasks }, (_, i) => `k${first + i}`);
        store.add(first, tasks, keysBuffer(keys));
      },
      have: () => [[0, 100]],
      total: () => 100,
    });
    const one = store.text(0);
    const search = store.search("k");
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    kernel.answer();
    const { tasks } = await search;
    expect(tasks).toHaveLength(100);
    expect(await one).toBe("k0");
    expect(asked).toEqual([
      [0, 1],
      [0, 100],
    ]);
  });

  it("has what it asks for shared by who needs a part of it", async () => {
    const asked: [number, number][] = [];
    const kernel = silent();
    const store: KeyStore = new KeyStore({
      fetch: async (first, tasks) => {
        asked.push([first, tasks]);
        await kernel.answers;
        const keys = Array.from({ length: tasks }, (_, i) => `k${first + i}`);
        store.add(first, tasks, keysBuffer(keys));
      },
      have: () => [[0, 100]],
      total: () => 100,
    });
    const search = store.search("k");
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    const one = store.text(7);
    kernel.answer();
    expect(await one).toBe("k7");
    await search;
    expect(asked).toEqual([[0, 100]]);
  });

  it("tells what it found here before a busy kernel answers", async () => {
    const store = new KeyStore({
      fetch: () => new Promise(() => {}),
      have: () => [[0, 10]],
      total: () => 10,
    });
    store.add(4, 2, keysBuffer(["a", "b"]));
    const told = new Promise((resolve) => {
      void store.search("a", ({ tasks, searched, of }) => {
        if (tasks) resolve({ tasks: [...tasks], searched, of });
      });
    });
    expect(await told).toEqual({ tasks: [4], searched: 2, of: 10 });
  });

  it("asks for missing keys, and answers without them when it must", async () => {
    const asked: [number, number][] = [];
    const store = new KeyStore({
      fetch: async (first, tasks) => {
        asked.push([first, tasks]);
        throw new Error("the kernel is busy");
      },
      have: () => [[0, 10]],
      total: () => 10,
    });
    store.add(4, 2, keysBuffer(["a", "b"]));
    expect(await store.search("a")).toMatchObject({ searched: 2, of: 10 });
    expect(asked).toEqual([[6, 4]]);
  });
});
