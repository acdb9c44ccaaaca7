import { render } from "solid-js/web";
import { afterEach, expect, test } from "vitest";

import type { MessageBlock, QueuedMessage } from "../../state";
import { Message } from "../blocks/message/Message";
import { ChatContextProvider, type ChatContext } from "../conversation/chatContext";
import { Queue } from "./Queue";

const place = document.createElement("div");
const context = { chatId: "c1" } as ChatContext;
let dispose: () => void;

afterEach(() => {
  dispose();
  place.remove();
});

const said = { id: "m", role: "user", text: "the beginning" } as const;

function queue(message: QueuedMessage) {
  document.body.append(place);
  const none = () => Promise.resolve();
  dispose = render(() => <ChatContextProvider value={context}><Queue messages={[message]} onEdit={none} onRemove={none} /></ChatContextProvider>, place);
  place.querySelector<HTMLElement>("[aria-label='Edit queued message']")!.click();
}

test("a partly loaded message cannot be edited, because the rest would be lost", () => {
  queue({ ...said, cut: true });
  expect(place.querySelector("textarea")).toBe(null);
  expect(place.querySelector("[role=alert]")?.textContent).toContain("Only part of this message");
});

test.each([{}, { cut: true, cut_at: { attachments: 3 } }])("a message with its complete text can be edited: %o", (how) => {
  queue({ ...said, ...how });
  expect(place.querySelector("textarea")?.value).toBe("the beginning");
});

test.each([
  [{}, false],
  [{ cut: true, cut_at: { attachments: 3 } }, false],
  [{ cut: true }, true],
])("a partly loaded message says so: %o", (how, isTold) => {
  const block = { ...said, ...how, kind: "message", pos: 1, at: 0 } as MessageBlock;
  dispose = render(() => <ChatContextProvider value={context}><Message block={block} /></ChatContextProvider>, place);
  expect(place.textContent?.includes("Only part of this message")).toBe(isTold);
  expect(place.querySelector(".message-text")?.textContent).toBe(isTold ? "the beginning…" : "the beginning");
});
