// What the user should know: what the kernel says with each status, which is the
// whole of it, and what was said or noticed once, which no status may wipe away.

import { type Signal, signal } from "@preact/signals";
import type { Notice } from "./model/types";

/** Of those that were said once; the oldest go first. */
const MAX_ONCE = 20;

export class Notices {
  /** The kernel's, then those that were said once. */
  readonly all: Signal<Notice[]> = signal<Notice[]>([]);
  private kernels: readonly Notice[] = [];
  private readonly once = new Map<string, Notice>(); // by code, oldest first

  /** Take the kernel's present ones. */
  take(notices: readonly Notice[]): void {
    // Only a kernel that could not make a status says so beside it: now it could.
    const outlived = this.once.delete("not-sent");
    if (!outlived && this.kernels.length === 0 && notices.length === 0) return;
    this.kernels = notices;
    this.update();
  }

  /** Add one that stays; it replaces an older one of its kind. */
  add({ code, level, text, next }: Notice): void {
    this.once.delete(code);
    this.once.set(code, { code, level, text, next });
    for (const oldest of this.once.keys()) {
      if (this.once.size <= MAX_ONCE) break;
      this.once.delete(oldest);
    }
    this.update();
  }

  private update(): void {
    const all = [...this.kernels, ...this.once.values()];
    const byCode = new Map(all.map((notice) => [notice.code, notice]));
    for (const notice of all.reverse()) byCode.set(notice.code, notice);
    this.all.value = [...byCode.values()];
  }
}

/** What has every task that was kept, in Python: of a kernel's session, or of a file. */
export const allTasks = (live: boolean): string =>
  live ? "session.recording.tasks" : "daskscope.load(…).tasks";

/** The page holds no more in detail; nothing is missing from the recording. */
export function pageFaded(
  rows: number,
  fadedRows: number,
  live: boolean,
): Notice {
  const millions = (count: number) => `${(count / 1e6).toFixed(1)} million`;
  return {
    code: "page-faded",
    level: "info",
    text: `This page holds the newest ${millions(rows)} rows in detail; ${millions(fadedRows)} older ones are a coarse picture now.`,
    next: `${allTasks(live)} has all that are kept.${live ? " Reload the page to fetch the newest again." : ""}`,
  };
}
