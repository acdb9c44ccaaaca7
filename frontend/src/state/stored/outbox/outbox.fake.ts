// A page with an outbox for tests: a server that records what is posted to chat `c1`, and a browser that stores files.

import { createRoot } from "solid-js";
import { afterEach, beforeEach, vi } from "vitest";

import { fakeApi } from "../../../api/fetch.fake";
import { fakeLarge } from "../indexedDb.fake";

interface Fake {
  posts: { text: string; key: string }[];
  browser: ReturnType<typeof fakeLarge>;
  answer: () => Response | Promise<Response>;
}

/** Set up before each test of a file that calls `useFake`. */
export const fake = {} as Fake;

/** As large as a photo: too large for localStorage. */
export const picture = { type: "image", mimeType: "image/png", data: "A".repeat(6_000_000) };

export const away = () => Promise.reject(new TypeError("Failed to fetch"));
export const accepts = () => Response.json({ message_id: `m${fake.posts.length}`, turn: "t" }, { status: 202 });

/** A page after loading: it knows only what the browser stores. */
export async function freshPage() {
  vi.resetModules();
  return { ...(await import("./index")), ...(await import("../drafts")), ...(await import("../files")) };
}

/** A page with chat `c1` open; `said` puts a message into the chat. */
export async function openPage() {
  const page = await freshPage();
  const { emptyChat } = await import("../../chats/applyEvent");
  const { takeEvents, takeSnapshot, useChat } = await import("../../chats/chat");
  createRoot(() => useChat("c1"));
  takeSnapshot(emptyChat("c1"), true);
  const said = (seq: number, id: string, text: string) => {
    takeEvents("c1", [["message", { seq, at: seq, id, role: "user", text, queued: true }] as [string, never]]);
    page.noticeArrivals("c1");
  };
  /** The server is restored to a state before the first message. */
  const goBack = () => {
    takeSnapshot(emptyChat("c1"), true, true);
    page.noticeArrivals("c1", true);
  };
  return { page, said, goBack };
}

export function useFake(): void {
  beforeEach(() => {
    vi.useFakeTimers();
    localStorage.clear();
    Object.assign(fake, { posts: [], browser: fakeLarge(), answer: accepts });
    fakeApi((asked) => {
      if (asked.method === "POST" && asked.path === "/api/chats/c1/messages") fake.posts.push(asked.body as never);
      return fake.answer();
    });
  });

  afterEach(() => {
    vi.useRealTimers();
    delete (navigator as { locks?: unknown }).locks;
  });
}
