// The keys of a session's tasks. They are long, many and rarely looked at, so
// they stay in the packed blocks in which they came; a block is opened when
// somebody points at one of its tasks, or while a search passes over it.

import { KEY_SEPARATOR } from "./schema";

/** Keys of opened blocks that are kept at hand, in tasks. */
const OPENED_TASKS = 200_000;
/** A block that unpacks to more than this is refused, not swallowed. */
const MAX_BLOCK_BYTES = 256_000_000;
/** How many tasks' keys one question asks for. */
const ASK_TASKS = 16_384;

interface KeyBlock {
  readonly first: number;
  readonly tasks: number;
  readonly packed: Uint8Array<ArrayBuffer>;
}

export interface SearchProgress {
  /** Numbers of the tasks found so far. */
  readonly found: number;
  /** Tasks whose keys were looked at … */
  readonly searched: number;
  /** … of this many. */
  readonly of: number;
}

export interface SearchResult {
  readonly tasks: Uint32Array;
  readonly searched: number;
  readonly of: number;
}

/** What a view may ask of the keys. */
export interface KeyLookup {
  /** The key of a task; null when nobody has it (any more). */
  text(task: number): string | null | Promise<string | null>;
  /**
   * Tasks whose key contains `query`, in any case, newest blocks first.
   * When `signal` ends it early the answer says how far it came.
   */
  search(
    query: string,
    onProgress?: (progress: SearchProgress) => void,
    signal?: AbortSignal,
  ): Promise<SearchResult>;
}

/** What the store needs from its session. */
export interface KeySource {
  /** Ask the kernel to send these keys now; resolves when they have come. */
  fetch(first: number, tasks: number): Promise<void>;
  /** Ranges of task numbers that the page shows. */
  have(): [number, number][];
  /** How many tasks the recording keeps. */
  total(): number;
}

async function inflate(packed: Uint8Array<ArrayBuffer>): Promise<string> {
  const stream = new Blob([packed])
    .stream()
    .pipeThrough(new DecompressionStream("deflate"));
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let [text, bytes] = ["", 0];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > MAX_BLOCK_BYTES) {
      await reader.cancel();
      throw new Error("A block of keys is larger than its limit.");
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** The parts of `ranges` that no block covers. */
function uncovered(
  ranges: [number, number][],
  blocks: readonly KeyBlock[],
): [number, number][] {
  const out: [number, number][] = [];
  let i = 0;
  for (const [start, end] of ranges) {
    let at = start;
    while (i > 0 && blocks[i - 1].first + blocks[i - 1].tasks > start) i--;
    for (; i < blocks.length && blocks[i].first < end && at < end; i++) {
      const { first, tasks } = blocks[i];
      if (first > at) out.push([at, Math.min(first, end)]);
      at = Math.max(at, first + tasks);
    }
    if (at < end) out.push([at, end]);
  }
  return out;
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

export class KeyStore implements KeyLookup {
  private readonly blocks: KeyBlock[] = []; // by first task
  private readonly opened = new Map<KeyBlock, string[]>(); // oldest use first
  private readonly opening = new Map<KeyBlock, Promise<string[]>>();
  private readonly fetching = new Map<number, Promise<void>>();
  private openedTasks = 0;
  private bytes = 0;

  constructor(private readonly source: KeySource) {}

  get byteLength(): number {
    return this.bytes;
  }

  add(first: number, tasks: number, packed: Uint8Array<ArrayBuffer>): void {
    const at = this.after(first);
    const before = this.blocks[at - 1];
    if (tasks === 0 || (before && before.first + before.tasks >= first + tasks))
      return; // it came a second time
    this.blocks.splice(at, 0, { first, tasks, packed });
    this.bytes += packed.byteLength;
  }

  clear(): void {
    this.blocks.length = 0;
    this.opened.clear();
    this.openedTasks = 0;
    this.bytes = 0;
  }

  text(task: number): string | null | Promise<string | null> {
    const block = this.blockOf(task);
    const keys = block && this.opened.get(block);
    if (!keys) return this.lookUp(task, block);
    this.touch(block, keys);
    return keys[task - block.first] ?? null;
  }

  async search(
    query: string,
    onProgress: (progress: SearchProgress) => void = () => {},
    signal?: AbortSignal,
  ): Promise<SearchResult> {
    const needle = query.toLowerCase();
    const tasks: number[] = [];
    const seen = new Set<KeyBlock>();
    let searched = 0;
    const of = () => Math.max(searched, this.source.total());
    const pass = async () => {
      for (const block of [...this.blocks].reverse()) {
        if (signal?.aborted || seen.has(block)) continue;
        seen.add(block);
        const text = await inflate(block.packed);
        for (const task of hits(text.toLowerCase(), needle, block.first)) {
          tasks.push(task);
        }
        searched += block.tasks;
        onProgress({ found: tasks.length, searched, of: of() });
      }
    };
    if (needle && !needle.includes(KEY_SEPARATOR)) {
      await pass();
      for (const [first, count] of this.missingPieces()) {
        if (signal?.aborted || !(await this.tryFetch(first, count))) break;
        await pass();
      }
    }
    return { tasks: Uint32Array.from(tasks).sort(), searched, of: of() };
  }

  /** What to ask for so that every shown task has a key, newest first. */
  private missingPieces(): [number, number][] {
    const pieces: [number, number][] = [];
    for (const [start, end] of uncovered(this.source.have(), this.blocks)) {
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
    return (await this.open(block))[task - block.first] ?? null;
  }

  /** Several panels may point at the same task: they share one question. */
  private async tryFetch(first: number, tasks: number): Promise<boolean> {
    let request = this.fetching.get(first);
    if (!request) {
      request = this.source.fetch(first, tasks);
      this.fetching.set(first, request);
    }
    try {
      await request;
      return true;
    } catch {
      return false; // a busy kernel: the caller says how far it came
    } finally {
      this.fetching.delete(first);
    }
  }

  private open(block: KeyBlock): Promise<string[]> {
    let request = this.opening.get(block);
    if (!request) {
      request = inflate(block.packed)
        .then((text) => {
          const keys = text.split(KEY_SEPARATOR);
          this.touch(block, keys);
          return keys;
        })
        .finally(() => this.opening.delete(block));
      this.opening.set(block, request);
    }
    return request;
  }

  private touch(block: KeyBlock, keys: string[]): void {
    if (!this.opened.delete(block)) this.openedTasks += block.tasks;
    this.opened.set(block, keys);
    for (const oldest of this.opened.keys()) {
      if (this.openedTasks <= OPENED_TASKS || oldest === block) break;
      this.opened.delete(oldest);
      this.openedTasks -= oldest.tasks;
    }
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
