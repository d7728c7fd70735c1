// @vitest-environment happy-dom

import type { IRouter, JupyterFrontEnd } from "@jupyterlab/application";
import { ContentsManager, Drive } from "@jupyterlab/services";
import { CommandRegistry } from "@lumino/commands";
import { describe, expect, it, vi } from "vitest";
import {
  addressOf,
  requestInAddress,
  OPEN_REPORT,
  openByAddress,
} from "../../js_src/homes/lab/report_address";
import {
  labAddress,
  labAddressOfServed,
} from "../../js_src/homes/report/lab_address";

const BASE = "https://host/user/ada/";
const contents = new ContentsManager();
contents.addDrive(new Drive({ name: "RTC" }));
contents.addDrive(new Drive({ name: "bucket" }));

const asked = (address: string, base = "/user/ada/") => {
  const { pathname, search, hash } = new URL(address);
  return requestInAddress({ path: pathname.replace(base, "/"), search, hash });
};

describe("the address of a report in JupyterLab", () => {
  it.each(["run.html", "runs/März 1/a+b&c=d #7%.html", "x.daskscope"])(
    "asks for it again: %j",
    (path) => {
      const address = addressOf(contents, BASE, path);
      expect(asked(`${address}#tab=logs&prefixes=a`)).toEqual({
        report: path,
        fragment: "#tab=logs&prefixes=a",
        rest: "/lab",
      });
    },
  );

  it.each([
    ["/files/run.html", "/", "run.html"],
    ["/files/files/run.html", "/", "files/run.html"],
    ["/user/ada/files/a/files/run.html", "/user/ada/", "a/files/run.html"],
    ["/user/files/run.html", "/user/", "run.html"],
    ["/my/lab/files/M%C3%A4rz%201/100%.html", "/my/lab/", "März 1/100%.html"],
  ])("is told by that of the file: %s", (shown, base, path) => {
    const file = new URL(`https://host${shown}?_xsrf=a&token=b#tab=logs`);
    const address = labAddressOfServed(file);
    expect(address).toBe(labAddress(`https://host${base}`, path));
    expect(asked(address!, base)?.report).toBe(path);
  });

  it("is not told by other addresses", () => {
    for (const other of [
      "https://host/reports/run.html",
      "https://host/my-files/run.html",
      "https://host/files",
      "file:///home/files/run.html",
    ]) {
      expect(labAddressOfServed(new URL(other))).toBeNull();
    }
  });

  it.each([
    "run-12:30.html",
    "run.xhtml",
    "run",
    "a%5Cb.html",
    "a%0A.html",
    "runs//a.html",
  ])("is not told where JupyterLab would refuse it: %s", (path) => {
    const file = new URL(`https://host/user/ada/files/${path}`);
    expect(labAddressOfServed(file)).toBeNull();
    const lab = labAddress(BASE, decodeURIComponent(path));
    expect(asked(lab)!.report).toBeNull();
  });

  it("is left with what is for others", () => {
    const address = "https://host/user/ada/lab/workspaces/auto-x?reset=1";
    expect(asked(`${address}&daskscope-report=a.html`)).toMatchObject({
      report: "a.html",
      rest: "/lab/workspaces/auto-x?reset=1",
    });
    expect(asked(address)).toBeNull();
  });

  it("names a file that is edited together as the server does", () => {
    expect(addressOf(contents, BASE, "RTC:runs/a.html")).toBe(
      addressOf(contents, BASE, "runs/a.html"),
    );
  });

  it("is none for a file that the server does not have", () => {
    expect(addressOf(contents, BASE, "bucket:runs/a.html")).toBeNull();
  });

  it("opens nothing above the root, and no other address", () => {
    for (const path of ["../a.html", "/etc/a.html", "https://x/a.html", ""]) {
      const query = `lab?daskscope-report=${encodeURIComponent(path)}`;
      expect(asked(`https://host/user/ada/${query}`)).toMatchObject({
        report: null,
        rest: "/lab",
      });
    }
  });
});

describe("a page with such an address", () => {
  /** A page at an address: what it opened, and what it told. */
  function pageAt(address: string) {
    const commands = new CommandRegistry();
    const [opened, told] = [vi.fn(), vi.fn()];
    commands.addCommand(OPEN_REPORT, { execute: opened });
    const { pathname: path, search, hash } = new URL(address);
    const current = { path, search, hash, request: path + search + hash };
    const navigate = vi.fn();
    const register: IRouter["register"] = ({ command, pattern }) => {
      if (pattern.test(current.request)) void commands.execute(command);
      return { isDisposed: false, dispose: () => {} };
    };
    openByAddress(
      { commands, restored: Promise.resolve() } as unknown as JupyterFrontEnd,
      { current, navigate, register },
      told,
    );
    return { opened, told, navigate };
  }

  it("opens the report, and forgets that it was asked to", async () => {
    const page = pageAt("https://host/lab?daskscope-report=a.html#tab=logs");
    await vi.waitFor(() => expect(page.opened).toHaveBeenCalledOnce());
    expect(page.opened.mock.calls[0]).toEqual([
      { path: "a.html", fragment: "#tab=logs" },
    ]);
    expect(page.navigate.mock.calls).toEqual([["/lab", { skipRouting: true }]]);
    expect(page.told).not.toHaveBeenCalled();
  });

  it("says of a path that is refused what to do", async () => {
    const page = pageAt("https://host/lab?daskscope-report=../a.html");
    await vi.waitFor(() => expect(page.told).toHaveBeenCalledOnce());
    const text = page.told.mock.calls[0]![0] as string;
    expect(text).toContain("file browser");
    expect(text.length, "else it is cut").toBeLessThanOrEqual(140);
    expect(page.opened).not.toHaveBeenCalled();
    expect(page.navigate).toHaveBeenCalledOnce();
  });
});
