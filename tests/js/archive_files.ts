// Recordings in files, for tests: the golden one, and others made of its members.

import { readFileSync } from "node:fs";
import { crc32, deflateRawSync } from "node:zlib";
import { bytesOfBlob, type ByteSource } from "../../js_src/archive/bytes";
import {
  listMembers,
  type Member,
  unpackMember,
} from "../../js_src/archive/zip";

const FILES = "tests/contract/files";

export const bytesOfBuffer = (buffer: ArrayBuffer): ByteSource =>
  bytesOfBlob(new Blob([buffer]));

/** `small.daskscope`, as daskscope saved it. */
export function goldenFile(): ArrayBuffer {
  return new Uint8Array(readFileSync(`${FILES}/small.daskscope`)).buffer;
}

export interface Golden {
  format: number;
  about: Record<string, unknown>;
  /** Columns of dictionaries, as of the others below. */
  names: {
    prefixes: { name: string[]; colour: number[] };
    lanes: { worker: string[]; thread: string[] };
    actions: { name: string[] };
    spans: { id: string[]; name: string[][] };
  };
  tasks: Record<string, (number | null)[]>;
  keys: Record<string, string>;
  coarse: Record<string, number[]>;
  logs: Record<string, Record<string, (string | number | null)[]>>;
  series: Record<string, Record<string, (string | number | null)[]>>;
  totals: Figures;
  focus: {
    time: [number, number] | null;
    prefixes: string[];
    workers: string[];
    spans: string[];
    cells: string[];
  };
  totals_in_focus: Figures;
  details: { task: number; key: string; [field: string]: unknown }[];
}

export interface Figures {
  prefixes: [number, number, number, number, number][];
  actions: [number, number, number][];
}

/** What Python reads from it. */
export function goldenContent(): Golden {
  return JSON.parse(readFileSync(`${FILES}/small.json`, "utf-8")) as Golden;
}

export interface Content {
  readonly name: string;
  readonly data: Uint8Array;
  /** What its header says, where it lies. */
  readonly claims?: Partial<Pick<Member, "size" | "length" | "crc">> & {
    flags?: number;
    method?: number;
  };
}

/** The members of a file, unpacked. */
export async function contentsOf(file: ArrayBuffer): Promise<Content[]> {
  const source = bytesOfBuffer(file);
  const { members } = await listMembers(source);
  return Promise.all(
    members.map(async (member) => ({
      name: member.name,
      data: await unpackMember(source, member),
    })),
  );
}

/** A zip with these members, up to where the list at its end begins. */
export function zipOf(contents: readonly Content[]): ArrayBuffer {
  const parts: Uint8Array[] = [];
  for (const { name, data, claims = {} } of contents) {
    const packed = deflateRawSync(data);
    const bytes = new TextEncoder().encode(name);
    const head = new DataView(new ArrayBuffer(30));
    head.setUint32(0, 0x04034b50, true);
    head.setUint16(4, 20, true);
    head.setUint16(6, claims.flags ?? 0, true);
    head.setUint16(8, claims.method ?? 8, true);
    head.setUint32(14, claims.crc ?? crc32(data), true);
    head.setUint32(18, claims.size ?? packed.byteLength, true);
    head.setUint32(22, claims.length ?? data.byteLength, true);
    head.setUint16(26, bytes.byteLength, true);
    parts.push(new Uint8Array(head.buffer), bytes, new Uint8Array(packed));
  }
  parts.push(Uint8Array.of(0x50, 0x4b, 0x01, 0x02));
  const length = parts.reduce((sum, part) => sum + part.byteLength, 0);
  const file = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    file.set(part, at);
    at += part.byteLength;
  }
  return file.buffer;
}

/** The golden file with other members in place of some. */
export async function changed(
  change: (content: Content) => Content[],
): Promise<ArrayBuffer> {
  return zipOf((await contentsOf(goldenFile())).flatMap(change));
}

/** With something else in what it says of itself. */
export const saying = (said: object): Promise<ArrayBuffer> =>
  changed(({ name, data }) => {
    if (name !== "about.json") return [{ name, data }];
    const about = JSON.parse(new TextDecoder().decode(data)) as object;
    const json = JSON.stringify({ ...about, ...said });
    return [{ name, data: new TextEncoder().encode(json) }];
  });

/** Without what is written last: the coarse picture, tables and figures. */
export async function cutOff(): Promise<ArrayBuffer> {
  let last = false;
  const file = await changed((one) => {
    last ||= one.name === "coarse.arrow";
    return last ? [] : [one];
  });
  return file.slice(0, file.byteLength - 4);
}

/** Numbers from 0 to below 1, the same for each seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
