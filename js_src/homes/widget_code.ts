// The code that a kernel sends to pages without our labextension, including its styles.

import { thePage } from "../session/page";
import { provideCode } from "./code";
import { makeWidget } from "./widget";

declare const DASKSCOPE_STYLES: string;

const sheet = new CSSStyleSheet();
sheet.replaceSync(DASKSCOPE_STYLES);

/** Adds the styles to the document, or to the shadow root that contains the panel. */
function useStyles(el: HTMLElement): void {
  const adopt = (): boolean => {
    const root = el.getRootNode() as Document | ShadowRoot;
    const sheets = root.adoptedStyleSheets;
    if (sheets && !sheets.includes(sheet)) sheets.push(sheet);
    return sheets !== undefined;
  };
  if (adopt()) return;
  // Some hosts render a panel before they attach it to the page.
  const sizes = new ResizeObserver(() => {
    if (adopt()) sizes.disconnect();
  });
  sizes.observe(el);
}

provideCode({ widget: () => makeWidget(useStyles), page: thePage() });
