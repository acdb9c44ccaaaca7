// Messages between tabs and the hub.
//
// Lives here: their shapes. The hub holds the browser's one connection to the
// server; it is a shared worker, or runs in one of the tabs (hub.ts). Every tab
// holds its own copy of what it shows (state/).

import type { ChatInfo } from "../api/client";
import type { ChatState, Json } from "../state/shapes";

export type ConnectionState = "live" | "reconnecting" | "offline";

/** The fields that every event has, and its own. */
export type EventBody = { seq: number; at: number; first_seq?: number; [name: string]: Json | undefined };

/** One event of a chat: its kind and its body. */
export type RawEvent = [kind: string, body: EventBody];

export type ToHub =
  /** All the chats this tab shows. Sent again whenever they change, and after sleep. */
  | { say: "follow"; chats: string[]; key: string | null }
  /** Events are missing: send the chat again. */
  | { say: "resync"; chat: string }
  /** Check the connection, after sleep or because a person asked. */
  | { say: "check"; key: string | null }
  | { say: "bye" };

export type ToTab =
  | { say: "status"; state: ConnectionState; version: string | null }
  /** The server rejected this browser's sign-in. */
  | { say: "signed-out" }
  /** `next`: where the list continues; null at its end. */
  | { say: "chats"; chats: ChatInfo[]; next: string | null }
  | { say: "chat-changed"; chat: ChatInfo }
  /** `isDeleted`: it was in the server's list before. Otherwise it is only missing, for example from a list older than the chat. */
  | { say: "chat-removed"; chat: string; isDeleted: boolean }
  /** A whole chat; `complete` if these are all its blocks, `isOther` if nothing shown before is part of it. */
  | { say: "snapshot"; chat: ChatState; complete: boolean; isOther: boolean }
  | { say: "events"; chat: string; events: RawEvent[] };
