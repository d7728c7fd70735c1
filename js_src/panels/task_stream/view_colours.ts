// The colours that a view paints with, made anew when names, theme or what is
// isolated change: the raster keeps its pictures as long as they are the same.

import { ERRED, legendAction } from "../../panel/action_words";
import { makePaints, type Paints } from "../../panel/paints";
import type { ViewState } from "./view_state";

export class ViewColours {
  private paints: Paints | null = null;
  private key = "";
  private theme: unknown = null;

  constructor(private readonly view: ViewState) {}

  current(): Paints | null {
    const { view } = this;
    const store = view.session.peek()?.store;
    if (!store) return null;
    const theme = view.environment.theme.peek();
    const key = `${store.id} ${store.prefixes.length} ${store.actions.length}`;
    if (this.paints === null || key !== this.key || theme !== this.theme) {
      this.key = key;
      this.theme = theme;
      this.paints = makePaints(store, theme);
    }
    return this.paints;
  }

  /** Where one action is isolated, the overview shows it in its own colour. */
  only(): number | null {
    const actions = this.view.selection.peek()?.actions.peek() ?? [];
    const paints = this.current();
    const only = actions.length === 1 ? actions[0] : undefined;
    if (only === undefined || !paints) return null;
    if (only === ERRED) return paints.overlay.erred;
    const names = this.view.session.peek()?.store.actions ?? [];
    const at = names.findIndex((name) => legendAction(name) === only);
    return paints.overlay.paints[at] ?? null;
  }
}
