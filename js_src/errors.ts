// Known failures, each with a code that both languages share, what happened
// and what to do next. Panels show these sentences; nothing else is parsed.

/** What the user sees: what happened (and was done), and what to do next. */
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
    text: `This page had an unexpected error: ${text}`,
    next: "Reload the page. If it happens again, please report it.",
  };
}

const ANSWERS_DURING_CELLS =
  "With ipykernel ≥ 7 and JupyterLab ≥ 4.4, a kernel answers while a cell runs.";

export const kernelBusy = (): DaskscopeError =>
  new DaskscopeError({
    code: "kernel-busy",
    text: "The kernel is busy and cannot answer until the cell ends.",
    next: `Wait until the cell ends. ${ANSWERS_DURING_CELLS}`,
  });

export const noAnswer = (
  timeout_ms: number,
  mayBeBusy: boolean,
): DaskscopeError =>
  new DaskscopeError({
    code: "no-answer",
    text: `The kernel did not answer within ${Math.round(timeout_ms / 1000)} s.`,
    next: mayBeBusy
      ? `If a cell is running, wait until it ends. ${ANSWERS_DURING_CELLS}`
      : "Try again. If it still does not answer, look at the kernel's log.",
  });

export const notConnected = (): DaskscopeError =>
  new DaskscopeError({
    code: "not-connected",
    text: "This page is not connected to the kernel.",
    next: "It reconnects automatically; check that the kernel is running.",
  });

export const badMessage = (detail: string): DaskscopeError =>
  new DaskscopeError({
    code: "bad-message",
    text: `This page cannot read a message from the kernel (${detail}).`,
    next: "Check that JupyterLab's environment and the kernel's have the same version of daskscope.",
  });

export const badRows = (table: string, detail: string): DaskscopeError =>
  new DaskscopeError({
    code: "bad-rows",
    text: `Some rows of the table \`${table}\` cannot be read and are missing (${detail}).`,
    next: "Check that JupyterLab's environment and the kernel's have the same version of daskscope.",
  });

export const notReceived = (times: number): DaskscopeError =>
  new DaskscopeError({
    code: "not-received",
    text: `Some messages from the kernel did not arrive after ${times} requests, so data may be missing.`,
    next: "Reload the page. If it happens again, check whether a proxy limits the size of messages between browser and kernel.",
  });

/** The two sides have different protocols: say which one to upgrade. */
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
      `The kernel has daskscope ${kernel.version} and this page ${page.version}; ` +
      "their protocols differ.",
    next: `Run \`pip install -U daskscope\` ${place}.`,
  });
}
