import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { Line, STALE_MS } from "./line";
import { FakeServer, settle } from "./server.fake";

let server: FakeServer;
let line: Line;
let seen: unknown[];
let states: string[];

beforeEach(() => {
  vi.useFakeTimers();
  server = new FakeServer();
  seen = [];
  states = [];
  line = new Line({
    url: (isPoll) => `/api/stream?after=${seen.length}${isPoll ? "&poll=4" : ""}`,
    take: (events) => seen.push(...events.map((event) => event.data)),
    show: (state) => states.push(state),
    signedOut: () => states.push("signed-out"),
  });
});

afterEach(() => {
  line.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("what the server says is passed on", async () => {
  line.open();
  server.last.open();
  await settle();
  server.last.say("text-delta", { n: 1 });
  await settle();
  expect(seen).toEqual([{ n: 1 }]);
  expect(states).toEqual(["live"]);
});

test("a lost stream is opened again within a second, then ever more rarely, but at least every five", async () => {
  server.onStream = (asked) => asked.refuse(503);
  line.open();
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

test("a stream that says nothing for 25 s is dead, one that pings is not", async () => {
  line.open();
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

test("a change opens the new stream before the old one goes, and nothing is heard twice or lost", async () => {
  line.open();
  const old = server.last;
  old.open();
  await settle();
  old.say("a", { n: 1 });
  await settle();
  line.open();
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

test("when the change fails, the old stream goes on as if nothing had been", async () => {
  line.open();
  const old = server.last;
  old.open();
  await settle();
  line.open();
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

test("a check after sleep does not wait for the dead link to be noticed", async () => {
  line.open();
  server.last.open();
  await settle(5_000);
  line.check();
  expect(server.streams.length).toBe(2);
  server.last.open();
  await settle();
  expect(server.streams[0]?.isCut).toBe(true);
  line.check();
  expect(server.streams.length).toBe(2);
});

test("a check that hangs is tried over other connections, and one answer is enough", async () => {
  line.open();
  const old = server.last;
  old.open();
  await settle(5_000);
  line.check();
  await settle(400);
  expect(server.streams.length).toBe(6);
  const good = server.last;
  good.open();
  await settle();
  expect(server.streams.filter((asked) => !asked.isCut)).toEqual([good]);
  good.say("a", { n: 1 });
  await settle();
  expect(seen).toEqual([{ n: 1 }]);
  line.open();
  await settle(400);
  expect(server.streams.length).toBe(7);
});

test("a check ends an attempt that hangs and the pause between two", async () => {
  line.open();
  await settle(1_100);
  line.check();
  await settle();
  expect(server.streams.length).toBe(2);
  server.last.refuse(503);
  await settle();
  line.check();
  expect(server.streams.length).toBe(3);
});

test("an attempt without an answer is given up, with more patience each time", async () => {
  line.open();
  await settle(1_600);
  expect(server.last.isCut).toBe(true);
  await settle(1_000);
  expect(server.streams.length).toBe(2);
  await settle(3_000);
  expect(server.last.isCut).toBe(false);
});

test("where streams hang, polls are tried, and used for a while when they work", async () => {
  const isPoll = () => server.last.url.searchParams.has("poll");
  line.open();
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

test("changes while one is under way come to one more", async () => {
  line.open();
  line.open();
  line.open();
  server.last.open();
  await settle();
  server.last.open();
  await settle();
  expect(server.streams.length).toBe(2);
});

test("signed out: nothing more is tried until asked", async () => {
  line.open();
  server.last.refuse(401);
  await settle(60_000);
  expect(states).toEqual(["signed-out"]);
  expect(server.streams.length).toBe(1);
  line.open();
  expect(server.streams.length).toBe(2);
});
