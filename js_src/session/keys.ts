// The keys of a session's tasks. They are long, many and rarely looked at, so
// they stay in the packed blocks in which they came; a block is opened when
// the pointer is on one of its tasks, or while a search passes over it. Only so
// many bytes are kept: the kernel is asked again for what had to go.

import { type Packing, unpack } from "../base/unpack";
import { signal } from "@preact/signals";
import { Coverage } from "../model/coverage";
import { cutKeys } from "../model/long_keys";
import { KEY_SEPARATOR, LIMITS } from "../schema";

/** Opened blocks that are kept at hand: so many bytes, or the last one alone. */
const OPENED_BYTES = 64_000_000;
/** What a key takes in memory beside its text, and a character at most. */
const [KEY_BYTES, CHARACTER_BYTES] = [40, 2];
/** A block that unpacks to more than this is refused, not swallowed. */
const MAX_BLOCK_BYTES = 256_000_000;
/** How many tasks' keys one question asks for. */
const ASK_TASKS = 16_384;
/** A search passes hundreds of blocks in this time, too many to report each. */
const PROGRESS_MS = 100;
/** What is found among keys that the kernel sends meanwhile is shown so often. */
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

/** A question to the kernel that is not answered yet. */
interface Request {
  readonly first: number;
  readonly end: number;
  readonly done: Promise<void>;
}

interface SearchResult {
  readonly tasks: Uint32Array;
  /** Tasks whose keys were looked at … */
  readonly searched: number;
  /** … of this many. */
  readonly of: number;
}

/** `tasks` are those found by now, in order, where it is time to show them. */
type SearchProgress = Omit<SearchResult, "tasks"> & {
  readonly tasks: Uint32Array | null;
};

/** What the store needs from its session. */
interface KeySource {
  /** Ask the kernel to send these keys now; resolves when they have come. */
  fetch(first: number, tasks: number): Promise<void>;
  /** Ranges of task numbers that the page shows. */
  have(): [number, number][];
  /** How many tasks the recording keeps. */
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

/** Tasks near each other, so that one question can ask for what lacks of them. */
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
  /** Grows when keys arrive, for readers that found one missing. */
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

  /** Add the keys of consecutive tasks, packed as agents pack them, or otherwise. */
  add(
    first: number,
    tasks: number,
    packed: Uint8Array<ArrayBuffer>,
    packing: Packing = "deflate",
  ): void {
    const end = first + tasks;
    const before = this.blocks[this.after(first) - 1];
    if (tasks === 0 || (before && before.first + before.tasks >= end)) return; // it came a second time
    // No block contains another: so the last one that begins before a task has it.
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

  /** Whether the page has the key of a task: the kernel need not be asked. */
  has(task: number): boolean {
    return this.blockOf(task) !== undefined;
  }

  /** The key of a task; null if it is gone. */
  text(task: number): string | null | Promise<string | null> {
    const block = this.blockOf(task);
    const opened = block && this.opened.get(block);
    if (!opened) return this.lookUp(task, block);
    this.touch(block, opened);
    return opened.keys[task - block.first] ?? null;
  }

  /**
   * The keys of tasks (in rising order) by task, as far as they can be had: what is
   * missing is asked for by range, until the kernel does not answer.
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
      // At once: the next answer may drive these out again.
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
   * Tasks whose key contains `query`, in any case, newest blocks first. What is
   * found on this page is reported before the kernel, which may be busy, is asked for
   * other keys. When `signal` ends it early the answer says how far it came.
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
    let told_ms = -Infinity;
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
        if (now_ms - told_ms < PROGRESS_MS) continue;
        told_ms = now_ms;
        onProgress({ tasks: null, searched, of: of() });
      }
    };
    if (needle && !needle.includes(KEY_SEPARATOR)) {
      await pass();
      let shown_ms = -Infinity;
      for (const [first, count] of this.missingPieces()) {
        if (signal?.aborted) break;
        // A file's blocks are larger than what is asked for.
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

  /** What to ask for so that every shown task has a key, newest first. */
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

  /** Several panels may point at the same task: a question that asks for it is shared. */
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
      return false; // a busy kernel: the caller says how far it came
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
