import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { fakeApi, refusing } from "../api/fetch.fake";
import { fakeLarge } from "./indexedDb.fake";

const PICTURE = { type: "image", mimeType: "image/png", data: "AA==" };
const NOTES = { type: "resource", resource: { uri: "file:///a.txt", text: "a" } };
let browser: ReturnType<typeof fakeLarge>;

/** A page as it is after loading: what it knows is what was stored. */
async function freshPage() {
  vi.resetModules();
  return { ...(await import("./drafts")), ...(await import("./deleted")), ...(await import("./files")), ...(await import("./outbox")) };
}

/** Once it has read what is attached. */
async function read(page: Awaited<ReturnType<typeof freshPage>>, chat: string) {
  await vi.waitUntil(() => !page.draft(chat).isReading);
  return page.draft(chat);
}

beforeEach(() => {
  localStorage.clear();
  browser = fakeLarge();
});

afterEach(() => void vi.useRealTimers());

test("what is attached is there after a reload, in its order, and forgotten when it is taken off", async () => {
  const before = (await freshPage()).draft("c1");
  await before.attach([PICTURE]);
  await before.attach([NOTES]);
  expect(before.trouble).toBe("");
  const after = await read(await freshPage(), "c1");
  expect(after.attachments).toEqual([PICTURE, NOTES]);
  after.detach([after.attachments[0]!]);
  await vi.waitUntil(() => browser.kept.size === 1);
  expect((await read(await freshPage(), "c1")).attachments).toEqual([NOTES]);
  after.clear();
  await vi.waitUntil(() => browser.kept.size === 0);
  expect(localStorage.length).toBe(0);
});

test("it is told while something is being stored", async () => {
  const mine = (await freshPage()).draft("c1");
  const attached = mine.attach([PICTURE]);
  expect(mine.isReading).toBe(true);
  await attached;
  expect([mine.isReading, mine.attachments]).toEqual([false, [PICTURE]]);
});

test("what is attached while the rest is being read stands behind it", async () => {
  await (await freshPage()).draft("c1").attach([PICTURE]);
  const page = await freshPage();
  expect(page.draft("c1").isReading).toBe(true);
  await page.draft("c1").attach([NOTES]);
  expect((await read(page, "c1")).attachments).toEqual([PICTURE, NOTES]);
});

test("what another tab attaches or takes off is followed", async () => {
  const page = await freshPage();
  const mine = page.draft("c1");
  await mine.attach([PICTURE]);
  const other = await read(await freshPage(), "c1");
  await other.attach([NOTES]);
  dispatchEvent(new StorageEvent("storage", { key: "voxpilot.attached.c1" }));
  expect(mine.isReading).toBe(true);
  await vi.waitUntil(() => mine.attachments.length === 2);
  await vi.waitUntil(() => !mine.isReading);
  expect(mine.attachments[0]).toBe(PICTURE);
  other.detach([other.attachments[0]!]);
  dispatchEvent(new StorageEvent("storage", { key: "voxpilot.attached.c1" }));
  await vi.waitUntil(() => mine.attachments.length === 1);
  expect(mine.attachments).toEqual([NOTES]);
});

test("where the browser stores nothing it stays in memory, and that is said", async () => {
  browser.isRefusing = true;
  const page = await freshPage();
  await page.draft("c1").attach([PICTURE]);
  expect(page.draft("c1").attachments).toEqual([PICTURE]);
  expect(page.draft("c1").trouble).toMatch(/does not store .* lost when you reload/);
  page.draft("c1").detach([PICTURE]);
  expect(page.draft("c1").trouble).toBe("");
  browser.isRefusing = false;
  const full = vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("no", "QuotaExceededError");
  });
  await page.draft("c1").attach([NOTES]);
  expect(page.draft("c1").trouble).toMatch(/does not store/);
  await vi.waitUntil(() => browser.kept.size === 0);
  full.mockRestore();
});

test("a browser that never answers counts as one that stores nothing", async () => {
  vi.useFakeTimers();
  browser.isSilent = true;
  const page = await freshPage();
  const attached = page.draft("c1").attach([PICTURE]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(page.draft("c1").attachments).toEqual([PICTURE]);
  await attached;
  expect(page.draft("c1").trouble).toMatch(/does not store/);
  localStorage.setItem("voxpilot.attached.c2", '["1-a"]');
  expect(page.draft("c2").isReading).toBe(true);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(page.draft("c2").isReading).toBe(false);
});

test("what was kept and is gone is told of once", async () => {
  await (await freshPage()).draft("c1").attach([PICTURE, NOTES]);
  browser.kept.delete([...browser.kept.keys()][0]!);
  const after = await read(await freshPage(), "c1");
  expect(after.attachments).toEqual([NOTES]);
  expect(after.trouble).toMatch(/Attach it again/);
  expect((await read(await freshPage(), "c1")).trouble).toBe("");
});

const gone = () => refusing(404, "not-found", "There is no such chat.");

test("what belongs to a chat is forgotten when it was deleted and the server itself says so again", async () => {
  const page = await freshPage();
  fakeApi(({ path }) => {
    if (path.startsWith("/api/chats/a1")) return gone();
    // Something between here and the server.
    if (path.startsWith("/api/chats/b2")) return new Response("<h1>Not Found</h1>", { status: 404 });
    if (path.startsWith("/api/chats/c3")) return Response.json({ id: "c3" });
    return refusing(503, "starting", "Not yet.");
  });
  for (const chat of ["a1", "b2", "c3", "d4"]) {
    page.send(chat, "half a message");
    page.draft(chat).set("half a thought");
    await page.draft(chat).attach([{ ...PICTURE }]);
    await page.forgetDeleted(chat);
  }
  const left = ["a1", "b2", "c3", "d4"].map((chat) => [page.draft(chat).text, page.draft(chat).attachments.length]);
  const there = ["half a thought", 1];
  expect(left).toEqual([["", 0], there, there, there]);
  expect(page.addressed()).not.toContain("a1");
  expect(page.addressed()).toContain("b2");
  await vi.waitUntil(() => browser.kept.size === 3);
});

test("of chats that are not there, only files that were attached long ago are forgotten", async () => {
  const page = await freshPage();
  const now = Date.now();
  const asked = fakeApi(gone);
  vi.spyOn(Date, "now").mockReturnValue(now - 31 * 24 * 3_600_000);
  for (const chat of ["a1", "b2", "c3", "new"]) {
    page.draft(chat).set("half a thought");
    await page.draft(chat).attach([{ ...PICTURE }]);
  }
  vi.mocked(Date.now).mockReturnValue(now);
  await page.draft("c3").attach([{ ...PICTURE }]);
  await page.forgetOldFiles(new Set(["a1"]));
  expect(asked.map(({ path }) => path)).toEqual(["/api/chats/b2"]);
  await vi.waitUntil(() => browser.kept.size === 4);
  const left = ["a1", "b2", "c3", "new"].map((chat) => [page.draft(chat).text, page.draft(chat).attachments.length]);
  expect(left).toEqual([1, 0, 2, 1].map((files) => ["half a thought", files]));
});

test("a file that no draft and no message names is forgotten, unless it came just now", async () => {
  const page = await freshPage();
  await page.draft("c1").attach([PICTURE]);
  browser.kept.set(`${Date.now() - 7_200_000}-left`, NOTES).set(`${Date.now()}-new`, NOTES);
  await page.sweepFiles();
  await vi.waitUntil(() => browser.kept.size === 2);
  expect([...browser.kept.values()]).toEqual([PICTURE, NOTES]);
});

test("a spoilt list of what is attached counts as none, and can be written and forgotten", async () => {
  for (const spoilt of ["[\"a", "{}", "null", "[1]"]) {
    localStorage.setItem("voxpilot.attached.c1", spoilt);
    const page = await freshPage();
    expect((await read(page, "c1")).attachments).toEqual([]);
    expect(page.draft("c1").trouble).toBe("");
    await page.draft("c1").attach([{ ...PICTURE }]);
    expect((await read(await freshPage(), "c1")).attachments).toEqual([PICTURE]);
    localStorage.setItem("voxpilot.attached.c1", spoilt);
    page.forgetDrafts();
    expect(localStorage.length).toBe(0);
  }
});

test("nothing is left when a person signs out", async () => {
  const before = await freshPage();
  for (const chat of ["c1", "new"]) await before.draft(chat).attach([{ ...PICTURE }]);
  const page = await freshPage();
  browser.kept.set(`${Date.now()}-left`, NOTES);
  page.forgetDrafts();
  await page.sweepFiles(0);
  await vi.waitUntil(() => browser.kept.size === 0);
  expect(localStorage.length).toBe(0);
  expect((await read(page, "c1")).attachments).toEqual([]);
});
