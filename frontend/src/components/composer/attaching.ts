// Files that go along with a message.
//
// Lives here: a file as the piece of content ACP has for it, what such a piece is called, and how much is too much.
// Lives elsewhere: keeping them until they are sent (../../state/drafts.ts), what the assistant takes of them (the server).
import { isInlinePicture } from "../../markdown/links";
import type { JsonObject } from "../../state";

/** The server takes no more with one message. */
const MOST_BYTES = 15_000_000;
const MOST_FILES = 50;
const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

export const TOO_MUCH = "That is too much for one message: at most 50 files and 15 MB go along.";

/** Whether there is room for them beside what is attached already. */
export function hasRoom(attached: readonly JsonObject[], files: readonly File[]): boolean {
  const bytes = JSON.stringify(attached).length * 0.75 + files.reduce((sum, file) => sum + file.size, 0);
  return attached.length + files.length <= MOST_FILES && bytes <= MOST_BYTES;
}

/** Pictures and sound as such, text as text, anything else as it is. */
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
  const { type, name, uri, resource, mimeType } = attachment;
  const address = uri ?? (resource as JsonObject | undefined)?.["uri"];
  if (typeof name === "string") return name;
  if (typeof address === "string") return readable(address.replace(/^file:\/\/\//, ""));
  const kind = typeof mimeType === "string" ? ` (${mimeType.replace(/^.*\//, "").toUpperCase()})` : "";
  if (type === "image") return `Picture${kind}`;
  if (type === "audio") return `Sound${kind}`;
  return typeof type === "string" ? type : "attachment";
}

/** Whether it is a picture of a kind that is shown; a large one may have come without its data. */
export function isShowable(attachment: JsonObject): boolean {
  const isKnown = attachment["type"] === "image" && PICTURES.includes(String(attachment["mimeType"]));
  return isKnown && (attachment["cut"] === true || pictureOf(attachment) !== undefined);
}

/** The address of a picture that is all here. Made of nothing but its kind and its letters: no other kind, never SVG. */
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

/** Undefined for what is no text. */
function textIn(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** In parts: a call takes only so many arguments. */
function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
