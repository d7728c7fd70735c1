import { describe, expect, it } from "vitest";
import { messageInWords } from "../../js_src/views/events/event_words";

describe("a message of an event", () => {
  it.each([
    ["that is text is that text", '"plain text"', "plain text"],
    [
      "begins with what was done",
      '{"stimulus_id": "s-1", "action": "gather", "count": 3}',
      "gather · stimulus_id s-1 · count 3",
    ],
    [
      "names what it holds, one level deep",
      '{"action": "update-graph", "metrics": {"tasks": 3, "seconds": 0.00040602684020996094}, "status": "OK"}',
      "update-graph · metrics: tasks 3, seconds 0.00040602684020996094 · status OK",
    ],
    [
      "keeps all digits",
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

  it("of any depth is read", () => {
    const deep = `{"a": ${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
    expect(messageInWords(deep)).not.toBe("");
  });
});
