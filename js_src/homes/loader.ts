// The loader in a widget's `_esm`, and thus in each saved notebook. It takes the code
// from the page, or waits until the kernel sends it over the widget's comm.

import type { AnyModel } from "@anywidget/types";
import type { BinaryBuffer } from "../link/wire";
import { codeSlot, type Widget } from "./code";

const ASK_MS = 2_000;
const LATE_MS = 20_000;

const slot = codeSlot();

/** Unpacks and imports the code, which puts itself into the slot. */
async function load(packed: BinaryBuffer): Promise<void> {
  if (slot.loading) return;
  slot.loading = true;
  try {
    const stream = new Blob([packed as BlobPart])
      .stream()
      .pipeThrough(new DecompressionStream("deflate"));
    const headers = { "content-type": "text/javascript" };
    const script = await new Response(stream, { headers }).blob();
    const url = URL.createObjectURL(script);
    try {
      await import(url);
    } catch {
      // The host's policy may forbid blob URLs, but allow data URLs.
      const text = encodeURIComponent(await script.text());
      await import(`data:text/javascript,${text}`);
    }
    URL.revokeObjectURL(url);
  } catch (error) {
    slot.failed(error);
  }
}

export default (): Widget => {
  let widget: Promise<Widget | null>;

  function initialize({ model }: { model: AnyModel }): () => void {
    let open = true;
    let stop = () => {};
    const take = (message: { type?: string }, buffers?: BinaryBuffer[]) => {
      if (message?.type === "code" && buffers?.[0]) void load(buffers[0]);
    };
    const ask = () => {
      const now = Date.now();
      if (slot.copies || slot.loading || now - slot.asked < ASK_MS / 2) return;
      slot.asked = now;
      try {
        model.send({ type: "code" });
      } catch {
        slot.asked = 0; // no kernel here; another widget may have one
      }
    };
    model.on("msg:custom", take);
    const asking = setInterval(ask, ASK_MS);
    const quit = () => {
      clearInterval(asking);
      model.off("msg:custom", take);
    };
    ask();
    widget = slot.code.finally(quit).then((code) => {
      if (!open) return null;
      const made = code.widget();
      stop = made.initialize({ model });
      return made;
    });
    return () => {
      open = false;
      quit();
      stop();
    };
  }

  function render(props: { model: AnyModel; el: HTMLElement }): () => void {
    const { el } = props;
    let open = true;
    let stop = () => {};
    const showText = (text: string) => {
      el.textContent = text;
    };
    if (!slot.copies) showText("Loading this panel …");
    const late = setTimeout(
      () =>
        showText("The code of this panel did not arrive: run this cell again."),
      LATE_MS,
    );
    widget
      .finally(() => clearTimeout(late))
      .then(
        (made) => {
          if (!open || !made) return;
          showText("");
          stop = made.render(props);
        },
        (error) =>
          showText(`The code of this panel cannot run in this page. ${error}`),
      );
    return () => {
      open = false;
      clearTimeout(late);
      stop();
    };
  }

  return { initialize, render };
};
