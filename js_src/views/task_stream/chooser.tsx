// Which client or notebook a panel shows, where there are several.

import type { JSX } from "preact";
import { ChevronIcon } from "../panel/icons";
import { Menu } from "../panel/menu";
import type { Choice } from "../host";
import type { ViewState } from "./view_state";

export function ChooserMenu(props: { view: ViewState }): JSX.Element | null {
  const { view } = props;
  const chooser = view.host.chooser?.value;
  if (!chooser || chooser.sessions.length < 2) return null;
  const at = chooser.sessions.findIndex(({ id }) => id === chooser.chosen);
  const chosen = chooser.sessions[at];
  const breadth = view.breadth.value;
  const words = breadth !== "small" && breadth !== "tiny";
  const place = `${at < 0 ? "–" : at + 1} of ${chooser.sessions.length}`;
  return (
    <Menu
      label="Choose a client"
      title={chosen && `${chosen.name}, ${chosen.detail}\nChoose a client`}
      class="ds-chooser"
      face={
        <>
          {chosen && <Mark choice={chosen} />}
          <span class="ds-chooser-name">
            {words ? (chosen?.name ?? "Choose a client") : place}
          </span>
          <ChevronIcon />
        </>
      }
    >
      {(close) =>
        chooser.sessions.map((choice) => (
          <button
            type="button"
            class="ds-menu-item"
            aria-pressed={choice.id === chooser.chosen}
            onClick={() => {
              close();
              chooser.choose(choice.id);
            }}
          >
            <Mark choice={choice} />
            <span class="ds-chooser-words">
              <span class="ds-menu-item-name">{choice.name}</span>
              {choice.detail !== "" && (
                <span class="ds-menu-item-detail">{choice.detail}</span>
              )}
            </span>
          </button>
        ))
      }
    </Menu>
  );
}

function Mark({ choice }: { choice: Choice }): JSX.Element | null {
  if (choice.state === null) return null;
  return (
    <span class={`ds-state-${choice.state}`} aria-hidden="true">
      <span class={choice.active ? "ds-dot ds-active" : "ds-dot"} />
    </span>
  );
}
