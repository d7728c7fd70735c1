// The first script of a report. It unpacks the page's own script and runs it: the policy
// of the page allows that script by its hash.

import { decode } from "../archive/bytes";
import { NoUnpackerError, unpack } from "../base/unpack";

/** The element that Python writes (report/html.py). */
const PACKED = "daskscope-script";

async function load(): Promise<void> {
  // It is here until the script has put its page in place of what readers without scripts see.
  const note = document.querySelector("noscript")!;
  const parsed = new Promise((done) => {
    document.addEventListener("DOMContentLoaded", done);
  });
  // The figures of the summary would flash up in front of another tab.
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
    // It runs in this call, unless the policy forbids it.
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
