import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { ServerStream, STALE_MS } from "./serverStream";
import { FakeServer, settle } from "../server.fake";

let server: FakeServer;
let stream: ServerStream;
let seen: unknown[];
let states: string[];

beforeEach(() => {
  vi.useFakeTimers();
  server = new FakeServer();
  seen = [];
  states = [];
  stream = new ServerStream({
    url: (isPoll) => `/api/stream?after=${seen.length}${isPoll ? "&poll=4" : ""}`,
    take: (events) => seen.push(...events.map((event) => event.data)),
    show: (state) => states.push(state),
    signedOut: () => states.push("signed-out"),
  });
});

afterEach(() => {
  stream.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("the server's events are passed on", async () => {
  stream.open();
  server.last.open();
  await settle();
  server.last.say("text-delta", { n: 1 });
  await settle();
  expect(seen).toEqual([{ n: 1 }]);
  expect(states).toEqual(["live"]);
});

test("a lost stream is reopened within a second, then with growing pauses of at most five", async () => {
  server.onStream = (asked) => asked.refuse(503);
  stream.open();
  await settle();
  const times = [Date.now()];
  for (let tries = 1; tries < 8; ) {
    await settle(50);
    if (server.streams.length > tries) {
      tries = server.streams.length;
      times.push(Date.now());
    }
  }
  const pauses = times.slice(1).map((time, i) => time - (times[i] as number));
  expect(pauses[0]).toBeLessThanOrEqual(1_000);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(5_050);
  expect(pauses.at(-1)).toBeGreaterThanOrEqual(2_450);
  expect(states.slice(0, 5)).toEqual(["reconnecting", "reconnecting", "reconnecting", "offline", "offline"]);
});

test("a stream that is silent for 25 s is dead, one that pings is not", async () => {
  stream.open();
  server.last.open();
  for (let i = 0; i < 5; i++) {
    await settle(10_000);
    server.last.say("ping", {});
  }
  await settle();
  expect(server.streams.length).toBe(1);
  await settle(STALE_MS - 100);
  expect(states).toEqual(["live"]);
  await settle(1_000);
  expect(states).toEqual(["live", "reconnecting"]);
  expect(server.streams[0]?.isCut).toBe(true);
  expect(server.streams.length).toBeGreaterThan(1);
});

test("a change opens the new stream before the old one closes, and no event is lost or duplicated", async () => {
  stream.open();
  const old = server.last;
  old.open();
  await settle();
  old.say("a", { n: 1 });
  await settle();
  stream.open();
  const fresh = server.last;
  expect(fresh.url.searchParams.get("after")).toBe("1");
  old.say("a", { n: 2 });
  await settle();
  expect(old.isCut).toBe(false);
  fresh.open();
  await settle();
  expect(old.isCut).toBe(true);
  fresh.say("a", { n: 2 });
  fresh.say("a", { n: 3 });
  await settle();
  expect(seen).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  expect(states).toEqual(["live", "live"]);
});

test("if the change fails, the old stream continues", async () => {
  stream.open();
  const old = server.last;
  old.open();
  await settle();
  stream.open();
  old.say("a", { n: 1 });
  server.last.refuse(503);
  await settle();
  old.say("a", { n: 2 });
  await settle();
  expect(seen).toEqual([{ n: 1 }, { n: 2 }]);
  expect(states).toEqual(["live"]);
  await settle(1_000);
  expect(server.streams.length).toBe(3);
});

test("a check after sleep does not wait until the dead connection is noticed", async () => {
  stream.open();
  server.last.open();
  await settle(5_000);
  stream.check();
  expect(server.streams.length).toBe(2);
  server.last.open();
  await settle();
  expect(server.streams[0]?.isCut).toBe(true);
  stream.check();
  expect(server.streams.length).toBe(2);
});

test("a check that hangs is retried over other connections, and one response is enough", async () => {
  stream.open();
  const old = server.last;
  old.open();
  await settle(5_000);
  stream.check();
  await settle(400);
  expect(server.streams.length).toBe(6);
  const good = server.last;
  good.open();
  await settle();
  expect(server.streams.filter((asked) => !asked.isCut)).toEqual([good]);
  good.say("a", { n: 1 });
  await settle();
  expect(seen).toEqual([{ n: 1 }]);
  stream.open();
  await settle(400);
  expect(server.streams.length).toBe(7);
});

test("a check ends an attempt that hangs and the pause between two", async () => {
  stream.open();
  await settle(1_100);
  stream.check();
  await settle();
  expect(server.streams.length).toBe(2);
  server.last.refuse(503);
  await settle();
  stream.check();
  expect(server.streams.length).toBe(3);
});

test("an attempt without a response is given up, after a longer wait each time", async () => {
  stream.open();
  await settle(1_600);
  expect(server.last.isCut).toBe(true);
  await settle(1_000);
  expect(server.streams.length).toBe(2);
  await settle(3_000);
  expect(server.last.isCut).toBe(false);
});

test("if streams hang, polls are tried, and used for some time if they work", async () => {
  const isPoll = () => server.last.url.searchParams.has("poll");
  stream.open();
  while (!isPoll()) await settle(100);
  expect(server.streams.length).toBe(3);
  for (let n = 1; n <= 3; n++) {
    await settle(4_000);
    expect(isPoll()).toBe(true);
    server.last.open();
    await settle();
    server.last.say("a", { n });
    server.last.end();
    await settle(300);
    expect(seen.length).toBe(n);
  }
  expect(new Set(states.slice(states.indexOf("live")))).toEqual(new Set(["live"]));
  server.last.refuse(503);
  await settle();
  expect(states.at(-1)).toBe("reconnecting");
  await settle(300_000);
  expect(server.streams.slice(6).some(({ url }) => !url.searchParams.has("poll"))).toBe(true);
});

test("changes during a change lead to one more", async () => {
  stream.open();
  stream.open();
  stream.open();
  server.last.open();
  await settle();
  server.last.open();
  await settle();
  expect(server.streams.length).toBe(2);
});

test("signed out: nothing is tried until requested", async () => {
  stream.open();
  server.last.refuse(401);
  await settle(60_000);
  expect(states).toEqual(["signed-out"]);
  expect(server.streams.length).toBe(1);
  stream.open();
  expect(server.streams.length).toBe(2);
});
