// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { openReportFile } from "../../js_src/homes/report/report_file";
import type { SessionStore } from "../../js_src/session/session";
import type { SessionLink } from "../../js_src/link/types";
import { goldenFile } from "./archive_files";
import { base85 } from "./base85";
import { statusOf } from "./link_status";

const small = Buffer.from(goldenFile());
const BEGIN = '<script type="application/json" id="daskscope-summary">';
const MIDDLE =
  '</script>\n<script type="application/octet-stream" id="daskscope-recording">';
const END = "</script>\n<script>throw 1</script></body></html>";

const html = (summary: string, recording = base85(small)): string =>
  `<!doctype html>\n<style>${"x".repeat(3_000_000)}</style>${BEGIN}${summary}${MIDDLE}${recording}${END}`;

let link: SessionLink;
const open = async (content: BlobPart): ReturnType<typeof openReportFile> =>
  openReportFile(new Blob([content]), "mine.html", {
    storeOf: (made) => {
      link = made;
      return {} as SessionStore;
    },
    link: () => null,
  });
/** What is wrong with the recording, as its session says it. */
const noticed = async (): Promise<string[]> =>
  (await statusOf(link)).notices.map(({ code }) => code);

describe("a file that a home hands over", () => {
  it("is a recording by what it holds, whatever its name", async () => {
    const source = await open(small);
    expect(source.size).toBe(small.length);
    expect((await source.file()).size).toBe(small.length);
    expect(await noticed()).not.toContain("file-cut");
  });

  it("is a report whose parts are taken out as text", async () => {
    const source = await open(html('{"title": "<b>Taxi</b>"}'));
    expect(source.title).toBe("<b>Taxi</b>");
    expect(source.summary).toEqual({ title: "<b>Taxi</b>" });
    expect(source.size).toBe(small.length);
    expect(await noticed()).not.toContain("file-cut");
    const file = Buffer.from(await (await source.file()).arrayBuffer());
    expect(file.equals(small)).toBe(true);
  });

  it("shows its recording where its summary is no JSON, under its own name", async () => {
    const source = await open(html("{oh"));
    expect(source.summary).toBeNull();
    expect(source.title).toBe("mine.html");
    expect(await noticed()).not.toContain("file-cut");
  });

  it("opens as far as it is whole when it was cut off", async () => {
    const text = html("{}");
    const cut = text.slice(0, text.length - END.length - 4_001);
    await open(cut);
    expect(await noticed()).toContain("file-cut");
  });

  it.each([
    ["another page", "<!doctype html><p>mine</p>", /not a daskscope report/],
    ["a page that ends early", `<p>${BEGIN}{"title"`, /truncated/],
    ["no zip", "PK, but no zip", /not a zip file/],
    ["nothing", "", /is not a/],
  ])("is refused in words if it is %s", async (_, content, text) => {
    await expect(open(content)).rejects.toMatchObject({
      code: "bad-file",
      text: expect.stringMatching(text) as string,
    });
  });

  it("refuses a recording that is no base 85 when it is asked for", async () => {
    await open(html("{}", "~~~~~"));
    await expect(statusOf(link)).rejects.toMatchObject({ code: "bad-file" });
  });
});
