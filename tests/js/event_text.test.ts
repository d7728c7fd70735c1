import { describe, expect, it } from "vitest";
import { messageInWords } from "../../js_src/panels/events/event_text";

describe("a message of an event", () => {
  it.each([
    ["that is text is that text", '"plain text"', "plain text"],
    [
      "begins with what was done",
      '{"stimulus_id": "s-1", "action": "gather", "count": 3}',
      "gather · count 3 · stimulus_id s-1",
    ],
    [
      "names what it holds, one level deep",
      '{"action": "update-graph", "metrics": {"tasks": 3, "seconds": 0.00040602684020996094}, "status": "OK"}',
      "update-graph · metrics: tasks 3, seconds 0.00040602684020996094 · status OK",
    ],
    [
      "tells the seconds of Dask as durations, also those that it takes backwards",
      '{"action": "update-graph", "metrics": {"materialization_duration_seconds": 0.0013871192932128906, "ordering_duration_seconds": -0.0001289844512939453, "duration_seconds": 0.25, "lag_seconds": -2}}',
      "update-graph · metrics: materialization_duration 1.4 ms, ordering_duration 129 µs, duration 250 ms, lag −2.00 s",
    ],
    [
      "says of a graph how large it was and how long it took to read",
      '{"action": "update-graph", "metrics": {"tasks": 513, "new_tasks": 1, "duration_seconds": 0.41}, "status": "OK"}',
      "read a graph of 513 tasks in 410 ms",
    ],
    [
      "says of a graph that was refused why",
      '{"action": "update-graph", "metrics": {"tasks": 1, "duration_seconds": 1}, "status": "error"}',
      "read a graph of 1 task in 1.00 s · status error",
    ],
    [
      "keeps all digits of other numbers",
      '{"start": 1795064363.8844757}',
      "start 1795064363.8844757",
    ],
    [
      "keeps deeper things as they were logged",
      '{"a": {"b": {"c": [1, null]}}, "d": [1, 2], "e": {}}',
      'a: b {"c":[1,null]} · d [1,2] · e: nothing',
    ],
    [
      "has an action that is no text like anything else",
      '{"action": 7, "n": true}',
      "action 7 · n true",
    ],
    [
      "whose integers would be rounded stays as it is",
      '{"id": 1152921504606846977}',
      '{"id": 1152921504606846977}',
    ],
    ["that is a list stays as it is", "[1, 2]", "[1, 2]"],
    ["that is empty stays as it is", "{}", "{}"],
    ["that is no JSON stays as it is", '{"cut', '{"cut'],
  ])("%s", (_, message, words) => {
    expect(messageInWords(message)).toBe(words);
  });

  it("has a time of Dask as a clock shows it", () => {
    expect(
      messageInWords('{"start_timestamp_seconds": 1795076290.1764312}'),
    ).toMatch(/^start_timestamp \d\d:\d\d:10\.176$/);
  });

  const nameOf = (address: string) => address.replace("tcp://a", "worker-");
  it.each([
    [
      "asks for tasks",
      '["request", [[1795076308.87, 7, "decode-53", 0.08, "tcp://a0", 0.39, "tcp://a1", 0.12], [1, 7, ["x", 3], 0.1, "tcp://a0", 0, "tcp://a2", 0]]]',
      'request · decode-53 from worker-0 to worker-1, ["x",3] from worker-0 to worker-2',
    ],
    [
      "moves one",
      '["confirm", "decode-53", "ready", "tcp://a0", "tcp://a1", "steal-0"]',
      "confirm · decode-53 from worker-0 to worker-1 · state ready",
    ],
    [
      "leaves one where it computes",
      '["already-computing", "x", "executing", "tcp://a0", "tcp://a1", "steal-1"]',
      "already-computing · x from worker-0 to worker-1 · state executing",
    ],
    [
      "gives one to somebody else",
      '["reschedule", true, "x", null, "tcp://a0", "tcp://a1", "steal-1"]',
      "reschedule · x from worker-0 to worker-1 · state null",
    ],
    [
      "hears too late of one",
      '["already-aborted", "x", "memory", "tcp://a0", "steal-1"]',
      "already-aborted · x on worker-0 · state memory",
    ],
  ])("of work stealing %s", (_, message, words) => {
    expect(messageInWords(message, "stealing", nameOf)).toBe(words);
    expect(messageInWords(message, "mine", nameOf)).toBe(message);
  });

  it.each(["[]", '["request", 7]', '["request", [7]]', '["confirm"]', "[1"])(
    "of work stealing stays as it is where it is another: %s",
    (message) => {
      expect(messageInWords(message, "stealing", nameOf)).toBe(message);
    },
  );

  it("of any depth is read", () => {
    const deep = `{"a": ${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
    expect(messageInWords(deep)).not.toBe("");
  });
});
