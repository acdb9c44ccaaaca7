// This tab's connection to the hub.
//
// Lives here: passing the hub's messages to their stores; waking up; replacing a
// hub that does not respond. Lives elsewhere: the hub and the connection
// (worker/), the stores (chat.ts, chats.ts, connection.ts, session.ts).

import { batch } from "solid-js";

import { onSignedOut } from "../api/client";
import { key } from "../api/key";
import sharedWorker from "../worker/shared?sharedworker&url";
import type { ToTab } from "../worker/messages";
import { openPort, type Port } from "../worker/ports";
import { followed, forgetChats, held, onFollowed, takeEvents, takeRemoval, takeSnapshot } from "./chats/chat";
import { changeInList, forgetList, removeFromList, replaceList } from "./chats/chats";
import { connection, onCheck, showConnection } from "./server/connection";
import { forgetDeleted, forgetOldFiles } from "./chats/deleted";
import { forgetDrafts } from "./stored/drafts";
import { sweepFiles } from "./stored/files";
import { Frames } from "./chats/frames";
import { deliverAll, forgetOutbox, noticeArrivals } from "./stored/outbox";
import { onSession, session, setSignedIn } from "./server/session";
import { workerUrl } from "./server/trusted";

const EVENTS_AT_ONCE = 50;
/** How long the hub may take to respond; it responds at once unless it is asleep or gone. */
const ANSWER_MS = 1_500;
/** It sends a message at every ping, so at least every 10 s while connected. */
const SILENCE_MS = 30_000;

let port: Port;
let heardAt = 0;
let patience: ReturnType<typeof setTimeout> | undefined;
const frames = new Frames<ToTab>(show, batch);

/** Connect this tab; called once by main.tsx. */
export function startHub(): void {
  port = openPort(() => workerUrl(sharedWorker), { hear, met: follow });
  onFollowed(follow);
  onCheck(check);
  onSignedOut((why) => setSignedIn(false, why));
  onSession({ signedIn: check, left: forgetAll });
  follow();
  watchWaking();
  setInterval(() => isSilent() && check(), 5_000);
}

function follow(): void {
  port.post({ say: "follow", chats: followed(), key: key() });
}

function isSilent(): boolean {
  return !document.hidden && session.state === "signed-in" && Date.now() - heardAt > SILENCE_MS;
}

/** Check that the connection and the hub are alive. */
function check(): void {
  port.post({ say: "check", key: key() });
  clearTimeout(patience);
  patience = setTimeout(() => port.renew(), ANSWER_MS);
}

function watchWaking(): void {
  const woke = () => {
    follow();
    check();
  };
  document.addEventListener("visibilitychange", () => document.hidden || woke());
  document.addEventListener("resume", woke);
  addEventListener("online", woke);
  addEventListener("pageshow", (event) => event.persisted && woke());
  addEventListener("pagehide", () => port.post({ say: "bye" }));
}

function hear(message: ToTab): void {
  heardAt = Date.now();
  clearTimeout(patience);
  if (message.say !== "events") return frames.add(message);
  // In pieces, so that many events can be spread over several frames.
  for (let i = 0; i < message.events.length; i += EVENTS_AT_ONCE) {
    frames.add({ ...message, events: message.events.slice(i, i + EVENTS_AT_ONCE) });
  }
}

function show(message: ToTab): void {
  switch (message.say) {
    case "status":
      if (message.state === "live") greet(connection.state !== "live");
      return showConnection(message.state, message.version);
    case "signed-out":
      return setSignedIn(false);
    case "chats":
      void forgetOldFiles(new Set(message.chats.map((chat) => chat.id)));
      return replaceList(message.chats, message.next);
    case "chat-changed":
      return changeInList(message.chat);
    case "chat-removed":
      if (message.isDeleted) void forgetDeleted(message.chat);
      removeFromList(message.chat);
      return takeRemoval(message.chat);
    case "snapshot": {
      const wentBack = message.isOther || message.chat.head.seq < (held(message.chat.id)?.head.seq ?? 0);
      takeSnapshot(message.chat, message.complete, message.isOther);
      return noticeArrivals(message.chat.id, wentBack);
    }
    case "events":
      if (!takeEvents(message.chat, message.events)) port.post({ say: "resync", chat: message.chat });
      return noticeArrivals(message.chat);
    default:
      message satisfies never;
  }
}

/** The server responds and accepts our sign-in. */
function greet(isBack: boolean): void {
  if (session.state !== "signed-in") setSignedIn(true);
  if (isBack) deliverAll();
}

function forgetAll(): void {
  forgetDrafts();
  forgetOutbox();
  void sweepFiles(0);
  forgetChats();
  forgetList();
}
