// One notebook's kernel as panels need it: found, entered, lost and found again.
// Knows nothing of panels; they hold it with `use()` and read `state`.

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
  /** Nobody has asked yet, or the notebook has no kernel. */
  | { readonly kind: "no-kernel" }
  | { readonly kind: "starting" }
  /** A cell runs and the kernel has no subshells. */
  | { readonly kind: "busy" }
  /** It imports daskscope, which takes long. */
  | { readonly kind: "loading" }
  | { readonly kind: "other-language"; readonly language: string }
  /** The kernel's environment lacks daskscope. */
  | { readonly kind: "missing" }
  | { readonly kind: "failed"; readonly problem: Problem }
  | {
      readonly kind: "open";
      readonly link: KernelLink;
      /** Whether new clients are recorded by themselves. */
      readonly recorder: boolean;
    };

const ENSURE =
  '__import__("daskscope.kernel", fromlist=["ensure"]).ensure() and None';
const HAS_DISTRIBUTED = '"distributed" in __import__("sys").modules';
/** An idle kernel with a fast disk has loaded daskscope by then. */
const SLOW_AFTER_MS = 3_000;
const RETRY_MS = 2_000;
/** The page holds no more than a few sessions that no panel shows. */
const MAX_EARLIER = 10;

function isMissing(outcome: Outcome): boolean {
  return (
    outcome.kind === "raised" &&
    outcome.name === "ModuleNotFoundError" &&
    outcome.text.includes("daskscope")
  );
}

/** Load daskscope in the kernel; returns what prevents it, if anything. */
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
  /** The clients of this kernel; empty while there is no way to it. */
  readonly sessions: Signal<SessionEntry[]> = signal<SessionEntry[]>([]);
  /** The kernel before this one died: it was not restarted by the user. */
  readonly died: Signal<boolean> = signal(false);
  /** Grows with every new kernel, also one of the same id. */
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
    // The last moment at which the comm can be closed in the kernel.
    context.disposed.connect(() => this.dispose());
  }

  /** By which notebooks that share a kernel know it; null while there is none. */
  get id(): string | null {
    return this.kernel()?.id ?? null;
  }

  /** Use the kernel for as long as it is held. */
  use(): () => void {
    if (++this.users === 1) void this.connect();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      // Its notebook may be closed in the same moment, and the connection with it.
      if (--this.users === 0) this.disconnect({ kind: "no-kernel" }, true);
    };
  }

  /** Try again, unless it works or is being tried. */
  again(): void {
    const { kind } = this.state.peek();
    if (kind === "missing" || kind === "failed") void this.connect();
  }

  /** Whether Dask is loaded there; asks without loading anything. */
  async hasDask(): Promise<boolean> {
    const kernel = this.kernel();
    if (!kernel || isGone(kernel)) return false;
    await this.up(kernel, () => kernel === this.kernel());
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
      status === "idle" && // and not of the old kernel, on its way out
      !this.context.isRestarting &&
      this.users > 0 &&
      this.state.peek().kind === "starting" &&
      !this.connecting &&
      !this.comm // else it only waits for the welcome
    ) {
      void this.connect();
    }
  };

  /** Wait for a kernel that has been started again. */
  private async up(
    kernel: Kernel.IKernelConnection,
    wanted: () => boolean,
  ): Promise<void> {
    if (!this.isNew) return;
    const start = this.starts.peek();
    const still = () => wanted() && start === this.starts.peek();
    await restarted(kernel, still);
    if (still()) this.isNew = false;
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
    const tellSlow = () => {
      if (!current() || !slow) return;
      // A subshell takes its time, too, but waits for no cell.
      if (loads) this.state.value = { kind: "loading" };
      else if (!subshell) this.state.value = { kind: "busy" };
    };
    let slowly: ReturnType<typeof setTimeout> | undefined;
    try {
      await this.up(kernel, current);
      if (!current()) return;
      slowly = setTimeout(() => {
        slow = true;
        tellSlow();
      }, SLOW_AFTER_MS);
      const facts = await kernelFacts(kernel);
      subshell = await openSubshell(kernel, facts);
      const refusal = await enter(kernel, facts.language, subshell, () => {
        loads = true;
        tellSlow();
      });
      if (!current()) return;
      if (refusal) {
        this.state.value = refusal;
        return;
      }
      const comm = openComm(kernel, subshell, () => this.lost(comm));
      this.follow(comm);
      subshell = null; // the comm has it from here on
    } catch (error) {
      // The kernel went away while it was asked; a new one is announced.
      if (!current()) return;
      this.state.value = { kind: "failed", problem: asProblem(error) };
    } finally {
      clearTimeout(slowly);
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

  /** Widgets' comms went with the kernel, too, though they do not show it yet. */
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
