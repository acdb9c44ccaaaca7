// Settings that the page cannot change.

import { settings } from "../../state";

/** Whether the environment of the server decides a setting, by its name in the settings file. */
export function isDecided(setting: string): boolean {
  return settings()?.decided_elsewhere.includes(setting) ?? false;
}
