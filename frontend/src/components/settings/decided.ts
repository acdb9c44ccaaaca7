// Settings that the page cannot change.

import { settings } from "../../state";

/** Whether an environment variable of the server sets it; `name` as in the settings file. */
export function isDecided(setting: string): boolean {
  return settings()?.decided_elsewhere.includes(setting) ?? false;
}
