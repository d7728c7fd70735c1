// The checksum of members of a zip.

/** For each byte of four that are taken at once: what it does to the sum. */
const TABLES = tables();

export function crc32(bytes: Uint8Array): number {
  const [first, second, third, fourth] = TABLES;
  const { length } = bytes;
  let sum = -1;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    sum ^=
      bytes[at] |
      (bytes[at + 1] << 8) |
      (bytes[at + 2] << 16) |
      (bytes[at + 3] << 24);
    sum =
      fourth[sum & 255] ^
      third[(sum >>> 8) & 255] ^
      second[(sum >>> 16) & 255] ^
      first[sum >>> 24];
  }
  for (; at < length; at++) {
    sum = first[(sum ^ bytes[at]) & 255] ^ (sum >>> 8);
  }
  return ~sum >>> 0;
}

function tables(): readonly [Int32Array, Int32Array, Int32Array, Int32Array] {
  const made = [0, 1, 2, 3].map(() => new Int32Array(256)) as [
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
  ];
  for (let byte = 0; byte < 256; byte++) {
    let sum = byte;
    for (let bit = 0; bit < 8; bit++) {
      sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
    }
    made[0][byte] = sum;
  }
  for (let byte = 0; byte < 256; byte++) {
    for (let table = 1; table < 4; table++) {
      const before = made[table - 1][byte];
      made[table][byte] = made[0][before & 255] ^ (before >>> 8);
    }
  }
  return made;
}
