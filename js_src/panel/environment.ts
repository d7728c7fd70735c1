// The surroundings of a panel: its size, its visibility, the theme.
// While `visible` is false, the panel draws and requests nothing.

import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { readTheme, sameTheme, watchTheme, type Theme } from "../base/theme";
import type { PanelHost } from "./host";

export interface PanelEnvironment {
  readonly width: ReadonlySignal<number>;
  readonly height: ReadonlySignal<number>;
  readonly visible: ReadonlySignal<boolean>;
  readonly theme: ReadonlySignal<Theme>;
  readonly reducedMotion: ReadonlySignal<boolean>;
  dispose(): void;
}

export function watchEnvironment(
  root: HTMLElement,
  host: Pick<PanelHost, "visible" | "printing">,
): PanelEnvironment {
  const width = signal(root.clientWidth);
  const height = signal(root.clientHeight);
  const inView = signal(false);
  const pageShown = signal(document.visibilityState !== "hidden");
  const theme = signal(readTheme(root));
  const motion = matchMedia("(prefers-reduced-motion: reduce)");
  const reducedMotion = signal(motion.matches);

  const onTheme = (): void => {
    // Outside of the document all colours are empty: keep the last theme.
    if (!root.isConnected) return;
    const next = readTheme(root);
    if (!sameTheme(next, theme.peek())) theme.value = next;
  };

  const sizes = new ResizeObserver((entries) => {
    const box = entries[entries.length - 1]?.contentRect;
    if (!box) return;
    // Hosts create a panel before they show it, and may detach it for a while:
    // colours can only be read now, and may have changed.
    if (width.peek() === 0) onTheme();
    width.value = box.width;
    height.value = box.height;
  });
  sizes.observe(root);

  const views = new IntersectionObserver((entries) => {
    inView.value = entries[entries.length - 1]?.isIntersecting ?? false;
  });
  views.observe(root);

  const onPage = (): void => {
    pageShown.value = document.visibilityState !== "hidden";
  };
  document.addEventListener("visibilitychange", onPage);

  const unwatchTheme = watchTheme(onTheme);

  const onMotion = (): void => {
    reducedMotion.value = motion.matches;
  };
  motion.addEventListener("change", onMotion);

  return {
    width,
    height,
    visible: computed(
      () =>
        host.printing?.value ||
        (inView.value &&
          pageShown.value &&
          (host.visible?.value ?? true) &&
          width.value > 0),
    ),
    theme,
    reducedMotion,
    dispose() {
      sizes.disconnect();
      views.disconnect();
      unwatchTheme();
      document.removeEventListener("visibilitychange", onPage);
      motion.removeEventListener("change", onMotion);
    },
  };
}

/** Layouts of a panel by width (see the style sheets). */
export type Breadth = "wide" | "medium" | "narrow" | "small" | "tiny";

export function breadthOf(width_px: number): Breadth {
  if (width_px >= 900) return "wide";
  if (width_px >= 620) return "medium";
  if (width_px >= 480) return "narrow";
  return width_px > 340 ? "small" : "tiny";
}
