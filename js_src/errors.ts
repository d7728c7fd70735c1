// Known failures, each with a code that both languages share, what happened
// and what to do next. Panels show these sentences; nothing else is parsed.

/** What a person is told: what happened (and was done), and what to do next. */
export interface Problem {
  readonly code: string;
  readonly text: string;
  readonly next: string;
}

/** A failure that has a sentence for the person in front of the panel. */
export class DaskscopeError extends Error implements Problem {
  readonly code: string;
  readonly next: string;

  constructor(problem: Problem) {
    super(problem.text);
    this.name = "DaskscopeError";
    this.code = problem.code;
    this.next = problem.next;
  }

  get text(): string {
    return this.message;
  }
}

/** Turn whatever was thrown into a problem that can be shown. */
export function asProblem(error: unknown): Problem {
  if (error instanceof DaskscopeError) return error;
  const what = error instanceof Error ? error.message : String(error);
  const text = /[.!?]$/.test(what) ? what : `${what}.`;
  return {
    code: "internal",
    text: `Something unexpected happened in this page: ${text}`,
    next: "Reload the page. If it happens again, please report it.",
  };
}

const ANSWERS_DURING_CELLS =
  "ipykernel 7 and JupyterLab 4.4, both or newer, let a kernel answer during a cell.";

export const kernelBusy = (): DaskscopeError =>
  new DaskscopeError({
    code: "kernel-busy",
    text: "The kernel is busy and cannot answer until the cell ends.",
    next: `Wait for the cell. ${ANSWERS_DURING_CELLS}`,
  });

export const noAnswer = (
  timeout_ms: number,
  mayBeBusy: boolean,
): DaskscopeError =>
  new DaskscopeError({
    code: "no-answer",
    text: `The kernel did not answer within ${Math.round(timeout_ms / 1000)} s.`,
    next: mayBeBusy
      ? `If a cell runs, wait for it. ${ANSWERS_DURING_CELLS}`
      : "Try again; if it stays silent, look at the kernel's log.",
  });

export const notConnected = (): DaskscopeError =>
  new DaskscopeError({
    code: "not-connected",
    text: "This page has no connection to the kernel at the moment.",
    next: "It reconnects automatically; check that the kernel is running.",
  });

export const badMessage = (detail: string): DaskscopeError =>
  new DaskscopeError({
    code: "bad-message",
    text: `The kernel sent something that this page does not understand (${detail}).`,
    next: "Check that daskscope has the same version where JupyterLab and where the kernel runs.",
  });

export const badRows = (table: string, detail: string): DaskscopeError =>
  new DaskscopeError({
    code: "bad-rows",
    text: `Some rows of the table \`${table}\` cannot be read and are missing here (${detail}).`,
    next: "Check that daskscope has the same version where JupyterLab and where the kernel runs.",
  });

export const notReceived = (times: number): DaskscopeError =>
  new DaskscopeError({
    code: "not-received",
    text: `Some of what the kernel sent did not arrive, although it was asked for ${times} times, and may be missing here.`,
    next: "Reload the page. If it happens again, look for a limit on the size of messages between browser and kernel.",
  });

/** The two sides speak different protocols: say which one to upgrade. */
export function versionMismatch(
  page: { version: string; protocol: number },
  kernel: { version: string; protocol: number },
): DaskscopeError {
  const place =
    kernel.protocol < page.protocol
      ? "in the kernel's environment, then restart the kernel"
      : "in the environment that runs JupyterLab, then reload this page";
  return new DaskscopeError({
    code: "version-mismatch",
    text:
      `The kernel has daskscope ${kernel.version}, this page ${page.version}, ` +
      "and they speak different protocols.",
    next: `Run \`pip install -U daskscope\` ${place}.`,
  });
}
