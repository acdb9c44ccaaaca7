// Chats by the attention they want.
//
// Lives here: who needs a person, who works, what is ready to look at, what failed, and the rest. Lives elsewhere:
// what was looked at already (seen.ts), drawing the list (ChatList.tsx).
import type { ChatInfo } from "../../state";

export type Attention = "needs-you" | "working" | "ready" | "failed" | "earlier";

export interface AttentionGroup {
  readonly attention: Attention;
  readonly name: string;
  readonly chats: readonly ChatInfo[];
}

const ORDER: readonly (readonly [Attention, string])[] = [
  ["needs-you", "Needs you"],
  ["working", "Working"],
  ["ready", "Ready"],
  ["failed", "Failed"],
  ["earlier", "Earlier"],
];

/** How far a person has seen a chat: the number of the last event shown to them. */
export type SeenUpTo = (chat: string) => number;

export function attentionOf(chat: ChatInfo, seenUpTo: SeenUpTo): Attention {
  if (chat.status === "needs-you" || chat.status === "working") return chat.status;
  if (chat.last_seq <= seenUpTo(chat.id) || chat.status === "new") return "earlier";
  return chat.status;
}

/** Groups that have chats, in the order of their urgency; the chats as they came. */
export function attentionGroups(chats: readonly ChatInfo[], seenUpTo: SeenUpTo): AttentionGroup[] {
  return ORDER.map(([attention, name]) => ({
    attention,
    name,
    chats: chats.filter((chat) => attentionOf(chat, seenUpTo) === attention),
  })).filter((group) => group.chats.length > 0);
}
