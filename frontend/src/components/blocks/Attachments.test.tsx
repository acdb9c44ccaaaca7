import { render } from "solid-js/web";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { fakeApi } from "../../api/fetch.fake";
import { HereProvider, type Here } from "../conversation/here";
import { Attachments } from "./Attachments";

let dispose: () => void;
const place = document.createElement("div");

beforeEach(() => {
  document.body.append(place);
  vi.stubGlobal("IntersectionObserver", class { observe() {} disconnect() {} });
  // Not in this document's kind of browser.
  HTMLDialogElement.prototype.showModal = () => undefined;
});
afterEach(() => {
  dispose();
  place.remove();
  delete (HTMLDialogElement.prototype as Partial<HTMLDialogElement>).showModal;
});

test("a large picture that turns out to be none says so when it is opened", async () => {
  const picture = { type: "image", mimeType: "image/png", data: "AA==", uri: "file:///a.png" };
  fakeApi(() => Response.json({ text: "", attachments: [picture] }));
  const here = { chatId: "c1" } as Here;
  const cut = { ...picture, data: "", cut: true };
  dispose = render(() => <HereProvider value={here}><Attachments attachments={[cut]} cutAt={1} /></HereProvider>, place);
  place.querySelector<HTMLElement>(".thumb")!.click();
  await vi.waitUntil(() => place.querySelector("dialog img"));
  // As a browser does that cannot make a picture of it.
  for (const shown of place.querySelectorAll("img")) shown.dispatchEvent(new Event("error"));
  expect(place.querySelector("dialog [role=alert]")?.textContent).toBe("This picture cannot be shown.");
  expect(place.querySelector("dialog .picture-stage")?.children.length).toBe(1);
});
