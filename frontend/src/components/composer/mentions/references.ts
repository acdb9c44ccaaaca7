// References: attachments that name something, which the server reads when it sends the message.
//
// Lives here: their shapes and their words on a chip. Lives elsewhere: attached data (../attaching.ts), what is
// read (the server).

import type { JsonObject } from "../../../state";
import { labels } from "./labels";
import type { Lines } from "./token";

const KINDS = ["file", "folder", "diff", "chat", "quote", "skill"] as const;
export type ReferenceKind = (typeof KINDS)[number];

/** Characters of a quote that its chip shows. */
const MOST_SHOWN = 60;

export function fileReference(path: string, lines?: Lines): JsonObject {
  return { type: "file", path, ...(lines && { lines: [...lines] }) };
}

export function folderReference(path: string): JsonObject {
  return { type: "folder", path: path.replace(/(?<=.)\/+$/, "") };
}

export const diffReference = (): JsonObject => ({ type: "diff" });

export function chatReference(id: string, title: string): JsonObject {
  return { type: "chat", id, title };
}

export function quoteReference(text: string, source: string): JsonObject {
  return { type: "quote", text, source };
}

export function skillReference(id: string, name: string): JsonObject {
  return { type: "skill", id, name };
}

/** Undefined if it is attached data or unknown. */
export function referenceKind(attachment: JsonObject): ReferenceKind | undefined {
  return KINDS.find((kind) => kind === attachment["type"]);
}

/** Whether both name the same thing; the same file with other lines is the same thing. */
export function isSameReference(one: JsonObject, other: JsonObject): boolean {
  const kind = referenceKind(one);
  if (kind === undefined || kind !== referenceKind(other)) return false;
  if (kind === "quote") return one["text"] === other["text"];
  return one["path"] === other["path"] && one["id"] === other["id"];
}

/** The words on its chip; undefined if it is not a reference. */
export function referenceName(one: JsonObject): string | undefined {
  switch (referenceKind(one)) {
    case "file":
      return baseOf(textOf(one, "path")) + linesOf(one);
    case "folder":
      return `${baseOf(textOf(one, "path")) || "."}/`;
    case "diff":
      return labels.diff;
    case "chat":
      return textOf(one, "title") || labels.untitled;
    case "quote":
      return begun(textOf(one, "text"));
    case "skill":
      return labels.skillChip(textOf(one, "name") || textOf(one, "id"));
    default:
      return undefined;
  }
}

/** What tells two with the same name apart: the folder of a file, the source of a quote. */
export function referenceNote(one: JsonObject): string {
  switch (referenceKind(one)) {
    case "file":
    case "folder":
      return parentOf(textOf(one, "path"));
    case "quote":
      return sourceName(textOf(one, "source"));
    default:
      return "";
  }
}

/** Everything there is to say about it, for a tooltip. */
export function referenceDetail(one: JsonObject): string {
  switch (referenceKind(one)) {
    case "file":
      return textOf(one, "path") + linesOf(one);
    case "folder":
      return `${textOf(one, "path")}/`;
    case "quote":
      return [textOf(one, "source"), textOf(one, "text")].filter(Boolean).join("\n");
    default:
      return referenceName(one) ?? "";
  }
}

/** The words left in the message for it. */
export function mentionWords(one: JsonObject): string {
  switch (referenceKind(one)) {
    case "file":
    case "folder":
      return `@${referenceDetail(one)}`;
    case "diff":
      return "@diff";
    case "chat":
      return `@“${textOf(one, "title") || labels.untitled}”`;
    default:
      return "";
  }
}

/** The host of a web address, else the name as it is. */
export function sourceName(source: string): string {
  return /^https?:/i.test(source) && URL.canParse(source) ? new URL(source).host : source;
}

function linesOf(one: JsonObject): string {
  const lines = one["lines"];
  if (!Array.isArray(lines)) return "";
  const [from, to = from] = lines;
  return typeof from === "number" && typeof to === "number" ? labels.lines(from, to) : "";
}

function textOf(one: JsonObject, name: string): string {
  const value = one[name];
  return typeof value === "string" ? value : "";
}

function baseOf(path: string): string {
  return path.replace(/\/+$/, "").split("/").at(-1) ?? path;
}

function parentOf(path: string): string {
  const parts = path.replace(/\/+$/, "").split("/");
  return parts.slice(0, -1).join("/");
}

function begun(text: string): string {
  const line = text.trim().replace(/\s+/gu, " ");
  const characters = [...line];
  return `“${characters.length > MOST_SHOWN ? `${characters.slice(0, MOST_SHOWN).join("")}…` : line}”`;
}
