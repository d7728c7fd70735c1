// A traceback with the person's own lines first; the frames of libraries open
// on demand. Everything in it is text.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { plural } from "../base/format";
import { LinkButton } from "./button";
import { useCopied } from "./copied";
import {
  frameName,
  parseTraceback,
  tracebackToCopy,
  type Exception,
  type Frame,
} from "./traceback";

export function TracebackText(props: {
  /** Of the task; null while nobody knows it. */
  taskKey: string | null;
  exception: Exception;
  traceback: string;
  /** With all frames, as on paper. */
  whole?: boolean;
}): JSX.Element {
  const [asked, setAsked] = useState(false);
  const all = asked || props.whole === true;
  const [copyLabel, copy] = useCopied("Copy traceback");
  const [type, message] = props.exception;
  const { frames, rest } = parseTraceback(props.traceback);
  const own = frames.filter((frame) => !frame.library);
  // Where every frame is a library's, the last ones say most.
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
