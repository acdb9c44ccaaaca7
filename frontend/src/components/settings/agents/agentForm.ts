// The form of the agent editor.
//
// Lives here: from an agent to form fields, validating them, and the resulting change. Lives
// elsewhere: drawing it (AgentEditor.tsx), applying it (settings/agent_editing.py).

import type { AgentChange, AgentInfo } from "../../../state";
import { labels } from "../labels";

/** Stands for a secret that the server does not show; sending it back keeps the value. */
export const MASK = "••••••••";

export type Sandbox = AgentInfo["sandbox"];

export interface Variable {
  readonly name: string;
  readonly value: string;
}

export interface AgentForm {
  readonly id: string;
  readonly display_name: string;
  readonly command: string;
  /** One argument per line. */
  readonly args: string;
  readonly env: readonly Variable[];
  /** Names, separated by spaces or commas. */
  readonly pass_env: string;
  readonly tcp: string;
  readonly fs: boolean;
  readonly terminal: boolean;
  readonly sandbox: Sandbox;
  readonly sandbox_network: boolean;
  /** One path per line. */
  readonly sandbox_writable: string;
  readonly sandbox_readable: string;
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
    sandbox: agent?.sandbox ?? "off",
    sandbox_network: agent?.sandbox_network ?? true,
    sandbox_writable: (agent?.sandbox_writable ?? []).join("\n"),
    sandbox_readable: (agent?.sandbox_readable ?? []).join("\n"),
  };
}

/** A custom agent that starts as a copy of this one. */
export function copyOf(agent: AgentInfo, taken: readonly string[]): AgentForm {
  let number = 2;
  while (taken.includes(`${agent.id}-${number}`)) number += 1;
  return { ...formOf(agent), id: `${agent.id}-${number}`, display_name: `${agent.display_name} ${number}` };
}

export type Problems = { readonly [field: string]: string };

export function problemsOf(form: AgentForm, before: AgentInfo | undefined, taken: readonly string[]): Problems {
  const problems: Record<string, string> = {};
  const id = form.id.trim();
  if (!before && !id) problems["id"] = labels.editorProblems.noId;
  else if (!before && !/^[a-z0-9][a-z0-9._-]*$/i.test(id)) problems["id"] = labels.editorProblems.badId;
  else if (!before && taken.includes(id)) problems["id"] = labels.editorProblems.takenId;
  if (!form.command.trim() && !form.tcp.trim()) problems["command"] = labels.editorProblems.noCommand;
  if (form.tcp.trim() && form.sandbox !== "off") problems["sandbox"] = labels.editorProblems.tcpSandbox;
  const names = named(form).map((variable) => variable.name.trim());
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  const odd = names.find((name) => name.includes("="));
  if (twice !== undefined) problems["env"] = labels.editorProblems.duplicateVariable(twice);
  else if (odd !== undefined) problems["env"] = labels.editorProblems.badVariable(odd);
  else if (form.env.some((variable) => !variable.name.trim() && variable.value)) problems["env"] = labels.editorProblems.unnamedVariable;
  // A hidden value belongs to the agent that has it.
  const hidden = before ? undefined : form.env.find((variable) => variable.value === MASK);
  if (hidden !== undefined) problems["env"] = labels.editorProblems.hiddenVariable(hidden.name);
  if (!before && form.args.includes(MASK)) problems["args"] = labels.editorProblems.hiddenArgument;
  return problems;
}

/** Only the differences, so that later changes to the server's defaults still apply. */
export function changeOf(form: AgentForm, before: AgentInfo | undefined): AgentChange {
  const wanted = {
    display_name: form.display_name.trim(),
    command: form.command.trim(),
    args: linesOf(form.args),
    env: Object.fromEntries(named(form).map(({ name, value }) => [name.trim(), value])),
    pass_env: form.pass_env.split(/[\s,]+/).filter(Boolean),
    tcp: form.tcp.trim(),
    fs: form.fs,
    terminal: form.terminal,
    sandbox: form.sandbox,
    sandbox_network: form.sandbox_network,
    sandbox_writable: linesOf(form.sandbox_writable),
    sandbox_readable: linesOf(form.sandbox_readable),
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
    sandbox: agent?.sandbox ?? "off",
    sandbox_network: agent?.sandbox_network ?? true,
    sandbox_writable: agent?.sandbox_writable ?? [],
    sandbox_readable: agent?.sandbox_readable ?? [],
  };
}

function linesOf(text: string): string[] {
  return text.split("\n").map((line) => line.trim()).filter(Boolean);
}

function named(form: AgentForm): Variable[] {
  return form.env.filter((variable) => variable.name.trim() !== "");
}
