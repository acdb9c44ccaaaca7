import { createRoot } from "solid-js";
import { beforeEach, expect, test, vi } from "vitest";

import { fakeApi } from "../../api/fetch.fake";
import { emptyChat } from "./applyEvent";
import { followed, onFollowed, takeEvents, takeRemoval, takeSnapshot, useChat } from "./chat";
import type { Block, ChatState } from "../shapes";

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const notice = (pos: number) => ({ pos, kind: "notice", at: 1, level: "info", code: "x", text: `${pos}` }) as Block;
const chatOf = (id: string, seq: number, blocks: number[]): ChatState => {
  const chat = emptyChat(id);
  chat.head.seq = seq;
  return { ...chat, blocks: blocks.map(notice) };
};
const positions = (chat: ReturnType<typeof useChat>) => chat.state?.blocks.map((block) => block.pos);

let asked: string[][];
let id = 0;
const fresh = () => (++id).toString(16);
const using = (chat: string) => createRoot((dispose) => ({ chat: useChat(chat), dispose }));

beforeEach(() => {
  asked = [];
  onFollowed((chats) => asked.push(chats));
  fakeApi(({ path }) => {
    const query = new URLSearchParams(path.split("?")[1]);
    const [before, limit] = [Number(query.get("before")), Number(query.get("limit"))];
    return Response.json({ blocks: range(Math.max(1, before - limit), before - 1).map(notice) });
  });
});

test("showing a chat follows it; it is loading, then ready, then gone", () => {
  const a = fresh();
  const { chat } = using(a);
  expect(asked.at(-1)).toContain(a);
  expect([chat.phase, chat.state]).toEqual(["loading", undefined]);
  takeSnapshot(chatOf(a, 3, [1, 2]), true);
  expect([chat.phase, positions(chat), chat.hasOlder]).toEqual(["ready", [1, 2], false]);
  takeRemoval(a);
  expect(chat.phase).toBe("gone");
});

test("an invalid chat id is not requested", () => {
  const { chat } = using("../evil");
  expect(chat.phase).toBe("gone");
  expect(followed()).not.toContain("../evil");
});

test("events are folded; one that leaves a gap is rejected", () => {
  const a = fresh();
  const { chat } = using(a);
  takeSnapshot(chatOf(a, 3, []), true);
  const delta = (seq: number) => ["text-delta", { seq, at: seq, message_id: "m", content: `${seq}` }] as [string, never];
  expect(takeEvents(a, [delta(3), delta(4), delta(5)])).toBe(true);
  expect(takeEvents(a, [delta(8)])).toBe(false);
  expect(chat.state?.blocks).toMatchObject([{ text: "45" }]);
});

test("older blocks are added in front until there are no more", async () => {
  const a = fresh();
  const { chat } = using(a);
  takeSnapshot(chatOf(a, 90, range(61, 90)), false);
  await chat.loadOlder();
  expect(positions(chat)).toEqual(range(11, 90));
  await chat.loadOlder();
  expect([positions(chat), chat.hasOlder]).toEqual([range(1, 90), false]);
});

test("once all older blocks are loaded, no more are requested", async () => {
  const a = fresh();
  const { chat } = using(a);
  takeSnapshot(chatOf(a, 60, range(51, 60)), false);
  await chat.loadOlder();
  expect([positions(chat), chat.hasOlder]).toEqual([range(1, 60), false]);
});

test("a new snapshot keeps adjoining older blocks, and the drawn objects", async () => {
  const a = fresh();
  const { chat } = using(a);
  takeSnapshot(chatOf(a, 90, range(61, 90)), false);
  await chat.loadOlder();
  const drawn = chat.state?.blocks.at(-1);
  takeSnapshot(chatOf(a, 95, range(66, 95)), false);
  expect(positions(chat)).toEqual(range(11, 95));
  expect(chat.state?.blocks[79]).toBe(drawn);
  takeSnapshot(chatOf(a, 200, range(150, 200)), false);
  expect([positions(chat), chat.hasOlder]).toEqual([range(150, 200), true]);
});

test("chats that are no longer shown stay for some time, but not all of them and not forever", () => {
  vi.useFakeTimers();
  const left = range(1, 10).map(() => {
    const a = fresh();
    using(a).dispose();
    return a;
  });
  const last = fresh();
  using(last);
  expect(left.filter((chat) => followed().includes(chat))).toEqual(left.slice(-6));
  vi.advanceTimersByTime(300_000);
  expect(left.filter((chat) => followed().includes(chat))).toEqual([]);
  expect(asked.at(-1)).toContain(last);
  vi.useRealTimers();
});
