// What blocks need to know about their chat.

import { createContext, useContext } from "solid-js";

import type { TerminalBlock } from "../../state";

export interface ChatContext {
  readonly chatId: string;
  readonly workspace: string | undefined;
  /** The running turn. */
  readonly liveTurn: string | undefined;
  /** The time of the last event, by the server's clock. */
  readonly lastAt: number;
  /** The chat's agent: it answers in agent mode and gets work from the assistant. */
  readonly agent: string | undefined;
  /** The position of the notice that this turn survived a server restart; undefined if there is none. */
  recoveredAt(turn: string | undefined): number | undefined;
  /** The display name of an agent. */
  agentName(id: string | undefined): string;
  /** A terminal of this chat. */
  terminal(id: string): TerminalBlock | undefined;
  /** Whether a tool call waits for an answer. */
  isAsked(tool: string): boolean;
  /** The position of the last turn's end, if nothing is running. */
  readonly newestEnd: number | undefined;
  /** The chat's agent failed or has exited. */
  readonly isAgentDown: boolean;
  /** The chat's agent may be able to restore its session. */
  readonly canReload: boolean;
  restart(reload: boolean): Promise<void>;
  /** Ask the agent to continue where it left off. */
  goOn(): void;
}

const Context = createContext<ChatContext>();
export const ChatContextProvider = Context.Provider;

export function useChatContext(): ChatContext {
  const context = useContext(Context);
  if (!context) throw new Error("A block was rendered outside a chat.");
  return context;
}
