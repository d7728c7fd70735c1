// When workers spilled, as far as this page saw it: the kernel tells how much
// is on disk now, the events row wants from when to when.

import { effect, signal } from "@preact/signals";
import type { Change } from "../../model/types";
import type { SessionMirror } from "../panel/session_mirror";

/** Workers that spill and stop all day must not fill the page. */
const MOST_KEPT = 2000;

export class SpillWatch {
  readonly changes = signal<readonly Change[]>([]);
  private readonly spilling = new Set<string>();
  private readonly stop: () => void;

  constructor(mirror: SessionMirror) {
    this.stop = effect(() => {
      const time = mirror.now.value;
      const news: Change[] = [];
      for (const { address, spilled } of mirror.workers.value) {
        const was = this.spilling.has(address);
        if (spilled > 0 === was || !(time > 0)) continue;
        if (was) this.spilling.delete(address);
        else this.spilling.add(address);
        const what = was ? "running" : "spilling";
        news.push({ time, worker: address, what, detail: "" });
      }
      if (news.length === 0) return;
      const all = [...this.changes.peek(), ...news];
      this.changes.value = all.slice(-MOST_KEPT);
    });
  }

  dispose(): void {
    this.stop();
  }
}
