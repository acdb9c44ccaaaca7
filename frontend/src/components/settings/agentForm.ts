// The form in which an agent is changed.
//
// Lives here: from an agent to the fields of the form, what is wrong with them, and the change they mean. Lives
// elsewhere: drawing it (AgentEditor.tsx), what the server makes of it (agents/editing.py).

import type { AgentChange, AgentInfo } from "../../state";

/** Stands for a secret the server has and does not show; sent back, it leaves the value as it is. */
export const MASK = "••••••••";

export interface Variable {
  readonly name: string;
  readonly value: string;
}

export interface AgentForm {
  readonly id: string;
  readonly display_name: string;
  readonly command: string;
  /** One argument to a line. */
  readonly args: string;
  readonly env: readonly Variable[];
  /** Names, parted by spaces or commas. */
  readonly pass_env: string;
  readonly tcp: string;
  readonly fs: boolean;
  readonly terminal: boolean;
}

export function formOf(agent: AgentInfo | undefined): AgentForm {
  return {
    id: agent?.id ?? "",
    display_name: agent?.display_name ?? "",
    command: agent?.command ?? "",
    args: (agent?.args ?? []).join("\n"),
    env: Object.entries(agent?.env ?? {}).map(([name, value]) => ({ name, value })),
    pass_env: (agent?.pass_env ?? []).join(" "),
    tcp: agent?.tcp ?? "",
    fs: agent?.fs ?? true,
    terminal: agent?.terminal ?? true,
  };
}

/** An agent of one's own that begins as this one is. */
export function copyOf(agent: AgentInfo, taken: readonly string[]): AgentForm {
  let number = 2;
  while (taken.includes(`${agent.id}-${number}`)) number += 1;
  return { ...formOf(agent), id: `${agent.id}-${number}`, display_name: `${agent.display_name} ${number}` };
}

export type Problems = { readonly [field: string]: string };

export function problemsOf(form: AgentForm, before: AgentInfo | undefined, taken: readonly string[]): Problems {
  const problems: Record<string, string> = {};
  const id = form.id.trim();
  if (!before && !id) problems["id"] = "Give it a short name.";
  else if (!before && !/^[a-z0-9][a-z0-9._-]*$/i.test(id)) problems["id"] = "Use letters, digits, dots, dashes and underscores.";
  else if (!before && taken.includes(id)) problems["id"] = "There is an agent of this name already.";
  if (!form.command.trim() && !form.tcp.trim()) problems["command"] = "Give a command, or an address to connect to.";
  const names = named(form).map((variable) => variable.name.trim());
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  const odd = names.find((name) => name.includes("="));
  if (twice !== undefined) problems["env"] = `${twice} is there twice.`;
  else if (odd !== undefined) problems["env"] = `${odd} cannot be a name.`;
  else if (form.env.some((variable) => !variable.name.trim() && variable.value)) problems["env"] = "A value has no name.";
  // Only the agent that has them knows what they stand for.
  const hidden = before ? undefined : form.env.find((variable) => variable.value === MASK);
  if (hidden !== undefined) problems["env"] = `${hidden.name} is hidden and not copied: give it anew.`;
  if (!before && form.args.includes(MASK)) problems["args"] = "What is hidden is not copied: give it anew.";
  return problems;
}

/** Only what differs, so that what the server's own list says later still counts. */
export function changeOf(form: AgentForm, before: AgentInfo | undefined): AgentChange {
  const wanted = {
    display_name: form.display_name.trim(),
    command: form.command.trim(),
    args: form.args.split("\n").map((line) => line.trim()).filter(Boolean),
    env: Object.fromEntries(named(form).map(({ name, value }) => [name.trim(), value])),
    pass_env: form.pass_env.split(/[\s,]+/).filter(Boolean),
    tcp: form.tcp.trim(),
    fs: form.fs,
    terminal: form.terminal,
  };
  const old = before ? wantedOf(before) : wantedOf(undefined);
  const differs = Object.entries(wanted).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name as keyof typeof wanted]),
  );
  return Object.fromEntries(differs) as AgentChange;
}

export function isSecret(variable: Variable): boolean {
  return variable.value === MASK || /key|token|secret|passw|credential|auth(?!or(?!i))|cookie|bearer/i.test(variable.name);
}

function wantedOf(agent: AgentInfo | undefined) {
  return {
    display_name: agent?.display_name ?? "",
    command: agent?.command ?? "",
    args: agent?.args ?? [],
    env: agent?.env ?? {},
    pass_env: agent?.pass_env ?? [],
    tcp: agent?.tcp ?? "",
    fs: agent?.fs ?? true,
    terminal: agent?.terminal ?? true,
  };
}

function named(form: AgentForm): Variable[] {
  return form.env.filter((variable) => variable.name.trim() !== "");
}
