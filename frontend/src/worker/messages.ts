// What tabs and the hub say to each other.
//
// Lives here: the words. The hub holds the browser's one connection to the
// server; it is a shared worker, or runs in one of the tabs (hub.ts). Every tab
// holds its own copy of what it shows (state/).

import type { ChatInfo } from "../api/client";
import type { ChatState, Json } from "../state/shapes";

export type ConnectionState = "live" | "reconnecting" | "offline";

/** One event of a chat as it came: its kind and its body. */
export type RawEvent = [kind: string, body: { [name: string]: Json }];

export type ToHub =
  /** Here I am, and these are all the chats I show. Said again whenever they change, and on waking up. */
  | { say: "follow"; chats: string[] }
  /** Events are missing: send the chat again. */
  | { say: "resync"; chat: string }
  /** The page was asleep, or a person wants to know: is the link alive? */
  | { say: "check" }
  | { say: "bye" };

export type ToTab =
  | { say: "status"; state: ConnectionState; version: string | null }
  /** The server does not know this browser. */
  | { say: "signed-out" }
  | { say: "chats"; chats: ChatInfo[] }
  | { say: "chat-changed"; chat: ChatInfo }
  /** `isDeleted`: it was in the server's list before; else it is only not there, as in a list that is older than the chat. */
  | { say: "chat-removed"; chat: string; isDeleted: boolean }
  /** A chat from scratch; `complete` when these are all its blocks. */
  | { say: "snapshot"; chat: ChatState; complete: boolean }
  | { say: "events"; chat: string; events: RawEvent[] };
