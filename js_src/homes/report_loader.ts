// The first script of a report. It unpacks and runs the main script, which the page's
// policy allows by its hash.

import { decode } from "../archive/bytes";
import { NoUnpackerError, unpack } from "../base/unpack";

/** The element that Python writes (report/html.py). */
const PACKED = "daskscope-script";

async function load(): Promise<void> {
  // The main script removes this note when it replaces the static page.
  const note = document.querySelector("noscript")!;
  const parsed = new Promise((done) => {
    document.addEventListener("DOMContentLoaded", done);
  });
  // Hide the summary if the address opens another tab, so that it does not flash up.
  const summary = document.querySelector<HTMLElement>(".ds-tabpanel")!;
  summary.hidden = /\btab=(?!summary)/.test(location.hash);
  let why = "The script of this report did not run: it is damaged.";
  try {
    const packed = decode(document.getElementById(PACKED)!.textContent);
    const decoder = new TextDecoder();
    const script = document.createElement("script");
    await unpack(packed, "deflate-raw", Infinity, (piece) => {
      script.append(decoder.decode(piece, { stream: true }));
    });
    await parsed;
    // The script runs in this call, unless the policy forbids it.
    document.body.append(script);
  } catch (error) {
    if (error instanceof NoUnpackerError) {
      why = "This browser is too old to run the script of this report.";
    }
  }
  if (!note.isConnected) return;
  note.replaceWith(noteOf(why));
  summary.hidden = false;
}

function noteOf(why: string): HTMLElement {
  const text = document.createElement("span");
  text.textContent = `${why} Only its summary is shown. \`daskscope extract\` saves the recording in it.`;
  const note = document.createElement("div");
  note.className = "ds-report-note";
  note.append(text);
  return note;
}

void load();
