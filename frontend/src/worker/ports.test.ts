import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { openPort } from "./ports";
import { FakeServer, settle } from "./server.fake";

/** A channel of one tab: posts reach every other tab's channel. */
class Channel {
  static ends = new Set<Channel>();
  onmessage: ((event: { data: unknown }) => void) | undefined;
  constructor() {
    Channel.ends.add(this);
  }
  postMessage(data: unknown): void {
    for (const end of Channel.ends) if (end !== this) queueMicrotask(() => end.onmessage?.({ data: structuredClone(data) }));
  }
  close(): void {
    Channel.ends.delete(this);
  }
}

let steal: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  Channel.ends.clear();
  vi.stubGlobal("SharedWorker", undefined);
  vi.stubGlobal("BroadcastChannel", Channel);
  let isHeld = false;
  const request = (_name: string, _how: unknown, lead: () => Promise<void>) =>
    new Promise((_, reject) => {
      // After a new request it belongs to another tab and is not returned.
      if (isHeld) return;
      isHeld = true;
      steal = () => reject(new DOMException("stolen", "AbortError"));
      void lead();
    });
  Object.defineProperty(navigator, "locks", { value: { request }, configurable: true });
});

afterEach(() => {
  Reflect.deleteProperty(navigator, "locks");
  vi.useRealTimers();
});

test("a tab that no longer leads opens no stream, whatever wakes it", async () => {
  const server = new FakeServer();
  server.onStream = (asked) => asked.open();
  const port = openPort(() => "", { hear: () => undefined, met: () => undefined });
  port.post({ say: "follow", chats: ["a"], key: null });
  await settle();
  expect(server.streams).toHaveLength(1);
  steal();
  await settle();
  expect(server.last.isCut).toBe(true);
  dispatchEvent(new Event("online"));
  await settle();
  vi.setSystemTime(Date.now() + 60_000);
  await settle(5_000);
  expect(server.streams).toHaveLength(1);
});
