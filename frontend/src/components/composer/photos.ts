// Photos of a phone: HEIC becomes JPEG, which agents understand.
//
// Lives here: converting it where the browser can draw it. Lives elsewhere: files as attachments (attaching.ts).

import { labels } from "./labels";

const QUALITY = 0.9;
/** A longer side is drawn smaller: models scale pictures down anyway, and a canvas has a largest size. */
const MOST_PIXELS = 4096;

/** A file that this browser cannot convert; the message says what to do. */
export class UnreadablePhoto extends Error {}

export function isHeic(file: Pick<File, "name" | "type">): boolean {
  return /^image\/hei[cf]/i.test(file.type) || (file.type === "" && /\.hei[cf]$/i.test(file.name));
}

/** Fails with words for the person if this browser cannot draw it. */
export async function asJpeg(file: File): Promise<File> {
  const jpeg = await drawn(file).catch(() => null);
  if (jpeg === null) throw new UnreadablePhoto(labels.heicUnreadable(file.name));
  return new File([jpeg], file.name.replace(/\.hei[cf]$/i, "") + ".jpg", { type: "image/jpeg" });
}

async function drawn(file: File): Promise<Blob | null> {
  const picture = await createImageBitmap(file);
  const scale = Math.min(1, MOST_PIXELS / Math.max(picture.width, picture.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", QUALITY));
}
