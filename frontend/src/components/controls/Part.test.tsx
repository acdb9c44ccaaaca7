import { render } from "solid-js/web";
import { createSignal } from "solid-js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { ChatContextProvider, type ChatContext } from "../conversation/chatContext";
import { NO_TURN, Row } from "../conversation/Row";
import type { Block } from "../../state";
import { Part } from "./Part";

const place = document.createElement("div");
let dispose = () => {};
beforeEach(() => document.body.append(place));
afterEach(() => {
  dispose();
  place.remove();
});

test("a part that fails says so, shows its data, and does not affect the rest", () => {
  const complaint = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const [text, setText] = createSignal("fine");
  const Breaks = () => <p>{text() === "bad" ? (null as unknown as string[]).join() : text()}</p>;
  dispose = render(
    () => (
      <>
        <Part value={() => ({ why: text() })}>
          <Breaks />
        </Part>
        <p>next to it</p>
      </>
    ),
    place,
  );
  expect(place.textContent).toContain("fine");
  setText("bad");
  expect(place.textContent).toContain("This part could not be displayed.");
  expect(place.textContent).toContain('"why": "bad"');
  expect(place.textContent).toContain("next to it");
  expect(complaint).toHaveBeenCalled();
});

test("an invalid block does not break the conversation", () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const context = { chatId: "c", agentName: () => "Agent", terminal: () => undefined, isAsked: () => false } as unknown as ChatContext;
  const row = (block: object) => ({ kind: "block" as const, key: "k", until: undefined, block: { pos: 1, at: 1, ...block } as Block });
  const rows = [row({ kind: "tool", id: "x", content: null }), row({ kind: "plan", entries: null }), row({ kind: "turn" }), row({ kind: "constructor" })];
  dispose = render(
    () => (
      <ChatContextProvider value={context}>
        {rows.map((one) => (
          <Row row={one} isLast={false} turn={() => NO_TURN} />
        ))}
        <p>the end</p>
      </ChatContextProvider>
    ),
    place,
  );
  expect(place.querySelectorAll("[data-testid=broken-part]").length).toBeGreaterThanOrEqual(2);
  expect(place.textContent).toContain("the end");
});
