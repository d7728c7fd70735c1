// A comm of the kernel as a port of the page's stream.

import type { Kernel } from "@jupyterlab/services";
import type { JSONObject } from "@lumino/coreutils";
import { COMM_TARGET } from "../../schema";
import { thePage } from "../../session_page";
import type { Channel } from "../../stream";
import type { PageMessage } from "../../wire";

/** JupyterLab ≥ 4.4 sends over a subshell, once that has started. */
type SubshellComm = Kernel.IComm & { subshellStarted?: Promise<void> };

/** A kernel that cannot start a subshell must not hold up the panel. */
const SUBSHELL_WAIT_MS = 3_000;

async function subshellReady(
  kernel: Kernel.IKernelConnection,
  comm: SubshellComm,
): Promise<void> {
  const mode: string | undefined = kernel.commsOverSubshells;
  const wanted = kernel.supportsSubshells && mode !== "disabled";
  if (!wanted || !comm.subshellStarted) return;
  await Promise.race([
    comm.subshellStarted.catch(() => undefined),
    new Promise((resolve) => setTimeout(resolve, SUBSHELL_WAIT_MS)),
  ]);
}

/** An open comm and its channel; `close` ends both. */
export interface CommChannel {
  readonly channel: Channel;
  close(): void;
}

/** Open a comm to daskscope in this kernel. `onClose`: the kernel closed it. */
export async function openComm(
  kernel: Kernel.IKernelConnection,
  onClose: () => void,
): Promise<CommChannel> {
  const comm: SubshellComm = kernel.createComm(COMM_TARGET);
  await subshellReady(kernel, comm);
  let open = true;
  comm.onMsg = ({ content, buffers }) => {
    channel?.receive(content.data, buffers);
  };
  comm.onClose = () => {
    open = false;
    channel?.close();
    onClose();
  };
  let channel: Channel | null = null;
  comm.open({});
  channel = thePage().connect({
    kind: "comm",
    send(message: PageMessage) {
      if (!open || comm.isDisposed || kernel.isDisposed) return;
      comm.send(message as unknown as JSONObject);
    },
  });
  return {
    channel,
    close() {
      if (!open) return;
      channel.close();
      open = false;
      if (!comm.isDisposed && !kernel.isDisposed) comm.close();
    },
  };
}
