// Finds out whether a kernel can answer while a cell runs, and opens a subshell for this.

import { type Kernel, KernelAPI, KernelMessage } from "@jupyterlab/services";

/** A kernel that was asked too early for a subshell never answers. */
const CREATE_MS = 10_000;
const INFO_MS = 5_000;
const RETRY_MS = 500;
/** An idle kernel answers a request for its info in less time. */
const IDLE_MS = 1_500;

const SUBSHELLS = "kernel subshells";

export interface KernelFacts {
  readonly language: string;
  readonly subshells: boolean;
}

const sleep = (time_ms: number) =>
  new Promise<null>((resolve) => setTimeout(() => resolve(null), time_ms));

/** The value of the promise, or null after this time. */
export function within<T>(
  promise: Promise<T>,
  time_ms: number,
): Promise<T | null> {
  return Promise.race([promise, sleep(time_ms)]);
}

/**
 * Wait until a restarted kernel accepts messages.
 *
 * ipykernel never answers a request for a subshell that arrives before its main shell is
 * up. The wait ends if `wanted` returns false.
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
 * Send a request on the control channel, which ipykernel answers during a cell.
 * JupyterLab's own methods reject until the kernel's info has arrived, which a busy
 * kernel sends after the cell.
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

/** For a page that is loaded during a cell, because the usual info comes after the cell. */
async function infoOfBusy(
  kernel: Kernel.IKernelConnection,
  isKnown: () => boolean,
): Promise<KernelMessage.IInfoReply> {
  await sleep(IDLE_MS);
  if (isKnown()) return kernel.info; // an idle kernel need not be asked again
  const { id, serverSettings } = kernel;
  const model = await KernelAPI.getKernelModel(id, serverSettings);
  // The state may be that of any shell; but a starting kernel, which must not be asked
  // for subshells yet, is neither busy nor idle.
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
    // JupyterLab supports subshells from 4.4 on.
    subshells:
      (features?.includes(SUBSHELLS) ?? false) &&
      typeof kernel.requestCreateSubshell === "function",
  };
}

/** Whether the kernel restarts or has died, and with it its comms and subshells. */
export function isGone(kernel: Kernel.IKernelConnection): boolean {
  const gone = ["restarting", "autorestarting", "dead", "terminating"];
  return kernel.isDisposed || gone.includes(kernel.status);
}

export interface Subshell {
  readonly id: string;
  /** `over`: another connection to the same kernel. Never rejects. */
  close(over?: Kernel.IKernelConnection): Promise<unknown>;
}

/** Open a subshell; null if the kernel has none, or does not answer. */
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
        () => undefined, // the kernel is gone, and the subshell with it
      );
    },
  };
}
