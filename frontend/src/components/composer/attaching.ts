// Attaching files to a message.
//
// Lives here: a file as ACP content, its display name, and the size limits.
// Lives elsewhere: storing them until they are sent (state/stored/drafts.ts), what the assistant accepts (the server).
import { isInlinePicture } from "../../markdown/links";
import type { JsonObject } from "../../state";
import { labels } from "./labels";
import { referenceName } from "./mentions/references";

/** The server's limits per message. */
const MOST_BYTES = 15_000_000;
const MOST_FILES = 50;
const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Whether they fit in addition to the current attachments. */
export function hasRoom(attached: readonly JsonObject[], files: readonly File[]): boolean {
  const bytes = JSON.stringify(attached).length * 0.75 + files.reduce((sum, file) => sum + file.size, 0);
  return attached.length + files.length <= MOST_FILES && bytes <= MOST_BYTES;
}

/** Images and audio by their type, text as text, anything else as binary data. */
export async function contentOf(file: File): Promise<JsonObject> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const uri = `file:///${encodeURIComponent(file.name)}`;
  if (PICTURES.includes(file.type)) return { type: "image", mimeType: file.type, data: base64(bytes), uri };
  if (file.type.startsWith("audio/")) return { type: "audio", mimeType: file.type, data: base64(bytes) };
  const text = textIn(bytes);
  const what: JsonObject = text === undefined ? { blob: base64(bytes) } : { text };
  return { type: "resource", resource: { uri, ...(file.type && { mimeType: file.type }), ...what } };
}

export function nameOf(attachment: JsonObject): string {
  const reference = referenceName(attachment);
  if (reference !== undefined) return reference;
  const { type, name, uri, resource, mimeType } = attachment;
  const address = uri ?? (resource as JsonObject | undefined)?.["uri"];
  if (typeof name === "string") return name;
  if (typeof address === "string") return readable(address.replace(/^file:\/\/\//, ""));
  const kind = typeof mimeType === "string" ? ` (${mimeType.replace(/^.*\//, "").toUpperCase()})` : "";
  if (type === "image") return `${labels.image}${kind}`;
  if (type === "audio") return `${labels.audio}${kind}`;
  return typeof type === "string" ? type : labels.attachment;
}

/** Whether it is an image of a type we show; a large one may lack its data. */
export function isShowable(attachment: JsonObject): boolean {
  const isKnown = attachment["type"] === "image" && PICTURES.includes(String(attachment["mimeType"]));
  return isKnown && (attachment["cut"] === true || pictureOf(attachment) !== undefined);
}

/** The data URL of a complete image. Built only from its type and base64 data: no other types, never SVG. */
export function pictureOf(attachment: JsonObject): string | undefined {
  const address = `data:${String(attachment["mimeType"])};base64,${String(attachment["data"])}`;
  return attachment["type"] === "image" && isInlinePicture(address) ? address : undefined;
}

function readable(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

/** Undefined if it is not text. */
function textIn(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** In chunks, because a call takes a limited number of arguments. */
function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
