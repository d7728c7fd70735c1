// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from "vitest";
import type { ByteSource } from "../../js_src/archive/bytes";
import { embeddedSource } from "../../js_src/homes/report/embedded";
import type { SessionStore } from "../../js_src/session";

const bytes = Uint8Array.from({ length: 200_003 }, (_, at) => (at * 7) % 256);
const base64 = Buffer.from(bytes).toString("base64");
const opened: ByteSource[] = [];
const openBytes = (source: ByteSource): Promise<SessionStore> => {
  opened.push(source);
  return Promise.resolve({} as SessionStore);
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

beforeEach(() => void opened.splice(0));

describe("what a report carries", () => {
  it("is read from its page, and its recording only when it is asked for", async () => {
    const source = embeddedSource(page('{"title": "Taxi"}', base64), openBytes);
    expect(source.summary).toEqual({ title: "Taxi" });
    expect(source.size).toBe(bytes.length);
    expect(opened).toHaveLength(0);
    await source.open();
    expect(opened[0]!.size).toBe(bytes.length);
  });

  it("comes out as the file that went in", async () => {
    const source = embeddedSource(page("{}", `\n${base64}\n`), openBytes);
    const file = new Uint8Array(await (await source.file()).arrayBuffer());
    expect(Buffer.from(file).equals(bytes)).toBe(true);
  });

  it("has no summary where that is no JSON, and a code where there is no base64", async () => {
    const source = embeddedSource(page("{oh", "*not base64*"), openBytes);
    expect(source.summary).toBeNull();
    const refused = { code: "bad-file" };
    await expect(source.file()).rejects.toMatchObject(refused);
  });

  it("is what is whole of a file that was cut off", async () => {
    const cut = base64.slice(0, 1_003);
    const source = embeddedSource(page("{}", cut), openBytes);
    const file = new Uint8Array(await (await source.file()).arrayBuffer());
    expect([...file]).toEqual([...bytes.slice(0, 750)]);
  });

  it("is nothing where the page holds nothing", () => {
    document.body.replaceChildren();
    const source = embeddedSource(document, openBytes);
    expect([source.summary, source.size]).toEqual([null, 0]);
  });
});
