// The icons of the panels: 16 px, drawn with the colour of the text.

import type { JSX } from "preact";

const icon = (path: string) => (): JSX.Element => (
  <svg
    class="ds-icon"
    width="16"
    height="16"
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    stroke-width="1.4"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d={path} />
  </svg>
);

export const SearchIcon = icon(
  "M11 6.8a4.2 4.2 0 1 1-8.4 0 4.2 4.2 0 0 1 8.4 0M10 10l3.8 3.8",
);
export const PauseIcon = icon("M5.5 3.5v9M10.5 3.5v9");
export const PlayIcon = icon("M5 3.2v9.6L12.6 8z");
export const FitIcon = icon(
  "M2.7 6V2.7H6M10 2.7h3.3V6M13.3 10v3.3H10M6 13.3H2.7V10",
);
export const ExportIcon = icon(
  "M8 2.5v7.2M4.9 6.8L8 9.9l3.1-3.1M2.7 11v2.3h10.6V11",
);
export const HelpIcon = icon(
  "M5.6 5.7a2.4 2.4 0 1 1 3.5 2.2C8.3 8.4 8 8.8 8 9.8M8 11.6v1.3",
);
export const CloseIcon = icon("M4 4l8 8M12 4l-8 8");
export const CopyIcon = icon(
  "M6.5 5.5h5.8a1 1 0 0 1 1 1v5.8a1 1 0 0 1-1 1H6.5a1 1 0 0 1-1-1V6.5a1 1 0 0 1 1-1zM10.5 5.5V3.7a1 1 0 0 0-1-1H3.7a1 1 0 0 0-1 1v5.8a1 1 0 0 0 1 1h1.8",
);
export const PinIcon = icon(
  "M6 2.7h4M6.4 2.7v3.6L4.6 9.4h6.8L9.6 6.3V2.7M8 9.4v4",
);
export const MoreIcon = icon("M2.5 8h1M7.5 8h1M12.5 8h1");
export const ChevronIcon = icon("M4.5 6.3L8 9.8l3.5-3.5");
export const WarningIcon = icon("M8 2.6l6 10.7H2zM8 6.6v3.2M8 11v1.2");
export const InfoIcon = icon(
  "M13.6 8a5.6 5.6 0 1 1-11.2 0 5.6 5.6 0 0 1 11.2 0M8 7.2v3.6M8 4.9v1.3",
);
export const TableIcon = icon(
  "M2.7 3.2h10.6v9.6H2.7zM2.7 6.4h10.6M2.7 9.6h10.6M6.2 6.4v6.4",
);

/** The panel's icon, as in the sidebar. */
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
