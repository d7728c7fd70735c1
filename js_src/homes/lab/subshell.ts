// Whether a kernel can answer while a cell runs, and a subshell for that.

import { type Kernel, KernelAPI, KernelMessage } from "@jupyterlab/services";

/** A kernel that was asked too early for a subshell never answers. */
const CREATE_MS = 10_000;
const INFO_MS = 5_000;
const RETRY_MS = 500;
/** An idle kernel has described itself by then. */
const IDLE_MS = 1_500;

const SUBSHELLS = "kernel subshells";

export interface KernelFacts {
  readonly language: string;
  readonly subshells: boolean;
}

const sleep = (time_ms: number) =>
  new Promise<null>((resolve) => setTimeout(() => resolve(null), time_ms));

/** What the promise brings, or null after that time. */
export function within<T>(
  promise: Promise<T>,
  time_ms: number,
): Promise<T | null> {
  return Promise.race([promise, sleep(time_ms)]);
}

/**
 * Wait until a kernel that has just been started again takes messages.
 *
 * ipykernel's main shell has to be up before the first subshell: a request that
 * comes earlier is never answered. `wanted` ends the waiting.
 */
export async function restarted(
  kernel: Kernel.IKernelConnection,
  wanted: () => boolean,
): Promise<void> {
  while (wanted() && !kernel.isDisposed) {
    try {
      // The request may get lost while the kernel's sockets are not open yet.
      if (await within(kernel.requestKernelInfo(), INFO_MS)) return;
    } catch {
      await sleep(RETRY_MS); // not connected yet
    }
  }
}

/**
 * A request on the control channel, where ipykernel answers during a cell.
 * JupyterLab's own methods refuse until the kernel has described itself, which
 * a busy one does after the cell.
 */
async function control<T>(
  kernel: Kernel.IKernelConnection,
  msgType: string,
  content: object,
): Promise<T> {
  const message = KernelMessage.createMessage({
    msgType,
    channel: "control",
    username: kernel.username,
    session: kernel.clientId,
    content,
  } as never) as unknown as KernelMessage.IControlMessage;
  const reply = await kernel.sendControlMessage(message, true).done;
  return (reply as unknown as { content: T }).content;
}

/** For a page that is loaded during a cell: the usual description comes after it. */
async function infoOfBusy(
  kernel: Kernel.IKernelConnection,
  isKnown: () => boolean,
): Promise<KernelMessage.IInfoReply> {
  await sleep(IDLE_MS);
  if (isKnown()) return kernel.info; // an idle one need not be asked again
  const { id, serverSettings } = kernel;
  const model = await KernelAPI.getKernelModel(id, serverSettings);
  // Which shell is idle it does not say; but one that only starts, and must not
  // be asked for subshells yet, is neither.
  const state = model?.execution_state;
  if (state !== "busy" && state !== "idle") return kernel.info;
  return control(kernel, "kernel_info_request", {});
}

export async function kernelFacts(
  kernel: Kernel.IKernelConnection,
): Promise<KernelFacts> {
  let known = false;
  const busy = infoOfBusy(kernel, () => known).catch(() => kernel.info);
  const info = await Promise.race([kernel.info, busy]);
  known = true;
  const { supported_features: features } = info as {
    supported_features?: string[];
  };
  return {
    language: info.language_info.name,
    // JupyterLab knows how to make one from 4.4 on.
    subshells:
      (features?.includes(SUBSHELLS) ?? false) &&
      typeof kernel.requestCreateSubshell === "function",
  };
}

/** A kernel that restarts or has died took its comms and subshells along. */
export function isGone(kernel: Kernel.IKernelConnection): boolean {
  const gone = ["restarting", "autorestarting", "dead", "terminating"];
  return kernel.isDisposed || gone.includes(kernel.status);
}

export interface Subshell {
  readonly id: string;
  /** `over`: another connection to the same kernel. Never rejects. */
  close(over?: Kernel.IKernelConnection): Promise<unknown>;
}

/** Null where there are none, or when the kernel does not make one. */
export async function openSubshell(
  kernel: Kernel.IKernelConnection,
  facts: KernelFacts,
): Promise<Subshell | null> {
  if (!facts.subshells) return null;
  const created = await within(
    control<{ subshell_id?: string }>(kernel, "create_subshell_request", {}),
    CREATE_MS,
  );
  const id = created?.subshell_id;
  if (!id) return null;
  return {
    id,
    async close(over = kernel) {
      if (isGone(kernel)) return;
      await control(over, "delete_subshell_request", { subshell_id: id }).catch(
        () => undefined, // the kernel went away, and the subshell with it
      );
    },
  };
}
