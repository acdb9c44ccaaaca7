// A message that the chat does not show yet.
//
// Lives here: its shapes, as the page shows it, as the browser stores it, and what this tab knows about its delivery.

import type { ApiError } from "../../../api/client";
import type { JsonObject } from "../../shapes";

/** As the page shows it. */
export interface Outgoing {
  readonly key: string;
  readonly chat: string;
  readonly text: string;
  readonly attachments?: readonly JsonObject[];
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `waiting`: sent when the server answers again. `refused`: not sent again by itself; see `problem`. */
  readonly state: "sending" | "waiting" | "refused";
  readonly problem?: ApiError;
}

/** As the browser stores it: with the ids of its files. `attachments` are the files this tab has read. */
export type Stored = Pick<Outgoing, "key" | "chat" | "text" | "attachments" | "at"> & {
  readonly files?: readonly string[];
  /** The id the server gave it before it was restored to an earlier state without it. A person decides whether to send it again. */
  readonly lostId?: string;
};

/** What this tab knows about its delivery. */
export interface Delivery {
  state: Outgoing["state"];
  problem?: ApiError;
  /** The id the server gave it when it accepted it. */
  messageId?: string;
  /** Ids of the messages the chat had when it was sent: a later one with the same text is this one. */
  before?: Set<string>;
  /** The browser refused to store it, or it is too large to store: only this tab has it. */
  isUnstored?: boolean;
}

export function oldestFirst(one: Stored, other: Stored): number {
  return one.at - other.at || (one.key < other.key ? -1 : 1);
}
