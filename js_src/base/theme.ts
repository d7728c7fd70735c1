// The host's theme as canvas code needs it: resolved colours and fonts, read
// from the CSS variables of one element, and read again when the host changes.

import { isDark, parseColour, type Rgb } from "./colour";

export interface Theme {
  readonly dark: boolean;
  /** Background of panel and plot. */
  readonly panel: Rgb;
  readonly well: Rgb;
  readonly text: Rgb;
  readonly text2: Rgb;
  readonly rule: Rgb;
  readonly grid: Rgb;
  readonly brand: Rgb;
  readonly error: Rgb;
  readonly warn: Rgb;
  readonly font: string;
  /** Of elements: hosts let people enlarge it. */
  readonly size_px: number;
  readonly small_px: number;
}

/** What a light host has that says nothing of itself, and paper. */
export const LIGHT = {
  dark: false,
  panel: [255, 255, 255],
  well: [245, 245, 245],
  text: [33, 33, 33],
  text2: [97, 97, 97],
  rule: [224, 224, 224],
  grid: [237, 237, 237],
  brand: [25, 118, 210],
  error: [148, 33, 33],
  warn: [135, 68, 0],
} as const satisfies Partial<Theme>;

/** The same letters, dark on white, whatever the screen has. */
export const onPaper = (theme: Theme): Theme => ({ ...theme, ...LIGHT });

/** Resolves what only the browser can: names, color-mix(), transparency. */
class Resolver {
  private readonly context: CanvasRenderingContext2D | null;

  constructor(private readonly probe: HTMLElement) {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 1;
    this.context = canvas.getContext("2d", { willReadFrequently: true });
  }

  over(variable: string, background: Rgb, fallback: Rgb): Rgb {
    this.probe.style.color = `var(${variable})`;
    const text = getComputedStyle(this.probe).color;
    const plain = parseColour(text);
    if (plain) return plain;
    if (!this.context || text === "") return fallback;
    this.context.globalCompositeOperation = "copy";
    this.context.fillStyle = `rgb(${background.join(" ")})`;
    this.context.fillRect(0, 0, 1, 1);
    this.context.globalCompositeOperation = "source-over";
    this.context.fillStyle = text;
    this.context.fillRect(0, 0, 1, 1);
    const [red, green, blue] = this.context.getImageData(0, 0, 1, 1).data;
    return [red ?? 0, green ?? 0, blue ?? 0];
  }
}

/** Reads the theme at `element`; outside of the document it is a light one. */
export function readTheme(element: HTMLElement): Theme {
  adoptSurroundings(element);
  const probe = document.createElement("span");
  probe.style.display = "none";
  element.append(probe);
  try {
    const resolver = new Resolver(probe);
    const panel = resolver.over("--ds-panel", LIGHT.panel, LIGHT.panel);
    const read = (name: Exclude<keyof typeof LIGHT, "dark">): Rgb =>
      resolver.over(`--ds-${name}`, panel, LIGHT[name]);
    const style = getComputedStyle(element);
    const size_px = parseFloat(style.fontSize) || 12;
    return {
      dark: isDark(panel),
      panel,
      well: read("well"),
      text: read("text"),
      text2: read("text2"),
      rule: read("rule"),
      grid: read("grid"),
      brand: read("brand"),
      error: read("error"),
      warn: read("warn"),
      font: style.fontFamily || "sans-serif",
      size_px,
      small_px: (size_px * 11) / 12,
    };
  } finally {
    probe.remove();
  }
}

/**
 * Hosts without JupyterLab's variables (marimo, a plain page) say light or dark
 * only by what they paint behind us; base.css has defaults for both.
 */
function adoptSurroundings(element: HTMLElement): void {
  const own = getComputedStyle(element);
  if (own.getPropertyValue("--jp-layout-color1").trim() !== "") {
    element.removeAttribute("data-ds-theme");
    return;
  }
  let above: Element | null = element.parentElement ?? hostOf(element);
  while (above) {
    const colour = getComputedStyle(above).backgroundColor;
    const opaque = parseColour(colour);
    if (opaque) {
      element.dataset["dsTheme"] = isDark(opaque) ? "dark" : "light";
      return;
    }
    above = above.parentElement ?? hostOf(above);
  }
  // Nothing painted: the browser's own canvas, which follows the system only
  // where the page allows it.
  const scheme = getComputedStyle(document.documentElement).colorScheme;
  const system = matchMedia("(prefers-color-scheme: dark)").matches;
  const dark = scheme.includes("dark") && (system || !scheme.includes("light"));
  element.dataset["dsTheme"] = dark ? "dark" : "light";
}

function hostOf(element: Element): Element | null {
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
}

/** Calls back when the host may have changed its theme. */
export function watchTheme(changed: () => void): () => void {
  let pending = 0;
  // Hosts set the attribute around the time the style sheet arrives: look
  // again a little later as well.
  const timers = new Set<ReturnType<typeof setTimeout>>();
  const later = (delay_ms: number): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      changed();
    }, delay_ms);
    timers.add(timer);
  };
  const notice = (): void => {
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(changed);
    if (timers.size === 0) {
      later(150);
      later(800);
    }
  };
  const observer = new MutationObserver(notice);
  const attributes = {
    attributes: true,
    attributeFilter: [
      "class",
      "style",
      "data-jp-theme-name",
      "data-jp-theme-light",
      "data-theme",
      "data-color-mode",
      "data-vscode-theme-kind",
    ],
  };
  observer.observe(document.documentElement, attributes);
  if (document.body) observer.observe(document.body, attributes);
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", notice);
  return () => {
    observer.disconnect();
    system.removeEventListener("change", notice);
    cancelAnimationFrame(pending);
    for (const timer of timers) clearTimeout(timer);
  };
}

export function sameTheme(one: Theme, other: Theme): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
