// Makes notebook outputs that have a widget and a saved picture show the picture until
// the widget is rendered, and keep the widget when the picture is updated.

import type { INotebookTracker, NotebookPanel } from "@jupyterlab/notebook";

type Rendermime = NotebookPanel["content"]["rendermime"];
type Renderer = ReturnType<Rendermime["createRenderer"]>;
type MimeModel = Parameters<Renderer["renderModel"]>[0];

const VIEW = "application/vnd.jupyter.widget-view+json";
const PNG = "image/png";
/** What the kernel writes into the metadata of our outputs. */
const MARK = "daskscope";

/**
 * Extend the renderers of each notebook when they are created, because the widget manager
 * registers its renderer again once the notebook has a kernel.
 */
export function showPictures(tracker: INotebookTracker): void {
  const follow = ({ content: { rendermime } }: NotebookPanel) => {
    const create = rendermime.createRenderer.bind(rendermime);
    rendermime.createRenderer = (mimeType) => {
      const renderer = create(mimeType);
      if (mimeType === VIEW) addPicture(renderer);
      return renderer;
    };
  };
  tracker.forEach(follow);
  tracker.widgetAdded.connect((_, panel) => follow(panel));
}

function pictureOf({ data, metadata }: MimeModel): HTMLImageElement | null {
  const png = data[PNG];
  if (typeof png !== "string") return null;
  const about = metadata[PNG] as { width?: number; alt?: string } | undefined;
  const image = new Image(about?.width);
  image.className = "ds-saved-picture";
  image.alt = about?.alt ?? "";
  image.src = `data:${PNG};base64,${png}`;
  return image;
}

const modelId = ({ data }: MimeModel): unknown =>
  (data[VIEW] as { model_id?: unknown } | undefined)?.model_id;

function addPicture(renderer: Renderer): void {
  const render = renderer.renderModel.bind(renderer);
  const { node } = renderer;
  let picture: HTMLImageElement | null = null;
  let shown: unknown = null; // id of the widget's model
  let rendering = false;
  const isLive = () => node.querySelector(":scope > .lm-Widget") !== null;
  // Without a widget, the renderer writes that it is loading, or why it cannot be shown.
  const update = () => {
    if (isLive()) observer.disconnect();
    else if (picture && node.firstChild !== picture) {
      node.replaceChildren(picture);
    }
  };
  const observer = new MutationObserver(update);
  renderer.renderModel = (model) => {
    if (!(MARK in model.metadata)) return render(model);
    const id = modelId(model);
    const isThere = id === shown && (rendering || isLive());
    picture = pictureOf(model) ?? picture;
    let done = Promise.resolve();
    if (!isThere) {
      shown = id;
      rendering = true;
      observer.observe(node, { childList: true });
      done = render(model).finally(() => {
        rendering = false;
      });
    }
    update();
    return done;
  };
}
