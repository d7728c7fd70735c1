// Which client or notebook a panel shows, where there are several.

import type { JSX } from "preact";
import { ChevronIcon } from "./icons";
import { Menu } from "./menu";
import type { PanelEnvironment } from "./environment";
import type { Choice, Chooser, PanelHost } from "./host";

interface Chosen {
  readonly host: PanelHost;
  readonly environment: PanelEnvironment;
}

/** Beside the title there would be no room for a name. */
const CROWDED_PX = 440;

const chooserOf = (view: Chosen): Chooser | null => {
  const chooser = view.host.chooser?.value;
  return chooser && chooser.sessions.length > 1 ? chooser : null;
};

/** Whether its name stands in the toolbar. */
export const isChosen = (view: Chosen): boolean => chooserOf(view) !== null;

/** The chosen name takes the place of the panel's, which its tab has, too. */
export function chooserCrowds(view: Chosen): boolean {
  const { value: width } = view.environment.width;
  return width < CROWDED_PX && isChosen(view);
}

export function ChooserMenu(props: { view: Chosen }): JSX.Element | null {
  const { view } = props;
  const chooser = chooserOf(view);
  if (!chooser) return null;
  const at = chooser.sessions.findIndex(({ id }) => id === chooser.chosen);
  const chosen = chooser.sessions[at];
  const place = `${at + 1} of ${chooser.sessions.length}`;
  return (
    <Menu
      label="Choose a client"
      title={
        chosen && `${chosen.name}, ${chosen.detail} (${place})\nChoose a client`
      }
      class="ds-chooser"
      face={
        <>
          {chosen && <Mark choice={chosen} />}
          <span class="ds-chooser-name">
            {chosen?.name ?? "Choose a client"}
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
