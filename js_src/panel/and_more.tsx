// What a long list says at its end.

import type { JSX } from "preact";
import { formatExact } from "../base/format";

export function AndMore(props: { count: number }): JSX.Element | null {
  if (props.count === 0) return null;
  return (
    <p class="ds-quiet ds-part-note">{`and ${formatExact(props.count)} more`}</p>
  );
}
