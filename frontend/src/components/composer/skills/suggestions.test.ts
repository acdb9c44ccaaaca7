import { createRoot, createSignal } from "solid-js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { createSuggestions, type Suggestions } from "./suggestions";

const found = (...ids: string[]) => ids.map((id) => ({ id, name: id, why: [`matches “${id}”`] }));
let asked: { text: string; answer: (...ids: string[]) => Promise<void> }[];
let made: Suggestions;
let setText: (text: string) => void;
let setChosen: (ids: ReadonlySet<string>) => void;
let dispose: () => void;
const shown = () => made.list().map(({ id }) => id);

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  createRoot((end) => {
    dispose = end;
    const [text, set] = createSignal("");
    const [chosen, choose] = createSignal<ReadonlySet<string>>(new Set());
    setText = set;
    setChosen = choose;
    const suggest = (_workspace: string, words: string) =>
      new Promise<ReturnType<typeof found>>((resolve) => {
        const answer = async (...ids: string[]) => {
          resolve(found(...ids));
          await vi.advanceTimersByTimeAsync(0);
        };
        asked.push({ text: words, answer });
      });
    made = createSuggestions({ workspace: () => "/w", text, chosen }, suggest);
  });
});

afterEach(() => {
  dispose();
  vi.useRealTimers();
});

test("the server is asked once per pause, and not about a few letters or a command", () => {
  for (const text of ["dep", "/deploy it now", "deploy th", "deploy the", "deploy the shop"]) setText(text);
  vi.advanceTimersByTime(1000);
  expect(asked.map(({ text }) => text)).toEqual(["deploy the shop"]);
});

test("what was dismissed or chosen is not suggested again for this message", async () => {
  setText("deploy the shop");
  vi.advanceTimersByTime(1000);
  await asked[0]!.answer("deploy", "shop", "ship");
  expect(shown()).toEqual(["deploy", "shop", "ship"]);
  made.dismiss("shop");
  setChosen(new Set(["ship"]));
  expect(shown()).toEqual(["deploy"]);
  setText("deploy the shop today");
  vi.advanceTimersByTime(1000);
  await asked[1]!.answer("shop");
  expect(shown()).toEqual([]);
  setText("");
  setText("deploy the shop");
  vi.advanceTimersByTime(1000);
  await asked[2]!.answer("shop");
  expect(shown()).toEqual(["shop"]);
});

test("an answer about earlier words is ignored, and the last suggestions stay until the next ones", async () => {
  setText("deploy the shop");
  vi.advanceTimersByTime(1000);
  setText("deploy the shop and the docs");
  await asked[0]!.answer("shop");
  expect(shown()).toEqual([]);
  vi.advanceTimersByTime(1000);
  await asked[1]!.answer("docs");
  setText("deploy the shop and the docs!");
  expect(shown()).toEqual(["docs"]);
  setText("");
  expect(shown()).toEqual([]);
});
