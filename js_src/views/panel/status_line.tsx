// The last line of a panel: what is shown of what there is, in words.

import type { JSX } from "preact";
import { LinkButton } from "./button";

export interface Fact {
  readonly text: string;
  /** Shown in bold before the text: the "N" of "N of M". */
  readonly lead?: string;
  readonly level?: "warn" | "error";
  /** More of it: an exact figure, or what to do. */
  readonly title?: string;
  readonly run?: () => void;
}

export function StatusLine(props: { facts: readonly Fact[] }): JSX.Element {
  const all = props.facts
    .map(({ lead, text }) => (lead === undefined ? text : `${lead} ${text}`))
    .join(" · ");
  return (
    <div class="ds-status" role="status" aria-live="off" title={all}>
      {props.facts.map((fact, index) => (
        <>
          {index > 0 && (
            <span class="ds-status-dot" aria-hidden="true">
              ·
            </span>
          )}
          <span
            class={fact.level ? `ds-fact ds-${fact.level}` : "ds-fact"}
            title={fact.title}
          >
            {fact.lead !== undefined && <b>{fact.lead}</b>}
            {fact.lead !== undefined && " "}
            {fact.run ? (
              <LinkButton onClick={fact.run}>{fact.text}</LinkButton>
            ) : (
              fact.text
            )}
          </span>
        </>
      ))}
    </div>
  );
}
