import { render } from "solid-js/web";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { fakeApi, refusing } from "../../api/fetch.fake";
import { draft } from "../../state";
import { fakeLarge } from "../../state/stored/indexedDb.fake";
import { Composer } from "./Composer";

const place = document.createElement("div");
const kept = draft("picker");
let sent: string[];
let dispose: () => void;
let files: string[];
let isBroken: boolean;

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
  files = ["src/app.py", "src/apple", "docs/app.md"];
  isBroken = false;
  fakeApi(({ path }) => {
    if (isBroken) return refusing(404, "not-found", "This folder does not exist.");
    if (path.startsWith("/api/skills?")) {
      const skills = ["deploy", "review-notes"].map((name) => ({ id: name, name, description: "", tags: [], always_active: false }));
      return Response.json({ skills });
    }
    if (path.startsWith("/api/skills/suggestions")) return Response.json({ skills: [] });
    const found = files.map((one) => ({ path: one, folder: !one.includes("."), changed: false, recent: false }));
    return Response.json({ files: found, total: found.length, is_complete: true });
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

test("a file is chosen with the keys, leaves its name in the text, and becomes a chip", async () => {
  type("fix @app:3-9");
  await vi.waitUntil(() => entries().length === 3);
  expect([active(), place.querySelector("[role=listbox]")!.id === field().getAttribute("aria-controls")]).toEqual(["app.py:3-9", true]);
  press("ArrowDown");
  expect(active()).toBe("apple/");
  press("ArrowUp");
  expect(press("Enter")).toBe(true);
  await vi.waitUntil(() => chips().length === 1);
  expect([chips(), kept.text, sent, entries()]).toEqual([["app.py:3-9"], "fix @src/app.py:3-9 ", [], []]);
  expect(kept.attachments).toEqual([{ type: "file", path: "src/app.py", lines: [3, 9] }]);
  expect(document.activeElement).toBe(field());
});

test("the same file is attached once, with the last lines", async () => {
  for (const text of ["@app", "@app:7"]) {
    type(text);
    await vi.waitUntil(() => entries().length === 3 && active()?.endsWith(text.slice(4)));
    press("Tab");
    await vi.waitUntil(() => !kept.isReading && kept.attachments.length === 1);
  }
  expect(kept.attachments).toEqual([{ type: "file", path: "src/app.py", lines: [7, 7] }]);
});

test("Esc closes the list and keeps the words; typing on opens it again", async () => {
  type("@ap");
  await vi.waitUntil(() => entries().length === 3);
  expect(press("Escape")).toBe(true);
  expect([entries(), kept.text]).toEqual([[], "@ap"]);
  expect(press("Escape")).toBe(false);
  expect(press("Enter")).toBe(true);
  expect(sent).toEqual(["@ap"]);
  type("@app");
  await vi.waitUntil(() => entries().length === 3);
});

test("Enter waits for a search that is on its way", async () => {
  type("fix @app");
  expect(press("Enter")).toBe(true);
  expect(sent).toEqual([]);
  await vi.waitUntil(() => entries().length === 3);
  press("Enter");
  await vi.waitUntil(() => chips().length === 1);
});

test("a mention of nothing is plain text that can be sent", async () => {
  files = [];
  type("ask @nobody");
  await vi.waitUntil(() => place.querySelector(".picker-state")?.textContent === "Nothing matches “nobody”.");
  press("Enter");
  expect(sent).toEqual(["ask @nobody"]);
});

test("a search that fails says so, and does not keep the message from being sent", async () => {
  isBroken = true;
  type("ask @app");
  await vi.waitUntil(() => place.querySelector("[role=alert]"));
  expect(place.querySelector("[role=alert]")!.textContent).toContain("This folder does not exist.");
  press("Enter");
  expect(sent).toEqual(["ask @app"]);
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

test("a screen reader hears how many entries there are", async () => {
  const said = () => place.querySelector("[role=status]")?.textContent;
  expect(said()).toBe("");
  type("@app");
  await vi.waitUntil(() => said() === "3 results");
  press("Escape");
  expect(said()).toBe("");
});
