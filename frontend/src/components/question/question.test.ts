import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createRoot } from "solid-js";

import type { QuestionBlock } from "../../state";
import { answerLine } from "./answerLine";
import { createArmed } from "./armed";
import { lettersFor } from "./letters";
import { hidesSomething, visibleText } from "./visibleText";

describe("what a question shows", () => {
  test("hides nothing", () => {
    expect(visibleText("ls\u202e; rm \u200b-rf\u001b[2K\u00ad")).toBe("ls\\u{202e}; rm \\u{200b}-rf\\u{1b}[2K\\u{ad}");
    expect(visibleText("a\r\nb")).toBe("a\\u{d}\nb");
    expect(visibleText("tag\u{e0041}")).toBe("tag\\u{e0041}");
    expect(visibleText("half \ud83d")).toBe("half \\u{d83d}");
    expect(visibleText("a\u200db\ufe0f")).toBe("a\\u{200d}b\\u{fe0f}");
  });

  test("leaves ordinary text alone, in any script", () => {
    for (const text of ["ls -la\n\tcd ..", "größer 日本語 עברית", "⚠️ 👩‍💻 👍🏽"]) expect(hidesSomething(text)).toBe(false);
  });
});

describe("letters", () => {
  const option = (kind: string, label: string) => ({ id: label, kind, label });

  test("are the same for the same kind of answer", () => {
    expect(lettersFor([option("allow_once", "Yes"), option("allow_always", "Always"), option("reject_once", "No")])).toEqual(["y", "a", "n"]);
  });

  test("are all different", () => {
    const letters = lettersFor([option("allow_once", "Yes"), option("allow_once", "Yes, here"), option("x", ""), option("x", "!!")]);
    expect(new Set(letters).size).toBe(4);
    expect(letters.every((letter) => /^[a-z0-9]$/.test(letter))).toBe(true);
  });
});

describe("the line that is left of a question", () => {
  const at = new Date(2026, 0, 2, 14, 2).getTime() / 1000;
  const line = (answer: object, more: object = {}) =>
    answerLine({ type: "permission", options: [{ id: "o", label: "Yes", kind: "allow_once" }], answer: { at, ...answer }, ...more } as QuestionBlock, at);

  test.each([
    [{ outcome: "allow_once", by: "person", option_id: "o", where: "Phone" }, "Allowed once by you on Phone, 14:02"],
    [{ outcome: "allow_always", by: "person" }, "Always allowed by you, 14:02"],
    [{ outcome: "reject_once", by: "person", where: "Laptop" }, "Rejected by you on Laptop, 14:02"],
    [{ outcome: "allow_once", by: "rule" }, "Allowed once by a rule of yours, 14:02"],
    [{ outcome: "allow_once", by: "auto" }, "Approved automatically, 14:02"],
    [{ outcome: "reject_once", by: "expired" }, "Turned down after a while without an answer, 14:02"],
    [{ outcome: "trust", by: "person", where: "Phone" }, "Trusted by you on Phone, 14:02"],
    [{ outcome: "start", by: "person" }, "Agreed to by you, 14:02"],
    [{ outcome: "cancelled", by: "cancelled" }, "Not answered: the turn was stopped, 14:02"],
    [{ outcome: "expired", by: "expired" }, "Not answered: the agent was gone, 14:02"],
    [{ outcome: "decline", by: "person" }, "Declined by you, 14:02"],
  ])("%o", (answer, words) => {
    expect(line(answer)?.words).toBe(words);
  });

  test("names an answer of a kind we do not know by its label", () => {
    const options = [{ id: "o", label: "Later", kind: "postpone" }];
    expect(line({ outcome: "postpone", by: "person", option_id: "o" }, { options })?.words).toBe("Chose “Later” by you, 14:02");
  });

  test("is not there before the answer", () => {
    expect(answerLine({ type: "permission", options: [] } as unknown as QuestionBlock)).toBeNull();
  });
});

describe("a card", () => {
  let visibility: DocumentVisibilityState = "visible";
  const show = (state: DocumentVisibilityState) => {
    visibility = state;
    document.dispatchEvent(new Event("visibilitychange"));
  };
  beforeEach(() => {
    vi.useFakeTimers();
    visibility = "visible";
    vi.spyOn(document, "visibilityState", "get").mockImplementation(() => visibility);
  });
  afterEach(() => vi.useRealTimers());

  test("takes no answer in its first half second", () =>
    createRoot((dispose) => {
      const isArmed = createArmed();
      expect(isArmed()).toBe(false);
      vi.advanceTimersToNextFrame();
      vi.advanceTimersByTime(499);
      expect(isArmed()).toBe(false);
      vi.advanceTimersByTime(1);
      expect(isArmed()).toBe(true);
      dispose();
    }));

  test("takes none while the page is hidden, nor at once when it is seen again", () =>
    createRoot((dispose) => {
      visibility = "hidden";
      const isArmed = createArmed();
      vi.advanceTimersByTime(5000);
      expect(isArmed()).toBe(false);
      show("visible");
      expect(isArmed()).toBe(false);
      vi.advanceTimersToNextFrame();
      vi.advanceTimersByTime(500);
      expect(isArmed()).toBe(true);
      show("hidden");
      expect(isArmed()).toBe(false);
      dispose();
    }));
});
