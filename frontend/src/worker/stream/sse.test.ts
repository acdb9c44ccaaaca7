import { expect, test } from "vitest";

import { SseReader, type SseEvent } from "./sse";

const TEXT = 'retry: 500\n\nid: a:1\nevent: text-delta\ndata: {"content":"käse 👀"}\n\n: comment\nevent: ping\r\ndata: {}\r\n\r\ndata: 1\ndata: \ndata: \n\n';
const EVENTS: SseEvent[] = [
  { kind: "text-delta", data: { content: "käse 👀" } },
  { kind: "ping", data: {} },
  { kind: "message", data: 1 },
];

test("events are parsed however the bytes are split", () => {
  const bytes = new TextEncoder().encode(TEXT);
  for (let size = 1; size <= bytes.length; size++) {
    const reader = new SseReader();
    const events: SseEvent[] = [];
    for (let at = 0; at < bytes.length; at += size) events.push(...reader.take(bytes.slice(at, at + size)));
    expect(events).toEqual(EVENTS);
  }
});
