// @vitest-environment happy-dom
// An output of a notebook shows its picture while its widget does not run.

import { beforeEach, expect, test, vi } from "vitest";
import { showPictures } from "../../js_src/homes/lab/saved_pictures";

const VIEW = "application/vnd.jupyter.widget-view+json";
const PNG = "image/png";

interface Model {
  data: Record<string, unknown>;
  metadata: Record<string, unknown>;
}

/** As the renderer of ipywidgets: text, until the widget is there. */
class WidgetRenderer {
  readonly node = document.createElement("div");
  readonly rendered: Model[] = [];
  settle = (_found: boolean) => {};

  renderModel(model: Model): Promise<void> {
    this.rendered.push(model);
    this.node.textContent = "Loading widget...";
    return new Promise((done) => {
      this.settle = (found) => {
        this.node.textContent = found ? "" : "model not found";
        if (found) {
          const widget = document.createElement("div");
          widget.className = "lm-Widget";
          this.node.append(widget);
        }
        done();
      };
    });
  }
}

let renderer: WidgetRenderer;

/** The renderer of an output in a notebook that is opened. */
function rendererOf(mimeType: string): WidgetRenderer {
  const rendermime = { createRenderer: () => new WidgetRenderer() };
  const panel = { content: { rendermime } };
  const tracker = {
    forEach: (follow: (one: unknown) => void) => follow(panel),
    widgetAdded: { connect: () => {} },
  };
  showPictures(tracker as unknown as Parameters<typeof showPictures>[0]);
  const create = rendermime.createRenderer as (
    mimeType: string,
  ) => WidgetRenderer;
  return create(mimeType);
}

function output(model: string, picture?: string, ours = true): Model {
  const view = { model_id: model };
  return {
    data: { [VIEW]: view, ...(picture && { [PNG]: picture }) },
    metadata: {
      ...(ours && { daskscope: {} }),
      [PNG]: { width: 600, height: 200, alt: "100 of 100 tasks" },
    },
  };
}

const image = () => renderer.node.querySelector("img");

beforeEach(() => {
  renderer = rendererOf(VIEW);
});

test("the picture is there at once, and stays where the widget is not found", async () => {
  const done = renderer.renderModel(output("a", "AAAA"));
  expect(image()?.src).toBe("data:image/png;base64,AAAA");
  expect(image()?.alt).toBe("100 of 100 tasks");
  expect(image()?.width).toBe(600);
  renderer.settle(false);
  await done;
  await vi.waitFor(() => expect(image()).not.toBeNull());
  expect(renderer.node.textContent).toBe("");
});

test("the widget takes the place of the picture", async () => {
  const done = renderer.renderModel(output("a", "AAAA"));
  renderer.settle(true);
  await done;
  expect(image()).toBeNull();
  expect(renderer.node.querySelector(".lm-Widget")).not.toBeNull();
});

test("a picture that comes later leaves the widget alone", async () => {
  const done = renderer.renderModel(output("a"));
  expect(renderer.node.textContent).toBe("Loading widget...");
  // Also while it loads.
  void renderer.renderModel(output("a", "AAAA"));
  expect(image()).not.toBeNull();
  renderer.settle(true);
  await done;
  const widget = renderer.node.querySelector(".lm-Widget");
  await renderer.renderModel(output("a", "BBBB"));
  expect(renderer.node.firstChild).toBe(widget);
  expect(renderer.rendered).toHaveLength(1);
});

test("a widget that was not found is looked for again", async () => {
  const done = renderer.renderModel(output("a", "AAAA"));
  renderer.settle(false);
  await done;
  const again = renderer.renderModel(output("a", "BBBB"));
  expect(image()?.src).toContain("BBBB");
  renderer.settle(true);
  await again;
  expect(image()).toBeNull();
});

test("outputs of others are rendered as ever", async () => {
  for (const other of [renderer, rendererOf("text/html")]) {
    const models = [output("a", "AAAA", false), output("a", "BBBB", false)];
    for (const model of models) void other.renderModel(model);
    expect(other.rendered).toEqual(models);
    expect(other.node.textContent).toBe("Loading widget...");
    expect(other.node.querySelector("img")).toBeNull();
  }
});
