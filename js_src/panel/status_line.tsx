// The last line of a panel: what is shown of what there is, in words. Where there
// is no room for all of it, what matters least goes first.

import type { JSX } from "preact";
import type { Theme } from "../base/theme";
import { textWidth } from "../base/text_width";
import { LinkButton } from "./button";

export interface Fact {
  readonly text: string;
  /** Shown in bold before the text: the "N" of "N of N". */
  readonly lead?: string;
  /** What is left of the text where there is little room. */
  readonly brief?: string;
  readonly level?: "warn" | "error";
  /** More of it: an exact figure, or what to do. */
  readonly title?: string;
  readonly run?: () => void;
  /** Order of giving way: the highest goes first, 0 never. Default 2. */
  readonly rank?: number;
}

/** A fact as it fits, in the order in which it was given. */
export interface FittedFact {
  readonly fact: Fact;
  readonly text: string;
  /** The line ends here: this fact ends in an ellipsis where it must. */
  readonly shrinks: boolean;
}

export interface FittedLine {
  readonly shown: readonly FittedFact[];
  readonly hidden: readonly Fact[];
}

const PADDING_PX = 24;
/** The dot between two facts and the space around it. */
const BETWEEN_PX = 17;
/** Less than this of a sentence says nothing. */
const SHORTEST_PX = 96;
/** "+2" */
const MORE_PX = 24;
const DEFAULT_RANK = 2;

export const factWords = ({ lead, text }: Fact, words = text): string =>
  lead === undefined ? words : `${lead} ${words}`;

/** What of a line fits into `room_px`; `widthOf` measures text. */
export function fitFacts(
  facts: readonly Fact[],
  room_px: number,
  widthOf: (text: string) => number,
): FittedLine {
  const line = (brief: boolean): { fact: Fact; text: string; px: number }[] =>
    facts.map((fact) => {
      const text = brief ? (fact.brief ?? fact.text) : fact.text;
      return { fact, text, px: widthOf(factWords(fact, text)) + BETWEEN_PX };
    });
  const sum = (all: { px: number }[]): number =>
    all.reduce((px, one) => px + one.px, -BETWEEN_PX);
  const full = line(false);
  if (sum(full) <= room_px) {
    const shown = full.map((one) => ({ ...one, shrinks: false }));
    return { shown, hidden: [] };
  }
  const brief = line(true);
  let left = room_px + BETWEEN_PX - (sum(brief) > room_px ? MORE_PX : 0);
  const fitted = new Map<Fact, FittedFact>();
  const byRank = [...brief].sort((a, b) => rankOf(a.fact) - rankOf(b.fact));
  for (const { fact, text, px } of byRank) {
    const shrinks = px > left;
    if (shrinks && rankOf(fact) > 0) {
      // A short fact that matters little is not worth being cut.
      if (rankOf(fact) > DEFAULT_RANK) continue;
      // What matters less must not stand where this did not fit.
      if (left - BETWEEN_PX < SHORTEST_PX) break;
    }
    fitted.set(fact, { fact, text, shrinks });
    left -= Math.min(px, left);
  }
  return {
    shown: facts.flatMap((fact) => fitted.get(fact) ?? []),
    hidden: facts.filter((fact) => !fitted.has(fact)),
  };
}

const rankOf = (fact: Fact): number => fact.rank ?? DEFAULT_RANK;

export function StatusLine(props: {
  facts: readonly Fact[];
  width_px: number;
  theme: Theme;
}): JSX.Element {
  const { facts } = props;
  const font = `${props.theme.small_px}px ${props.theme.font}`;
  const { shown, hidden } = fitFacts(
    facts,
    props.width_px - PADDING_PX,
    // Bold and rounding make it a little wider than what is measured.
    (text) => textWidth(text, font) * 1.04 + 1,
  );
  const trouble = hidden.filter((fact) => fact.level !== undefined);
  return (
    <div
      class="ds-status"
      role="status"
      aria-live="off"
      title={facts.map((fact) => factWords(fact)).join(" · ")}
    >
      {shown.map((one, index) => (
        <>
          {index > 0 && (
            <span class="ds-status-dot" aria-hidden="true">
              ·
            </span>
          )}
          <FactText {...one} />
        </>
      ))}
      {trouble.length > 0 && (
        <span
          class="ds-fact ds-warn"
          title={trouble.map((fact) => factWords(fact)).join("\n")}
        >
          {`+${trouble.length}`}
        </span>
      )}
    </div>
  );
}

function FactText(props: FittedFact): JSX.Element {
  const { fact, text, shrinks } = props;
  const classes = ["ds-fact"];
  if (fact.level) classes.push(`ds-${fact.level}`);
  if (shrinks) classes.push("ds-shrinks");
  return (
    <span class={classes.join(" ")} title={fact.title ?? fact.text}>
      {fact.lead !== undefined && <b>{fact.lead}</b>}
      {fact.lead !== undefined && " "}
      {fact.run ? <LinkButton onClick={fact.run}>{text}</LinkButton> : text}
    </span>
  );
}
