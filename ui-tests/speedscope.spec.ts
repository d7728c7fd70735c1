// The profile of a recording, exported and opened in the page that speedscope ships.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "@playwright/test";

const address = "http://speedscope.test/";
const shipped = join(
  dirname(createRequire(import.meta.url).resolve("speedscope/package.json")),
  "dist/release",
);

/** Two workers, and a function whose name is not plain. */
const RUN = `
import sys, time
from dask.distributed import Client, LocalCluster
import daskscope

def besch\u00e4ftigt(until):
    while time.perf_counter() < until:
        pass

def work(i):
    besch\u00e4ftigt(time.perf_counter() + 0.1)

if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        with Client(cluster) as client, daskscope.record(client) as recording:
            client.gather(client.map(work, range(60), pure=False))
    recording.save(sys.argv[1])
    print(recording.profile().seconds)
`;

let folder: string;
let seconds: number;

test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "daskscope-"));
  const recording = join(folder, "run.daskscope");
  const said = execFileSync("python", ["-c", RUN, recording], {
    encoding: "utf8",
  });
  seconds = Number(said.trim().split("\n").at(-1));
  execFileSync("daskscope", ["export", recording, "--to", "speedscope"]);
});

test.afterAll(() => rmSync(folder, { recursive: true }));

test("speedscope opens a profile, with the functions and their time @all", async ({
  page,
}) => {
  const faults: Error[] = [];
  page.on("pageerror", (error) => faults.push(error));
  await page.route("**/*", (route) => {
    const url = route.request().url();
    if (!url.startsWith(address)) return route.abort();
    const name = new URL(url).pathname.slice(1) || "index.html";
    return route.fulfill({ path: join(shipped, name) });
  });
  await page.goto(address);
  const file = join(folder, "run.speedscope.json");
  await page.locator("input[type=file]").setInputFiles(file);
  await page.getByText("Sandwich").click();
  const row = page.getByRole("row").filter({ hasText: "beschäftigt" }).first();
  await expect(row).toBeVisible();
  const document = JSON.parse(readFileSync(file, "utf8"));
  const [{ endValue, weights }] = document.profiles;
  const sum = weights.reduce((one: number, other: number) => one + other, 0);
  expect(sum).toBeCloseTo(seconds, 6);
  expect(endValue).toBeCloseTo(seconds, 6);
  const shown = /([\d.]+)(m?s)/.exec(await row.innerText());
  const own = Number(shown?.[1]) / (shown?.[2] === "ms" ? 1000 : 1);
  expect(own).toBeGreaterThan(0.5 * seconds);
  expect(own).toBeLessThanOrEqual(seconds + 0.01);
  expect(faults).toEqual([]);
});
