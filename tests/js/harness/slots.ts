// Gives names the slots that Python's recording/names.py gives to the first 24.

const SLOTS = 12;
const utf8 = new TextEncoder();

/** FNV-1a over the UTF-8 bytes, finished with murmur3's mixer. */
function hashName(name: string): number {
  let hash = 0x811c9dc5 ^ 0xefbb;
  for (const byte of utf8.encode(name)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Gives slots to names in the order in which they appear. */
export class SlotAssigner {
  private readonly used = new Uint8Array(2 * SLOTS);
  private taken = 0;

  next(name: string): number {
    const ring = this.taken < SLOTS ? 0 : SLOTS;
    if (this.taken >= 2 * SLOTS) return hashName(name) % SLOTS;
    let slot = hashName(name) % SLOTS;
    // 5 and 12 share no factor, so the steps visit every slot of the ring.
    while (this.used[ring + slot]) slot = (slot + 5) % SLOTS;
    this.used[ring + slot] = 1;
    this.taken += 1;
    return ring + slot;
  }
}
