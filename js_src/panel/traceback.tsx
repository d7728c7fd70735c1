// A Python traceback as frames, so that users see their own lines first.
// Other text is shown unchanged.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { plural } from "../base/format";
import { LinkButton, useCopied } from "./button";

interface Frame {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  /** The code lines of the frame, as Python printed them. */
  readonly code: string;
  /** Whether the code belongs to an installed package or to Python itself. */
  readonly library: boolean;
}

interface Traceback {
  readonly frames: readonly Frame[];
  /** Lines outside of frames: notes, "During handling of …". */
  readonly rest: string;
}

const FRAME = /^\s*File "(.*)", line (\d+)(?:, in (.*))?$/;
const LIBRARY =
  /[\\/](site-packages|dist-packages|lib[\\/]python\d[\d.]*)[\\/]|^<frozen /;
/** Python's underline below the failing part of a line, which is not code. */
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
 * The whole traceback for the clipboard: the task, then the text as Python prints it; adds a
 * missing first or last line.
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
  // Frames and their code are indented, the last line is not: here it is missing.
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

export function shortFile(file: string): string {
  const cell = /^<ipython-input-(\d+)|ipykernel_\d+[\\/](\d+)\.py$/.exec(file);
  if (cell) return CELL;
  const inPackage = /(?:site-packages|dist-packages)[\\/](.*)$/.exec(file);
  if (inPackage?.[1]) return inPackage[1];
  const inPython = /lib[\\/]python[\d.]+[\\/](.*)$/.exec(file);
  if (inPython?.[1]) return inPython[1];
  return file.split(/[\\/]/).slice(-2).join("/");
}

type Exception = readonly [type: string, message: string];

const NAME = String.raw`[\p{L}_][\p{L}\p{N}_.]{0,100}`;
const matcher = (rest: string): RegExp => new RegExp(`^(${NAME})${rest}$`, "u");
/** Formats of an exception: `repr` of one text, `repr` of other arguments, `str`. */
const ONE_TEXT = matcher(String.raw`\((['"])((?:\\[^]|(?!\2)[^\\])*)\2,?\)`);
const CALL = matcher(String.raw`\(([^]*)\)`);
const LINE = matcher(String.raw`:\s+([^]*)`);
const BARE = /^[\w.]+(?:Error|Exception|Warning|Interrupt|Exit|Group)$/;

/** Splits `ValueError('cannot reindex')` into type and message, like `derive/findings.py`. */
export function splitException(exception: string): Exception {
  const text = exception.trim();
  const one = ONE_TEXT.exec(text);
  if (one) return [one[1] ?? "", one[3] ?? ""];
  const other = CALL.exec(text) ?? LINE.exec(text);
  if (other) return [other[1] ?? "", other[2] ?? ""];
  return BARE.test(text) ? [text, ""] : ["Error", text];
}

export function TracebackText(props: {
  /** Key of the task; null while unknown. */
  taskKey: string | null;
  exception: Exception;
  traceback: string;
  whole?: boolean;
}): JSX.Element {
  const [asked, setAsked] = useState(false);
  const all = asked || props.whole === true;
  const [copyLabel, copy] = useCopied("Copy traceback");
  const [type, message] = props.exception;
  const { frames, rest } = parseTraceback(props.traceback);
  const own = frames.filter((frame) => !frame.library);
  // If all frames are library code, the last ones are the most useful.
  const brief = own.length > 0 ? own : frames.slice(-2);
  const hidden = frames.length - brief.length;
  const shown = all ? frames : brief;
  return (
    <>
      <h4>{type}</h4>
      {message !== "" && <p class="ds-exception">{message}</p>}
      {(shown.length > 0 || rest !== "") && (
        <div
          class="ds-traceback"
          tabIndex={0}
          role="group"
          aria-label="Traceback"
        >
          {shown.map((frame) => (
            <FrameText frame={frame} />
          ))}
          {(all || frames.length === 0) && rest !== "" && <div>{rest}</div>}
        </div>
      )}
      {props.traceback !== "" && (
        <div class="ds-traceback-tools">
          {hidden > 0 || all ? (
            <LinkButton onClick={() => setAsked(!asked)}>
              {all ? "Show less" : `Show ${plural(hidden, "library frame")}`}
            </LinkButton>
          ) : (
            <span />
          )}
          <LinkButton
            onClick={() =>
              copy(
                tracebackToCopy(
                  props.taskKey,
                  props.exception,
                  props.traceback,
                ),
              )
            }
          >
            {copyLabel}
          </LinkButton>
        </div>
      )}
    </>
  );
}

function FrameText(props: { frame: Frame }): JSX.Element {
  const { frame } = props;
  return (
    <div class={frame.library ? "ds-frame ds-quiet" : "ds-frame"}>
      <div title={frame.file}>
        {frameName(frame)}
        {frame.name !== "" && `, in ${frame.name}`}
      </div>
      {frame.code !== "" && <div class="ds-frame-code">{frame.code}</div>}
    </div>
  );
}
