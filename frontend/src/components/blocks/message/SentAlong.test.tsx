import { render } from "solid-js/web";
import { afterEach, beforeEach, expect, test } from "vitest";

import type { SentContext } from "../../../state";
import { ChatContextProvider, type ChatContext } from "../../conversation/chatContext";
import { SentAlong } from "./SentAlong";

const place = document.createElement("div");
let dispose: () => void;

beforeEach(() => document.body.append(place));
afterEach(() => {
  dispose();
  place.remove();
});

function shown(sent: Partial<SentContext>) {
  const whole = { indexed: 0, skills: [], instructions: [], files: [], left_out: [], ...sent };
  dispose = render(() => <ChatContextProvider value={{ chatId: "c" } as ChatContext}><SentAlong id="m" sent={whole} /></ChatContextProvider>, place);
  return place.textContent;
}

test("the line opens to everything that was sent, and what was not and why", () => {
  const line = shown({
    files: [{ path: "src/<b>.py", how: "embedded", bytes: 1430, lines: [10, 20] }],
    instructions: ["personal", "AGENTS.md"],
    left_out: [{ what: "big\u202e.csv", why: "larger than 15 MB" }],
  });
  expect(line).toBe("Sent with 1 file, instructions · 1 left out");
  const fold = place.querySelector("details")!;
  fold.open = true;
  fold.dispatchEvent(new Event("toggle"));
  const words = place.querySelector("dl")!.textContent;
  for (const part of ["src/<b>.py:10-20", "whole content, 1.4 kB", "Your own instructions", "AGENTS.md", "big⟨U+202E⟩.csv", "larger than 15 MB"]) expect(words).toContain(part);
  fold.open = false;
  fold.dispatchEvent(new Event("toggle"));
});

test("nothing is said if nothing was sent", () => {
  expect(shown({})).toBe("");
});
