import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { ToTab } from "./messages";
import { Hub } from "./hub";
import { newHead } from "../state/chats/applyEvent";
import { FakeServer, settle } from "./server.fake";

let server: FakeServer;
let hub: Hub;

beforeEach(() => {
  vi.useFakeTimers();
  server = new FakeServer();
  server.onStream = (asked) => asked.open();
  hub = new Hub();
});

afterEach(() => {
  hub.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

class Tab {
  heard: ToTab[] = [];
  constructor(readonly id: string) {}
  follow(...chats: string[]): void {
    this.say({ say: "follow", chats, key: "the-key" });
  }
  say(message: Parameters<Hub["hear"]>[1]): void {
    hub.hear(this.id, message, (answer) => this.heard.push(structuredClone(answer)));
  }
  get words(): string[] {
    return this.heard.map((message) => message.say);
  }
  of<S extends ToTab["say"]>(say: S): Extract<ToTab, { say: S }>[] {
    return this.heard.filter((message) => message.say === say) as Extract<ToTab, { say: S }>[];
  }
  seqs(): unknown[] {
    return this.of("events").flatMap((message) => message.events.map(([, body]) => body["seq"]));
  }
}

function snapshot(chat: string, seq: number, blocks: object[] = [], hasOlder = false): void {
  const body = { chat_id: chat, seq, chat: { ...newHead(), seq }, blocks, has_older: hasOlder };
  server.last.say("snapshot", body);
}

function delta(chat: string, seq: number, more: object = {}): void {
  server.last.say("text-delta", { chat, seq, at: seq, message_id: "m", content: `${seq} `, ...more });
}

test("all tabs share one stream, and each gets every event of its chats once", async () => {
  const [one, two] = [new Tab("1"), new Tab("2")];
  one.follow("a");
  await settle();
  snapshot("a", 5);
  delta("a", 6);
  await settle();
  two.follow("a", "b");
  await settle();
  expect(server.last.url.searchParams.get("chats")).toBe("a:6,b");
  snapshot("b", 0);
  delta("a", 7);
  delta("b", 1);
  await settle();
  expect(one.seqs()).toEqual([6, 7]);
  expect(two.seqs()).toEqual([7, 1]);
  expect(server.streams.filter((asked) => !asked.isCut).length).toBe(1);
});

test("a tab opened later starts with the current chat, without asking the server", async () => {
  const [one, two] = [new Tab("1"), new Tab("2")];
  one.follow("a");
  await settle();
  server.last.say("chats", { chats: [{ id: "a", last_seq: 7 }] });
  snapshot("a", 5);
  delta("a", 6);
  delta("a", 7);
  await settle();
  two.follow("a");
  expect(server.streams.length).toBe(1);
  expect(two.words).toEqual(["status", "chats", "snapshot"]);
  const [told] = two.of("snapshot");
  expect(told?.chat.head.seq).toBe(7);
  expect(told?.chat.blocks[0]).toMatchObject({ kind: "text", text: "6 7 " });
});

test("the cursor of the list is passed on, also to later tabs", async () => {
  const [one, two] = [new Tab("1"), new Tab("2")];
  one.follow("a");
  await settle();
  server.last.say("chats", { chats: [{ id: "a", last_seq: 7 }], next: "5.0-b" });
  await settle();
  two.follow("a");
  expect(one.of("chats")[0]?.next).toBe("5.0-b");
  expect(two.of("chats")[0]?.next).toBe("5.0-b");
});

test("known events are not passed on again, and a gap is closed by asking again", async () => {
  const tab = new Tab("1");
  tab.follow("a");
  await settle();
  snapshot("a", 5);
  delta("a", 6);
  delta("a", 6);
  await settle();
  expect(tab.seqs()).toEqual([6]);
  delta("a", 9);
  await settle();
  expect(server.last.url.searchParams.get("chats")).toBe("a");
  snapshot("a", 9);
  await settle();
  expect(tab.seqs()).toEqual([6]);
  expect(tab.of("snapshot").map((message) => message.chat.head.seq)).toEqual([5, 9]);
});

test("a chat is complete if the server says so, however many blocks there are", async () => {
  const tab = new Tab("1");
  const blocks = (count: number) => Array.from({ length: count }, (_, i) => ({ pos: i + 1, kind: "notice", at: 1 }));
  tab.follow("a", "b", "c");
  await settle();
  snapshot("a", 60, blocks(60));
  snapshot("b", 60, blocks(60), true);
  snapshot("c", 60, blocks(3), true);
  await settle();
  expect(tab.of("snapshot").map((message) => message.complete)).toEqual([true, false, false]);
  expect(server.streams.length).toBe(1);
});

test("chats that no tab shows any more are no longer followed", async () => {
  const [one, two] = [new Tab("1"), new Tab("2")];
  one.follow("a", "b");
  two.follow("b");
  await settle();
  snapshot("a", 1);
  snapshot("b", 1);
  await settle();
  one.say({ say: "bye" });
  await settle(30_000);
  expect(server.last.url.searchParams.get("chats")).toContain("a");
  await settle(40_000);
  expect(server.last.url.searchParams.get("chats")).toBe("b:1");
});

test("the list is passed on, and chats that are missing from it are gone", async () => {
  const tab = new Tab("1");
  tab.follow("a", "b");
  await settle();
  server.last.say("chats", { chats: [{ id: "a", last_seq: 3 }] });
  server.last.say("chat-changed", { id: "a", last_seq: 4 });
  await settle();
  expect(tab.words.slice(-3)).toEqual(["chats", "chat-removed", "chat-changed"]);
  // The server says the same about chats it never had.
  server.last.say("chat-removed", { chat: "b" });
  server.last.say("chat-removed", { chat: "a" });
  await settle();
  expect(tab.of("chat-removed")).toEqual([
    { say: "chat-removed", chat: "b", isDeleted: false },
    { say: "chat-removed", chat: "b", isDeleted: false },
    { say: "chat-removed", chat: "a", isDeleted: true },
  ]);
});

test("a server restored to an earlier state is trusted", async () => {
  const tab = new Tab("1");
  tab.follow("a");
  await settle();
  snapshot("a", 9);
  await settle();
  server.last.end();
  await settle(1_000);
  expect(server.last.url.searchParams.get("chats")).toBe("a:9");
  server.last.say("chats", { chats: [{ id: "a", last_seq: 3 }] });
  await settle();
  expect(server.last.url.searchParams.get("chats")).toBe("a");
});

test("with another history every chat starts over, whatever the numbers say", async () => {
  const tab = new Tab("1");
  tab.follow("a");
  await settle();
  server.last.say("chats", { chats: [{ id: "a", last_seq: 9 }], history: "one" });
  snapshot("a", 9);
  await settle();
  server.last.end();
  await settle(1_000);
  expect(server.last.url.searchParams.get("history")).toBe("one");
  server.last.say("chats", { chats: [{ id: "a", last_seq: 20 }], history: "two" });
  delta("a", 10);
  snapshot("a", 20);
  delta("a", 21);
  await settle();
  expect(tab.of("snapshot").map(({ chat, isOther }) => [chat.head.seq, isOther])).toEqual([
    [9, false],
    [20, true],
  ]);
  expect(tab.seqs()).toEqual([21]);
});

test("signed out: every tab is told, and a check after signing in starts over", async () => {
  const [one, two] = [new Tab("1"), new Tab("2")];
  one.follow("a");
  await settle();
  snapshot("a", 9);
  server.onStream = (asked) => asked.refuse(401);
  server.last.end();
  await settle(1_000);
  expect(one.words.at(-1)).toBe("signed-out");
  two.follow();
  await settle();
  expect(two.words).toEqual(["status", "signed-out"]);
  server.onStream = (asked) => asked.open();
  two.say({ say: "check", key: "the-key" });
  await settle();
  expect(server.last.url.searchParams.get("chats")).toBe("a");
  expect(one.words.at(-1)).toBe("status");
});

test("the server's version is passed on, with and without a chat", async () => {
  const tab = new Tab("1");
  tab.follow();
  await settle();
  server.last.say("chats", { chats: [] });
  await settle();
  expect(tab.of("status").at(-1)?.version).toBe("9");
  tab.follow("a");
  await settle();
  server.last.say("ready", { chat: "a", version: "10" });
  await settle();
  expect(tab.of("status").at(-1)?.version).toBe("10");
});

test("the stream sends the key that the tabs have, also a new one", async () => {
  const tab = new Tab("1");
  tab.follow("a");
  expect(server.last.headers.get("X-VoxPilot-Key")).toBe("the-key");
  await settle();
  tab.say({ say: "follow", chats: ["a", "b"], key: "another" });
  expect(server.last.headers.get("X-VoxPilot-Key")).toBe("another");
  await settle();
  tab.say({ say: "follow", chats: ["a", "b", "c"], key: null });
  expect(server.last.headers.get("X-VoxPilot-Key")).toBe("another");
});
