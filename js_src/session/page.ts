// The one store of a browser page, so that columns exist once a page and each kernel
// has one stream to it.

import { type Signal, signal } from "@preact/signals";
import { LIMITS } from "../schema";
import { SharedSession } from "./session";
import { Channel, KernelLink, type Port } from "../link/channel";
import type { SessionLink } from "../link/types";

/** Stores that no panel shows any more, kept for one that may come back. */
const MAX_IDLE_STORES = 2;

// Not crypto.randomUUID: a hub on plain HTTP is no secure context.
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Page {
  readonly id = randomId();
  /** Whether the tab itself can be seen. */
  readonly visible: Signal<boolean> = signal(true);
  /** The sessions of which the page holds something, oldest first. */
  readonly held: Signal<readonly SharedSession[]> = signal([]);
  private readonly links = new Map<string, KernelLink>();
  private readonly stores = new Map<string, SharedSession>(); // oldest first
  private readonly warned = new Set<string>();

  constructor() {
    if (typeof document === "undefined") return;
    const update = () => {
      this.visible.value = !document.hidden;
    };
    update();
    document.addEventListener("visibilitychange", update);
    addEventListener("pagehide", ({ persisted }) => {
      if (!persisted) for (const link of this.links.values()) link.sayBye();
    });
  }

  /** Use a comm to some kernel; the kernel is greeted at once. */
  connect(port: Port): Channel {
    const channel = new Channel(
      this.id,
      port,
      (kernelId) => this.link(kernelId),
      (text) => this.warnOnce(text),
    );
    channel.hello();
    return channel;
  }

  /** The store of a session; made when the first panel asks for it. */
  session(link: SessionLink, id: string): SharedSession {
    const key = `${link.kernelId} ${id}`;
    const known = this.stores.get(key);
    if (known) return known;
    const store = new SharedSession(link, id, this.visible, () => {
      this.stores.delete(key);
      this.held.value = [...this.stores.values()];
      this.dropIdleLinks();
    });
    this.stores.set(key, store);
    this.held.value = [...this.stores.values()];
    store.dataVersion.subscribe(() => this.makeRoomFor(store));
    const others = [...this.stores.values()].filter((old) => old !== store);
    const idle = others.filter((old) => old.idle);
    for (const old of idle.slice(0, -MAX_IDLE_STORES)) old.dispose();
    return store;
  }

  /** What else the page shows, by what it is called. */
  beside(shown: unknown): { name: string; session: SharedSession }[] {
    return this.held
      .peek()
      .filter((session) => session.listed && session !== shown)
      .map((session) => ({ name: session.info.peek().name, session }));
  }

  /** Each store bounds its own rows; hidden ones are dropped before they add up. */
  private makeRoomFor(grown: SharedSession): void {
    const stores = [...this.stores.values()];
    let total = stores.reduce((sum, { model }) => sum + model.rows, 0);
    for (const store of stores) {
      if (total <= LIMITS.page_rows) return;
      const { rows } = store.model;
      // One without rows may be new, and its panel about to look.
      if (store === grown || !store.idle || rows === 0) continue;
      total -= rows;
      store.dispose();
    }
  }

  private link(kernelId: string): KernelLink {
    let link = this.links.get(kernelId);
    if (!link) {
      this.dropIdleLinks();
      link = new KernelLink(this.id, kernelId);
      this.links.set(kernelId, link);
    }
    return link;
  }

  private dropIdleLinks(): void {
    for (const [id, link] of this.links) {
      if (!link.inUse) this.links.delete(id);
    }
  }

  private warnOnce(text: string): void {
    if (this.warned.has(text) || this.warned.size > 100) return;
    this.warned.add(text);
    console.warn(text);
  }
}

let page: Page | undefined;

/** A page evaluates the code of a build once (homes/code.ts), and this with it. */
export const thePage = (): Page => (page ??= new Page());
