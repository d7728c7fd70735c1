// Where the bytes of a recording come from: a file of the browser's, or text inside a page. Only what is asked for is read.

import { BadFileError } from "./problems";

export interface ByteSource {
  readonly size: number;
  /** The bytes from `from` to before `to`; fewer where the source ends. */
  read(from: number, to: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** Headers are small and many: one request fetches several. */
const WINDOW_BYTES = 262_144;

export function bytesOfBlob(blob: Blob): ByteSource {
  let [at, near] = [0, new Uint8Array(0)];
  return {
    size: blob.size,
    async read(from, to) {
      const end = Math.min(to, blob.size);
      const start = Math.min(from, end);
      if (start < at || end > at + near.byteLength) {
        const until = Math.max(end, start + WINDOW_BYTES);
        const bytes = await blob.slice(start, until).arrayBuffer();
        [at, near] = [start, new Uint8Array(bytes)];
      }
      return near.subarray(start - at, end - at);
    },
  };
}

// Base 85, as Python writes it (report/base85.py): four bytes in five digits, which are the
// characters from "!" on. "v" replaces "<", which could end the element around the text.
const [BASE, GROUP_BYTES, GROUP_CHARACTERS] = [85, 4, 5];
const [FIRST, FORBIDDEN, INSTEAD] = [33, 60, 118]; // "!", "<" and "v"

/** The bytes of a text in base 85, without line breaks. */
export function bytesOfText(text: string): ByteSource {
  const groups = Math.ceil(text.length / GROUP_CHARACTERS);
  const size = text.length - groups;
  return {
    size,
    read(from, to) {
      const end = Math.min(to, size);
      const start = Math.min(from, end);
      const group = Math.floor(start / GROUP_BYTES);
      const after = Math.ceil(end / GROUP_BYTES);
      const bytes = decode(
        text.slice(GROUP_CHARACTERS * group, GROUP_CHARACTERS * after),
      );
      const skipped = start - GROUP_BYTES * group;
      return Promise.resolve(bytes.subarray(skipped, skipped + end - start));
    },
  };
}

/** Decode a text in base 85. */
export function decode(text: string): Uint8Array<ArrayBuffer> {
  const groups = Math.ceil(text.length / GROUP_CHARACTERS);
  const words = new DataView(new ArrayBuffer(GROUP_BYTES * groups));
  for (let group = 0; group < groups; group++) {
    let word = 0;
    for (let i = 0; i < GROUP_CHARACTERS; i++) {
      const at = GROUP_CHARACTERS * group + i;
      const digit = at < text.length ? digitOf(text.charCodeAt(at)) : BASE - 1;
      if (!(digit >= 0 && digit < BASE)) word = NaN;
      word = BASE * word + digit;
    }
    if (!(word < 2 ** 32)) throw new BadFileError("is not base 85");
    words.setUint32(GROUP_BYTES * group, word);
  }
  return new Uint8Array(words.buffer, 0, text.length - groups);
}

const digitOf = (code: number): number => {
  if (code === FORBIDDEN) return NaN;
  return (code === INSTEAD ? FORBIDDEN : code) - FIRST;
};
