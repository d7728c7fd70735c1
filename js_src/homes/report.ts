// A report: one page that holds a summary and a recording, and needs nothing else.

import { signal } from "@preact/signals";
import { openRecording } from "../archive/open";
import { SharedSession } from "../session";
import { embeddedSource } from "./report/embedded";
import { mountReport } from "./report/mount";

const element = document.getElementById("daskscope-report");
const source = embeddedSource(document, async (bytes) => {
  const { link, sessionId } = await openRecording(
    bytes,
    "The recording in this report",
  );
  return new SharedSession(link, sessionId, signal(true), () => {});
});
if (element) mountReport(element, source);
