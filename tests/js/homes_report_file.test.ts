import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { OpenedRecording } from "../../js_src/archive/open";
import { openReportFile } from "../../js_src/homes/report/report_file";
import type { SessionStore } from "../../js_src/session";

const small = readFileSync(
  fileURLToPath(new URL("../contract/files/small.daskscope", import.meta.url)),
);
const BEGIN = '<script type="application/json" id="daskscope-summary">';
const MIDDLE =
  '</script>\n<script type="application/octet-stream" id="daskscope-recording">';
const END = "</script>\n<script>throw 1</script></body></html>";

const html = (summary: string, recording = small.toString("base64")): string =>
  `<!doctype html>\n<style>${"x".repeat(3_000_000)}</style>${BEGIN}${summary}${MIDDLE}${recording}${END}`;

const open = async (
  content: BlobPart,
  opened: OpenedRecording[] = [],
): ReturnType<typeof openReportFile> =>
  openReportFile(new Blob([content]), "mine.html", {
    storeOf: (recording) => {
      opened.push(recording);
      return {} as SessionStore;
    },
    link: () => null,
  });

describe("a file that a home hands over", () => {
  it("is a recording by what it holds, whatever its name", async () => {
    const opened: OpenedRecording[] = [];
    const source = await open(small, opened);
    expect(source.size).toBe(small.length);
    expect((await source.file()).size).toBe(small.length);
    await source.open();
    expect(opened[0]!.whole).toBe(true);
  });

  it("is a report whose parts are taken out as text", async () => {
    const opened: OpenedRecording[] = [];
    const source = await open(html('{"title": "<b>Taxi</b>"}'), opened);
    expect(source.title).toBe("<b>Taxi</b>");
    expect(source.summary).toEqual({ title: "<b>Taxi</b>" });
    expect(source.size).toBe(small.length);
    await source.open();
    expect(opened[0]!.whole).toBe(true);
    const file = Buffer.from(await (await source.file()).arrayBuffer());
    expect(file.equals(small)).toBe(true);
  });

  it("shows its recording where its summary is no JSON, under its own name", async () => {
    const source = await open(html("{oh"));
    expect(source.summary).toBeNull();
    expect(source.title).toBe("mine.html");
    await expect(source.open()).resolves.toBeDefined();
  });

  it("opens as far as it is whole when it was cut off", async () => {
    const text = html("{}");
    const cut = text.slice(0, text.length - END.length - 2_001);
    const opened: OpenedRecording[] = [];
    const source = await open(cut, opened);
    await source.open();
    expect(opened[0]!.whole).toBe(false);
  });

  it.each([
    ["another page", "<!doctype html><p>mine</p>", /no report of daskscope/],
    ["a page that ends early", `<p>${BEGIN}{"title"`, /cut off/],
    ["no zip", "PK, but no zip", /is no zip file/],
    ["nothing", "", /is no/],
  ])("is refused in words if it is %s", async (_, content, text) => {
    await expect(open(content)).rejects.toMatchObject({
      code: "bad-file",
      text: expect.stringMatching(text) as string,
    });
  });

  it("refuses a recording that is no base64 when it is asked for", async () => {
    const source = await open(html("{}", "***!"));
    await expect(source.open()).rejects.toMatchObject({ code: "bad-file" });
  });
});
