// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from "vitest";
import type { PanelHost } from "../../js_src/panel/host";
import type { SessionStore, SharedSession } from "../../js_src/session/session";
import { PROTOCOL } from "../../js_src/schema";
import { thePage } from "../../js_src/session/page";
import { FakeModel } from "./fake_model";

interface Props {
  session: { value: SessionStore | null };
  host: PanelHost;
}
// The view paints on a canvas, which this environment lacks; browser tests have it.
const mounted = vi.hoisted(() => ({ props: [] as unknown[], closed: 0 }));
vi.mock("../../js_src/panels/task_stream", () => ({
  TASK_STREAM: {
    id: "task-stream",
    mount: (_: HTMLElement, props: unknown) => {
      mounted.props.push(props);
      return () => (mounted.closed += 1);
    },
  },
}));

const welcome = (extra: object = {}) => ({
  type: "welcome",
  page: thePage().id,
  protocol: PROTOCOL,
  version: "0.1.0",
  kernel: "kernel-w",
  sessions: [{ id: "s", name: "LocalCluster", address: "inproc://" }],
  ...extra,
});

async function widget(traits: Record<string, unknown> = { session: "s" }) {
  const { makeWidget } = await import("../../js_src/homes/widget");
  const model = new FakeModel({ _kind: "task-stream", ...traits });
  const { initialize, render } = makeWidget(() => {});
  const close = initialize({ model } as never);
  const el = document.createElement("div");
  const show = () => render({ model, el } as never);
  const unmount = show();
  const { session, host } = mounted.props.at(-1) as Props;
  return { model, el, close, show, unmount, session, host };
}

afterEach(() => {
  mounted.props.length = 0;
  mounted.closed = 0;
});

describe("an inline panel", () => {
  it("greets the kernel over the widget's own comm", async () => {
    const { model, close } = await widget();
    expect(model.sent[0]).toMatchObject({ type: "hello", protocol: PROTOCOL });
    close();
  });

  it("shows the session that its trait names, and follows the trait", async () => {
    const { model, session, host, close } = await widget();
    expect(host.emptyState.value?.state).toBe("waiting");
    model.emit("msg:custom", welcome(), []);
    expect(session.value?.id).toBe("s");
    expect(host.emptyState.value).toBeNull();
    model.traits["session"] = "other";
    model.emit("change:session");
    expect(session.value?.id).toBe("other");
    close();
  });

  it("says that there is no client yet, and starts by itself when one comes", async () => {
    const { model, session, host, close } = await widget({ session: "" });
    model.emit("msg:custom", welcome({ sessions: [] }), []);
    expect(host.emptyState.value?.state).toBe("no-client");
    expect(host.emptyState.value?.text).toContain("`Client()`");
    model.traits["session"] = "s";
    model.emit("change:session");
    expect(session.value?.id).toBe("s");
    expect(host.emptyState.value).toBeNull();
    close();
  });

  it("says that the recorder is off, for as long as it is", async () => {
    const { model, host, close } = await widget({ session: "" });
    model.emit("msg:custom", welcome({ sessions: [], recorder: false }), []);
    expect(host.emptyState.value?.text).toContain(
      "`daskscope.connect(client)`",
    );
    model.emit("msg:custom", { type: "sessions", sessions: [] }, []);
    expect(host.emptyState.value?.text).toContain("`Client()`");
    close();
  });

  it("finds its session again when the page has let go of what nobody showed", async () => {
    const { model, session, show, unmount, close } = await widget();
    model.emit("msg:custom", welcome());
    unmount();
    const before = session.value as SharedSession;
    before.dispose();
    show();
    expect(session.value).not.toBe(before);
    expect(session.value?.id).toBe("s");
    expect(thePage().sessions.value).toContain(session.value);
    close();
  });

  it("says in place of a panel that this page does not know what to do", async () => {
    const { makeWidget } = await import("../../js_src/homes/widget");
    const { render } = makeWidget(() => {});
    const el = document.createElement("div");
    render({ model: new FakeModel({ _kind: "later" }), el } as never);
    expect(el.textContent).toContain('no panel "later"');
    expect(mounted.props).toEqual([]);
  });

  it("keeps every key from the notebook", async () => {
    const { el, close } = await widget();
    expect(el.getAttribute("data-lm-suppress-shortcuts")).toBe("true");
    close();
  });

  it("says which side to upgrade", async () => {
    const { model, host, close } = await widget();
    model.emit("msg:custom", welcome({ protocol: PROTOCOL + 1, version: "9" }));
    expect(host.emptyState.value?.text).toContain("pip install -U daskscope");
    close();
  });

  it("keeps what it showed when the kernel goes, and says so otherwise", async () => {
    const shown = await widget();
    shown.model.emit("msg:custom", welcome());
    shown.model.emit("comm:close");
    expect(shown.session.value?.state.value).toBe("lost");
    shown.close();
    const empty = await widget();
    empty.model.emit("comm:close");
    expect(empty.host.emptyState.value?.state).toBe("stopped");
    empty.close();
  });

  it("says at once that the kernel has restarted, and what to do", async () => {
    const { model, session, host, close } = await widget();
    model.emit("msg:custom", welcome({ kernel: "kernel-restarts" }));
    const first = session.value!;
    expect(first.state.value).not.toBe("lost");
    model.emit("comm_live_update"); // JupyterLab's sign
    expect(session.value, "the picture is kept").toBe(first);
    expect(first.state.value).toBe("lost");
    expect(host.emptyState.value).toMatchObject({
      title: "The kernel has restarted or stopped",
      text: "Run the cell again to connect.",
    });
    close();
  });

  it("leaves nothing behind", async () => {
    const { model, close, unmount } = await widget();
    unmount();
    close();
    expect(mounted.closed).toBe(1);
    expect(model.listening).toBe(0);
  });
});
