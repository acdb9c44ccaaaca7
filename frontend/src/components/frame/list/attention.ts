// Chats grouped by the attention they need.
//
// Lives here: needs you, working, ready, failed, and the rest. Lives elsewhere:
// what was seen already (seen.ts), drawing the list (ChatList.tsx).
import type { ChatInfo } from "../../../state";
import { labels } from "../labels";

export type Attention = "needs-you" | "working" | "ready" | "failed" | "earlier";

export interface AttentionGroup {
  readonly attention: Attention;
  readonly name: string;
  readonly chats: readonly ChatInfo[];
}

const ORDER: readonly (readonly [Attention, string])[] = [
  ["needs-you", labels.groups["needs-you"]],
  ["working", labels.groups.working],
  ["ready", labels.groups.ready],
  ["failed", labels.groups.failed],
  ["earlier", labels.groups.earlier],
];

/** How far a person has seen a chat: the number of the last event shown to them. */
export type SeenUpTo = (chat: string) => number;

export function attentionOf(chat: ChatInfo, seenUpTo: SeenUpTo): Attention {
  if (chat.status === "needs-you" || chat.status === "working") return chat.status;
  if (chat.last_seq <= seenUpTo(chat.id) || chat.status === "new") return "earlier";
  return chat.status;
}

/** Groups that have chats, most urgent first; chats keep their order. */
export function attentionGroups(chats: readonly ChatInfo[], seenUpTo: SeenUpTo): AttentionGroup[] {
  return ORDER.map(([attention, name]) => ({
    attention,
    name,
    chats: chats.filter((chat) => attentionOf(chat, seenUpTo) === attention),
  })).filter((group) => group.chats.length > 0);
}
