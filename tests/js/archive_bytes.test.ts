import { deflateRawSync, deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { bytesOfText, bytesOfBlob } from "../../js_src/archive/bytes";
import { BadFileError } from "../../js_src/archive/problems";
import { TooLargeError, unpack } from "../../js_src/base/unpack";
import { randomNumbers } from "./archive_files";
import { base85 } from "./base85";

const next = randomNumbers(7);
const bytes = Uint8Array.from({ length: 300_001 }, () => 256 * next());
const text = base85(bytes);

describe("bytes of a recording", () => {
  it.each([
    ["a file of the browser", bytesOfBlob(new Blob([bytes]))],
    ["text in a page", bytesOfText(text)],
  ])("are the same, whatever they come from: %s", async (_, source) => {
    expect(source.size).toBe(bytes.byteLength);
    const ranges = [
      [0, 30],
      [1, 2],
      [2, 2],
      [100_000, 250_007],
      [299_999, 300_001],
      [299_000, 400_000],
      [400_000, 500_000],
      [5, 9],
    ] as const;
    for (const [from, to] of ranges) {
      const read = Buffer.from(await source.read(from, to));
      expect(read.equals(bytes.slice(from, to)), `${from}`).toBe(true);
    }
  });

  it("may end within a group of text", async () => {
    for (const length of [0, 1, 2, 3, 4]) {
      const few = bytes.slice(0, length);
      const source = bytesOfText(base85(few));
      expect(source.size).toBe(length);
      expect(await source.read(0, 9)).toEqual(few);
    }
  });

  it("are read as Python writes them", async () => {
    const read = await bytesOfText("6t(.P").read(0, 4);
    expect(Buffer.from(read).toString()).toBe("Dask");
  });

  it("are refused where the text is none", async () => {
    for (const none of ["abcd\u00e9", "abcd<", "abcdw", "abcd ", "uuuuu"]) {
      const read = async () => bytesOfText(none).read(0, 2);
      await expect(read(), none).rejects.toThrow(BadFileError);
    }
  });
});

describe("packed bytes", () => {
  async function unpacked(
    packed: Uint8Array<ArrayBuffer>,
    packing: Parameters<typeof unpack>[1],
    maxBytes: number,
  ): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    await unpack(packed, packing, maxBytes, (piece) => void pieces.push(piece));
    return Buffer.concat(pieces);
  }

  it.each([
    ["deflate", new Uint8Array(deflateSync(bytes))],
    ["deflate-raw", new Uint8Array(deflateRawSync(bytes))],
    ["stored", bytes],
  ] as const)("are unpacked: %s", async (packing, packed) => {
    const back = await unpacked(packed, packing, bytes.byteLength);
    expect(back.equals(bytes)).toBe(true);
    await expect(
      unpacked(packed, packing, bytes.byteLength - 1),
    ).rejects.toThrow(TooLargeError);
  });

  it("are not unpacked further than is allowed", async () => {
    const bomb = new Uint8Array(deflateRawSync(new Uint8Array(2 ** 28)));
    let seen = 0;
    const unpacking = unpack(bomb, "deflate-raw", 1_000_000, (piece) => {
      seen += piece.byteLength;
    });
    await expect(unpacking).rejects.toThrow(TooLargeError);
    expect(seen).toBeLessThan(10_000_000);
  });

  it("are an error where they end too early", async () => {
    const packed = new Uint8Array(deflateRawSync(bytes)).subarray(0, 1_000);
    await expect(unpacked(packed, "deflate-raw", Infinity)).rejects.toThrow();
  });
});
