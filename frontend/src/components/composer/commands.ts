// Commands of the agent, offered while one is typed: `/` at the beginning, and no space yet.

import type { AgentCommand } from "../../state";

const MOST = 8;

/** The commands that begin with what is typed; none when no command is being typed. */
export function offered(commands: readonly AgentCommand[], typed: string): AgentCommand[] {
  const begun = /^\/(\S*)$/.exec(typed)?.[1];
  if (begun === undefined) return [];
  const word = begun.toLowerCase();
  const fits = commands.filter((command) => command.name.toLowerCase().includes(word));
  const begins = (command: AgentCommand) => command.name.toLowerCase().startsWith(word);
  return [...fits.filter(begins), ...fits.filter((command) => !begins(command))].slice(0, MOST);
}

/** What stands in the field once a command is chosen. */
export function chosen(command: AgentCommand): string {
  return `/${command.name} `;
}
