// Which messages the chat already shows.
//
// Lives here: comparing the messages of the outbox with those of the chat, so that none is shown twice. The stream is
// often faster than the reply that carries the message's id. Lives elsewhere: the messages (storing.ts).

import { held } from "../../chats/chat";
import { oldestFirst, type Delivery, type Outgoing, type Stored } from "./message";

/** The messages that their chats do not show yet, oldest first. */
export function unseen(stored: readonly Stored[], deliveryOf: (key: string) => Delivery | undefined): Outgoing[] {
  const heldUp = new Set<string>();
  const claimed = new Set<string>();
  const shown: Outgoing[] = [];
  for (const message of stored.toSorted(oldestFirst)) {
    const delivery = deliveryOf(message.key) ?? { state: "waiting" };
    const seenAs = delivery.messageId ?? message.lostId ?? arrivedAs(message, delivery, claimed);
    if (seenAs !== undefined) claimed.add(seenAs);
    if (seenAs !== undefined && isInChat(message.chat, seenAs)) continue;
    const isHeldUp = delivery.state === "sending" && heldUp.has(message.chat);
    if (delivery.state === "waiting") heldUp.add(message.chat);
    const state = isHeldUp ? "waiting" : delivery.state;
    const { files: _, lostId: __, ...rest } = message;
    shown.push({ ...rest, state, ...(delivery.problem && { problem: delivery.problem }) });
  }
  return shown;
}

export function isInChat(chat: string, messageId: string): boolean {
  return textsById(chat).has(messageId);
}

export function messageIds(chat: string): Set<string> {
  return new Set(textsById(chat).keys());
}

/** The id of a message that came into the chat after this one was sent, with the same text. */
function arrivedAs(message: Stored, { before, state }: Delivery, claimed: Set<string>): string | undefined {
  if (before === undefined || state !== "sending") return undefined;
  const isIt = ([id, text]: [string, string]) => text === message.text && !before.has(id) && !claimed.has(id);
  return [...textsById(message.chat)].find(isIt)?.[0];
}

/** The messages of a chat and its queue, if this tab has the chat open. */
function textsById(chat: string): Map<string, string> {
  const state = held(chat);
  const messages = state?.blocks.filter((block) => block.kind === "message") ?? [];
  return new Map([...messages, ...(state?.head.queue ?? [])].map(({ id, text }) => [id, text]));
}
