// A button that opens a list below it. Escape or a click outside closes it;
// arrows, Home and End move between entries.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

interface MenuProps {
  label: string;
  title?: string | undefined;
  face: ComponentChildren;
  class?: string;
  align?: "left" | "right";
  children: (close: () => void) => ComponentChildren;
}

export function Menu(props: MenuProps): JSX.Element {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const byMouse = useRef(false);
  const close = (): void => {
    setOpen(false);
    // After a mouse click, the panel should get the keys, not the button.
    if (!byMouse.current) button.current?.focus({ preventScroll: true });
  };

  useLayoutEffect(() => {
    if (open) keepInside(root.current?.querySelector(".ds-menu-list") ?? null);
  }, [open]);

  useEffect(() => {
    if (!open) return;
    const outside = (event: Event): void => {
      // Use composedPath: outside of a shadow root, the target is only its host.
      if (root.current && !event.composedPath().includes(root.current)) {
        setOpen(false);
      }
    };
    document.addEventListener("pointerdown", outside, true);
    entries(root.current)[0]?.focus({ preventScroll: true });
    return () => document.removeEventListener("pointerdown", outside, true);
  }, [open]);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (!open) return;
    if (event.key === "Escape") close();
    else if (event.key === "ArrowDown") step(root.current, 1);
    else if (event.key === "ArrowUp") step(root.current, -1);
    else if (event.key === "Home") entries(root.current)[0]?.focus();
    else if (event.key === "End") entries(root.current).at(-1)?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div
      ref={root}
      class={`ds-menu ${props.class ?? ""}`}
      onKeyDown={onKeyDown}
    >
      <button
        ref={button}
        type="button"
        class="ds-menu-button"
        aria-label={props.label}
        aria-haspopup="true"
        aria-expanded={open}
        title={props.title ?? props.label}
        onClick={(event) => {
          byMouse.current = event.detail > 0;
          setOpen(!open);
        }}
      >
        {props.face}
      </button>
      {open && (
        <div
          class={`ds-menu-list ds-align-${props.align ?? "right"}`}
          role="group"
          aria-label={props.label}
        >
          {props.children(close)}
        </div>
      )}
    </div>
  );
}

export function MenuItem(props: {
  children: ComponentChildren;
  onClick: JSX.MouseEventHandler<HTMLButtonElement>;
  checked?: boolean;
  detail?: ComponentChildren;
}): JSX.Element {
  return (
    <button
      type="button"
      class="ds-menu-item"
      aria-pressed={props.checked}
      onClick={props.onClick}
    >
      <span class="ds-menu-item-name">{props.children}</span>
      {props.detail !== undefined && (
        <span class="ds-menu-item-detail">{props.detail}</span>
      )}
    </button>
  );
}

const MARGIN_PX = 8;
const LEAST_PX = 96;

/** Limits the list to the panel, which clips its content; longer lists scroll. */
function keepInside(list: HTMLElement | null): void {
  const panel = list?.closest(".ds-root");
  if (!list || !panel) return;
  const box = panel.getBoundingClientRect();
  const below = box.bottom - list.getBoundingClientRect().top - MARGIN_PX;
  const across = box.width - 2 * MARGIN_PX;
  list.style.setProperty("--ds-room-below", `${Math.max(below, LEAST_PX)}px`);
  list.style.setProperty("--ds-room-across", `${across}px`);
}

function entries(root: HTMLElement | null): HTMLElement[] {
  const list = root?.querySelector(".ds-menu-list");
  return list ? [...list.querySelectorAll<HTMLElement>("button, input")] : [];
}

function step(root: HTMLElement | null, by: number): void {
  const all = entries(root);
  const active = (root?.getRootNode() as Document | ShadowRoot | undefined)
    ?.activeElement;
  const at = all.indexOf(active as HTMLElement);
  all[(at + by + all.length) % all.length]?.focus();
}
