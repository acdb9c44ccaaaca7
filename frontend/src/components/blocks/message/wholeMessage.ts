// Loading the whole of a cut message.
//
// Lives here: fetching it, and caching the last few, because rows are redrawn while scrolling.
import { wholeEvent, type JsonObject } from "../../../state";

export interface WholeMessage {
  readonly text: string;
  readonly attachments?: readonly JsonObject[];
}

const MOST_HELD = 6;
const held = new Map<string, Promise<WholeMessage>>();

export function wholeMessage(chat: string, seq: number): Promise<WholeMessage> {
  const name = `${chat} ${seq}`;
  const asked = held.get(name) ?? wholeEvent<"message">(chat, seq);
  held.delete(name);
  held.set(name, asked);
  asked.catch(() => held.delete(name));
  for (const oldest of [...held.keys()].slice(0, -MOST_HELD)) held.delete(oldest);
  return asked;
}
