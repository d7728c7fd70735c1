// A widget's model without a host: what is sent, and what listens.

import type { PageMessage } from "../../js_src/link/wire";

type Handler = (...args: unknown[]) => void;

export class FakeModel {
  readonly sent: PageMessage[] = [];
  readonly handlers = new Map<string, Set<Handler>>();

  constructor(readonly traits: Record<string, unknown> = {}) {}

  get = (name: string) => this.traits[name];
  send = (message: PageMessage) => void this.sent.push(message);
  on = (name: string, handler: Handler) => {
    const all = this.handlers.get(name) ?? new Set();
    this.handlers.set(name, all.add(handler));
  };
  off = (name: string, handler: Handler) =>
    void this.handlers.get(name)?.delete(handler);
  emit = (name: string, ...args: unknown[]) => {
    for (const handler of this.handlers.get(name) ?? []) handler(...args);
  };
  get listening(): number {
    return [...this.handlers.values()].reduce((n, { size }) => n + size, 0);
  }
}
