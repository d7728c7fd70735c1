import { describe, expect, it } from "vitest";
import {
  addressOf,
  askedByAddress,
} from "../../js_src/homes/lab/report_address";

const asked = (address: string, base = "/user/ada/") => {
  const { pathname, search, hash } = new URL(address);
  return askedByAddress({ path: pathname.replace(base, "/"), search, hash });
};

describe("the address of a report in JupyterLab", () => {
  it.each(["run.html", "runs/März 1/a+b&c=d #7%.html", "x.daskscope"])(
    "asks for it again: %j",
    (path) => {
      const address = addressOf("https://host/user/ada/", path);
      expect(asked(`${address}#tab=logs&prefixes=a`)).toEqual({
        report: path,
        fragment: "#tab=logs&prefixes=a",
        rest: "/lab",
      });
    },
  );

  it("is left with what is for others", () => {
    const address = "https://host/user/ada/lab/workspaces/auto-x?reset=1";
    expect(asked(`${address}&daskscope-report=a.html`)).toMatchObject({
      report: "a.html",
      rest: "/lab/workspaces/auto-x?reset=1",
    });
    expect(asked(address)).toBeNull();
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
