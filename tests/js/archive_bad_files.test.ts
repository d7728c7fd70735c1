// Files that nobody vouches for: each opens or is refused with a sentence, soon.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { statusOf, storedTotals } from "../../js_src/archive/messages";
import { FileNames } from "../../js_src/archive/names";
import { BadFileError } from "../../js_src/archive/problems";
import { StoredRecording } from "../../js_src/archive/recording";
import { openRecording } from "../../js_src/archive/stored_link";
import { decodeTable } from "../../js_src/archive/tables";
import { sumUp } from "../../js_src/archive/totals";
import { DaskscopeError } from "../../js_src/errors";
import { NO_FOCUS } from "../../js_src/model/types";
import { TABLES } from "../../js_src/schema";
import {
  bytesOfBuffer,
  type Content,
  contentsOf,
  goldenFile,
  randomNumbers,
  zipOf,
} from "./archive_files";
import { arrowStream } from "./arrow_stream";

const encode = (text: string) => new TextEncoder().encode(text);

let contents: Content[];
beforeAll(async () => {
  contents = await contentsOf(goldenFile());
});

/** The golden file with one member changed. */
function changed(name: string, change: (content: Content) => Content[]) {
  expect(contents.map((content) => content.name)).toContain(name);
  return zipOf(
    contents.flatMap((one) => (one.name === name ? change(one) : [one])),
  );
}

/** Read all that is in a file, each part whatever the others are. */
async function readAll(file: ArrayBuffer): Promise<unknown[]> {
  const errors: unknown[] = [];
  const attempt = async (read: () => unknown) => {
    try {
      await read();
    } catch (error) {
      errors.push(error);
    }
  };
  await attempt(async () => {
    const recording = await StoredRecording.open(bytesOfBuffer(file));
    await attempt(() => statusOf(recording, null, 0, []));
    await attempt(() => storedTotals(recording));
    await attempt(() => recording.coarse());
    await attempt(async () => {
      const sums = await sumUp(recording, NO_FOCUS, async () => true);
      await statusOf(recording, sums, 0, []);
    });
    for (const [table, { kind }] of Object.entries(TABLES)) {
      if (kind === "tasks") continue;
      await attempt(() => recording.table(table));
    }
    for (const part of recording.parts) {
      await attempt(() => recording.rowsOf(part));
      await attempt(() => recording.keysOf(part));
    }
    for (const task of [0, 8, 2 ** 31]) {
      await attempt(() => recording.partFrom(task));
    }
  });
  return errors;
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** What is in use. */
function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const isTold = (error: unknown) =>
  error instanceof BadFileError || error instanceof DaskscopeError;

async function problemOf(file: ArrayBuffer) {
  try {
    await openRecording(new Blob([file]), "run.daskscope");
  } catch (error) {
    if (error instanceof DaskscopeError) return error;
    throw error;
  }
  throw new Error("it opens");
}

/** Files with wrong bytes that each test tries. */
const ROUNDS = process.env["TEST_ALL"] ? 200 : 50;

describe("what is no recording", () => {
  it.each([
    ["nothing", new Uint8Array(0)],
    ["text", encode("PK, said the file")],
    ["a picture", Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10)],
  ])("is refused: %s", async (_, bytes) => {
    const { code, text } = await problemOf(bytes.slice().buffer);
    expect(code).toBe("bad-file");
    expect(text).toMatch(/^run\.daskscope .*: it is not a/);
  });

  it("is refused where it is another zip", async () => {
    const other = zipOf([
      { name: "[Content_Types].xml", data: encode("<a/>") },
    ]);
    expect((await problemOf(other)).code).toBe("bad-file");
  });

  it("is told from a recording of a newer daskscope", async () => {
    const newer = zipOf([
      { name: "daskscope.json", data: encode('{"format": 4, "facts": {}}') },
    ]);
    const { code, text } = await problemOf(newer);
    expect(code).toBe("newer-file");
    expect(text.match(/\d+/g)).toEqual(["4", "3"]);
  });

  it("is told from a recording of an older daskscope", async () => {
    const older = zipOf([
      { name: "daskscope.json", data: encode('{"format": 1, "facts": {}}') },
    ]);
    expect((await problemOf(older)).code).toBe("older-file");
  });

  it.each(["[]", "{", '{"format": "1"}', '{"format": 0}', "[".repeat(100_000)])(
    "is refused where it says of itself: %.20s",
    async (json) => {
      const file = zipOf([{ name: "daskscope.json", data: encode(json) }]);
      expect((await problemOf(file)).code).toBe("bad-file");
    },
  );
});

describe("a browser that cannot unpack what files hold", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("is told so, and not that the file is damaged", async () => {
    vi.stubGlobal("DecompressionStream", function (packing: string) {
      throw new TypeError(`Unsupported compression format: ${packing}`);
    });
    expect((await problemOf(goldenFile())).code).toBe("old-browser");
  });
});

describe("a file that was cut off", () => {
  it("opens with what is whole, wherever it was cut", async () => {
    const file = goldenFile();
    const whole = await StoredRecording.open(bytesOfBuffer(file));
    const lengths = new Set<number>();
    for (let length = 0; length < file.byteLength; length += 61) {
      const cut = file.slice(0, length);
      let parts = -1;
      try {
        const recording = await StoredRecording.open(bytesOfBuffer(cut));
        parts = recording.parts.length;
        if (length < file.byteLength / 2) expect(recording.whole).toBe(false);
      } catch (error) {
        expect(error).toBeInstanceOf(BadFileError);
      }
      lengths.add(parts);
    }
    expect([...lengths]).toEqual([-1, 0, 1, 2]);
    expect(whole.parts).toHaveLength(2);
  });

  it("has no summary, which would be of what is not in it", async () => {
    const facts = { title: "A run", summary: { title: "All of it" } };
    const file = changed("daskscope.json", ({ name }) => [
      { name, data: encode(JSON.stringify({ format: 3, facts })) },
    ]);
    const cut = file.slice(0, file.byteLength / 2);
    const { about, whole } = await StoredRecording.open(bytesOfBuffer(cut));
    expect(whole).toBe(false);
    expect(about["title"]).toBe("A run");
    expect(about["summary"]).toBeUndefined();
  });
});

describe("a damaged file", () => {
  it("is found out in the member that is damaged", async () => {
    const file = new Uint8Array(goldenFile());
    const { parts } = await StoredRecording.open(bytesOfBuffer(file.buffer));
    const { at, size } = parts[1]!.rows;
    file[at + (size >> 1)]! ^= 1;
    const recording = await StoredRecording.open(bytesOfBuffer(file.buffer));
    await expect(recording.rowsOf(recording.parts[1]!)).rejects.toThrow(
      "is damaged in 'tasks/000001.arrow'",
    );
    await expect(recording.rowsOf(recording.parts[0]!)).resolves.toBeDefined();
  });

  it("opens or is refused with a sentence, whichever bytes are wrong", async () => {
    const next = randomNumbers(1);
    let refused = 0;
    for (let round = 0; round < 2 * ROUNDS; round++) {
      const file = new Uint8Array(goldenFile());
      for (let change = 0; change <= round % 4; change++) {
        file[Math.floor(next() * file.length)] = Math.floor(next() * 256);
      }
      const errors = await readAll(file.buffer);
      if (errors.length > 0) refused += 1;
      expect(errors.filter((error) => !isTold(error))).toEqual([]);
    }
    expect(refused).toBeGreaterThan(ROUNDS / 2);
  }, 60_000);

  it.each([
    "prefixes/000000.arrow",
    "tasks/000000.arrow",
    "coarse.arrow",
    "errors.arrow",
    "about.json",
  ])(
    "is refused with a sentence where %s says what cannot be, with the right checksum",
    async (name) => {
      const next = randomNumbers(2);
      let refused = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const file = changed(name, ({ data }) => {
          const wrong = data.slice();
          for (let change = 0; change <= round % 3; change++) {
            const bit = [1, 16, 128, 255][Math.floor(next() * 4)]!;
            wrong[Math.floor(next() * wrong.length)]! ^= bit;
          }
          return [{ name, data: wrong }];
        });
        const errors = await readAll(file);
        if (errors.length > 0) refused += 1;
        expect(errors.filter((error) => !isTold(error))).toEqual([]);
      }
      expect(refused).toBeGreaterThan(ROUNDS / 10);
    },
    60_000,
  );
});

describe("a file that claims too much", () => {
  it.each([
    ["a member larger than any", { length: 2 ** 31 }, /unexpected member/],
    ["an encrypted member", { flags: 1 }, /unsupported way/],
    ["sizes that follow", { flags: 8 }, /unexpected member/],
    ["another way to pack", { method: 14 }, /unsupported way/],
    ["another length", { length: 5_000 }, /is damaged in 'about\.json'/],
    ["another sum", { crc: 1 }, /is damaged in 'about\.json'/],
  ])("is refused: %s", async (_, claims, words) => {
    const file = changed("about.json", ({ name, data }) => [
      { name, data, claims },
    ]);
    const { code, text } = await problemOf(file);
    expect(code).toBe("bad-file");
    expect(text).toMatch(words);
  });

  it("is refused before a bomb is unpacked", async () => {
    const bomb = new Uint8Array(60 * 2 ** 20);
    const bombs = [1, 2, 3].map((i) => ({ name: `other${i}`, data: bomb }));
    const file = changed("about.json", (about) => [...bombs, about]);
    expect(file.byteLength).toBeLessThan(300_000);
    const { code, text } = await problemOf(file);
    expect(code).toBe("bad-file");
    expect(text).toMatch(/too large when unpacked/);
  });

  it("is refused where a member holds more than it says", async () => {
    const data = new Uint8Array(50 * 2 ** 20);
    const file = changed("about.json", ({ name }) => [
      { name, data, claims: { length: 1_000_000 } },
    ]);
    const { text } = await problemOf(file);
    expect(text).toMatch(/is damaged in 'about\.json'/);
  });

  it("is refused where keys and tasks do not fit", async () => {
    const drop = changed("keys/000000.txt", () => []);
    expect((await problemOf(drop)).text).toMatch(/has tasks out of order/);
    const twice = changed("keys/000000.txt", (keys) => [keys, keys]);
    expect((await problemOf(twice)).text).toMatch(/has keys without tasks/);
    const fewer = changed("keys/000000.txt", ({ name }) => [
      { name, data: encode("a\0b") },
    ]);
    const recording = await StoredRecording.open(bytesOfBuffer(fewer));
    await expect(recording.keysOf(recording.parts[0]!)).rejects.toThrow(
      "number of keys",
    );
  });

  it("is refused where a part has more tasks than daskscope writes", async () => {
    const file = changed("tasks/000000.arrow", ({ name, data }) => {
      // Of its facts, `tasks` gets the value of another one, which has room for more digits.
      const wrong = data.slice();
      const text = new TextDecoder("latin1").decode(wrong);
      const view = new DataView(wrong.buffer);
      const value = text.indexOf("tasks") - 12;
      const long = text.indexOf("1700000000000000") - 4;
      const pointer = Array.from({ length: value }, (_, place) => place).find(
        (place) => place + view.getUint32(place, true) === value,
      );
      view.setUint32(pointer!, long - pointer!, true);
      view.setUint32(long, 5, true);
      wrong.set(encode("65537"), long + 4);
      return [{ name, data: wrong }];
    });
    const recording = await StoredRecording.open(bytesOfBuffer(file));
    await expect(recording.keysOf(recording.parts[0]!)).rejects.toThrow(
      "too many tasks",
    );
  });

  it("is refused where it has more names than rows could point at", async () => {
    const file = changed("actions/000000.arrow", (names) =>
      Array.from({ length: 50 }, () => names),
    );
    const { text } = await problemOf(file);
    expect(text).toMatch(/too many names/);
  });

  it("is shown with the beginnings of texts that are longer than the agent keeps", async () => {
    const x = (count: number) => "x".repeat(count);
    const exceptions = [
      x(30_000_000),
      `${x(20_000)}…`, // as the agent cuts them
      "é🐍".repeat(20_000),
      "short",
    ];
    const same = (text: string) => exceptions.map(() => text);
    const data = arrowStream({
      time: Float64Array.from(exceptions, () => 1),
      key: same(x(200_000)),
      prefix: Float64Array.from(exceptions, () => 0),
      worker: same("w"),
      exception: exceptions,
      traceback: same(""),
      task: Float64Array.from(exceptions, () => -1),
    });
    const file = changed("errors.arrow", ({ name }) => [{ name, data }]);
    const recording = await StoredRecording.open(bytesOfBuffer(file));
    const errors = await recording.log("errors");
    expect(errors.exception[0]).toBe(`${x(20_000)}…`);
    expect(errors.exception[1]).toBe(exceptions[1]);
    expect(errors.exception[2]).toBe(`${"é🐍".repeat(10_000)}…`);
    expect(errors.exception[3]).toBe("short");
    expect(errors.key[0]).toBe(`${x(100_000)}…`);
  });

  it("keeps of long names no more than is shown", () => {
    const before = heapBytes();
    const long = "x".repeat(3_000_000);
    const { columns } = TABLES.lanes;
    const kept = Array.from({ length: 10 }, (_, i) => {
      const data = arrowStream({ worker: [`${i}${long}`], thread: ["1"] });
      const bytes = data as Uint8Array<ArrayBuffer>;
      return decodeTable(columns, bytes, 1, () => 999).columns["worker"]!;
    });
    expect(kept[7]).toEqual([`7${"x".repeat(998)}…`]);
    expect(heapBytes() - before).toBeLessThan(20_000_000);
  });

  it("is refused where its names are longer together than those of any recording", () => {
    const names = new FileNames();
    const name = Array.from({ length: 20_000 }, () => "x".repeat(1_000));
    const take = () => names.take("prefixes", { name }, name.length);
    for (let i = 0; i < 3; i++) take();
    expect(take).toThrow("too many names");
  });

  it.each([
    [
      "others than every recording begins with",
      "actions",
      { name: ["transfer"] },
    ],
    ["without the one that means none", "spans", { id: ["s"], name: [["a"]] }],
  ])("is refused where it has entries %s", (_, table, columns) => {
    const take = () => new FileNames().take(table, columns, 1);
    expect(take).toThrow(BadFileError);
  });

  it("is refused where rows point at names that it does not have", async () => {
    const file = changed("prefixes/000000.arrow", () => []);
    const recording = await StoredRecording.open(bytesOfBuffer(file));
    await expect(recording.rowsOf(recording.parts[0]!)).rejects.toThrow(
      /has rows with unknown names/,
    );
  });
});

describe("members that a later version may add", () => {
  it("are passed over", async () => {
    const file = changed("about.json", (about) => [
      { name: "memory.arrow", data: encode("not looked at") },
      { name: "profile/000000.arrow", data: encode("nor this") },
      about,
    ]);
    expect(await readAll(file)).toEqual([]);
  });
});
