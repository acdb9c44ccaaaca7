// The page's fold and Python's give the same result for the same events (tests/golden; the Python side is in tests/chat).

import { readdirSync, readFileSync } from "node:fs";

import { createStore, produce, unwrap } from "solid-js/store";
import { describe, expect, test } from "vitest";

import { applyEvent, emptyChat, fromSnapshot } from "./applyEvent";
import type { Block, ChatState, Head } from "../shapes";

interface Golden {
  says: string;
  events: [string, object][];
  head: Head;
  blocks: Block[];
}

// Parsed as JSON, not imported as modules, where a name such as `__proto__` has a special meaning.
const folder = `${import.meta.dirname}/../../../../tests/golden/`;
const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
const files = names.map((name) => [name, JSON.parse(readFileSync(folder + name, "utf-8")) as Golden] as const);

test("the lists are found", () => expect(files.length).toBeGreaterThan(10));

describe.each(files)("%s", (_, golden) => {
  const events = () => structuredClone(golden.events);
  const expected: ChatState = { id: "c", head: golden.head, blocks: golden.blocks };

  test(`a plain object: ${golden.says}`, () => {
    const chat = emptyChat("c");
    for (const [kind, body] of events()) applyEvent(chat, kind, body);
    expect(chat).toEqual(expected);
  });

  test("a store, all events in one change", () => {
    const [chat, set] = createStore(emptyChat("c"));
    set(
      produce((draft) => {
        for (const [kind, body] of events()) applyEvent(draft, kind, body);
      }),
    );
    expect(unwrap(chat)).toEqual(expected);
  });

  test("a store, one change for each event", () => {
    const [chat, set] = createStore(emptyChat("c"));
    for (const [kind, body] of events()) set(produce((draft) => applyEvent(draft, kind, body)));
    expect(unwrap(chat)).toEqual(expected);
  });

  test("a snapshot after any event, and then the rest", () => {
    for (let cut = 0; cut <= golden.events.length; cut++) {
      const first = emptyChat("c");
      for (const [kind, body] of events().slice(0, cut)) applyEvent(first, kind, body);
      const { head, blocks } = structuredClone(first);
      const chat = fromSnapshot("c", { chat: head, blocks });
      for (const [kind, body] of events().slice(cut)) applyEvent(chat, kind, body);
      expect(chat).toEqual(expected);
    }
  });
});
