// What a recording's link says first of its session.

import type { SessionLink, Sink } from "../../js_src/link/types";
import type { Message } from "../../js_src/link/wire";

/** The first status; rejects with the problem where the recording cannot be opened. */
export function statusOf(link: SessionLink): Promise<Message<"status">> {
  return new Promise((resolve, reject) => {
    const none = (): void => {};
    const sink: Sink = {
      take: (news) => void (news.type === "status" && resolve(news)),
      failed: reject,
      takeRows: none,
      takeTable: none,
      takeCoarse: none,
      takeKeys: none,
      waitingRows: () => 0,
      have: () => [],
      connected: none,
    };
    link.stream("recording", sink).watch(false, ["logs"]);
  });
}
