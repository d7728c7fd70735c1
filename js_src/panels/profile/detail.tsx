// The frame that is chosen: where it was seen, what it took, and what can be done with it.

import type { JSX } from "preact";
import { formatSeconds, formatShare } from "../../base/format";
import { IconButton, LinkButton, useCopied } from "../../panel/button";
import { Swatch } from "../../panel/card";
import { CloseIcon, CopyIcon, PinIcon } from "../../panel/icons";
import { MODULES } from "../../derive/profile_modules";
import { moduleColour } from "./looks";
import { exactNode, type ProfileState } from "./state";

export function Detail({ state }: { state: ProfileState }): JSX.Element | null {
  const [copyLabel, copy] = useCopied("Copy the path of the file");
  const path = state.chosen.value;
  if (!path) return null;
  const { view } = state;
  const frames = state.frames.value;
  const frame = path[path.length - 1];
  const sandwich = state.sandwich.value;
  const shown = state.shown.value;
  const node = exactNode(shown, path);
  const tree = sandwich ? sandwich.callees.tree : shown.tree;
  const at = sandwich ? 0 : node;
  const [total, self] = at < 0 ? [0, 0] : [tree.total[at], tree.self[at]];
  const whole = state.tree.value.total[0];
  const seconds = (count: number): string =>
    formatSeconds(count * state.interval_s.value);
  const file = frames.fileOf(frame);
  const source = frames.sourceOf(frame);
  const line = frames.lineOf(frame);
  const pinned = state.pinned.value;
  return (
    <section class="ds-profile-detail" aria-label="Chosen frame">
      <div class="ds-profile-detail-head">
        <Swatch
          colour={moduleColour(
            MODULES[frames.moduleOf(frame)],
            view.theme.value.dark,
          )}
        />
        <b
          class="ds-profile-detail-name"
          title={frames.nameOf(frame)}
          aria-live="polite"
        >
          {frames.nameOf(frame)}
        </b>
        {file !== "" && (
          <>
            <span class="ds-profile-place" title={file}>
              {frames.placeOf(frame).replace(/(:|, line )\d+$/, "")}
              {line > 0 && `, seen at line ${line}`}
            </span>
            <IconButton label={copyLabel} onClick={() => copy(file)}>
              <CopyIcon />
            </IconButton>
          </>
        )}
        <span class="ds-profile-figures">
          <span>
            <span class="ds-quiet">Total</span> <b>{seconds(total)}</b>{" "}
            <span class="ds-quiet">{formatShare(total / whole, 1)}</span>
          </span>
          <span>
            <span class="ds-quiet">Self</span> <b>{seconds(self)}</b>{" "}
            <span class="ds-quiet">{formatShare(self / whole, 1)}</span>
          </span>
        </span>
        <span class="ds-profile-actions">
          {!sandwich && (
            <LinkButton onClick={() => (state.mode.value = "sandwich")}>
              Callers and callees
            </LinkButton>
          )}
          <LinkButton onClick={() => state.rootAt(frame)}>Root here</LinkButton>
          <LinkButton onClick={() => state.hide(frame)}>Hide</LinkButton>
          {view.growing.value && (
            <IconButton
              label={pinned ? "Unpin: follow the run" : "Pin: stand still"}
              shortcut="P"
              pressed={pinned}
              onClick={() => (state.pinned.value = !pinned)}
            >
              <PinIcon />
            </IconButton>
          )}
          <IconButton
            label="Close"
            onClick={() => {
              state.chosen.value = null;
              state.pinned.value = false;
              state.mode.value = "flame";
            }}
          >
            <CloseIcon />
          </IconButton>
        </span>
      </div>
      {source !== "" && (
        <pre class="ds-profile-source">
          <span class="ds-quiet">{line}</span> {source}
        </pre>
      )}
    </section>
  );
}
