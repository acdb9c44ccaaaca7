import { expect, test } from "vitest";

import type { AgentInfo } from "../../../state";
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
  sandbox: "off",
  sandbox_network: true,
  sandbox_writable: ["~/.copilot/"],
  sandbox_readable: [],
} as unknown as AgentInfo;

test("unchanged fields are not sent", () => {
  expect(changeOf(formOf(AGENT), AGENT)).toEqual({});
  const form = { ...formOf(AGENT), args: " --acp \n--stdio\n\n--model big" };
  expect(changeOf(form, AGENT)).toEqual({ args: ["--acp", "--stdio", "--model big"] });
});

test("a hidden secret is sent back hidden, and a new value as it is", () => {
  const form = formOf(AGENT);
  const more = { ...form, env: [...form.env, { name: "LEVEL", value: "2" }, { name: "", value: "" }] };
  expect(changeOf(more, AGENT)).toEqual({ env: { GH_TOKEN: MASK, COPILOT_MODEL: "small", LEVEL: "2" } });
  expect(changeOf({ ...form, env: [{ name: "GH_TOKEN", value: "new" }] }, AGENT)).toEqual({ env: { GH_TOKEN: "new" } });
});

test("a copy is another agent with everything except the secrets", () => {
  const copy = copyOf({ ...AGENT, args: ["--key", MASK] }, ["copilot", "copilot-2"]);
  expect(copy).toMatchObject({ id: "copilot-3", display_name: "GitHub Copilot 3", command: "copilot" });
  expect(problemsOf(copy, undefined, ["copilot", "copilot-2"])).toEqual({
    env: "GH_TOKEN is hidden and was not copied. Enter it again.",
    args: "Hidden values were not copied. Enter them again.",
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

test("secrets are recognised by the server's mask and by their names", () => {
  expect(isSecret({ name: "X", value: MASK })).toBe(true);
  expect(isSecret({ name: "OPENAI_API_KEY", value: "" })).toBe(true);
  expect(isSecret({ name: "GIT_AUTHOR_NAME", value: "Ada" })).toBe(false);
});

test("a problem is reported for its field", () => {
  const empty = formOf(undefined);
  expect(problemsOf(empty, undefined, [])).toEqual({ id: "Enter an ID.", command: "Enter a command, or an address to connect to." });
  expect(problemsOf({ ...empty, id: "a b", command: "x" }, undefined, [])).toHaveProperty("id");
  expect(problemsOf({ ...empty, id: "mine", tcp: "127.0.0.1:3000" }, undefined, ["mine"])).toEqual({ id: "An agent with this ID already exists." });
  const twice = { ...formOf(AGENT), env: [{ name: "A", value: "1" }, { name: "A", value: "2" }] };
  expect(problemsOf(twice, AGENT, ["copilot"])).toEqual({ env: "A is listed twice." });
  expect(problemsOf(formOf(AGENT), AGENT, ["copilot"])).toEqual({});
});

test("a sandbox is chosen with its files, but not for an agent with an address", () => {
  const form = { ...formOf(AGENT), sandbox: "standard" as const, sandbox_writable: "~/.copilot/\n ~/notes/ \n" };
  expect(changeOf(form, AGENT)).toEqual({ sandbox: "standard", sandbox_writable: ["~/.copilot/", "~/notes/"] });
  expect(problemsOf({ ...form, tcp: "127.0.0.1:3000" }, AGENT, [])).toHaveProperty("sandbox");
});
