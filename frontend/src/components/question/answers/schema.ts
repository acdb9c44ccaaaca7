// Forms an agent asks a person to fill in.
//
// Lives here: reading a flat JSON schema into fields, initial values, and validating entries.
// The server checks again (src/voxpilot/agents/requests/forms.py). Lives elsewhere: drawing the fields (FormFields.tsx).

import { keyOf } from "../../../state/named";

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

interface Common {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly required: boolean;
}

export type Field =
  | (Common & {
      readonly kind: "text";
      readonly format: string;
      readonly minLength?: number;
      readonly maxLength?: number;
      readonly pattern?: string;
      readonly initial: string;
    })
  | (Common & {
      readonly kind: "number";
      readonly whole: boolean;
      readonly minimum?: number;
      readonly maximum?: number;
      readonly initial: string;
    })
  | (Common & { readonly kind: "boolean"; readonly initial: boolean })
  | (Common & { readonly kind: "choice"; readonly choices: readonly Choice[]; readonly initial: string })
  | (Common & {
      readonly kind: "choices";
      readonly choices: readonly Choice[];
      readonly minItems?: number;
      readonly maxItems?: number;
      readonly initial: readonly string[];
    });

/** An entry before validation. */
export type Entered = string | boolean | readonly string[];
/** By the key of the field's name. */
export type Entries = Readonly<Record<string, Entered>>;
export type Content = Record<string, string | number | boolean | string[]>;
type Json = Record<string, unknown>;

export function fieldsOf(schema: unknown): Field[] {
  const { properties, required } = object(schema);
  const needed = new Set(Array.isArray(required) ? required.map(String) : []);
  return Object.entries(object(properties)).map(([name, property]) => fieldOf(name, object(property), needed.has(name)));
}

export function initialEntries(fields: readonly Field[]): Entries {
  return Object.fromEntries(fields.map((field) => [keyOf(field.name), field.initial]));
}

/** Problems by the key of the field's name; empty if all entries are valid. */
export function problemsOf(fields: readonly Field[], entries: Entries): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const field of fields) {
    const problem = problemOf(field, entries[keyOf(field.name)] ?? field.initial);
    if (problem) problems[keyOf(field.name)] = problem;
  }
  return problems;
}

/** The answer as it is sent, without empty optional fields. */
export function contentOf(fields: readonly Field[], entries: Entries): Content {
  const content: [string, Content[string]][] = [];
  for (const field of fields) {
    const entered = entries[keyOf(field.name)] ?? field.initial;
    if (typeof entered === "boolean") content.push([field.name, entered]);
    else if (typeof entered === "string") {
      if (entered !== "") content.push([field.name, field.kind === "number" ? Number(entered) : entered]);
    } else if (entered.length > 0 || field.required) content.push([field.name, [...entered]]);
  }
  // Not by assignment, which treats `__proto__` specially.
  return Object.fromEntries(content);
}

function fieldOf(name: string, property: Json, required: boolean): Field {
  const common = { name, label: text(property.title) || name, description: text(property.description), required };
  switch (property.type) {
    case "boolean":
      return { ...common, kind: "boolean", initial: property.default === true };
    case "number":
    case "integer":
      return {
        ...common,
        kind: "number",
        whole: property.type === "integer",
        ...numbers(property, "minimum", "maximum"),
        initial: typeof property.default === "number" ? String(property.default) : "",
      };
    case "array":
      return {
        ...common,
        kind: "choices",
        choices: choicesOf(object(property.items)),
        ...numbers(property, "minItems", "maxItems"),
        initial: Array.isArray(property.default) ? property.default.map(String) : [],
      };
  }
  const choices = choicesOf(property);
  const initial = text(property.default);
  if (choices.length > 0) return { ...common, kind: "choice", choices, initial };
  return {
    ...common,
    kind: "text",
    format: text(property.format),
    ...numbers(property, "minLength", "maxLength"),
    ...(typeof property.pattern === "string" ? { pattern: property.pattern } : {}),
    initial,
  };
}

function choicesOf(property: Json): Choice[] {
  const plain = list(property.enum).map((value) => ({ value: String(value), label: String(value) }));
  const named = [...list(property.oneOf), ...list(property.anyOf)].map(object).filter((one) => "const" in one);
  return [
    ...plain,
    ...named.map((one) => ({
      value: String(one.const),
      label: text(one.title) || String(one.const),
      ...(text(one.description) ? { description: text(one.description) } : {}),
    })),
  ];
}

function problemOf(field: Field, entered: Entered): string | null {
  switch (field.kind) {
    case "boolean":
      return null;
    case "choices":
      return problemOfList(field, Array.isArray(entered) ? entered : []);
    case "choice":
      if (entered === "") return field.required ? "Choose one." : null;
      return field.choices.some((choice) => choice.value === entered) ? null : "Choose one of the options.";
    case "number":
      return problemOfNumber(field, String(entered).trim());
    case "text":
      return problemOfText(field, String(entered));
  }
}

function problemOfList(field: Extract<Field, { kind: "choices" }>, chosen: readonly string[]): string | null {
  if (chosen.length === 0 && !field.required) return null;
  if (chosen.length === 0) return "Choose at least one.";
  if (field.minItems !== undefined && chosen.length < field.minItems) return `Choose at least ${field.minItems}.`;
  if (field.maxItems !== undefined && chosen.length > field.maxItems) return `Choose at most ${field.maxItems}.`;
  return null;
}

function problemOfNumber(field: Extract<Field, { kind: "number" }>, entered: string): string | null {
  if (entered === "") return field.required ? "Required." : null;
  const number = Number(entered);
  if (!Number.isFinite(number)) return "Enter a number.";
  if (field.whole && !Number.isInteger(number)) return "Enter a whole number.";
  if (field.minimum !== undefined && number < field.minimum) return `Must be at least ${field.minimum}.`;
  if (field.maximum !== undefined && number > field.maximum) return `Must be at most ${field.maximum}.`;
  return null;
}

function problemOfText(field: Extract<Field, { kind: "text" }>, entered: string): string | null {
  if (entered === "") return field.required ? "Required." : null;
  const length = [...entered].length;
  if (field.minLength !== undefined && length < field.minLength) return `Enter at least ${field.minLength} characters.`;
  if (field.maxLength !== undefined && length > field.maxLength) return `Enter at most ${field.maxLength} characters.`;
  if (field.format === "email" && !/^[^@\s]+@[^@\s]+$/.test(entered)) return "Enter an email address.";
  if (field.format === "uri" && !URL.canParse(entered)) return "Enter a full address, like https://example.com.";
  if (field.pattern !== undefined && !fits(field.pattern, entered)) return "Does not match the expected format.";
  return null;
}

/**
 * An agent's pattern may be invalid, or take forever; then the agent must check the value itself. Without groups and with
 * few repetitions, matching a short text is fast.
 */
function fits(pattern: string, entered: string): boolean {
  const repetitions = pattern.match(/[*+{]/g)?.length ?? 0;
  if (pattern.length > 200 || entered.length > 200 || repetitions > 2 || /[(|]|\\[1-9k]/.test(pattern)) return true;
  try {
    return new RegExp(pattern, "u").test(entered);
  } catch {
    return true;
  }
}

function object(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function numbers<Name extends string>(property: Json, ...names: Name[]): Partial<Record<Name, number>> {
  return Object.fromEntries(
    names.filter((name) => typeof property[name] === "number").map((name) => [name, property[name]]),
  ) as Partial<Record<Name, number>>;
}
