// Members of a zip by the header in front of each, so that a truncated file opens, too.
// Nothing is unpacked before it is asked for; what a file claims is bounded.

import { NoUnpackerError, type Packing, unpack } from "../base/unpack";
import type { ByteSource } from "./bytes";
import { BadFileError } from "./problems";

/** Unpacked. A writer makes further members before it comes near that. */
const MAX_MEMBER_BYTES = 64 * 2 ** 20;
const MAX_MEMBERS = 1_000_000;
/** So many are found before the page has its turn. */
const TURN_MEMBERS = 1_000;
const MAX_NAME_BYTES = 200;
/** Members together unpack to at most so many times what they take, and one member. */
const MAX_RATIO = 300;
/** What cannot be packed takes hardly more than before. */
const OVERHEAD_BYTES = 65_536;

const HEADER_BYTES = 30;
const SIGNATURE = [0x50, 0x4b, 0x03, 0x04];
const DIRECTORY = [0x02014b50, 0x06054b50, 0x06064b50];
const PACKINGS = new Map<number, Packing>([
  [0, "stored"],
  [8, "deflate-raw"],
]);
const [ENCRYPTED, SIZES_FOLLOW] = [1, 8];

export interface Member {
  readonly name: string;
  readonly packing: Packing;
  /** Where its packed bytes are. */
  readonly at: number;
  readonly size: number;
  /** Unpacked. */
  readonly length: number;
  readonly crc: number;
}

/**
 * Find the members of a file, `whole` if all were there as far as the list at the end; a
 * `BadFileError` says what is wrong with it.
 */
export async function listMembers(
  source: ByteSource,
): Promise<{ members: readonly Member[]; whole: boolean }> {
  const members: Member[] = [];
  let [at, packed, unpacked] = [0, 0, 0];
  while (members.length < MAX_MEMBERS) {
    const head = await source.read(at, at + HEADER_BYTES + MAX_NAME_BYTES);
    const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
    if (members.length > 0 && head.length >= 4) {
      const word = view.getUint32(0, true);
      if (DIRECTORY.includes(word)) return { members, whole: true };
    }
    if (!SIGNATURE.every((byte, i) => i >= head.length || head[i] === byte)) {
      if (members.length === 0) throw new BadFileError("is not a zip file");
      break; // what was being written when the writer was stopped
    }
    if (head.length < HEADER_BYTES) break;
    const member = memberOf(view, at);
    const end = member.at + member.size;
    if (end > source.size) break;
    packed += member.size;
    unpacked += member.length;
    if (unpacked > MAX_MEMBER_BYTES + MAX_RATIO * packed) {
      throw new BadFileError("is too large when unpacked");
    }
    members.push(member);
    at = end;
    if (members.length % TURN_MEMBERS === 0) await nextTurn();
  }
  if (members.length === MAX_MEMBERS) {
    throw new BadFileError("has too many members");
  }
  return { members, whole: false };
}

function memberOf(head: DataView, at: number): Member {
  const flags = head.getUint16(6, true);
  const packing = PACKINGS.get(head.getUint16(8, true));
  if (flags & ENCRYPTED || packing === undefined) {
    throw new BadFileError("is packed in an unsupported way");
  }
  const crc = head.getUint32(14, true);
  const size = head.getUint32(18, true);
  const length = head.getUint32(22, true);
  const nameBytes = head.getUint16(26, true);
  const extraBytes = head.getUint16(28, true);
  const tooLong = length > MAX_MEMBER_BYTES || size > length + OVERHEAD_BYTES;
  if (flags & SIZES_FOLLOW || nameBytes > MAX_NAME_BYTES || tooLong) {
    throw new BadFileError("has an unexpected member");
  }
  const left = Math.min(nameBytes, head.byteLength - HEADER_BYTES);
  const nameAt = head.byteOffset + HEADER_BYTES;
  const name = new Uint8Array(head.buffer as ArrayBuffer, nameAt, left);
  return {
    name: new TextDecoder().decode(name),
    packing,
    at: at + HEADER_BYTES + nameBytes + extraBytes,
    size,
    length,
    crc,
  };
}

/** Long work goes in small steps: between two of them the page draws and answers. */
export function nextTurn(): Promise<void> {
  return new Promise((done) => setTimeout(done));
}

/** The bytes of a member as they are in the file. */
export function packedBytes(
  source: ByteSource,
  { at, size }: Member,
): Promise<Uint8Array<ArrayBuffer>> {
  return source.read(at, at + size);
}

/** What a member holds, if it is as long as it says and undamaged. */
export async function unpackMember(
  source: ByteSource,
  member: Member,
): Promise<Uint8Array<ArrayBuffer>> {
  const packed = await packedBytes(source, member);
  const content = new Uint8Array(member.length);
  let at = 0;
  try {
    const [bytes, packing] =
      member.packing === "stored"
        ? ([packed, "stored"] as const)
        : ([asGzip(packed, member), "gzip"] as const);
    await unpack(bytes, packing, member.length, (piece) => {
      content.set(piece, at);
      at += piece.byteLength;
    });
  } catch (error) {
    throw error instanceof NoUnpackerError ? error : damaged(member);
  }
  if (at !== member.length) throw damaged(member);
  return content;
}

/** Between the header and the checksum of gzip, which the browser compares. */
function asGzip(
  packed: Uint8Array,
  { crc, length }: Member,
): Uint8Array<ArrayBuffer> {
  const header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
  const end = header.length + packed.byteLength;
  const bytes = new Uint8Array(end + 8);
  bytes.set(header);
  bytes.set(packed, header.length);
  const sums = new DataView(bytes.buffer, end);
  sums.setUint32(0, crc, true);
  sums.setUint32(4, length, true);
  return bytes;
}

const damaged = ({ name }: Member): BadFileError =>
  new BadFileError(`is damaged in '${name}'`);
