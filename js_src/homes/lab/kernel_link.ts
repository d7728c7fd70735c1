// Connects to a notebook's kernel, and again after restarts and lost connections. Knows
// nothing of panels, which hold it with `use()` and read `state`.

import type { ISessionContext } from "@jupyterlab/apputils";
import type { Kernel } from "@jupyterlab/services";
import { type Signal, signal } from "@preact/signals";
import { asProblem, type Problem } from "../../errors";
import type { ChannelState, KernelLink } from "../../link/channel";
import type { SessionEntry } from "../../link/wire";
import { badSetting } from "../empty_states";
import { type CommChannel, openComm } from "./comm_port";
import { evaluate, type Outcome } from "./execute";
import {
  isGone,
  kernelFacts,
  openSubshell,
  restarted,
  type Subshell,
} from "./subshell";

export type KernelState =
  /** The kernel is not in use, or the notebook has none. */
  | { readonly kind: "no-kernel" }
  | { readonly kind: "starting" }
  /** A cell runs and the kernel has no subshells. */
  | { readonly kind: "busy" }
  /** The kernel imports daskscope, which may take long. */
  | { readonly kind: "loading" }
  | { readonly kind: "other-language"; readonly language: string }
  /** The kernel's environment lacks daskscope. */
  | { readonly kind: "missing" }
  | { readonly kind: "failed"; readonly problem: Problem }
  | {
      readonly kind: "open";
      readonly link: KernelLink;
      /** Whether the kernel records new clients automatically. */
      readonly recorder: boolean;
    };

const ENSURE =
  '__import__("daskscope.kernel", fromlist=["ensure"]).ensure() and None';
const HAS_DISTRIBUTED = '"distributed" in __import__("sys").modules';
/** An idle kernel with a fast disk loads daskscope in less time. */
const SLOW_AFTER_MS = 3_000;
const RETRY_MS = 2_000;
/** More are not needed, since the page keeps only a few sessions without panels. */
const MAX_EARLIER = 10;

function isMissing(outcome: Outcome): boolean {
  return (
    outcome.kind === "raised" &&
    outcome.name === "ModuleNotFoundError" &&
    outcome.text.includes("daskscope")
  );
}

/** Load daskscope in the kernel; returns the state that prevents it, or null. */
async function enter(
  kernel: Kernel.IKernelConnection,
  language: string,
  subshell: Subshell | null,
  onBegin: () => void,
): Promise<KernelState | null> {
  if (language !== "python") return { kind: "other-language", language };
  const id = subshell?.id ?? null;
  const outcome = await evaluate(kernel, ENSURE, id, onBegin);
  if (outcome.kind === "value") return null;
  if (isMissing(outcome)) return { kind: "missing" };
  if (outcome.name === "BadSettingError") {
    return { kind: "failed", problem: badSetting(outcome.text) };
  }
  const problem = {
    code: "kernel-import",
    text: `daskscope could not be loaded in the kernel: ${outcome.name}: ${outcome.text}`,
    next: "Repair its installation there, then try again.",
  };
  return { kind: "failed", problem };
}

export class NotebookKernel {
  readonly state: Signal<KernelState> = signal<KernelState>({
    kind: "no-kernel",
  });
  /** The sessions of this kernel; empty without a connection. */
  readonly sessions: Signal<SessionEntry[]> = signal<SessionEntry[]>([]);
  /** Whether the previous kernel died; false if the user restarted it. */
  readonly died: Signal<boolean> = signal(false);
  /** Grows with every new kernel, even if its id is the same. */
  readonly starts: Signal<number> = signal(0);
  /** Ids of the kernels that this notebook had before. */
  readonly earlierKernels: Signal<readonly string[]> = signal([]);
  private users = 0;
  private attempt = 0;
  private comm: CommChannel | null = null;
  private readonly stops: (() => void)[] = [];
  private stopLink: () => void = () => {};
  private retry: ReturnType<typeof setTimeout> | undefined;
  private wasDisconnected = false;
  private connecting = false;
  private isNew = false;
  private kernelId: string | null = null;

  constructor(private readonly context: ISessionContext) {
    context.kernelChanged.connect(this.onKernel);
    context.statusChanged.connect(this.onStatus);
    context.connectionStatusChanged.connect(this.onConnection);
    // This is the last moment at which the comm can be closed in the kernel.
    context.disposed.connect(() => this.dispose());
  }

  /** Id of the kernel, which several notebooks may share; null if there is none. */
  get id(): string | null {
    return this.kernel()?.id ?? null;
  }

  /** Keep the kernel connected; returns a function that releases it. */
  use(): () => void {
    if (++this.users === 1) void this.connect();
    let inUse = true;
    return () => {
      if (!inUse) return;
      inUse = false;
      // If its notebook is being closed, the connection closes in the same moment.
      if (--this.users === 0) this.disconnect({ kind: "no-kernel" }, true);
    };
  }

  /** Try again to connect if the last attempt failed. */
  reconnect(): void {
    const { kind } = this.state.peek();
    if (kind === "missing" || kind === "failed") void this.connect();
  }

  /** Whether the kernel has loaded Dask; does not load anything. */
  async hasDask(): Promise<boolean> {
    const kernel = this.kernel();
    if (!kernel || isGone(kernel)) return false;
    await this.waitUntilUp(kernel, () => kernel === this.kernel());
    const facts = await kernelFacts(kernel);
    if (facts.language !== "python") return false;
    const subshell = await openSubshell(kernel, facts);
    const id = subshell?.id ?? null;
    const outcome = await evaluate(kernel, HAS_DISTRIBUTED, id).finally(
      () => void subshell?.close(),
    );
    return outcome.kind === "value" && outcome.value === true;
  }

  dispose(): void {
    this.users = 0;
    this.disconnect({ kind: "no-kernel" }, true);
    this.context.kernelChanged.disconnect(this.onKernel);
    this.context.statusChanged.disconnect(this.onStatus);
    this.context.connectionStatusChanged.disconnect(this.onConnection);
  }

  private kernel(): Kernel.IKernelConnection | null {
    const kernel = this.context.session?.kernel ?? null;
    return kernel?.isDisposed ? null : kernel;
  }

  private readonly onKernel = (): void => {
    this.died.value = false;
    this.end();
    this.disconnect({ kind: "no-kernel" });
    this.starts.value += 1;
    if (this.users > 0) void this.connect();
  };

  private readonly onStatus = (_: unknown, status: Kernel.Status): void => {
    if (status === "restarting" || status === "autorestarting") {
      this.isNew = true;
      this.died.value = status === "autorestarting";
      this.end();
      this.disconnect({ kind: "starting" });
      this.starts.value += 1;
    } else if (status === "dead" || status === "terminating") {
      this.end();
      this.disconnect({ kind: "no-kernel" });
    } else if (
      status === "idle" && // but not of the old kernel while it restarts
      !this.context.isRestarting &&
      this.users > 0 &&
      this.state.peek().kind === "starting" &&
      !this.connecting &&
      !this.comm // with a comm, only the welcome is missing
    ) {
      void this.connect();
    }
  };

  /** Wait until a restarted kernel accepts messages. */
  private async waitUntilUp(
    kernel: Kernel.IKernelConnection,
    wanted: () => boolean,
  ): Promise<void> {
    if (!this.isNew) return;
    const start = this.starts.peek();
    const isCurrent = () => wanted() && start === this.starts.peek();
    await restarted(kernel, isCurrent);
    if (isCurrent()) this.isNew = false;
  }

  private readonly onConnection = (
    _: unknown,
    status: Kernel.ConnectionStatus,
  ): void => {
    if (status !== "connected") {
      this.wasDisconnected = true;
    } else if (this.wasDisconnected) {
      this.wasDisconnected = false;
      this.comm?.channel.hello(); // messages may have been lost meanwhile
    }
  };

  private async connect(): Promise<void> {
    const attempt = ++this.attempt;
    const current = () => attempt === this.attempt;
    clearTimeout(this.retry);
    const kernel = this.kernel();
    if (!kernel) {
      this.state.value = { kind: "no-kernel" };
      return;
    }
    this.state.value = { kind: "starting" };
    this.connecting = true;
    let subshell: Subshell | null = null;
    let loads = false;
    let slow = false;
    const showSlow = () => {
      if (!current() || !slow) return;
      // A slow request in a subshell does not wait for a cell.
      if (loads) this.state.value = { kind: "loading" };
      else if (!subshell) this.state.value = { kind: "busy" };
    };
    let slowTimer: ReturnType<typeof setTimeout> | undefined;
    try {
      await this.waitUntilUp(kernel, current);
      if (!current()) return;
      slowTimer = setTimeout(() => {
        slow = true;
        showSlow();
      }, SLOW_AFTER_MS);
      const facts = await kernelFacts(kernel);
      subshell = await openSubshell(kernel, facts);
      const refusal = await enter(kernel, facts.language, subshell, () => {
        loads = true;
        showSlow();
      });
      if (!current()) return;
      if (refusal) {
        this.state.value = refusal;
        return;
      }
      const comm = openComm(kernel, subshell, () => this.lost(comm));
      this.follow(comm);
      subshell = null; // owned by the comm from now on
    } catch (error) {
      // If the kernel ended, its signal has already set the next state.
      if (!current()) return;
      this.state.value = { kind: "failed", problem: asProblem(error) };
    } finally {
      clearTimeout(slowTimer);
      void subshell?.close();
      if (current()) this.connecting = false;
    }
  }

  private follow(comm: CommChannel): void {
    this.comm = comm;
    this.stops.push(
      comm.channel.state.subscribe((state) => this.onChannel(state)),
    );
  }

  private onChannel(state: ChannelState): void {
    if (state.kind === "open") {
      const { link } = state;
      this.stopLink();
      this.remember(link.kernelId);
      const stops = [
        link.sessions.subscribe((sessions) => {
          this.sessions.value = sessions;
        }),
        link.recorder.subscribe((recorder) => {
          this.state.value = { kind: "open", link, recorder };
        }),
      ];
      this.stopLink = () => {
        for (const stop of stops) stop();
      };
    } else if (state.kind === "failed") {
      this.state.value = { kind: "failed", problem: state.problem };
    }
  }

  private remember(kernelId: string): void {
    const before = this.kernelId;
    this.kernelId = kernelId;
    if (before === null || before === kernelId) return;
    const earlier = this.earlierKernels.peek();
    this.earlierKernels.value = [...earlier, before].slice(-MAX_EARLIER);
  }

  /** The kernel closed the comm, for instance when daskscope was reloaded. */
  private lost(comm: CommChannel): void {
    if (this.comm !== comm) return;
    this.disconnect({ kind: "starting" });
    if (this.users > 0) {
      this.retry = setTimeout(() => void this.connect(), RETRY_MS);
    }
  }

  /** Close all channels to the kernel; widgets' comms do not notice its end at once. */
  private end(): void {
    const state = this.state.peek();
    if (state.kind === "open") state.link.end();
  }

  private disconnect(state: KernelState, leaving = false): void {
    this.attempt += 1;
    this.connecting = false;
    clearTimeout(this.retry);
    const { comm } = this;
    this.comm = null;
    comm?.close(leaving);
    for (const stop of this.stops.splice(0)) stop();
    this.stopLink();
    this.stopLink = () => {};
    this.sessions.value = [];
    this.state.value = state;
  }
}
