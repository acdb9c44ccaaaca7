import { expect, test } from "vitest";

import type { QuestionBlock } from "../../../state";
import { commandsIn, signInOf } from "./signIn";

const QUESTION = {
  kind: "question",
  type: "sign-in",
  detail: {
    methods: [
      { id: "web", name: "With your browser", type: "agent" },
      { id: "tty", name: "In a terminal", type: "terminal", command: "agent login" },
      { id: "here", name: "Here", type: "terminal", command: "agent --login" },
      "odd",
    ],
    hint: "Run `agent login` in a terminal, or set `AGENT_KEY`.",
  },
  options: [
    { id: "method:web", label: "With your browser", kind: "sign_in" },
    { id: "terminal:here", label: "Here", kind: "sign_in" },
    { id: "done", label: "I have signed in", kind: "retry" },
    { id: "dismiss", label: "Not now", kind: "reject_once" },
  ],
} as unknown as QuestionBlock;

test("each method has a button or a command", () => {
  const { methods, others, reason } = signInOf(QUESTION);
  expect(methods.map((method) => [method.name, method.option, method.command])).toEqual([
    ["With your browser", "method:web", undefined],
    ["In a terminal", undefined, "agent login"],
    ["Here", "terminal:here", "agent --login"],
    ["", undefined, undefined],
  ]);
  expect(others.map((option) => option.id)).toEqual(["done", "dismiss"]);
  expect(reason).toBeUndefined();
});

test("commands in a hint are found between backquotes", () => {
  expect(commandsIn(String(QUESTION.detail["hint"]))).toEqual(["agent login", "AGENT_KEY"]);
  expect(commandsIn("Sign in on the web.")).toEqual([]);
});
