// Everything a person approves by answering a question, as a list of what must be in view.
//
// Lives here: reading a question's detail, so that everything an agent sent is shown once. Lives
// elsewhere: drawing it (WhatWillHappen.tsx), the characters themselves (exact.ts).
import type { DiffContent, Json, QuestionBlock, QuestionDetail, ToolContent } from "../../../state";
import { CONTEXT, hunksOf } from "../../diff/lines";
import { commandIn, diffOf, diffsOf, isPart, textOf } from "../../tool/toolLabels";
import { labels } from "../labels";

export interface Shown {
  readonly label: string;
  readonly text: string;
  /** A command, path or similar, in which every character must be what it seems. */
  readonly isStrict: boolean;
}

export interface WillHappen {
  readonly command: Shown | null;
  /** All other fields of the input and of the request. */
  readonly fields: readonly Shown[];
  readonly texts: readonly Shown[];
  readonly diffs: readonly DiffContent[];
  readonly places: readonly Shown[];
}

/** Longer values are prose or files, where other alphabets are normal. */
const LONGEST_STRICT = 1000;
/** Field names that agents use for the path and texts of a change; under other names the same text may mean something else. */
const PATHS = new Set(["path", "file_path", "filePath", "abs_path", "file", "filename", "fileName"]);
const TEXTS = new Set(["content", "contents", "text", "file_text", "new_string", "newString", "new_str", "newText", "new_text", "old_string", "oldString", "old_str", "oldText", "old_text"]);
/** Fields that the views of a diff and of content already show. */
const CHANGE = new Set(["type", "path", "oldText", "newText", "from_line", "cut", "whole_at"]);
const CONTENT = new Set(["type", "content"]);
const PART = new Set(["type", "text", "resource"]);
const PLACE = new Set(["path", "line"]);

export function willHappen(detail: QuestionDetail): WillHappen {
  const found = commandIn(detail.input);
  const diffs = diffsOf(detail.content);
  const isPath = new Set(diffs.map((diff) => diff.path));
  const isText = new Set(diffs.filter(isShownWhole).flatMap((diff) => [diff.newText, diff.oldText]));
  const isSaid = (name: string, value: Json | undefined) => typeof value === "string" && value !== "" && ((PATHS.has(name) && isPath.has(value)) || (TEXTS.has(name) && isText.has(value)));
  const fields = fieldsIn(detail.input).filter(([name, value]) => name !== found?.name && !isSaid(name, value));
  const paths = (detail.locations ?? []).filter((place) => place.path && !isPath.has(place.path));
  return {
    command: found ? { label: "Command", text: found.command, isStrict: true } : null,
    fields: [...fields.map(fieldOf), ...fieldsIn(detail["more"] ?? {}).map(fieldOf)],
    texts: [
      ...(detail.content ?? []).flatMap((item) => (diffsOf([item]).length > 0 ? besides(item, CHANGE) : textShown(item))),
      ...(detail.locations ?? []).flatMap((place) => besides(place, PLACE)),
    ],
    diffs,
    places: paths.map((place) => ({ label: "File", text: place.line == null ? place.path! : `${place.path}:${place.line}`, isStrict: true })),
  };
}

/** How many unchanged lines a diff shows around a change. All, unless we have read the file: an agent could say of any line that it is unchanged. */
export function contextOf(detail: QuestionDetail): number {
  return detail["from_disk"] === true ? CONTEXT : Infinity;
}

/** All texts of a card, to check their characters. */
export function textsOf(question: QuestionBlock): Shown[] {
  const { detail } = question;
  const { command, fields, texts, diffs, places } = willHappen(detail);
  const choices = question.options.map((option) => ({ label: "Option", text: option.label, isStrict: false }));
  const changed = diffs.flatMap((diff) => [fieldOf(["Path", diff.path ?? ""]), fieldOf(["New text", diff.newText ?? ""])]);
  const ours = [detail["text"], detail["url"]].filter((one) => typeof one === "string");
  return [
    { label: "Title", text: question.title, isStrict: false },
    ...(command ? [command] : []),
    ...fields.flatMap((field) => [field, { label: "", text: field.label, isStrict: true }]),
    ...texts,
    ...changed,
    ...places,
    ...ours.map((text) => ({ label: "", text, isStrict: true })),
    ...(question.type === "permission" ? choices : []),
  ];
}

/** How much there is to read, in characters. */
export function sizeOf(detail: QuestionDetail): number {
  const { command, fields, texts, diffs } = willHappen(detail);
  const shown = [command?.text ?? "", ...fields.map((one) => one.text), ...texts.map((one) => one.text), ...diffs.map((one) => one.newText ?? "")];
  return shown.reduce((sum, text) => sum + text.length, 0);
}

function fieldsIn(input: Json | undefined): [string, Json | undefined][] {
  if (input === undefined || input === null) return [];
  if (typeof input !== "object" || Array.isArray(input)) return [["Input", input]];
  return Object.entries(input);
}

function fieldOf([name, value]: [string, Json | undefined]): Shown {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
  return { label: name, text, isStrict: text.length <= LONGEST_STRICT || typeof value !== "string" };
}

/** A diff hides unchanged lines, and shows nothing if no line differs. */
function isShownWhole(diff: DiffContent): boolean {
  const { lines, added, removed } = diffOf(diff);
  return !isPart(diff) && added + removed > 0 && hunksOf(lines).every((hunk) => hunk.skipped.length === 0);
}

function textShown(item: ToolContent): Shown[] {
  const text = textOf(item);
  if (text !== null && item.type === "content") {
    const said = text === "" ? [] : [{ label: labels.agentSays, text, isStrict: false }];
    const { content } = item;
    return [...said, ...besides(item, CONTENT), ...besides(content ?? {}, PART), ...besides(content?.resource ?? {}, PART)];
  }
  return [{ label: item.type ?? "Content", text: JSON.stringify(item, null, 2), isStrict: true }];
}

/** The fields that are not shown elsewhere. */
function besides(thing: object, shown: ReadonlySet<string>): Shown[] {
  const rest = Object.entries(thing).filter(([name, value]) => !shown.has(name) && value != null);
  return rest.length === 0 ? [] : [{ label: labels.otherFields, text: JSON.stringify(Object.fromEntries(rest), null, 2), isStrict: true }];
}
