import { expect, test, vi } from "vitest";

import { refusing } from "../../../api/fetch.fake";
import { accepts, away, fake, freshPage, picture, useFake } from "./outbox.fake";

useFake();

const notes = { type: "resource", resource: { uri: "file:///a.txt", text: "a" } };

/** A page reloaded before a message with a picture and notes was sent. */
async function reloadedUnsent() {
  fake.answer = away;
  const before = await freshPage();
  await before.draft("c1").attach([{ ...picture }, notes]);
  const { key } = before.send("c1", "look", before.draft("c1").attachments);
  before.draft("c1").clear();
  await vi.advanceTimersByTimeAsync(10);
  vi.clearAllTimers();
  return { key, page: await freshPage() };
}

test("attachments are sent, also after a reload, and forgotten when the server accepts them", async () => {
  fake.answer = away;
  const before = await freshPage();
  await before.draft("c1").attach([picture]);
  before.send("c1", "look", before.draft("c1").attachments);
  before.draft("c1").clear();
  await vi.advanceTimersByTimeAsync(10);
  vi.clearAllTimers();
  const after = await freshPage();
  fake.answer = accepts;
  after.deliverAll();
  await vi.advanceTimersByTimeAsync(10);
  expect(fake.posts).toMatchObject([{ attachments: [picture] }, { attachments: [picture] }]);
  expect(new Set(fake.posts.map(({ key }) => key)).size).toBe(1);
  expect([after.outbox("c1").length, localStorage.length, fake.browser.kept.size]).toEqual([0, 0, 0]);
});

test("the attachments of a refused message go back into the draft with the text", async () => {
  const page = await freshPage();
  fake.answer = () => refusing(422, "invalid", "No pictures.", "Write.");
  await page.draft("c1").attach([picture]);
  page.send("c1", "look", page.draft("c1").attachments);
  page.draft("c1").clear();
  await vi.advanceTimersByTimeAsync(10);
  expect(page.outbox("c1")).toMatchObject([{ state: "refused", attachments: [picture] }]);
  page.discardSend(fake.posts[0]!.key);
  expect([page.draft("c1").text, page.draft("c1").attachments]).toEqual(["look", [picture]]);
  const after = await freshPage();
  await vi.waitUntil(() => !after.draft("c1").isReading);
  expect([after.draft("c1").text, after.draft("c1").attachments]).toEqual(["look", [picture]]);
});

test("a message with files is stored where older versions of the page do not look, and is found under both names", async () => {
  const { key, page } = await reloadedUnsent();
  const names = Object.keys(localStorage);
  expect(names.filter((name) => name.startsWith("voxpilot.outbox."))).toEqual([]);
  const [name] = names;
  localStorage.setItem(`voxpilot.outbox.${key}`, localStorage.getItem(name!)!);
  localStorage.removeItem(name!);
  fake.posts = [];
  fake.answer = accepts;
  page.deliverAll();
  await vi.advanceTimersByTimeAsync(10);
  expect(fake.posts).toMatchObject([{ key, attachments: [picture, notes] }]);
  expect([page.outbox("c1").length, localStorage.length, fake.browser.kept.size]).toEqual([0, 0, 0]);
});

test("a message with files that another tab sends is shown until it is sent", async () => {
  const { key, page } = await reloadedUnsent();
  const [name] = Object.keys(localStorage);
  dispatchEvent(new StorageEvent("storage", { key: name! }));
  await vi.advanceTimersByTimeAsync(10);
  expect(page.outbox("c1")).toMatchObject([{ key, text: "look" }]);
  localStorage.removeItem(name!);
  dispatchEvent(new StorageEvent("storage", { key: name! }));
  expect(page.outbox("c1")).toEqual([]);
  await page.sweepFiles(0);
  expect(fake.browser.kept.size).toBe(0);
});

test("a message is not sent without its attachments", async () => {
  fake.answer = away;
  const before = await freshPage();
  await before.draft("c1").attach([picture]);
  before.send("c1", "look", before.draft("c1").attachments);
  await vi.advanceTimersByTimeAsync(10);
  vi.clearAllTimers();
  fake.posts = [];
  fake.browser.kept.clear();
  const after = await freshPage();
  fake.answer = accepts;
  after.deliverAll();
  await vi.advanceTimersByTimeAsync(10);
  expect(after.outbox("c1")).toMatchObject([{ state: "refused", problem: { code: "files-lost" } }]);
  expect(fake.posts).toEqual([]);
});

test("a message withdrawn while its files are being read leaves them to the draft", async () => {
  const { key, page } = await reloadedUnsent();
  page.addressed();
  page.discardSend(key);
  await vi.advanceTimersByTimeAsync(10);
  expect([page.draft("c1").text, page.draft("c1").attachments]).toEqual(["look", [picture, notes]]);
  expect(page.draft("c1").trouble).toBe("");
  expect(fake.browser.kept.size).toBe(2);
});

test("a message withdrawn when one file is gone leaves the others to the draft, with an explanation", async () => {
  const { key, page } = await reloadedUnsent();
  fake.browser.kept.delete([...fake.browser.kept.keys()][0]!);
  page.deliverAll();
  await vi.advanceTimersByTimeAsync(10);
  expect(page.outbox("c1")).toMatchObject([{ state: "refused", problem: { code: "files-lost" } }]);
  page.discardSend(key);
  await vi.advanceTimersByTimeAsync(10);
  expect(page.draft("c1").attachments).toEqual([notes]);
  expect(page.draft("c1").trouble).toMatch(/Attach it again/);
});

test("a message withdrawn when its files cannot be read leaves them to the draft for later", async () => {
  const { key, page } = await reloadedUnsent();
  fake.browser.isRefusing = true;
  page.deliverAll();
  await vi.advanceTimersByTimeAsync(10);
  page.discardSend(key);
  await vi.advanceTimersByTimeAsync(10);
  expect(page.outbox("c1")).toEqual([]);
  fake.browser.isRefusing = false;
  const after = await freshPage();
  expect(after.draft("c1").text).toBe("look");
  await vi.advanceTimersByTimeAsync(10);
  expect(after.draft("c1").attachments).toEqual([picture, notes]);
});

test("the files of a withdrawn message that was not stored are stored again, or an error says they are not", async () => {
  const page = await freshPage();
  fake.answer = () => refusing(422, "invalid", "No pictures.", "Write.");
  await page.draft("c1").attach([notes]);
  for (const isRefusing of [false, true]) {
    const { key } = page.send("c1", "too long to be stored ".repeat(50_000), page.draft("c1").attachments);
    page.draft("c1").clear();
    await vi.advanceTimersByTimeAsync(10);
    expect(fake.browser.kept.size).toBe(0);
    fake.browser.isRefusing = isRefusing;
    page.discardSend(key);
    await vi.advanceTimersByTimeAsync(10);
    expect(page.draft("c1").attachments).toEqual([notes]);
    expect(fake.browser.kept.size).toBe(isRefusing ? 0 : 1);
    expect(page.draft("c1").trouble).toMatch(isRefusing ? /cannot store/ : /^$/);
  }
});

test("files that cannot be read are not sent, and stay in the draft", async () => {
  await (await freshPage()).draft("c1").attach([{ ...picture }]);
  const page = await freshPage();
  fake.browser.isRefusing = true;
  page.draft("c1").set("look");
  await vi.advanceTimersByTimeAsync(10);
  fake.browser.isRefusing = false;
  await page.draft("c1").attach([notes]);
  page.sendDraft("c1", "look");
  await vi.advanceTimersByTimeAsync(10);
  expect(fake.posts).toMatchObject([{ text: "look", attachments: [notes] }]);
  expect([page.draft("c1").text, page.draft("c1").attachments, page.outbox("c1")]).toEqual(["", [], []]);
  const after = await freshPage();
  after.draft("c1");
  await vi.advanceTimersByTimeAsync(10);
  expect(after.draft("c1").attachments).toEqual([picture]);
});
