// The key of a task, requested from the kernel if the page does not have it.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatExact } from "../base/format";
import type { SessionStore } from "../session/session";

const REST_MS = 100;

/** `undefined` while it is requested, null if it no longer exists. */
export function useKey(
  session: SessionStore,
  task: number,
): string | null | undefined {
  const [key, setKey] = useState<{ task: number; text: string | null }>();
  useEffect(() => {
    let [wanted, missing] = [true, false];
    const take = (text: string | null): void => {
      missing = text === null;
      if (wanted) setKey({ task, text });
    };
    const ask = (): void => {
      const answer = session.keys.text(task);
      if (answer instanceof Promise) answer.then(take, () => take(null));
      else take(answer);
    };
    // Ask the kernel only if the pointer rests, not for each task that it crosses.
    let resting: ReturnType<typeof setTimeout> | undefined;
    if (session.keys.has(task)) ask();
    else resting = setTimeout(ask, REST_MS);
    // A busy kernel does not answer; it sends the keys a moment later without a request.
    const stop = session.keys.arrivals.subscribe(() => {
      if (missing && session.keys.has(task)) ask();
    });
    return () => {
      wanted = false;
      stop();
      clearTimeout(resting);
    };
  }, [session, task]);
  return key?.task === task ? key.text : undefined;
}

/** Keys may have ten thousand characters; a card has room for a few lines. */
export function KeyText(props: {
  text: string | null | undefined;
  longest: number;
}): JSX.Element {
  const { text, longest } = props;
  if (text === undefined) return <span class="ds-key-text">…</span>;
  if (text === null) {
    return <span class="ds-key-text ds-quiet">key not loaded yet</span>;
  }
  if (text.length <= longest) return <span class="ds-key-text">{text}</span>;
  return (
    <>
      <span class="ds-key-text">{text.slice(0, longest)}…</span>{" "}
      <span class="ds-quiet">{`(${formatExact(text.length)} characters)`}</span>
    </>
  );
}
