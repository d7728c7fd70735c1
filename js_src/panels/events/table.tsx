// The list of events, changes of workers and gaps.

import { Part, Table } from "../../panel/parts";
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { someOf } from "../../base/bounds";
import { formatExact, formatMoment, plural } from "../../base/format";
import { LinkButton } from "../../panel/button";
import { SearchBox, hasWords, Kinds } from "../../panel/filter_tools";
import { Pager, usePages } from "../../panel/paging";
import type { PanelView } from "../../panel/panel_view";
import { shortNames } from "../../panel/worker_groups";
import {
  type ListedEvent,
  KIND_NAMES,
  type Kind,
  KINDS,
  narrow,
  groupEvents,
  type EventGroup,
} from "./event_list";

/** Characters of a message that are shown until the user asks for all. */
const MOST_CHARACTERS = 300;
const MOST_NAMES = 20;

export function EventList(props: {
  view: PanelView;
  all: readonly ListedEvent[];
  /** The recording is truncated, so these tables are missing. */
  cut: boolean;
}): JSX.Element {
  const { view, all } = props;
  const [kind, setKind] = useState<Kind | null>(null);
  const [text, setText] = useState("");
  const shortOf = shortNames(view);
  const focus = view.focus.value;
  const shown = useMemo(
    () => narrow(all, { focus, kind, has: hasWords(text) }),
    [all, focus, kind, text],
  );
  const rows = useMemo(() => groupEvents(shown), [shown]);
  const paged = usePages(
    rows,
    JSON.stringify([focus, kind, text]),
    view,
    "below",
  );
  const counts = useMemo(
    () => KINDS.map((one) => all.filter(({ kind }) => kind === one).length),
    [all],
  );
  return (
    <Part
      title="Events"
      tools={
        all.length > 0 && (
          <>
            <span class="ds-quiet" role="status">
              {shown.length < all.length
                ? `${formatExact(shown.length)} of ${formatExact(all.length)}`
                : `${formatExact(all.length)}, newest last`}
            </span>
            <div class="ds-list-tools">
              <Kinds
                label="Kinds of events"
                chosen={kind}
                kinds={[
                  { kind: null, name: "All", count: all.length },
                  ...KINDS.map((one, at) => ({
                    ...{
                      kind: one,
                      name: KIND_NAMES[one],
                      count: counts[at],
                    },
                  })),
                ]}
                onChoose={setKind}
              />
              <SearchBox
                placeholder="Filter by topic or message"
                text={text}
                onText={setText}
              />
            </div>
          </>
        )
      }
    >
      {shown.length === 0 ? (
        <p class="ds-sentence">
          {all.length > 0
            ? "No events match the filter."
            : props.cut
              ? "Events are missing because the file was truncated."
              : "No events were logged."}
        </p>
      ) : (
        <Table
          class="ds-list"
          label="Events"
          columns={[
            { name: "Time", class: "ds-number" },
            "About",
            { name: "What happened", class: "ds-list-text" },
            { name: "Kind", class: "ds-list-kind" },
          ]}
        >
          {paged.rows.map((row) => (
            <Row view={view} row={row} shortOf={shortOf} />
          ))}
        </Table>
      )}
      <Pager paged={paged} noun="events" />
      {paged.end}
    </Part>
  );
}

function Row(props: {
  view: PanelView;
  row: EventGroup;
  shortOf: (name: string) => string;
}): JSX.Element {
  const { view, row } = props;
  const { first: one, all } = row;
  const several = all.length > 1;
  const level = one.level === "warn" ? "ds-list-text ds-warn" : "ds-list-text";
  return (
    <tr>
      <td class="ds-list-time ds-number">
        {formatMoment(one.start - view.origin.value, 3)}
      </td>
      <td
        class="ds-list-about"
        title={someOf(all, MOST_NAMES)
          .shown.map(({ about }) => about)
          .join("\n")}
      >
        {several ? plural(all.length, "worker") : props.shortOf(one.about)}
      </td>
      <td class={level}>
        {one.logged === undefined ? (
          one.text
        ) : (
          <Message
            text={one.text}
            logged={one.logged}
            key={one.logged}
            whole={view.printing.value}
          />
        )}
      </td>
      <td class="ds-list-kind">
        {KIND_NAMES[one.kind]}
        {several && ` × ${formatExact(all.length)}`}
      </td>
    </tr>
  );
}

/** A message in words, with a button for the logged text or, if long, for all of it. */
function Message(props: {
  text: string;
  logged: string;
  whole: boolean;
}): JSX.Element {
  const { text, logged } = props;
  const [asked, setAsked] = useState(false);
  const isText = logged.startsWith('"'); // then `text` is the whole message
  const all = isText ? text : logged;
  const long = text.length > MOST_CHARACTERS;
  if (props.whole || (!long && all === text))
    return <span class="ds-mono">{text}</span>;
  const brief = long ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
  const [more, less] = long
    ? [`all ${formatExact(all.length)} characters`, "Show less"]
    : ["show raw", "show in words"];
  return (
    <span class={long ? "ds-mono" : "ds-mono ds-in-words"}>
      {asked ? all : brief}{" "}
      <LinkButton onClick={() => setAsked(!asked)}>
        {asked ? less : more}
      </LinkButton>
    </span>
  );
}
