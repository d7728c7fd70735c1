// The top of a report: its title, when and where it was recorded, and buttons to copy a
// link and save the recording.

import { untracked } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { copyText, download } from "../../base/save";
import {
  formatBytes,
  formatClock,
  formatDay,
  formatZone,
  NOTHING,
} from "../../base/format";
import { asProblem } from "../../errors";
import { Button, IconButton } from "../../panel/button";
import { CloseIcon, CopyIcon, ExportIcon } from "../../panel/icons";
import { WithCode } from "../../panel/states";
import { cutText } from "../../base/bounds";
import { addressInLab, linkTo } from "./fragment";
import type { Note, ReportState } from "./report_state";

const COPIED_MS = 2000;

export function Header(props: { state: ReportState }): JSX.Element {
  const { state } = props;
  const onNote = (note: Note | null): void => void (state.note.value = note);
  const { summary, source } = state;
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const title = summary.title || cutText(source.title);
  const linkNow = (): string | null =>
    source.link ? source.link(state.place()) : linkTo(state.place());
  const linked = untracked(linkNow) !== null;
  const copyLink = async (): Promise<void> => {
    const link = linkNow();
    if (link === null) return;
    const done = await copyText(link);
    setCopied(done);
    onNote(done ? null : { kind: "link", link });
  };
  return (
    <>
      <header class="ds-report-head">
        <h1 title={title}>{title}</h1>
        <span class="ds-quiet ds-report-when">{whenAndWhere(state)}</span>
        <div class="ds-report-tools">
          {linked && (
            <Button
              hint={
                source.link || addressInLab() !== null
                  ? "A link that opens this tab and selection in JupyterLab"
                  : "A link that opens this tab and selection"
              }
              onClick={() => void copyLink()}
            >
              <span class="ds-go">
                <CopyIcon />
                <span>
                  {copied ? (
                    "Copied"
                  ) : (
                    <>
                      Copy link<span class="ds-in-full"> to this view</span>
                    </>
                  )}
                </span>
              </span>
            </Button>
          )}
          {source.size > 0 && (
            <Button
              hint="Save the recording, for daskscope.load() and JupyterLab"
              onClick={() => void saveRecording(state, onNote)}
            >
              <span class="ds-go">
                <ExportIcon />
                {`Recording, ${formatBytes(source.size)}`}
              </span>
            </Button>
          )}
        </div>
      </header>
      {state.note.value && (
        <NoteRow
          note={state.note.value}
          report={state.id}
          onClose={() => onNote(null)}
        />
      )}
    </>
  );
}

/** `18 Nov 2026, 14:02:31 UTC+1, on node-7`, in the reader's time zone. */
function whenAndWhere({ summary }: ReportState): string {
  const words: string[] = [];
  const { start } = summary;
  if (start !== null && formatDay(start) !== NOTHING) {
    const clock = `${formatClock(start, 0)} ${formatZone(start)}`;
    words.push(formatDay(start), clock);
  }
  if (summary.host) words.push(`on ${summary.host}`);
  return words.join(", ");
}

async function saveRecording(
  state: ReportState,
  onNote: (note: Note | null) => void,
): Promise<void> {
  if (!state.maySave()) return;
  const { source } = state;
  try {
    const name = source.name.replace(/\.(html?|daskscope)$/i, "") || "report";
    download(`${name}.daskscope`, await source.file());
    onNote(null);
  } catch (error) {
    const { text, next } = asProblem(error);
    onNote({ kind: "text", text: `${text} ${next}`.trim() });
  }
}

function NoteRow(props: {
  note: Note;
  report: string;
  onClose: () => void;
}): JSX.Element {
  const { note } = props;
  const fieldId = `ds-link-field${props.report}`;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [note]);
  return (
    <div class="ds-report-note" role="status">
      {note.kind === "link" ? (
        <>
          <label for={fieldId}>
            This page has no access to the clipboard. Copy this link:
          </label>
          <input
            ref={field}
            id={fieldId}
            class="ds-input"
            type="text"
            readonly
            value={note.link}
          />
        </>
      ) : (
        <span>
          <WithCode text={note.text} />
        </span>
      )}
      <IconButton label="Hide this message" onClick={props.onClose}>
        <CloseIcon />
      </IconButton>
    </div>
  );
}
