// Reading a sign-in question.

import type { QuestionBlock, QuestionOption } from "../../../state";

export interface SignInMethod {
  readonly name: string;
  readonly description: string | undefined;
  /** The command to run in a terminal, here or by the person. */
  readonly command: string | undefined;
  /** The command's environment variables with their values. */
  readonly env: readonly (readonly [string, string])[];
  /** The option that starts it, by the agent or in a terminal here; undefined if only the person can. */
  readonly option: string | undefined;
}

export interface SignIn {
  readonly methods: readonly SignInMethod[];
  readonly hint: string | undefined;
  /** Why the last attempt failed. */
  readonly reason: string | undefined;
  /** The other options. */
  readonly others: QuestionOption[];
}

export function signInOf(question: QuestionBlock): SignIn {
  const { methods, hint, reason } = question.detail;
  const options = question.options;
  return {
    methods: (Array.isArray(methods) ? methods : []).map((method) => methodOf(method, options)),
    hint: text(hint),
    reason: text(reason),
    others: options.filter((option) => option.kind !== "sign_in"),
  };
}

/** The commands in backquotes in a sentence. */
export function commandsIn(hint: string): string[] {
  return [...hint.matchAll(/`([^`]+)`/g)].map((found) => found[1]!);
}

function methodOf(given: unknown, options: readonly QuestionOption[]): SignInMethod {
  const method = typeof given === "object" && given !== null ? (given as Record<string, unknown>) : {};
  const id = text(method["id"]) ?? "";
  return {
    name: text(method["name"]) ?? id,
    description: text(method["description"]),
    command: text(method["command"]),
    env: Object.entries(typeof method["env"] === "object" ? (method["env"] ?? {}) : {}).map(([name, value]) => [name, String(value)] as const),
    option: options.find((option) => option.kind === "sign_in" && [`method:${id}`, `terminal:${id}`].includes(option.id))?.id,
  };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
