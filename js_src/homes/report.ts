// Starts a report, which is a self-contained page with a summary and a recording.

import { signal } from "@preact/signals";
import { SESSION_ID } from "../archive/messages";
import { SharedSession } from "../session/session";
import { mountReport } from "./report/mount";
import { embeddedSource } from "./report/source";

declare const DASKSCOPE_STYLES: string;

const sheet = new CSSStyleSheet();
sheet.replaceSync(DASKSCOPE_STYLES);
document.adoptedStyleSheets.push(sheet);

const element = document.getElementById("daskscope-report");
const source = embeddedSource(
  document,
  (link) => new SharedSession(link, SESSION_ID, signal(true), () => {}),
);
if (element) mountReport(element, source);
