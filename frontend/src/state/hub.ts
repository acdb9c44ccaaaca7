// This tab's end of the link to the hub.
//
// Lives here: what the hub says goes to the store it concerns; waking up; the
// hub that no longer answers. Lives elsewhere: the hub and the connection
// (worker/), the stores (chat.ts, chats.ts, connection.ts, session.ts).

import { batch } from "solid-js";

import { onSignedOut } from "../api/client";
import sharedWorker from "../worker/shared?sharedworker&url";
import type { ToTab } from "../worker/messages";
import { openPort, type Port } from "../worker/ports";
import { followed, forgetChats, onFollowed, takeEvents, takeRemoval, takeSnapshot } from "./chat";
import { changeInList, forgetList, removeFromList, replaceList } from "./chats";
import { connection, onCheck, showConnection } from "./connection";
import { forgetDeleted, forgetOldFiles } from "./deleted";
import { forgetDrafts } from "./drafts";
import { sweepFiles } from "./files";
import { Frames } from "./frames";
import { deliverAll, forgetOutbox, noticeArrivals } from "./outbox";
import { onSession, session, setSignedIn } from "./session";
import { workerUrl } from "./trusted";

const EVENTS_AT_ONCE = 50;
/** How long the hub may take to answer; it answers at once unless it is asleep or gone. */
const ANSWER_MS = 1_500;
/** It says something at every ping, so at least every 10 s while the link is up. */
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
  onSignedOut(() => setSignedIn(false));
  onSession({ signedIn: check, left: forgetAll });
  follow();
  watchWaking();
  setInterval(() => isSilent() && check(), 5_000);
}

function follow(): void {
  port.post({ say: "follow", chats: followed() });
}

function isSilent(): boolean {
  return !document.hidden && session.state === "signed-in" && Date.now() - heardAt > SILENCE_MS;
}

/** Is the link alive, and the hub? */
function check(): void {
  port.post({ say: "check" });
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
  // In pieces, so that a flood can be spread over several frames.
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
      return replaceList(message.chats);
    case "chat-changed":
      return changeInList(message.chat);
    case "chat-removed":
      if (message.isDeleted) void forgetDeleted(message.chat);
      removeFromList(message.chat);
      return takeRemoval(message.chat);
    case "snapshot":
      takeSnapshot(message.chat, message.complete);
      return noticeArrivals(message.chat.id);
    case "events":
      if (!takeEvents(message.chat, message.events)) port.post({ say: "resync", chat: message.chat });
      return noticeArrivals(message.chat);
    default:
      message satisfies never;
  }
}

/** The server is there and knows us. */
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
