import type { ISettingRegistry } from "@jupyterlab/settingregistry";
import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { followSettings, type Settings } from "../../js_src/homes/lab/settings";

interface Property {
  type: string;
  default: unknown;
}
const schema = JSON.parse(readFileSync("schema/plugin.json", "utf8")) as {
  properties: Record<string, Property>;
};
const names = Object.keys(schema.properties);
const defaults = Object.fromEntries(
  names.map((name) => [name, schema.properties[name]!.default]),
);

type Listener = (settings: { composite: object }) => void;

/** What a page has of the settings file: the schema's defaults under the person's own. */
function registryWith(own: object, listeners: Listener[] = []) {
  const settings = {
    composite: { ...defaults, ...own },
    changed: { connect: (listener: Listener) => void listeners.push(listener) },
  };
  const load = () => Promise.resolve(settings);
  return { load } as unknown as ISettingRegistry;
}

const valuesOf = (settings: Settings) =>
  Object.fromEntries(
    Object.entries(settings).map(([name, signal]) => [
      name,
      (signal as { value: unknown }).value,
    ]),
  );

describe("the settings of the extension", () => {
  it("are those of the schema, with its defaults, also without a registry", () => {
    expect(names.length).toBeGreaterThan(0);
    expect(valuesOf(followSettings(null, "id"))).toEqual(defaults);
  });

  it.each(names)("heeds %s, and that alone, from the start", async (name) => {
    const settings = followSettings(registryWith({ [name]: false }), "id");
    const wanted = { ...defaults, [name]: false };
    await vi.waitFor(() => expect(valuesOf(settings)).toEqual(wanted));
  });

  it.each(names)("follows a change of %s", async (name) => {
    const listeners: Listener[] = [];
    const settings = followSettings(registryWith({}, listeners), "id");
    await vi.waitFor(() => expect(listeners).toHaveLength(1));
    listeners[0]!({ composite: { ...defaults, [name]: false } });
    expect(valuesOf(settings)).toEqual({ ...defaults, [name]: false });
    listeners[0]!({ composite: defaults });
    expect(valuesOf(settings)).toEqual(defaults);
  });

  it("are the defaults where they cannot be read, which the console says", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const load = () => Promise.reject(new Error("no such file"));
    const broken = { load } as unknown as ISettingRegistry;
    const settings = followSettings(broken, "id");
    await vi.waitFor(() => expect(warn).toHaveBeenCalledOnce());
    expect(valuesOf(settings)).toEqual(defaults);
    warn.mockRestore();
  });
});
