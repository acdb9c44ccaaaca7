import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { fakeApi, refusing } from "../../api/fetch.fake";

let keys: string[];
let answer: () => Response | Promise<Response>;

const away = () => Promise.reject(new TypeError("Failed to fetch"));
const AWAY = "The server is not responding.";
const takes = () => Response.json({ id: "c1" }, { status: 201 });

async function freshPage() {
  vi.resetModules();
  return { ...(await import("./actions")), ...(await import("../stored/drafts")) };
}

beforeEach(() => {
  localStorage.clear();
  keys = [];
  answer = takes;
  fakeApi((asked) => {
    if (asked.path !== "/api/chats") return Response.json({ message_id: "m", turn: "t" }, { status: 202 });
    keys.push((asked.body as { key: string }).key);
    return answer();
  });
});

afterEach(() => localStorage.clear());

test("a chat whose creation was not acknowledged is created once, even after a reload", async () => {
  answer = away;
  const wish = { text: "first\nwords", workspace: "/w" };
  await expect((await freshPage()).createChat(wish)).rejects.toThrow(AWAY);
  await expect((await freshPage()).createChat(wish)).rejects.toThrow(AWAY);
  answer = takes;
  await (await freshPage()).createChat(wish);
  expect(new Set(keys).size).toBe(1);
});

test("another request, or the same one after it succeeded or was refused, creates another chat", async () => {
  const page = await freshPage();
  await page.createChat({ text: "one" });
  await page.createChat({ text: "one" });
  answer = () => refusing(422, "no-folder", "No such folder.");
  await expect(page.createChat({ text: "one" })).rejects.toThrow("No such folder.");
  answer = away;
  await expect(page.createChat({ text: "one" })).rejects.toThrow(AWAY);
  await expect(page.createChat({ text: "two" })).rejects.toThrow(AWAY);
  expect(new Set(keys).size).toBe(5);
});

test("an unconfirmed request is remembered, also after a reload, until it succeeds or is refused", async () => {
  const wish = { workspace: "/w", text: "first\nwords" };
  for (const end of [takes, () => refusing(422, "no-folder", "No such folder.")]) {
    answer = away;
    await (await freshPage()).createChat(wish).catch(() => undefined);
    const page = await freshPage();
    expect(page.unheardWish()).toEqual(wish);
    answer = end;
    await page.createChat(wish).catch(() => undefined);
    expect(page.unheardWish()).toBeUndefined();
  }
});

test("signing out forgets unconfirmed requests", async () => {
  answer = away;
  const page = await freshPage();
  await expect(page.createChat({ text: "secret" })).rejects.toThrow(AWAY);
  page.forgetDrafts();
  expect(localStorage.length).toBe(0);
});
