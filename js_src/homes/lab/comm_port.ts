// A comm of the kernel as a port of the page's stream.

import { type Kernel, KernelMessage } from "@jupyterlab/services";
import type { JSONObject } from "@lumino/coreutils";
import { COMM_TARGET } from "../../schema";
import { thePage } from "../../session_page";
import type { Channel } from "../../stream";
import { isGone, type Subshell } from "./subshell";

/** An open comm and its channel; `close` ends both. */
export interface CommChannel {
  readonly channel: Channel;
  close(): void;
}

/**
 * Send a comm's messages to a subshell of ours, where a cell does not hold them
 * up. JupyterLab's own subshells for comms are not there on a page that is
 * loaded during a cell.
 */
function sendTo(
  kernel: Kernel.IKernelConnection,
  subshell: Subshell,
  msgType: "comm_open" | "comm_msg",
  content: JSONObject,
): void {
  const message = KernelMessage.createMessage({
    msgType,
    channel: "shell",
    username: kernel.username,
    session: kernel.clientId,
    subshellId: subshell.id,
    content,
  } as never) as unknown as KernelMessage.IShellMessage;
  kernel.sendShellMessage(message, false, true);
}

/** Open a comm to daskscope in this kernel. `onClose`: the kernel closed it. */
export function openComm(
  kernel: Kernel.IKernelConnection,
  subshell: Subshell | null,
  onClose: () => void,
): CommChannel {
  const comm = kernel.createComm(COMM_TARGET);
  const address = { comm_id: comm.commId };
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
  if (subshell) {
    const target = { ...address, target_name: COMM_TARGET, data: {} };
    sendTo(kernel, subshell, "comm_open", target);
  } else {
    comm.open({});
  }
  channel = thePage().connect({
    kind: "comm",
    send(message) {
      if (!open || comm.isDisposed || kernel.isDisposed) return;
      const data = message as unknown as JSONObject;
      if (subshell) sendTo(kernel, subshell, "comm_msg", { ...address, data });
      else comm.send(data);
    },
  });
  return {
    channel,
    close() {
      if (!open) return;
      channel.close();
      open = false;
      if (isGone(kernel)) comm.dispose();
      else if (!comm.isDisposed) comm.close();
    },
  };
}
