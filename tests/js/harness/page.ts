// The page of the harness: mounts the panel, with the scenario, that the
// address asks for, and leaves what a test needs on `window`.

import { signal } from "@preact/signals";
import { bytesOfText } from "../../../js_src/archive/bytes";
import { SESSION_ID } from "../../../js_src/archive/messages";
import { StoredRecording } from "../../../js_src/archive/recording";
import { StoredLink } from "../../../js_src/archive/stored_link";
import {
  SharedSession,
  type SessionStore,
} from "../../../js_src/session/session";
import { openOther } from "../../../js_src/homes/report/report_file";
import type {
  EmptyState,
  PanelHost,
  Chooser,
} from "../../../js_src/panel/host";
import { widgetKind } from "../../../js_src/panels";
import type { Remaining } from "./remaining";
import { scenario } from "./scenarios";

const wanted = new URLSearchParams(location.hash.slice(1));
const name = wanted.get("scenario") ?? "full";
const dark = wanted.get("theme") === "dark";
document.body.dataset["jpThemeLight"] = String(!dark);
document.body.classList.add(wanted.get("vars") === "none" ? "plain" : "jp");

const font_px = wanted.get("font");
if (font_px) {
  document.body.style.setProperty("--jp-ui-font-size1", `${font_px}px`);
}

const kind = widgetKind(wanted.get("panel") ?? "task-stream")!;
const place = document.getElementById("place")!;
place.style.width = `${wanted.get("width") ?? 1400}px`;
place.style.height = `${wanted.get("height") ?? 700}px`;

const made = await scenario(name, wanted);
/** Another session of the page, with parameters that begin alike: `other-at=20`. */
const others: { name: string; session: SessionStore }[] = [];
if ([...wanted.keys()].some((key) => key.startsWith("other"))) {
  const theirs = new URLSearchParams(wanted);
  theirs.delete("slower");
  for (const [key, value] of wanted) {
    if (key.startsWith("other-")) theirs.set(key.slice(6), value);
  }
  const { session } = await scenario(name, theirs);
  if (session) others.push({ name: "Taxi shuffle, 13:47", session });
}
const session = signal<SessionStore | null>(made.session);
const emptyState = signal<EmptyState | null>(made.empty);
const saved: { name: string; content: Blob }[] = [];
const chooser = signal<Chooser | null>(made.chooser ?? null);
const host: PanelHost = {
  inline: wanted.get("inline") !== null,
  options: JSON.parse(wanted.get("options") ?? "{}"),
  live: wanted.get("stored") === null,
  emptyState,
  chooser,
  capturesWheel: !wanted.get("inline"),
  actionsFor: (code) =>
    code === "lost"
      ? [
          { label: "Save recording", run: () => {} },
          { label: "Try again", run: () => {} },
        ]
      : [{ label: "How to allow them", run: () => {} }],
  others: () => others,
  openFile: openOther,
  save: (file, content) => {
    if (wanted.get("refuses") !== null) return false;
    saved.push({ name: file, content });
    return true;
  },
};
/** Keys that got past the panel. */
const leaked: string[] = [];
document.addEventListener("keydown", (event) => leaked.push(event.key));
(window as Remaining).daskscopePending?.clear(); // from here on it is the panel's
let dispose = kind.mount(place, { session, host });

Object.assign(window, {
  harness: {
    session: made.session,
    shown: session,
    emptyState,
    saved,
    leaked,
    live: made.live,
    show: made.show,
    /** Shows a recording, as a page does that has no kernel. */
    openFile: async (text: string) => {
      const source = bytesOfText(text);
      const recording = await StoredRecording.open(source);
      const link = new StoredLink(() => Promise.resolve(recording), "A file");
      const visible = signal(true);
      const store = new SharedSession(link, SESSION_ID, visible, () => {});
      Object.assign(window.harness, { session: store });
      session.value = store;
      emptyState.value = null;
    },
    dispose: () => {
      dispose();
      dispose = () => {};
    },
    remount: () => {
      dispose = kind.mount(place, { session, host });
    },
    /** As ipywidgets does: mounted in an element that is shown only later. */
    remountDetached: () => {
      place.remove();
      dispose = kind.mount(place, { session, host });
      document.body.append(place);
    },
    /** As a notebook does with an output that is scrolled away. */
    takeOut: () => place.remove(),
    hide: (hidden: boolean) => (place.hidden = hidden),
    putBack: () => document.body.append(place),
    setWidth: (width_px: number) => {
      place.style.width = `${width_px}px`;
    },
    setDark: (on: boolean) => {
      document.body.dataset["jpThemeLight"] = String(!on);
    },
  },
});
document.body.dataset["ready"] = "true";
