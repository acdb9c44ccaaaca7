import { render } from "solid-js/web";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { fakeApi } from "../../api/fetch.fake";
import { draft } from "../../state";
import { fakeLarge } from "../../state/stored/indexedDb.fake";
import { Composer } from "./Composer";

const place = document.createElement("div");
const kept = draft("picker");
let sent: string[];
let dispose: () => void;

const field = () => place.querySelector("textarea")!;
const entries = () => [...place.querySelectorAll("[role=option] .picker-name")].map((one) => one.textContent);
const active = () => document.getElementById(field().getAttribute("aria-activedescendant") ?? "")?.querySelector(".picker-name")?.textContent;
const chips = () => [...place.querySelectorAll(".attached-one > .cut:first-of-type")].map((one) => one.textContent);

function type(text: string) {
  field().focus();
  field().value = text;
  field().setSelectionRange(text.length, text.length);
  field().dispatchEvent(new InputEvent("input", { bubbles: true }));
}

/** Whether the key was handled. */
function press(key: string): boolean {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  field().dispatchEvent(event);
  return event.defaultPrevented;
}

beforeEach(() => {
  localStorage.clear();
  fakeLarge();
  Element.prototype.scrollIntoView = () => undefined;
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  fakeApi(({ path }) => {
    if (path.startsWith("/api/skills?")) {
      const skills = ["deploy", "review-notes"].map((name) => ({ id: name, name, description: "", tags: [], always_active: false }));
      return Response.json({ skills });
    }
    if (path.startsWith("/api/skills/suggestions")) return Response.json({ skills: [] });
    return Response.json({});
  });
  document.body.append(place);
  sent = [];
  dispose = render(
    () => (
      <Composer
        draft={kept} placeholder="" isRunning={false} isStopping={false} commands={[{ name: "review" }]}
        about={{ workspace: "/w" }} onSend={(text) => sent.push(text)} onStop={() => undefined}
      />
    ),
    place,
  );
});

afterEach(() => {
  kept.clear();
  dispose();
  place.remove();
  delete (Element.prototype as Partial<Element>).scrollIntoView;
});

test("changes are chosen with the keys, leave their name in the text, and become a chip", async () => {
  type("fix @di");
  expect([active(), place.querySelector("[role=listbox]")!.id === field().getAttribute("aria-controls")]).toEqual(["Uncommitted changes", true]);
  expect(press("Enter")).toBe(true);
  await vi.waitUntil(() => chips().length === 1);
  expect([chips(), kept.text, sent, entries()]).toEqual([["Uncommitted changes"], "fix @diff ", [], []]);
  expect(kept.attachments).toEqual([{ type: "diff" }]);
  expect(document.activeElement).toBe(field());
  type("fix @diff again @diff");
  press("Tab");
  await vi.waitUntil(() => !kept.isReading);
  expect(kept.attachments).toEqual([{ type: "diff" }]);
});

test("Esc closes the list and keeps the words; typing on opens it again", () => {
  type("@d");
  expect(entries()).toEqual(["Uncommitted changes"]);
  expect(press("Escape")).toBe(true);
  expect([entries(), kept.text]).toEqual([[], "@d"]);
  expect(press("Escape")).toBe(false);
  expect(press("Enter")).toBe(true);
  expect(sent).toEqual(["@d"]);
  type("@di");
  expect(entries()).toEqual(["Uncommitted changes"]);
});

test("a mention of nothing is plain text that can be sent", () => {
  type("ask @nobody");
  press("Enter");
  expect(sent).toEqual(["ask @nobody"]);
});

test("a command is completed and then sent, a skill becomes a chip", async () => {
  type("/re");
  await vi.waitUntil(() => entries().length === 2);
  expect(entries()).toEqual(["/review", "review-notes"]);
  press("Tab");
  expect(kept.text).toBe("/review ");
  type("/review");
  press("Enter");
  expect(sent).toEqual(["/review"]);
  type("/dep");
  await vi.waitUntil(() => entries().length === 1);
  press("Enter");
  await vi.waitUntil(() => chips().length === 1);
  expect([chips(), kept.text, sent.length]).toEqual([["Skill: deploy"], "", 1]);
});

test("a screen reader hears how many entries there are", () => {
  const said = () => place.querySelector("[role=status]")?.textContent;
  expect(said()).toBe("");
  type("@d");
  expect(said()).toBe("1 result");
  press("Escape");
  expect(said()).toBe("");
});
