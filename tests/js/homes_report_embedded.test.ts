// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { embeddedSource } from "../../js_src/homes/report/source";
import type { SessionStore } from "../../js_src/session/session";
import type { SessionLink } from "../../js_src/link/types";
import { goldenFile } from "./archive_files";
import { base85 } from "./base85";
import { statusOf } from "./link_status";

const bytes = Uint8Array.from({ length: 200_003 }, (_, at) => (at * 7) % 256);
const text = base85(bytes);
let link: SessionLink;
const storeOf = (made: SessionLink): SessionStore => {
  link = made;
  return {} as SessionStore;
};

function page(summary: string, recording: string): Document {
  document.body.replaceChildren();
  for (const [id, text] of [
    ["daskscope-summary", summary],
    ["daskscope-recording", recording],
  ] as const) {
    const script = document.createElement("script");
    script.type = "application/octet-stream";
    script.id = id;
    script.textContent = text;
    document.body.append(script);
  }
  document.title = "dask-report";
  return document;
}

describe("what a report carries", () => {
  it("is read from its page, and its recording only when it is asked for", async () => {
    const golden = new Uint8Array(goldenFile());
    const packed = base85(golden);
    const source = embeddedSource(page('{"title": "Taxi"}', packed), storeOf);
    expect(source.summary).toEqual({ title: "Taxi" });
    expect(source.size).toBe(golden.length);
    expect(link.sessions.value).toEqual([]);
    expect((await statusOf(link)).state).toBe("stopped");
    expect(link.sessions.value).toHaveLength(1);
  });

  it("comes out as the file that went in", async () => {
    const source = embeddedSource(page("{}", `\n${text}\n`), storeOf);
    const file = new Uint8Array(await (await source.file()).arrayBuffer());
    expect(Buffer.from(file).equals(bytes)).toBe(true);
  });

  it("has no summary where that is no JSON, and a code where there is no base 85", async () => {
    const source = embeddedSource(page("{oh", "~~~~~"), storeOf);
    expect(source.summary).toBeNull();
    const refused = { code: "bad-file" };
    await expect(source.file()).rejects.toMatchObject(refused);
    embeddedSource(page("", "abc"), storeOf);
    await expect(statusOf(link)).rejects.toMatchObject(refused);
  });

  it("is what is whole of a file that was cut off", async () => {
    const cut = text.slice(0, 1_253);
    const source = embeddedSource(page("{}", cut), storeOf);
    const file = new Uint8Array(await (await source.file()).arrayBuffer());
    expect([...file]).toEqual([...bytes.slice(0, 1_002)]);
  });

  it("is nothing where the page holds nothing", () => {
    document.body.replaceChildren();
    const source = embeddedSource(document, storeOf);
    expect([source.summary, source.size]).toEqual([null, 0]);
  });
});
