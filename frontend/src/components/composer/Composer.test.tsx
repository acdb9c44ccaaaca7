import { render } from "solid-js/web";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { draft } from "../../state";
import { fakeLarge } from "../../state/stored/indexedDb.fake";
import { Composer } from "./Composer";

const place = document.createElement("div");
let sent: string[];
let dispose: () => void;

beforeEach(() => {
  localStorage.clear();
  fakeLarge();
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  document.body.append(place);
  sent = [];
  const kept = draft("composer");
  dispose = render(
    () => (
      <Composer draft={kept} placeholder="" isRunning={false} isStopping={false} onSend={(text) => sent.push(text)} onStop={() => undefined} />
    ),
    place,
  );
});

afterEach(() => {
  draft("composer").clear();
  dispose();
  place.remove();
});

test("nothing is sent while an attachment is still being read", async () => {
  const enter = () =>
    place.querySelector("textarea")!.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  const picker = place.querySelector<HTMLInputElement>("input[type=file]")!;
  let read: (bytes: ArrayBuffer) => void = () => undefined;
  const slow = { name: "a.bin", type: "", size: 3, arrayBuffer: () => new Promise<ArrayBuffer>((resolve) => (read = resolve)) };
  draft("composer").set("look");
  Object.defineProperty(picker, "files", { configurable: true, value: [slow] });
  Object.defineProperty(picker, "value", { configurable: true, value: "", writable: true });
  picker.dispatchEvent(new Event("change"));
  enter();
  read(new ArrayBuffer(3));
  enter();
  expect(sent).toEqual([]);
  await vi.waitUntil(() => draft("composer").attachments.length === 1);
  await vi.waitUntil(() => !place.querySelector<HTMLButtonElement>("[data-testid=composer-send]")!.disabled);
  enter();
  expect(sent).toEqual(["look"]);
});
