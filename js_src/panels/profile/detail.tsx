// The chosen frame: its place, its samples, and actions on it.

import type { JSX } from "preact";
import { formatSeconds, formatShare } from "../../base/format";
import { IconButton, LinkButton, useCopied } from "../../panel/button";
import { Swatch } from "../../panel/card";
import { CloseIcon, CopyIcon, PinIcon } from "../../panel/icons";
import { isOfCallers } from "../../derive/profile_tree";
import { MODULES } from "../../derive/profile_modules";
import { moduleColour } from "./looks";
import { amountsOf } from "./compare";
import {
  type Compared,
  exactNode,
  type Path,
  type ProfileState,
} from "./state";

/** Rows with the amounts of both sides and the difference that may be chance. */
function differencesAt(
  of: Compared,
  path: Path,
  interval_s: number,
): readonly (readonly [string, string, string])[] {
  const node = exactNode(of.shown, path);
  if (node < 0) return [];
  const { amount, change } = amountsOf(of.by, interval_s);
  const [a, b] = [of.before[node], of.after[node]];
  return [
    ["A", amount(a), ""],
    ["B", amount(b), ""],
    ["B − A", change(a, b), `chance is ± ${amount(of.bound[node])}`],
  ];
}

export function Detail({ state }: { state: ProfileState }): JSX.Element | null {
  const [copyLabel, copy] = useCopied("Copy the path of the file");
  const path = state.chosen.value;
  if (!path) return null;
  const { view } = state;
  const frames = state.frames.value;
  const frame = path[path.length - 1];
  if (!frames.knows(frame)) return null;
  const sandwich = state.sandwich.value;
  const shown = state.shown.value;
  const node = exactNode(shown, path);
  const tree = sandwich ? sandwich.callees.tree : shown.tree;
  const at = sandwich ? 0 : node;
  const whole = state.tree.value.total[0];
  const seconds = (count: number): string =>
    formatSeconds(count * state.interval_s.value);
  const compared = state.compared.value;
  const figures = compared
    ? differencesAt(compared, path, state.interval_s.value)
    : (
        [
          ["Total", tree.total[at]],
          ["Self", isOfCallers(tree) ? undefined : tree.self[at]],
        ] as const
      ).flatMap(([name, count]) =>
        count === undefined
          ? []
          : [[name, seconds(count), formatShare(count / whole, 1)]],
      );
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
          {figures.map(([name, value, detail]) => (
            <span key={name}>
              <span class="ds-quiet">{name}</span> <b>{value}</b>{" "}
              <span class="ds-quiet">{detail}</span>
            </span>
          ))}
        </span>
        <span class="ds-profile-actions">
          {!sandwich && (
            <LinkButton onClick={() => state.setMode("sandwich")}>
              Callers and callees
            </LinkButton>
          )}
          <LinkButton onClick={() => state.rootAt(frame)}>Root here</LinkButton>
          <LinkButton onClick={() => state.hide(frame)}>Hide</LinkButton>
          {view.growing.value && (
            <IconButton
              label={
                pinned ? "Unpin: show new samples" : "Pin: freeze the graph"
              }
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
              state.setMode("flame");
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
