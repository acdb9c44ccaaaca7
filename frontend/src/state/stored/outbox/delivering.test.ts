import { expect, test, vi } from "vitest";

import { refusing } from "../../../api/fetch.fake";
import { accepts, away, fake, freshPage, picture, useFake } from "./outbox.fake";

useFake();

test("a message is sent at once and forgotten when the server accepts it", async () => {
  const page = await freshPage();
  page.send("c1", "hello");
  expect(page.outbox("c1")).toMatchObject([{ text: "hello", state: "sending" }]);
  await vi.advanceTimersByTimeAsync(10);
  expect(fake.posts).toMatchObject([{ text: "hello" }]);
  expect(page.outbox("c1")).toEqual([]);
  expect(localStorage.length).toBe(0);
});

test("messages sent offline are sent once each, in order, when the server is back", async () => {
  const page = await freshPage();
  fake.answer = away;
  page.send("c1", "one");
  page.send("c1", "two");
  await vi.advanceTimersByTimeAsync(10);
  expect(page.outbox("c1").map(({ text, state }) => [text, state])).toEqual([
    ["one", "waiting"],
    ["two", "waiting"],
  ]);
  fake.answer = accepts;
  page.deliverAll();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(fake.posts.map(({ text }) => text)).toEqual(["one", "one", "two"]);
  expect(new Set(fake.posts.map(({ key }) => key)).size).toBe(2);
  expect(page.outbox("c1")).toEqual([]);
});

test("a message that the browser cannot store is sent anyway", async () => {
  const page = await freshPage();
  fake.answer = away;
  fake.browser.isRefusing = true;
  await page.draft("c1").attach([picture]);
  page.send("c1", "look", page.draft("c1").attachments);
  page.draft("c1").clear();
  await vi.advanceTimersByTimeAsync(10);
  expect(localStorage.length).toBe(0);
  fake.answer = accepts;
  page.deliverAll();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(fake.posts).toMatchObject([{ attachments: [picture] }, { attachments: [picture] }]);
  expect(page.outbox("c1")).toEqual([]);
});

test("a message survives a reload", async () => {
  fake.answer = away;
  const before = await freshPage();
  before.send("c1", "hello");
  await vi.advanceTimersByTimeAsync(10);
  vi.clearAllTimers();
  fake.answer = accepts;
  const after = await freshPage();
  after.deliverAll();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(fake.posts.map(({ text }) => text)).toEqual(["hello", "hello"]);
  expect(new Set(fake.posts.map(({ key }) => key)).size).toBe(1);
  expect(localStorage.length).toBe(0);
});

test("a message that another tab has sent is not sent again", async () => {
  fake.answer = away;
  const page = await freshPage();
  const { key } = page.send("c1", "hello");
  await vi.advanceTimersByTimeAsync(10);
  localStorage.removeItem(`voxpilot.outbox.${key}`);
  dispatchEvent(new StorageEvent("storage", { key: `voxpilot.outbox.${key}`, newValue: null }));
  fake.answer = accepts;
  page.deliverAll();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(fake.posts.length).toBe(1);
  expect(page.outbox("c1")).toEqual([]);
});

test("a message that another tab is sending is not sent twice, and is sent if the other tab fails", async () => {
  const queues = new Map<string, Promise<unknown>>();
  const request = (name: string, _how: unknown, act: () => Promise<unknown>) => {
    const mine = (queues.get(name) ?? Promise.resolve()).then(act);
    queues.set(name, mine);
    return mine;
  };
  Object.defineProperty(navigator, "locks", { configurable: true, value: { request } });
  for (const otherFails of [false, true]) {
    fake.posts = [];
    let reply: (response: Response | Promise<Response>) => void = () => undefined;
    fake.answer = () => new Promise((resolve) => (reply = resolve));
    (await freshPage()).send("c1", "a long one");
    await vi.advanceTimersByTimeAsync(10);
    const other = await freshPage();
    other.deliverAll();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(fake.posts.length).toBe(1);
    fake.answer = accepts;
    reply(otherFails ? away() : accepts());
    await vi.advanceTimersByTimeAsync(10);
    expect(fake.posts.length).toBe(otherFails ? 2 : 1);
    expect(other.outbox("c1")).toEqual([]);
    vi.clearAllTimers();
  }
});

test("a refused message is kept with the reason, does not delay others, and can go back into the draft", async () => {
  const page = await freshPage();
  fake.answer = () => refusing(422, "invalid", "Too long.", "Shorten it.");
  const { key } = page.send("c1", "much too long");
  await vi.advanceTimersByTimeAsync(10);
  expect(page.outbox("c1")).toMatchObject([{ state: "refused", problem: { message: "Too long." } }]);
  fake.answer = accepts;
  page.send("c1", "short");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(page.outbox("c1").map(({ text }) => text)).toEqual(["much too long"]);
  page.draft("c1").set("typing");
  page.discardSend(key);
  expect(page.draft("c1").text).toBe("much too long\ntyping");
  expect(page.outbox("c1")).toEqual([]);
});

test("a message still waits for the server if the browser stores nothing", async () => {
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("no", "QuotaExceededError");
  });
  const page = await freshPage();
  fake.answer = away;
  page.send("c1", "hello");
  await vi.advanceTimersByTimeAsync(10);
  fake.answer = accepts;
  page.deliverAll();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(fake.posts.length).toBe(2);
  expect(page.outbox("c1")).toEqual([]);
});
