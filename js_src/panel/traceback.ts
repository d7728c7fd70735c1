// A Python traceback as frames, so that a person sees their own lines first.
// What does not look like one is shown as it came.

export interface Frame {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  /** The lines of code below the frame, as Python printed them. */
  readonly code: string;
  /** Code of an installed package or of Python itself. */
  readonly library: boolean;
}

export interface Traceback {
  readonly frames: readonly Frame[];
  /** Lines that belong to no frame: notes, "During handling of …". */
  readonly rest: string;
}

const FRAME = /^\s*File "(.*)", line (\d+)(?:, in (.*))?$/;
const LIBRARY =
  /[\\/](site-packages|dist-packages|lib[\\/]python\d[\d.]*)[\\/]|^<frozen /;
/** Python underlines the part of a line that failed: not code. */
const MARKS = /^[\s~^]+$/;

export function parseTraceback(text: string): Traceback {
  const frames: { head: Omit<Frame, "code">; code: string[] }[] = [];
  const rest: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const match = FRAME.exec(line);
    if (match) {
      const file = match[1] ?? "";
      frames.push({
        head: {
          file,
          line: Number(match[2]),
          name: match[3] ?? "",
          library: LIBRARY.test(file),
        },
        code: [],
      });
    } else if (/^\s{3,}\S/.test(line) && frames.length > 0) {
      if (!MARKS.test(line)) frames[frames.length - 1]?.code.push(line.trim());
    } else if (line.trim() !== "" && !/^Traceback \(/.test(line.trim())) {
      rest.push(line);
    }
  }
  return {
    frames: frames.map(({ head, code }) => ({
      ...head,
      code: code.join("\n"),
    })),
    rest: rest.join("\n"),
  };
}

const HEADER = "Traceback (most recent call last):";

/**
 * All of it to take along: which task, then what Python would print, also where
 * the head or the last line of that is missing.
 */
export function tracebackToCopy(
  key: string | null,
  [type, message]: Exception,
  traceback: string,
): string {
  const lines = traceback.trimEnd().split(/\r?\n/);
  const body = lines.filter((line) => line.trim() !== "");
  if (!body.some((line) => line.startsWith("Traceback ("))) {
    lines.unshift(HEADER);
  }
  // Frames and their code are indented; the line that ends it is not.
  if (/^\s/.test(body.at(-1) ?? " ")) {
    lines.push(message === "" ? type : `${type}: ${message}`);
  }
  return [...(key === null ? [] : [`Task ${key}`]), ...lines].join("\n") + "\n";
}

/** `cell, line 4`, `pandas/core/frame.py:5385`. */
export function frameName({ file, line }: Frame): string {
  const short = shortFile(file);
  return short === CELL ? `${CELL}, line ${line}` : `${short}:${line}`;
}

const CELL = "cell";

/** The end of a path says enough. */
export function shortFile(file: string): string {
  const cell = /^<ipython-input-(\d+)|ipykernel_\d+[\\/](\d+)\.py$/.exec(file);
  if (cell) return CELL;
  const inPackage = /(?:site-packages|dist-packages)[\\/](.*)$/.exec(file);
  if (inPackage?.[1]) return inPackage[1];
  const inPython = /lib[\\/]python[\d.]+[\\/](.*)$/.exec(file);
  if (inPython?.[1]) return inPython[1];
  return file.split(/[\\/]/).slice(-2).join("/");
}

/** The type of an exception, and what it says. */
export type Exception = readonly [type: string, message: string];

const NAME = String.raw`[\p{L}_][\p{L}\p{N}_.]{0,100}`;
const matcher = (rest: string): RegExp => new RegExp(`^(${NAME})${rest}$`, "u");
/** As `repr` writes one with a single text, one with anything else; as Python prints one. */
const ONE_TEXT = matcher(String.raw`\((['"])((?:\\[^]|(?!\2)[^\\])*)\2,?\)`);
const CALL = matcher(String.raw`\(([^]*)\)`);
const LINE = matcher(String.raw`:\s+([^]*)`);
const BARE = /^[\w.]+(?:Error|Exception|Warning|Interrupt|Exit|Group)$/;

/** `ValueError('cannot reindex')` as a type and a message; so does `derive/exceptions.py`. */
export function splitException(exception: string): Exception {
  const text = exception.trim();
  const one = ONE_TEXT.exec(text);
  if (one) return [one[1] ?? "", one[3] ?? ""];
  const other = CALL.exec(text) ?? LINE.exec(text);
  if (other) return [other[1] ?? "", other[2] ?? ""];
  return BARE.test(text) ? [text, ""] : ["Error", text];
}
