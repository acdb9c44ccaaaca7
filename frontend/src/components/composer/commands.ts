// Completing the agent's slash commands: `/` at the start, and no space yet.

import type { AgentCommand } from "../../state";

const MOST = 8;

/** The commands that start with the typed text; none if no command is being typed. */
export function offered(commands: readonly AgentCommand[], typed: string): AgentCommand[] {
  const begun = /^\/(\S*)$/.exec(typed)?.[1];
  if (begun === undefined) return [];
  const word = begun.toLowerCase();
  const fits = commands.filter((command) => command.name.toLowerCase().includes(word));
  const begins = (command: AgentCommand) => command.name.toLowerCase().startsWith(word);
  return [...fits.filter(begins), ...fits.filter((command) => !begins(command))].slice(0, MOST);
}

/** The text of the field after a command is chosen. */
export function chosen(command: AgentCommand): string {
  return `/${command.name} `;
}
