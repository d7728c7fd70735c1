// Where the bytes of a recording come from: a file of the browser's, or text inside a page. Only what is asked for is read.

import { BadFileError } from "./problems";

export interface ByteSource {
  readonly size: number;
  /** The bytes from `from` to before `to`; fewer where the source ends. */
  read(from: number, to: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** Headers are small and many: one request fetches several. */
const WINDOW_BYTES = 262_144;
/** So many characters at a time, as arguments and in memory. */
const SLICE_CHARACTERS = 65_536;

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

/** Base64 in four characters a group, without line breaks. */
export function bytesOfBase64(text: string): ByteSource {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  if (text.length % 4 !== 0) throw new BadFileError("is not base64");
  const size = (text.length / 4) * 3 - padding;
  return {
    size,
    read(from, to) {
      const end = Math.min(to, size);
      const start = Math.min(from, end);
      const group = Math.floor(start / 3);
      const groups = Math.ceil(end / 3) - group;
      const bytes = decode(text.slice(4 * group, 4 * (group + groups)));
      const skipped = start - 3 * group;
      return Promise.resolve(bytes.subarray(skipped, skipped + end - start));
    },
  };
}

interface FromBase64 {
  fromBase64?(text: string): Uint8Array<ArrayBuffer>;
}

/** Of base64. */
export function decode(text: string): Uint8Array<ArrayBuffer> {
  try {
    const decoder = Uint8Array as FromBase64;
    return decoder.fromBase64?.(text) ?? decodeInSlices(text);
  } catch {
    throw new BadFileError("is no base64");
  }
}

function decodeInSlices(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array((text.length / 4) * 3);
  let at = 0;
  for (let from = 0; from < text.length; from += SLICE_CHARACTERS) {
    const binary = atob(text.slice(from, from + SLICE_CHARACTERS));
    for (let i = 0; i < binary.length; i++) bytes[at++] = binary.charCodeAt(i);
  }
  return bytes.subarray(0, at);
}
