import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { fakeApi, refusing } from "../../api/fetch.fake";
import { fakeLarge } from "./indexedDb.fake";

const PICTURE = { type: "image", mimeType: "image/png", data: "AA==" };
const NOTES = { type: "resource", resource: { uri: "file:///a.txt", text: "a" } };
let browser: ReturnType<typeof fakeLarge>;

/** A page after loading: it knows only what the browser stores. */
async function freshPage() {
  vi.resetModules();
  return { ...(await import("./drafts")), ...(await import("../chats/deleted")), ...(await import("./files")), ...(await import("./outbox")) };
}

/** Waits until the attachments are read. */
async function read(page: Awaited<ReturnType<typeof freshPage>>, chat: string) {
  await vi.waitUntil(() => !page.draft(chat).isReading);
  return page.draft(chat);
}

beforeEach(() => {
  localStorage.clear();
  browser = fakeLarge();
});

afterEach(() => void vi.useRealTimers());

test("attachments survive a reload in order, and are deleted when removed", async () => {
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

test("it reports that something is being stored", async () => {
  const mine = (await freshPage()).draft("c1");
  const attached = mine.attach([PICTURE]);
  expect(mine.isReading).toBe(true);
  await attached;
  expect([mine.isReading, mine.attachments]).toEqual([false, [PICTURE]]);
});

test("files attached while others are being read come after them", async () => {
  await (await freshPage()).draft("c1").attach([PICTURE]);
  const page = await freshPage();
  expect(page.draft("c1").isReading).toBe(true);
  await page.draft("c1").attach([NOTES]);
  expect((await read(page, "c1")).attachments).toEqual([PICTURE, NOTES]);
});

test("attachments that another tab adds or removes are followed", async () => {
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

test("if the browser stores nothing, they stay in memory, and a message says so", async () => {
  browser.isRefusing = true;
  const page = await freshPage();
  await page.draft("c1").attach([PICTURE]);
  expect(page.draft("c1").attachments).toEqual([PICTURE]);
  expect(page.draft("c1").trouble).toMatch(/cannot store .* lost if you reload/);
  page.draft("c1").detach([PICTURE]);
  expect(page.draft("c1").trouble).toBe("");
  browser.isRefusing = false;
  const full = vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("no", "QuotaExceededError");
  });
  await page.draft("c1").attach([NOTES]);
  expect(page.draft("c1").trouble).toMatch(/cannot store/);
  await vi.waitUntil(() => browser.kept.size === 0);
  full.mockRestore();
});

test("a browser whose storage never responds counts as one that stores nothing", async () => {
  vi.useFakeTimers();
  browser.isSilent = true;
  const page = await freshPage();
  const attached = page.draft("c1").attach([PICTURE]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(page.draft("c1").attachments).toEqual([PICTURE]);
  await attached;
  expect(page.draft("c1").trouble).toMatch(/cannot store/);
  localStorage.setItem("voxpilot.attached.c2", '["1-a"]');
  expect(page.draft("c2").isReading).toBe(true);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(page.draft("c2").isReading).toBe(false);
});

test("stored files that are gone are reported once", async () => {
  await (await freshPage()).draft("c1").attach([PICTURE, NOTES]);
  browser.kept.delete([...browser.kept.keys()][0]!);
  const after = await read(await freshPage(), "c1");
  expect(after.attachments).toEqual([NOTES]);
  expect(after.trouble).toMatch(/Attach it again/);
  expect((await read(await freshPage(), "c1")).trouble).toBe("");
});

const gone = () => refusing(404, "not-found", "Chat not found.");

test("the data of a chat is removed once the server confirms that it was deleted", async () => {
  const page = await freshPage();
  fakeApi(({ path }) => {
    if (path.startsWith("/api/chats/a1")) return gone();
    // A proxy on the way to the server.
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

test("for chats that do not exist, only files attached long ago are removed", async () => {
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

test("a file that no draft and no message refers to is removed, unless it is new", async () => {
  const page = await freshPage();
  await page.draft("c1").attach([PICTURE]);
  browser.kept.set(`${Date.now() - 7_200_000}-left`, NOTES).set(`${Date.now()}-new`, NOTES);
  await page.sweepFiles();
  await vi.waitUntil(() => browser.kept.size === 2);
  expect([...browser.kept.values()]).toEqual([PICTURE, NOTES]);
});

test("a corrupt list of attachments is treated as empty, and can be written and removed", async () => {
  for (const corrupt of ["[\"a", "{}", "null", "[1]"]) {
    localStorage.setItem("voxpilot.attached.c1", corrupt);
    const page = await freshPage();
    expect((await read(page, "c1")).attachments).toEqual([]);
    expect(page.draft("c1").trouble).toBe("");
    await page.draft("c1").attach([{ ...PICTURE }]);
    expect((await read(await freshPage(), "c1")).attachments).toEqual([PICTURE]);
    localStorage.setItem("voxpilot.attached.c1", corrupt);
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
