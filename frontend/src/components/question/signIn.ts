// What a sign-in question offers, read from what the server sent.

import type { QuestionBlock, QuestionOption } from "../../state";

export interface SignInMethod {
  readonly name: string;
  readonly description: string | undefined;
  /** What is run in a terminal: here, or by the person. */
  readonly command: string | undefined;
  /** The option that begins it, by the agent or in a terminal here; undefined when only the person can. */
  readonly option: string | undefined;
}

export interface SignIn {
  readonly methods: readonly SignInMethod[];
  readonly hint: string | undefined;
  /** Why it did not work the last time. */
  readonly reason: string | undefined;
  /** What else can be answered. */
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

/** The commands a sentence names between backquotes. */
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
    option: options.find((option) => option.kind === "sign_in" && [`method:${id}`, `terminal:${id}`].includes(option.id))?.id,
  };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
