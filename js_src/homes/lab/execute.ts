// Evaluates one Python expression in a notebook's kernel: silently, and without a
// trace in its namespace or history.

import { type Kernel, KernelMessage } from "@jupyterlab/services";

/** The result of an evaluation. */
export type Outcome =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "raised"; readonly name: string; readonly text: string };

interface ExpressionReply {
  status?: string;
  data?: Record<string, unknown>;
  ename?: string;
  evalue?: string;
}

type ExecuteMessage = KernelMessage.IExecuteRequestMsg;
type ExecuteReply = KernelMessage.IExecuteReplyMsg;

const ANSWER = "daskscope";
const RETRY_MS = 200;
const MAX_TRIES = 20;

/** IPython's JSON class serialises the value. */
function asJson(expression: string): string {
  return `__import__("IPython.display", fromlist=["JSON"]).JSON({"value": ${expression}})`;
}

/**
 * Evaluate an expression whose value is plain data: in a subshell at once, even during a
 * cell; otherwise after the cell. Rejects if the kernel ends. `onBegin` is called when
 * the kernel starts the evaluation.
 */
export async function evaluate(
  kernel: Kernel.IKernelConnection,
  expression: string,
  subshellId: string | null,
  onBegin: () => void = () => {},
): Promise<Outcome> {
  for (let tries = 1; ; tries++) {
    const reply = await ask(kernel, expression, subshellId, onBegin);
    if (!reply) return raised("KernelGone", "The kernel did not answer.");
    // If a cell fails or is interrupted, the kernel aborts all requests behind it.
    const dropped = reply.content.status === "aborted" && tries < MAX_TRIES;
    if (!dropped) return outcomeOf(reply);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function ask(
  kernel: Kernel.IKernelConnection,
  expression: string,
  subshellId: string | null,
  onBegin: () => void,
): Promise<ExecuteReply | undefined> {
  const message = KernelMessage.createMessage<ExecuteMessage>({
    msgType: "execute_request",
    channel: "shell",
    username: kernel.username,
    session: kernel.clientId,
    ...(subshellId ? { subshellId } : {}),
    content: {
      code: "",
      silent: true,
      store_history: false,
      allow_stdin: false,
      // A failure of this request must not abort the cells behind it.
      stop_on_error: false,
      user_expressions: { [ANSWER]: asJson(expression) },
    },
  });
  const future = kernel.sendShellMessage(message, true);
  future.onIOPub = ({ header, content }) => {
    if (header.msg_type !== "status") return;
    const { execution_state } = content as { execution_state?: string };
    if (execution_state === "busy") onBegin();
  };
  return (await future.done) as ExecuteReply | undefined;
}

function raised(name: string, text: string): Outcome {
  return { kind: "raised", name, text };
}

function outcomeOf({ content }: ExecuteReply): Outcome {
  if (content.status !== "ok") {
    const failed = content as { ename?: string; evalue?: string };
    return raised(failed.ename ?? content.status, failed.evalue ?? "");
  }
  const answers = content.user_expressions as Record<string, ExpressionReply>;
  const answer = answers[ANSWER];
  if (answer?.status !== "ok") {
    return raised(answer?.ename ?? "Error", answer?.evalue ?? "");
  }
  const wrapped = answer.data?.["application/json"] as { value?: unknown };
  return { kind: "value", value: wrapped?.value };
}
