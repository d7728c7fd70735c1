// The keys of a session's tasks. They are long, many and rarely read, so they stay in the
// packed blocks in which they arrived. A block is unpacked when the pointer is on one of
// its tasks, or during a search. The kept bytes are bounded, and dropped keys are
// requested again.

import { type Packing, unpack } from "../base/unpack";
import { signal } from "@preact/signals";
import { Coverage } from "../model/coverage";
import { cutKeys } from "../model/long_keys";
import { KEY_SEPARATOR, LIMITS } from "../schema";

/** Bound on unpacked blocks; the last one is kept even if it is larger. */
const OPENED_BYTES = 64_000_000;
/** Memory of a key in addition to its text, and at most of one character. */
const [KEY_BYTES, CHARACTER_BYTES] = [40, 2];
/** A block that unpacks to more than this is rejected. */
const MAX_BLOCK_BYTES = 256_000_000;
/** Number of tasks whose keys one request asks for. */
const ASK_TASKS = 16_384;
/** Pause between progress reports; a search may read hundreds of blocks in this time. */
const PROGRESS_MS = 100;
/** Pause between updates of the matches while the kernel sends more keys. */
const FOUND_MS = 1000;

interface KeyBlock {
  readonly first: number;
  readonly tasks: number;
  readonly packed: Uint8Array<ArrayBuffer>;
  readonly packing: Packing;
}

interface OpenedBlock {
  readonly keys: readonly string[];
  readonly bytes: number;
}

/** An unanswered request to the kernel. */
interface Request {
  readonly first: number;
  readonly end: number;
  readonly done: Promise<void>;
}

interface SearchResult {
  readonly tasks: Uint32Array;
  /** Tasks whose keys were searched … */
  readonly searched: number;
  /** … of this many. */
  readonly of: number;
}

/** `tasks` are the matches so far in order, or null if only the progress is reported. */
type SearchProgress = Omit<SearchResult, "tasks"> & {
  readonly tasks: Uint32Array | null;
};

/** What the store needs from its session. */
interface KeySource {
  /** Request these keys from the kernel; resolves when they have arrived. */
  fetch(first: number, tasks: number): Promise<void>;
  /** Ranges of task numbers that the page shows. */
  have(): [number, number][];
  /** Number of tasks that the recording keeps. */
  total(): number;
}

async function inflate({ packed, packing }: KeyBlock): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  await unpack(packed, packing, MAX_BLOCK_BYTES, (piece) => {
    text += decoder.decode(piece, { stream: true });
  });
  return cutKeys(text + decoder.decode());
}

/** The parts of `ranges` that `known` lacks; both are in order, without overlaps. */
function uncovered(
  ranges: readonly [number, number][],
  known: readonly [number, number][],
): [number, number][] {
  const out: [number, number][] = [];
  let i = 0;
  for (const [start, end] of ranges) {
    let at = start;
    while (i < known.length && known[i][1] <= start) i++;
    for (let j = i; j < known.length && known[j][0] < end; j++) {
      if (known[j][0] > at) out.push([at, known[j][0]]);
      at = Math.max(at, known[j][1]);
    }
    if (at < end) out.push([at, end]);
  }
  return out;
}

/** Group nearby tasks, so that one request can fetch the missing keys of a group. */
function* pieces(tasks: readonly number[]): Generator<number[]> {
  let piece: number[] = [];
  for (const task of tasks) {
    if (piece.length > 0 && task - piece[0] >= ASK_TASKS) {
      yield piece;
      piece = [];
    }
    piece.push(task);
  }
  if (piece.length > 0) yield piece;
}

/** Numbers of the tasks of one opened block whose key contains `needle`. */
function* hits(text: string, needle: string, first: number) {
  let [task, keyEnd] = [first, text.indexOf(KEY_SEPARATOR)];
  let at = text.indexOf(needle);
  while (at >= 0) {
    while (keyEnd >= 0 && keyEnd < at) {
      keyEnd = text.indexOf(KEY_SEPARATOR, keyEnd + 1);
      task += 1;
    }
    yield task;
    if (keyEnd < 0) return;
    at = text.indexOf(needle, keyEnd + 1);
  }
}

export class KeyStore {
  /** Grows when keys arrive, so that readers can retry a missing one. */
  readonly arrivals = signal(0);
  private readonly blocks: KeyBlock[] = []; // by first task
  private readonly opened = new Map<KeyBlock, OpenedBlock>(); // oldest use first
  private readonly opening = new Map<KeyBlock, Promise<OpenedBlock>>();
  private readonly fetching = new Set<Request>();
  private readonly uses = new Set<KeyBlock>(); // every block, oldest use first
  private openedBytes = 0;
  private bytes = 0;

  constructor(
    private readonly source: KeySource,
    private readonly maxBytes: number = LIMITS.page_key_bytes,
  ) {}

  get byteLength(): number {
    return this.bytes;
  }

  /** Add the packed keys of consecutive tasks. */
  add(
    first: number,
    tasks: number,
    packed: Uint8Array<ArrayBuffer>,
    packing: Packing = "deflate",
  ): void {
    const end = first + tasks;
    const before = this.blocks[this.after(first) - 1];
    if (tasks === 0 || (before && before.first + before.tasks >= end)) return; // a duplicate
    // No block may contain another: `blockOf` only checks the last that begins before a task.
    const at = this.after(first - 1);
    for (let inside = this.blocks[at]; inside; inside = this.blocks[at]) {
      if (inside.first + inside.tasks > end) break;
      this.drop(inside);
    }
    const block = { first, tasks, packed, packing };
    this.blocks.splice(at, 0, block);
    this.uses.add(block);
    this.bytes += packed.byteLength;
    for (const oldest of this.uses) {
      if (this.bytes <= this.maxBytes || oldest === block) break;
      this.drop(oldest);
    }
    this.arrivals.value += 1;
  }

  clear(): void {
    this.blocks.length = 0;
    this.uses.clear();
    this.opened.clear();
    this.openedBytes = 0;
    this.bytes = 0;
  }

  /** Whether the page has the key of a task, so that the kernel need not be asked. */
  has(task: number): boolean {
    return this.blockOf(task) !== undefined;
  }

  /** The key of a task; null if it cannot be had. */
  text(task: number): string | null | Promise<string | null> {
    const block = this.blockOf(task);
    const opened = block && this.opened.get(block);
    if (!opened) return this.lookUp(task, block);
    this.touch(block, opened);
    return opened.keys[task - block.first] ?? null;
  }

  /**
   * The keys of tasks, which must be in ascending order; those that cannot be had are
   * left out. Missing keys are requested in ranges until the kernel does not answer.
   */
  async texts(tasks: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const keys = new Map<number, string>();
    let answers = true;
    for (const piece of pieces(tasks)) {
      const absent = piece.filter((task) => !this.blockOf(task));
      if (answers && absent.length > 0) {
        const first = absent[0];
        const end = absent[absent.length - 1] + 1;
        answers = await this.tryFetch(first, end - first);
      }
      // Read them now, because the next answer may evict them again.
      for (const task of piece) {
        const block = this.blockOf(task);
        if (!block) continue;
        const opened = this.opened.get(block) ?? (await this.open(block));
        const key = opened.keys[task - block.first];
        if (key !== undefined) keys.set(task, key);
      }
    }
    return keys;
  }

  /**
   * Find the tasks whose key contains `query`, ignoring case, newest blocks first.
   * Matches on this page are reported before the kernel, which may be busy, is asked for
   * more keys. If `signal` aborts the search, the result shows how far it came.
   */
  async search(
    query: string,
    onProgress: (progress: SearchProgress) => void = () => {},
    signal?: AbortSignal,
  ): Promise<SearchResult> {
    const needle = query.toLowerCase();
    const tasks: number[] = [];
    const looked = new Coverage(); // blocks may overlap
    let searched = 0;
    let reported_ms = -Infinity;
    const of = () => Math.max(searched, this.source.total());
    const result = () => ({
      tasks: Uint32Array.from(tasks).sort(),
      searched,
      of: of(),
    });
    const pass = async () => {
      for (const block of [...this.blocks].reverse()) {
        if (signal?.aborted) return;
        const { first } = block;
        const fresh = uncovered([[first, first + block.tasks]], looked.list());
        if (fresh.length === 0) continue;
        const text = await inflate(block);
        for (const task of hits(text.toLowerCase(), needle, first)) {
          if (fresh.some(([from, end]) => from <= task && task < end)) {
            tasks.push(task);
          }
        }
        for (const [from, end] of fresh) searched += end - from;
        looked.add(first, block.tasks);
        const now_ms = performance.now();
        if (now_ms - reported_ms < PROGRESS_MS) continue;
        reported_ms = now_ms;
        onProgress({ tasks: null, searched, of: of() });
      }
    };
    if (needle && !needle.includes(KEY_SEPARATOR)) {
      await pass();
      let shown_ms = -Infinity;
      for (const [first, count] of this.missingPieces()) {
        if (signal?.aborted) break;
        // A file's blocks are larger than a request, and may include this piece.
        if (looked.covers(first, count)) continue;
        if (performance.now() - shown_ms >= FOUND_MS) {
          onProgress(result());
          shown_ms = performance.now();
        }
        if (!(await this.tryFetch(first, count))) break;
        await pass();
      }
    }
    return result();
  }

  /** The ranges to request so that every shown task has a key, newest first. */
  private missingPieces(): [number, number][] {
    const pieces: [number, number][] = [];
    const here = new Coverage();
    for (const { first, tasks } of this.blocks) here.add(first, tasks);
    for (const [start, end] of uncovered(this.source.have(), here.list())) {
      for (let first = start; first < end; first += ASK_TASKS) {
        pieces.push([first, Math.min(ASK_TASKS, end - first)]);
      }
    }
    return pieces.reverse();
  }

  private async lookUp(
    task: number,
    known: KeyBlock | undefined,
  ): Promise<string | null> {
    if (!known && !(await this.tryFetch(task, 1))) return null;
    const block = known ?? this.blockOf(task);
    if (!block) return null;
    return (await this.open(block)).keys[task - block.first] ?? null;
  }

  /** Several panels may point at the same task, so a request that covers it is shared. */
  private async tryFetch(first: number, tasks: number): Promise<boolean> {
    const end = first + tasks;
    let request = [...this.fetching].find(
      (asked) => asked.first <= first && end <= asked.end,
    );
    if (!request) {
      request = { first, end, done: this.source.fetch(first, tasks) };
      this.fetching.add(request);
    }
    try {
      await request.done;
      return true;
    } catch {
      return false; // a busy kernel; the caller reports an incomplete result
    } finally {
      this.fetching.delete(request);
    }
  }

  private open(block: KeyBlock): Promise<OpenedBlock> {
    let request = this.opening.get(block);
    if (!request) {
      request = inflate(block)
        .then((text) => {
          const keys = text.split(KEY_SEPARATOR);
          const bytes = text.length * CHARACTER_BYTES + keys.length * KEY_BYTES;
          const opened = { keys, bytes };
          if (this.uses.has(block)) this.touch(block, opened);
          return opened;
        })
        .finally(() => this.opening.delete(block));
      this.opening.set(block, request);
    }
    return request;
  }

  private touch(block: KeyBlock, opened: OpenedBlock): void {
    this.shut(block);
    this.opened.set(block, opened);
    this.openedBytes += opened.bytes;
    this.uses.delete(block);
    this.uses.add(block);
    for (const oldest of this.opened.keys()) {
      if (this.openedBytes <= OPENED_BYTES || oldest === block) break;
      this.shut(oldest);
    }
  }

  private shut(block: KeyBlock): void {
    this.openedBytes -= this.opened.get(block)?.bytes ?? 0;
    this.opened.delete(block);
  }

  private drop(block: KeyBlock): void {
    this.blocks.splice(this.after(block.first) - 1, 1);
    this.uses.delete(block);
    this.bytes -= block.packed.byteLength;
    this.shut(block);
  }

  private blockOf(task: number): KeyBlock | undefined {
    const block = this.blocks[this.after(task) - 1];
    return block && task < block.first + block.tasks ? block : undefined;
  }

  /** Index of the first block that begins after `task`. */
  private after(task: number): number {
    let [low, high] = [0, this.blocks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.blocks[middle].first <= task) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
