// The icons of the panels: 16 px, drawn with the colour of the text.

import type { ComponentChildren, JSX } from "preact";

function Icon(props: { children: ComponentChildren }): JSX.Element {
  return (
    <svg
      class="ds-icon"
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.4"
      aria-hidden="true"
    >
      {props.children}
    </svg>
  );
}

export const SearchIcon = (): JSX.Element => (
  <Icon>
    <circle cx="6.8" cy="6.8" r="4.2" />
    <path d="M10 10l3.8 3.8" />
  </Icon>
);

export const PauseIcon = (): JSX.Element => (
  <Icon>
    <path d="M5.5 3.5v9M10.5 3.5v9" />
  </Icon>
);

export const PlayIcon = (): JSX.Element => (
  <Icon>
    <path d="M5 3.2v9.6L12.6 8z" stroke-linejoin="round" />
  </Icon>
);

export const FitIcon = (): JSX.Element => (
  <Icon>
    <path d="M2.7 6V2.7H6M10 2.7h3.3V6M13.3 10v3.3H10M6 13.3H2.7V10" />
  </Icon>
);

export const ExportIcon = (): JSX.Element => (
  <Icon>
    <path d="M8 2.5v7.2M4.9 6.8L8 9.9l3.1-3.1M2.7 11v2.3h10.6V11" />
  </Icon>
);

export const HelpIcon = (): JSX.Element => (
  <Icon>
    <path d="M5.6 5.7a2.4 2.4 0 1 1 3.5 2.2C8.3 8.4 8 8.8 8 9.8M8 11.6v1.3" />
  </Icon>
);

export const CloseIcon = (): JSX.Element => (
  <Icon>
    <path d="M4 4l8 8M12 4l-8 8" />
  </Icon>
);

export const CopyIcon = (): JSX.Element => (
  <Icon>
    <rect x="5.5" y="5.5" width="7.8" height="7.8" rx="1" />
    <path d="M10.5 5.5V3.7a1 1 0 0 0-1-1H3.7a1 1 0 0 0-1 1v5.8a1 1 0 0 0 1 1h1.8" />
  </Icon>
);

export const MoreIcon = (): JSX.Element => (
  <Icon>
    <path
      d="M3 8h.01M8 8h.01M13 8h.01"
      stroke-width="2"
      stroke-linecap="round"
    />
  </Icon>
);

export const ChevronIcon = (): JSX.Element => (
  <Icon>
    <path d="M4.5 6.3L8 9.8l3.5-3.5" />
  </Icon>
);

export const WarningIcon = (): JSX.Element => (
  <Icon>
    <path d="M8 2.6l6 10.7H2zM8 6.6v3.2M8 11v1.2" stroke-linejoin="round" />
  </Icon>
);

export const InfoIcon = (): JSX.Element => (
  <Icon>
    <circle cx="8" cy="8" r="5.6" />
    <path d="M8 7.2v3.6M8 4.9v1.3" />
  </Icon>
);

export const TableIcon = (): JSX.Element => (
  <Icon>
    <path d="M2.7 3.2h10.6v9.6H2.7zM2.7 6.4h10.6M2.7 9.6h10.6M6.2 6.4v6.4" />
  </Icon>
);

/** The panel's own sign, as in the sidebar. */
export const TasksIcon = (): JSX.Element => (
  <svg
    class="ds-sign"
    width="22"
    height="22"
    viewBox="0 0 22 22"
    fill="currentColor"
    aria-hidden="true"
  >
    <rect x="1" y="3" width="8" height="4" opacity=".9" />
    <rect x="10" y="3" width="11" height="4" opacity=".45" />
    <rect x="4" y="9" width="10" height="4" opacity=".9" />
    <rect x="15" y="9" width="4" height="4" opacity=".45" />
    <rect x="1" y="15" width="6" height="4" opacity=".45" />
    <rect x="8" y="15" width="11" height="4" opacity=".9" />
  </svg>
);
