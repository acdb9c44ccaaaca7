import { render } from "solid-js/web";
import { afterEach, expect, test } from "vitest";

import type { MessageBlock, QueuedMessage } from "../../state";
import { Message } from "../blocks/Message";
import { HereProvider, type Here } from "../conversation/here";
import { Queue } from "./Queue";

const place = document.createElement("div");
const here = { chatId: "c1" } as Here;
let dispose: () => void;

afterEach(() => {
  dispose();
  place.remove();
});

const said = { id: "m", role: "user", text: "the beginning" } as const;

function queue(message: QueuedMessage) {
  document.body.append(place);
  const none = () => Promise.resolve();
  dispose = render(() => <HereProvider value={here}><Queue messages={[message]} onEdit={none} onRemove={none} /></HereProvider>, place);
  place.querySelector<HTMLElement>("[aria-label='Edit queued message']")!.click();
}

test("a message of which only a part is known is not edited, as the rest would be lost", () => {
  queue({ ...said, cut: true });
  expect(place.querySelector("textarea")).toBe(null);
  expect(place.querySelector("[role=alert]")?.textContent).toContain("Only a part of its text");
});

test.each([{}, { cut: true, cut_at: { attachments: 3 } }])("one whose text is all here is edited: %o", (how) => {
  queue({ ...said, ...how });
  expect(place.querySelector("textarea")?.value).toBe("the beginning");
});

test.each([
  [{}, false],
  [{ cut: true, cut_at: { attachments: 3 } }, false],
  [{ cut: true }, true],
])("a message of which only a part is known says so: %o", (how, isTold) => {
  const block = { ...said, ...how, kind: "message", pos: 1, at: 0 } as MessageBlock;
  dispose = render(() => <HereProvider value={here}><Message block={block} /></HereProvider>, place);
  expect(place.textContent?.includes("Only a part of this message")).toBe(isTold);
  expect(place.querySelector(".message-text")?.textContent).toBe(isTold ? "the beginning…" : "the beginning");
});
