// The extension's settings as signals; the defaults are in schema/plugin.json.

import type { ISettingRegistry } from "@jupyterlab/settingregistry";
import { type ReadonlySignal, signal } from "@preact/signals";

export interface Settings {
  /** Look for clients in every open notebook while the sidebar or a panel is open. */
  readonly detectClients: ReadonlySignal<boolean>;
  /** The plain mouse wheel zooms a panel in the dock. */
  readonly wheelZooms: ReadonlySignal<boolean>;
}

export function followSettings(
  registry: ISettingRegistry | null,
  id: string,
): Settings {
  const detectClients = signal(true);
  const wheelZooms = signal(true);
  const update = ({ composite }: ISettingRegistry.ISettings) => {
    detectClients.value = composite["detectClients"] !== false;
    wheelZooms.value = composite["wheelZooms"] !== false;
  };
  registry?.load(id).then(
    (settings) => {
      update(settings);
      settings.changed.connect(update);
    },
    (error: unknown) => {
      console.warn("Daskscope uses its default settings.", error);
    },
  );
  return { detectClients, wheelZooms };
}
