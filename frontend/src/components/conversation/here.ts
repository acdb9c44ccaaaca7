// What blocks need to know of the chat they stand in.

import { createContext, useContext } from "solid-js";

import type { TerminalBlock } from "../../state";

export interface Here {
  readonly chatId: string;
  readonly workspace: string | undefined;
  /** The turn that runs now. */
  readonly liveTurn: string | undefined;
  /** When the last event came, in the server's time. */
  readonly lastAt: number;
  /** The agent of the chat: who answers in agent mode, and who gets work from the assistant. */
  readonly agent: string | undefined;
  /** Where in the chat it was told that this turn outlived the server; undefined if it was not. */
  recoveredAt(turn: string | undefined): number | undefined;
  /** The name a person knows an agent by. */
  agentName(id: string | undefined): string;
  /** A command that runs or ran in this chat. */
  terminal(id: string): TerminalBlock | undefined;
  /** Whether a tool call waits for somebody's answer. */
  isAsked(tool: string): boolean;
  /** The place of the newest turn's end, as long as nothing runs. */
  readonly newestEnd: number | undefined;
  /** The chat's agent failed or is gone. */
  readonly isAgentDown: boolean;
  /** The chat's agent may bring its session back. */
  readonly canReload: boolean;
  restart(reload: boolean): Promise<void>;
  /** Ask the agent to go on where it stopped. */
  goOn(): void;
}

const HereContext = createContext<Here>();
export const HereProvider = HereContext.Provider;

export function useHere(): Here {
  const here = useContext(HereContext);
  if (!here) throw new Error("A block was drawn outside a chat.");
  return here;
}
