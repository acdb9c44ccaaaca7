import { createRoot } from "solid-js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { fakeApi, refusing } from "../api/fetch.fake";
import { fakeLarge } from "./indexedDb.fake";

let posts: { text: string; key: string }[];
let browser: ReturnType<typeof fakeLarge>;
let answer: () => Response | Promise<Response>;

const away = () => Promise.reject(new TypeError("Failed to fetch"));
const takes = () => Response.json({ message_id: `m${posts.length}`, turn: "t" }, { status: 202 });

/** A page as it is after loading: what it knows is what was stored. */
async function freshPage() {
  vi.resetModules();
  return { ...(await import("./outbox")), ...(await import("./drafts")), ...(await import("./files")) };
}

beforeEach(() => {
  vi.useFakeTimers();
  posts = [];
  localStorage.clear();
  browser = fakeLarge();
  answer = takes;
  fakeApi((asked) => {
    if (asked.method === "POST" && asked.path === "/api/chats/c1/messages") posts.push(asked.body as never);
    return answer();
  });
});

afterEach(() => {
  vi.useRealTimers();
  delete (navigator as { locks?: unknown }).locks;
});

test("a message is sent at once and forgotten when the server has it", async () => {
  const page = await freshPage();
  page.send("c1", "hello");
  expect(page.outbox("c1")).toMatchObject([{ text: "hello", state: "sending" }]);
  await vi.advanceTimersByTimeAsync(10);
  expect(posts).toMatchObject([{ text: "hello" }]);
  expect(page.outbox("c1")).toEqual([]);
  expect(localStorage.length).toBe(0);
});

test("typed offline, it is sent once with one key when the server is back, in order", async () => {
  const page = await freshPage();
  answer = away;
  page.send("c1", "one");
  page.send("c1", "two");
  await vi.advanceTimersByTimeAsync(10);
  expect(page.outbox("c1").map(({ text, state }) => [text, state])).toEqual([
    ["one", "waiting"],
    ["two", "waiting"],
  ]);
  answer = takes;
  page.deliverAll();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(posts.map(({ text }) => text)).toEqual(["one", "one", "two"]);
  expect(new Set(posts.map(({ key }) => key)).size).toBe(2);
  expect(page.outbox("c1")).toEqual([]);
});

/** As large as a photo: too large for localStorage. */
const picture = { type: "image", mimeType: "image/png", data: "A".repeat(6_000_000) };

test("what is attached goes along, also after a reload, and is forgotten when the server has it", async () => {
  answer = away;
  const before = await freshPage();
  await before.draft("c1").attach([picture]);
  before.send("c1", "look", before.draft("c1").attachments);
  before.draft("c1").clear();
  await vi.advanceTimersByTimeAsync(10);
  vi.clearAllTimers();
  const after = await freshPage();
  answer = takes;
  after.deliverAll();
  await vi.advanceTimersByTimeAsync(10);
  expect(posts).toMatchObject([{ attachments: [picture] }, { attachments: [picture] }]);
  expect(new Set(posts.map(({ key }) => key)).size).toBe(1);
  expect([after.outbox("c1").length, localStorage.length, browser.kept.size]).toEqual([0, 0, 0]);
});

test("what is attached to a message that is refused goes back into the draft with the text", async () => {
  const page = await freshPage();
  answer = () => refusing(422, "invalid", "No pictures.", "Write.");
  await page.draft("c1").attach([picture]);
  page.send("c1", "look", page.draft("c1").attachments);
  page.draft("c1").clear();
  await vi.advanceTimersByTimeAsync(10);
  expect(page.outbox("c1")).toMatchObject([{ state: "refused", attachments: [picture] }]);
  page.discardSend(posts[0]!.key);
  expect([page.draft("c1").text, page.draft("c1").attachments]).toEqual(["look", [picture]]);
  const after = await freshPage();
  await vi.waitUntil(() => !after.draft("c1").isReading);
  expect([after.draft("c1").text, after.draft("c1").attachments]).toEqual(["look", [picture]]);
});

test("a message with files lies where a page that knows nothing of files does not look for it, and is found in both places", async () => {
  const { key, page } = await reloadedUnsent();
  const names = Object.keys(localStorage);
  expect(names.filter((name) => name.startsWith("voxpilot.outbox."))).toEqual([]);
  const [name] = names;
  localStorage.setItem(`voxpilot.outbox.${key}`, localStorage.getItem(name!)!);
  localStorage.removeItem(name!);
  posts = [];
  answer = takes;
  page.deliverAll();
  await vi.advanceTimersByTimeAsync(10);
  expect(posts).toMatchObject([{ key, attachments: [picture, notes] }]);
  expect([page.outbox("c1").length, localStorage.length, browser.kept.size]).toEqual([0, 0, 0]);
});

test("what another tab sends with files is followed", async () => {
  const { key, page } = await reloadedUnsent();
  const [name] = Object.keys(localStorage);
  dispatchEvent(new StorageEvent("storage", { key: name! }));
  await vi.advanceTimersByTimeAsync(10);
  expect(page.outbox("c1")).toMatchObject([{ key, text: "look" }]);
  localStorage.removeItem(name!);
  dispatchEvent(new StorageEvent("storage", { key: name! }));
  expect(page.outbox("c1")).toEqual([]);
  await page.sweepFiles(0);
  expect(browser.kept.size).toBe(0);
});

test("a message is not sent without what was attached to it", async () => {
  answer = away;
  const before = await freshPage();
  await before.draft("c1").attach([picture]);
  before.send("c1", "look", before.draft("c1").attachments);
  await vi.advanceTimersByTimeAsync(10);
  vi.clearAllTimers();
  posts = [];
  browser.kept.clear();
  const after = await freshPage();
  answer = takes;
  after.deliverAll();
  await vi.advanceTimersByTimeAsync(10);
  expect(after.outbox("c1")).toMatchObject([{ state: "refused", problem: { code: "files-lost" } }]);
  expect(posts).toEqual([]);
});

/** A message with a picture and notes that was not sent before the page was loaded anew. */
async function reloadedUnsent() {
  answer = away;
  const before = await freshPage();
  await before.draft("c1").attach([{ ...picture }, notes]);
  const { key } = before.send("c1", "look", before.draft("c1").attachments);
  before.draft("c1").clear();
  await vi.advanceTimersByTimeAsync(10);
  vi.clearAllTimers();
  return { key, page: await freshPage() };
}

const notes = { type: "resource", resource: { uri: "file:///a.txt", text: "a" } };

test("taken back while its files are still being read, a message leaves them to the draft", async () => {
  const { key, page } = await reloadedUnsent();
  page.addressed();
  page.discardSend(key);
  await vi.advanceTimersByTimeAsync(10);
  expect([page.draft("c1").text, page.draft("c1").attachments]).toEqual(["look", [picture, notes]]);
  expect(page.draft("c1").trouble).toBe("");
  expect(browser.kept.size).toBe(2);
});

test("taken back when one of its files is gone, a message leaves the others to the draft, and that is said", async () => {
  const { key, page } = await reloadedUnsent();
  browser.kept.delete([...browser.kept.keys()][0]!);
  page.deliverAll();
  await vi.advanceTimersByTimeAsync(10);
  expect(page.outbox("c1")).toMatchObject([{ state: "refused", problem: { code: "files-lost" } }]);
  page.discardSend(key);
  await vi.advanceTimersByTimeAsync(10);
  expect(page.draft("c1").attachments).toEqual([notes]);
  expect(page.draft("c1").trouble).toMatch(/Attach it again/);
});

test("taken back when its files cannot be read now, a message leaves them to the draft for later", async () => {
  const { key, page } = await reloadedUnsent();
  browser.isRefusing = true;
  page.deliverAll();
  await vi.advanceTimersByTimeAsync(10);
  page.discardSend(key);
  await vi.advanceTimersByTimeAsync(10);
  expect(page.outbox("c1")).toEqual([]);
  browser.isRefusing = false;
  const after = await freshPage();
  expect(after.draft("c1").text).toBe("look");
  await vi.advanceTimersByTimeAsync(10);
  expect(after.draft("c1").attachments).toEqual([picture, notes]);
});

test("the files of a message that was not stored are stored anew when it is taken back, or it is said that they are not", async () => {
  const page = await freshPage();
  answer = () => refusing(422, "invalid", "No pictures.", "Write.");
  await page.draft("c1").attach([notes]);
  for (const isRefusing of [false, true]) {
    const { key } = page.send("c1", "too long to be stored ".repeat(50_000), page.draft("c1").attachments);
    page.draft("c1").clear();
    await vi.advanceTimersByTimeAsync(10);
    expect(browser.kept.size).toBe(0);
    browser.isRefusing = isRefusing;
    page.discardSend(key);
    await vi.advanceTimersByTimeAsync(10);
    expect(page.draft("c1").attachments).toEqual([notes]);
    expect(browser.kept.size).toBe(isRefusing ? 0 : 1);
    expect(page.draft("c1").trouble).toMatch(isRefusing ? /does not store/ : /^$/);
  }
});

test("what cannot be read now does not go along, and stays with the draft", async () => {
  await (await freshPage()).draft("c1").attach([{ ...picture }]);
  const page = await freshPage();
  browser.isRefusing = true;
  page.draft("c1").set("look");
  await vi.advanceTimersByTimeAsync(10);
  browser.isRefusing = false;
  await page.draft("c1").attach([notes]);
  page.sendDraft("c1", "look");
  await vi.advanceTimersByTimeAsync(10);
  expect(posts).toMatchObject([{ text: "look", attachments: [notes] }]);
  expect([page.draft("c1").text, page.draft("c1").attachments, page.outbox("c1")]).toEqual(["", [], []]);
  const after = await freshPage();
  after.draft("c1");
  await vi.advanceTimersByTimeAsync(10);
  expect(after.draft("c1").attachments).toEqual([picture]);
});

test("what the browser does not store is sent all the same", async () => {
  const page = await freshPage();
  answer = away;
  browser.isRefusing = true;
  await page.draft("c1").attach([picture]);
  page.send("c1", "look", page.draft("c1").attachments);
  page.draft("c1").clear();
  await vi.advanceTimersByTimeAsync(10);
  expect(localStorage.length).toBe(0);
  answer = takes;
  page.deliverAll();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(posts).toMatchObject([{ attachments: [picture] }, { attachments: [picture] }]);
  expect(page.outbox("c1")).toEqual([]);
});

test("it survives a reload", async () => {
  answer = away;
  const before = await freshPage();
  before.send("c1", "hello");
  await vi.advanceTimersByTimeAsync(10);
  vi.clearAllTimers();
  answer = takes;
  const after = await freshPage();
  after.deliverAll();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(posts.map(({ text }) => text)).toEqual(["hello", "hello"]);
  expect(new Set(posts.map(({ key }) => key)).size).toBe(1);
  expect(localStorage.length).toBe(0);
});

test("what another tab has sent is not sent again", async () => {
  answer = away;
  const page = await freshPage();
  const { key } = page.send("c1", "hello");
  await vi.advanceTimersByTimeAsync(10);
  localStorage.removeItem(`voxpilot.outbox.${key}`);
  dispatchEvent(new StorageEvent("storage", { key: `voxpilot.outbox.${key}`, newValue: null }));
  answer = takes;
  page.deliverAll();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(posts.length).toBe(1);
  expect(page.outbox("c1")).toEqual([]);
});

test("what another tab is sending is not sent beside it, and sent if that comes to nothing", async () => {
  const queues = new Map<string, Promise<unknown>>();
  const request = (name: string, _how: unknown, act: () => Promise<unknown>) => {
    const mine = (queues.get(name) ?? Promise.resolve()).then(act);
    queues.set(name, mine);
    return mine;
  };
  Object.defineProperty(navigator, "locks", { configurable: true, value: { request } });
  for (const comesToNothing of [false, true]) {
    posts = [];
    let reply: (response: Response | Promise<Response>) => void = () => undefined;
    answer = () => new Promise((resolve) => (reply = resolve));
    (await freshPage()).send("c1", "a long one");
    await vi.advanceTimersByTimeAsync(10);
    const other = await freshPage();
    other.deliverAll();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(posts.length).toBe(1);
    answer = takes;
    reply(comesToNothing ? away() : takes());
    await vi.advanceTimersByTimeAsync(10);
    expect(posts.length).toBe(comesToNothing ? 2 : 1);
    expect(other.outbox("c1")).toEqual([]);
    vi.clearAllTimers();
  }
});

test("what the server refuses is kept with the reason, does not hold up others, and can go back into the draft", async () => {
  const page = await freshPage();
  answer = () => refusing(422, "invalid", "Too long.", "Shorten it.");
  const { key } = page.send("c1", "much too long");
  await vi.advanceTimersByTimeAsync(10);
  expect(page.outbox("c1")).toMatchObject([{ state: "refused", problem: { message: "Too long." } }]);
  answer = takes;
  page.send("c1", "short");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(page.outbox("c1").map(({ text }) => text)).toEqual(["much too long"]);
  page.draft("c1").set("typing");
  page.discardSend(key);
  expect(page.draft("c1").text).toBe("much too long\ntyping");
  expect(page.outbox("c1")).toEqual([]);
});

test("a message that the stream shows before the reply comes is not shown twice", async () => {
  const page = await freshPage();
  const { emptyChat } = await import("./applyEvent");
  const { takeEvents, takeSnapshot, useChat } = await import("./chat");
  createRoot(() => useChat("c1"));
  takeSnapshot(emptyChat("c1"), true);
  const said = (seq: number, id: string) =>
    ["message", { seq, at: seq, id, role: "user", text: "again", queued: true }] as [string, never];
  takeEvents("c1", [said(1, "m0")]);
  page.noticeArrivals("c1");

  let reply: (response: Response) => void = () => undefined;
  answer = () => new Promise((resolve) => (reply = resolve));
  page.send("c1", "again");
  await vi.advanceTimersByTimeAsync(10);
  expect(page.outbox("c1")).toMatchObject([{ text: "again" }]);
  takeEvents("c1", [said(2, "m1")]);
  page.noticeArrivals("c1");
  expect(page.outbox("c1")).toEqual([]);
  reply(takes());
  await vi.advanceTimersByTimeAsync(10);
  expect(page.outbox("c1")).toEqual([]);
  expect(localStorage.length).toBe(0);
});

test("where the browser stores nothing, a message still waits for the server", async () => {
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("no", "QuotaExceededError");
  });
  const page = await freshPage();
  answer = away;
  page.send("c1", "hello");
  await vi.advanceTimersByTimeAsync(10);
  answer = takes;
  page.deliverAll();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(posts.length).toBe(2);
  expect(page.outbox("c1")).toEqual([]);
});
