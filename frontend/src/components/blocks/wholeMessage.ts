// A message of which only a part came, whole.
//
// Lives here: fetching it, and holding the last few: rows come and go as a person scrolls.
import { wholeEvent, type JsonObject } from "../../state";

export interface WholeMessage {
  readonly text: string;
  readonly attachments?: readonly JsonObject[];
}

const MOST_HELD = 6;
const held = new Map<string, Promise<WholeMessage>>();

export function wholeMessage(chat: string, seq: number): Promise<WholeMessage> {
  const name = `${chat} ${seq}`;
  const asked = held.get(name) ?? (wholeEvent(chat, seq) as Promise<WholeMessage>);
  held.delete(name);
  held.set(name, asked);
  asked.catch(() => held.delete(name));
  for (const oldest of [...held.keys()].slice(0, -MOST_HELD)) held.delete(oldest);
  return asked;
}
