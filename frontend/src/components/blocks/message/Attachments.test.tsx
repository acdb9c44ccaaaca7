import { render } from "solid-js/web";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { fakeApi } from "../../../api/fetch.fake";
import { ChatContextProvider, type ChatContext } from "../../conversation/chatContext";
import { Attachments } from "./Attachments";

let dispose: () => void;
const place = document.createElement("div");

beforeEach(() => {
  document.body.append(place);
  vi.stubGlobal("IntersectionObserver", class { observe() {} disconnect() {} });
  // Missing from the test browser.
  HTMLDialogElement.prototype.showModal = () => undefined;
});
afterEach(() => {
  dispose();
  place.remove();
  delete (HTMLDialogElement.prototype as Partial<HTMLDialogElement>).showModal;
});

test("a large attachment that is not an image says so when it is opened", async () => {
  const picture = { type: "image", mimeType: "image/png", data: "AA==", uri: "file:///a.png" };
  fakeApi(() => Response.json({ text: "", attachments: [picture] }));
  const context = { chatId: "c1" } as ChatContext;
  const cut = { ...picture, data: "", cut: true };
  dispose = render(() => <ChatContextProvider value={context}><Attachments attachments={[cut]} cutAt={1} /></ChatContextProvider>, place);
  place.querySelector<HTMLElement>(".thumb")!.click();
  await vi.waitUntil(() => place.querySelector("dialog img"));
  // What a browser does if it cannot decode the image.
  for (const shown of place.querySelectorAll("img")) shown.dispatchEvent(new Event("error"));
  expect(place.querySelector("dialog [role=alert]")?.textContent).toBe("This image cannot be shown.");
  expect(place.querySelector("dialog .picture-stage")?.children.length).toBe(1);
});
