// A panel inline in a notebook, in whatever host runs anywidget. The model's own
// messages are the channel; the page's one store is shared with everything else.

import type { AnyModel, RenderProps } from "@anywidget/types";
import { computed, signal } from "@preact/signals";
import type { SessionStore } from "../session";
import { thePage } from "../session_page";
import type { Channel, ChannelState } from "../stream";
import type { EmptyState, PanelHost } from "../panel/host";
import { panelKind } from "../panels";
import type { BinaryBuffer } from "../wire";
import {
  CONNECTING,
  KERNEL_GONE,
  noClientYet,
  noSuchPanel,
  notConnected,
} from "./empty_words";

interface Traits {
  /** Which panel it is: the id of a PanelKind. */
  _kind: string;
  /** Id of the session in the kernel; empty when its client is gone. */
  session: string;
}

/** Keys typed into a panel stay there: in a notebook, `d d` deletes the cell. */
const SUPPRESS_SHORTCUTS = "lmSuppressShortcuts";

function openChannel(model: AnyModel<Traits>): Channel {
  const channel: Channel = thePage().connect({
    kind: "widget",
    send(message) {
      try {
        model.send(message);
      } catch {
        // Hosts throw when the kernel behind the comm has gone.
        queueMicrotask(() => channel.close());
      }
    },
  });
  return channel;
}

/** A function, so that `initialize` and `render` of one model share what is here. */
export default () => {
  const state = signal<ChannelState>({ kind: "greeting" });
  const session = signal<SessionStore | null>(null);
  const recorder = signal(true);
  const emptyState = computed(() => describe(state.value));
  let findSession = () => {};

  function initialize({ model }: { model: AnyModel<Traits> }): () => void {
    const channel = openChannel(model);
    const receive = (data: unknown, buffers?: BinaryBuffer[]) =>
      channel.receive(data, buffers);
    findSession = () => {
      const now = state.peek();
      const id = model.get("session");
      // What was shown stays readable when the kernel has gone.
      if (now.kind !== "open" || !id) return;
      session.value = thePage().session(now.link, id);
    };
    const close = () => channel.close();
    // `subscribe`, since the page's store may be of another bundle's copy.
    let stopRecorder = () => {};
    const stop = channel.state.subscribe((now) => {
      stopRecorder();
      stopRecorder =
        now.kind === "open"
          ? now.link.recorder.subscribe((on) => void (recorder.value = on))
          : () => {};
      state.value = now;
      findSession();
    });
    model.on("msg:custom", receive);
    const onSession = () => findSession();
    model.on("change:session", onSession);
    model.on("comm:close", close);
    // JupyterLab says so when the kernel restarts; nothing else does at once.
    model.on("comm_live_update" as "comm:close", close);
    return () => {
      findSession = () => {};
      model.off("msg:custom", receive);
      model.off("change:session", onSession);
      model.off("comm:close", close);
      model.off("comm_live_update", close);
      stop();
      stopRecorder();
      close();
      session.value = null;
    };
  }

  function render({ model, el }: RenderProps<Traits>): () => void {
    const kind = panelKind(model.get("_kind"));
    if (!kind) {
      el.textContent = noSuchPanel(model.get("_kind"));
      return () => {};
    }
    el.dataset[SUPPRESS_SHORTCUTS] = "true";
    el.classList.add("ds-widget");
    findSession(); // the page may have let go of a store that nobody showed
    const host: PanelHost = {
      inline: true,
      live: true,
      emptyState,
      capturesWheel: false,
    };
    return kind.mount(el, { session, host });
  }

  function describe(now: ChannelState): EmptyState | null {
    if (now.kind === "closed") return KERNEL_GONE;
    if (session.value) return null;
    if (now.kind === "failed") return notConnected(now.problem);
    // Without an id, the kernel sends one as soon as it has a client.
    if (now.kind === "open") return noClientYet("a cell", recorder.value);
    return {
      state: "waiting",
      title: CONNECTING,
      text: "If the kernel does not run any more, run this cell again.",
    };
  }

  return { initialize, render };
};
