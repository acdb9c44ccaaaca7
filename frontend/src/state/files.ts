// Files that go along with messages, kept until they are sent or taken off.
//
// Lives here: each file is stored once, under an id; drafts and messages on their way hold ids, so that a file passes
// from one to the other without being moved, and one that nothing names any more is forgotten. Lives elsewhere: who
// holds them (drafts.ts, outbox.ts), the storage (keepLarge.ts).

import * as api from "../api/client";
import { namesLike, recall } from "./keep";
import { forgetLarge, largeNames, recallLarge, rememberLarge } from "./keepLarge";
import type { JsonObject } from "./shapes";

/** Under these names lie those that hold ids. */
const HOLDERS = ["attached.", "outbox.", "outgoing."];
/** Another tab may have stored a file and not yet said where it belongs. */
const SETTLED_MS = 3_600_000;
const ids = new WeakMap<JsonObject, string>();

/** Under which id this browser keeps a file; undefined for one that only this tab has. */
export function idOf(file: JsonObject): string | undefined {
  return ids.get(file);
}

export function idsOf(files: readonly JsonObject[]): string[] {
  return files.flatMap((file) => ids.get(file) ?? []);
}

/** Store them, as far as the browser takes them: `idOf` tells. */
export async function keepFiles(files: readonly JsonObject[]): Promise<void> {
  await Promise.all(
    files.map(async (file) => {
      const id = `${Date.now()}-${api.newKey()}`;
      if (await rememberLarge(id, file)) ids.set(file, id);
    }),
  );
}

/** Those of these ids, undefined for one that is gone; what is at hand already is the same object. Fails where nothing can be read. */
export async function keptFiles(wanted: readonly string[], atHand: readonly JsonObject[] = []): Promise<(JsonObject | undefined)[]> {
  return Promise.all(
    wanted.map(async (id) => {
      const file = atHand.find((one) => ids.get(one) === id) ?? ((await recallLarge(id)) as JsonObject | undefined);
      if (file !== undefined) ids.set(file, id);
      return file;
    }),
  );
}

/** Only this tab has them from now on. */
export function disown(files: readonly JsonObject[]): void {
  const known = idsOf(files);
  for (const file of files) ids.delete(file);
  letGo(known);
}

/** Forget those that nothing holds any more. */
export function letGo(known: readonly string[]): void {
  if (known.length === 0) return;
  const held = HOLDERS.flatMap(namesLike).map(recall).join("\n");
  for (const id of known) if (!held.includes(id)) void forgetLarge(id);
}

/** Forget what was left behind by a page that ended at the wrong moment, if it is so old. */
export async function sweepFiles(age = SETTLED_MS): Promise<void> {
  const isSettled = (id: string) => Date.now() - Number.parseInt(id) >= age;
  letGo((await largeNames()).filter(isSettled));
}
