// Opens a comm to a kernel, as a port of the page's channel.

import { type Kernel, KernelMessage } from "@jupyterlab/services";
import type { JSONObject } from "@lumino/coreutils";
import { COMM_TARGET } from "../../schema";
import { thePage } from "../../session/page";
import type { Channel } from "../../link/channel";
import { isGone, type Subshell, within } from "./subshell";

/** An open comm with its subshell, and its channel. */
export interface CommChannel {
  readonly channel: Channel;
  /** Close all of them. `leaving`: the connection to the kernel may close at any moment. */
  close(leaving?: boolean): void;
}

/** Longest wait for a reply; a kernel that is busy for longer still gets the message. */
const FAREWELL_MS = 10_000;

type CommMessage = "comm_open" | "comm_msg" | "comm_close";

function send(
  kernel: Kernel.IKernelConnection,
  msgType: CommMessage,
  content: JSONObject,
  subshellId?: string,
): Kernel.IShellFuture {
  const message = KernelMessage.createMessage({
    msgType,
    channel: "shell",
    username: kernel.username,
    session: kernel.clientId,
    ...(subshellId === undefined ? {} : { subshellId }),
    content,
  } as never) as unknown as KernelMessage.IShellMessage;
  return kernel.sendShellMessage(message, false, true);
}

/**
 * Close comm and subshell over a separate connection, because a server drops messages
 * that it has not passed on when the connection they came from is closed.
 */
function closeFromOutside(
  kernel: Kernel.IKernelConnection,
  comm_id: string,
  subshell: Subshell | null,
): void {
  const connection = kernel.clone();
  const { done } = send(connection, "comm_close", { comm_id, data: {} });
  const closed = Promise.all([done, subshell?.close(connection)]);
  void within(closed, FAREWELL_MS)
    .catch(() => null) // the kernel is gone, and the comm with it
    .finally(() => connection.dispose());
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
    void subshell?.close();
    onClose();
  };
  let channel: Channel | null = null;
  if (subshell) {
    const target = { ...address, target_name: COMM_TARGET, data: {} };
    // A running cell does not delay messages to a subshell. JupyterLab creates no
    // subshells for comms on a page that is loaded while a cell runs.
    send(kernel, "comm_open", target, subshell.id);
  } else {
    comm.open({});
  }
  channel = thePage().connect({
    kind: "comm",
    subshell: subshell !== null,
    send(message) {
      if (!open || comm.isDisposed || kernel.isDisposed) return;
      const data = message as unknown as JSONObject;
      if (subshell) {
        send(kernel, "comm_msg", { ...address, data }, subshell.id);
      } else {
        comm.send(data);
      }
    },
  });
  return {
    channel,
    close(leaving = false) {
      if (!open) return;
      channel.close();
      open = false;
      if (leaving || isGone(kernel)) {
        comm.dispose();
        if (!isGone(kernel)) closeFromOutside(kernel, comm.commId, subshell);
      } else {
        if (!comm.isDisposed) comm.close();
        void subshell?.close();
      }
    },
  };
}
