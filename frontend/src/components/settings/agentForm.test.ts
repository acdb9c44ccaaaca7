import { expect, test } from "vitest";

import type { AgentInfo } from "../../state";
import { changeOf, copyOf, formOf, isSecret, MASK, problemsOf } from "./agentForm";

const AGENT = {
  id: "copilot",
  display_name: "GitHub Copilot",
  command: "copilot",
  args: ["--acp", "--stdio"],
  env: { GH_TOKEN: MASK, COPILOT_MODEL: "small" },
  pass_env: ["HOME"],
  tcp: "",
  fs: true,
  terminal: true,
} as unknown as AgentInfo;

test("what is not touched is not sent", () => {
  expect(changeOf(formOf(AGENT), AGENT)).toEqual({});
  const form = { ...formOf(AGENT), args: " --acp \n--stdio\n\n--model big" };
  expect(changeOf(form, AGENT)).toEqual({ args: ["--acp", "--stdio", "--model big"] });
});

test("a hidden secret goes back hidden, and a new value goes as it is", () => {
  const form = formOf(AGENT);
  const more = { ...form, env: [...form.env, { name: "LEVEL", value: "2" }, { name: "", value: "" }] };
  expect(changeOf(more, AGENT)).toEqual({ env: { GH_TOKEN: MASK, COPILOT_MODEL: "small", LEVEL: "2" } });
  expect(changeOf({ ...form, env: [{ name: "GH_TOKEN", value: "new" }] }, AGENT)).toEqual({ env: { GH_TOKEN: "new" } });
});

test("a copy is another agent with all but the secrets, which only the first one has", () => {
  const copy = copyOf({ ...AGENT, args: ["--key", MASK] }, ["copilot", "copilot-2"]);
  expect(copy).toMatchObject({ id: "copilot-3", display_name: "GitHub Copilot 3", command: "copilot" });
  expect(problemsOf(copy, undefined, ["copilot", "copilot-2"])).toEqual({
    env: "GH_TOKEN is hidden and not copied: give it anew.",
    args: "What is hidden is not copied: give it anew.",
  });
  const whole = { ...copy, args: "--key\nmine", env: [{ name: "GH_TOKEN", value: "mine" }] };
  expect(problemsOf(whole, undefined, ["copilot", "copilot-2"])).toEqual({});
  expect(changeOf(whole, undefined)).toMatchObject({
    command: "copilot",
    args: ["--key", "mine"],
    env: { GH_TOKEN: "mine" },
    pass_env: ["HOME"],
  });
  expect(problemsOf(formOf(AGENT), AGENT, ["copilot"])).toEqual({});
});

test("secrets are known by what the server hides and by their names", () => {
  expect(isSecret({ name: "X", value: MASK })).toBe(true);
  expect(isSecret({ name: "OPENAI_API_KEY", value: "" })).toBe(true);
  expect(isSecret({ name: "GIT_AUTHOR_NAME", value: "Ada" })).toBe(false);
});

test("what is wrong is said of the field it is in", () => {
  const empty = formOf(undefined);
  expect(problemsOf(empty, undefined, [])).toEqual({ id: "Give it a short name.", command: "Give a command, or an address to connect to." });
  expect(problemsOf({ ...empty, id: "a b", command: "x" }, undefined, [])).toHaveProperty("id");
  expect(problemsOf({ ...empty, id: "mine", tcp: "127.0.0.1:3000" }, undefined, ["mine"])).toEqual({ id: "There is an agent of this name already." });
  const twice = { ...formOf(AGENT), env: [{ name: "A", value: "1" }, { name: "A", value: "2" }] };
  expect(problemsOf(twice, AGENT, ["copilot"])).toEqual({ env: "A is there twice." });
  expect(problemsOf(formOf(AGENT), AGENT, ["copilot"])).toEqual({});
});
