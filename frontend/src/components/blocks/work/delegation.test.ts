import { describe, expect, test } from "vitest";

import type { Block, ToolBlock } from "../../../state";
import { applyEvent, emptyChat } from "../../../state/chats/applyEvent";
import { rowsOf } from "../../conversation/rows";
import { labels } from "../labels";
import { stopReason } from "../stopReasons";
import { continueWords, delegationOf, isDelegation, isRecovered, shortName } from "./delegation";
import golden from "../../../../../tests/golden/delegated.json";

const CALL: ToolBlock = {
  kind: "tool", pos: 6, at: 100, turn: "t1", id: "c1", title: "copilot_agent", name: "copilot_agent", tool_kind: "other",
  status: "in_progress", input: { prompt: "fix", session_name: "bug", agent: "scripted" }, locations: [], content: [],
};
const inside = (fields: object): Block => ({ pos: 7, at: 101, turn: "t1", tool_call_id: "c1", ...fields }) as Block;
const says = (text: string) => inside({ kind: "text", message_id: text, text });

describe("delegated work (R180)", () => {
  test("shows the text, the session and that it is running", () => {
    const work = delegationOf(CALL, [says("On "), inside({ kind: "thought", message_id: "t", text: "hm" }), says("it.")]);
    expect(work.copilotStream).toBe("On it.");
    expect(work.copilotDone).toBe(false);
    expect(work.copilotSessionName).toBe("bug");
    expect(work.agent).toBe("scripted");
    expect(work.end).toBe("");
  });

  test.each([
    ["end_turn", "completed", "done"],
    ["max_tokens", "completed", "stopped at the length limit"],
    ["max_turn_requests", "completed", "stopped after too many steps"],
    ["refusal", "completed", "refused"],
    ["cancelled", "failed", "stopped"],
    ["interrupted", "failed", "interrupted"],
    ["error", "failed", "failed"],
    ["something_new", "completed", "Ended: something new"],
  ])("%s is shown as %s (R38)", (stop_reason, status, end) => {
    const done = { ...CALL, status, delegated: { session_name: "bug", agent: "a", summary: "", stop_reason } };
    expect(delegationOf(done, []).end).toBe(end);
  });

  test("every stop reason has its own words, in turns and in delegated work (R38)", () => {
    const reasons = Object.keys(labels.stopReasons);
    expect(reasons).toEqual(expect.arrayContaining(["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]));
    expect(Object.keys(labels.delegationEnds).toSorted()).toEqual(reasons.toSorted());
    for (const words of [labels.stopReasons, labels.delegationEnds]) expect(new Set(Object.values(words)).size).toBe(reasons.length);
    expect(reasons.map(stopReason)).toEqual(Object.values(labels.stopReasons));
    expect(stopReason("something_new")).toBe("Ended: something new");
  });

  test("Continue names the sessions that were cut off in the last turn (C16)", () => {
    const ended = (turn: string) => ({ kind: "turn", pos: 9, at: 1, since: 0, turn, stop_reason: "interrupted" }) as Block;
    const cut = { ...CALL, delegated: { session_name: "bug", agent: "claude", summary: "", stop_reason: "interrupted" } };
    const done = { ...CALL, id: "c2", delegated: { session_name: "docs", agent: "claude", summary: "", stop_reason: "end_turn" } };
    expect(continueWords([cut, done, ended("t1")])).toBe("Continue the interrupted work in session “bug” of claude.");
    expect(continueWords([cut, done, ended("t1"), ended("t2")])).toBe("Continue.");
    expect(continueWords([])).toBe("Continue.");
  });

  test("work that failed before the agent sent anything has ended too", () => {
    expect(delegationOf({ ...CALL, status: "failed" }, [])).toMatchObject({ copilotDone: true, end: "failed" });
  });

  test("waits for a person while a question inside it is open", () => {
    const asked = inside({ kind: "question", id: "q" });
    expect(delegationOf(CALL, [asked]).waits).toBe(true);
    expect(delegationOf(CALL, [{ ...asked, answer: { by: "person" } } as Block]).waits).toBe(false);
    expect(delegationOf({ ...CALL, status: "completed" }, [asked]).waits).toBe(false);
  });

  test("is recovered if the page or the server started after it", () => {
    expect(isRecovered(CALL, undefined, 99)).toBe(false);
    expect(isRecovered(CALL, undefined, 101)).toBe(true);
    expect(isRecovered(CALL, 9, 99)).toBe(true);
    expect(isRecovered(CALL, 5, 99)).toBe(false);
  });

  test("Copilot has a short name, other agents their own", () => {
    expect(shortName("copilot", "GitHub Copilot")).toBe("Copilot");
    expect(shortName("claude", "Claude Code")).toBe("Claude Code");
  });

  test("the blocks of one call become one row with the agent's work inside (R52)", () => {
    const chat = emptyChat("c");
    for (const [kind, body] of golden.events as [string, object][]) applyEvent(chat, kind, body);
    const row = rowsOf(chat.blocks).find((one) => one.kind === "delegated");
    expect(row?.kind === "delegated" && delegationOf(row.block, row.inner)).toMatchObject({
      copilotStream: "On it.",
      copilotDone: true,
      copilotSessionName: "bug",
      agent: "scripted",
      end: "done",
    });
    expect(row?.kind === "delegated" && row.inner.map((one) => one.kind)).toEqual(["text", "tool"]);
  });

  test("a call without output already has its own row; an agent's own tool with that name does not", () => {
    expect(rowsOf([CALL], "t1").map((row) => row.kind)).toEqual(["delegated"]);
    expect(isDelegation({ ...CALL, tool_call_id: "c0" })).toBe(false);
  });
});
