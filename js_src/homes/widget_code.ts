// The code that a kernel sends to pages without our labextension, with its styles.

import { thePage } from "../session/page";
import { provideCode } from "./code";
import { makeWidget } from "./widget";

declare const DASKSCOPE_STYLES: string;

const sheet = new CSSStyleSheet();
sheet.replaceSync(DASKSCOPE_STYLES);

/** One sheet for the document, and for each shadow root that a host makes. */
function useStyles(el: HTMLElement): void {
  const adopt = (): boolean => {
    const root = el.getRootNode() as Document | ShadowRoot;
    const sheets = root.adoptedStyleSheets;
    if (sheets && !sheets.includes(sheet)) sheets.push(sheet);
    return sheets !== undefined;
  };
  if (adopt()) return;
  // Hosts render a panel before they put it into the page.
  const sizes = new ResizeObserver(() => {
    if (adopt()) sizes.disconnect();
  });
  sizes.observe(el);
}

provideCode({ widget: () => makeWidget(useStyles), page: thePage() });
