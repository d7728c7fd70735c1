// The single store of a browser page. All panels share it, so that a kernel sends the data
// of a session once.

import { type Signal, signal } from "@preact/signals";
import { LIMITS } from "../schema";
import { SharedSession } from "./session";
import { Channel, KernelLink, type Port } from "../link/channel";
import type { SessionLink } from "../link/types";

/** Number of stores to keep after their last panel closed, because it may come back. */
const MAX_IDLE_STORES = 2;

// crypto.randomUUID needs a secure context, which JupyterHub on plain HTTP is not.
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Page {
  readonly id = randomId();
  /** Whether the browser tab is visible. */
  readonly visible: Signal<boolean> = signal(true);
  /** The sessions that the page holds, oldest first. */
  readonly sessions: Signal<readonly SharedSession[]> = signal([]);
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
      if (!persisted) for (const link of this.links.values()) link.sendBye();
    });
  }

  /** Open a channel over a comm and greet its kernel. */
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

  /** The store of a session; created when the first panel asks for it. */
  session(link: SessionLink, id: string): SharedSession {
    const key = `${link.kernelId} ${id}`;
    const known = this.stores.get(key);
    if (known) return known;
    const store = new SharedSession(link, id, this.visible, () => {
      this.stores.delete(key);
      this.sessions.value = [...this.stores.values()];
      this.dropIdleLinks();
    });
    this.stores.set(key, store);
    this.sessions.value = [...this.stores.values()];
    store.dataVersion.subscribe(() => this.makeRoomFor(store));
    const others = [...this.stores.values()].filter((old) => old !== store);
    const idle = others.filter((old) => old.idle);
    for (const old of idle.slice(0, -MAX_IDLE_STORES)) old.dispose();
    return store;
  }

  /** The other listed sessions of the page, with their names. */
  beside(shown: unknown): { name: string; session: SharedSession }[] {
    return this.sessions
      .peek()
      .filter((session) => session.listed && session !== shown)
      .map((session) => ({ name: session.info.peek().name, session }));
  }

  /** Each store bounds only its own rows, so idle stores are dropped if all have too many. */
  private makeRoomFor(grown: SharedSession): void {
    const stores = [...this.stores.values()];
    let total = stores.reduce((sum, { model }) => sum + model.rows, 0);
    for (const store of stores) {
      if (total <= LIMITS.page_rows) return;
      const { rows } = store.model;
      // A store without rows may be new, and its panel about to subscribe.
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

/** The code of a build is evaluated once per page (homes/code.ts), so there is one. */
export const thePage = (): Page => (page ??= new Page());
