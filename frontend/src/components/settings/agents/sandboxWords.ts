// Names and descriptions of the sandbox levels, for the settings and the chat.
import type { Sandbox } from "./agentForm";

export const LEVELS: readonly Sandbox[] = ["off", "standard", "strict"];

export const SANDBOX_NAMES: Readonly<Record<Sandbox, string>> = { off: "Off", standard: "Standard", strict: "Strict" };

/** As shown in the select. */
export const SANDBOX_CHOICES: Readonly<Record<Sandbox, string>> = { ...SANDBOX_NAMES, standard: "Standard (recommended)" };

export const SANDBOX_NOTES: Readonly<Record<Sandbox, string>> = {
  off: "The agent can read and write everything you can.",
  standard:
    "The agent writes only to the chat’s folders and its own files. Keys, passwords, browser profiles and VoxPilot’s own data are hidden.",
  strict: "Like Standard, but the rest of your home folder is hidden too, and outside it only system folders can be read.",
};
