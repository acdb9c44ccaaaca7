import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createRoot } from "solid-js";

import type { QuestionBlock } from "../../state";
import { answerLine } from "./answerLine";
import { createArmed } from "./armed";
import { isSafe, labelBeside, lettersFor, wordsFor } from "./answers/letters";
import { hidesSomething, visibleText } from "./content/visibleText";

describe("what a question shows", () => {
  test("hides nothing", () => {
    expect(visibleText("ls\u202e; rm \u200b-rf\u001b[2K\u00ad")).toBe("ls⟨U+202E⟩; rm ⟨U+200B⟩-rf⟨U+001B⟩[2K⟨U+00AD⟩");
    expect(visibleText("a\r\nb")).toBe("a⟨U+000D⟩\nb");
    expect(visibleText("tag\u{e0041}")).toBe("tag⟨U+E0041⟩");
    expect(visibleText("half \ud83d")).toBe("half ⟨U+D83D⟩");
    expect(visibleText("a\u200db\ufe0f")).toBe("a⟨U+200D⟩b⟨U+FE0F⟩");
  });

  test("does not change ordinary text in any script", () => {
    for (const text of ["ls -la\n\tcd ..", "größer 日本語 עברית", "⚠️ 👩‍💻 👍🏽"]) expect(hidesSomething(text)).toBe(false);
  });
});

describe("letters", () => {
  const option = (kind: string, label: string) => ({ id: label, kind, label });

  test("are the same for the same kind of answer", () => {
    expect(lettersFor([option("allow_once", "Yes"), option("allow_always", "Always"), option("reject_once", "No")])).toEqual(["y", "a", "n"]);
  });

  test("are all different, never derived from a label, and not assigned to an unknown kind", () => {
    expect(lettersFor([option("allow_once", "Yes"), option("allow_once", "no"), option("reject_once", "No"), option("x", "y")])).toEqual(["y", "2", "n", ""]);
  });

  test("are shown with our own text, whatever the label says", () => {
    const question = { type: "permission" as const };
    expect(wordsFor(question, option("allow_always", "Reject"))).toBe("Always allow");
    expect(labelBeside(question, option("allow_always", "Reject"))).toBe("Reject");
    expect(labelBeside(question, option("allow_once", "Allow"))).toBe("");
    expect(labelBeside(question, option("allow_always", "Always allow in this chat"))).toBe("in this chat");
    expect(labelBeside(question, option("allow_always", "Always allowing nothing"))).toBe("Always allowing nothing");
    expect(wordsFor(question, option("reject_never", "Reject"))).toBe("Other answer");
    expect(isSafe(option("reject_never", "Reject"))).toBe(false);
    expect(wordsFor({ type: "confirm" }, option("trust", "Trust this folder"))).toBe("Trust this folder");
  });
});

describe("the line that remains of a question", () => {
  const at = new Date(2026, 0, 2, 14, 2).getTime() / 1000;
  const line = (answer: object, more: object = {}) =>
    answerLine({ type: "permission", options: [{ id: "o", label: "Yes", kind: "allow_once" }], answer: { at, ...answer }, ...more } as QuestionBlock, at);

  test.each([
    [{ outcome: "allow_once", by: "person", option_id: "o", where: "Phone" }, "Allowed once by you on Phone, 14:02"],
    [{ outcome: "allow_always", by: "person" }, "Always allowed by you, 14:02"],
    [{ outcome: "reject_once", by: "person", where: "Laptop" }, "Rejected by you on Laptop, 14:02"],
    [{ outcome: "allow_once", by: "rule" }, "Allowed once by one of your rules, 14:02"],
    [{ outcome: "allow_once", by: "auto" }, "Approved automatically, 14:02"],
    [{ outcome: "reject_once", by: "expired" }, "Expired without an answer, 14:02"],
    [{ outcome: "trust", by: "person", where: "Phone" }, "Trusted by you on Phone, 14:02"],
    [{ outcome: "start", by: "person" }, "Approved by you, 14:02"],
    [{ outcome: "cancelled", by: "cancelled" }, "Not answered: the turn was stopped, 14:02"],
    [{ outcome: "expired", by: "expired" }, "Not answered: the agent exited, 14:02"],
    [{ outcome: "decline", by: "person" }, "Declined by you, 14:02"],
  ])("%o", (answer, words) => {
    expect(line(answer)?.words).toBe(words);
  });

  test("shows the label for an answer of an unknown kind", () => {
    const options = [{ id: "o", label: "Later", kind: "postpone" }];
    expect(line({ outcome: "postpone", by: "person", option_id: "o" }, { options })?.words).toBe("“Later” chosen by you, 14:02");
  });

  test("does not exist before the answer", () => {
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

  test("accepts no answer in its first half second", () =>
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

  test("accepts none while the page is hidden, or immediately after it is visible again", () =>
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
