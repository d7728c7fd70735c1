// A panel inline in a notebook, in any host of anywidget. The model's custom messages are
// its channel, and it shares the page's store with all other panels.

import type { AnyModel } from "@anywidget/types";
import { computed, effect, signal, untracked } from "@preact/signals";
import type { SessionStore } from "../session/session";
import { thePage } from "../session/page";
import type { Channel, ChannelState } from "../link/channel";
import type { EmptyState, PanelHost } from "../panel/host";
import { widgetKind } from "../panels";
import type { BinaryBuffer } from "../link/wire";
import type { Widget } from "./code";
import {
  CONNECTING,
  KERNEL_GONE,
  noClientYet,
  noSuchPanel,
  notConnected,
} from "./empty_states";

interface Traits {
  /** Id of the PanelKind to show. */
  _kind: string;
  /** See `PanelHost.options`. */
  _options?: Readonly<Record<string, unknown>>;
  /** Id of the session in the kernel; empty before there is one. */
  session: string;
}

/** Keeps keys that are typed into a panel from the notebook, where `d d` deletes the cell. */
const SUPPRESS_SHORTCUTS = "lmSuppressShortcuts";
const GREETING: ChannelState = { kind: "greeting" };

function openChannel(
  model: AnyModel<Traits>,
  acceptsPictures: boolean,
): Channel {
  const channel: Channel = thePage().connect({
    kind: "widget",
    acceptsPictures,
    send(message) {
      try {
        model.send(message);
      } catch {
        // Hosts throw if the kernel behind the comm is gone.
        queueMicrotask(() => channel.close());
      }
    },
  });
  return channel;
}

/**
 * `useStyles` adds our styles to a page without them; `acceptsPictures`: see `Port`; `goToCell`:
 * see `PanelHost`, called with the panel's element.
 */
export function makeWidget(
  useStyles: (el: HTMLElement) => void,
  acceptsPictures = false,
  goToCell?: (panel: HTMLElement, id: string) => (() => void) | null,
): Widget<Traits> {
  const channel = signal<Channel | null>(null);
  const state = computed(() => channel.value?.state.value ?? GREETING);
  const session = signal<SessionStore | null>(null);
  const emptyState = computed(() => describe(state.value));
  let findSession = () => {};

  function initialize({ model }: { model: AnyModel<Traits> }): () => void {
    const opened = openChannel(model, acceptsPictures);
    const receive = (data: unknown, buffers?: BinaryBuffer[]) =>
      opened.receive(data, buffers);
    findSession = () => {
      const now = opened.state.peek();
      const id = model.get("session");
      // Without a kernel, the shown session stays readable.
      if (now.kind !== "open" || !id) return;
      session.value = thePage().session(now.link, id);
    };
    const close = () => opened.close();
    channel.value = opened;
    const stop = effect(() => {
      void opened.state.value;
      untracked(findSession);
    });
    model.on("msg:custom", receive);
    const onSession = () => findSession();
    model.on("change:session", onSession);
    model.on("comm:close", close);
    // JupyterLab sends this when the kernel restarts; no other event comes at once.
    model.on("comm_live_update" as "comm:close", close);
    return () => {
      findSession = () => {};
      model.off("msg:custom", receive);
      model.off("change:session", onSession);
      model.off("comm:close", close);
      model.off("comm_live_update", close);
      stop();
      close();
      session.value = null;
    };
  }

  function render(props: {
    model: AnyModel<Traits>;
    el: HTMLElement;
  }): () => void {
    const { model, el } = props;
    const kind = widgetKind(model.get("_kind"));
    if (!kind) {
      el.textContent = noSuchPanel(model.get("_kind"));
      return () => {};
    }
    useStyles(el);
    el.dataset[SUPPRESS_SHORTCUTS] = "true";
    el.classList.add("ds-widget");
    findSession(); // the page may have dropped the store while no panel showed it
    const host: PanelHost = {
      inline: true,
      live: true,
      emptyState,
      options: model.get("_options") ?? {},
      capturesWheel: false,
      others: () => thePage().beside(session.peek()),
      ...(goToCell && { goToCell: (id) => goToCell(el, id) }),
    };
    return kind.mount(el, { session, host });
  }

  function describe(now: ChannelState): EmptyState | null {
    if (now.kind === "closed") return KERNEL_GONE;
    if (session.value) return null;
    if (now.kind === "failed") return notConnected(now.problem);
    // The kernel sends an id as soon as it has a client.
    if (now.kind === "open") {
      return noClientYet("a cell", now.link.recorder.value);
    }
    return {
      state: "waiting",
      title: CONNECTING,
      text: "If the kernel is no longer running, run this cell again.",
    };
  }

  return { initialize, render };
}
